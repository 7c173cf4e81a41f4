"""The hand-over message: all that a worker needs to go on with a connection after its handshake.

    suite u16 | read sequence u64 | write sequence u64 | explicit nonce u64 | read secret | write secret | unread

A secret is a traffic secret in TLS 1.3, key and IV in TLS 1.2: neither the master secret nor the private key. `unread`
is what the client sent after its Finished and the handler already read: whole records, a part of one, or nothing. Its
size follows from that of the message. The connection's descriptor travels beside the message (SCM_RIGHTS).
"""

import struct
from dataclasses import dataclass
from typing import Final

from sieve.lab.tls_split.errors import HandOverError
from sieve.lab.tls_split.secrets_in_memory import wipe
from sieve.lab.tls_split.suites import SUITES, Suite

_HEAD: Final = struct.Struct(">HQQQ")
MAX_UNREAD: Final = 2**16
MAX_MESSAGE: Final = _HEAD.size + 2 * 48 + MAX_UNREAD
_LAST_SEQUENCE: Final = 2**48
"""No handshake sends as many records: a larger number is an error."""


@dataclass(slots=True)
class HandOver:
    """The state of a connection after its handshake, from the server's side."""

    suite: Suite
    read_secret: bytearray
    write_secret: bytearray
    read_sequence: int
    write_sequence: int
    explicit_nonce: int = 0
    unread: bytes = b""

    def wipe(self) -> None:
        """Overwrites the secrets."""
        wipe(self.read_secret, self.write_secret)


def encode(state: HandOver) -> bytearray:
    """The message; the caller wipes it when it is sent.

    Raises:
        HandOverError: the client sent too much before its connection was handed over.
    """
    if len(state.unread) > MAX_UNREAD:
        raise HandOverError(f"more than {MAX_UNREAD} bytes are unread")
    head = _HEAD.pack(state.suite.code, state.read_sequence, state.write_sequence, state.explicit_nonce)
    message = bytearray(len(head) + 2 * state.suite.secret_size + len(state.unread))
    place, at = memoryview(message), 0
    # Into place: a bytearray that grows leaves copies of the secrets behind.
    for part in (head, state.read_secret, state.write_secret, state.unread):
        place[at : at + len(part)] = part
        at += len(part)
    return message


def decode(message: bytes | bytearray | memoryview) -> HandOver:
    """The state in a message; copies the secrets, so that the caller can wipe the message.

    Raises:
        HandOverError: the message is not valid.
    """
    if not _HEAD.size <= len(message) <= MAX_MESSAGE:
        raise HandOverError(f"a hand-over message has {_HEAD.size} to {MAX_MESSAGE} bytes, not {len(message)}")
    code, read_sequence, write_sequence, explicit_nonce = _HEAD.unpack_from(message)
    suite = SUITES.get(code)
    if suite is None:
        raise HandOverError(f"cipher suite {code:#06x} is not known")
    if max(read_sequence, write_sequence) > _LAST_SEQUENCE:
        raise HandOverError("a sequence number is too large")
    if explicit_nonce and not suite.has_explicit_nonce:
        raise HandOverError(f"{suite.name} has no explicit nonce")
    first, second, end = (_HEAD.size + part * suite.secret_size for part in range(3))
    if len(message) < end:
        raise HandOverError("the secrets are incomplete")
    whole = memoryview(message)
    return HandOver(
        suite,
        bytearray(whole[first:second]),
        bytearray(whole[second:end]),
        read_sequence,
        write_sequence,
        explicit_nonce,
        bytes(whole[end:]),
    )
