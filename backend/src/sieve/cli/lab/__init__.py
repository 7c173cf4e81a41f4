"""`sieve lab`: queueing models, simulated and measured batching, and reproduced papers."""

from sieve.cli.lab import arrivals, batch_rsa, batching, queueing
from sieve.cli.options import group

lab = group("Queueing models of a gateway, batching under random arrivals, and papers reproduced.")
lab.command()(queueing.queueing)
lab.command()(batching.batching)
lab.command()(arrivals.arrivals)
lab.command()(batch_rsa.batch_rsa)
