"""OpenDocument sheets: cells are units, and whole parts travel plain or classified.

A sheet is the unit "sheet/Pay", whose text is its name, with its cells as "sheet/Pay/B17", whose text is the cell's
value: a number as it is stored, a date as 2026-11-21. Below a cell are its formula, "sheet/Pay/B17/formula", and its
comment, "sheet/Pay/B17/comment". Marking a sheet marks its cells and its name. All sheets are in `content.xml`, so that
a mark in one classifies them all. Other text of it and of the other parts is below the part, "styles.xml/p1".
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from lxml import etree

from sieve.core.units import Mark, Unit
from sieve.formats.errors import Damaged
from sieve.formats.ods.cells import Table, TableReader, unseen_styles
from sieve.formats.office.reading import ResolvedMarks
from sieve.formats.opendocument.paragraphs import SEEN, read_story
from sieve.formats.opendocument.reading import CONTENT, STYLES, OpenDocumentReading
from sieve.formats.opendocument.vocabulary import OFFICE, STYLE, TABLE, TEXT, tags
from sieve.formats.sheets.workbook import Cell, Sheet, Workbook

_SPREADSHEET: Final = f"{{{OFFICE}}}spreadsheet"
_TABLE: Final = f"{{{TABLE}}}table"
NAME: Final = f"{{{TABLE}}}name"
_PIVOT: Final = f"{{{TABLE}}}data-pilot-table"
_TARGET: Final = f"{{{TABLE}}}target-range-address"
_ALWAYS_THE_SAME: Final = {
    **dict.fromkeys(tags(TEXT, "sheet-name", "title", "file-name"), frozenset({"???", ""})),
    **dict.fromkeys(tags(TEXT, "page-number", "page-count"), frozenset({"1", "99", ""})),
}
"""Fields in headers and footers, and what LibreOffice writes for all of them."""
_AROUND_FIELDS: Final = frozenset({"page", "seite", "página", "pagina", "/", "(", ")", "-", "of", "von", "de", "di"})


class OdsReading(OpenDocumentReading, Workbook):
    """An OpenDocument workbook, read."""

    name: ClassVar[str] = "ods"
    media_types = (
        "application/vnd.oasis.opendocument.spreadsheet",
        "application/vnd.oasis.opendocument.spreadsheet-template",
    )
    what = "OpenDocument workbook"

    def __init__(self, data: bytes) -> None:
        """Raises FormatError: it is damaged, protected, too large, or not an OpenDocument workbook."""
        super().__init__(data)
        root = self.tree(CONTENT)
        self._pivots = {_sheet_of(pivot.get(_TARGET, "")) for pivot in root.iter(_PIVOT)}
        self.sheets: list[Sheet] = []
        self.tables: dict[str, Table] = {}
        """What each sheet has, by its name."""
        self._read_sheets(root)
        self._rest = root

    def read_units(self) -> Iterator[Unit]:
        """Sheet by sheet, then what `content.xml` has beside the cells, then the text of all other parts."""
        for sheet in self.sheets:
            hidden = "a hidden sheet" if sheet.hidden else ""
            address = f"sheet/{sheet.name}"
            yield Unit(address, sheet.name, "sheet", hidden)
            for cell in self.cells(sheet):
                yield Unit(f"{address}/{cell.place}", cell.text, "cell", hidden or cell.hidden)
                if cell.formula:
                    yield Unit(f"{address}/{cell.place}/formula", cell.formula, "formula", "a formula")
            for comment in self.tables[sheet.name].comments:
                yield Unit(f"{address}/{comment.place}/comment", comment.text, "comment", "a comment")
        for part in self.stories:
            root = self._rest if part == CONTENT else self.tree(part)
            paragraphs, others = read_story(root, self.hiding)
            kind, hidden = ("page header", "a page header") if part == STYLES else ("text", "text outside of the cells")
            for number, paragraph in enumerate(paragraphs, 1):
                text = "".join(piece.text for piece in paragraph.pieces)
                is_stock = part == STYLES and _is_stock_header(paragraph.element)
                if text.strip() and not is_stock:
                    yield Unit(f"{part}/p{number}", text, kind, paragraph.hidden or hidden)
            yield from self.story_units(part, others)
            yield from self.attribute_units(part, root)
        yield from self.units_beside()

    def cells(self, sheet: Sheet) -> Iterator[Cell]:
        """The cells of a sheet, in order, without empty ones."""
        return iter(self.tables[sheet.name].cells)

    def part_of(self, address: str) -> str:
        """`content.xml` for addresses in a sheet."""
        return CONTENT if address.startswith("sheet/") else super().part_of(address)

    def marked(self, marks: Sequence[Mark]) -> ResolvedMarks:
        """As for any file. Values are searched for as they are shown, and as they are stored. A mark on `content.xml`
        marks all sheets.
        """
        if any(mark.address == CONTENT and mark.start is None and mark.end is None for mark in marks):
            marks = [*marks, *(Mark(f"sheet/{sheet.name}") for sheet in self.sheets)]
        marked = super().marked(marks)
        for sheet in self.sheets:
            table = self.tables[sheet.name]
            for cell in table.cells:
                if f"sheet/{sheet.name}/{cell.place}" in marked.ranges:
                    marked.texts.update(text for text in (cell.raw, table.shown.get(cell.place, "")) if text)
        return marked

    def shown_by(self, marked: ResolvedMarks) -> set[str]:
        """What a sheet with a mark shows: drawings float over its cells, and any of them may show what a marked cell
        says. With a mark beside the cells, what all of the story shows.
        """
        found: set[str] = set()
        places = {"/".join(address.split("/")[:2]) for address in [*marked.whole, *marked.ranges]}
        for part in marked.parts.intersection(self.stories):
            root = self.tree(part)
            is_whole = any(address.split("/")[0] == part for address in places)
            marked_roots = (
                [root]
                if is_whole
                else [table for table in root.iter(_TABLE) if f"sheet/{table.get(NAME, '')}" in places]
            )
            found |= self.named_below(element for one in marked_roots for element in one.iter(etree.Element))
        return found

    def is_constant(self, element: etree._Element) -> bool:
        """Fields of headers and footers, which LibreOffice fills in when it prints."""
        said = _ALWAYS_THE_SAME.get(str(element.tag))
        return said is not None and not len(element) and (element.text or "") in said

    def has_pivot(self, sheet: Sheet) -> bool:
        """Whether a pivot table writes into the sheet."""
        return sheet.name in self._pivots

    def _read_sheets(self, root: etree._Element) -> None:
        styles = [root, *(self.tree(part) for part in self.stories if part != CONTENT)]
        reader = TableReader(frozenset(name for one in styles for name in unseen_styles(one)))
        hidden = {
            style.get(f"{{{STYLE}}}name", "")
            for style in root.iter(f"{{{STYLE}}}style")
            if any(properties.get(f"{{{TABLE}}}display") == "false" for properties in style)
        }
        names: set[str] = set()
        for table in tables_of(root):
            name = table.get(NAME, "")
            if not name or "/" in name or name.casefold() in names:
                raise Damaged("the workbook lists a sheet twice, or without a name; save it again")
            names.add(name.casefold())
            is_hidden = table.get(f"{{{TABLE}}}style-name") in hidden or table.get(f"{{{TABLE}}}display") == "false"
            self.sheets.append(Sheet(name, CONTENT, is_hidden))
            self.tables[name] = reader.read(table)
            del table.attrib[NAME]


def tables_of(root: etree._Element) -> list[etree._Element]:
    """The tables of `content.xml` that are sheets, in order."""
    return [table for spreadsheet in root.iter(_SPREADSHEET) for table in spreadsheet.iterchildren(_TABLE)]


def _sheet_of(place: str) -> str:
    """The sheet in the address of a place, such as `$'My sheet'.A1:.C9`."""
    name = place.split(":")[0].rpartition(".")[0].removeprefix("$")
    return name[1:-1].replace("''", "'") if name.startswith("'") and name.endswith("'") else name


def _is_stock_header(paragraph: etree._Element) -> bool:
    """Whether a header or footer has nothing but page numbers and the like."""
    paragraphs, _ = read_story(paragraph, frozenset())
    words = [
        word
        for one in paragraphs
        for piece in one.pieces
        if piece.where == "tail" or piece.element.tag not in _ALWAYS_THE_SAME
        for word in (piece.text if piece.below == SEEN else "hidden").casefold().split()
    ]
    return _AROUND_FIELDS.issuperset(words)
