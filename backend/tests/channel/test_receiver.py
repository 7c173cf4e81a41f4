"""The receiver: which openings may begin; verified, read, committed, receipt follow in that order or not at all."""

from dataclasses import replace
from itertools import pairwise

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from channel_cases import DEADLINE_NS, attempt_at, manifest_of, mark, modest
from documents import pieces
from sieve.channel.attempt import MODES, Mode
from sieve.channel.chunks import MIN_CHUNK
from sieve.channel.errors import LocalProtocolError, RemoteProtocolError
from sieve.channel.opening import Opening
from sieve.channel.receiver import (
    AnswerReceipt,
    AnswerVerified,
    Commit,
    Committed,
    Decline,
    Discard,
    Known,
    Limits,
    PlainFenced,
    PlainHeld,
    Proceed,
    ReadStreams,
    Receiver,
    RepeatReceipt,
    SecureBytes,
    SecureChunk,
    SecureEnded,
    StreamsRead,
    WriteClassified,
    WritePlain,
    admit,
)
from sieve.core.separate import separate

DOCUMENT = mark(2 * MIN_CHUNK + 30, [(5, 15), (MIN_CHUNK, MIN_CHUNK + 10)])
SECURE, PLAIN = separate(DOCUMENT)
MANIFEST = manifest_of(DOCUMENT)
DIGESTS = StreamsRead(blake3(SECURE).digest(), blake3(PLAIN).digest())
LIMITS = Limits(max_document_size=MANIFEST.size, max_open_transfers=3)
NOW_NS = DEADLINE_NS - 1
OTHER_DIGEST = "00" * 32


def opening(number: int = 1, mode: Mode = "sieve") -> Opening:
    return Opening(MANIFEST, attempt_at(MANIFEST, number, mode))


def receiver(mode: Mode = "sieve") -> Receiver:
    return Receiver(MANIFEST, attempt_at(MANIFEST, 1, mode))


# --- may it begin? -----------------------------------------------------------------------------------------------


def test_a_new_transfer_may_begin() -> None:
    assert admit(opening(), Known(), LIMITS, NOW_NS) == Proceed(supersedes=False)


def test_a_delivered_one_gets_its_stored_receipt_whatever_else_holds() -> None:
    known = Known(
        delivered_manifest_digest=MANIFEST.digest,
        stored_receipt="the receipt",
        handle_in_use=True,
        open_transfers=99,
    )
    none = Limits(max_document_size=0, max_open_transfers=0)
    assert admit(opening(), known, none, DEADLINE_NS + 1) == RepeatReceipt("the receipt")


@pytest.mark.parametrize(
    "known",
    [
        Known(delivered_manifest_digest=OTHER_DIGEST, stored_receipt="the old receipt"),
        Known(open_attempt=1, open_manifest_digest=OTHER_DIGEST),
    ],
)
def test_the_same_id_with_another_manifest_is_a_conflict_and_never_the_old_receipt(known: Known) -> None:
    decision = admit(opening(2), known, LIMITS, NOW_NS)
    assert isinstance(decision, Decline) and (decision.kind, decision.permanent) == ("conflict", True)


@pytest.mark.parametrize(("number", "supersedes"), [(1, None), (2, None), (3, True), (9, True)])
def test_a_newer_attempt_takes_over_an_older_or_equal_one_is_stale(number: int, supersedes: bool | None) -> None:
    known = Known(open_attempt=2, open_manifest_digest=MANIFEST.digest, open_transfers=3)
    decision = admit(opening(number), known, LIMITS, NOW_NS)
    if supersedes is None:
        assert isinstance(decision, Decline) and (decision.kind, decision.permanent) == ("stale", False)
    else:
        assert decision == Proceed(supersedes)


@pytest.mark.parametrize(
    ("known", "limits", "now_ns", "kind", "permanent"),
    [
        (Known(), LIMITS, DEADLINE_NS, "expired", True),
        (Known(handle_in_use=True), LIMITS, NOW_NS, "conflict", False),
        (Known(), replace(LIMITS, max_document_size=MANIFEST.size - 1), NOW_NS, "too-large", True),
        (Known(open_transfers=3), LIMITS, NOW_NS, "busy", False),
    ],
)
def test_what_may_not_begin(known: Known, limits: Limits, now_ns: int, kind: str, permanent: bool) -> None:
    decision = admit(opening(), known, limits, now_ns)
    assert isinstance(decision, Decline)
    assert (decision.kind, decision.permanent) == (kind, permanent)
    assert decision.reason and not decision.reason.endswith(".")


