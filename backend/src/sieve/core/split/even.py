"""The even split (ES): every segment is cut into as many pieces as there are channels, floor(length / channels) bytes
each; the last channel's piece takes the rest.

All sub-streams share two arrays, so none of them needs further memory.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

from sieve.core.split.segment_bounds import Bounds, of_lengths
from sieve.core.split.sub_stream import Range


@dataclass(frozen=True, slots=True)
class EvenPieces:
    """Channel `number`'s piece of each segment. `before[i]`: bytes of one even piece of each segment before `i`."""

    number: int
    channels: int
    bounds: Bounds
    before: Bounds

    @property
    def size(self) -> int:
        return self._begins(len(self.bounds) - 1)

    def ranges(self, start: int, end: int) -> Iterator[Range]:
        bounds, before, number = self.bounds, self.before, self.number
        is_last = number == self.channels - 1
        segment = max(0, bisect_right(range(len(bounds)), start, key=self._begins) - 1) if start else 0
        begins = self._begins(segment)
        at = until = 0
        segment_at, lower = bounds[segment], before[segment]
        for segment_end, upper in zip(
            islice(bounds, segment + 1, None), islice(before, segment + 1, None), strict=True
        ):
            if begins >= end:
                break
            each, lower = upper - lower, upper
            first = segment_at + number * each
            last = segment_end if is_last else first + each
            segment_at = segment_end
            ends = begins + last - first
            if ends > end:
                last -= ends - end
            if begins < start:
                first += start - begins
            begins = ends
            # What touches the piece before is one range with it.
            if first != until:
                if until > at:
                    yield at, until
                at = first
            until = last
        if until > at:
            yield at, until

    def _begins(self, segment: int) -> int:
        """Where the piece of `segment` begins in this sub-stream."""
        if self.number < self.channels - 1:
            return self.before[segment]
        return self.bounds[segment] - (self.channels - 1) * self.before[segment]


def split(bounds: Bounds, channels: int) -> tuple[EvenPieces, ...]:
    """The sub-streams of a stream of segments with these bounds.

    >>> [[tuple(piece) for piece in part.ranges(0, 99)] for part in split([0, 5, 9], 2)]
    [[(0, 2), (5, 7)], [(2, 5), (7, 9)]]
    """
    before = of_lengths((end - start) // channels for start, end in pairwise(bounds))
    return tuple(EvenPieces(number, channels, bounds, before) for number in range(channels))
