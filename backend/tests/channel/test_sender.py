"""The sender: both streams at once, three fruitless rounds, and one end; only a receipt that holds delivers."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channel_cases import (
    OTHER_KEY,
    RECEIPT_KEY,
    RECEIVER_PIN,
    SENDER_PIN,
    attempt_at,
    manifest_of,
    mark,
    modest,
    receipt_for,
)
from sieve.channel.attempt import MODES, Mode
from sieve.channel.chunks import MIN_CHUNK
from sieve.channel.errors import LocalProtocolError
from sieve.channel.sender import (
    FRUITLESS_ROUNDS,
    AskHeld,
    Command,
    Deliver,
    Event,
    GiveUp,
    HeldReported,
    PlainRoundSent,
    ReceiptArrived,
    Refused,
    SecureLost,
    Sender,
    SendPlain,
    SendPlainSecurely,
    SendSecure,
    StopPlain,
    Trust,
    TryAgain,
    VerifiedReported,
)

MANIFEST = manifest_of(mark(3 * MIN_CHUNK + 20, [(5, 15)]))
ALL = (0, 1, 2, 3)
TRUST = Trust(SENDER_PIN, frozenset({RECEIVER_PIN, "another of its pins"}), RECEIPT_KEY.public_key().public_bytes_raw())
RECEIPT = receipt_for(MANIFEST).sign(RECEIPT_KEY)


def sender(mode: Mode = "sieve") -> Sender:
    it = Sender(MANIFEST, attempt_at(MANIFEST, mode=mode), TRUST)
    it.start()
    return it


def a_round(it: Sender, *held: int) -> Sequence[Command]:
    """A plain round goes out; the receiver then says what it holds."""
    assert it.handle(PlainRoundSent()) == [AskHeld()]
    return it.handle(HeldReported(frozenset(held)))


def test_both_streams_leave_at_once() -> None:
    it = Sender(MANIFEST, attempt_at(MANIFEST), TRUST)
    assert it.start() == [SendSecure(), SendPlain(ALL)]
    with pytest.raises(LocalProtocolError):
        it.start()


def test_without_a_plain_stream_or_channel_there_is_one() -> None:
    secret = manifest_of(mark(9, [(0, 9)]))
    assert Sender(secret, attempt_at(secret), TRUST).start() == [SendSecure()]
    assert Sender(MANIFEST, attempt_at(MANIFEST, mode="secure-only"), TRUST).start() == [SendSecure()]


def test_what_did_not_arrive_is_sent_again_while_something_does() -> None:
    it = sender()
    assert a_round(it, 1) == [SendPlain((0, 2, 3))]
    assert a_round(it, 1) == [SendPlain((0, 2, 3))]
    assert a_round(it, 1) == [SendPlain((0, 2, 3))]
    assert a_round(it, 0, 1) == [SendPlain((2, 3))], "one came: the count begins anew"
    assert a_round(it, 0, 1, 2, 3) == []


def test_after_three_fruitless_rounds_the_rest_goes_over_the_secure_channel_and_never_back() -> None:
    it = sender()
    a_round(it, 2)
    for _ in range(FRUITLESS_ROUNDS - 1):
        assert a_round(it, 2) == [SendPlain((0, 1, 3))]
    assert a_round(it, 2) == [StopPlain(), SendPlainSecurely((0, 1, 3))]
    assert it.handle(PlainRoundSent()) == []
    assert it.handle(HeldReported(frozenset({2}))) == []


def test_in_secure_only_nothing_puts_bytes_on_the_plain_channel() -> None:
    it = sender("secure-only")
    assert it.handle(PlainRoundSent()) == []
    assert it.handle(HeldReported(frozenset())) == []


def test_verified_ends_the_sending_and_is_not_delivered() -> None:
    it = sender()
    assert it.handle(VerifiedReported()) == [StopPlain()]
    assert it.verified and not it.ended
    assert it.handle(PlainRoundSent()) == []
    assert it.handle(HeldReported(frozenset())) == []


def test_a_receipt_that_holds_delivers_even_before_verified_was_heard() -> None:
    assert sender().handle(ReceiptArrived(RECEIPT)) == [StopPlain(), Deliver(RECEIPT)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        RECEIPT.replace('"size":', '"size":1'),
        receipt_for(MANIFEST).sign(OTHER_KEY),
        receipt_for(manifest_of(mark(9, []), 2)).sign(RECEIPT_KEY),
        replace(receipt_for(MANIFEST), receiver_pin="f0" * 32).sign(RECEIPT_KEY),
        replace(receipt_for(MANIFEST), sender_pin="f0" * 32).sign(RECEIPT_KEY),
        replace(receipt_for(MANIFEST), document_digest="00" * 32).sign(RECEIPT_KEY),
    ],
)
def test_any_other_receipt_does_not_deliver(text: str) -> None:
    it = sender()
    it.handle(VerifiedReported())
    [_, again] = it.handle(ReceiptArrived(text))
    assert isinstance(again, TryAgain) and "does not count" in again.reason


def test_a_receiver_that_renews_its_key_may_sign_under_either_pin() -> None:
    text = replace(receipt_for(MANIFEST), receiver_pin="another of its pins").sign(RECEIPT_KEY)
    assert sender().handle(ReceiptArrived(text)) == [StopPlain(), Deliver(text)]


def test_no_can_be_for_now_or_for_good() -> None:
    assert sender().handle(Refused("busy", permanent=False)) == [StopPlain(), TryAgain("busy")]
    assert sender().handle(Refused("too large", permanent=True)) == [StopPlain(), GiveUp("too large")]
    assert sender().handle(SecureLost("unreachable")) == [StopPlain(), TryAgain("unreachable")]


events = st.one_of(
    st.just(PlainRoundSent()),
    st.builds(HeldReported, st.frozensets(st.integers(0, 3)) | st.just(frozenset({10**9}))),
    st.just(VerifiedReported()),
    st.builds(ReceiptArrived, st.sampled_from([RECEIPT, "forged"])),
    st.builds(Refused, st.just("no"), st.booleans()),
    st.just(SecureLost("lost")),
)


@modest
@given(st.sampled_from(MODES), st.lists(events, max_size=30))
def test_whatever_happens_it_ends_once_and_keeps_off_the_plain_channel_when_it_should(
    mode: Mode, happening: list[Event]
) -> None:
    it = sender(mode)
    commands = [command for event in happening for command in it.handle(event)]
    ends = [command for command in commands if isinstance(command, Deliver | TryAgain | GiveUp)]
    assert len(ends) <= 1 and it.ended is bool(ends)
    assert not ends or commands[-1] is ends[0]
    assert not any(isinstance(end, Deliver) and end.receipt != RECEIPT for end in ends)
    plain = [isinstance(command, SendPlain) for command in commands]
    assert mode == "sieve" or not any(plain)
    stops = [at for at, command in enumerate(commands) if isinstance(command, StopPlain)]
    assert not stops or not any(plain[stops[0] :]), "after StopPlain nothing more goes out in plain"


@modest
@given(st.lists(st.frozensets(st.integers(0, 3))))
def test_a_receiver_that_says_nonsense_cannot_make_rounds_without_end(reports: list[frozenset[int]]) -> None:
    it, rounds = sender(), 1
    for number in range(1000):
        held = reports[number] if number < len(reports) else frozenset({10**9 + number})
        match a_round(it, *held):
            case [SendPlain(chunks)]:
                assert chunks and set(chunks) <= set(ALL)
                rounds += 1
            case _:
                break
    assert rounds <= FRUITLESS_ROUNDS * (len(ALL) + 1)
