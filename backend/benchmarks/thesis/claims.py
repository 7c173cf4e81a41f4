"""The forms that the thesis's conclusions have, as questions to the rows. Each gives None where nothing was measured.

A difference counts only beyond `SLACK`: what is smaller than that changes from run to run.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from benchmarks.thesis.figures import Check, Exhibit, Series
from benchmarks.thesis.readings import Rows

SLACK = 0.03
SLACK_POINTS = 3.0
"""The same for improvements, in percentage points."""


def falls(panel: int, *names: str) -> Check:
    """Improvements of each series fall from the first x to the last, and never rise between by more than the slack."""
    return _each(panel, names, lambda ys: all(b <= a + SLACK_POINTS for a, b in pairwise(ys)) and ys[-1] < ys[0])


def rises(panel: int, *names: str) -> Check:
    """Values of each series rise from the first x to the last."""
    return _each(panel, names, lambda ys: all(b >= a * (1 - SLACK) for a, b in pairwise(ys)) and ys[-1] > ys[0])


def gains(panel: int, *names: str, until: float = 0.9, from_: float = 0.0) -> Check:
    """Every improvement at from_ <= x <= until is above zero."""

    def check(exhibit: Exhibit, rows: Rows) -> bool | None:
        found = [
            value
            for series in _series(exhibit, panel, names)
            for x, (value, _) in series.read(rows)
            if from_ <= x <= until
        ]
        return all(value > 0 for value in found) if found else None

    return check


def within(panel: int, name: str, x: float, low: float, high: float) -> Check:
    """The value at x lies between the two."""

    def check(exhibit: Exhibit, rows: Rows) -> bool | None:
        value = exhibit.panels[panel].named(name).at(x, rows)
        return None if value is None else low <= value <= high

    return check


def below(panel: int, lower: str, higher: str, xs: Sequence[float] | None = None) -> Check:
    """At no x that both have is `lower` the larger by more than the slack; at one at least it is as much smaller."""

    def check(exhibit: Exhibit, rows: Rows) -> bool | None:
        pairs = [
            (low, high)
            for x, (low, _) in exhibit.panels[panel].named(lower).read(rows)
            if (xs is None or x in xs) and (high := exhibit.panels[panel].named(higher).at(x, rows)) is not None
        ]
        if not pairs:
            return None
        slack = [SLACK * abs(high) for _, high in pairs]
        never_above = all(low <= high + more for (low, high), more in zip(pairs, slack, strict=True))
        return never_above and any(low < high - more for (low, high), more in zip(pairs, slack, strict=True))

    return check


def less_in_the_second(*names: str) -> Check:
    """Panel (b) shows less than panel (a), at every x that both have, by more than the slack at one."""

    def check(exhibit: Exhibit, rows: Rows) -> bool | None:
        pairs = [
            (value, second)
            for name in names
            for x, (value, _) in exhibit.panels[0].named(name).read(rows)
            if x < 1 and (second := exhibit.panels[1].named(name).at(x, rows)) is not None
        ]
        return all(second < value + SLACK_POINTS for value, second in pairs) if pairs else None

    return check


def best_at(panel: int, name: str, x: float) -> Check:
    """The series is lowest at x."""

    def check(exhibit: Exhibit, rows: Rows) -> bool | None:
        found = exhibit.panels[panel].named(name).read(rows)
        if len(found) < 2 or x not in [at for at, _ in found]:
            return None
        return min(found, key=lambda point: point[1][0])[0] == x

    return check


def all_of(*checks: Check) -> Check:
    """Every one that was measured holds."""

    def check(exhibit: Exhibit, rows: Rows) -> bool | None:
        found = [answer for one in checks if (answer := one(exhibit, rows)) is not None]
        return all(found) if found else None

    return check


def _each(panel: int, names: Sequence[str], holds: Callable[[list[float]], bool]) -> Check:
    def check(exhibit: Exhibit, rows: Rows) -> bool | None:
        read = [[value for _, (value, _) in series.read(rows)] for series in _series(exhibit, panel, names)]
        found = [ys for ys in read if len(ys) > 1]
        return all(holds(ys) for ys in found) if found else None

    return check


def _series(exhibit: Exhibit, panel: int, names: Sequence[str]) -> list[Series]:
    shown = exhibit.panels[panel].series
    return [series for series in shown if not names or series.name in names]
