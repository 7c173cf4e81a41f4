"""Rows of .csv and .tsv files with the byte positions of their cells, which the standard library does not report.

The rules are RFC 4180's as Python's `csv` reads them, which accepts what spreadsheets write. A quote starts a quoted
cell only at the beginning of the cell, "" in it is a quote, text between its closing quote and the next delimiter is
part of the cell, and a line ends with \\r\\n, \\n or \\r. The first row is the header; Excel's line `sep=;` comes
before it. The delimiter is the one that this line names, or else the one of comma, semicolon, tab and bar that the
header has most of outside its quoted cells; on a tie, the first of them.

Invariant for quotes: only a cell that is quoted from its first to its last character spans lines. A stray quote would
make the next rows part of its cell, where no mark of a column would find them, so it is refused.

Invariant for a part of a cell: no byte that only shows how the cell is written stays plain. Its quotes travel
classified, and so does the second of each doubled quote: a comma in a secret makes a writer quote the whole cell.
"""

import re
from collections.abc import Iterable, Iterator
from heapq import merge
from typing import Final

from sieve.formats.errors import Damaged, TooLarge
from sieve.formats.marker import MARKER
from sieve.formats.tables.coverage import Coverage, covered_characters
from sieve.formats.tables.escaped_text import Piece, literal, placed
from sieve.formats.tables.heading import Heading
from sieve.formats.tables.reading import Chosen, Parts, TableReading, whole_runs
from sieve.formats.text.reading import read_text
from sieve.formats.text_ranges import united_in_order, with_markers

DELIMITERS: Final = b",;\t|"
MAX_CELLS: Final = 100_000
"""In a row, to bound its memory."""

# All repetition is possessive, so that the engine never backtracks and reads each byte once.
_UNQUOTED_LINE: Final = re.compile(rb'([^"\r\n]*+)(\r\n?|\n|\Z)')
_CELL: Final = {
    delimiter: re.compile(
        rb'(?:"[^"]*+(?:""[^"]*+)*+(?:"|(\Z)))?+([^%b\r\n]*+)(%b|\r\n?|\n|\Z)' % (2 * (re.escape(bytes([delimiter])),))
    )
    for delimiter in DELIMITERS
}
_QUOTED: Final = re.compile(rb'"([^"]*+(?:""[^"]*+)*+)("?)(.*)', re.DOTALL)
_QUOTE_OR_RUN: Final = re.compile(rb'""|[^"]++')
_LINE_END: Final = re.compile(rb"[\r\n]")
_BEFORE_HEADER: Final = re.compile(rb"(?:\xef\xbb\xbf)?+(?:sep=([,;\t|])(?:\r\n?|\n))?+")
_BLANK_LINES: Final = re.compile(rb"[\r\n]*+")
# A quoted cell, or a run without any delimiter; then what ends it.
_IN_HEADER: Final = re.compile(rb'(?:"[^"]*+(?:""[^"]*+)*+"(?=[,;\t|\r\n]|\Z)|[^,;\t|\r\n]*+)([,;\t|])')
_NO_ROW: Final[tuple[list[int], int]] = ([], 0)
_NEEDS_QUOTES: Final = re.compile(r'[",;\t|\r\n]')


def read_csv(data: bytes) -> TableReading:
    """The .csv file `data`.

    Raises:
        NotUtf8: it is in another encoding; with the line and column where that shows.
        Damaged, TooLarge: the header has a stray quote or too many cells.
    """
    read_text(data)
    return TableReading("csv", data, DelimitedRows(data, delimiter_of(data)))


def read_tsv(data: bytes) -> TableReading:
    """The .tsv file `data`.

    Raises:
        NotUtf8, Damaged, TooLarge: as `read_csv` does.
    """
    read_text(data)
    return TableReading("tsv", data, DelimitedRows(data, ord("\t")))


def delimiter_of(data: bytes) -> int:
    """The one of `DELIMITERS` that the line before the header names, or that the header has most of."""
    named, at = _before_header(data)
    if named:
        return named[0]
    counts = dict.fromkeys(DELIMITERS, 0)
    at = _end_of(_BLANK_LINES.match(data, at))
    for _ in range(MAX_CELLS):  # a header with more is refused anyway
        found = _IN_HEADER.match(data, at)
        if found is None:
            break
        counts[found[1][0]] += 1
        at = found.end()
    return max(DELIMITERS, key=lambda delimiter: counts[delimiter])


def _before_header(data: bytes) -> tuple[bytes, int]:
    """The delimiter that the line before the header names, if any, and where the header begins."""
    found = _BEFORE_HEADER.match(data)
    return (b"", 0) if found is None else (found[1] or b"", found.end())


def _end_of(found: re.Match[bytes] | None) -> int:
    return found.end() if found is not None else 0


