"""The hand-over message: exact for every state, and a sentence for everything else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.lab.tls_split.errors import HandOverError
from sieve.lab.tls_split.hand_over import MAX_MESSAGE, MAX_UNREAD, HandOver, decode, encode
from sieve.lab.tls_split.suites import SUITES
from tls_in_memory import ALL_SUITES, example_state

SEQUENCES = st.integers(0, 2**48)


@st.composite
def states(draw: st.DrawFn) -> HandOver:
    suite = draw(st.sampled_from(ALL_SUITES))
    secrets = st.binary(min_size=suite.secret_size, max_size=suite.secret_size).map(bytearray)
    nonce = draw(st.integers(0, 2**64 - 1)) if suite.has_explicit_nonce else 0
    return HandOver(
        suite, draw(secrets), draw(secrets), draw(SEQUENCES), draw(SEQUENCES), nonce, draw(st.binary(max_size=300))
    )


@given(states())
def test_what_is_encoded_is_decoded(state: HandOver) -> None:
    assert decode(encode(state)) == state


@given(states(), st.data())
def test_a_cut_message_is_refused_or_only_lost_what_was_unread(state: HandOver, data: st.DataObject) -> None:
    message = encode(state)
    cut = data.draw(st.integers(0, len(message) - 1))
    needed = len(message) - len(state.unread)
    if cut < needed:
        with pytest.raises(HandOverError):
            decode(message[:cut])
    else:
        assert decode(message[:cut]).unread == state.unread[: cut - needed]


@given(st.binary(max_size=400) | st.tuples(st.sampled_from(sorted(SUITES)), st.binary(max_size=400)))
def test_any_bytes_come_to_a_state_or_a_sentence(found: bytes | tuple[int, bytes]) -> None:
    message = found if isinstance(found, bytes) else found[0].to_bytes(2, "big") + found[1]
    try:
        state = decode(message)
    except HandOverError as error:
        # Nothing of the message, which may hold keys.
        assert str(error)
        assert error.__cause__ is None
    else:
        assert encode(state) == message


@given(states(), st.data())
def test_a_changed_message_never_fails_in_another_way(state: HandOver, data: st.DataObject) -> None:
    message = encode(state)
    message[data.draw(st.integers(0, len(message) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        assert encode(decode(message)) == message
    except HandOverError as error:
        assert str(error)


def test_limits() -> None:
    state = example_state(ALL_SUITES[0])
    state.unread = bytes(MAX_UNREAD)
    assert decode(encode(state)) == state
    state.unread += b"\0"
    with pytest.raises(HandOverError):
        encode(state)
    with pytest.raises(HandOverError):
        decode(bytes(MAX_MESSAGE + 1))


def test_secrets_are_copies_and_are_wiped() -> None:
    state = example_state(ALL_SUITES[0])
    message = encode(state)
    found = decode(message)
    message[:] = bytes(len(message))
    assert found == state
    found.wipe()
    assert not any(found.read_secret + found.write_secret)
