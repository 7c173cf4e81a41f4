"""`sieve lab`: queueing models, simulated and measured batching."""

from sieve.cli.lab import arrivals, batching, queueing
from sieve.cli.options import group

lab = group("Queueing models of a gateway, and batching under random arrivals.")
lab.command()(queueing.queueing)
lab.command()(batching.batching)
lab.command()(arrivals.arrivals)
