"""The batch size: algorithm 3 of the paper as printed, mended, and a choice that keeps its promise."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sieve.lab.batch_rsa.model import (
    BatchTime,
    by_formula,
    largest_by_bound,
    largest_by_key,
    mean_response_s,
)
from sieve.lab.errors import LabError


@dataclass(frozen=True, slots=True)
class Chosen:
    """`batch`: 1 is plain RSA, the paper's `-`; None: the printed steps go on with a batch size that no step set."""

    batch: int | None
    because: Literal["stable", "no chance to batch", "no size is stable"]


def algorithm_3(
    rate_per_s: float,
    bound_s: float,
    bits: int,
    rsa_s: float,
    *,
    cap: int | None = None,
    mended: bool = True,
) -> Chosen:
    """The largest batch, from the bounds of theorems 1 and 2 downwards, that is stable (T_b <= b / λ).

    `cap`: instead of theorem 1's. Printed step 17 asks once more whether the *initial* size is at most 1, so that after
    a search without success the algorithm continues with an undefined size. Mended, it asks for success.
    """
    if not (rate_per_s > 0 and bound_s > 0 and rsa_s > 0):
        raise LabError("the rate, the bound and the time of plain RSA must be more than 0")
    initial = min(largest_by_bound(rate_per_s, bound_s), largest_by_key(bits) if cap is None else cap)
    if initial <= 1:
        return Chosen(1, "no chance to batch")
    batch_s = by_formula(bits, rsa_s)
    for batch in range(initial, 1, -1):
        if batch_s(batch) <= batch / rate_per_s:
            return Chosen(batch, "stable")
    return Chosen(1 if mended else None, "no size is stable")


@dataclass(frozen=True, slots=True)
class Choice:
    """What a batch size does. `busy`: the part of the server's time that is used."""

    batch: int
    busy: float
    response_s: float


def choices(rate_per_s: float, batch_s: BatchTime, batches: Sequence[int]) -> list[Choice]:
    """Each size's load, and mean response with full batches."""
    if not rate_per_s > 0:
        raise LabError(f"an arrival rate must be more than 0 per second, not {rate_per_s}")
    return [Choice(b, rate_per_s * batch_s(b) / b, mean_response_s(b, rate_per_s, batch_s(b))) for b in batches]


def optimal(rate_per_s: float, bound_s: float, batch_s: BatchTime, batches: Sequence[int]) -> Choice | None:
    """The size that needs the least server time for each request, of those whose mean response is within the bound.

    None if no size keeps the bound. Unlike algorithm 3 it also compares with plain RSA, never takes a larger batch that
    is slower, and bounds the response itself, not a sum of upper limits.
    """
    fit = [each for each in choices(rate_per_s, batch_s, batches) if each.response_s <= bound_s]
    return min(fit, key=lambda each: (each.busy, each.batch), default=None)


def fastest(rate_per_s: float, batch_s: BatchTime, batches: Sequence[int]) -> Choice | None:
    """The size with the shortest mean response; None if no size keeps up."""
    best = min(choices(rate_per_s, batch_s, batches), key=lambda each: each.response_s, default=None)
    return best if best is not None and best.response_s < math.inf else None
