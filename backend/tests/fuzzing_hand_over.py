"""Fuzz target of the laboratory's hand-over message, and of the records that follow it.

Invariant: a message is refused with its one error, or encodes to the same bytes again; what is unread in it is read, or
refused with an alert that can be sent. Changes keep to the structure, and seal records, to reach what is behind the
AEAD.
"""

from collections.abc import Callable
from random import Random

from sieve.lab.tls_split.errors import HandOverError, RecordError
from sieve.lab.tls_split.hand_over import HandOver, decode, encode
from sieve.lab.tls_split.record_phase import RecordPhase
from sieve.lab.tls_split.records import ALERT, APPLICATION_DATA, HANDSHAKE, Sealer
from tls_in_memory import ALL_SUITES, example_state

_KEY_UPDATE = b"\x18\0\0\1\1"
_KINDS = (APPLICATION_DATA, HANDSHAKE, ALERT)


def hand_over(data: bytes) -> None:
    """A worker receives `data` as a message."""
    try:
        state = decode(data)
    except HandOverError as error:
        assert str(error)
        return
    assert encode(state) == data
    phase = RecordPhase(state)
    try:
        phase.receive(state.unread)
        phase.send(b"an answer")
    except RecordError as error:
        assert str(error)
        assert phase.refuse(error)
    phase.forget()
    assert not any(state.read_secret + state.write_secret)


def _sealed(state: HandOver, contents: list[tuple[int, bytes]]) -> bytes:
    """Records of the client."""
    sealer = Sealer(state.suite, bytearray(state.read_secret), state.read_sequence, state.explicit_nonce)
    return b"".join(sealer.seal(kind, content[: 1 << 14]) for kind, content in contents)


def hand_over_seeds() -> list[bytes]:
    """A message for each suite: with nothing unread, and with records of each kind, the last one cut."""
    found = []
    for suite in ALL_SUITES:
        state = example_state(suite, 1)
        found.append(bytes(encode(state)))
        said = [(APPLICATION_DATA, b"GET /1 HTTP/1.1\r\n\r\n"), (HANDSHAKE, _KEY_UPDATE), (ALERT, b"\1\0")]
        state.unread = _sealed(state, said)[:-3]
        found.append(bytes(encode(state)))
    return found


def changed_hand_over(data: bytes, most: int, random: Random, mutate: Callable[[bytes, int], bytes]) -> bytes:
    """Other records of the client, or other bytes after the secrets."""
    try:
        state = decode(data)
    except HandOverError:
        return mutate(data, most)
    if random.random() < 0.8:
        said = [b"GET /2 HTTP/1.1\r\n\r\n", _KEY_UPDATE, b"\2\x28", b"\1\0\0\0", b""]
        contents = [
            (random.choice(_KINDS), mutate(content, 200) if random.random() < 0.5 else content)
            for content in random.choices(said, k=random.randrange(1, 5))
        ]
        state.unread = _sealed(state, contents)
    else:
        state.unread = mutate(state.unread, 400)
    state.unread = state.unread[: 1 << 12]
    return bytes(encode(state))[:most]
