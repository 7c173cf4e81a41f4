"""Ranges of a text where something was found: code points `start` to `end`, without `end`.

Invariant: ranges are in order, not empty, and do not overlap. Adjacent ranges stay separate, since they are two hits.
"""

from array import array
from collections.abc import Iterable, Iterator
from typing import Final

from sieve.marking.errors import TooManyRanges

Range = tuple[int, int]

MAX_RANGES: Final = 4_000_000
"""In one text: 64 MB of them."""

BETWEEN_UNITS: Final = "\0"
"""Separates units that are searched together. No keyword and no detector matches it, so no hit crosses it."""


class Ranges:
    """A list of ranges, 16 bytes each: a million hits are a million pairs of numbers, not of objects."""

    def __init__(self, found: Iterable[Range] = ()) -> None:
        """The ends in `found` must never decrease, as an automaton reports keywords; the starts may. Joins overlapping
        ranges and drops empty ones.

        Raises:
            TooManyRanges: there are more than `MAX_RANGES`.
        """
        starts, ends = array("Q"), array("Q")
        last_end = 0
        for start, end in found:
            if start == end:
                continue
            # Ends never decrease, so only a start can be before earlier ranges, each of which is removed once.
            while start < last_end:
                start = min(start, starts.pop())
                ends.pop()
                last_end = ends[-1] if ends else 0
            starts.append(start)
            ends.append(end)
            last_end = end
            if len(ends) > MAX_RANGES:
                raise TooManyRanges
        self._starts, self._ends = starts, ends

    def __len__(self) -> int:
        return len(self._starts)

    def __iter__(self) -> Iterator[Range]:
        return zip(self._starts, self._ends, strict=True)

    def __repr__(self) -> str:
        return f"<Ranges: {len(self)}>"
