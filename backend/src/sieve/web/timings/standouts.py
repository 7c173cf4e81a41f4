"""What stands out: peers that are paused, causes for which many attempts fail, and phases that take longer than before
or longer than with other peers.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import NS_PER_S, now_ns
from sieve.gateway.telemetry import timing_queries
from sieve.gateway.telemetry.timing_filters import Filters
from sieve.gateway.telemetry.timing_periods import DAY_S, HOUR_S
from sieve.gateway.telemetry.timing_queries import PhaseTimes, Span
from sieve.store.queries import peer_contacts, queue_state
from sieve.web.times import shown as time_of
from sieve.web.times import shown_if
from sieve.web.timings import answers, failing_causes, slow_channels
from sieve.web.timings.failing_causes import COMPARED_BEFORE, COUNTED_BY
from sieve.web.timings.schemas import Standout, StandoutsShown
from sieve.web.timings.slow_phases import slow_phases

MOST: Final = 12
SAMPLED: Final = 2000
"""Records of each time range in which phases are compared."""
_PEER: Final = PhaseTimes._fields.index("peer_id")
_WHOLE_S: Final = ((7 * DAY_S, DAY_S), (DAY_S, HOUR_S))
"""From the first length on, a range is of whole periods of the second one: far fewer roll-ups are read."""


async def shown(session: AsyncSession, span: Span, filters: Filters) -> StandoutsShown:
    """Of what was sent, unless `filters` have a direction; the most urgent first. A range of a day or more grows to
    whole hours, one of a week or more to whole days."""
    span = _grown(span)
    sent = answers.sent(filters)
    names = await answers.peer_names(session)
    span_before = timing_queries.before(span, sent, COUNTED_BY)
    now, before = await failing_causes.counted(session, (span, span_before), sent, names)
    compared = answers.delivered(sent)
    of, times = await _phase_times(session, span, compared, names)
    _, times_before = await _phase_times(session, span_before, compared, names)
    of_all = times
    if filters.peer_ids is not None:
        _, of_all = await _phase_times(session, span, replace(compared, peer_ids=None), names)
    slow, count = slow_phases(times, times_before, of_all)
    if any(each.phase == "data_transfer" for each in slow):
        slow = await _with_channels(session, slow, (times, times_before, of_all), names)
    found = [
        *await _paused(session, {names[each] for each in filters.peer_ids} if filters.peer_ids else None),
        *failing_causes.failures(now, before),
        *slow,
    ]
    return StandoutsShown(
        since=time_of(span.since_s * NS_PER_S),
        until=time_of(span.until_s * NS_PER_S),
        previous_since=time_of(span_before.since_s * NS_PER_S),
        previous_until=time_of(span_before.until_s * NS_PER_S),
        items=found[:MOST],
        more=max(0, len(found) - MOST),
        attempts=now.all.total(),
        attempts_compared=sum(count for peer, count in now.all.items() if before.all[peer] >= COMPARED_BEFORE),
        compared=count,
        sampled_of=of if len(times) < of else None,
    )


def _grown(span: Span) -> Span:
    length_s = span.until_s - span.since_s
    width_s = next((width_s for least_s, width_s in _WHOLE_S if length_s >= least_s), 1)
    return Span(span.since_s - span.since_s % width_s, span.until_s + -span.until_s % width_s)


async def _with_channels(
    session: AsyncSession, slow: Sequence[Standout], times: Sequence[Sequence[PhaseTimes]], names: Mapping[str, str]
) -> list[Standout]:
    alone, _ = slow_phases(*([one for one in each if one.mode == "secure-only"] for each in times))
    contacts = await peer_contacts.all_of_them(session)
    return await slow_channels.named(
        session,
        slow,
        times[0],
        {each.peer for each in alone if each.phase == "data_transfer"},
        {names[each.peer_id]: each.latency_us for each in contacts if each.peer_id in names and each.latency_us},
    )


async def _paused(session: AsyncSession, wanted: Collection[str] | None) -> list[Standout]:
    """The peers to which nothing is sent now, of those `wanted`; of all if None."""
    return [
        Standout(kind="paused", peer=row.name, count=row.failures, paused_until=shown_if(row.open_until_ns))
        for row in sorted(await queue_state.paused(session, now_ns()), key=lambda row: (-row.waiting, row.name))
        if wanted is None or row.name in wanted
    ]


async def _phase_times(
    session: AsyncSession, span: Span, filters: Filters, names: Mapping[str, str]
) -> tuple[int, list[PhaseTimes]]:
    """As `timing_queries.phase_times`, with the peers' names in place of their ids: a filter is for a name."""
    matching, rows = await timing_queries.phase_times(session, span, filters, SAMPLED)
    # Thousands of times are made once: `_replace` would take four times as long.
    return matching, [PhaseTimes._make((*row[:_PEER], names.get(row[_PEER], ""), *row[_PEER + 1 :])) for row in rows]
