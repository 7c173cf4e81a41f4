"""Also loads what reading processes load, which takes a second: for runs in which many gateways read files."""

import gc

import sieve.gateway.reading.process  # noqa: F401 -- imported for its effect: it stays in memory for the processes that are forked
from sieve.gateway.reading.limits import load_all

load_all()
gc.collect()
gc.freeze()
