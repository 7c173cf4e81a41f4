"""Every split: each byte in exactly one sub-stream, in order, and putting it together undoes it; then its own rules."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import byte_documents, modest
from sieve.core.document import Document, Spans
from sieve.core.separate import separate
from sieve.core.split import batches, even, range_split, segment_bounds, segments
from sieve.core.split.segment_bounds import Bounds, of_lengths
from sieve.core.split.sub_stream import SubStream

Splitter = Callable[[Bounds, int], tuple[SubStream, ...]]
SPLITTERS: dict[str, Splitter] = {
    "range": lambda bounds, channels: range_split.split(bounds[-1], channels),
    "es": even.split,
    "ss": segments.split,
    "batch range": lambda bounds, channels: batches.batch_range([bounds], channels),
}
splitters = st.sampled_from(list(SPLITTERS.values()))
lengths = st.lists(st.integers(0, 12), max_size=12)
channels_of = st.integers(1, 5)


def ranges(part: SubStream) -> list[tuple[int, int]]:
    return [(start, end) for start, end in part.ranges(0, part.size)]


def taken(stream: bytes, part: SubStream) -> bytes:
    return b"".join(stream[start:end] for start, end in ranges(part))


def combined(size: int, parts: tuple[SubStream, ...], contents: list[bytes]) -> bytes:
    stream = bytearray(size)
    for part, content in zip(parts, contents, strict=True):
        at = 0
        for start, end in part.ranges(0, part.size):
            stream[start:end] = content[at : at + end - start]
            at += end - start
        assert at == len(content)
    return bytes(stream)


# --- what every split promises -----------------------------------------------------------------------------------


@modest
@given(splitters, lengths, channels_of)
def test_every_byte_is_in_exactly_one_sub_stream(split: Splitter, of: list[int], channels: int) -> None:
    bounds = of_lengths(of)
    parts = split(bounds, channels)
    assert len(parts) == channels
    assert sum(part.size for part in parts) == bounds[-1]
    places = [at for part in parts for start, end in ranges(part) for at in range(start, end)]
    assert sorted(places) == list(range(bounds[-1]))
    for part in parts:
        assert sum(end - start for start, end in ranges(part)) == part.size
        # Rising, none empty, none that could be one with the one before.
        assert all(start < end for start, end in ranges(part))
        assert all(left[1] < right[0] for left, right in pairwise(ranges(part)))


@modest
@given(splitters, lengths, channels_of, st.randoms(use_true_random=False))
def test_combining_undoes_splitting(split: Splitter, of: list[int], channels: int, draw: object) -> None:
    bounds = of_lengths(of)
    stream = bytes(range(256))[: bounds[-1]]
    parts = split(bounds, channels)
    assert combined(len(stream), parts, [taken(stream, part) for part in parts]) == stream


@modest
@given(splitters, lengths, channels_of, st.data())
def test_any_part_of_a_sub_stream_is_found(split: Splitter, of: list[int], channels: int, data: st.DataObject) -> None:
    bounds = of_lengths(of)
    stream = bytes(range(256))[: bounds[-1]]
    part = data.draw(st.sampled_from(split(bounds, channels)))
    start, end = sorted((data.draw(st.integers(0, part.size + 2)), data.draw(st.integers(0, part.size + 2))))
    found = b"".join(stream[a:b] for a, b in part.ranges(start, end))
    assert found == taken(stream, part)[start:end]


@modest
@given(st.lists(lengths, max_size=4), channels_of)
def test_batches_put_every_byte_of_every_document_in_one_sub_stream(of: list[list[int]], channels: int) -> None:
    documents = [of_lengths(lengths) for lengths in of]
    size = sum(bounds[-1] for bounds in documents)
    stream = bytes(range(256)) * (size // 256 + 1)
    for split in (batches.batch_range, batches.bfs, batches.bes, batches.bss):
        parts = split(documents, channels)
        assert sum(part.size for part in parts) == size
        assert combined(size, parts, [taken(stream, part) for part in parts]) == stream[:size]


# --- a document's segments -----------------------------------------------------------------------------------------


@modest
@given(byte_documents())
def test_segments_are_the_spans_and_what_is_between_them(document: Document) -> None:
    streams = separate(document)
    classified = segment_bounds.of_classified(document.spans)
    plain = segment_bounds.of_plain(document.spans, document.size)
    assert (classified[-1], plain[-1]) == (len(streams.secure), len(streams.plain))
    texts = [document.content[start:end] for start, end in document.spans if start < end]
    assert [streams.secure[start:end] for start, end in pairwise(classified)] == texts
    ends = [0, *(end for _, end in document.spans)]
    starts = [*(start for start, _ in document.spans), document.size]
    gaps = [document.content[a:b] for a, b in zip(ends, starts, strict=True) if a < b]
    assert [streams.plain[start:end] for start, end in pairwise(plain)] == gaps


def test_segments_without_a_byte_are_none() -> None:
    spans = Spans.of([(0, 3), (3, 5), (7, 7)])
    assert list(segment_bounds.of_classified(spans)) == [0, 3, 5]
    assert list(segment_bounds.of_plain(spans, 9)) == [0, 2, 4]


# --- range ---------------------------------------------------------------------------------------------------------


@modest
@given(st.integers(0, 10**15), st.integers(1, 64))
def test_range_parts_are_contiguous_and_equal_but_for_a_byte(size: int, channels: int) -> None:
    parts = range_split.split(size, channels)
    assert parts[0].first == 0 and parts[-1].last == size
    assert all(left.last == right.first for left, right in pairwise(parts))
    assert max(part.size for part in parts) - min(part.size for part in parts) <= 1


# --- ES: the thesis's section 4.3.3 ---------------------------------------------------------------------------------


@modest
@given(lengths, channels_of)
def test_es_cuts_each_segment_evenly_and_the_last_takes_the_rest(of: list[int], channels: int) -> None:
    bounds = of_lengths(of)
    parts = even.split(bounds, channels)
    # The algorithm of that source: remove a segment, add c bytes of it to every sub-list, the rest to the last.
    expected: list[list[int]] = [[] for _ in range(channels)]
    for start, end in pairwise(bounds):
        c = (end - start) // channels
        for number in range(channels - 1):
            expected[number] += range(start + number * c, start + (number + 1) * c)
        expected[-1] += range(start + (channels - 1) * c, end)
    assert [[at for start, end in ranges(part) for at in range(start, end)] for part in parts] == expected


def test_es_by_hand() -> None:
    """Its figure 4.14 halves 50, 30 and 100 characters: 25, 15 and 50 each."""
    first, second = even.split(of_lengths([50, 30, 100]), 2)
    assert ranges(first) == [(0, 25), (50, 65), (80, 130)]
    assert ranges(second) == [(25, 50), (65, 80), (130, 180)]


def test_es_that_does_not_come_out_even_by_hand() -> None:
    """10 over three: 3, 3 and 4; 2 over three: nothing, nothing and 2."""
    parts = even.split(of_lengths([10, 2]), 3)
    assert [ranges(part) for part in parts] == [[(0, 3)], [(3, 6)], [(6, 12)]]
    assert [part.size for part in parts] == [3, 3, 6]


def test_es_of_a_whole_document_is_one_segment() -> None:
    parts = even.split([0, 11], 2)
    assert [ranges(part) for part in parts] == [[(0, 5)], [(5, 11)]]


# --- SS: section 4.3.4 ----------------------------------------------------------------------------------------------


@modest
@given(lengths, channels_of)
def test_ss_deals_to_the_channel_with_the_fewest_bytes(of: list[int], channels: int) -> None:
    bounds = of_lengths(of)
    table = segments.order(bounds, channels)
    sums = [0] * channels
    for number, (chosen, length) in enumerate(zip(table, of, strict=True)):
        if number < channels:
            assert chosen == number
        else:
            assert sums[chosen] == min(sums) and min(sums) not in sums[:chosen]
        sums[chosen] += length
    assert [part.size for part in segments.split(bounds, channels)] == sums


def test_ss_by_hand() -> None:
    """Its figure 4.15: of 50, 30 and 100 characters over two channels the third goes to the second."""
    bounds = of_lengths([50, 30, 100])
    assert segments.order(bounds, 2) == [0, 1, 1]
    first, second = segments.split(bounds, 2)
    assert ranges(first) == [(0, 50)]
    assert ranges(second) == [(50, 180)]  # two segments that touch are one range
    assert (first.size, second.size) == (50, 130)


def test_ss_of_equals_goes_round_from_the_first() -> None:
    assert segments.order(of_lengths([7] * 7), 3) == [0, 1, 2, 0, 1, 2, 0]


def test_ss_with_fewer_segments_than_channels_leaves_some_empty() -> None:
    assert [part.size for part in segments.split(of_lengths([4, 5]), 4)] == [4, 5, 0, 0]


# --- batches: section 4.5 --------------------------------------------------------------------------------------------


def test_bfs_deals_whole_documents() -> None:
    """UFS with x = 10: the large document to the one channel that has least, as the thesis's chapter 5 tells."""
    one, ten = of_lengths([1]), of_lengths([5, 5])
    parts = batches.bfs([one, ten, one], 2)
    assert [ranges(part) for part in parts] == [[(0, 1), (11, 12)], [(1, 11)]]


def test_bes_is_the_even_split_of_each_document() -> None:
    parts = batches.bes([of_lengths([50, 30, 100]), of_lengths([10])], 2)
    assert ranges(parts[0]) == [(0, 25), (50, 65), (80, 130), (180, 185)]


def test_bss_begins_again_with_each_document() -> None:
    """50, 30, 100 and then 40, 20: the 40 goes to the first channel, though the second has 80 fewer or more."""
    parts = batches.bss([of_lengths([50, 30, 100]), of_lengths([40, 20])], 2)
    assert [ranges(part) for part in parts] == [[(0, 50), (180, 220)], [(50, 180), (220, 240)]]


@pytest.mark.parametrize("split", SPLITTERS.values())
def test_an_empty_stream_has_empty_sub_streams(split: Splitter) -> None:
    assert [ranges(part) for part in split(of_lengths([]), 3)] == [[], [], []]
