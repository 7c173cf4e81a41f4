"""What is written beside a short text and may say what it is: `Password` to the left of a cell, above its column, or in
the paragraph before.

Detectors find some values only after a word that says what they are. In a form or a table, that word is a unit of its
own. So a value is searched a second time, after its caption and a colon, where the caption contains such a word.

Most captions name nothing, and differ only in their numbers: `Item 7`, `Item 8`. So words are looked for in captions
with a 0 for each number, each once in a batch.

Invariant: only hits in the value count, never those in the caption. Memory holds the heads of one table, and one unit.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import Final, NamedTuple

from sieve.core.units import Unit
from sieve.marking.cell_selectors import Cells
from sieve.marking.detectors.registry import Detector
from sieve.marking.neighbours import DIGITS, lane
from sieve.marking.ranges import BETWEEN_UNITS, Range

LONGEST_CAPTION: Final = 64
LONGEST_VALUE: Final = 128
"""Characters."""
MOST_ROWS: Final = 1_000
"""Rows of a table in which a cell may be the caption of the next one. Longer tables are no forms."""

_PROBE: Final = ": 100000000"
"""Some patterns match a word only with a number after it."""
_NUMBER: Final = re.compile(r"\d+")
_LETTER: Final = re.compile(r"[^\W\d_]")
_ROW: Final = re.compile(
    r"(?:((?:.*/)?sheet/[^/]*)/[A-Z]{1,3}([0-9]{1,9})|((?:.*/)?row)/([0-9]{1,18})/.*)\Z", re.DOTALL
)


class Beside(NamedTuple):
    """`of_each`: the captions that each unit of a batch may have. `kinds`: all of these that have letters, each once,
    by what they are with a 0 for each number.
    """

    of_each: Sequence[tuple[str, ...]]
    kinds: Mapping[str, Sequence[str]]


NOTHING_BESIDE: Final = Beside((), {})


class Captions:
    """Finds the captions of units, which must come in reading order."""

    def __init__(self) -> None:
        self._cells = Cells()
        self._long_table = ""
        self._in_long: dict[str, tuple[str, ...]] = {}
        """The captions of all further cells of a column of this table, by `_column`: a table may have a million cells,
        whose addresses take long to read."""
        self._table: object = None
        self._heads: dict[int, str] = {}
        self._before: Unit | None = None

    def of(self, batch: Sequence[Unit]) -> Beside:
        """The captions that each unit of the batch may have: none if it is long or empty."""
        found = []
        for unit in batch:
            captions = self._in_long.get(_column(unit.address))
            if captions is None:
                captions = self._read(unit)
            self._before = unit
            found.append(captions if 0 < len(unit.text) <= LONGEST_VALUE else ())
        return Beside(found, _kinds(dict.fromkeys(chain.from_iterable(found))))

    def _read(self, unit: Unit) -> tuple[str, ...]:
        head, before = self._head(unit), self._before
        captions: tuple[str, ...] = (head,) if head and len(head) <= LONGEST_CAPTION else ()
        long_table = _long_table(unit)
        if long_table is None:
            if before and 0 < len(before.text) <= LONGEST_CAPTION and _follows(before, unit):
                captions += (before.text,)
        elif head is not None:  # in the row of headings, the next cells of the column do not have its captions
            if long_table != self._long_table:
                self._long_table, self._in_long = long_table, {}
            self._in_long[_column(unit.address)] = captions
        return captions

    def _head(self, unit: Unit) -> str | None:
        """What is above the column of a cell; None for what is no cell, or a heading itself."""
        if not unit.cells:
            cell = self._cells.cell(unit)
            return cell.column if cell else None
        inner = unit.cells[-1]
        table = (lane(unit)[0], len(unit.cells), inner.table)
        if table != self._table:
            self._table, self._heads = table, {}
        if inner.row > 0:
            return self._heads.get(inner.column, "")
        self._heads[inner.column] = unit.text
        return None


def after_captions(detector: Detector, batch: Sequence[Unit], beside: Beside) -> Iterator[tuple[int, Range]]:
    """The hits that values have after their captions: the index in `batch` and the range."""
    naming = _naming(detector, beside.kinds)
    if not naming:
        return
    pairs = [(index, each) for index, captions in enumerate(beside.of_each) for each in captions if each in naming]
    texts = [f"{caption.rstrip(' :=')}: {batch[index].text}" for index, caption in pairs]
    starts = _starts(texts)
    for start, end in detector.find(BETWEEN_UNITS.join(texts)):
        at = bisect_right(starts, start) - 1
        index, _ = pairs[at]
        before = starts[at] + len(texts[at]) - len(batch[index].text)
        if start >= before:
            yield index, (start - before, end - before)


def _starts(texts: Sequence[str]) -> list[int]:
    """Where each of `texts` starts when they are joined, and where the next one would."""
    return [0, *accumulate(len(text) + len(BETWEEN_UNITS) for text in texts)]


def _kinds(captions: Iterable[str]) -> dict[str, list[str]]:
    """See `Beside`. No word before a value is without letters."""
    kinds: dict[str, list[str]] = {}
    for caption in captions:
        if BETWEEN_UNITS not in caption and _LETTER.search(caption):
            kinds.setdefault(_NUMBER.sub("0", caption), []).append(caption)
    return kinds


def _naming(detector: Detector, kinds: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """The captions with a word before a value, but without a value of their own. Such a word is what a pattern matches
    in a caption, or only after one, in `_PROBE`; but no number.
    """
    if not kinds:
        return frozenset()
    distinct = list(kinds)
    texts = [kind + _PROBE for kind in distinct]
    starts, together = _starts(texts), BETWEEN_UNITS.join(texts)
    words, with_number = set[int](), Counter[int]()
    for start, end in detector.candidates(together):
        index = bisect_right(starts, end - 1) - 1
        if end - starts[index] > len(distinct[index]):
            with_number[index] += 1
        elif _LETTER.search(together, start, end):
            words.add(index)
    without = sum(1 for _ in detector.candidates(_PROBE))
    words.update(index for index, count in with_number.items() if count > without)
    named = [caption for index in words for caption in kinds[distinct[index]]]
    starts = _starts(named)
    values = {bisect_right(starts, start) - 1 for start, _ in detector.find(BETWEEN_UNITS.join(named))}
    return frozenset(caption for index, caption in enumerate(named) if index not in values)


def _column(address: str) -> str:
    """The address of a cell without the number of its row."""
    if address.startswith("row/"):
        return address[address.find("/", len("row/")) :]
    return address.rstrip(DIGITS)


def _long_table(unit: Unit) -> str | None:
    """The table whose cells no longer are captions of the next ones, from this cell on."""
    row = None if unit.cells else _ROW.match(unit.address)
    if not row or int(row[2] or row[4]) <= MOST_ROWS or row[3] not in (None, "row"):
        return None
    table: str = row[1] or row[3]
    return table


def _follows(one: Unit, other: Unit) -> bool:
    """Whether `other` is the next cell in the row of `one`, or the next paragraph."""
    if one.cells and other.cells:
        first, second = one.cells[-1], other.cells[-1]
        return (first.table, first.row) == (second.table, second.row)
    row = _ROW.match(one.address)
    if not row:
        return lane(one) == lane(other)
    next_row = _ROW.match(other.address)
    return next_row is not None and row.groups() == next_row.groups()
