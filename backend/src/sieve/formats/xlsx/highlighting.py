"""A workbook with the cells that contain marked text filled in yellow."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Final

from lxml import etree

from sieve.core.units import Mark
from sieve.formats.errors import Unsupported
from sieve.formats.office.repacking import repacked
from sieve.formats.office.xml_source import local, serialise, space_of
from sieve.formats.sheets.columns import column_name, column_number
from sieve.formats.xlsx.reading import XlsxReading

_YELLOW: Final = "FFFFFF00"


def highlight_xlsx(reading: XlsxReading, marks: Sequence[Mark]) -> bytes:
    """The workbook with filled cells.

    Raises:
        UnknownPlace: a mark does not fit the file.
        Unsupported: it has no styles.
    """
    marked = reading.marked(marks)
    filled = {"/".join(address.split("/")[:3]) for address in marked.ranges if address.startswith("sheet/")}
    styles_part = next(iter(reading.parts_of_type("spreadsheetml.styles+xml")), None)
    if styles_part is None:
        raise Unsupported("this workbook has no styles, so its cells cannot be filled; download the whole document")
    styles = _Styles(reading.tree(styles_part))
    changed: dict[str, bytes] = {}
    for sheet in reading.sheets:
        root = reading.tree(sheet.part)
        cells = [cell for place, cell in _cells(root) if f"sheet/{sheet.name}/{place}" in filled]
        for cell in cells:
            cell.set("s", styles.filled(cell.get("s", "0")))
        if cells:
            changed[sheet.part] = serialise(root)
    return repacked(reading.container, changed | {styles_part: serialise(styles.root)})


def _cells(root: etree._Element) -> Iterator[tuple[str, etree._Element]]:
    """All cells with their places; a cell without a reference follows the one before."""
    number = 0
    for row in (row for row in root.iter(etree.Element) if local(row.tag) == "row"):
        written = row.get("r", "")
        number = int(written) if written.isascii() and written.isdigit() else number + 1
        column = 0
        for cell in row:
            place = (cell.get("r") or f"{column_name(column + 1)}{number}").replace("$", "")
            column = column_number(place.rstrip("0123456789"))
            yield place, cell


class _Styles:
    def __init__(self, root: etree._Element) -> None:
        self.root = root
        self._space = space_of(str(root.tag))
        fills, self._formats = self._list("fills"), self._list("cellXfs")
        fill = etree.SubElement(fills, self._tag("fill"))
        pattern = etree.SubElement(fill, self._tag("patternFill"), {"patternType": "solid"})
        etree.SubElement(pattern, self._tag("fgColor"), {"rgb": _YELLOW})
        fills.set("count", str(len(fills)))
        self._fill = str(len(fills) - 1)
        self._filled: dict[str, str] = {}

    def filled(self, style: str) -> str:
        """The index of a style like `style`, filled."""
        if style not in self._filled:
            if not (style.isascii() and style.isdigit() and int(style) < len(self._formats)):
                raise Unsupported("a cell has a style that the workbook does not define; download the whole document")
            made = deepcopy(self._formats[int(style)])
            made.set("fillId", self._fill)
            made.set("applyFill", "1")
            self._formats.append(made)
            self._formats.set("count", str(len(self._formats)))
            self._filled[style] = str(len(self._formats) - 1)
        return self._filled[style]

    def _list(self, name: str) -> etree._Element:
        found = self.root.find(self._tag(name))
        if found is None or not len(found):
            raise Unsupported("this workbook has no styles, so its cells cannot be filled; download the whole document")
        return found

    def _tag(self, name: str) -> str:
        return f"{{{self._space}}}{name}"
