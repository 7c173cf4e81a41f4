"""What a handler reads in hello messages without taking part in the handshake: which ticket key the client's ticket
needs, and in TLS 1.2 the two randoms. The library judges the messages themselves."""

import struct
from collections.abc import Iterator
from typing import Final

from sieve.lab.tls_split.records import HANDSHAKE, HEADER_SIZE

_CLIENT_HELLO, _SERVER_HELLO = 1, 2
_SESSION_TICKET, _PRE_SHARED_KEY = 35, 41
TICKET_NAME_SIZE: Final = 16
_FIXED: Final = 4 + 2 + 32
"""Of a hello: type and length, version, random."""


def client_random(record: bytes) -> bytes | None:
    """The client's random in the record of a ClientHello; None if it is none, or cut."""
    return _random(record, _CLIENT_HELLO)


def server_random_and_suite(record: bytes) -> tuple[bytes, int] | None:
    """The server's random and the suite in the record of a ServerHello; None if it is none."""
    random = _random(record, _SERVER_HELLO)
    if random is None:
        return None
    at = HEADER_SIZE + _FIXED
    at += 1 + record[at]
    return random, int.from_bytes(record[at : at + 2], "big")


def ticket_name(record: bytes) -> bytes | None:
    """The name of the key under which the client's ticket is sealed, from the record of a ClientHello.

    None if there is no ticket, or the message is cut over several records or not valid: the session is not resumed.
    """
    if client_random(record) is None:
        return None
    try:
        for kind, content in _extensions(record[HEADER_SIZE:]):
            if kind == _SESSION_TICKET and len(content) > TICKET_NAME_SIZE:
                return content[:TICKET_NAME_SIZE]
            # The list of identities, the size of the first one, then the ticket.
            if kind == _PRE_SHARED_KEY and len(content) > 4 + TICKET_NAME_SIZE:
                return content[4 : 4 + TICKET_NAME_SIZE]
    except (struct.error, IndexError):
        pass
    return None


def _random(record: bytes, kind: int) -> bytes | None:
    if len(record) < HEADER_SIZE + _FIXED + 1 or record[0] != HANDSHAKE or record[HEADER_SIZE] != kind:
        return None
    return record[HEADER_SIZE + 6 : HEADER_SIZE + _FIXED]


def _extensions(hello: bytes) -> Iterator[tuple[int, bytes]]:
    at = _FIXED
    at += 1 + hello[at]
    at += 2 + struct.unpack_from(">H", hello, at)[0]
    at += 1 + hello[at]
    at += 2
    while at < len(hello):
        kind, size = struct.unpack_from(">HH", hello, at)
        yield kind, hello[at + 4 : at + 4 + size]
        at += 4 + size
