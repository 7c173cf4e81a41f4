"""Rules that select columns and rows of tables, by the addresses of cells: "row/17/salary", or "sheet/Pay/B17" in a
workbook.

Invariant: a column is identified by its heading, and a row is checked when all of its cells are known. A heading is
never a row of data. In a workbook the first non-empty row of a sheet is its heading.

A row without the column that a rule names differs from any value, so `!=` holds there.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import Final, NamedTuple

from sieve.core.units import Unit
from sieve.marking.errors import PolicyError
from sieve.marking.folding import Folded
from sieve.marking.patterns import Pattern

MAX_WHERE_CHARACTERS: Final = 10_000

_TABLE_CELL: Final = re.compile(r"row/([0-9]{1,18})/(.*)", re.DOTALL)
_BELOW: Final = ("/formula", "/phonetic")
"""Endings of the addresses below a cell of a workbook."""
_SHEET_CELL: Final = re.compile(rf"(sheet/[^/]*)/([A-Z]{{1,3}})([0-9]{{1,9}})(?:{'|'.join(_BELOW)})?")
# Of columns with the same name, a table calls the second "salary (2)".
_NUMBERED: Final = re.compile(r" \([0-9]+\)\Z")
_WHERE: Final = re.compile(
    r"""\s*(?:"(?P<quoted>[^"]+)"|(?P<column>[^\s"'=!]+))\s*(?P<operator>=|!=|contains\b|matches\b)"""
    r"""\s*(?:"(?P<value>(?:[^"\\]|\\.)*)"|'(?P<other>[^']*)')\s*""",
    re.DOTALL,
)
_GRAMMAR: Final = 'write it as: column = "value", with =, !=, contains or matches'


class Cell(NamedTuple):
    """A cell of a row of data. `row` is the address of its row in a table, its sheet and row number in a workbook."""

    address: str
    row: tuple[str, int]
    column: str
    text: str


class Cells:
    """Finds which units are cells of data, and in which column. Units must come in reading order."""

    def __init__(self) -> None:
        self._sheet = ""
        self._heading_row = 0
        self._headings: dict[str, str] = {}

    def cell(self, unit: Unit) -> Cell | None:
        """The unit as a cell, if it is a cell of data."""
        if found := _TABLE_CELL.fullmatch(unit.address):
            number = int(found[1])
            return Cell(unit.address, ("", number), found[2], unit.text) if number else None
        if found := _SHEET_CELL.fullmatch(unit.address):
            sheet, column, number = found[1], found[2], int(found[3])
            if sheet != self._sheet:
                self._sheet, self._heading_row, self._headings = sheet, number, {}
            if number == self._heading_row:
                self._headings.setdefault(column, unit.text)
                return None
            return Cell(unit.address, (sheet, number), self._headings.get(column, ""), unit.text)
        return None


class Columns:
    """Columns with one of the names."""

    def __init__(self, names: Iterable[str], *, case: bool = False) -> None:
        """Raises PolicyError: there is no name, or an empty one."""
        self._case = case
        self.asked = tuple(names)
        """The names as written."""
        self._names = frozenset(_folded(name, case) for name in self.asked)
        if not self._names:
            raise PolicyError("it names no column; list at least one")
        if "" in self._names:
            raise PolicyError("one of its columns has no name; remove it")

    def asks_for(self, name: str) -> bool:
        """Whether a column of that name is selected."""
        return _is_called(name, self._names, self._case)

    def places(self, cells: Iterable[Cell]) -> Iterator[str]:
        """The addresses of the columns, and in a workbook those of their cells."""
        seen = set()
        for cell in cells:
            if cell.row[0]:
                if self.asks_for(cell.column):
                    yield cell.address
            elif cell.column not in seen and self.asks_for(cell.column):
                seen.add(cell.column)
                yield f"column/{cell.column}"


class Where:
    """A condition on a row: a column, an operator and a value."""

    def __init__(self, condition: str, *, case: bool = False) -> None:
        """Raises PolicyError: the condition cannot be read."""
        if len(condition) > MAX_WHERE_CHARACTERS:
            raise PolicyError(f"its condition has more than {MAX_WHERE_CHARACTERS:,} characters; shorten it")
        found = _WHERE.fullmatch(condition)
        if not found:
            raise PolicyError(f"its condition cannot be read; {_GRAMMAR}")
        value = found["other"] if found["value"] is None else re.sub(r'\\(["\\])', r"\1", found["value"])
        self._case = case
        self._operator = found["operator"]
        column = found["quoted"] or found["column"]
        # `!=` holds in rows without the column, so a table without it misses no row.
        self.asked = () if self._operator == "!=" else (column,)
        self._column = frozenset({_folded(column, case)})
        self._pattern = None
        if self._operator == "matches":
            # Backslashes belong to the pattern.
            pattern = found["other"] if found["value"] is None else found["value"].replace('\\"', '"')
            self._pattern = Pattern(pattern, case=case)
        self._value = _folded(value, case)
        if self._operator == "contains" and not self._value:
            raise PolicyError("its condition asks for an empty text, which every cell contains; name one")

    def asks_for(self, name: str) -> bool:
        """Whether the condition is about a column of that name."""
        return _is_called(name, self._column, self._case)

    def places(self, cells: Iterable[Cell]) -> Iterator[str]:
        """The addresses of the rows for which it holds, and in a workbook those of their cells."""
        for (sheet, number), row in groupby(cells, key=_row):
            together = list(row)
            if self._holds(together):
                yield from (cell.address for cell in together) if sheet else (f"row/{number}",)

    def _holds(self, row: list[Cell]) -> bool:
        asked = [cell for cell in row if self.asks_for(cell.column)]
        texts = [cell.text for cell in asked]
        match self._operator:
            case "=":
                return any(_folded(text, self._case) == self._value for text in texts)
            case "!=":
                # A formula differs from its value, and a pronunciation from its text.
                values = [cell.text for cell in asked if not (cell.row[0] and cell.address.endswith(_BELOW))]
                return not values or any(_folded(text, self._case) != self._value for text in values)
            case "contains":
                return any(self._value in _folded(text, self._case) for text in texts)
            case _:
                return self._pattern is not None and any(map(self._pattern.matches, texts))


def _row(cell: Cell) -> tuple[str, int]:
    return cell.row


def _folded(text: str, case: bool) -> str:
    return Folded(text, case=case).text.strip()


# Every cell calls this, and a table has few columns.
@lru_cache(1024)
def _is_called(column: str, names: frozenset[str], case: bool) -> bool:
    name = _folded(column, case)
    return name in names or _NUMBERED.sub("", name) in names
