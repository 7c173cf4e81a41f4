"""Excel workbooks: cells are units, and whole parts travel plain or classified.

A sheet is the unit "sheet/Pay", whose text is its name, with its cells as "sheet/Pay/B17", whose text is the cell's
value: a number as it is stored, a date as 2026-11-21. Below a cell are its formula, "sheet/Pay/B17/formula", and the
pronunciation of its text, "sheet/Pay/B17/phonetic". Marking a sheet marks its cells and its name. Other text of a
sheet, such as page headers, is below its part, "xl/worksheets/sheet1.xml/t1". All other parts are read for
any text in them.

A sheet without a mark travels plain only if it contains none of the marked text, no shared string, no formula, no pivot
table, and no reference to other sheets: the index of a shared string shows how many texts precede it, a formula's value
what it is computed from, and a range how far something marked extends. Shared strings, the workbook and comments never
do.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import ClassVar, Final, NamedTuple

from lxml import etree

from sieve.core.sentence import Sentence
from sieve.core.units import Mark, Unit
from sieve.formats.errors import Damaged, TooLarge
from sieve.formats.office.open_packaging import OpenPackagingReading
from sieve.formats.office.reading import ResolvedMarks
from sieve.formats.office.text_attributes import is_of_office_but_excel, page_header_text
from sieve.formats.office.why_classified import SHARED_TEXTS, SHEETS
from sieve.formats.office.xml_source import beside, local, rows
from sieve.formats.sheets.columns import column_name, column_number
from sieve.formats.sheets.workbook import Cell, Sheet, Workbook

S_SPACES: Final = (
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "http://purl.oclc.org/ooxml/spreadsheetml/main",
)
MAX_COMPUTED: Final = 1_000_000
"""Cells of a sheet that array formulas fill."""

_MAIN: Final = (
    "spreadsheetml.sheet.main+xml",
    "spreadsheetml.template.main+xml",
    "ms-excel.sheet.macroEnabled.main+xml",
    "ms-excel.template.macroEnabled.main+xml",
)
_SHEET: Final = "spreadsheetml.worksheet+xml"
_STRINGS: Final = "spreadsheetml.sharedStrings+xml"
_STYLES: Final = "spreadsheetml.styles+xml"
_KNOWN: Final = ("spreadsheetml.comments+xml", "spreadsheetml.table+xml", "spreadsheetml.calcChain+xml", "vmlDrawing")
_PAGE_HEADERS: Final = frozenset(
    f"{which}{what}" for which in ("odd", "even", "first") for what in ("Header", "Footer")
)
_FORMULAS: Final = frozenset({"formula", "formula1", "formula2", "f"})
_PLACES: Final = frozenset({"linkedCell", "listFillRange", "location", "fmlaLink", "fmlaRange", "link"})
_CELL: Final = re.compile(r"\$?([A-Z]{1,3})\$?([1-9][0-9]{0,6})")
_ESCAPED: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
_NUMBERS_ELSEWHERE: Final = ("cm", "vm")
"""Attributes of a cell that are indexes into lists of the whole workbook."""
_OF_A_ROW: Final = frozenset(
    {
        *("r", "spans", "s", "customFormat", "ht", "hidden", "customHeight", "outlineLevel", "collapsed", "thickTop"),
        *("thickBot", "ph", "{http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac}dyDescent"),
    }
)
_OF_A_CELL: Final = frozenset({"r", "s", "t", "ph"})
"""Attributes that contain only positions, measures and switches."""
_DATE_FORMATS: Final = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
_QUOTED: Final = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.|_.|\*.')


def s(*names: str) -> frozenset[str]:
    """The tags of these elements of Excel."""
    return frozenset(f"{{{space}}}{name}" for space in S_SPACES for name in names)


_C: Final = s("c")
_F: Final = s("f")
_V: Final = s("v")
_IS: Final = s("is")
_T: Final = s("t")
_R: Final = s("r")
_RPH: Final = s("rPh")
_COLUMNS: Final = 1 + 26 + 26**2 + 26**3
"""One more than the number of the column ZZZ, the last one that has a name here."""
_SPOKEN: Final = "the pronunciation of a text"


class _StringItem(NamedTuple):
    text: str
    phonetic: str


class XlsxReading(OpenPackagingReading, Workbook):
    """An Excel workbook, read."""

    name: ClassVar[str] = "xlsx"

    def __init__(self, data: bytes) -> None:
        """Raises FormatError: it is damaged, protected, too large, or not an Excel workbook."""
        super().__init__(data)
        self.main = self.main_part(_MAIN, "Excel workbook")
        self._workbook = self.tree(self.main)
        self.sheets = list(self._read_sheets())
        self._part_of_sheet = {sheet.name: sheet.part for sheet in self.sheets}
        since_1904 = any(p.get("date1904") in ("1", "true") for p in self._workbook.iter(*s("workbookPr")))
        self._first_day = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 30)
        self._dates = self._date_styles()
        self._strings = [_string_item(item) for part in self.parts_of_type(_STRINGS) for item in self._rows(part, "si")]
        self._never_plain: set[str] = set()
        self._stored: dict[str, str] = {}

    def read_units(self) -> Iterator[Unit]:
        """Sheet by sheet, then the defined names, then the text of all other parts."""
        used: set[_StringItem] = set()
        for sheet in self.sheets:
            hidden = "a hidden sheet" if sheet.hidden else ""
            address = f"sheet/{sheet.name}"
            yield Unit(address, sheet.name, "sheet", hidden)
            if self.has_pivot(sheet):
                self._never_plain.add(sheet.part)
            for cell in self.cells(sheet):
                if cell.kind == "s":
                    used.add(_StringItem(cell.text, cell.phonetic))
                if cell.raw != cell.text:
                    self._stored[f"{address}/{cell.place}"] = cell.raw
                yield Unit(f"{address}/{cell.place}", cell.text, "cell", hidden or cell.hidden)
                if cell.formula:
                    yield Unit(f"{address}/{cell.place}/formula", f"={cell.formula}", "formula", "a formula")
                if cell.phonetic:
                    yield Unit(f"{address}/{cell.place}/phonetic", cell.phonetic, "phonetic guide", _SPOKEN)
            yield from self._beside_cells(sheet.part)
        for number, name in enumerate(self._workbook.iter(*s("definedName")), 1):
            text = f"{name.get('name', '')}={name.text or ''}"
            yield Unit(f"{self.main}/n{number}", text, "defined name", "a defined name")
        sheets = {sheet.part for sheet in self.sheets}
        names = {name.get("name", "") for name in self._workbook.iter(*s("sheet", "definedName"))}
        yield from self.attribute_units(self.main, self._workbook, names)
        for part in self.parts:
            if self.type_of(part).endswith(_STRINGS):
                for number, item in enumerate(self._strings):
                    if item not in used:
                        yield Unit(f"{part}/s{number}", item.text, "text", "a text of no cell")
                        if item.phonetic:
                            yield Unit(f"{part}/s{number}/phonetic", item.phonetic, "phonetic guide", _SPOKEN)
            elif part not in sheets and part != self.main and not self.type_of(part).endswith("theme+xml"):
                yield from self.other_units(part, self._hides(part))

    def _beside_cells(self, part: str) -> Iterator[Unit]:
        """The text of a sheet outside its rows: page headers, formulas of rules and lists, links, messages, filters."""
        root = beside(self.container.read(part), s("row"))
        for unit in self.text_units(part, root, "text outside of the cells"):
            if unit.kind in _PAGE_HEADERS:
                # Without its codes, which precede the words: "&CNorth" is North, centred.
                if text := page_header_text(unit.text):
                    yield Unit(unit.address, text, "page header", "a page header")
            elif unit.kind in _FORMULAS:
                yield Unit(unit.address, unit.text, "formula", "a formula")
            elif unit.kind != "sqref":
                yield unit
        yield from self.attribute_units(part, root)

    def known(self, part: str) -> Callable[[str], bool]:
        """Of Excel's own vocabulary, only the parts that are read here."""
        kind = self.type_of(part)
        is_read = part == self.main or kind.endswith((_SHEET, _STYLES, *_KNOWN))
        return super().known(part) if is_read else is_of_office_but_excel

    def cells(self, sheet: Sheet) -> Iterator[Cell]:
        """The cells of a sheet, in order, without empty ones.

        Raises:
            Damaged: a cell occurs twice, or without a position.
            TooLarge: the sheet has more ranges of columns than columns.
        """
        seen: set[str] = set()
        computed: set[str] = set()
        columns = bytearray(_COLUMNS)
        ranges = 0
        row_number = 0
        for element in self._rows(sheet.part, "row", "col"):
            if local(element.tag) == "col":
                ranges += 1
                if ranges > _COLUMNS:
                    raise TooLarge("a sheet has more ranges of columns than columns; save the workbook again")
                if _is_unseen(element, "width"):
                    first, last = (min(_number(element.get(key)), _COLUMNS - 1) for key in ("min", "max"))
                    columns[first : last + 1] = b"\1" * max(last + 1 - first, 0)
                continue
            row_number = _number(element.get("r")) or row_number + 1
            # `zeroHeight` of the sheet hides only rows that have no element, and so no cells.
            row_hidden = _is_unseen(element, "ht")
            column = 0
            if not _OF_A_ROW.issuperset(element.keys()):
                self._never_plain.add(sheet.part)
            for child in element:
                if child.tag not in _C:
                    self._never_plain.add(sheet.part)
                    continue
                place = child.get("r") or f"{column_name(column + 1)}{row_number}"
                match = _CELL.fullmatch(place)
                if match is not None:
                    place = match[1] + match[2]  # $B$2 is B2
                if match is None or place in seen:
                    raise Damaged("a sheet defines a cell twice or without a reference; save the workbook again")
                seen.add(place)
                column = column_number(match[1])
                formula = next(child.iterchildren(*_F), None)
                if formula is not None and formula.get("ref") and formula.get("t") != "shared":
                    computed.update(_range(formula.get("ref", ""), MAX_COMPUTED - len(computed)))
                text, raw, phonetic = self._value(child)
                if formula is not None and not text:
                    # A program that does not compute wrote the workbook.
                    text = raw = f"={formula.text or '…'}"
                if sheet.part not in self._never_plain and not _is_self_contained(child):
                    self._never_plain.add(sheet.part)
                if not (text or phonetic) and formula is None:
                    continue
                yield Cell(
                    place,
                    text,
                    raw,
                    child.get("t", "n"),
                    child.get("s", ""),
                    "" if formula is None else formula.text or "",
                    phonetic,
                    formula is not None or place in computed or any(child.get(key) for key in _NUMBERS_ELSEWHERE),
                    "a hidden row" if row_hidden else "a hidden column" if columns[column] else "",
                )

    def merged_cells(self, sheet: Sheet) -> list[str]:
        """The ranges of merged cells."""
        return [element.get("ref", "") for element in self._rows(sheet.part, "mergeCell")]

    def place_of(self, part: str) -> str:
        """The address of a part; of a sheet, by its name."""
        return next((f"sheet/{sheet.name}" for sheet in self.sheets if sheet.part == part), part)

    def part_of(self, address: str) -> str:
        """The part of the sheet, for addresses in a sheet."""
        if address.startswith("sheet/"):
            part = self._part_of_sheet.get(address.split("/")[1])
            if part:
                return part
        return super().part_of(address)

    def marked(self, marks: Sequence[Mark]) -> ResolvedMarks:
        """As for any file; dates are also searched for as they are stored."""
        marked = super().marked(marks)
        for address in marked.ranges:
            if address in self._stored:
                marked.texts.add(self._stored[address])
        return marked

    def may_travel_plain(self, part: str) -> bool:
        """Only sheets without shared strings, formulas, pivot tables and references to other sheets."""
        if not any(sheet.part == part for sheet in self.sheets) or part in self._never_plain:
            return False
        return not any(map(_refers_elsewhere, beside(self.container.read(part), s("row")).iter(etree.Element)))

    def why_never_plain(self, part: str) -> Sentence | None:
        """The shared texts, and sheets that use them or refer elsewhere."""
        if self.type_of(part).endswith(_STRINGS):
            return SHARED_TEXTS
        is_sheet = any(sheet.part == part for sheet in self.sheets)
        return SHEETS if is_sheet and not self.may_travel_plain(part) else None

    def shown_pictures(self) -> set[str]:
        """Pictures that only drawings show."""
        shown: set[str] = set()
        other: set[str] = set()
        for source in ["", *(part for part in self.parts if not part.endswith(".rels"))]:
            drawing = self.type_of(source).endswith("officedocument.drawing+xml")
            for related in self.relationships(source):
                (shown if drawing and related.kind == "image" else other).add(related.part)
        return (shown - other) & self.container.entries.keys()

    def is_shown(self, part: str) -> bool:
        """Neither sheets nor formatting."""
        return super().is_shown(part) and part != self.main and not any(sheet.part == part for sheet in self.sheets)

    def shown_by(self, marked: ResolvedMarks) -> set[str]:
        """What any part with a mark shows: drawings float over the cells of a sheet, and any of them may show what a
        marked cell says.
        """
        return self.shown_from(marked.parts - {self.main})

    def has_pivot(self, sheet: Sheet) -> bool:
        """Whether a pivot table writes into the sheet."""
        return any(r.kind == "pivotTable" for r in self.relationships(sheet.part))

    def _read_sheets(self) -> Iterator[Sheet]:
        parts = {r.id: r.part for r in self.relationships(self.main)}
        names: set[str] = set()
        for element in self._workbook.iter(*s("sheet")):
            name = element.get("name", "")
            id_ = next((str(value) for key, value in element.attrib.items() if local(key) == "id"), "")
            part = parts.get(id_, "")
            if not name or "/" in name or name.casefold() in names or part not in self.container.entries:
                raise Damaged("the workbook lists a sheet twice, wrongly, or one that is missing; save it again")
            names.add(name.casefold())
            # Chart sheets and old dialog sheets are read like any other part.
            if self.type_of(part).endswith(_SHEET):
                yield Sheet(name, part, element.get("state", "visible") != "visible")

    def _rows(self, part: str, *names: str) -> Iterator[etree._Element]:
        return rows(self.container.read(part), s(*names))

    def _value(self, cell: etree._Element) -> tuple[str, str, str]:
        """The text that a cell shows, its stored value, and its pronunciation."""
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            items = [_string_item(item) for item in cell.iterchildren(*_IS)]
            text = "".join(one.text for one in items)
            return text, text, "".join(one.phonetic for one in items)
        value = "".join(v.text or "" for v in cell.iterchildren(*_V))
        if kind == "s":
            number = _number(value, -1)
            if not 0 <= number < len(self._strings):
                raise Damaged("a cell refers to a text that does not exist; save the workbook again")
            shared = self._strings[number]
            return shared.text, shared.text, shared.phonetic
        if kind == "b":
            return ("TRUE" if value == "1" else "FALSE"), value, ""
        if kind == "str":
            value = _unescaped(value)
        if kind == "n" and value and cell.get("s", "0") in self._dates:
            return self._date(value), value, ""
        return value, value, ""

    def _date(self, value: str) -> str:
        try:
            # Excel's day 60 is the 29th of February 1900, which never existed; dates before it are a day off.
            moment = self._first_day + timedelta(milliseconds=round(float(value) * 86_400_000))
        except (ValueError, OverflowError):
            return value
        return f"{moment:%Y-%m-%d}" if moment.time() == datetime.min.time() else moment.isoformat(" ", "seconds")

    def _date_styles(self) -> frozenset[str]:
        """The numbers of the cell styles that show a number as a date."""
        for part in self.parts_of_type(_STYLES):
            root = self.tree(part)
            dates = set(map(str, _DATE_FORMATS))
            for element in root.iter(*s("numFmt")):
                if re.search("[ymdhs]", _QUOTED.sub("", element.get("formatCode", "").lower())):
                    dates.add(element.get("numFmtId", ""))
            formats = [xf for xfs in root.iter(*s("cellXfs")) for xf in xfs.iterchildren(*s("xf"))]
            return frozenset(str(number) for number, xf in enumerate(formats) if xf.get("numFmtId") in dates)
        return frozenset()

    def _hides(self, part: str) -> str:
        if not part.endswith(".rels"):
            if part.startswith("docProps/"):
                return "a property"
            if "omment" in part:
                return "a comment"
        return self.hides(part, "text outside of the cells")


