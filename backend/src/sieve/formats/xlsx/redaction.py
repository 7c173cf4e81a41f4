"""The redacted edition of a workbook: new sheets with the values that a reader sees, and markers for classified ones.

Invariant: every cell is written again, as text or a number. A cell with a formula is withheld, since its value may show
what it was computed from, and so is a sheet with a pivot table. If everything that a column holds below its heading, or
that a row holds, is withheld, each of its cells gets a marker, so that none shows that it was empty. Always removed:
formulas, hidden sheets, rows and columns, widths, comments, names, pictures, charts, tables, validations and
properties.
"""

import re
from collections.abc import Sequence
from html import escape
from typing import Final

from sieve.core.units import Mark
from sieve.formats.marker import MARKER
from sieve.formats.office.package_writer import PackageWriter
from sieve.formats.office.reading import ResolvedMarks
from sieve.formats.office.xml_scrubber import XmlScrubber, rebuilt, redacted
from sieve.formats.sheets.columns import column_name, column_number
from sieve.formats.sheets.withheld_grid import WithheldGrid
from sieve.formats.sheets.workbook import Cell, Sheet
from sieve.formats.text_ranges import with_markers
from sieve.formats.xlsx.reading import XlsxReading

_SPACE: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATED: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml."
_XML: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_PLACE: Final = re.compile(r"[A-Z]{1,3}[1-9][0-9]{0,6}(:[A-Z]{1,3}[1-9][0-9]{0,6})?")
_NUMBER: Final = re.compile(r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?")
_UNWRITABLE: Final = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_FORBIDDEN_IN_NAMES: Final = re.compile(r"[\\/?*\[\]:]")
_LONGEST_NAME: Final = 31


def redact_xlsx(reading: XlsxReading, marks: Sequence[Mark]) -> bytes:
    """A new workbook with what a reader sees and nothing that is classified.

    Raises:
        UnknownPlace: a mark does not fit the file.
        RedactionFailed: a marked text would still be in it.
    """
    return redacted(reading, marks, lambda marked: _Edition(reading, marked).to_bytes())


class _Edition:
    def __init__(self, reading: XlsxReading, marked: ResolvedMarks) -> None:
        self._reading = reading
        self._marked = marked
        self._scrubber = XmlScrubber(marked.texts)
        self._writer = PackageWriter()
        self._styled = False

    def to_bytes(self) -> bytes:
        writer = self._writer
        writer.relate("", "officeDocument", "xl/workbook.xml")
        self._styles()
        names: set[str] = set()
        sheets: list[str] = []
        shown = [sheet for sheet in self._reading.sheets if not sheet.hidden]
        for number, sheet in enumerate(shown, 1):
            part = f"xl/worksheets/sheet{number}.xml"
            writer.add(part, f"{_TYPE}worksheet+xml", self._sheet(sheet))
            id_ = writer.relate("xl/workbook.xml", "worksheet", part)
            name = self._name(sheet, names)
            sheets.append(f'<sheet name="{escape(name)}" sheetId="{number}" r:id="{id_}"/>')
        if not sheets:
            part = "xl/worksheets/sheet1.xml"
            writer.add(part, f"{_TYPE}worksheet+xml", _worksheet(_text_row("A1", "", MARKER, 1), ""))
            id_ = writer.relate("xl/workbook.xml", "worksheet", part)
            sheets.append(f'<sheet name="{MARKER}" sheetId="1" r:id="{id_}"/>')
        workbook = (
            f'{_XML}<workbook xmlns="{_SPACE}" xmlns:r="{_RELATED}"><sheets>{"".join(sheets)}</sheets></workbook>'
        )
        writer.add("xl/workbook.xml", f"{_TYPE}sheet.main+xml", workbook.encode())
        return writer.to_bytes()

    def _styles(self) -> None:
        for part in self._reading.parts_of_type("spreadsheetml.styles+xml"):
            root = self._reading.tree(part)
            if part in self._marked.parts or root.tag != f"{{{_SPACE}}}styleSheet":
                return
            self._scrubber.clean(root, {_SPACE}, removed={"extLst", "dxfs", "tableStyles"})
            self._writer.add("xl/styles.xml", f"{_TYPE}styles+xml", rebuilt(root, {"x": _SPACE}))
            self._writer.relate("xl/workbook.xml", "styles", "xl/styles.xml")
            self._styled = True
            return

    def _name(self, sheet: Sheet, names: set[str]) -> str:
        address = f"sheet/{sheet.name}"
        ranges = self._marked.ranges.get(address, []) + self._scrubber.ranges(sheet.name)
        name = _FORBIDDEN_IN_NAMES.sub("_", with_markers(sheet.name, ranges))[:_LONGEST_NAME] or MARKER
        if self._scrubber.in_attribute("sheet", "name", name):  # Operation_North
            name = MARKER
        number = 1
        candidate = name
        while candidate.casefold() in names:
            number += 1
            candidate = f"{name[: _LONGEST_NAME - 6]} {number}"
        names.add(candidate.casefold())
        return candidate

    def _sheet(self, sheet: Sheet) -> bytes:
        if self._marked.covers(f"sheet/{sheet.name}") or sheet.part in self._marked.whole:
            return _worksheet(_text_row("A1", "", MARKER, 1), "")
        if self._reading.has_pivot(sheet):
            return _worksheet(_text_row("A1", "", MARKER, 1), "")
        grid: WithheldGrid[str] = WithheldGrid()
        for cell in self._reading.cells(sheet):
            if not cell.hidden:
                letters = cell.place.rstrip("0123456789")
                grid.add(int(cell.place[len(letters) :]), column_number(letters), *self._cell(sheet, cell))
        written = "".join(
            f'<row r="{number}">{"".join(cell for _, cell in cells)}</row>' for number, cells in grid.filled(_marker)
        )
        merged = [place for place in self._reading.merged_cells(sheet) if _PLACE.fullmatch(place)]
        listed = "".join(f'<mergeCell ref="{place}"/>' for place in merged)
        return _worksheet(written, f'<mergeCells count="{len(merged)}">{listed}</mergeCells>' if merged else "")

    def _cell(self, sheet: Sheet, cell: Cell) -> tuple[str, bool]:
        """The cell's XML, and whether all of it is withheld."""
        style = f' s="{cell.style}"' if self._styled and cell.style.isascii() and cell.style.isdigit() else ""
        ranges = self._marked.ranges.get(f"sheet/{sheet.name}/{cell.place}", []) + self._scrubber.ranges(cell.text)
        if cell.computed:
            return _text_cell(cell.place, style, MARKER), True
        if cell.kind == "n" and _NUMBER.fullmatch(cell.raw):
            if ranges or self._scrubber.ranges(cell.raw):
                return _text_cell(cell.place, style, MARKER), True
            return f'<c r="{cell.place}"{style}><v>{cell.raw}</v></c>', False
        if cell.kind == "b" and not ranges:
            return f'<c r="{cell.place}"{style} t="b"><v>{int(cell.text == "TRUE")}</v></c>', False
        text = with_markers(cell.text, ranges)
        return _text_cell(cell.place, style, text), text == MARKER


def _worksheet(rows: str, after: str) -> bytes:
    return f'{_XML}<worksheet xmlns="{_SPACE}"><sheetData>{rows}</sheetData>{after}</worksheet>'.encode()


def _marker(row: int, column: int) -> str:
    return _text_cell(f"{column_name(column)}{row}", "", MARKER)


def _text_row(place: str, style: str, text: str, number: int) -> str:
    return f'<row r="{number}">{_text_cell(place, style, text)}</row>'


def _text_cell(place: str, style: str, text: str) -> str:
    written = escape(_UNWRITABLE.sub(lambda match: f"_x{ord(match[0]):04X}_", text), quote=False)
    return f'<c r="{place}"{style} t="inlineStr"><is><t xml:space="preserve">{written}</t></is></c>'
