"""Where the cells of the tables on a slide are: row, column and how many of each they span."""

from typing import Final

from lxml import etree

from sieve.core.units import Cell
from sieve.formats.pptx.paragraphs import a, is_on

CELL: Final = a("tc")
_TABLE: Final = a("tbl")
_ROW: Final = a("tr")
_PROPERTIES: Final = a("tblPr")
_MAX_SPAN: Final = 1000
"""Rows or columns that a cell may span."""

Cells = dict[etree._Element, Cell]


def cells_of(slide: etree._Element) -> Cells:
    """The cells of all tables. A cell that continues a merged one has a place of its own, with no text in it."""
    found: Cells = {}
    for number, table in enumerate(slide.iter(*_TABLE), 1):
        first_is_header = any(is_on(properties.get("firstRow")) for properties in table.iterchildren(*_PROPERTIES))
        for row, element in enumerate(table.iterchildren(*_ROW)):
            for column, cell in enumerate(element.iterchildren(*CELL)):
                rows, columns = _count(cell, "rowSpan"), _count(cell, "gridSpan")
                if not (is_on(cell.get("hMerge")) or is_on(cell.get("vMerge"))):
                    found[cell] = Cell(number, row, column, rows, columns, first_is_header and row == 0)
    return found


def cells_around(paragraph: etree._Element, cells: Cells) -> tuple[Cell, ...]:
    """The cell that a paragraph is in."""
    if not cells:
        return ()
    return tuple(cells[above] for above in paragraph.iterancestors(*CELL) if above in cells)


def _count(cell: etree._Element, name: str) -> int:
    said = cell.get(name, "")
    # Files from strangers: int() would take other digits, signs and blanks, too.
    return max(1, min(int(said), _MAX_SPAN)) if said.isascii() and said.isdigit() and len(said) < 10 else 1
