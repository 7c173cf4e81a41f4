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
from sieve.channel.attempt import MODES, Mode, Plan
from sieve.channel.chunk_sizes import MIN_CHUNK
from sieve.channel.errors import LocalProtocolError
from sieve.channel.load import Load
from sieve.channel.plain_patience import FRUITLESS_ROUNDS
from sieve.channel.refusals import RefusalKind
from sieve.channel.sender import (
    AskHeld,
    AskSecureHeld,
    Command,
    Deliver,
    Event,
    GiveUp,
    HeldReported,
    PlainRoundSent,
    ReceiptArrived,
    Refused,
    SecureCut,
    SecureHeldReported,
    SecureLost,
    Sender,
    SendPlain,
    SendPlainSecurely,
    SendSecure,
    SendSecureOn,
    StopPlain,
    Trust,
    TryAgain,
    VerifiedReported,
)

MANIFEST = manifest_of(mark(3 * MIN_CHUNK + 20, [(5, 15)]))
ALL = (0, 1, 2, 3)
TRUST = Trust(SENDER_PIN, frozenset({RECEIVER_PIN, "another of its pins"}), RECEIPT_KEY.public_key().public_bytes_raw())
RECEIPT = receipt_for(MANIFEST).sign(RECEIPT_KEY)
ID, LOAD = MANIFEST.transfer_id, Load((MANIFEST,))


def sender(plan: Plan | Mode = "sieve") -> Sender:
    it = Sender(LOAD, attempt_at(MANIFEST, plan=plan), TRUST)
    it.start()
    return it


def a_round(it: Sender, *held: int) -> Sequence[Command]:
    """A plain round goes out; the receiver then says what it holds."""
    assert it.handle(PlainRoundSent()) == [AskHeld()]
    return it.handle(HeldReported(frozenset(held), 0.0))


def test_both_streams_leave_at_once() -> None:
    it = Sender(LOAD, attempt_at(MANIFEST), TRUST)
    assert it.start() == [SendSecure(), SendPlain(ALL)]
    with pytest.raises(LocalProtocolError):
        it.start()


def test_without_a_plain_stream_or_channel_there_is_one() -> None:
    secret = manifest_of(mark(9, [(0, 9)]))
    assert Sender(Load((secret,)), attempt_at(secret), TRUST).start() == [SendSecure()]
    assert Sender(LOAD, attempt_at(MANIFEST, plan="secure-only"), TRUST).start() == [SendSecure()]


THREE_AND_TWO = Plan("sieve", secure_channels=3, plain_channels=2)


def test_all_sub_streams_leave_at_once() -> None:
    it = Sender(LOAD, attempt_at(MANIFEST, plan=THREE_AND_TWO), TRUST)
    assert it.start() == [SendSecure(), SendSecureOn(1, 0), SendSecureOn(2, 0), SendPlain(ALL)]
    assert [it.chunks.of(number) for number in (0, 1)] == [range(2), range(2, 4)]


def test_a_sub_stream_without_a_byte_is_not_sent() -> None:
    secret = manifest_of(mark(9, [(0, 1)]))
    assert Sender(Load((secret,)), attempt_at(secret, plan=Plan("sieve", 2, 2)), TRUST).start()[:2] == [
        SendSecure(),
        SendSecureOn(1, 0),
    ]
    assert Sender(Load((secret,)), attempt_at(secret, plan=Plan("sieve", 2, 2, "ss")), TRUST).start()[:2] == [
        SendSecure(),
        SendPlain((0,)),
    ]


def test_a_secure_sub_stream_that_is_cut_resumes_from_what_is_held() -> None:
    it = sender(THREE_AND_TWO)
    assert it.handle(SecureCut(2, "cut")) == it.handle(SecureCut(1, "cut")) == [AskSecureHeld()]
    assert it.handle(SecureHeldReported((3, 1, 4))) == [SendSecureOn(1, 1)], "of the last one all is there"
    assert it.handle(SecureHeldReported((3, 1, 4))) == []


def test_a_cut_that_brings_nothing_three_times_in_a_row_ends_the_attempt() -> None:
    it = sender(THREE_AND_TWO)

    def cut(*held: int) -> Sequence[Command]:
        assert it.handle(SecureCut(1, "it was cut")) == [AskSecureHeld()]
        return it.handle(SecureHeldReported(held))

    assert cut() == cut(0, 0, 0) == [SendSecureOn(1, 0)]
    assert cut(0, 2, 0) == [SendSecureOn(1, 2)], "something came: the count begins again"
    assert cut(0, 2, 0) == cut(0, 10**9, 0) == [SendSecureOn(1, 2)], "nobody holds more than there is"
    assert cut() == [StopPlain(), TryAgain("it was cut")]


