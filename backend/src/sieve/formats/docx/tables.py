"""Where the cells of Word's tables are: row, column and how many of each they span."""

from dataclasses import dataclass
from typing import Final

from lxml import etree

from sieve.core.units import Cell
from sieve.formats.docx.paragraphs import is_on, value_of, w
from sieve.formats.office.xml_source import local

_TABLE: Final = w("tbl")
_ROW: Final = w("tr")
CELL: Final = w("tc")
_MAX_SPAN: Final = 1000
"""Columns that a cell may span, or a row may skip, as in HTML. Word makes at most 63."""

Cells = dict[etree._Element, Cell]


@dataclass(slots=True)
class _Placed:
    """A cell while the rows below may still extend it."""

    row: int
    column: int
    columns: int
    header: bool
    rows: int = 1


def cells_of(story: etree._Element) -> Cells:
    """The cells of all tables of a story, also of tables in cells. A cell that continues a merged cell is that cell."""
    return {
        element: Cell(number, placed.row, placed.column, placed.rows, placed.columns, placed.header)
        for number, table in enumerate(story.iter(*_TABLE), 1)
        for element, placed in _placed(table)
    }


def cells_around(paragraph: etree._Element, cells: Cells) -> tuple[Cell, ...]:
    """The cells that a paragraph is in, the outermost first."""
    if not cells:
        return ()
    around = [cells[element] for element in paragraph.iterancestors(*CELL) if element in cells]
    return tuple(reversed(around))


def _placed(table: etree._Element) -> list[tuple[etree._Element, _Placed]]:
    found: list[tuple[etree._Element, _Placed]] = []
    # By column: cells of the row above that a cell below may continue.
    above: dict[int, _Placed] = {}
    for number, row in enumerate(_children(table, _ROW)):
        here: dict[int, _Placed] = {}
        properties = _properties(row, "trPr")
        header = "tblHeader" in properties and is_on(properties["tblHeader"])
        column = _count(properties, "gridBefore", least=0)
        for element in _children(row, CELL):
            own = _properties(element, "tcPr")
            columns = _count(own, "gridSpan", least=1)
            merged = value_of(own["vMerge"], "val") or "continue" if "vMerge" in own else ""
            placed = above.get(column)
            if merged == "continue" and placed is not None and placed.columns == columns:
                placed.rows += 1
            else:
                placed = _Placed(number, column, columns, header)
            if merged:
                here[column] = placed
            found.append((element, placed))
            column += columns
        above = here
    return found


def _children(parent: etree._Element, tags: frozenset[str]) -> list[etree._Element]:
    """The rows of a table, or the cells of a row, also those in content controls."""
    found: list[etree._Element] = []
    stack = list(reversed(parent))
    while stack:
        element = stack.pop()
        if element.tag in tags:
            found.append(element)
        elif element.tag not in _TABLE and element.tag not in CELL:
            stack.extend(reversed(element))
    return found


def _properties(element: etree._Element, name: str) -> dict[str, etree._Element]:
    return {local(one.tag): one for child in element if local(child.tag) == name for one in child}


def _count(properties: dict[str, etree._Element], name: str, *, least: int) -> int:
    said = value_of(properties[name], "val") if name in properties else ""
    # Files from strangers: int() would take other digits, signs and blanks, too.
    return max(least, min(int(said), _MAX_SPAN)) if said.isascii() and said.isdigit() and len(said) < 10 else least
