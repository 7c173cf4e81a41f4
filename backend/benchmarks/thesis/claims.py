"""The forms that the thesis's conclusions have, as questions to the rows: each gives the numbers that `decisions` holds
against the least difference that counts.

Improvements are compared by their difference, in points; times by 100 times the logarithm of their ratio, which is
about per cent and says the same whichever of the two is the base.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from benchmarks.cases import Case
from benchmarks.thesis.decisions import Evidence
from benchmarks.thesis.estimates import Estimate, change, known, logarithm, mean
from benchmarks.thesis.figures import Check, Claim, Exhibit, Panel, Series
from benchmarks.thesis.readings import Reading, Rows, deciding

COUNTS = 3.0
"""Points of an improvement, or per cent of a time: the least difference that counts. Smaller ones change from run to
run, however narrow the interval of one run is."""


def falls(panel: int, *names: str) -> Check:
    """The straight lines through the series fall, on average; none rises, and no step between two neighbours does."""
    return _trend(panel, names, -1.0)


def rises(panel: int, *names: str) -> Check:
    """The straight lines through the series rise, on average; none falls, and no step between two neighbours does."""
    return _trend(panel, names, 1.0)


def gains(panel: int, *names: str, until: float = 0.9) -> Check:
    """At every x <= until the mean improvement of the series is above zero; no single improvement is below."""

    def check(exhibit: Exhibit, rows: Rows) -> Evidence:
        asked = _Asked(exhibit.panels[panel], rows)
        by_x: dict[float, list[Estimate]] = defaultdict(list)
        shown = _series(exhibit, panel, names)
        for series in shown:
            for x, reading in series.ours:
                if x <= until and (found := asked.level(reading)) is not None:
                    by_x[x].append(found)
        single = _all(by_x.values()) if len(shown) > 1 else []
        return asked.evidence([mean(found) for found in by_x.values()], single)

    return check


def loses(panel: int, x: float, *names: str) -> Check:
    """The mean improvement of the series at x is below zero; no single one is above."""

    def check(exhibit: Exhibit, rows: Rows) -> Evidence:
        asked = _Asked(exhibit.panels[panel], rows)
        readings = [series.reading(x) for series in _series(exhibit, panel, names)]
        return asked.on_average([-found for one in readings if one and (found := asked.level(one)) is not None])

    return check


def about(says: str, page: int, panel: int, name: str, x: float, low: float, high: float, why: str = "") -> Claim:
    """The claim that the value at x is about what the thesis says: between the two, which are said."""

    def check(exhibit: Exhibit, rows: Rows) -> Evidence:
        asked = _Asked(exhibit.panels[panel], rows)
        reading = exhibit.panels[panel].named(name).reading(x)
        found = asked.level(reading) if reading else None
        needed = [] if found is None else [found - known(low), known(high) - found]
        return asked.evidence(needed, [], limit=0.0)

    return Claim(f"{says} (here: {low:g} to {high:g} %)", page, check, why)


def below(panel: int, lower: str, higher: str, xs: Sequence[float] | None = None) -> Check:
    """`lower` is the smaller on average over the x that both have, or those of `xs`; at no single one the larger."""
    return below_in((panel,), lower, higher, xs)


def below_in(panels: Sequence[int], lower: str, higher: str, xs: Sequence[float] | None = None) -> Check:
    """The same on average over several panels."""

    def check(exhibit: Exhibit, rows: Rows) -> Evidence:
        asked = _Asked(exhibit.panels[panels[0]], rows)
        return asked.on_average(_gaps(exhibit, panels, lower, higher, xs, asked))

    return check


def below_at_every_x(panel: int, lower: str, higher: str) -> Check:
    """`lower` is the smaller at each x that both have."""

    def check(exhibit: Exhibit, rows: Rows) -> Evidence:
        asked = _Asked(exhibit.panels[panel], rows)
        return asked.evidence(_gaps(exhibit, (panel,), lower, higher, None, asked), [])

    return check


def less_in_the_second(*names: str) -> Check:
    """Panel (b) shows less than panel (a), on average over the x below 1 that both have; at no single one more."""

    def check(exhibit: Exhibit, rows: Rows) -> Evidence:
        first, second = exhibit.panels[:2]
        asked = _Asked(first, rows)
        pairs = [
            (second.named(name).reading(x), reading) for name in names for x, reading in first.named(name).ours if x < 1
        ]
        return asked.on_average(asked.gaps(pairs))

    return check


def best_at(panel: int, name: str, x: float) -> Check:
    """The series is lowest at x: each other one is longer."""

    def check(exhibit: Exhibit, rows: Rows) -> Evidence:
        shown = exhibit.panels[panel]
        asked = _Asked(shown, rows)
        found = {at: asked.level(reading) for at, reading in shown.named(name).ours}
        best = found.pop(x)
        others = [other for other in found.values() if other is not None]
        return asked.evidence([] if best is None else [other - best for other in others], [])

    return check


def all_of(*checks: Check) -> Check:
    """Each of them."""

    def check(exhibit: Exhibit, rows: Rows) -> Evidence:
        found = [one(exhibit, rows) for one in checks]
        return Evidence(
            tuple(_all(one.needed for one in found)),
            tuple(_all(one.against for one in found)),
            sum(one.points for one in found),
            sum(one.of for one in found),
            tuple(case for one in found for case in one.cases),
            found[0].limit,
            found[0].unit,
        )

    return check


@dataclass(slots=True)
class _Asked:
    """Reads what a claim asks for, and keeps what that was: `of` points, of which `points` were measured."""

    panel: Panel
    rows: Rows
    points: int = 0
    of: int = 0
    cases: list[Case] = field(default_factory=list)

    def level(self, reading: Reading) -> Estimate | None:
        """A value whose differences can be compared: points of an improvement, or a logarithm of a time."""
        found = self._read(reading)
        self._count(found is not None)
        return found

    def gaps(self, pairs: Iterable[tuple[Reading | None, Reading | None]]) -> list[Estimate]:
        """By how much the first of each pair is the smaller, where both were measured."""
        found = []
        for low, high in pairs:
            smaller, larger = (self._read(one) if one else None for one in (low, high))
            self._count(smaller is not None and larger is not None)
            if smaller is not None and larger is not None:
                found.append(larger - smaller)
        return found

    def on_average(self, found: Sequence[Estimate]) -> Evidence:
        """These together; against it is any one of them."""
        return self.evidence([mean(found)] if found else [], found if len(found) > 1 else [])

    def evidence(self, needed: Iterable[Estimate], against: Iterable[Estimate], limit: float | None = None) -> Evidence:
        """Of what was read. `limit`: if not the least that counts."""
        counts = COUNTS if self.panel.is_percentage else 100 * math.log1p(COUNTS / 100)
        return Evidence(
            tuple(needed),
            tuple(against),
            self.points,
            self.of,
            tuple(dict.fromkeys(self.cases)),
            counts if limit is None else limit,
            "points" if self.panel.is_percentage else "%",
        )

    def _read(self, reading: Reading) -> Estimate | None:
        self.cases += deciding(reading, self.rows)
        found = reading.read(self.rows)
        return found if found is None or self.panel.is_percentage else logarithm(found)

    def _count(self, is_measured: bool) -> None:
        self.of += 1
        self.points += is_measured


def _trend(panel: int, names: Sequence[str], sign: float) -> Check:
    def check(exhibit: Exhibit, rows: Rows) -> Evidence:
        asked = _Asked(exhibit.panels[panel], rows)
        lines, steps = [], []
        for series in _series(exhibit, panel, names):
            read = [(x, asked.level(reading)) for x, reading in series.ours]
            found = [(x, one if sign > 0 else -one) for x, one in read if one is not None]
            if len(found) > 1:
                lines.append(change([x for x, _ in found], [one for _, one in found]))
                steps += [after - before for (_, before), (_, after) in pairwise(found)]
        of_lines = asked.on_average(lines)
        return asked.evidence(of_lines.needed, [*of_lines.against, *steps])

    return check


def _gaps(
    exhibit: Exhibit, panels: Iterable[int], lower: str, higher: str, xs: Sequence[float] | None, asked: _Asked
) -> list[Estimate]:
    pairs = []
    for number in panels:
        low, high = exhibit.panels[number].named(lower), exhibit.panels[number].named(higher)
        pairs += [(reading, high.reading(x)) for x, reading in low.ours if high.reading(x) and (xs is None or x in xs)]
    return asked.gaps(pairs)


def _series(exhibit: Exhibit, panel: int, names: Sequence[str]) -> list[Series]:
    shown = exhibit.panels[panel].series
    return [series for series in shown if not names or series.name in names]


def _all(found: Iterable[Iterable[Estimate]]) -> list[Estimate]:
    return [one for several in found for one in several]
