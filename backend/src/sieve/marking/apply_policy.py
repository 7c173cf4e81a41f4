"""Applies a policy: finds the hits of its rules in the units of a document, for a preview or as marks.

Invariant: every hit names its rule. Hits come in reading order, those of one rule in one unit together. The hits of two
rules may overlap, since each has its own reason. Units are processed as a stream, and only numbers are kept of hits, so
that a million hits need 16 MB.

Small units, such as the cells of a table, are searched many at a time: searching a million cells one by one takes
minutes. A hit is in one unit, except that a private key may go on in the next ones (`neighbours`): it is then a hit in
each of them. Detectors also look at what is written beside a unit (`captions`).
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import chain, groupby, islice
from operator import attrgetter
from typing import Final, NamedTuple

from sieve.core.document import MAX_SPANS
from sieve.core.sentence import Sentence
from sieve.core.units import Mark, Unit
from sieve.marking.captions import NOTHING_BESIDE, Beside, Captions, after_captions
from sieve.marking.cell_selectors import Cell, Cells, Columns, Where
from sieve.marking.detectors.registry import Detector
from sieve.marking.errors import TooManyHits, TooManyRanges
from sieve.marking.granularity import Granularity, widened
from sieve.marking.neighbours import across_units, batches
from sieve.marking.patterns import Pattern
from sieve.marking.policy import Rule
from sieve.marking.ranges import BETWEEN_UNITS, MAX_RANGES, Range, Ranges

MAX_HITS: Final = MAX_SPANS
"""Hits of all rules together. A document cannot have more spans."""

BATCH_CHARACTERS: Final = 64 * 1024
"""Characters of small units that are searched at a time."""

_TEXT: Final = "text"
_PAGE: Final = "page/"
_WHOLES: Final = frozenset({"row", "sheet", "page"})


class UnitHits(NamedTuple):
    """The hits of one rule at one address. `ranges` is None if the whole address is hit."""

    rule: Rule
    address: str
    ranges: Ranges | None

    @property
    def hit_count(self) -> int:
        """The number of hits."""
        return 1 if self.ranges is None else len(self.ranges)


def all_hits(rules: Sequence[Rule], units: Iterable[Unit]) -> Iterator[UnitHits]:
    """All hits in the units of a document, which must come in reading order. For a preview, which takes the first ones.

    Raises:
        TooManyHits: one piece of text has too many hits to sort.
    """
    return _Search(rules).run(units)


def hits(rules: Sequence[Rule], units: Iterable[Unit]) -> Iterator[UnitHits]:
    """The same for marking a document.

    Raises:
        TooManyHits: more hits than a document may have marks; the error names the rule.
    """
    count = 0
    for found in all_hits(rules, units):
        count += found.hit_count
        if count > MAX_HITS:
            raise TooManyHits(
                Sentence(
                    "policy-too-many-hits",
                    "there are more than {limit} hits, the last of them from rule {rule}; make the rule narrower, or "
                    "its granularity coarser",
                    limit=MAX_HITS,
                    rule=str(found.rule.id),
                )
            )
        yield found


def first_marks(rules: Sequence[Rule], units: Iterable[Unit], limit: int) -> tuple[list[Mark], bool]:
    """The first `limit` hits as marks, in the order of `marks`, and whether there are more.

    For a preview, so more hits than a document may have are no error.

    Raises:
        TooManyHits: one unit has too many hits to sort.
    """
    found: list[Mark] = []
    for _, together in by_address(all_hits(rules, units)):
        found.extend(islice(marks_at([*together]), limit + 1 - len(found)))
        if len(found) > limit:
            return found[:limit], True
    return found, False


def marks(rules: Sequence[Rule], units: Iterable[Unit]) -> Iterator[Mark]:
    """The hits as marks, sorted by start within each unit.

    Raises:
        TooManyHits: as `hits` does.
    """
    for _, together in by_address(hits(rules, units)):
        yield from marks_at([*together])


def by_address(found: Iterable[UnitHits]) -> Iterator[tuple[str, Iterator[UnitHits]]]:
    """The hits at each address, whose iterators end at the next address."""
    return groupby(found, key=attrgetter("address"))


def marks_at(together: Sequence[UnitHits]) -> Iterator[Mark]:
    """The hits at one address as marks, sorted by start."""
    for found in together:
        if found.ranges is None:
            yield Mark(found.address, None, None, found.rule.label, found.rule.id, found.rule.reason)
    by_place = merge(*(_numbered(index, found.ranges) for index, found in enumerate(together) if found.ranges))
    for (start, end), index in by_place:
        address, rule = together[index].address, together[index].rule
        yield Mark(address, start, end, rule.label, rule.id, rule.reason)


def _numbered(index: int, ranges: Ranges) -> Iterator[tuple[Range, int]]:
    return ((place, index) for place in ranges)


class _Search:
    """One pass over a document."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._in_text = [rule for rule in rules if not isinstance(rule.selector, Columns | Where)]
        self._in_cells = [rule for rule in rules if isinstance(rule.selector, Columns | Where)]
        self._cells = Cells()
        self._row: list[Cell] = []
        self._columns_found: set[tuple[str, str]] = set()
        # Rules with a hit that marks the whole document. Addresses are kept only if a rule may need them.
        self._everywhere: dict[str, Rule] = {}
        self._keeps_addresses = any(_may_take_all(rule) for rule in rules)
        self._addresses: dict[str, None] = {}
        self._paged = False
        self._captions = Captions() if any(isinstance(rule.selector, Detector) for rule in rules) else None

    def run(self, units: Iterable[Unit]) -> Iterator[UnitHits]:
        for batch in batches(units, BATCH_CHARACTERS):
            yield from self._batch(batch)
        yield from self._finish_row()
        for rule in self._everywhere.values():
            yield from (UnitHits(rule, address, None) for address in self._addresses)

    def _batch(self, batch: list[Unit]) -> Iterator[UnitHits]:
        if self._keeps_addresses:
            # Only rows, sheets and pages, since there may be millions of cells.
            self._addresses.update(dict.fromkeys(_whole(unit.address) for unit in batch))
        self._paged = self._paged or batch[0].address.startswith(_PAGE)
        found: list[list[UnitHits]] = [[] for _ in batch]
        beside = self._captions.of(batch) if self._captions else NOTHING_BESIDE
        for rule in self._in_text:
            if rule.id in self._everywhere:
                continue
            try:
                for index, ranges in _find(rule, batch, beside):
                    unit = batch[index]
                    if _takes_all(rule, unit, self._paged):
                        self._everywhere[rule.id] = rule
                        break
                    found[index].append(_unit_hits(rule, unit, ranges))
            except TooManyRanges:
                raise TooManyHits(
                    Sentence(
                        "policy-too-many-hits-in-text",
                        "rule {rule} hits more than {limit} times in one piece of text; make it narrower",
                        rule=str(rule.id),
                        limit=MAX_RANGES,
                    )
                ) from None
        for unit, in_unit in zip(batch, found, strict=True):
            yield from self._look_at_cell(unit)
            yield from in_unit

    def _look_at_cell(self, unit: Unit) -> Iterator[UnitHits]:
        if not self._in_cells:
            return
        cell = self._cells.cell(unit)
        if cell is None:
            return
        if self._row and self._row[0].row != cell.row:
            yield from self._finish_row()
        self._row.append(cell)

    def _finish_row(self) -> Iterator[UnitHits]:
        for rule in self._in_cells:
            if not isinstance(rule.selector, Columns | Where):
                continue
            for address in rule.selector.places(self._row):
                if isinstance(rule.selector, Columns) and address.startswith("column/"):
                    if (rule.id, address) in self._columns_found:
                        continue
                    self._columns_found.add((rule.id, address))
                yield UnitHits(rule, address, None)
        self._row = []


