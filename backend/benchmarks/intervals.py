"""Mean, median and the 95 % confidence interval of a mean, by Student's t distribution."""

import math
import statistics
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

# Two-sided 95 % points by degrees of freedom. Between two entries the smaller degree's larger point is taken, so that
# an interval is never drawn too narrow.
_T95 = {
    1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228,
    11: 2.201, 12: 2.179, 13: 2.160, 14: 2.145, 15: 2.131, 16: 2.120, 17: 2.110, 18: 2.101, 19: 2.093, 20: 2.086,
    22: 2.074, 24: 2.064, 26: 2.056, 28: 2.048, 30: 2.042, 40: 2.021, 60: 2.000, 120: 1.980, 1000: 1.962,
}  # fmt: skip
_DEGREES = sorted(_T95)


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


def t95(degrees: int) -> float:
    """The two-sided 95 % point for so many degrees of freedom."""
    return _T95[_DEGREES[bisect_right(_DEGREES, degrees) - 1]]


def figure(samples: Sequence[float], shared: Sequence[float] | None = None) -> Figure:
    """Of at least one sample. `shared`: the part of each that was measured once for several of them, as the sieve's
    time of one upload is; what is not known of it hangs on how many different ones there are, however many samples."""
    n = len(samples)
    alone = samples if shared is None else [all_of - part for all_of, part in zip(samples, shared, strict=True)]
    different = sorted(set(shared or (0.0,)))
    halves = [_half(alone), _half(different) if any(different) else 0.0]
    ci95 = math.hypot(*(half for half in halves if half is not None)) if None not in halves else None
    return Figure(statistics.fmean(samples), ci95, statistics.median(samples), n)


def _half(samples: Sequence[float]) -> float | None:
    """Half the width of the mean's interval."""
    n = len(samples)
    return t95(n - 1) * statistics.stdev(samples) / math.sqrt(n) if n > 1 else None


def ratio(above: Figure, below: Figure) -> tuple[float, float | None]:
    """above / below and the half width of its 95 % interval, from both intervals as independent errors."""
    value = above.mean / below.mean
    if above.ci95 is None or below.ci95 is None:
        return value, None
    return value, abs(value) * math.hypot(above.relative, below.relative)