class _Scan:
    """For each row that is not blank, the starts of its cells and the end of its line.

    The starts end with one more, as if a delimiter followed the last cell.
    """

    def __init__(self, data: bytes, delimiter: int, start: int = 0, number: int = 0) -> None:
        """From `start`, where row `number` starts; from the beginning by default."""
        self._data = data
        self._delimiter = delimiter
        self._start = start or _before_header(data)[1]
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
                rest, stop = found.span(2)
                if at < rest and (rest < stop or found[1] is not None):
                    _check_quotes(found, data[at:rest], number)
                at = found.end()
                starts.append(stop + 1)
                self._check(len(starts) - 1, number)
                if found[3] != delimiter:
                    break
            yield starts, at
            number += 1

    def _check(self, cells: int, number: int) -> None:
        if cells > MAX_CELLS:
            raise TooLarge(f"row {number} of the table has more than {MAX_CELLS:,} cells; classify the whole file")


def _check_quotes(cell: re.Match[bytes], quoted: bytes, number: int) -> None:
    if cell[1] is not None:
        fault = "a quote opens a cell that no quote closes"
    elif cell[2].strip(b" \t") and _LINE_END.search(quoted):
        fault = "text follows the closing quote of a cell that goes over several lines"
    else:
        return
    advice = (
        "close the quote, or write a quote that is meant as text twice, in a quoted cell; or send the file wholly "
        "classified"
    )
    raise Damaged(f"row {number} of the table: {fault}; {advice}")


class DelimitedRows:
    """The rows of a file in UTF-8, read again for each iteration.

    Raises, on reaching the row:
        Damaged: a row has a stray quote.
        TooLarge: a row has too many cells.
    """

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
        """A row with a marker in each column, if the header shows how many there are."""
        if headless:
            return MARKER.encode() + b"\n"
        return bytes([self._delimiter]).join([MARKER.encode()] * len(self._heading)) + self._line_end


class DelimitedRow:
    """A row with its line end."""

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

    def irregularity(self) -> str:
        columns = len(self.heading) - self.heading.surplus
        if self.size != columns:
            return f"has {_counted(self.size, 'cell')} and the header {columns:,}"
        if columns > 1 and self._may_be_rows(columns):
            return "has cells over several lines that may be rows of their own, between stray quotes"
        return ""

    def _may_be_rows(self, columns: int) -> bool:
        """Whether its cells contain a line end, and together as many delimiters as a row has: so do several rows that
        were taken for one.
        """
        inside = b"".join(cell for cell in map(self._cell, range(self.size)) if cell.startswith(b'"'))
        return inside.count(self._delimiter) >= columns - 1 and bool(_LINE_END.search(inside))

    def spans(self, chosen: Chosen) -> Iterator[tuple[int, int]]:
        starts = self._starts
        for first, stop in whole_runs(chosen):
            parts = chosen[first]
            if parts is not None:
                at = starts[first]
                yield from ((at + start, at + end) for start, end in _classified(self._cell(first), parts))
            elif stop == self.size:
                yield starts[first] - 1, starts[stop] - 1
            else:
                yield starts[first], starts[stop]

    def classified(self, coverage: Coverage) -> Chosen:
        chosen: Chosen = {}
        starts = self._starts
        for index in range(self.size):
            start, end = starts[index], starts[index + 1] - 1
            # An empty cell has only the delimiter that it takes with it.
            delimiter = start - 1 if index and index == self.size - 1 else end
            if coverage.covers(start, end) if start < end else coverage.covers(delimiter, delimiter + 1):
                chosen[index] = None
            elif coverage.touches(start, end) and (parts := covered_characters(self._pieces(index), start, coverage)):
                chosen[index] = parts
        return chosen

    def _pieces(self, index: int) -> Iterator[Piece]:
        return _pieces(self._cell(index))

    def redacted(self, chosen: Chosen) -> bytes:
        cells = [self._redacted_cell(index, chosen) for index in range(self.size)]
        return bytes([self._delimiter]).join(cells) + self._data[self._starts[-1] - 1 : self.end]

    def _redacted_cell(self, index: int, chosen: Chosen) -> bytes:
        if index not in chosen:
            return self._cell(index)
        parts = chosen[index]
        if parts is None:
            return MARKER.encode()
        written = with_markers(self.text(index), parts)
        if _NEEDS_QUOTES.search(written):
            written = '"' + written.replace('"', '""') + '"'
        return written.encode()

    def _cell(self, index: int) -> bytes:
        return self._data[self._starts[index] : self._starts[index + 1] - 1]


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _classified(cell: bytes, parts: Parts) -> Iterator[tuple[int, int]]:
    """The bytes of these parts of the cell's text, and the bytes that only write it."""
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
        # A quote is one character in one byte. Further bytes of it, and pieces without text, only write the cell.
        if text in ("", '"') and size > len(text):
            yield at + len(text), at + size
        at += size
