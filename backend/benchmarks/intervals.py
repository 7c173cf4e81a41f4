"""Mean, median and the 95 % confidence interval of a mean, by Student's t distribution."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from sieve.lab.intervals import half_width


@dataclass(frozen=True, slots=True)
class Figure:
    """`ci95`: half the width of the mean's 95 % interval; None for fewer than two samples."""

    mean: float
    ci95: float | None
    median: float
    n: int

    @property
    def relative(self) -> float:
        """The half width as a part of the mean."""
        return math.inf if self.ci95 is None or not self.mean else self.ci95 / abs(self.mean)

    def to_json(self) -> dict[str, float | None]:
        return {
            "mean": round(self.mean, 3),
            "ci95": None if self.ci95 is None else round(self.ci95, 3),
            "median": round(self.median, 3),
        }


def figure(samples: Sequence[float], shared: Sequence[float] | None = None) -> Figure:
    """Of at least one sample. `shared`: the part of each that was measured once for several of them, such as the
    sieve's time of one upload. Its interval depends on how many different ones there are, not on how many samples."""
    n = len(samples)
    alone = samples if shared is None else [all_of - part for all_of, part in zip(samples, shared, strict=True)]
    different = sorted(set(shared or (0.0,)))
    halves = [half_width(alone), half_width(different) if any(different) else 0.0]
    ci95 = math.hypot(*(half for half in halves if half is not None)) if None not in halves else None
    return Figure(statistics.fmean(samples), ci95, statistics.median(samples), n)


def ratio(above: Figure, below: Figure) -> tuple[float, float | None]:
    """above / below and the half width of its 95 % interval, from both intervals as independent errors."""
    value = above.mean / below.mean
    if above.ci95 is None or below.ci95 is None:
        return value, None
    return value, abs(value) * math.hypot(above.relative, below.relative)
