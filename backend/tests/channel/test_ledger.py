"""The ledger against a model, under any order of chunks, forgeries, repeats, broken uploads and failed writes."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle as Drawn
from hypothesis.stateful import (
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    precondition,
    rule,
)

from channel_cases import noise
from examples import examples
from sieve.channel.chunk_sizes import MIN_CHUNK, ChunkPlan, Chunks
from sieve.channel.errors import LocalProtocolError
from sieve.channel.ledger import PlainLedger, Refusal
from sieve.channel.seals import KEY_SIZE, SealKey, seal
from sieve.core.split.range_split import Contiguous

KEY = SealKey(bytes(range(KEY_SIZE)))
STREAM = noise("plain stream", 2 * MIN_CHUNK + 3)
PLAN = ChunkPlan(len(STREAM))
CHUNKS = [STREAM[slice(*PLAN.bounds(index))] for index in range(PLAN.count)]
SEALS = [seal(KEY, 0, index, chunk) for index, chunk in enumerate(CHUNKS)]
SLOTS = 2

Place = tuple[int, int]


def ledger(slots: int = SLOTS) -> PlainLedger:
    return PlainLedger(KEY, Chunks.of_whole(PLAN.size), slots)


class Flood(RuleBasedStateMachine):
    """Anybody who knows the handle may send anything; the result is the true stream, each chunk written once."""

    admitted: Drawn[Place] = Drawn("admitted")

    def __init__(self) -> None:
        super().__init__()
        self.ledger = ledger()
        self.file: dict[int, bytes] = {}
        self.under_way = 0
        self.closed = False

    def expected(self, sub_stream: int, index: int, length: int) -> Refusal | None:
        if self.closed:
            return Refusal.CLOSED
        if sub_stream != 0 or index not in range(PLAN.count):
            return Refusal.NO_SUCH_CHUNK
        if length != len(CHUNKS[index]):
            return Refusal.WRONG_LENGTH
        return Refusal.ALREADY_HELD if index in self.file else None

    @rule(
        target=admitted,
        sub_stream=st.sampled_from([0, 0, 0, 0, 1, 2**32]),
        index=st.integers(0, PLAN.count - 1) | st.sampled_from([-1, PLAN.count, 10**9]),
        length=st.none() | st.sampled_from([0, 3, 4, MIN_CHUNK, MIN_CHUNK + 1, 2**62, -1]),
    )
    def announce(self, sub_stream: int, index: int, length: int | None) -> Place | MultipleResults[Place]:
        if length is None:
            length = len(CHUNKS[index]) if index in range(PLAN.count) else MIN_CHUNK
        expected = self.expected(sub_stream, index, length)
        if expected is None and self.under_way == SLOTS:
            expected = Refusal.NO_SLOT
        assert self.ledger.admit(sub_stream, index, length) is expected
        if expected is not None:
            return multiple()
        self.under_way += 1
        return (sub_stream, index)

    @rule(target=admitted, index=st.integers(0, PLAN.count - 1))
    def announce_as_planned(self, index: int) -> Place | MultipleResults[Place]:
        return self.announce(0, index, None)

    def arrive(self, place: Place, pieces: list[bytes], claimed: bytes) -> bool:
        """Whether it is to be written."""
        self.under_way -= 1
        expected = self.expected(*place, sum(map(len, pieces)))
        true = b"".join(pieces) == CHUNKS[place[1]] and claimed == SEALS[place[1]]
        if expected is None and not true:
            expected = Refusal.BAD_SEAL
        assert self.ledger.judge(*place, b"".join(pieces), claimed) is expected
        return expected is None

    def write(self, index: int, data: bytes) -> None:
        assert index not in self.file, "a held chunk is never written again"
        self.file[index] = data
        assert self.ledger.hold(0, index) == index

    @rule(place=consumes(admitted), cut=st.integers(0, MIN_CHUNK))
    def the_true_chunk_arrives(self, place: Place, cut: int) -> None:
        chunk = CHUNKS[place[1]]
        if self.arrive(place, [chunk[:cut], chunk[cut:]], SEALS[place[1]]):
            self.write(place[1], chunk)

    @rule(place=consumes(admitted))
    def the_true_chunk_arrives_and_cannot_be_written(self, place: Place) -> None:
        self.arrive(place, [CHUNKS[place[1]]], SEALS[place[1]])

    @rule(place=consumes(admitted), at=st.integers(0, 8 * MIN_CHUNK))
    def a_chunk_with_a_flipped_bit_arrives(self, place: Place, at: int) -> None:
        flipped = bytearray(CHUNKS[place[1]])
        flipped[at // 8 % len(flipped)] ^= 1 << at % 8
        assert not self.arrive(place, [bytes(flipped)], SEALS[place[1]])

    @rule(place=consumes(admitted), other=st.integers(0, PLAN.count - 1), forged=st.binary(max_size=20))
    def a_chunk_with_anothers_seal_or_a_made_up_one_arrives(self, place: Place, other: int, forged: bytes) -> None:
        claimed = forged if other == place[1] else SEALS[other]
        assert not self.arrive(place, [CHUNKS[place[1]]], claimed)

    @rule(place=consumes(admitted), other=st.integers(0, PLAN.count - 1))
    def another_chunk_with_its_seal_arrives_here(self, place: Place, other: int) -> None:
        if other != place[1]:
            assert not self.arrive(place, [CHUNKS[other]], SEALS[other])
        else:
            self.the_true_chunk_arrives(place, 0)

    @rule(place=consumes(admitted), size=st.integers(0, 2))
    def a_chunk_of_another_length_arrives(self, place: Place, size: int) -> None:
        assert not self.arrive(place, [CHUNKS[place[1]][:size]], SEALS[place[1]])

    @rule(place=consumes(admitted))
    def an_upload_breaks(self, place: Place) -> None:
        self.under_way -= 1
        self.ledger.drop()

    @precondition(lambda self: not self.closed)
    @rule()
    def close(self) -> None:
        self.closed = True
        assert self.ledger.close() == frozenset(self.file)

    @invariant()
    def what_is_held_is_what_was_written_and_it_is_true(self) -> None:
        assert self.ledger.held == set(self.file)
        assert all(data == CHUNKS[index] for index, data in self.file.items())
        assert self.ledger.complete is (len(self.file) == PLAN.count)

    @invariant()
    def memory_is_bounded(self) -> None:
        assert 0 <= self.under_way <= SLOTS
        assert len(self.ledger.refused) <= len(Refusal)


Flood.TestCase.settings = settings(max_examples=examples(40), stateful_step_count=30, deadline=None)
TestFlood = Flood.TestCase


# --- told one by one ---------------------------------------------------------------------------------------------


def take(it: PlainLedger, index: int) -> Refusal | None:
    """A true chunk comes, is judged, and is held if it may be."""
    refusal = it.admit(0, index, len(CHUNKS[index])) or it.judge(0, index, CHUNKS[index], SEALS[index])
    if refusal is None:
        it.hold(0, index)
    return refusal


def test_all_chunks_in_any_order_make_it_complete() -> None:
    it = ledger()
    assert [take(it, index) for index in (2, 0, 1)] == [None, None, None]
    assert it.complete and it.close() == {0, 1, 2}


def test_a_repeat_is_reported_before_it_is_read() -> None:
    it = ledger()
    take(it, 0)
    assert it.admit(0, 0, MIN_CHUNK) is Refusal.ALREADY_HELD


def test_of_two_copies_under_way_the_first_counts() -> None:
    it = ledger()
    assert it.admit(0, 0, MIN_CHUNK) is it.admit(0, 0, MIN_CHUNK) is None
    assert it.judge(0, 0, CHUNKS[0], SEALS[0]) is None
    it.hold(0, 0)
    assert it.judge(0, 0, CHUNKS[0], SEALS[0]) is Refusal.ALREADY_HELD


def test_a_forgery_under_way_does_not_keep_the_true_chunk_out() -> None:
    it = ledger(slots=2)
    assert it.admit(0, 0, MIN_CHUNK) is None  # the forger's, and never finished
    assert take(it, 0) is None


def test_a_chunk_with_its_own_seal_in_the_place_of_another_is_refused() -> None:
    it = ledger()
    it.admit(0, 0, MIN_CHUNK)
    assert it.judge(0, 0, CHUNKS[1], SEALS[1]) is Refusal.BAD_SEAL


def test_slots_come_back_however_a_chunk_ends() -> None:
    it = ledger(slots=1)
    for _ in range(3):
        assert it.admit(0, 0, MIN_CHUNK) is None
        assert it.admit(0, 1, MIN_CHUNK) is Refusal.NO_SLOT
        assert it.judge(0, 0, bytes(MIN_CHUNK), SEALS[0]) is Refusal.BAD_SEAL
        assert it.admit(0, 0, MIN_CHUNK) is None
        it.drop()
    assert take(it, 0) is None


def test_after_closing_nothing_comes_to_be_not_even_what_was_under_way() -> None:
    it = ledger()
    assert it.admit(0, 0, MIN_CHUNK) is None
    assert it.close() == frozenset()
    assert it.judge(0, 0, CHUNKS[0], SEALS[0]) is Refusal.CLOSED
    assert it.admit(0, 1, MIN_CHUNK) is Refusal.CLOSED


def test_several_sub_streams_are_one_row_of_chunks() -> None:
    chunks = Chunks((Contiguous(0, 5), Contiguous(5, len(STREAM))))
    it = PlainLedger(KEY, chunks, SLOTS)
    for sub_stream, index, number in ((1, 1, 2), (0, 0, 0), (1, 0, 1)):
        [data] = [STREAM[start:end] for start, end in chunks.ranges(number)]
        assert it.admit(sub_stream, index, len(data)) is None
        assert it.judge(sub_stream, index, data, seal(KEY, sub_stream, index, data)) is None
        assert it.hold(sub_stream, index) == number
        assert it.admit(sub_stream, index, len(data)) is Refusal.ALREADY_HELD
    assert it.complete and it.close() == {0, 1, 2}


def test_a_chunk_with_the_seal_of_its_place_in_another_sub_stream_is_refused() -> None:
    it = PlainLedger(KEY, Chunks((Contiguous(0, 5), Contiguous(0, 5))), SLOTS)
    it.admit(1, 0, 5)
    assert it.judge(1, 0, STREAM[:5], seal(KEY, 0, 0, STREAM[:5])) is Refusal.BAD_SEAL


def test_refusals_are_counted_for_the_log() -> None:
    it = ledger()
    for _ in range(3):
        it.admit(1, 0, MIN_CHUNK)
    it.admit(0, 0, 1)
    assert it.refused == {Refusal.NO_SUCH_CHUNK: 3, Refusal.WRONG_LENGTH: 1}


def test_an_empty_stream_is_complete_and_takes_nothing() -> None:
    it = PlainLedger(KEY, Chunks.of_whole(0), SLOTS)
    assert it.complete
    assert it.admit(0, 0, 0) is Refusal.NO_SUCH_CHUNK


def test_the_key_is_not_shown() -> None:
    assert repr(KEY.secret) not in repr(ledger()) and KEY.secret.hex() not in repr(ledger())


def test_only_what_was_just_judged_good_can_be_held() -> None:
    it = ledger()
    with pytest.raises(LocalProtocolError):
        it.hold(0, 0)
    it.admit(0, 0, MIN_CHUNK)
    it.judge(0, 0, bytes(MIN_CHUNK), SEALS[0])
    with pytest.raises(LocalProtocolError):
        it.hold(0, 0)
    it.admit(0, 0, MIN_CHUNK)
    it.judge(0, 0, CHUNKS[0], SEALS[0])
    with pytest.raises(LocalProtocolError):
        it.hold(0, 1)
    it.close()
    with pytest.raises(LocalProtocolError):
        it.hold(0, 0)


def test_a_slot_is_given_back_once() -> None:
    it = ledger()
    with pytest.raises(LocalProtocolError):
        it.drop()
    with pytest.raises(LocalProtocolError):
        it.judge(0, 0, CHUNKS[0], SEALS[0])
