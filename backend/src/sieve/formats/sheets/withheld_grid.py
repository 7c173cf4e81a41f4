"""The cells of a sheet in a redacted edition.

Invariant: if everything that a column holds below its heading, or that a row holds, is withheld, each of its cells gets
a marker, so that none shows that it was empty.
"""

from collections.abc import Callable
from typing import Final, Generic, TypeVar

from sieve.formats.errors import Unsupported

MAX_MARKERS: Final = 1_000_000
"""In empty cells of a sheet."""

Written = TypeVar("Written")


class WithheldGrid(Generic[Written]):
    """Cells as the format writes them, by row and column, from 1."""

    def __init__(self) -> None:
        self._rows: dict[int, dict[int, Written]] = {}
        self._kept: set[tuple[int, int]] = set()

    def add(self, row: int, column: int, written: Written, withheld: bool) -> None:
        """Adds a cell. `withheld`: all of it is."""
        self._rows.setdefault(row, {})[column] = written
        if not withheld:
            self._kept.add((row, column))

    def filled(self, marker: Callable[[int, int], Written]) -> list[tuple[int, list[tuple[int, Written]]]]:
        """The rows in order, each with its cells in order. `marker` makes a marker for a row and column.

        Raises:
            Unsupported: there would be too many markers.
        """
        if not self._rows:
            return []
        heading, last = min(self._rows), max(self._rows)
        columns = {column for row, cells in self._rows.items() if row > heading for column in cells}
        columns -= {column for row, column in self._kept if row > heading}
        rows = self._rows.keys() - {row for row, _ in self._kept}
        all_columns = [column for cells in self._rows.values() for column in cells]
        across = range(min(all_columns), max(all_columns) + 1)
        if len(columns) * (last - heading) + len(rows) * len(across) - len(all_columns) > MAX_MARKERS:
            raise Unsupported(
                "a withheld row or column has too many empty cells for a redacted edition; mark the whole sheet"
            )
        for number in range(heading + 1, last + 1) if columns else ():
            for column in columns:
                self._put(number, column, marker)
        for number in rows:
            for column in across:
                self._put(number, column, marker)
        return [
            (number, sorted(cells.items(), key=lambda cell: cell[0])) for number, cells in sorted(self._rows.items())
        ]

    def _put(self, row: int, column: int, marker: Callable[[int, int], Written]) -> None:
        cells = self._rows.setdefault(row, {})
        if column not in cells:
            cells[column] = marker(row, column)
