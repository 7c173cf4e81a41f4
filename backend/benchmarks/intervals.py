"""Mean, median and the 95 % confidence interval of a mean, by Student's t distribution; and the trimmed mean, which a
few transfers that were held up by something else do not move."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from sieve.lab.intervals import half_width

TRIMMED = 0.2
"""The part that a trimmed mean leaves out at either end."""


@dataclass(frozen=True, slots=True)
class Trimmed:
    """The mean without the lowest and the highest fifth. `error`: its standard error, with `degrees` of freedom, both
    by Yuen (Biometrika 61 (1974) 165-170); None for fewer than two samples."""

    mean: float
    error: float | None
    degrees: float | None

    def to_json(self) -> dict[str, float | None]:
        return {
            "mean": round(self.mean, 4),
            "error": None if self.error is None else round(self.error, 5),
            "degrees": None if self.degrees is None else round(self.degrees, 2),
        }


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
    halves = [half_width(part) for part in _parts(samples, shared)]
    ci95 = math.hypot(*(half for half in halves if half is not None)) if None not in halves else None
    return Figure(statistics.fmean(samples), ci95, statistics.median(samples), len(samples))


def trimmed(samples: Sequence[float], shared: Sequence[float] | None = None) -> Trimmed:
    """Of at least one sample. `shared` as in `figure`; only what differs from sample to sample is trimmed."""
    alone, *different = (sorted(part) for part in _parts(samples, shared))
    cut = int(TRIMMED * len(alone))
    kept = alone[cut : len(alone) - cut]
    mean = statistics.fmean(kept) + statistics.fmean(shared or (0.0,))
    if any(len(part) < 2 for part in (alone, *different)):
        return Trimmed(mean, None, None)
    winsorized = [kept[0]] * cut + kept + [kept[-1]] * cut
    square = statistics.variance(winsorized) * (len(alone) - 1) / len(kept) / (len(kept) - 1)
    squares = [(square, len(kept) - 1)]
    squares += [(statistics.variance(part) / len(part), len(part) - 1) for part in different]
    # Degrees of freedom of a sum are Welch's and Satterthwaite's.
    square = sum(one for one, _ in squares)
    below = sum(one**2 / degrees for one, degrees in squares)
    return Trimmed(mean, math.sqrt(square), square**2 / below if below else float(len(kept) - 1))


def ratio(above: Figure, below: Figure) -> tuple[float, float | None]:
    """above / below and the half width of its 95 % interval, from both intervals as independent errors."""
    value = above.mean / below.mean
    if above.ci95 is None or below.ci95 is None:
        return value, None
    return value, abs(value) * math.hypot(above.relative, below.relative)


def _parts(samples: Sequence[float], shared: Sequence[float] | None) -> list[Sequence[float]]:
    """What differs from sample to sample, and what was measured once for several of them, if anything was."""
    if not any(shared or ()):
        return [samples]
    return [[all_of - part for all_of, part in zip(samples, shared or (), strict=True)], sorted(set(shared or ()))]
