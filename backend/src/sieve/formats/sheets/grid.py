"""A sheet for viewing at any position. Its columns are letters, and its rows are numbered from 1."""

from collections.abc import Sequence

from sieve.formats.sheets.columns import column_name, column_number
from sieve.formats.sheets.workbook import Sheet, Workbook
from sieve.formats.tables.grid import Line, bounded


class SheetGrid:
    """The cells of one sheet."""

    def __init__(self, workbook: Workbook, sheet: Sheet) -> None:
        """Reads all of them. Raises Damaged: a cell occurs twice, or without a position."""
        self._rows: dict[int, dict[int, str]] = {}
        width = 0
        for cell in workbook.cells(sheet):
            letters = cell.place.rstrip("0123456789")
            column = column_number(letters)
            width = max(width, column)
            number = int(cell.place[len(letters) :])
            self._rows.setdefault(number, {})[column] = cell.text
        self.columns: Sequence[str] = [column_name(number) for number in range(1, width + 1)]
        self.count = max(self._rows, default=0)

    def lines(self, first: int, count: int) -> list[Line]:
        """At most `count` rows from row `first` on; none after the last."""
        numbers = range(first, min(first + count, self.count + 1))
        return bounded((self._line(number) for number in numbers), count)

    def _line(self, number: int) -> Line:
        cells = self._rows.get(number, {})
        return [cells.get(column) for column in range(1, max(cells, default=0) + 1)]
