"""The cells of a table in an OpenDocument sheet, one by one, though the file has equal neighbours only once.

Invariant: what is repeated is counted before it is made, so that a small file cannot make many cells.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from lxml import etree

from sieve.formats.errors import Damaged, TooLarge
from sieve.formats.office.xml_source import attributes, local
from sieve.formats.opendocument.paragraphs import SIGNS, read_story
from sieve.formats.opendocument.trees import drop
from sieve.formats.opendocument.vocabulary import OFFICE, STYLE, TABLE, TEXT, tags
from sieve.formats.sheets.columns import column_name
from sieve.formats.sheets.workbook import Cell

MAX_CELLS: Final = 1_000_000
"""Cells of a file that are not empty."""
MAX_COLUMNS: Final = 18_278
"""As far as ZZZ."""
ROW: Final = f"{{{TABLE}}}table-row"
_TABLE: Final = f"{{{TABLE}}}table"
COLUMN: Final = f"{{{TABLE}}}table-column"
CELLS: Final = f"{{{TABLE}}}table-cell", f"{{{TABLE}}}covered-table-cell"
"""A cell, and one under a merged one."""
_P: Final = tags(TEXT, "p", "h")
COMMENT: Final = f"{{{OFFICE}}}annotation"
_NUMBERS: Final = frozenset({"float", "percentage", "currency"})
_VALUES: Final = {
    **dict.fromkeys(_NUMBERS, "value"),
    "date": "date-value",
    "time": "time-value",
    "boolean": "boolean-value",
    "string": "string-value",
}
_WHITE: Final = re.compile(r"[ \t\r\n]+")
_LENGTH: Final = re.compile(r"([0-9.]{1,12})(in|cm|mm|pt|pc|px)")
_POINTS: Final = {"in": 72.0, "cm": 28.35, "mm": 2.835, "pt": 1.0, "pc": 12.0, "px": 0.75}
_LEAST_SHOWN: Final = 1.0
"""Points; a lower row or narrower column shows nothing."""


class Comment(NamedTuple):
    """A comment of a cell."""

    place: str
    text: str


@dataclass(slots=True)
class Table:
    """What a sheet has. `merged`: by the place of a cell, the rows and columns that it covers. `shown`: by place, the
    text that a cell shows if it differs from its value.
    """

    cells: list[Cell] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    merged: dict[str, tuple[int, int]] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)


class _Read(NamedTuple):
    """What a cell has, wherever it is repeated."""

    text: str
    raw: str
    shown: str
    kind: str
    style: str
    formula: str
    comment: str


class TableReader:
    """Reads the tables of one file. What it has read is no longer in their trees."""

    def __init__(self, unseen: frozenset[str]) -> None:
        """`unseen`: styles of rows and columns too small to show anything."""
        self._unseen = unseen
        self._left = MAX_CELLS

    def read(self, table: etree._Element) -> Table:
        """The cells of a table.

        Raises:
            TooLarge: it has too many.
            Damaged: a cell is too far to the right.
        """
        found = Table()
        hidden_columns = self._hidden_columns(table)
        computed: set[tuple[int, int]] = set()
        row = 0
        for element in below(table, ROW):
            repeated = count(element, "number-rows-repeated")
            why = "a hidden row" if self._is_unseen(element) else ""
            self._read_row(element, range(row + 1, row + 1 + repeated), why, hidden_columns, computed, found)
            row += repeated
        return found

    def _read_row(
        self,
        element: etree._Element,
        rows: range,
        row_hidden: str,
        hidden_columns: list[range],
        computed: set[tuple[int, int]],
        found: Table,
    ) -> None:
        column = 0
        for child in element.iterchildren(*CELLS):
            columns = range(column + 1, column + 1 + count(child, "number-columns-repeated"))
            column = columns.stop - 1
            read = self._read_cell(child)
            self._note_spans(child, rows, columns, computed, found)
            if not (read.text or read.formula or read.comment):
                continue
            if columns.stop > MAX_COLUMNS:
                raise Damaged("a sheet has a cell too far to the right; save the file again")
            self._left -= len(rows) * len(columns)
            if self._left < 0:
                raise TooLarge(f"the sheets have more than {MAX_CELLS:,} cells; classify the whole file")
            covered = "a cell under a merged one" if child.tag == CELLS[1] else ""
            if read.comment:
                found.comments.append(Comment(f"{column_name(columns.start)}{rows.start}", read.comment))
            for number in rows:
                for at in columns:
                    place = f"{column_name(at)}{number}"
                    column_hidden = "a hidden column" if any(at in one for one in hidden_columns) else ""
                    if read.shown and read.shown != read.text:
                        found.shown[place] = read.shown
                    if not (read.text or read.formula):
                        continue
                    found.cells.append(
                        Cell(
                            place,
                            read.text,
                            read.raw,
                            read.kind,
                            read.style,
                            read.formula,
                            "",
                            bool(read.formula) or (number, at) in computed,
                            row_hidden or column_hidden or covered,
                        )
                    )

    def _note_spans(
        self, cell: etree._Element, rows: range, columns: range, computed: set[tuple[int, int]], found: Table
    ) -> None:
        down, across = count(cell, "number-rows-spanned"), count(cell, "number-columns-spanned")
        if down * across > 1:
            found.merged[f"{column_name(min(columns.start, MAX_COLUMNS))}{rows.start}"] = (down, across)
        filled = count(cell, "number-matrix-rows-spanned") * count(cell, "number-matrix-columns-spanned")
        if filled > 1:
            self._left -= filled
            if self._left < 0:
                raise TooLarge("a formula fills too many cells; classify the whole file")
            computed.update(
                (number, at)
                for number in range(rows.start, rows.start + count(cell, "number-matrix-rows-spanned"))
                for at in range(columns.start, columns.start + count(cell, "number-matrix-columns-spanned"))
            )

    def _read_cell(self, cell: etree._Element) -> _Read:
        kind = cell.get(f"{{{OFFICE}}}value-type", "")
        raw = cell.get(f"{{{OFFICE}}}{_VALUES[kind]}", "") if kind in _VALUES else ""
        formula = cell.get(f"{{{TABLE}}}formula", "")
        style = cell.get(f"{{{TABLE}}}style-name", "")
        comment = "\n".join(map(_taken, cell.iterchildren(COMMENT)))
        shown = "\n".join(map(_taken, cell.iterchildren(*_P)))
        for key in [key for key, _ in attributes(cell) if local(key) in _READ]:
            del cell.attrib[key]
        text = shown
        if raw and kind in _NUMBERS:
            text = raw
        elif raw and kind == "date":
            text = raw.removesuffix("T00:00:00").replace("T", " ")
        elif kind == "boolean":
            text = "TRUE" if raw == "true" else "FALSE"
        elif not shown:
            # Without a stored value, a cell shows its formula.
            text = raw or formula
        return _Read(text, raw, shown, kind, style, formula, comment)

    def _hidden_columns(self, table: etree._Element) -> list[range]:
        found: list[range] = []
        column = 0
        for element in below(table, COLUMN):
            repeated = count(element, "number-columns-repeated")
            if self._is_unseen(element):
                found.append(range(column + 1, column + 1 + repeated))
            column += repeated
        return found[:1000]

    def _is_unseen(self, element: etree._Element) -> bool:
        hidden = element.get(f"{{{TABLE}}}visibility", "visible") != "visible"
        return hidden or element.get(f"{{{TABLE}}}style-name") in self._unseen


_READ: Final = frozenset({*_VALUES.values(), "value-type", "formula", "currency"})
"""Attributes of a cell that are read here, in the vocabularies of the format and of LibreOffice."""


def _taken(element: etree._Element) -> str:
    """The text of a paragraph or comment, which is no longer in the tree. Its attributes stay."""
    if not len(element):
        text, element.text = _WHITE.sub(" ", element.text or "").lstrip(" "), None
        return text
    paragraphs, others = read_story(element, frozenset())
    lines = [other.text for other in others if local(other.element.tag) != "date"]
    lines += ["".join(piece.text for piece in one.pieces) for one in paragraphs]
    pieces = [piece for one in paragraphs for piece in one.pieces]
    for one, where in [*((o.element, o.where) for o in others), *((p.element, p.where) for p in pieces)]:
        if where == "text":
            one.text = None
        elif where == "tail":
            one.tail = None
    for sign in list(element.iter(*SIGNS)):
        drop(sign)
    return "\n".join(lines)


def unseen_styles(root: etree._Element) -> Iterator[str]:
    """The names of styles of rows and columns that are too small to show anything."""
    for style in root.iter(f"{{{STYLE}}}style"):
        for properties in style:
            for name in ("row-height", "column-width"):
                length = _LENGTH.fullmatch(properties.get(f"{{{STYLE}}}{name}", ""))
                if length and length[1].count(".") < 2 and length[1] != "." and _points(length) < _LEAST_SHOWN:
                    yield style.get(f"{{{STYLE}}}name", "")


def _points(length: re.Match[str]) -> float:
    return float(length[1]) * _POINTS[length[2]]


def below(table: etree._Element, tag: str) -> Iterator[etree._Element]:
    """The rows or columns of a table, also those in groups, without those of tables in cells."""
    stack = list(reversed(table))
    while stack:
        element = stack.pop()
        if element.tag == tag:
            yield element
        elif element.tag not in (_TABLE, ROW):
            stack.extend(reversed(element))


def count(element: etree._Element, name: str) -> int:
    """The number in this attribute of the table's vocabulary; at least 1."""
    said = element.get(f"{{{TABLE}}}{name}", "")
    # Files from strangers: int() would take other digits, signs and blanks, too.
    return max(1, int(said)) if said.isascii() and said.isdigit() and len(said) < 10 else 1
