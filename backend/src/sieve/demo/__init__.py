"""The demonstration: two real gateways, alpha and bravo, on loopback, with people, pairing and a document on its way.

`once` (make demo) works in a folder of its own on free ports, sends one marked document, downloads it again, compares
bytes, verifies the receipt and ends; its last line is JSON. `run` (make run) keeps the two gateways up on known ports.
Everything goes through what users have: the `sieve` command and the web API.

What stands here is what tests start gateways with.
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
