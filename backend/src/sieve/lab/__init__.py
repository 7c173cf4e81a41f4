"""Queueing models of a gateway: what load it can carry (`queueing`), and what batching does to transfers that arrive at
random (`arrivals`).

Pure: no IO, no clock; randomness comes from a generator that the caller seeds. Only `web` and `cli` import it.
"""
