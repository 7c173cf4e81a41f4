"""A value worked out of measured means, with its error and the bounds that follow.

The rule is that of the GUM (JCGM 100:2008, clauses 5.1 and G.4): errors go on to first order, those of one mean cancel
or add up wherever it enters, and degrees of freedom are Welch's and Satterthwaite's.
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from scipy.special import stdtrit

MANY = 1e6
"""Degrees of freedom of what has no error."""


@dataclass(frozen=True, slots=True)
class Error:
    """What one mean adds to a value's error. `standard`: its standard error times the value's derivative by it, with
    the sign of the latter. `degrees`: of freedom."""

    standard: float
    degrees: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """`errors`: by the mean that they come from; None while they are not known."""

    value: float
    errors: Mapping[Hashable, Error] | None

    @property
    def standard(self) -> float | None:
        """The standard error."""
        return None if self.errors is None else math.hypot(*(error.standard for error in self.errors.values()))

    @property
    def degrees(self) -> float:
        """Degrees of freedom, by Welch and Satterthwaite."""
        squares = [(error.standard**2, error.degrees) for error in (self.errors or {}).values()]
        below = sum(square**2 / degrees for square, degrees in squares)
        return sum(square for square, _ in squares) ** 2 / below if below else MANY

    def reach(self, risk: float) -> float:
        """How far the truth may lie to one side, except with this risk (Student's t, one-sided)."""
        standard = self.standard
        return math.inf if standard is None else standard * float(stdtrit(self.degrees, 1 - risk))

    @property
    def half(self) -> float | None:
        """Half the width of the 95 % interval."""
        return None if self.errors is None else self.reach(0.025)

    def __sub__(self, other: "Estimate") -> "Estimate":
        return combined(self.value - other.value, [(1.0, self), (-1.0, other)])

    def __neg__(self) -> "Estimate":
        return combined(-self.value, [(-1.0, self)])


def known(value: float) -> Estimate:
    """What has no error."""
    return Estimate(value, {})


def combined(value: float, parts: Iterable[tuple[float, Estimate]]) -> Estimate:
    """A value with its derivatives by the estimates that it is worked out of."""
    total: dict[Hashable, Error] = {}
    for derivative, part in parts:
        if part.errors is None:
            return Estimate(value, None)
        for source, error in part.errors.items():
            before = total[source].standard if source in total else 0.0
            total[source] = Error(before + derivative * error.standard, error.degrees)
    return Estimate(value, total)


def weighted(weights: Sequence[float], estimates: Sequence[Estimate]) -> Estimate:
    """The sum of the estimates, each times its weight."""
    parts = list(zip(weights, estimates, strict=True))
    return combined(sum(weight * one.value for weight, one in parts), parts)


def mean(estimates: Sequence[Estimate]) -> Estimate:
    """Of at least one estimate."""
    return weighted([1 / len(estimates)] * len(estimates), estimates)


def saved(base: Estimate, ours: Estimate) -> Estimate:
    """The part of the base that is saved, in per cent."""
    share = ours.value / base.value
    return combined(100 * (1 - share), [(-100 / base.value, ours), (100 * share / base.value, base)])


def longer(above: Estimate, below: Estimate) -> Estimate:
    """By how much the one is above the other, as 100 times the logarithm of their ratio: about per cent."""
    value = 100 * math.log(above.value / below.value)
    return combined(value, [(100 / above.value, above), (-100 / below.value, below)])


def change(xs: Sequence[float], estimates: Sequence[Estimate]) -> Estimate:
    """By how much the straight line nearest to the values (least squares) changes from the first x to the last."""
    middle = sum(xs) / len(xs)
    spread = sum((x - middle) ** 2 for x in xs)
    return weighted([(xs[-1] - xs[0]) * (x - middle) / spread for x in xs], estimates)


def logarithm(estimate: Estimate) -> Estimate:
    """100 times the natural logarithm: a difference of two is about per cent."""
    return combined(100 * math.log(estimate.value), [(100 / estimate.value, estimate)])
