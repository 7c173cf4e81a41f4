"""Reads files of any format in separate processes, under limits.

Invariant: the process that parses an uploaded file has no key, no database, no file and no socket but one pair, little
time and little memory. If it dies, hangs or grows, one request fails with one sentence, and the next one gets a new
process. Call `service.ReadingService`; the process runs `process`.
"""
