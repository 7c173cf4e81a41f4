"""The segment split (SS): assigns whole segments, first one to each channel, then each further one to the channel with
the fewest bytes so far (the first of several).

The *order table* lists the channel of each segment. It follows from the lengths of the segments, so a peer that knows
the spans can compute it.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise

from sieve.core.split.segment_bounds import Bounds
from sieve.core.split.sub_stream import Range


@dataclass(slots=True)
class DealtSegments:
    """The segments of one channel: the start of each in the stream, and its end in the sub-stream."""

    _starts: "array[int]" = field(default_factory=lambda: array("Q"))
    _ends: "array[int]" = field(default_factory=lambda: array("Q"))
    size: int = 0

    def add(self, start: int, end: int) -> None:
        """Adds the segment from `start` to `end` of the stream."""
        self.size += end - start
        self._starts.append(start)
        self._ends.append(self.size)

    def ranges(self, start: int, end: int) -> Iterator[Range]:
        segment = bisect_right(self._ends, start)
        begins = self._ends[segment - 1] if segment else 0
        at = until = 0
        for first, ends in zip(islice(self._starts, segment, None), islice(self._ends, segment, None), strict=True):
            if begins >= end:
                break
            last = first + min(ends, end) - begins
            if begins < start:
                first += start - begins
            begins = ends
            # What touches the segment before is one range with it.
            if first != until:
                if until > at:
                    yield at, until
                at = first
            until = last
        if until > at:
            yield at, until


def order(bounds: Bounds, channels: int) -> list[int]:
    """The order table: the channel of each segment.

    >>> order([0, 50, 80, 180], 2)
    [0, 1, 1]
    """
    dealt = [0] * channels
    table: list[int] = []
    for start, end in pairwise(bounds):
        # The first segments go to one channel each, even if one of them is empty.
        chosen = len(table) if len(table) < channels else dealt.index(min(dealt))
        dealt[chosen] += end - start
        table.append(chosen)
    return table


def deal(bounds: Bounds, table: Sequence[int], channels: int) -> tuple[DealtSegments, ...]:
    """The sub-streams that an order table makes."""
    parts = tuple(DealtSegments() for _ in range(channels))
    for segment, channel in enumerate(table):
        parts[channel].add(bounds[segment], bounds[segment + 1])
    return parts


def split(bounds: Bounds, channels: int) -> tuple[DealtSegments, ...]:
    """The sub-streams of a stream of segments with these bounds."""
    return deal(bounds, order(bounds, channels), channels)
