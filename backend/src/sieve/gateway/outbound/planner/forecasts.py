"""How long an author waits for a delivery, and whether a forecast of that is reliable.

Invariant: a forecast is shown only if the costs that it depends on are measured so well that the response is within a
factor of two with a probability of 95 %, and if nine of ten of the last forecasts for that peer were within it.
"""

import math
from dataclasses import dataclass, replace
from typing import Final, Self

from sieve.gateway.outbound.planner.costs import Costs, Way, Work

WITHIN: Final = 2.0
"""A forecast is good if it is within this factor."""
SHARE: Final = 0.9
"""This share of the last forecasts must have been good."""
LAST: Final = 20
LEAST: Final = 3
"""How many forecasts are kept, and how many there must be before one is shown."""
FLOOR_MS: Final = 1000.0
"""Everything below is "under a second"."""
_STEP: Final = 0.2


@dataclass(frozen=True, slots=True)
class Record:
    """How good the last forecasts for a peer were, the latest last; and what each transfer takes besides its response
    and the opening of channels: reading, claiming, recording."""

    good: tuple[bool, ...] = ()
    beside_ms: float = 30.0

    @property
    def is_sound(self) -> bool:
        """Whether what the database had is valid."""
        return len(self.good) <= LAST and math.isfinite(self.beside_ms) and self.beside_ms > 0

    @property
    def is_good(self) -> bool:
        """Whether another forecast may be shown."""
        return len(self.good) >= LEAST and sum(self.good) >= SHARE * len(self.good)

    def judged(self, forecast_ms: float, took_ms: float) -> Self:
        """The record with one more forecast, and the time that the transfer really took."""
        factor = max(forecast_ms, FLOOR_MS) / max(took_ms, FLOOR_MS)
        return replace(self, good=(*self.good, 1 / WITHIN <= factor <= WITHIN)[-LAST:])

    def learn_beside(self, beside_ms: float) -> Self:
        """The record after a transfer to an idle peer took so long besides its response: a fifth of the way to it, by
        factors of at most four, as it may have been a stall."""
        if not (math.isfinite(beside_ms) and beside_ms > 0):
            return self
        factor = min(max(beside_ms / self.beside_ms, 0.25), 4.0)
        return replace(self, beside_ms=self.beside_ms * factor**_STEP)


@dataclass(frozen=True, slots=True)
class Ahead:
    """The transfers to a peer that are queued or in progress. `many`: too many to forecast a wait for them."""

    work: Work | None = None
    many: bool = False


def forecast_ms(
    costs: Costs, record: Record, way: Way, response_ms: float, spread: float, *, ahead: Ahead, warm: bool
) -> float | None:
    """From accepting a transfer to its receipt; None if the costs are not measured well enough for a forecast."""
    if ahead.many or costs.seen == 0 or not _is_sure(response_ms, spread):
        return None
    waits_ms = 0.0
    if ahead.work is not None:
        waits_ms = costs.predict_ms(ahead.work, way)
        if not _is_sure(waits_ms, costs.spread(ahead.work, way)):
            return None
    return waits_ms + (0.0 if warm else costs.setup_ms(way)) + record.beside_ms + response_ms


def _is_sure(ms: float, spread: float) -> bool:
    """Whether two standard deviations are within the factor, or still below what counts as one."""
    return 2 * spread <= math.log(WITHIN) or math.log(max(ms, 1e-9)) + 2 * spread <= math.log(FLOOR_MS)