@modest
@given(
    st.builds(
        Known,
        delivered_manifest_digest=st.sampled_from([None, MANIFEST.digest, OTHER_DIGEST]),
        stored_receipt=st.sampled_from([None, "the receipt"]),
        open_attempt=st.none() | st.integers(1, 5),
        open_manifest_digest=st.sampled_from([None, MANIFEST.digest, OTHER_DIGEST]),
        handle_in_use=st.booleans(),
        open_transfers=st.integers(0, 5),
    ),
    st.integers(1, 5),
    st.integers(DEADLINE_NS - 2, DEADLINE_NS + 2),
)
def test_whatever_is_known(known: Known, number: int, now_ns: int) -> None:
    decision = admit(opening(number), known, LIMITS, now_ns)
    others = {known.delivered_manifest_digest, known.open_manifest_digest} - {None, MANIFEST.digest}
    match decision:
        case RepeatReceipt(receipt):
            assert receipt == known.stored_receipt and not others
        case Proceed(supersedes):
            assert not others and known.stored_receipt is None and not known.handle_in_use and now_ns < DEADLINE_NS
            assert supersedes is (known.open_attempt is not None)
            assert number > (known.open_attempt or 0)
        case Decline(permanent=True):
            assert others or now_ns >= DEADLINE_NS, "only what no later attempt can mend is permanent"


# --- one attempt -------------------------------------------------------------------------------------------------


@modest
@given(st.sampled_from(MODES), st.lists(st.integers(0, len(SECURE) + len(PLAIN))), st.permutations(range(3)))
def test_streams_are_written_whole_and_in_place_however_they_come(
    mode: Mode, cuts: list[int], order: list[int]
) -> None:
    it = receiver(mode)
    body = SECURE if mode == "sieve" else SECURE + PLAIN
    classified, plain = b"", bytearray(len(PLAIN))
    for piece in pieces(body, sorted(min(cut, len(body)) for cut in cuts)):
        for command in it.handle(SecureBytes(piece)):
            match command:
                case WriteClassified(data):
                    classified += data
                case WritePlain(offset, data):
                    plain[offset : offset + len(data)] = data
    last = it.handle(SecureEnded())
    if mode == "sieve":
        for index in order:
            assert not last and not it.verified
            last = it.handle(PlainHeld(frozenset({index})))
    else:
        assert plain == PLAIN
    assert classified == SECURE
    assert last == [AnswerVerified(), ReadStreams()] and it.verified


def test_verified_then_read_then_committed_then_the_receipt() -> None:
    it = receiver()
    it.handle(SecureBytes(SECURE))
    assert it.handle(PlainHeld(frozenset({0, 1, 2}))) == []
    assert it.handle(SecureEnded()) == [AnswerVerified(), ReadStreams()]
    assert it.handle(DIGESTS) == [Commit()]
    assert it.handle(Committed("the receipt")) == [AnswerReceipt("the receipt")]
    assert it.handle(Committed("another")) == [], "one attempt ends once"


@pytest.mark.parametrize(
    "wrong", [replace(DIGESTS, classified_digest=bytes(32)), replace(DIGESTS, plain_digest=bytes(32))]
)
def test_streams_that_do_not_fit_their_digests_are_discarded(wrong: StreamsRead) -> None:
    it = whole()
    [discard] = it.handle(wrong)
    assert isinstance(discard, Discard) and "does not fit its digest" in discard.reason
    assert it.handle(DIGESTS) == []


def whole() -> Receiver:
    it = receiver()
    it.handle(SecureBytes(SECURE))
    it.handle(PlainHeld(frozenset({0, 1, 2})))
    it.handle(SecureEnded())
    return it


def test_nothing_is_committed_unread_or_twice_and_no_receipt_goes_out_uncommitted() -> None:
    with pytest.raises(LocalProtocolError):
        receiver().handle(DIGESTS)
    with pytest.raises(LocalProtocolError):
        whole().handle(Committed("a receipt"))
    it = whole()
    it.handle(DIGESTS)
    with pytest.raises(LocalProtocolError):
        it.handle(DIGESTS)


