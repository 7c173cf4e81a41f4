"""Tables for property tests: what is classified in them can be told apart by its letters, and there are two of each.

Classified text is of capitals and of what makes a writer quote or escape; plain text has no capital. Both versions of a
table differ in what is classified alone, also in how it is written.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from sieve.core.units import Mark

_plain = st.text("ab é😀\"',;\t|\n\r0", max_size=4)
_secret = st.text("SXZ\"',;\t|\n\r\\Ö", max_size=4)


@dataclass(frozen=True)
class Versions:
    """Two files of a table, and the marks of each."""

    files: tuple[bytes, bytes]
    marks: tuple[list[Mark], list[Mark]]


@dataclass(frozen=True)
class Cell:
    """Pieces of text by turns plain and classified: `[plain]`, `["", whole secret]`, `[plain, part, plain]`."""

    pieces: Sequence[str]

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def marks(self, address: str) -> list[Mark]:
        if len(self.pieces) == 2 and not self.pieces[0]:
            return [Mark(address)]
        marks, at = [], 0
        for number, piece in enumerate(self.pieces):
            if number % 2:
                marks.append(Mark(address, at, at + len(piece)))
            at += len(piece)
        return marks


def _both(draw: st.DrawFn, *, whole_only: bool = False) -> tuple[Cell, Cell]:
    kind = draw(st.sampled_from(["plain", "plain", "whole"] + ["part"] * (not whole_only)))
    plain = draw(_plain)
    if kind == "plain":
        return Cell([plain]), Cell([plain])
    if kind == "whole":
        return Cell(["", draw(_secret)]), Cell(["", draw(_secret)])
    plain = "a" + plain  # a part is never all of the cell
    last = draw(_plain)
    return Cell([plain, draw(_secret), last]), Cell([plain, draw(_secret), last])


def _write_cell(draw: st.DrawFn, text: str, delimiter: str, *, alone: bool) -> str:
    needed = any(character in text for character in f'"\r\n{delimiter}') or (alone and not text)
    return '"' + text.replace('"', '""') + '"' if needed or draw(st.booleans()) else text


@st.composite
def delimited(draw: st.DrawFn, *, whole_only: bool = False) -> Versions:
    """Two versions of a .csv file that differ in what is classified."""
    width = draw(st.integers(1, 4))
    delimiter = draw(st.sampled_from(",;\t|")) if width > 1 else ","
    names = [f"c{number}" if number <= width else f"column {number}" for number in range(1, width + 2)]
    head = "\ufeff" * draw(st.booleans()) + delimiter.join(names[:width]) + "\r\n"
    files: tuple[list[str], list[str]] = [head], [head]
    marks: tuple[list[Mark], list[Mark]] = [], []
    secret_column = draw(st.sampled_from([None, *names[:width]]))
    for number in range(1, 1 + draw(st.integers(0, 4))):
        if draw(st.integers(0, 4)) == 0:
            for own, found in zip(files, marks, strict=True):
                texts = draw(st.lists(_secret, min_size=1, max_size=width + 1))
                cells = [_write_cell(draw, text, delimiter, alone=len(texts) == 1) for text in texts]
                own.append(delimiter.join(cells) + draw(st.sampled_from(["\r\n", "\n"])))
                found.append(Mark(f"row/{number}"))
            continue
        size = draw(st.integers(1, width + 1))
        for index, name in enumerate(names[:size]):
            if name == secret_column:
                pair = Cell(["", draw(_secret)]), Cell(["", draw(_secret)])
            else:
                pair = _both(draw, whole_only=whole_only)
            written = [_write_cell(draw, cell.text, delimiter, alone=size == 1) for cell in pair]
            if len(pair[0].pieces) == 1:
                written[1] = written[0]  # how a plain cell is written is not classified
            for own, found, cell, text in zip(files, marks, pair, written, strict=True):
                own.append(delimiter * (index > 0) + text)
                if name != secret_column:
                    found += cell.marks(f"row/{number}/{name}")
        line_end = draw(st.sampled_from(["\r\n", "\n", "\r"]))
        for own in files:
            own.append(line_end)
    if secret_column:
        for found in marks:
            found.append(Mark(f"column/{secret_column}"))
    first, second = ("".join(own).encode() for own in files)
    return Versions((first, second), marks)


@st.composite
def ragged(draw: st.DrawFn, *, quotes: bool = False) -> Versions:
    """Two versions of a .csv file that nobody quoted: delimiters of the secret cut it, and rows are too long; or
    there are stray quotes. Both at once can make up for each other, and then nobody can tell.
    """
    width = draw(st.integers(2, 4))
    secret = draw(st.integers(0, width - 1))
    quote = '"' if quotes else ""
    files: tuple[list[str], list[str]] = ([], [])
    for _ in range(draw(st.integers(1, 4))):
        row = [draw(st.text("ab " + quote, min_size=1, max_size=3)) for _ in range(width)]
        for own in files:
            row[secret] = draw(st.text("SS " + (quote or ","), min_size=1, max_size=4))
            own.append(",".join(row) + "\n")
    head = ",".join(f"c{index}" for index in range(width)) + "\n"
    first, second = (head.encode() + "".join(own).encode() for own in files)
    marks = [Mark(f"column/c{secret}")]
    return Versions((first, second), (marks, marks))


_scalars = st.none() | st.booleans() | st.integers() | st.text('ab é😀"\\\n', max_size=4)
_secret_values = (
    st.none()
    | st.integers(0, 9)
    | _secret
    | st.lists(_secret, max_size=2)
    | st.dictionaries(_secret, _secret, max_size=2)
)


@st.composite
def json_lines(draw: st.DrawFn) -> Versions:
    """Two versions of a .jsonl file that differ in what is classified; one may have a member that the other has not."""
    ascii_only = draw(st.booleans())
    files: tuple[list[str], list[str]] = [], []
    marks: tuple[list[Mark], list[Mark]] = [], []

    def written(value: object) -> str:
        return json.dumps(value, ensure_ascii=ascii_only)

    for number in range(1, 1 + draw(st.integers(0, 4))):
        # A plain member first: of a row that is all classified nothing stays, and of an empty one its braces do.
        members: tuple[list[str], list[str]] = ['"p": 0'], ['"p": 0']
        for index in range(draw(st.integers(0, 4))):
            kind = draw(st.sampled_from(["plain", "whole", "part"]))
            plain, last = written(draw(_scalars)), draw(_plain)
            for own, found in zip(members, marks, strict=True):
                if kind == "plain":
                    own.append(f'"k{index}": {plain}')
                elif kind == "part":
                    cell = Cell(["a" + last, draw(_secret), last])
                    own.append(f'"k{index}": {written(cell.text)}')
                    found += cell.marks(f"row/{number}/k{index}")
                elif draw(st.booleans()):
                    own.append(f'"S{index}": {written(draw(_secret_values))}')
                    found.append(Mark(f"row/{number}/S{index}"))
        for lines, own in zip(files, members, strict=True):
            lines.append("{" + ", ".join(own) + "}\n")
    first, second = ("".join(lines).encode() for lines in files)
    return Versions((first, second), marks)
