"""Also loads what reading processes load, which takes a second: for runs in which many gateways read files."""

import gc

import sieve.gateway.reading.process  # noqa: F401 -- forked children run it
from sieve.gateway.reading.limits import load_all

load_all()
gc.collect()
gc.freeze()
