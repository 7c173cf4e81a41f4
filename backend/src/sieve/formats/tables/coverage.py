"""Which bytes and characters of a table the spans of a document cover."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from sieve.core.document import Spans
from sieve.formats.tables.escaped_text import Piece
from sieve.formats.text_ranges import united


class Coverage:
    """The bytes that spans cover, in logarithmic time. Spans that touch count as one."""

    def __init__(self, spans: Spans) -> None:
        self._starts, self._ends = array("Q"), array("Q")
        for start, end in spans:
            if start == end:
                continue
            if self._ends and self._ends[-1] == start:
                self._ends[-1] = end
            else:
                self._starts.append(start)
                self._ends.append(end)

    def covers(self, start: int, end: int) -> bool:
        """Whether all of these bytes are classified."""
        index = bisect_right(self._starts, start) - 1
        return index >= 0 and self._ends[index] >= end

    def touches(self, start: int, end: int) -> bool:
        """Whether any of these bytes is classified."""
        index = bisect_left(self._starts, end) - 1
        return index >= 0 and self._ends[index] > start


def covered_characters(pieces: Iterable[Piece], at: int, coverage: Coverage) -> list[tuple[int, int]]:
    """The ranges of the pieces' characters that are classified. `at`: where the first byte of them is.

    The bytes of a cell that only write it, such as the second of two quotes, do not count.
    """
    ranges: list[tuple[int, int]] = []
    place = 0
    for text, size in pieces:
        end = place + len(text)
        if text == '"' or not text:
            if text and coverage.covers(at, at + 1):
                ranges.append((place, end))
        elif coverage.covers(at, at + size):
            ranges.append((place, end))
        elif coverage.touches(at, at + size):
            if len(text) == 1:
                ranges.append((place, end))
            else:
                offset = at
                for number, character in enumerate(text, place):
                    width = len(character.encode())
                    if coverage.touches(offset, offset + width):
                        ranges.append((number, number + 1))
                    offset += width
        at += size
        place = end
    return united(ranges)
