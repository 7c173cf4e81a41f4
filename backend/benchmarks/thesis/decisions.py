"""When a claim is said to hold: what its numbers and their errors leave of it.

A claim comes down to a few numbers, each an estimate over many points: how far curves fall, how much longer one way
takes than another on average. Each is held against one limit, the least difference that counts. So each claim is either
true or not, and enough transfers decide it.

Invariants, which `tests/benchmarks/test_decisions.py` checks by simulation:

- If one of the numbers is at its limit or below, the claim is said to hold in at most `RISK` of all runs. "holds" wants
  each of them above: an intersection-union test, which needs no correction.
- If each is above and no single point is against the claim, it is said not to hold in at most `RISK` of all runs. "does
  not hold" wants any number below, or any single point clearly on the other side; the risk is shared out among them
  (Bonferroni), most of it among the numbers.
- A run that looks more than once, to give more transfers to what is undecided, shares the risk out among its looks.
  What an early one decides is decided.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from benchmarks.cases import Case
from benchmarks.thesis.estimates import Estimate

RISK = 0.05
EARLY_RISK = 0.01
"""Of it, what each look has before the last one, which has the rest."""
FOR_POINTS = 0.2
"""Of the risk that a claim is said not to hold, what its single points have."""
HOPELESS = 1000
"""From so many times the transfers on it is not worth saying how many."""


class Answer(StrEnum):
    """Of our rows to a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "not decided"
    MISSING = "not measured"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the rows say to a claim. `needed`: each must be above `limit`. `against`: single points and steps, positive
    where they agree with the claim; none may be below -`limit`. `points`: how many of the `of` that the claim speaks of
    were measured. `cases`: those of which more transfers would tell more. `unit`: "points", or "%" for estimates that
    are 100 times a logarithm of a ratio."""

    needed: tuple[Estimate, ...]
    against: tuple[Estimate, ...]
    points: int
    of: int
    cases: tuple[Case, ...]
    limit: float
    unit: str

    def answer(self, risk: float) -> Answer:
        """The answer that errs in at most `risk` of all runs."""
        if not self.needed:
            return Answer.MISSING
        if any(most < limit for _, most, limit in self._upper_bounds(risk)):
            return Answer.FAILS
        return Answer.HOLDS if all(one.value - one.reach(risk) > self.limit for one in self.needed) else Answer.OPEN

    def says(self, answer: Answer, risk: float) -> str:
        """The number that decides, or is the least clear, with its bound."""
        if answer is Answer.MISSING:
            return ""
        if answer is Answer.FAILS:
            value, bound, limit = min(self._upper_bounds(risk), key=lambda found: found[1] - found[2])
            where = "at one point " if limit < self.limit else ""
            return f"{where}{self._shown(value)}, at most {self._shown(bound)}{self._unit}"
        one = min(self.needed, key=lambda one: one.value - one.reach(risk))
        least = self._shown(one.value - one.reach(risk))
        if answer is Answer.HOLDS:
            return f"{self._shown(one.value)}, at least {least}{self._unit}"
        if one.errors is None:
            return "too few transfers of a point"
        most = self._shown(one.value + one.reach(risk))
        return f"{self._shown(one.value)}, between {least} and {most}{self._unit}; {_would_take(one, self.limit, risk)}"

    def _upper_bounds(self, risk: float) -> list[tuple[float, float, float]]:
        """Of each number and single point its value, the most that it may be, and the limit that this is held against.
        All bounds are kept but for the risk."""
        parts = [(self.needed, self.limit, 1 - FOR_POINTS if self.against else 1.0)]
        parts += [(self.against, -self.limit, FOR_POINTS)]
        return [
            (one.value, one.value + one.reach(share * risk / len(part)), limit)
            for part, limit, share in parts
            for one in part
        ]

    @property
    def _unit(self) -> str:
        return f" {self.unit}"

    def _shown(self, value: float) -> str:
        percent = 100 * math.expm1(value / 100) if self.unit == "%" else value
        return f"{percent:.1f}" if abs(percent) < 100 else f"{percent:.0f}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer, the number that it rests on, and at how many points of how many that the claim speaks of it was
    asked."""

    answer: Answer
    points: int
    of: int
    rests_on: str = ""

    def __str__(self) -> str:
        partly = f" at {self.points} of {self.of} points" if 0 < self.points < self.of else ""
        clear = self.answer in (Answer.HOLDS, Answer.FAILS)
        return f"**{self.answer}**{partly}" if clear else f"{self.answer}{partly}"


def is_open(looks: Sequence[Evidence]) -> bool:
    """Whether a run that goes on has not decided it yet."""
    answers = {evidence.answer(EARLY_RISK) for evidence in looks}
    return Answer.OPEN in answers and not answers & {Answer.HOLDS, Answer.FAILS}


def verdict(looks: Sequence[Evidence]) -> Verdict:
    """What it comes to. `looks`: the evidence at each early look of a run, and at last that of all of it."""
    early = len(looks) - 1
    for evidence, risk in zip(looks, [EARLY_RISK] * early + [RISK - early * EARLY_RISK], strict=True):
        answer = evidence.answer(risk)
        if answer in (Answer.HOLDS, Answer.FAILS):
            break
    return Verdict(answer, evidence.points, evidence.of, evidence.says(answer, risk))


def _would_take(one: Estimate, limit: float, risk: float) -> str:
    """How many times the transfers would make this bound decide, if the value stays."""
    times = (one.reach(risk) / max(abs(one.value - limit), 1e-9)) ** 2
    if times > HOPELESS:
        return f"it is at the limit, {limit:.1f}, as far as can be measured"
    return f"about {max(2, math.ceil(times))} times the transfers would decide it"
