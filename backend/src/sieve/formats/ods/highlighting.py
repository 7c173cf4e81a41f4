"""An OpenDocument workbook with the cells that contain marked text filled in yellow.

Invariant: every cell has the same content as before, though the file has equal neighbours only once.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from copy import deepcopy
from typing import Final

from lxml import etree

from sieve.core.units import Mark
from sieve.formats.errors import Unsupported
from sieve.formats.ods.cells import CELLS, COLUMN, ROW, below, count
from sieve.formats.ods.reading import NAME, OdsReading, tables_of
from sieve.formats.office.repacking import repacked
from sieve.formats.office.xml_source import serialise
from sieve.formats.opendocument.highlighting import YELLOW, automatic_styles, new_names
from sieve.formats.opendocument.paragraphs import P
from sieve.formats.opendocument.reading import CONTENT
from sieve.formats.opendocument.trees import drop
from sieve.formats.opendocument.vocabulary import FO, STYLE, TABLE
from sieve.formats.sheets.columns import row_and_column

MAX_COPIED: Final = 1_000_000
"""Elements that are written again because only some of equal neighbours are filled."""
_STYLE: Final = f"{{{TABLE}}}style-name"
_DEFAULT_STYLE: Final = f"{{{TABLE}}}default-cell-style-name"
_STYLE_NAME: Final = f"{{{STYLE}}}name"
_PROPERTIES: Final = f"{{{STYLE}}}table-cell-properties"
_CONDITION: Final = f"{{{STYLE}}}map"

_Columns = tuple[int, ...]


def highlight_ods(reading: OdsReading, marks: Sequence[Mark]) -> bytes:
    """The workbook with filled cells.

    Raises:
        UnknownPlace: a mark does not fit the file.
        Unsupported: too many cells would be written again.
    """
    filled: dict[str, dict[int, set[int]]] = {}
    for address in reading.marked(marks).ranges:
        kind, *place = address.split("/")
        if kind == "sheet" and len(place) > 1:
            row, column = row_and_column(place[1])
            filled.setdefault(place[0], {}).setdefault(row, set()).add(column)
    if not filled:
        return repacked(reading.container, {})
    root = reading.tree(CONTENT)
    filling = _Filling(root)
    for table in tables_of(root):
        filling.fill(table, filled.get(table.get(NAME, ""), {}))
    return repacked(reading.container, {CONTENT: serialise(root)})


class _Filling:
    """Fills cells of one file."""

    def __init__(self, root: etree._Element) -> None:
        self._styles = automatic_styles(root)
        self._names = new_names(self._styles, "ce")
        self._known = {style.get(_STYLE_NAME, ""): style for style in self._styles}
        self._made: dict[str, str] = {}
        self._left = MAX_COPIED

    def fill(self, table: etree._Element, filled: dict[int, set[int]]) -> None:
        """Fills the cells in these columns, by row."""
        rows = sorted((row, tuple(sorted(columns))) for row, columns in filled.items())
        starts, defaults = _default_styles(table)
        first = 1
        for element in list(below(table, ROW)) if rows else ():
            numbers = range(first, first + count(element, "number-rows-repeated"))
            first = numbers.stop
            runs = _runs(numbers, rows)
            for row, (_, columns) in zip(self._divided(element, "number-rows-repeated", runs), runs, strict=True):
                self._fill_row(row, columns, starts, defaults)

    def _fill_row(self, row: etree._Element, columns: _Columns, starts: list[int], defaults: list[str]) -> None:
        wanted = [(column, columns) for column in columns]
        first = 1
        for element in list(row.iterchildren(*CELLS)) if columns else ():
            numbers = range(first, first + count(element, "number-columns-repeated"))
            runs = _runs(numbers, wanted)
            for cell, (length, is_filled) in zip(
                self._divided(element, "number-columns-repeated", runs), runs, strict=True
            ):
                if is_filled:
                    default = row.get(_DEFAULT_STYLE) or defaults[bisect_right(starts, first) - 1]
                    cell.set(_STYLE, self._style(cell.get(_STYLE) or default))
                first += length

    def _divided(
        self, element: etree._Element, repeated: str, runs: list[tuple[int, _Columns]]
    ) -> list[etree._Element]:
        """The element, which stands for all runs, and copies of it, so that there is one for each."""
        parts = [element]
        for _ in runs[1:]:
            self._left -= sum(1 for _ in element.iter())
            if self._left < 0:
                raise Unsupported("too many equal cells would be filled one by one; download the whole document")
            copy = deepcopy(element)
            for cell in list(copy.iter(*CELLS)):
                for child in [child for child in cell if child.tag not in P]:
                    drop(child)  # comments and drawings, of which there is one
            parts[-1].addnext(copy)
            parts.append(copy)
        for part, (length, _) in zip(parts, runs, strict=True) if len(runs) > 1 else ():
            part.set(f"{{{TABLE}}}{repeated}", str(length))
        return parts

    def _style(self, name: str) -> str:
        """The name of a style like the one called `name`, filled."""
        if name not in self._made:
            if name in self._known:
                style = deepcopy(self._known[name])
                for condition in list(style.iterchildren(_CONDITION)):
                    style.remove(condition)  # its style would hide the filling
            else:
                style = etree.Element(f"{{{STYLE}}}style", {f"{{{STYLE}}}family": "table-cell"})
                if name:
                    style.set(f"{{{STYLE}}}parent-style-name", name)
            self._made[name] = next(self._names)
            style.set(_STYLE_NAME, self._made[name])
            properties = style.find(_PROPERTIES)
            if properties is None:
                properties = etree.Element(_PROPERTIES)
                style.insert(0, properties)
            properties.set(f"{{{FO}}}background-color", YELLOW)
            self._styles.append(style)
        return self._made[name]


def _runs(numbers: range, filled: Sequence[tuple[int, _Columns]]) -> list[tuple[int, _Columns]]:
    """How many of the numbers in turn have the same columns, and which; none if they are not in `filled`, which is in
    order."""
    runs: list[tuple[int, _Columns]] = []
    at = numbers.start
    for place in range(bisect_left(filled, (at, ())), len(filled)):
        number, columns = filled[place]
        if number >= numbers.stop:
            break
        if number > at:
            runs.append((number - at, ()))
        if runs and runs[-1][1] == columns:
            runs[-1] = runs[-1][0] + 1, columns
        else:
            runs.append((1, columns))
        at = number + 1
    if at < numbers.stop:
        runs.append((numbers.stop - at, ()))
    return runs


def _default_styles(table: etree._Element) -> tuple[list[int], list[str]]:
    """The first column of each stretch of equal ones, and the style of its cells that name none."""
    starts, styles = [1], [""]
    first = 1
    for element in below(table, COLUMN):
        starts.append(first)
        styles.append(element.get(_DEFAULT_STYLE, ""))
        first += count(element, "number-columns-repeated")
    return [*starts, first], [*styles, ""]
