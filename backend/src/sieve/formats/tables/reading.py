"""Tables: rows of cells, where a row is a line of .csv or .tsv, or an object on a line of .jsonl.

Addresses: "row/17/salary" is a cell, "row/17" a row, "column/salary" every cell of that column in the rows of data.
Rows of data count from 1, without blank lines. The header, if there is one, is row 0: it stays plain unless it is
marked. Columns go by their names; the second column called "salary" is "salary (2)", and a column without a name is
"column 3". "column/salary" covers all columns of that name, since an author who names a secret by its heading means
each of them. Where each row has its own keys, "row/0/salary" is the key, once for all rows, and marking any part of it
marks its column: a key cannot travel classified without its values. There "row/0" means all keys, and so all rows.

Invariant: **the plain stream reads as a table that never had the classified cells.** A classified cell takes one
delimiter with it: the one after it, or the one before it if nothing plain follows in its row. So a row with two
withheld cells has two delimiters fewer. A row whose cells are all classified travels with its line end. A reader of the
plain stream can count the cells that a row has left, and so how many are withheld in a regular table, but not which,
nor whether they were empty, long or quoted, nor of what type. To hide the number, too, authors mark rows.

Invariant for a row with more cells than the header: a stray delimiter split one of its cells, so that the cells after
it are in wrong columns. A cell that is classified as a whole takes as many cells after it as there are too many,
because any of them may contain the rest of it. What may still be elsewhere is reported as irregular to the leak
scanner.

A classified part of a cell also takes any bytes whose form would reveal something about it: see the formats.
"""

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol

from sieve.core.document import MAX_SPANS, Spans
from sieve.core.errors import SpanError
from sieve.core.units import Mark, Unit
from sieve.formats.errors import UnknownPlace
from sieve.formats.tables.coverage import Coverage
from sieve.formats.tables.heading import Heading
from sieve.formats.text_ranges import characters, everywhere, require_whole, united

# 18 digits hold any number of rows, and int() converts them quickly.
_ROW: Final = re.compile(r"row/(0|[1-9][0-9]{0,17})(?:/(.*))?", re.DOTALL)
_COLUMN: Final = "column/"
_HEADINGS: Final = "row/0"
_HEADING: Final = "row/0/"
MAX_KEYS: Final = 100_000
"""Keys that are remembered, to bound memory. In a file with more, a key may become a unit twice."""

MAX_MARKS: Final = 100_000
"""Marks that are found again from the spans of a received table."""

Parts = list[tuple[int, int]]
Chosen = dict[int, Parts | None]
"""The classified cells of a row by index: parts of the text, or None for the whole cell."""


class Irregular(NamedTuple):
    """A row of data whose cells may be in the wrong columns, and the range of its bytes."""

    number: int
    start: int
    end: int
    why: str
    """What is irregular, without any text of the row."""


class Row(Protocol):
    """A row of the file, from its first byte to its line end."""

    number: int
    start: int
    end: int
    """After the line end."""
    heading: Heading
    size: int
    """Cells, which may be fewer than the heading has columns."""

    def text(self, index: int) -> str:
        """The text of the cell."""

    def divisible(self, index: int) -> bool:
        """Whether a part of the cell may stay plain."""

    def irregularity(self) -> str:
        """Why its cells may be in the wrong columns, as `Irregular.why`; empty if they are not."""

    def spans(self, chosen: Chosen) -> Iterator[tuple[int, int]]:
        """The classified bytes of the row, of which some cell is plain."""

    def classified(self, coverage: Coverage) -> Chosen:
        """The cells that classified bytes belong to, and which parts of them; the inverse of `spans`."""

    def redacted(self, chosen: Chosen) -> bytes:
        """The row with markers."""


class Rows(Protocol):
    """All rows of a file, starting with the header if there is one. `keyed`: each row has keys instead."""

    keyed: bool

    def __iter__(self) -> Iterator[Row]: ...

    def since(self, number: int, start: int) -> Iterator[Row]:
        """The rows from row `number` on, which starts at `start`."""

    def withheld(self, *, headless: bool) -> bytes:
        """What replaces any number of adjacent whole rows in a redacted edition. `headless`: the header is one."""


