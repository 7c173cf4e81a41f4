"""Chunk bounds follow from the stream's size alone, and tile it."""

from collections.abc import Iterable
from itertools import accumulate, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channel_cases import modest
from sieve.channel.chunk_sizes import COMMON_CHUNK, MAX_CHUNK, MIN_CHUNK, ChunkPlan, Chunks, from_ranges, to_ranges
from sieve.core.split.range_split import Contiguous

largest_chunks = st.sampled_from([COMMON_CHUNK, MAX_CHUNK])
sizes = st.integers(0, 2 << 30) | st.integers(0, 40).map(lambda n: n * MIN_CHUNK) | st.integers(0, 3 * MIN_CHUNK)


@modest
@given(sizes, largest_chunks)
def test_chunks_tile_the_stream(size: int, largest: int) -> None:
    plan = ChunkPlan(size, largest)
    at = 0
    for index in range(plan.count):
        start, end = plan.bounds(index)
        assert (start, end - start) == (at, plan.length(index))
        at = end
    assert at == size


@modest
@given(sizes, largest_chunks)
def test_all_chunks_are_alike_but_the_last_which_is_not_empty(size: int, largest: int) -> None:
    plan = ChunkPlan(size, largest)
    lengths = [plan.length(index) for index in range(plan.count)]
    assert MIN_CHUNK <= plan.chunk_size <= largest
    assert all(length == plan.chunk_size for length in lengths[:-1])
    assert all(0 < length <= plan.chunk_size for length in lengths[-1:])


def test_small_streams_go_in_small_chunks_and_large_ones_in_large_ones() -> None:
    assert [ChunkPlan(size).count for size in (0, 1, MIN_CHUNK, MIN_CHUNK + 1)] == [0, 1, 1, 2]
    assert ChunkPlan(1 << 20).count == 4
    assert ChunkPlan(1 << 30).count == 1024
    assert ChunkPlan(1 << 30, MAX_CHUNK).count == 512


@pytest.mark.parametrize("index", [-1, 2, 10**9])
def test_there_is_no_chunk_beside_the_planned(index: int) -> None:
    with pytest.raises(IndexError):
        ChunkPlan(MIN_CHUNK + 1).bounds(index)


def test_a_stream_has_no_negative_size() -> None:
    with pytest.raises(ValueError):
        ChunkPlan(-1)


@modest
@given(st.frozensets(st.integers(0, 60)))
def test_ranges_hold_exactly_the_indexes(indexes: frozenset[int]) -> None:
    ranges = to_ranges(indexes)
    assert from_ranges(ranges, 61) == indexes
    assert all(left[1] < right[0] for left, right in pairwise(ranges)), "ranges touch"


@pytest.mark.parametrize(
    "ranges",
    [
        [[0, 9]],
        [[-1, 2]],
        [[3, 3]],
        [[3, 2]],
        [[2, 4], [0, 1]],
        [[0, 2], [1, 3]],
        [[0, 1, 2]],
        [[0]],
        [[0.0, 1.0]],
        [[False, True]],
        [["0", "1"]],
        ["01"],
        [None],
        [3],
        None,
        7,
    ],
)
def test_what_a_peer_says_is_held_must_be_ranges_inside_the_plan(ranges: Any) -> None:
    said: Iterable[Iterable[int]] = ranges
    with pytest.raises(ValueError, match="within 8 chunks"):
        from_ranges(said, 8)


@modest
@given(st.lists(sizes, min_size=1, max_size=5), largest_chunks)
def test_chunks_are_numbered_through_all_sub_streams(of: list[int], largest: int) -> None:
    ends = [0, *accumulate(of)]
    chunks = Chunks([Contiguous(start, end) for start, end in pairwise(ends)], largest)
    assert chunks.size == sum(of) and chunks.count == sum(ChunkPlan(size, largest).count for size in of)
    number = 0
    for sub_stream, size in enumerate(of):
        plan = ChunkPlan(size, largest)
        assert chunks.of(sub_stream) == range(number, number + plan.count)
        for index in {0, 1, plan.count - 1} & set(range(plan.count)):
            place = chunks.place(number + index)
            assert (place.sub_stream, place.index) == (sub_stream, index)
            assert (place.start, place.end) == plan.bounds(index)
            assert chunks.length(number + index) == plan.length(index)
            assert chunks.number(sub_stream, index) == number + index
            assert [*chunks.ranges(number + index)] == [(ends[sub_stream] + place.start, ends[sub_stream] + place.end)]
        assert chunks.number(sub_stream, plan.count) is None
        number += plan.count
    assert chunks.number(len(of), 0) is chunks.number(-1, 0) is chunks.number(0, -1) is None
    for beside in (-1, number):
        with pytest.raises(IndexError):
            chunks.place(beside)
