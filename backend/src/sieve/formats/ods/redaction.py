"""The redacted edition of an OpenDocument workbook: the values that a reader sees, with markers for what is classified.

Invariant: every cell is written again. A cell with a formula is withheld, since its value may show what it was computed
from, and so is a sheet with a pivot table. Always removed: formulas, hidden sheets, rows and columns, widths, comments,
page headers, names, pictures, charts, validations and properties.
"""

import re
from collections.abc import Sequence
from typing import Final

from lxml import etree

from sieve.core.units import Mark
from sieve.formats.errors import Unsupported
from sieve.formats.marker import MARKER
from sieve.formats.ods.reading import OdsReading
from sieve.formats.office.reading import ResolvedMarks
from sieve.formats.office.xml_scrubber import redacted
from sieve.formats.opendocument.edition import Stories
from sieve.formats.opendocument.reading import CONTENT
from sieve.formats.opendocument.vocabulary import OFFICE, TABLE, TEXT
from sieve.formats.sheets.columns import row_and_column
from sieve.formats.sheets.withheld_grid import MAX_MARKERS, WithheldGrid
from sieve.formats.sheets.workbook import Cell, Sheet
from sieve.formats.text_ranges import with_markers

_VALUES: Final = {
    "float": ("value", re.compile(r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?")),
    "percentage": ("value", re.compile(r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?")),
    "currency": ("value", re.compile(r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?")),
    "date": ("date-value", re.compile(r"-?[0-9]{4,6}-[0-9]{2}-[0-9]{2}(T[0-9:.]+)?")),
    "time": ("time-value", re.compile(r"-?P[0-9.YMDTHS]+")),
    "boolean": ("boolean-value", re.compile(r"true|false")),
}
"""By type, the attribute that has the value, and its form."""
_PARTS: Final = re.compile(r"\n|\t|  +| |[^\n\t ]+(?: [^\n\t ]+)*")


def redact_ods(reading: OdsReading, marks: Sequence[Mark]) -> bytes:
    """A new workbook with what a reader sees and nothing that is classified.

    Raises:
        UnknownPlace: a mark does not fit the file.
        RedactionFailed: a marked text would still be in it.
        Unsupported: it would need too many markers.
    """
    return redacted(reading, marks, lambda marked: _Edition(reading, marked).to_bytes())


class _Edition:
    def __init__(self, reading: OdsReading, marked: ResolvedMarks) -> None:
        self._reading = reading
        self._marked = marked
        self._stories = Stories(reading, marked)
        self._scrubber = self._stories.scrubber

    def to_bytes(self) -> bytes:
        stories = {part: self._stories.without_text(part) for part in self._reading.stories}
        body = next(stories[CONTENT].iter(f"{{{OFFICE}}}spreadsheet"), None)
        if body is None:
            body = etree.SubElement(etree.SubElement(stories[CONTENT], _office("body")), _office("spreadsheet"))
        names: set[str] = set()
        shown = [sheet for sheet in self._reading.sheets if not sheet.hidden]
        for sheet in shown:
            body.append(self._sheet(sheet, self._name(sheet, names)))
        if not shown:
            body.append(_withheld(MARKER))
        return self._stories.to_bytes(stories)

    def _name(self, sheet: Sheet, names: set[str]) -> str:
        ranges = self._marked.ranges.get(f"sheet/{sheet.name}", []) + self._scrubber.ranges(sheet.name)
        name = with_markers(sheet.name, ranges)
        if self._scrubber.in_attribute("sheet", "name", name):  # Operation_North
            name = MARKER
        number, candidate = 1, name
        while candidate.casefold() in names:
            number += 1
            candidate = f"{name} {number}"
        names.add(candidate.casefold())
        return candidate

    def _sheet(self, sheet: Sheet, name: str) -> etree._Element:
        if self._marked.covers(f"sheet/{sheet.name}") or self._reading.has_pivot(sheet):
            return _withheld(name)
        grid: WithheldGrid[etree._Element] = WithheldGrid()
        shown = self._reading.tables[sheet.name].shown
        for cell in self._reading.cells(sheet):
            if not cell.hidden:
                written, withheld = self._cell(sheet, cell, shown.get(cell.place, cell.text))
                grid.add(*row_and_column(cell.place), written, withheld)
        return _written(name, grid.filled(lambda _row, _column: _text_cell(MARKER)), self._merged(sheet))

    def _cell(self, sheet: Sheet, cell: Cell, shown: str) -> tuple[etree._Element, bool]:
        """The cell, and whether all of it is withheld."""
        ranges = self._marked.ranges.get(f"sheet/{sheet.name}/{cell.place}", []) + self._scrubber.ranges(cell.text)
        if cell.computed:
            written, withheld = _text_cell(MARKER), True
        elif cell.kind in _VALUES and _VALUES[cell.kind][1].fullmatch(cell.raw):
            withheld = bool(ranges or any(map(self._scrubber.ranges, (cell.raw, shown))))
            written = _text_cell(MARKER if withheld else shown)
            if not withheld:
                written.set(_office("value-type"), cell.kind)
                written.set(_office(_VALUES[cell.kind][0]), cell.raw)
        else:
            text = with_markers(cell.text, ranges)
            written, withheld = _text_cell(text), text == MARKER
        if cell.style:
            written.set(_table("style-name"), self._stories.cleaner.name_of_style(cell.style))
        return written, withheld

    def _merged(self, sheet: Sheet) -> dict[tuple[int, int], tuple[int, int]]:
        merged = {row_and_column(place): size for place, size in self._reading.tables[sheet.name].merged.items()}
        if sum(rows * columns for rows, columns in merged.values()) > MAX_MARKERS:
            raise Unsupported("a sheet has too many merged cells for a redacted edition; mark the whole sheet")
        return merged


def _written(
    name: str,
    rows: list[tuple[int, list[tuple[int, etree._Element]]]],
    merged: dict[tuple[int, int], tuple[int, int]],
) -> etree._Element:
    """A table of cells at their places."""
    table = etree.Element(_table("table"), {_table("name"): name})
    etree.SubElement(table, _table("table-column"))
    at = {(number, column): cell for number, cells in rows for column, cell in cells}
    covered: set[tuple[int, int]] = set()
    for (row, column), (down, across) in merged.items():
        if (row, column) in at:
            at[row, column].set(_table("number-rows-spanned"), str(down))
            at[row, column].set(_table("number-columns-spanned"), str(across))
            covered |= {(r, c) for r in range(row, row + down) for c in range(column, column + across)} - {
                (row, column)
            }
    for place in covered:
        at[place] = etree.Element(_table("covered-table-cell"))
    by_row: dict[int, dict[int, etree._Element]] = {}
    for (row, column), cell in at.items():
        by_row.setdefault(row, {})[column] = cell
    last = 0
    for number, cells in sorted(by_row.items(), key=lambda item: item[0]):
        if number > last + 1:
            gap = etree.SubElement(table, _table("table-row"))
            gap.set(_table("number-rows-repeated"), str(number - last - 1))
            etree.SubElement(gap, _table("table-cell"))
        element = etree.SubElement(table, _table("table-row"))
        before = 0
        for column, cell in sorted(cells.items(), key=lambda item: item[0]):
            if column > before + 1:
                empty = etree.SubElement(element, _table("table-cell"))
                empty.set(_table("number-columns-repeated"), str(column - before - 1))
            element.append(cell)
            before = column
        last = number
    return table


def _withheld(name: str) -> etree._Element:
    return _written(name, [(1, [(1, _text_cell(MARKER))])], {})


def _text_cell(text: str) -> etree._Element:
    """A cell that shows a text, with a paragraph for each line and elements for white space."""
    cell = etree.Element(_table("table-cell"), {_office("value-type"): "string"})
    paragraph = etree.SubElement(cell, f"{{{TEXT}}}p")
    last: etree._Element | None = None
    for part in _PARTS.findall(text):
        if part == "\n":
            paragraph, last = etree.SubElement(cell, f"{{{TEXT}}}p"), None
        elif part.isspace():
            last = etree.SubElement(paragraph, f"{{{TEXT}}}{'tab' if part.startswith(chr(9)) else 's'}")
            if len(part) > 1:
                last.set(f"{{{TEXT}}}c", str(len(part)))
        elif last is None:
            paragraph.text = part
        else:
            last.tail = part
    return cell


def _table(name: str) -> str:
    return f"{{{TABLE}}}{name}"


def _office(name: str) -> str:
    return f"{{{OFFICE}}}{name}"
