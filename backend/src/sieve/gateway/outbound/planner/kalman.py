"""Least squares with forgetting (a Kalman filter), for a few positive numbers that drift.

What is believed of the numbers is their means and their covariance. A measurement is of something that a model predicts
from the numbers; the covariance says which numbers to correct for the error, and by how much.
"""

import math
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

Vector: TypeAlias = tuple[float, ...]
Matrix: TypeAlias = tuple[Vector, ...]
Model: TypeAlias = Callable[[Vector], tuple[float, Sequence[float]]]
"""What the numbers predict, and its gradient: by how much that grows with each of them."""

OUTLIER: Final = 3.0
"""Standard deviations by which one measurement may exceed its prediction; what is more does not count."""
_TINY: Final = 1e-12


class Corrected(NamedTuple):
    """What is believed after a measurement; `outlier`: it was too far from the prediction to count fully."""

    means: Vector
    covariance: Matrix
    outlier: bool


def corrected(
    means: Vector,
    covariance: Matrix,
    model: Model,
    measured: float,
    *,
    scatter: float,
    bounds: Sequence[tuple[float, float]],
    iterations: int = 1,
) -> Corrected:
    """The numbers corrected by one measurement, which scatters by such a part of itself.

    Several `iterations` suit a model that is not linear: each takes the gradient at the result of the one before.
    """
    at = means
    for _ in range(iterations):
        predicted, gradient = model(at)
        # The covariance of each number with the prediction, and the prediction's own variance.
        shared = times(covariance, gradient)
        own = max(0.0, inner(gradient, shared))
        noise = scatter**2 * measured * predicted
        moved = [new - old for new, old in zip(at, means, strict=True)]
        error = measured - (predicted - inner(gradient, moved))
        limit = OUTLIER * math.sqrt(own + noise)
        outlier = abs(error) > limit
        if error > limit:
            # Only upwards: a stall makes a response longer, and nothing makes one shorter than it can be.
            noise *= error / limit
            error = limit
        variance = own + noise
        gained = [mean + each / variance * error for mean, each in zip(means, shared, strict=True)]
        at = _within(gained, covariance, bounds)
    known = tuple(
        tuple(each - one * two / variance for each, two in zip(row, shared, strict=True))
        for row, one in zip(covariance, shared, strict=True)
    )
    return Corrected(at, known, outlier)


def drifted(covariance: Matrix, means: Vector, part: float, most: Matrix) -> Matrix:
    """The covariance after each number may have changed by such a part of itself. Variances do not exceed `most`."""
    variances = [covariance[i][i] + (part * mean) ** 2 for i, mean in enumerate(means)]
    scale = [math.sqrt(min(1.0, most[i][i] / max(variance, _TINY))) for i, variance in enumerate(variances)]
    return tuple(
        tuple((variances[i] if i == j else each) * scale[i] * scale[j] for j, each in enumerate(row))
        for i, row in enumerate(covariance)
    )


def times(matrix: Matrix, vector: Sequence[float]) -> list[float]:
    return [inner(row, vector) for row in matrix]


def inner(one: Sequence[float], two: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, two, strict=True))


def _within(means: Sequence[float], covariance: Matrix, bounds: Sequence[tuple[float, float]]) -> Vector:
    """The numbers within their bounds. One that is moved to its bound moves those that depend on it."""
    for index, (low, high) in enumerate(bounds):
        bounded = min(max(means[index], low), high)
        if bounded != means[index]:
            step = (bounded - means[index]) / max(covariance[index][index], _TINY)
            means = [mean + step * each for mean, each in zip(means, covariance[index], strict=True)]
    return tuple(min(max(mean, low), high) for mean, (low, high) in zip(means, bounds, strict=True))
