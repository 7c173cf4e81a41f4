"""Rows of .csv and .tsv, with the places of their cells, which the standard library does not tell.

The rules are RFC 4180's as Python's `csv` reads them, which takes what spreadsheets write: quotes begin a quoted cell
only where the cell begins, "" in it is a quote, what stands between its closing quote and the next delimiter belongs to
it as it is, and a line ends with \\r\\n, \\n or \\r. The first row is the header. The delimiter is one of comma,
semicolon, tab and bar: the one that the header has most of, the first of those in doubt.

The law for a part of a cell: nothing of how the cell is written stays plain. Its quotes travel classified, and so does
the second of each two that write one: a secret with a comma in it makes a writer quote the whole cell.
"""

import re
from collections.abc import Iterable, Iterator
from heapq import merge
from typing import Final

from sieve.formats.columns import Heading
from sieve.formats.errors import TooLarge
from sieve.formats.marker import MARKER
from sieve.formats.places import united_in_order
from sieve.formats.table import Chosen, Parts, TableReading
from sieve.formats.text_reading import read_text
from sieve.formats.written_text import Piece, literal, placed

DELIMITERS: Final = b",;\t|"
MAX_CELLS: Final = 100_000
"""In a row. Bounds the memory that a row takes."""

_BOM: Final = "\ufeff".encode()
# All repetition is possessive, so that nothing is kept to go back to, and each byte is looked at once.
_UNQUOTED_LINE: Final = re.compile(rb'([^"\r\n]*+)(\r\n?|\n|\Z)')
_CELL: Final = {
    delimiter: re.compile(
        rb'(?:"[^"]*+(?:""[^"]*+)*+(?:"|\Z))?+[^%b\r\n]*+(%b|\r\n?|\n|\Z)' % (2 * (re.escape(bytes([delimiter])),))
    )
    for delimiter in DELIMITERS
}
_QUOTED: Final = re.compile(rb'"([^"]*+(?:""[^"]*+)*+)("?)(.*)', re.DOTALL)
_QUOTE_OR_RUN: Final = re.compile(rb'""|[^"]++')
_NO_ROW: Final[tuple[list[int], int]] = ([], 0)
_NEEDS_QUOTES: Final = re.compile(r'[",;\t|\r\n]')


def read_csv(data: bytes) -> TableReading:
    """The .csv file `data`.

    Raises:
        NotUtf8: it is in another encoding; with the line and column where that shows.
        TooLarge: its header has too many cells.
    """
    read_text(data)
    return TableReading("csv", data, DelimitedRows(data, delimiter_of(data)))


def read_tsv(data: bytes) -> TableReading:
    """The .tsv file `data`.

    Raises:
        NotUtf8, TooLarge: as `read_csv` does.
    """
    read_text(data)
    return TableReading("tsv", data, DelimitedRows(data, ord("\t")))


def delimiter_of(data: bytes) -> int:
    """The one of `DELIMITERS` that parts the header into most cells, the first of those in doubt.

    Raises:
        TooLarge: the header has more cells than a row may.
    """
    return max(DELIMITERS, key=lambda delimiter: len(next(iter(_Scan(data, delimiter)), _NO_ROW)[0]))


class _Scan:
    """For each row that is not blank, where its cells begin, and where its line ends.

    One more start stands behind the last cell, as if a delimiter came there, too.
    """

    def __init__(self, data: bytes, delimiter: int, start: int = 0, number: int = 0) -> None:
        """From where row `number` starts; from the beginning without it."""
        self._data = data
        self._delimiter = delimiter
        self._start = start or (len(_BOM) if data.startswith(_BOM) else 0)
        self._number = number

    def __iter__(self) -> Iterator[tuple[list[int], int]]:
        data, delimiter = self._data, bytes([self._delimiter])
        cell, line = _CELL[self._delimiter].match, _UNQUOTED_LINE.match
        at, number = self._start, self._number
        while at < len(data):
            found = line(data, at)
            if found is not None:
                stop = found.end(1)
                if stop > at:
                    self._check(data.count(delimiter, at, stop) + 1, number)
                    starts = [at]
                    for text in data[at:stop].split(delimiter):
                        starts.append(starts[-1] + len(text) + 1)
                    yield starts, found.end()
                    number += 1
                at = found.end()
                continue
            starts = [at]
            while (found := cell(data, at)) is not None:  # always: the pattern takes anything, the row's end ends it
                at = found.end()
                starts.append(found.start(1) + 1)
                self._check(len(starts) - 1, number)
                if found[1] != delimiter:
                    break
            yield starts, at
            number += 1

    def _check(self, cells: int, number: int) -> None:
        if cells > MAX_CELLS:
            raise TooLarge(f"row {number} of the table has more than the {MAX_CELLS} cells that a row may have")