def _find(rule: Rule, batch: list[Unit], beside: Beside) -> Iterator[tuple[int, Ranges]]:
    """The index of each unit of the batch with hits of the rule, and the hits."""
    selector = rule.selector
    if isinstance(selector, Columns | Where):
        return
    if isinstance(selector, Pattern) or (len(batch) == 1 and not beside.kinds):
        # A pattern may refer to the start and end of its text, or match anything, so it searches each text separately.
        for index, unit in enumerate(batch):
            if ranges := selector.find(unit.text):
                yield index, ranges
        return
    starts = [0]
    for unit in batch:
        starts.append(starts[-1] + len(unit.text) + len(BETWEEN_UNITS))
    together = BETWEEN_UNITS.join(unit.text for unit in batch)
    found: dict[int, list[Range]] = {}
    for start, end in selector.find(together):
        at = bisect_right(starts, start) - 1
        found.setdefault(at, []).append((start - starts[at], end - starts[at]))
    if isinstance(selector, Detector):
        more = after_captions(selector, batch, beside)
        if selector.may_find_across(together):
            more = chain(more, across_units(selector, batch))
        for at, place in more:
            found.setdefault(at, []).append(place)
    yield from ((at, Ranges(sorted(places, key=_end))) for at, places in found.items())


def _end(place: Range) -> int:
    return place[1]


def _may_take_all(rule: Rule) -> bool:
    return rule.granularity in (Granularity.DOCUMENT, Granularity.PAGE)


def _takes_all(rule: Rule, unit: Unit, paged: bool) -> bool:
    """Whether a hit in the unit marks the whole document.

    Only texts and PDFs have known pages; in other formats the page is the whole document. Units of a PDF outside its
    pages, such as bookmarks, come after the pages.
    """
    if rule.granularity is Granularity.PAGE:
        return unit.address != _TEXT and not paged
    return rule.granularity is Granularity.DOCUMENT


def _whole(address: str) -> str:
    """The row, sheet or page that the address is in; the address itself if it is in none."""
    first, _, rest = address.partition("/")
    return f"{first}/{rest.partition('/')[0]}" if first in _WHOLES else address


def _unit_hits(rule: Rule, unit: Unit, ranges: Ranges) -> UnitHits:
    if rule.granularity is Granularity.PAGE and unit.address != _TEXT:
        return UnitHits(rule, _whole(unit.address), None)
    if rule.granularity is Granularity.MATCH:
        return UnitHits(rule, unit.address, ranges)
    return UnitHits(rule, unit.address, Ranges(widened(unit.text, ranges, rule.granularity)))
