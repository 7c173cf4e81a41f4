"""`sieve lab`: queueing models, simulated and measured batching, and reproduced papers."""

from sieve.cli.lab import arrivals, batch_rsa, batching, queueing
from sieve.cli.options import examples, group

lab = group("Queueing models of a gateway, batching under random arrivals, and papers reproduced.")
lab.command(epilog=examples("sieve lab queueing --since 7d", "sieve lab queueing --json"))(queueing.queueing)
lab.command(epilog=examples("sieve lab batching", "sieve lab batching --json"))(batching.batching)
lab.command(epilog=examples("sieve lab arrivals", "sieve lab arrivals --json > arrivals.json"))(arrivals.arrivals)
lab.command(epilog=examples("sieve lab batch-rsa", "sieve lab batch-rsa --json"))(batch_rsa.batch_rsa)
