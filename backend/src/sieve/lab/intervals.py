"""The 95 % confidence interval of a mean, by Student's t distribution."""

import math
import statistics
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sieve.lab.errors import LabError

# Two-sided 95 % points by degrees of freedom. Between two entries the smaller degree's larger point is taken, so that
# an interval is never drawn too narrow.
_T95: Final = {
    1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228,
    11: 2.201, 12: 2.179, 13: 2.160, 14: 2.145, 15: 2.131, 16: 2.120, 17: 2.110, 18: 2.101, 19: 2.093, 20: 2.086,
    22: 2.074, 24: 2.064, 26: 2.056, 28: 2.048, 30: 2.042, 40: 2.021, 60: 2.000, 120: 1.980, 1000: 1.962,
}  # fmt: skip
_DEGREES: Final = sorted(_T95)


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of `n` samples. `ci95`: half the width of its 95 % interval; None for one sample. `deviation`: the
    samples' standard deviation; 0 for one sample.
    """

    value: float
    ci95: float | None
    deviation: float
    n: int

    def half_width_of(self, runs: int) -> float | None:
        """Half the width of the interval that holds the mean of `runs` further samples in 95 of 100 cases."""
        if self.n < 2:
            return None
        return t95(self.n - 1) * self.deviation * math.sqrt(1 / runs + 1 / self.n)


def t95(degrees: int) -> float:
    """The two-sided 95 % point for that many degrees of freedom, at least 1."""
    if degrees < 1:
        raise LabError(f"Student's t needs at least 1 degree of freedom, not {degrees}")
    return _T95[_DEGREES[bisect_right(_DEGREES, degrees) - 1]]


def half_width(samples: Sequence[float]) -> float | None:
    """Half the width of the mean's 95 % interval; None for fewer than two samples."""
    n = len(samples)
    return t95(n - 1) * statistics.stdev(samples) / math.sqrt(n) if n > 1 else None


def mean_of(samples: Sequence[float]) -> Mean:
    """The mean of at least one sample."""
    if not samples:
        raise LabError("the mean of no samples is not defined; give at least one")
    deviation = statistics.stdev(samples) if len(samples) > 1 else 0.0
    return Mean(statistics.fmean(samples), half_width(samples), deviation, len(samples))
