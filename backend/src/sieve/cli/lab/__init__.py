"""`sieve lab`: queueing models, simulated and measured batching, and reproduced papers.

Without an experiment it lists them, each with its line.
"""

from sieve.cli.lab import arrivals, batch_rsa, batching, queueing, tls_split
from sieve.cli.options import examples, group

lab = group("Queueing models of a gateway, batching under random arrivals, and papers reproduced.")
lab.command(
    short_help="The load that a gateway can carry, by queueing models.",
    epilog=examples("sieve lab queueing --since 7d", "sieve lab queueing --json"),
)(queueing.queueing)
lab.command(
    short_help="Batches under random arrivals, simulated, beside a thesis.",
    epilog=examples("sieve lab batching", "sieve lab batching --full --json"),
)(batching.batching)
lab.command(
    short_help="Random arrivals on two real gateways, measured.",
    epilog=examples("sieve lab arrivals", "sieve lab arrivals --full --json > arrivals.json"),
)(arrivals.arrivals)
lab.command(
    short_help="A paper on batch RSA, with real TLS 1.2 handshakes.",
    epilog=examples("sieve lab batch-rsa", "sieve lab batch-rsa --full --json"),
)(batch_rsa.batch_rsa)
lab.command(
    short_help="A thesis on TLS in several processes, with real clients.",
    epilog=examples("sieve lab tls-split", "sieve lab tls-split --full --json > tls-split.json"),
)(tls_split.tls_split)