class DelimitedRows:
    """The rows of a file in UTF-8. Reads them anew each time."""

    keyed = False

    def __init__(self, data: bytes, delimiter: int) -> None:
        self._data = data
        self._delimiter = delimiter
        starts, end = next(iter(_Scan(data, delimiter)), _NO_ROW)
        header = DelimitedRow(data, delimiter, 0, starts, end, Heading([]))
        self._heading = Heading([header.text(index) for index in range(header.size)])
        self._line_end = (data[starts[-1] - 1 : end] if starts else b"") or b"\n"

    def __iter__(self) -> Iterator["DelimitedRow"]:
        return self.since(0, 0)

    def since(self, number: int, start: int) -> Iterator["DelimitedRow"]:
        """The rows from row `number` on, which starts at `start`."""
        data, delimiter, heading = self._data, self._delimiter, self._heading
        wide = heading
        for at, (starts, end) in enumerate(_Scan(data, delimiter, start, number), number):
            size = len(starts) - 1
            if size > len(heading):
                if size != len(wide):
                    wide = heading.widened(size)
                yield DelimitedRow(data, delimiter, at, starts, end, wide)
            else:
                yield DelimitedRow(data, delimiter, at, starts, end, heading)

    def withheld(self, *, headless: bool) -> bytes:
        """A row with a marker in each column, if the header tells how many there are."""
        if headless:
            return MARKER.encode() + b"\n"
        return bytes([self._delimiter]).join([MARKER.encode()] * len(self._heading)) + self._line_end


class DelimitedRow:
    """A row, which ends with its line end."""

    __slots__ = ("_data", "_delimiter", "_starts", "end", "heading", "number", "size", "start")

    def __init__(self, data: bytes, delimiter: int, number: int, starts: list[int], end: int, heading: Heading) -> None:
        self._data = data
        self._delimiter = delimiter
        self._starts = starts
        self.number = number
        self.start = starts[0] if starts else 0
        self.end = end
        self.heading = heading
        self.size = max(len(starts) - 1, 0)

    def text(self, index: int) -> str:
        cell = self._cell(index)
        quoted = _QUOTED.fullmatch(cell)
        return cell.decode() if quoted is None else quoted[1].replace(b'""', b'"').decode() + quoted[3].decode()

    def divisible(self, index: int) -> bool:
        return True

    def spans(self, chosen: Chosen) -> Iterator[tuple[int, int]]:
        starts = self._starts
        for first, stop in _runs(chosen):
            parts = chosen[first]
            if parts is not None:
                at = starts[first]
                yield from ((at + start, at + end) for start, end in _classified(self._cell(first), parts))
            elif stop == self.size:
                yield starts[first] - 1, starts[stop] - 1
            else:
                yield starts[first], starts[stop]

    def redacted(self, chosen: Chosen) -> bytes:
        cells = [self._redacted_cell(index, chosen) for index in range(self.size)]
        return bytes([self._delimiter]).join(cells) + self._data[self._starts[-1] - 1 : self.end]

    def _redacted_cell(self, index: int, chosen: Chosen) -> bytes:
        if index not in chosen:
            return self._cell(index)
        parts = chosen[index]
        if parts is None:
            return MARKER.encode()
        text = self.text(index)
        kept: list[str] = []
        at = 0
        for start, end in parts:
            kept += text[at:start], MARKER
            at = end
        written = "".join([*kept, text[at:]])
        if _NEEDS_QUOTES.search(written):
            written = '"' + written.replace('"', '""') + '"'
        return written.encode()

    def _cell(self, index: int) -> bytes:
        return self._data[self._starts[index] : self._starts[index + 1] - 1]


def _runs(chosen: Chosen) -> Iterator[tuple[int, int]]:
    """The whole cells in runs of those that stand side by side, and each other cell by itself; in order."""
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


def _classified(cell: bytes, parts: Parts) -> Iterator[tuple[int, int]]:
    """The bytes of these parts of the cell's text, and those that only write it."""
    return united_in_order(merge(placed(_pieces(cell), parts), _writing(_pieces(cell))))


def _pieces(cell: bytes) -> Iterator[Piece]:
    quoted = _QUOTED.fullmatch(cell)
    if quoted is None:
        yield literal(cell)
        return
    yield Piece("", 1)
    for run in _QUOTE_OR_RUN.finditer(quoted[1]):
        yield Piece('"', 2) if run[0] == b'""' else literal(run[0])
    yield Piece("", len(quoted[2]))
    yield literal(quoted[3])


def _writing(pieces: Iterable[Piece]) -> Iterator[tuple[int, int]]:
    at = 0
    for text, size in pieces:
        # A quote is one character in one byte; what more there is of it is writing, as is what says nothing.
        if text in ("", '"') and size > len(text):
            yield at + len(text), at + size
        at += size
