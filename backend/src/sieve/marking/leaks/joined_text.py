"""All units joined into one text, and the marked ranges of it.

Invariant: a line feed separates units, so that a phrase can be found across two of them but no word is formed from two.
A position in the joined text maps back to a position in a unit.

An address may cover several units: a row its cells, a part of a file its paragraphs, a column the cell in each row.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from sieve.core.units import Mark, Unit

JOINT: Final = "\n"
_ROW: Final = "row/"
_HEADING: Final = "row/0/"
_COLUMN: Final = "column/"


class Addresses:
    """A set of addresses, which each cover one or more units."""

    def __init__(self, addresses: Iterable[str]) -> None:
        self._addresses = frozenset(addresses)

    def holds(self, address: str) -> bool:
        """Whether one of them covers the unit at `address`."""
        return any(name in self._addresses for name in names_of(address))


def names_of(address: str) -> Iterator[str]:
    """Every address that covers the unit at `address`.

    >>> list(names_of("row/17/salary"))
    ['row/17/salary', 'row/17', 'row', 'column/salary']

    A heading is in no column: marking the column marks its cells.

    >>> list(names_of("row/0/salary"))
    ['row/0/salary', 'row/0', 'row']
    """
    yield address
    cut = address.rfind("/")
    while cut > 0:
        yield address[:cut]
        cut = address.rfind("/", 0, cut)
    if address.startswith(_ROW) and not address.startswith(_HEADING):
        _, _, column = address[len(_ROW) :].partition("/")
        if column:
            yield _COLUMN + column


class JoinedText:
    """Units, one after the other."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self.units = units
        self.text = JOINT.join(unit.text for unit in units)
        self._starts = array("Q")
        start = 0
        for unit in units:
            self._starts.append(start)
            start += len(unit.text) + len(JOINT)

    def number_at(self, place: int) -> int:
        """The number of the unit that contains or precedes `place`."""
        return bisect_right(self._starts, place) - 1

    def bounds(self, number: int) -> tuple[int, int]:
        """Start and end of the unit."""
        start = self._starts[number]
        return start, start + len(self.units[number].text)

    def pieces(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """The parts of a range in each unit: the unit's number, start and end in the joined text."""
        number = self.number_at(start)
        while start < end:
            unit_end = self.bounds(number)[1]
            if start < unit_end:
                yield number, start, min(end, unit_end)
            start = unit_end + len(JOINT)
            number += 1

    def ranges(self, marks: Iterable[Mark]) -> list[tuple[int, int]]:
        """The marked ranges of the joined text, sorted, without marks that have no text and parts outside units: the
        format checks whether marks fit the file.
        """
        whole: set[str] = set()
        numbers: dict[str, int] = {unit.address: number for number, unit in enumerate(self.units)}
        ranges: list[tuple[int, int]] = []
        for mark in marks:
            if mark.start is None or mark.end is None:
                whole.add(mark.address)
            elif (number := numbers.get(mark.address)) is not None:
                unit_start, unit_end = self.bounds(number)
                start, end = unit_start + max(0, mark.start), min(unit_start + mark.end, unit_end)
                if start < end:
                    ranges.append((start, end))
        if whole:
            named = Addresses(whole)
            ranges.extend(
                self.bounds(number) for number, unit in enumerate(self.units) if unit.text and named.holds(unit.address)
            )
        ranges.sort()
        return ranges


class RangeSet:
    """Sorted ranges, merged where they touch or overlap."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self._starts = array("Q")
        self._ends = array("Q")
        for start, end in ranges:
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)
        self.size = sum(self._ends) - sum(self._starts)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self._starts, self._ends, strict=True)

    def __len__(self) -> int:
        return len(self._starts)

    def holds(self, start: int, end: int) -> bool:
        """Whether a range is completely covered."""
        index = bisect_right(self._starts, start) - 1
        return index >= 0 and end <= self._ends[index]

    def gaps(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The parts of a range that are not covered."""
        index = bisect_right(self._ends, start)
        while start < end:
            if index == len(self._starts) or self._starts[index] >= end:
                yield start, end
                return
            if start < self._starts[index]:
                yield start, self._starts[index]
            start = self._ends[index]
            index += 1

    def touches(self, start: int, end: int) -> bool:
        """Whether a range is partly covered."""
        index = bisect_right(self._ends, start)
        return index < len(self._starts) and self._starts[index] < end

    def end_before(self, place: int) -> int:
        """The end of the last range that begins before `place`, at most `place`; 0 if there is none."""
        index = bisect_left(self._starts, place)
        return min(place, self._ends[index - 1]) if index else 0

    def start_after(self, place: int, otherwise: int) -> int:
        """The start of the first range that begins at `place` or after it."""
        index = bisect_left(self._starts, place)
        return self._starts[index] if index < len(self._starts) else otherwise
