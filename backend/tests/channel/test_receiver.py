"""The receiver: which openings may begin; verified, read, committed, receipt follow in that order or not at all."""

from dataclasses import replace
from itertools import pairwise

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from channel_cases import DEADLINE_NS, attempt_at, manifest_of, mark, modest, opening_of, plans
from documents import pieces
from sieve.channel import attempt_split
from sieve.channel.attempt import MODES, Mode, Plan
from sieve.channel.chunk_sizes import MIN_CHUNK
from sieve.channel.errors import LocalProtocolError, RemoteProtocolError
from sieve.channel.load import Load
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
LOAD = Load((MANIFEST,))
DIGESTS = StreamsRead(blake3(SECURE).digest(), blake3(PLAIN).digest())
LIMITS = Limits(max_document_size=MANIFEST.size, max_open_transfers=3)
NOW_NS = DEADLINE_NS - 1
OTHER_DIGEST = "00" * 32


def opening(number: int = 1, plan: Plan | Mode = "sieve") -> Opening:
    return opening_of(MANIFEST, number, plan)


def receiver(plan: Plan | Mode = "sieve") -> Receiver:
    return Receiver(LOAD, attempt_at(MANIFEST, 1, plan))


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
        (Known(), LIMITS, DEADLINE_NS, "expired", False),
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


def test_a_redacted_edition_counts_where_sizes_are_bounded() -> None:
    both = opening_of(manifest_of(DOCUMENT, edition=b"redacted"))
    decision = admit(both, Known(), LIMITS, NOW_NS)
    assert isinstance(decision, Decline) and decision.kind == "too-large"
    assert admit(both, Known(), replace(LIMITS, max_document_size=MANIFEST.size + 8), NOW_NS) == Proceed(False)


@pytest.mark.parametrize(("secure", "plain", "named"), [(9, 1, "9 secure"), (1, 9, "9 plain"), (9, 9, "9 secure")])
def test_more_channels_than_this_gateway_takes_are_declined_by_number(secure: int, plain: int, named: str) -> None:
    decision = admit(opening(1, Plan("sieve", secure, plain)), Known(), LIMITS, NOW_NS)
    assert isinstance(decision, Decline) and (decision.kind, decision.permanent) == ("too-many-channels", True)
    assert decision.reason == f"the transfer has {named} channels; this gateway takes at most 8"
    assert admit(opening(1, Plan("sieve", 8, 8)), Known(), LIMITS, NOW_NS) == Proceed(supersedes=False)


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
                case WriteClassified(offset, data):
                    assert offset == len(classified)
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


# --- several channels --------------------------------------------------------------------------------------------


@modest
@given(plans(), st.data())
def test_sub_streams_come_to_their_places_however_they_are_cut_and_interleaved(plan: Plan, data: st.DataObject) -> None:
    it = receiver(plan)
    stream = SECURE if plan.mode == "sieve" else SECURE + PLAIN
    parts = attempt_split.of_secure(LOAD, plan)
    rest = [b"".join(stream[start:end] for start, end in part.ranges(0, part.size)) for part in parts]
    classified, plain = bytearray(len(SECURE)), bytearray(len(PLAIN))
    last = [*it.handle(SecureEnded())] if not rest[0] else []
    while any(rest):
        number = data.draw(st.sampled_from([number for number, left in enumerate(rest) if left]))
        assert any(it.is_hindmost(number) for number, left in enumerate(rest) if left)
        size = data.draw(st.sampled_from([len(rest[number]), 1 + len(rest[number]) // 2]))
        piece, rest[number] = rest[number][:size], rest[number][size:]
        last = [*it.handle(SecureBytes(piece, number))]
        for command in last:
            match command:
                case WriteClassified(offset, written):
                    classified[offset : offset + len(written)] = written
                case WritePlain(offset, written):
                    plain[offset : offset + len(written)] = written
        if number == 0 and not rest[0]:
            last = [*it.handle(SecureEnded())]
    assert classified == SECURE and it.secure_held == tuple(part.size for part in parts)
    if plan.mode == "sieve":
        assert not it.verified
        last = [*it.handle(PlainHeld(frozenset(range(it.chunks.count))))]
    else:
        assert plain == PLAIN
    assert last[-2:] == [AnswerVerified(), ReadStreams()] and it.verified


def test_of_what_is_sent_on_the_part_that_is_held_is_known() -> None:
    it = receiver(Plan("sieve", 3))
    it.handle(SecureBytes(bytes(4), 1))
    assert [it.secure_from(1, offset) for offset in (4, 2, 0)] == [0, 2, 4]
    for sub_stream, offset in ((1, 5), (1, -1), (0, 0), (3, 0), (-1, 0)):
        with pytest.raises(RemoteProtocolError):
            it.secure_from(sub_stream, offset)


def test_one_sub_stream_does_not_take_the_bytes_of_another() -> None:
    it = receiver(Plan("sieve", 2))
    with pytest.raises(RemoteProtocolError, match="more bytes"):
        it.handle(SecureBytes(SECURE, 1))


def test_a_chunk_of_segments_goes_to_many_places() -> None:
    it = receiver(Plan("sieve", 1, 2, "es"))
    it.handle(PlainFenced(frozenset()))
    data = bytes(it.chunks.length(0))
    commands = it.handle(SecureChunk(0, data))
    assert [command.offset for command in commands if isinstance(command, WritePlain)][:2] == [0, 5]
    assert sum(len(command.data) for command in commands if isinstance(command, WritePlain)) == len(data)


# --- plain chunks that take the secure channel -------------------------------------------------------------------


def chunk(index: int) -> SecureChunk:
    place = receiver().chunks.place(index)
    return SecureChunk(index, PLAIN[place.start : place.end])


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
    it = Receiver(Load((manifest,)), attempt_at(manifest, plan=mode))
    it.handle(SecureBytes(secure if mode == "sieve" else secure + plain))
    last = it.handle(SecureEnded())
    if mode == "sieve" and plain:
        last = it.handle(PlainHeld(frozenset({0})))
    assert last == [AnswerVerified(), ReadStreams()]
    assert it.handle(StreamsRead(blake3(secure).digest(), blake3(plain).digest())) == [Commit()]


def test_no_event_or_command_shows_bytes() -> None:
    secret = b"7714"
    for shown in (SecureBytes(secret), SecureChunk(0, secret), WriteClassified(0, secret), WritePlain(0, secret)):
        assert "7714" not in repr(shown)
    assert "7714" not in repr(StreamsRead(secret, b""))


def test_the_mark_of_the_test_documents_distinguishes_the_streams() -> None:
    assert min(SECURE) >= 0x80 > max(PLAIN)
    assert all(left.end <= right.start for left, right in pairwise(DOCUMENT.spans))
