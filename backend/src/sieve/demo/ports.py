"""The ports of the two gateways of `sieve demo`."""

import errno
import socket
from typing import Final, TypeAlias

from sieve.demo.gateways import NAMES, DemoError

Binds: TypeAlias = dict[str, dict[str, str]]
"""`host:port` for each gateway and listener."""

HOST: Final = "127.0.0.1"
LISTENERS: Final = ("web", "secure", "plain")
KNOWN, FREE = "known", "free"
HELP: Final = (
    f"{KNOWN}: always the same ports; {FREE}: any free ports; a number: six ports from there on (default: {KNOWN})"
)
_KNOWN_PORTS: Final = {("alpha", "web"): 8080, ("alpha", "secure"): 8443, ("alpha", "plain"): 8081} | {
    ("bravo", "web"): 8090,
    ("bravo", "secure"): 8453,
    ("bravo", "plain"): 8091,
}


def choose(wish: str) -> Binds:
    """The addresses for `wish`, which `HELP` describes.

    Raises:
        DemoError: `wish` is not valid, or ports are in use.
    """
    places = [(name, listener) for name in NAMES for listener in LISTENERS]
    if wish == KNOWN:
        ports = _KNOWN_PORTS
    elif wish == FREE:
        ports = dict.fromkeys(places, 0)
    elif wish.isascii() and wish.isdigit() and 1024 <= int(wish) <= 65536 - len(places):
        ports = {place: int(wish) + number for number, place in enumerate(places)}
    else:
        raise DemoError(f"--ports {wish}: write {KNOWN}, {FREE}, or a number from 1024 to {65536 - len(places)}")
    taken = [f"{port} ({name}'s {listener})" for (name, listener), port in ports.items() if _is_taken(port)]
    if taken:
        raise DemoError(
            f"port {', '.join(taken)} is in use; is a demo running already? If not, choose others: --ports {FREE}, "
            f'or --ports 9000 for 9000 to 9005 (make run RUN_ARGS="--ports {FREE}")'
        )
    return {name: {listener: f"{HOST}:{ports[name, listener]}" for listener in LISTENERS} for name in NAMES}


def _is_taken(port: int) -> bool:
    with socket.socket() as probe:
        # As the gateways do, so that connections of a stopped gateway do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                return True
            raise
    return False
