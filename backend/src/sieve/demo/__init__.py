"""The demonstration: two real gateways, alpha and bravo, on loopback, with people and a pairing.

`once` (`sieve demo once`, make demo) uses a temporary folder and free ports. It sends a marked document, downloads it,
compares the bytes, verifies the receipt and ends; its last line is JSON. `run` (`sieve demo`, make run) keeps both
gateways running on known ports. Both use only the `sieve` command and the web API, as users do.

Tests start their gateways with the names exported here.
"""

from sieve.demo.gateways import (
    AUTHOR,
    NAMES,
    NO_TLS,
    READER,
    RECIPIENT,
    DemoError,
    Launch,
    Process,
    Running,
    add_person,
    command,
    make_identities,
    pair,
    sieve_command,
    start,
    two_gateways,
)

__all__ = [
    "AUTHOR",
    "NAMES",
    "NO_TLS",
    "READER",
    "RECIPIENT",
    "DemoError",
    "Launch",
    "Process",
    "Running",
    "add_person",
    "command",
    "make_identities",
    "pair",
    "sieve_command",
    "start",
    "two_gateways",
]