def test_once_all_is_verified_a_cut_means_nothing() -> None:
    it = sender(THREE_AND_TWO)
    it.handle(VerifiedReported())
    assert it.handle(SecureCut(1, "cut")) == it.handle(SecureHeldReported((0, 0, 0))) == []


def test_what_did_not_arrive_is_sent_again_while_something_does() -> None:
    it = sender()
    assert a_round(it, 1) == [SendPlain((0, 2, 3))]
    assert a_round(it, 1) == [SendPlain((0, 2, 3))]
    assert a_round(it, 1) == [SendPlain((0, 2, 3))]
    assert a_round(it, 0, 1) == [SendPlain((2, 3))], "one came: the count begins again"
    assert a_round(it, 0, 1, 2, 3) == []


def test_after_three_fruitless_rounds_the_rest_goes_over_the_secure_channel_and_never_back() -> None:
    it = sender()
    a_round(it, 2)
    for _ in range(FRUITLESS_ROUNDS - 1):
        assert a_round(it, 2) == [SendPlain((0, 1, 3))]
    assert a_round(it, 2) == [StopPlain(), SendPlainSecurely((0, 1, 3))]
    assert it.handle(PlainRoundSent()) == []
    assert it.handle(HeldReported(frozenset({2}), 0.0)) == []


def test_in_secure_only_nothing_puts_bytes_on_the_plain_channel() -> None:
    it = sender("secure-only")
    assert it.handle(PlainRoundSent()) == []
    assert it.handle(HeldReported(frozenset(), 0.0)) == []


def test_verified_ends_the_sending_and_is_not_delivered() -> None:
    it = sender()
    assert it.handle(VerifiedReported()) == [StopPlain()]
    assert it.verified and not it.ended
    assert it.handle(PlainRoundSent()) == []
    assert it.handle(HeldReported(frozenset(), 0.0)) == []


def test_a_receipt_that_holds_delivers_even_before_verified_was_heard() -> None:
    assert sender().handle(ReceiptArrived(ID, RECEIPT)) == [StopPlain(), Deliver(ID, RECEIPT)]


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
    [_, again] = it.handle(ReceiptArrived(ID, text))
    assert isinstance(again, TryAgain) and "does not count" in again.reason


def test_a_receiver_that_renews_its_key_may_sign_under_either_pin() -> None:
    text = replace(receipt_for(MANIFEST), receiver_pin="another of its pins").sign(RECEIPT_KEY)
    assert sender().handle(ReceiptArrived(ID, text)) == [StopPlain(), Deliver(ID, text)]


def test_no_can_be_for_now_or_for_good() -> None:
    assert sender().handle(Refused("busy", permanent=False)) == [
        StopPlain(),
        TryAgain("busy", kind=RefusalKind.REFUSED),
    ]
    assert sender().handle(Refused("too large", permanent=True)) == [StopPlain(), GiveUp("too large")]
    assert sender().handle(SecureLost("unreachable")) == [StopPlain(), TryAgain("unreachable")]


events = st.one_of(
    st.just(PlainRoundSent()),
    st.builds(HeldReported, st.frozensets(st.integers(0, 3)) | st.just(frozenset({10**9})), st.floats(0, 1000)),
    st.just(VerifiedReported()),
    st.builds(ReceiptArrived, st.sampled_from([ID, "00" * 16]), st.sampled_from([RECEIPT, "forged"])),
    st.builds(Refused, st.just("no"), st.booleans()),
    st.just(SecureLost("lost")),
    st.builds(SecureCut, st.integers(1, 2), st.just("cut")),
    st.builds(SecureHeldReported, st.sampled_from([(), (0, 0, 0), (3, 1, 1), (9, -1, 10**9)])),
)


@modest
@given(st.sampled_from(MODES), st.lists(events, max_size=30))
def test_whatever_happens_it_ends_once_and_keeps_off_the_plain_channel_when_it_should(
    mode: Mode, happening: list[Event]
) -> None:
    it = sender(Plan(mode, 3, 2))
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
