"""The forms that the thesis's conclusions have, as questions to the rows.

Invariant: there is an answer only if the intervals allow no other. Each question asks whether a value is above a limit:
yes if all of its interval is, no if none of it is, else it is not decided. Fewer than `readings.LEAST` transfers have
no interval and decide nothing. A difference counts only beyond `SLACK`: smaller ones change from run to run, however
narrow the interval of one run is. A verdict says for how many of its points it was asked.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from benchmarks.thesis.figures import Answer, Check, Claim, Exhibit, Panel, Series, Verdict
from benchmarks.thesis.readings import Read, Rows

SLACK = 0.03
SLACK_POINTS = 3.0
"""The same for improvements, in percentage points."""


def falls(panel: int, *names: str) -> Check:
    """Values of each series fall from the first x to the last, and never rise between by more than the slack."""
    return _each(panel, names, _falling)


def rises(panel: int, *names: str) -> Check:
    """Values of each series rise from the first x to the last, and never fall between by more than the slack."""
    return _each(panel, names, lambda shown, found: _falling(shown, found[::-1]))


def gains(panel: int, *names: str, until: float = 0.9) -> Check:
    """Every improvement at x <= until is above zero."""

    def check(exhibit: Exhibit, rows: Rows) -> Verdict:
        asked = [series.at(x, rows) for series in _series(exhibit, panel, names) for x, _ in series.ours if x <= until]
        return _verdict(asked, [_above(read, 0.0, SLACK_POINTS) for read in asked if read is not None])

    return check


def loses(panel: int, x: float, *names: str) -> Check:
    """Every improvement at x is below zero."""

    def check(exhibit: Exhibit, rows: Rows) -> Verdict:
        asked = [series.at(x, rows) for series in _series(exhibit, panel, names)]
        return _verdict(asked, [_above(_less((0.0, 0.0), read), 0.0, SLACK_POINTS) for read in asked if read])

    return check


def about(says: str, page: int, panel: int, name: str, x: float, low: float, high: float, why: str = "") -> Claim:
    """The claim that the value at x is about what the thesis says: between the two, which are said."""

    def check(exhibit: Exhibit, rows: Rows) -> Verdict:
        read = exhibit.panels[panel].named(name).at(x, rows)
        if read is None:
            return _verdict([None], [])
        return _verdict([read], [_above(read, low), _above(_less((0.0, 0.0), read), -high)])

    return Claim(f"{says} (here: {low:g} to {high:g} %)", page, check, why)


def below(panel: int, lower: str, higher: str, xs: Sequence[float] | None = None) -> Check:
    """At no x that both have is `lower` the larger by more than the slack; at one at least it is as much smaller."""

    def check(exhibit: Exhibit, rows: Rows) -> Verdict:
        shown = exhibit.panels[panel]
        low, high = shown.named(lower), shown.named(higher)
        both = {x for x, _ in low.ours} & {x for x, _ in high.ours}
        wanted = sorted(both if xs is None else both & set(xs))
        return _pairs(shown, [(low.at(x, rows), high.at(x, rows)) for x in wanted])

    return check


def less_in_the_second(*names: str) -> Check:
    """Panel (b) shows less than panel (a), at every x below 1 that both have, by more than the slack at one."""

    def check(exhibit: Exhibit, rows: Rows) -> Verdict:
        first, second = exhibit.panels[:2]
        pairs = [
            (second.named(name).at(x, rows), first.named(name).at(x, rows))
            for name in names
            for x, _ in first.named(name).ours
            if x < 1
        ]
        return _pairs(first, pairs)

    return check


def best_at(panel: int, name: str, x: float) -> Check:
    """The series is lowest at x."""

    def check(exhibit: Exhibit, rows: Rows) -> Verdict:
        shown = exhibit.panels[panel]
        series = shown.named(name)
        best, asked = series.at(x, rows), [series.at(at, rows) for at, _ in series.ours]
        others = [series.at(at, rows) for at, _ in series.ours if at != x]
        if best is None:
            return _verdict([None] * len(asked), [])
        least = _slack(shown, best)
        return _verdict(asked, [_above(_less(other, best), 0.0, least) for other in others if other is not None])

    return check


def all_of(*checks: Check) -> Check:
    """Every one that was measured holds."""

    def check(exhibit: Exhibit, rows: Rows) -> Verdict:
        found = [one(exhibit, rows) for one in checks]
        measured = [one.answer for one in found if one.answer is not Answer.MISSING]
        return Verdict(_all(measured), sum(one.points for one in found), sum(one.of for one in found))

    return check


def _above(read: Read, limit: float, least: float = 0.0) -> Answer:
    """Whether a value is above a limit. `least`: half the width that its interval is taken to have at least."""
    value, half = read
    if half is None:
        return Answer.OPEN
    half = max(half, least)
    if value - half > limit:
        return Answer.HOLDS
    return Answer.FAILS if value + half < limit else Answer.OPEN


def _less(minuend: Read, subtrahend: Read) -> Read:
    """The difference, with the interval that two independent errors leave it."""
    halves = minuend[1], subtrahend[1]
    half = None if halves[0] is None or halves[1] is None else math.hypot(halves[0], halves[1])
    return minuend[0] - subtrahend[0], half


def _slack(panel: Panel, *reads: Read) -> float:
    return SLACK_POINTS if panel.is_percentage else SLACK * max(abs(value) for value, _ in reads)


def _all(answers: Sequence[Answer]) -> Answer:
    """What they come to if each must hold."""
    order = (Answer.FAILS, Answer.OPEN, Answer.HOLDS)
    return next((answer for answer in order if answer in answers), Answer.MISSING)


def _any(answers: Sequence[Answer]) -> Answer:
    """What they come to if one must hold."""
    order = (Answer.HOLDS, Answer.OPEN, Answer.FAILS)
    return next((answer for answer in order if answer in answers), Answer.MISSING)


def _verdict(asked: Sequence[object | None], answers: Sequence[Answer]) -> Verdict:
    return Verdict(_all(answers), sum(one is not None for one in asked), len(asked))


def _pairs(panel: Panel, pairs: Iterable[tuple[Read | None, Read | None]]) -> Verdict:
    """The first of each pair is the smaller: never the larger by more than the slack, once smaller by as much."""
    asked = [None if low is None or high is None else (low, high) for low, high in pairs]
    never_larger, once_smaller = [], []
    for low, high in (pair for pair in asked if pair is not None):
        difference, slack = _less(high, low), _slack(panel, low, high)
        never_larger.append(_above(difference, -slack))
        once_smaller.append(_above(difference, slack))
    return _verdict(asked, [*never_larger, _any(once_smaller)] if never_larger else [])


def _falling(panel: Panel, reads: Sequence[Read]) -> list[Answer]:
    steps = [_above(_less(a, b), -_slack(panel, a, b)) for a, b in pairwise(reads)]
    return [*steps, _above(_less(reads[0], reads[-1]), 0.0)]


def _each(panel: int, names: Sequence[str], answers: Callable[[Panel, Sequence[Read]], list[Answer]]) -> Check:
    def check(exhibit: Exhibit, rows: Rows) -> Verdict:
        shown = exhibit.panels[panel]
        found = [[series.at(x, rows) for x, _ in series.ours] for series in _series(exhibit, panel, names)]
        measured = [[read for read in reads if read is not None] for reads in found]
        answered = [answer for reads in measured if len(reads) > 1 for answer in answers(shown, reads)]
        return _verdict([read for reads in found for read in reads], answered)

    return check


def _series(exhibit: Exhibit, panel: int, names: Sequence[str]) -> list[Series]:
    shown = exhibit.panels[panel].series
    return [series for series in shown if not names or series.name in names]
