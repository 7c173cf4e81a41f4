"""The record phase of one connection: two of them talk, and a client gets everything wrong."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.lab.tls_split.errors import (
    BAD_RECORD_MAC,
    DECODE_ERROR,
    PROTOCOL_VERSION,
    RECORD_OVERFLOW,
    UNEXPECTED_MESSAGE,
    RecordError,
)
from sieve.lab.tls_split.record_phase import MAX_WITHOUT_DATA, RecordPhase
from sieve.lab.tls_split.records import ALERT, APPLICATION_DATA, HANDSHAKE, MAX_CONTENT, Sealer
from sieve.lab.tls_split.suites import SUITES, Suite
from tls_in_memory import ALL_SUITES, example_state, mirrored

TLS13, TLS12 = SUITES[0x1301], SUITES[0xC02B]
KEY_UPDATE, KEY_UPDATE_PLEASE = bytes((24, 0, 0, 1, 0)), bytes((24, 0, 0, 1, 1))
suites = st.sampled_from(ALL_SUITES)


def pair(suite: Suite, records_per_key: int = 2**24) -> tuple[RecordPhase, RecordPhase]:
    state = example_state(suite)
    other = mirrored(state)
    return RecordPhase(other, records_per_key), RecordPhase(state, records_per_key)


def client(suite: Suite = TLS13) -> tuple[Sealer, RecordPhase]:
    """What a client can seal that a record phase never would."""
    state = example_state(suite)
    return Sealer(suite, bytearray(state.read_secret), 0, state.explicit_nonce), RecordPhase(state)


def alert_of(receiver: RecordPhase, records: bytes | bytearray) -> int:
    with pytest.raises(RecordError) as refused:
        receiver.receive(records)
    assert str(refused.value)
    return refused.value.alert


@given(suites, st.lists(st.binary(max_size=40_000), max_size=4), st.data())
def test_any_data_arrives_however_it_is_cut(suite: Suite, texts: list[bytes], data: st.DataObject) -> None:
    sender, receiver = pair(suite)
    records = b"".join(sender.send(text) for text in texts) + sender.close()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(records)), max_size=6)))
    pieces = [records[a:b] for a, b in zip([0, *cuts], [*cuts, len(records)], strict=True)]
    assert b"".join(map(receiver.receive, pieces)) == b"".join(texts)
    assert receiver.is_closed_by_peer


@given(suites, st.data())
def test_a_changed_bit_is_never_data(suite: Suite, data: st.DataObject) -> None:
    sender, receiver = pair(suite)
    records = bytearray(sender.send(b"some text"))
    records[data.draw(st.integers(0, len(records) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    try:
        # A length that says more is a record that is incomplete.
        assert receiver.receive(bytes(records)) == b""
    except RecordError as error:
        assert error.alert in (BAD_RECORD_MAC, PROTOCOL_VERSION, RECORD_OVERFLOW, UNEXPECTED_MESSAGE)


@given(suites, st.binary(max_size=600))
def test_any_bytes_come_to_nothing_or_to_an_alert(suite: Suite, noise: bytes) -> None:
    try:
        assert RecordPhase(example_state(suite)).receive(noise) == b""
    except RecordError as error:
        assert error.alert


@pytest.mark.parametrize("order", [(1, 0), (0, 0), (1,)])
def test_records_out_of_order_are_refused(order: tuple[int, ...]) -> None:
    sender, receiver = pair(TLS13)
    records = [sender.send(b"0"), sender.send(b"1")]
    assert alert_of(receiver, b"".join(records[each] for each in order)) == BAD_RECORD_MAC


def test_new_keys_in_time_and_on_demand() -> None:
    sender, receiver = pair(TLS13, records_per_key=3)
    text = bytes(20 * MAX_CONTENT)
    assert receiver.receive(sender.send(text)) == text
    answer = receiver.send(text)
    assert sender.receive(answer) == text
    asking, answering = client()
    records = asking.seal(HANDSHAKE, KEY_UPDATE_PLEASE)
    asking.update()
    assert answering.receive(records + asking.seal(APPLICATION_DATA, b"under new keys")) == b"under new keys"
    # The answer is a KeyUpdate under the old keys; what follows is under new ones.
    listener = RecordPhase(mirrored(example_state(TLS13)))
    assert listener.receive(answering.send(b"also here")) == b"also here"
    assert listener.send() == b""


def test_a_key_update_may_come_in_pieces() -> None:
    asking, answering = client()
    records = asking.seal(HANDSHAKE, KEY_UPDATE[:1]) + asking.seal(HANDSHAKE, KEY_UPDATE[1:])
    asking.update()
    assert answering.receive(records + asking.seal(APPLICATION_DATA, b"x")) == b"x"


@pytest.mark.parametrize(
    ("records", "alert"),
    [
        (lambda c: c.seal(HANDSHAKE, KEY_UPDATE + KEY_UPDATE), DECODE_ERROR),
        (lambda c: c.seal(HANDSHAKE, bytes((24, 0, 0, 1, 2))), DECODE_ERROR),
        (lambda c: c.seal(HANDSHAKE, bytes((24, 1))), DECODE_ERROR),
        (lambda c: c.seal(HANDSHAKE, b"\1\0\0\0"), UNEXPECTED_MESSAGE),
        (lambda c: c.seal(HANDSHAKE, b""), UNEXPECTED_MESSAGE),
        (lambda c: c.seal(HANDSHAKE, KEY_UPDATE[:2]) + c.seal(APPLICATION_DATA, b"x"), UNEXPECTED_MESSAGE),
        (lambda c: c.seal(ALERT, b"\1"), DECODE_ERROR),
        (lambda c: c.seal(0, b""), UNEXPECTED_MESSAGE),
        (lambda c: c.seal(APPLICATION_DATA, bytes(MAX_CONTENT + 1), 2 * MAX_CONTENT), RECORD_OVERFLOW),
        (lambda c: b"\x17\3\3\xff\xff" + bytes(2**16), RECORD_OVERFLOW),
        (lambda c: b"\x14\3\3\0\1\1", UNEXPECTED_MESSAGE),
        (lambda c: b"".join(c.seal(APPLICATION_DATA, b"") for _ in range(MAX_WITHOUT_DATA + 1)), UNEXPECTED_MESSAGE),
    ],
)
def test_what_a_client_must_not_send(records: Callable[[Sealer], bytes], alert: int) -> None:
    sealer, receiver = client()
    assert alert_of(receiver, records(sealer)) == alert


def test_padding_is_removed() -> None:
    sealer, receiver = client()
    padded = b"text" + bytes((APPLICATION_DATA,)) + bytes(30)
    # The type that `seal` adds becomes padding, too.
    assert receiver.receive(sealer.seal(0, padded)) == b"text"


def test_renegotiation_is_declined_and_the_connection_continues() -> None:
    sealer, receiver = client(TLS12)
    assert receiver.receive(sealer.seal(HANDSHAKE, b"\1\0\0\0") + sealer.seal(APPLICATION_DATA, b"x")) == b"x"
    other = RecordPhase(mirrored(example_state(TLS12)))
    assert other.receive(receiver.send(b"y")) == b"y"
    assert alert_of(receiver, sealer.seal(HANDSHAKE, b"\2\0\0\0")) == UNEXPECTED_MESSAGE


@pytest.mark.parametrize(
    ("suite", "alert", "ends"),
    [
        (TLS13, b"\1\0", True),
        (TLS13, b"\1\x14", True),
        (TLS13, b"\1\x5a", False),
        (TLS12, b"\1\x64", False),
        (TLS12, b"\2\x14", True),
    ],
)
def test_alerts_of_the_client(suite: Suite, alert: bytes, ends: bool) -> None:
    sealer, receiver = client(suite)
    assert receiver.receive(sealer.seal(ALERT, alert) + sealer.seal(APPLICATION_DATA, b"x")) == (b"" if ends else b"x")
    assert receiver.is_closed_by_peer == ends


def test_a_refusal_is_an_alert_under_the_connections_keys() -> None:
    sender, receiver = pair(TLS13)
    with pytest.raises(RecordError) as refused:
        receiver.receive(b"\x14\3\3\0\1\1")
    sender.receive(receiver.refuse(refused.value))
    assert sender.is_closed_by_peer


def test_nothing_is_left_after_the_end() -> None:
    state = example_state(TLS13)
    phase = RecordPhase(state)
    phase.forget()
    assert not any(state.read_secret + state.write_secret)
    with pytest.raises(AttributeError):
        phase.send(b"x")
