"""A table for viewing at any position: its columns, the number of its rows, and any run of them.

Invariant: one walk finds all of that, and only the position of every 256th row is kept, so that any row is found
quickly. A row is a list of texts, one for each column up to its last cell; None stands for a missing cell.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from sieve.formats.errors import TooLarge
from sieve.formats.tables.reading import Row, Rows

MAX_COLUMNS: Final = 16_384
MAX_CHARACTERS: Final = 2_000_000
MAX_CELLS: Final = 500_000
"""Of the rows in one answer; an answer has fewer rows rather than more cells."""

_KEPT_EVERY: Final = 256

Line = list[str | None]


class _Shape(NamedTuple):
    columns: dict[str, int]
    """The index of each."""
    rows: int
    """Of data."""
    places: list[tuple[int, int]]
    """Number and start of every `_KEPT_EVERY`th row."""


class Grid:
    """The rows of data of a table."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    @property
    def columns(self) -> Sequence[str]:
        """The names of all columns, in order of appearance.

        Raises:
            Damaged, TooLarge: with the row that is.
        """
        return [*self._shape.columns]

    @property
    def count(self) -> int:
        """How many rows of data there are. Raises as `columns` does."""
        return self._shape.rows

    def lines(self, first: int, count: int) -> list[Line]:
        """At most `count` rows from row `first` on, which counts from 1; none after the last. Raises as above."""
        columns, _, places = self._shape
        index = (first - 1) // _KEPT_EVERY
        if index >= len(places):
            return []
        rows = (row for row in self._rows.since(*places[index]) if row.number >= first)
        return bounded((_line(row, columns) for row in rows), count)

    @cached_property
    def _shape(self) -> _Shape:
        columns: dict[str, int] = {}
        places: list[tuple[int, int]] = []
        count = 0
        heading = None
        for row in self._rows:
            if row.heading is not heading:
                heading = row.heading
                for name in heading.names:
                    columns.setdefault(name, len(columns))
                if len(columns) > MAX_COLUMNS:
                    raise TooLarge(
                        f"the table has more than {MAX_COLUMNS:,} columns, too many to show; mark it with `sieve mark`"
                    )
            if row.number:
                if count % _KEPT_EVERY == 0:
                    places.append((row.number, row.start))
                count += 1
        return _Shape(columns, count, places)


def bounded(lines: Iterator[Line], count: int) -> list[Line]:
    """At most `count` of the lines, fewer if they are too large, and at least one if there is one."""
    taken: list[Line] = []
    cells = characters = 0
    for line in lines:
        cells += len(line)
        characters += sum(map(len, filter(None, line)))
        if taken and (cells > MAX_CELLS or characters > MAX_CHARACTERS):
            break
        taken.append(line)
        if len(taken) == count:
            break
    return taken


def _line(row: Row, columns: dict[str, int]) -> Line:
    names = row.heading.names
    line: Line = []
    for index in range(row.size):
        at = columns[names[index]]
        line.extend([None] * (at + 1 - len(line)))
        line[at] = row.text(index)
    return line