def _refers_elsewhere(element: etree._Element) -> bool:
    """Whether an element may refer to another sheet, and so show what is withheld there and how far it extends."""
    if local(element.tag) in _FORMULAS:
        return True
    if local(element.tag) == "cfvo" and element.get("type") == "formula":
        return True
    return any(local(name) in _PLACES for name in element.attrib)


def _is_unseen(element: etree._Element, measure: str) -> bool:
    """Whether a row or column is hidden, or too low or narrow to show anything."""
    if element.get("hidden") in ("1", "true"):
        return True
    try:
        return float(element.get(measure, "1")) < 1
    except ValueError:
        return False


def _range(reference: str, most: int) -> Iterator[str]:
    """The cells of a range such as B2:C9."""
    first, _, last = reference.partition(":")
    start, end = _CELL.fullmatch(first), _CELL.fullmatch(last or first)
    if start is None or end is None:
        raise Damaged("a formula names an invalid range; save the workbook again")
    columns = range(column_number(start[1]), column_number(end[1]) + 1)
    numbers = range(int(start[2]), int(end[2]) + 1)
    if len(columns) * len(numbers) > most:
        raise TooLarge("a formula fills too many cells; classify the whole file")
    return (f"{column_name(column)}{number}" for column in columns for number in numbers)


def _is_self_contained(cell: etree._Element) -> bool:
    """Whether a cell has only a value of its own: no index of something stored elsewhere, such as a shared string, no
    formula, and nothing that is not read here.
    """
    kind = cell.get("t")
    values = _IS if kind == "inlineStr" else _V
    return kind != "s" and _OF_A_CELL.issuperset(cell.keys()) and all(child.tag in values for child in cell)


def _string_item(item: etree._Element) -> "_StringItem":
    """The text of a string, rich or not, and its pronunciation."""
    texts: list[str] = []
    sounds: list[str] = []
    for child in item:
        if child.tag in _T:
            texts.append(child.text or "")
        elif child.tag in _R:
            texts += [t.text or "" for t in child.iterchildren(*_T)]
        elif child.tag in _RPH:
            sounds += [t.text or "" for t in child.iterchildren(*_T)]
    return _StringItem(_unescaped("".join(texts)), _unescaped("".join(sounds)))


def _unescaped(text: str) -> str:
    """Excel writes characters that XML does not allow as _x0007_."""
    if "_x" not in text:
        return text
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def _number(text: str | None, default: int = 0) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= 9 else default
