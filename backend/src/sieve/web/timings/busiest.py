"""The busiest hour that a time range touches."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.telemetry import timing_queries
from sieve.gateway.telemetry.timing_filters import Filters
from sieve.gateway.telemetry.timing_periods import HOUR_S
from sieve.gateway.telemetry.timing_queries import Span
from sieve.web.timings.queue import SETTLED

LEAST_S: Final = 600
"""The rate of a shorter time says little about an hour."""


@dataclass(frozen=True, slots=True)
class Busiest:
    """The clock hour (in UTC) in which most transfers ended, of those that a time range touches; or the day, of a time
    of which hours are no longer kept. It counts whole, so that it does not depend on the ends of the range, nor on how
    wide the columns of its charts are. `start_s`: None if none ended. `lasted_s`: less than `span_s` of the current
    one, whose rate is that so far."""

    span_s: int = HOUR_S
    start_s: int | None = None
    settled: int = 0
    lasted_s: int | None = None

    @property
    def rate_per_s(self) -> float:
        return self.settled / (self.lasted_s or self.span_s)

    @property
    def is_so_far(self) -> bool:
        return self.lasted_s is not None and self.lasted_s < self.span_s


async def busiest(
    session: AsyncSession, span: Span, filters: Filters, span_s: int, now_s: int, ended: Mapping[int, int] | None
) -> Busiest:
    """The hour, or day, of `span_s` seconds; the current one has lasted only until `now_s`. `ended`: the transfers that
    ended in each one of the range, if they are known; those at its ends are parts."""
    first_s, last_s = span.since_s - span.since_s % span_s, span.until_s + -span.until_s % span_s
    settled = Counter(ended or {})
    unknown = [Span(first_s, last_s)]
    if ended is not None:
        unknown = [Span(at_s, at_s + span_s) for at_s in {first_s, last_s - span_s}]
        for each in unknown:
            settled.pop(each.since_s, None)
    for each in unknown:
        found = await timing_queries.counts(session, each, filters, by=("outcome",), column_s=span_s)
        for (start_s, outcome), count in found.items():
            if outcome in SETTLED and start_s >= first_s:
                settled[start_s] += count
    each_lasted = ((start_s, count, min(span_s, max(LEAST_S, now_s - start_s))) for start_s, count in settled.items())
    all_of_them = [Busiest(span_s, start_s, count, lasted_s) for start_s, count, lasted_s in each_lasted]
    # Of equally busy ones, the latest.
    return max(all_of_them, key=lambda each: (each.rate_per_s, each.start_s), default=Busiest(span_s))