@pytest.mark.parametrize("mode", MODES)
def test_more_than_was_announced_is_refused_and_ends_it(mode: Mode) -> None:
    it = receiver(mode)
    it.handle(SecureBytes(SECURE if mode == "sieve" else SECURE + PLAIN))
    with pytest.raises(RemoteProtocolError, match="more bytes"):
        it.handle(SecureBytes(b"!"))
    assert it.handle(SecureEnded()) == []


@pytest.mark.parametrize("mode", MODES)
def test_less_than_was_announced_is_discarded(mode: Mode) -> None:
    it = receiver(mode)
    it.handle(SecureBytes((SECURE if mode == "sieve" else SECURE + PLAIN)[:-1]))
    [discard] = it.handle(SecureEnded())
    assert isinstance(discard, Discard) and "before its streams were whole" in discard.reason


# --- plain chunks that take the secure channel -------------------------------------------------------------------


def chunk(index: int) -> SecureChunk:
    start, end = receiver().chunks.bounds(index)
    return SecureChunk(index, PLAIN[start:end])


def test_after_the_fence_missing_chunks_come_over_the_secure_channel_each_once() -> None:
    it = receiver()
    it.handle(SecureBytes(SECURE))
    it.handle(SecureEnded())
    assert it.handle(PlainFenced(frozenset({1}))) == []
    assert it.handle(chunk(1)) == [], "it is held already, and never written again"
    assert it.handle(chunk(0)) == [WritePlain(0, PLAIN[:MIN_CHUNK])]
    assert it.handle(chunk(0)) == []
    assert it.handle(PlainHeld(frozenset({2}))) == [], "the plain ledger has nothing to say any more"
    assert it.held == {0, 1}
    assert it.handle(chunk(2)) == [
        WritePlain(2 * MIN_CHUNK, PLAIN[2 * MIN_CHUNK :]),
        AnswerVerified(),
        ReadStreams(),
    ]


def test_what_the_fence_finds_may_be_all_there_is() -> None:
    it = receiver()
    it.handle(SecureBytes(SECURE))
    it.handle(SecureEnded())
    assert it.handle(PlainFenced(frozenset({0, 1, 2}))) == [AnswerVerified(), ReadStreams()]


def test_without_the_fence_two_could_write_one_chunk_so_none_is_taken() -> None:
    with pytest.raises(RemoteProtocolError, match="not due"):
        receiver().handle(chunk(0))


def test_in_secure_only_no_chunks_are_due() -> None:
    it = receiver("secure-only")
    it.handle(PlainFenced(frozenset()))
    with pytest.raises(RemoteProtocolError, match="not due"):
        it.handle(chunk(0))


@pytest.mark.parametrize(
    "wrong", [SecureChunk(-1, b""), SecureChunk(3, b""), SecureChunk(0, b""), SecureChunk(2, bytes(MIN_CHUNK))]
)
def test_chunks_are_as_planned(wrong: SecureChunk) -> None:
    it = receiver()
    it.handle(PlainFenced(frozenset()))
    with pytest.raises(RemoteProtocolError, match="no such plain chunk"):
        it.handle(wrong)


# --- odd shapes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("size", "spans"), [(0, []), (9, [(0, 9)]), (9, []), (0, [(0, 0)]), (9, [(3, 3), (3, 3)])])
def test_a_document_may_be_empty_all_secret_or_all_plain(mode: Mode, size: int, spans: list[tuple[int, int]]) -> None:
    document = mark(size, spans)
    secure, plain = separate(document)
    manifest = manifest_of(document)
    it = Receiver(manifest, attempt_at(manifest, mode=mode))
    it.handle(SecureBytes(secure if mode == "sieve" else secure + plain))
    last = it.handle(SecureEnded())
    if mode == "sieve" and plain:
        last = it.handle(PlainHeld(frozenset({0})))
    assert last == [AnswerVerified(), ReadStreams()]
    assert it.handle(StreamsRead(blake3(secure).digest(), blake3(plain).digest())) == [Commit()]


def test_no_event_or_command_shows_bytes() -> None:
    secret = b"7714"
    for shown in (SecureBytes(secret), SecureChunk(0, secret), WriteClassified(secret), WritePlain(0, secret)):
        assert "7714" not in repr(shown)
    assert "7714" not in repr(StreamsRead(secret, b""))


def test_the_mark_of_the_test_documents_tells_the_streams_apart() -> None:
    assert min(SECURE) >= 0x80 > max(PLAIN)
    assert all(left.end <= right.start for left, right in pairwise(DOCUMENT.spans))