class TableReading:
    """A table. Rows are read on demand, again each time, so that a table of 100 MB needs no further memory.

    Damage in a row is reported when the row is reached.
    """

    name: str

    def __init__(self, name: str, data: bytes, rows: Rows) -> None:
        self.name = name
        self._data = data
        self.rows: Final = rows
        """All rows."""

    def units(self) -> Iterator[Unit]:
        """The cells, row by row; each key before the first row that has it.

        Raises:
            Damaged, TooLarge: with the row that is.
        """
        heading: Heading | None = None
        keys: set[str] = set()
        for row in self.rows:
            kind = "cell" if row.number else "header"
            names = row.heading.names
            if self.rows.keyed and row.heading is not heading:
                heading = row.heading
                yield from (Unit(f"{_HEADING}{name}", name, "header") for name in names if name not in keys)
                keys.update(names)
                if len(keys) > MAX_KEYS:
                    keys.clear()
            for index in range(row.size):
                yield Unit(f"row/{row.number}/{names[index]}", row.text(index), kind)

    def chosen(self, marks: Sequence[Mark]) -> list[Mark]:
        """The marks and, where each row has keys, marks for the cells of each marked key."""
        if not self.rows.keyed:
            return [*marks]
        named = [mark.address for mark in marks]
        columns = [Mark(_COLUMN + one.removeprefix(_HEADING)) for one in named if one.startswith(_HEADING)]
        return [*marks, *columns, *([Mark("row")] if _HEADINGS in named else [])]

    def implied(self, marks: Sequence[Mark]) -> list[Mark]:
        """What marks classify in addition: after whole cells, those that a stray delimiter may have split off; where
        each row has keys, the keys of marked columns, and all of a key of which a part is marked.

        Raises: as `spans` does.
        """
        if self.rows.keyed:
            named = (mark.address for mark in self.chosen(marks))
            return [Mark(_HEADING + one.removeprefix(_COLUMN)) for one in named if one.startswith(_COLUMN)]
        return [mark for row, chosen in _walk(self.rows, marks) for mark in _cut_off(row, chosen)] if marks else []

    def irregular(self) -> Iterator[Irregular]:
        """The rows of data whose cells may be in the wrong columns.

        Raises:
            Damaged, TooLarge: with the row that is.
        """
        for row in self.rows:
            if row.number and (why := row.irregularity()):
                yield Irregular(row.number, row.start, row.end, why)

    def irregular_places(self) -> Iterator[tuple[str, str]]:
        """The addresses of these rows, and why."""
        return ((f"row/{row.number}", row.why) for row in self.irregular())

    def spans(self, marks: Sequence[Mark]) -> Spans:
        """The bytes of what is marked, and of what must travel with it.

        Raises:
            UnknownPlace: a mark does not fit the table.
            SpanError: there are more spans than a document may have.
            Damaged, TooLarge: with the row that is.
        """
        bounds = array("Q")
        for row, chosen in _walk(self.rows, marks):
            for start, end in row.spans(chosen) if chosen is not None else ((row.start, row.end),):
                if bounds and bounds[-1] == start:
                    bounds[-1] = end
                    continue
                bounds.extend((start, end))
                if len(bounds) > 2 * MAX_SPANS:
                    raise SpanError(
                        f"the marks make more than the {MAX_SPANS} spans that a document may have; mark whole rows"
                    )
        return Spans(bounds)

    def marks(self, spans: Spans) -> list[Mark]:
        """What is classified in a table with these spans, by columns, rows, cells and parts of cells; more than
        `MAX_MARKS` count as all rows.

        Raises:
            Damaged, TooLarge: with the row that is.
        """
        coverage = Coverage(spans)
        if not spans.classified_size:
            return []
        plain, names = self._plain_columns(coverage)
        columns = [name for name in names if name not in plain]
        found = [Mark(_COLUMN + name) for name in columns]
        withheld = frozenset(columns)
        for row in self.rows:
            if coverage.covers(row.start, row.end):
                found.append(Mark(f"row/{row.number}"))
            elif coverage.touches(row.start, row.end):
                for index, parts in row.classified(coverage).items():
                    name = row.heading.names[index]
                    address = f"row/{row.number}/{name}"
                    if parts is not None:
                        found += [Mark(address, start, end) for start, end in parts]
                    elif row.number == 0 or name not in withheld:
                        found.append(Mark(address))
            if len(found) > MAX_MARKS:
                return [Mark("row")]
        return found

    def _plain_columns(self, coverage: Coverage) -> tuple[set[str], dict[str, None]]:
        """The columns with a cell that is not classified whole, and all columns; of the rows of data."""
        plain: set[str] = set()
        names: dict[str, None] = {}
        for row in self.rows:
            if row.number == 0 or coverage.covers(row.start, row.end):
                continue
            whole = {index for index, parts in row.classified(coverage).items() if parts is None}
            for index in range(row.size):
                names[row.heading.names[index]] = None
                if index not in whole:
                    plain.add(row.heading.names[index])
        return plain, names

    def plain_places(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Any address: nothing is hidden in a table."""
        return everywhere

    def in_plain_stream(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Any address: only the marked cells travel classified."""
        return everywhere

    def redacted(self, marks: Sequence[Mark]) -> bytes:
        """The table with a marker in each cell that is classified or partly so, and one row of markers for each run of
        whole rows.

        Raises:
            UnknownPlace: a mark does not fit the table.
            Damaged, TooLarge: with the row that is.
        """
        written = bytearray()
        at, headless, row_withheld = 0, False, False
        view = memoryview(self._data)
        for row, chosen in _walk(self.rows, marks):
            if chosen:
                written += view[at : row.start]
                written += row.redacted(chosen)
            elif chosen is None:
                headless = headless or row.number == 0
                if row.start > at or not row_withheld:
                    written += view[at : row.start]
                    written += self.rows.withheld(headless=headless)
            else:
                continue
            at, row_withheld = row.end, chosen is None
        written += view[at:]
        return bytes(written)


def whole_runs(chosen: Chosen) -> Iterator[tuple[int, int]]:
    """Runs of adjacent whole cells, and each other cell by itself, in order."""
    first = stop = -1
    for index in sorted(chosen):
        if index == stop and chosen[index] is None and chosen[first] is None:
            stop += 1
            continue
        if first >= 0:
            yield first, stop
        first, stop = index, index + 1
    if first >= 0:
        yield first, stop


def _walk(rows: Rows, marks: Sequence[Mark]) -> Iterator[tuple[Row, Chosen | None]]:
    """Each row with its classified cells; None for the whole row."""
    placed = _MarksByPlace(marks, keyed=rows.keyed)
    for row in rows:
        yield row, placed.of(row)
    placed.check_all_found()


class _MarksByPlace:
    """Marks by the rows and columns that they name."""

    def __init__(self, marks: Sequence[Mark], *, keyed: bool) -> None:
        self._rows: dict[int, list[tuple[str | None, Mark]]] = {}
        self._columns: dict[str, Mark] = {}
        self._columns_found: set[str] = set()
        # Rows mostly have the heading of the row before.
        self._heading: Heading | None = None
        self._whole: list[int] = []
        self._all_keys: Mark | None = None
        self._any_row = False
        for mark in marks:
            if mark.address.startswith(_COLUMN):
                require_whole([mark], "a column")
                self._columns.setdefault(mark.address.removeprefix(_COLUMN), mark)
            elif keyed and mark.address.startswith(_HEADING):
                name = mark.address.removeprefix(_HEADING)
                characters(mark, len(name))
                self._columns.setdefault(name, mark)
            elif keyed and mark.address == _HEADINGS:
                require_whole([mark], "a row")
                self._all_keys = mark
            elif named := _ROW.fullmatch(mark.address):
                if named[2] is None:
                    require_whole([mark], "a row")
                self._rows.setdefault(int(named[1]), []).append((named[2], mark))
            else:
                complaint = (
                    "a table has cells such as row/17/salary, rows such as row/17 and columns such as column/salary"
                )
                raise UnknownPlace(mark.address, complaint)

    def of(self, row: Row) -> Chosen | None:
        """The marked cells of the row; None for the whole row."""
        chosen: Chosen = {}
        self._any_row = True
        if self._columns:
            columns = self._whole_columns(row.heading)
            if row.number:
                chosen = dict.fromkeys(columns[: bisect_left(columns, row.size)])
        row_marked = self._all_keys is not None
        in_parts: dict[int, list[Mark]] = {}
        for name, mark in self._rows.pop(row.number, ()):
            if name is None:
                row_marked = True
                continue
            index = row.heading.index(name)
            if index is None or index >= row.size:
                raise UnknownPlace(mark.address, "the row has no such cell")
            if mark.start is None and mark.end is None:
                chosen[index] = None
            else:
                in_parts.setdefault(index, []).append(mark)
        for index, marks in in_parts.items():
            size = len(row.text(index))
            parts = united(characters(mark, size) for mark in marks)
            if index not in chosen:
                chosen[index] = parts if row.divisible(index) and parts != [(0, size)] else None
        if row.heading.surplus:
            chosen = _with_what_was_cut_off(chosen, row)
        if row_marked or (chosen and len(chosen) == row.size and all(parts is None for parts in chosen.values())):
            return None
        return chosen

    def _whole_columns(self, heading: Heading) -> list[int]:
        if heading is not self._heading:
            self._heading = heading
            self._whole = heading.columns(self._columns, self._columns_found)
        return self._whole

    def check_all_found(self) -> None:
        for (_, mark), *_ in self._rows.values():
            raise UnknownPlace(mark.address, "the table has no such row")
        if self._all_keys and not self._any_row:
            raise UnknownPlace(self._all_keys.address, "the table has no such row")
        for name, mark in self._columns.items():
            if name not in self._columns_found:
                raise UnknownPlace(mark.address, "the table has no such column")


def _with_what_was_cut_off(chosen: Chosen, row: Row) -> Chosen:
    """With the cells after each whole one that may hold what belongs to it."""
    together = dict(chosen)
    reached = -1
    for index in range(row.size):
        if chosen.get(index, ()) is None:
            reached = index + row.heading.surplus
        if index <= reached:
            together[index] = None
    return together


def _cut_off(row: Row, chosen: Chosen | None) -> Iterator[Mark]:
    """The whole cells of a row that is too long, those that were marked among them; the row, if it is all of it."""
    if not row.heading.surplus:
        return
    if chosen is None:
        yield Mark(f"row/{row.number}")
        return
    for index, parts in sorted(chosen.items()):
        if parts is None:
            yield Mark(f"row/{row.number}/{row.heading.names[index]}")
