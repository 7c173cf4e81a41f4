"""Reading files of any format where it can do no harm: in separate processes, under limits.

Invariant: the process that parses an uploaded file has no key, no database, no file and no socket but one pair, little
time and little memory. When it dies, hangs or grows, one request fails with one sentence, and the next one gets a fresh
process. `service.ReadingService` is the way in; `process` is what runs on the other side.
"""
