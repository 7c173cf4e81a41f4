"""Where the cells of OpenDocument's tables are: row, column and how many of each they span."""

from typing import Final

from lxml import etree

from sieve.core.units import Cell
from sieve.formats.opendocument.vocabulary import TABLE, tags

_TABLE: Final = tags(TABLE, "table")
_ROW: Final = tags(TABLE, "table-row")
_CELL: Final = tags(TABLE, "table-cell")
_COVERED: Final = tags(TABLE, "covered-table-cell")
_HEADER: Final = tags(TABLE, "table-header-rows")
_MOST: Final = 1_000
"""Rows or columns that a cell may span or be repeated in."""

Cells = dict[etree._Element, Cell]


def cells_of(story: etree._Element) -> Cells:
    """The cells of all tables of a part, also of tables in cells. A cell that is repeated is where it is first."""
    found: Cells = {}
    for number, table in enumerate(story.iter(*_TABLE), 1):
        row = 0
        for element, header in _rows(table):
            column = 0
            for cell in element.iterchildren(*_CELL, *_COVERED):
                if cell.tag in _CELL:
                    rows, columns = count(cell, "number-rows-spanned"), count(cell, "number-columns-spanned")
                    found[cell] = Cell(number, row, column, rows, columns, header)
                column += count(cell, "number-columns-repeated")
            row += count(element, "number-rows-repeated")
    return found


def cells_around(paragraph: etree._Element, cells: Cells) -> tuple[Cell, ...]:
    """The cells that a paragraph is in, the outermost first."""
    if not cells:
        return ()
    return tuple(reversed([cells[above] for above in paragraph.iterancestors(*_CELL) if above in cells]))


def _rows(table: etree._Element) -> list[tuple[etree._Element, bool]]:
    """The rows of a table, also those in groups, and whether each repeats on each page."""
    found: list[tuple[etree._Element, bool]] = []
    stack = [(child, False) for child in reversed(table)]
    while stack:
        element, header = stack.pop()
        if element.tag in _ROW:
            found.append((element, header))
        elif element.tag not in _TABLE:
            stack.extend((child, header or element.tag in _HEADER) for child in reversed(element))
    return found


def count(element: etree._Element, name: str) -> int:
    """The number in this attribute of the table's vocabulary, from 1 to `_MOST`."""
    said = element.get(f"{{{TABLE}}}{name}", "")
    # Files from strangers: int() would take other digits, signs and blanks, too.
    return max(1, min(int(said), _MOST)) if said.isascii() and said.isdigit() and len(said) < 10 else 1
