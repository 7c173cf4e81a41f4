"""The answer about the outbox: how much waits, why attempts failed, and which peers and transfers need attention."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import NS_PER_S, now_ns
from sieve.gateway.telemetry import timing_queries
from sieve.gateway.telemetry.timing_filters import Filters
from sieve.gateway.telemetry.timing_periods import DAY_S, HOUR_S, MINUTE_S
from sieve.gateway.telemetry.timing_queries import Span
from sieve.store.queries import accepted_counts, queue_state
from sieve.store.queries.queue_state import PeerQueueRow
from sieve.web.times import shown as time_of
from sieve.web.times import shown_if
from sieve.web.timings import reports
from sieve.web.timings.answers import columns_of, width_for
from sieve.web.timings.schemas import DeadlineShown, PeerQueue, QueueSeries, QueueShown

MOST_DEADLINES: Final = 20
_COUNTED_S: Final = 2 * DAY_S
"""Those to one peer are counted only in ranges up to this one: no counts are kept of each peer."""
SETTLED: Final = ("delivered", "failed", "cancelled")


async def shown(session: AsyncSession, span: Span, filters: Filters) -> QueueShown:
    """Of what is sent, whatever the direction. All other filters are for what ended; for what waits, those that are
    known by then: see `Filters.of_open_transfers`."""
    now = now_ns()
    sent = replace(filters, direction="sent")
    waits = sent.of_open_transfers()
    depth = await queue_state.depth(session, waits)
    # Up to now: 59 whole minutes and what there is of the current one.
    until_s = now // NS_PER_S // MINUTE_S * MINUTE_S + MINUTE_S
    last_hour = Span(until_s - HOUR_S, until_s)
    lasted_s = now / NS_PER_S - last_hour.since_s
    settled = await timing_queries.counts(session, last_hour, sent, by=("outcome",))
    width_s = width_for(span, sent)
    ended = await timing_queries.counts(session, span, sent, by=("outcome", "cause"), column_s=width_s)
    accepted = await _accepted(session, last_hour, sent, MINUTE_S)
    return QueueShown(
        depth=depth.queued,
        sending=depth.sending,
        oldest_waiting_s=_age_s(depth.oldest_at_ns, now),
        oldest_sending_s=_age_s(depth.oldest_sending_at_ns, now),
        rate_in_per_s=None if accepted is None else reports.rate(sum(accepted.values()) / lasted_s),
        rate_out_per_s=reports.rate(sum(n for (outcome,), n in settled.items() if outcome in SETTLED) / lasted_s),
        series=_series(span, width_s, ended, await _accepted(session, span, sent, width_s)),
        causes=reports.causes(_undelivered(ended)),
        peers=[_peer(row, now) for row in sorted(await queue_state.peers(session, sent.peer_ids, waits), key=_urgency)],
        deadlines=[
            DeadlineShown(
                transfer_id=row.transfer_id, peer=row.peer, deadline_at=time_of(row.deadline_at_ns), state=row.state
            )
            for row in await queue_state.deadlines(session, now + HOUR_S * NS_PER_S, MOST_DEADLINES, waits)
        ],
    )


async def _accepted(session: AsyncSession, span: Span, filters: Filters, width_s: int) -> Mapping[int, int] | None:
    """The transfers that authors sent; None with filters by which they cannot be counted quickly."""
    if not filters.only_by_peer:
        return None
    if filters.peer_ids is None:
        return await accepted_counts.accepted(session, *_edges(span), width_s)
    if span.until_s - span.since_s > _COUNTED_S:
        return None
    return await queue_state.accepted(session, *_edges(span), width_s, filters.peer_ids)


def _series(
    span: Span, width_s: int, found: Mapping[tuple[int, str, str], int], accepted: Mapping[int, int] | None
) -> QueueSeries:
    """`found`: by column, outcome and cause."""
    starts = columns_of(span, width_s)
    ended = dict.fromkeys(starts, 0)
    for (start, outcome, _), count in found.items():
        if outcome in SETTLED and start in ended:
            ended[start] += count
    return QueueSeries(
        width_s=width_s,
        columns=[time_of(start * NS_PER_S) for start in starts],
        accepted=None if accepted is None else [accepted.get(start, 0) for start in starts],
        ended=[*ended.values()],
    )


def _peer(row: PeerQueueRow, now: int) -> PeerQueue:
    open_until = row.open_until_ns if row.open_until_ns is not None and row.open_until_ns > now else None
    return PeerQueue(
        name=row.name,
        state=row.state,
        breaker_open_until=shown_if(open_until),
        failures=row.failures,
        waiting=row.waiting,
        oldest_waiting_s=_age_s(row.oldest_at_ns, now),
        last_delivered_at=shown_if(row.last_delivered_at_ns),
    )


def _urgency(row: PeerQueueRow) -> tuple[int, int, str]:
    return -row.failures, -row.waiting, row.name


def _undelivered(found: Mapping[tuple[int, str, str], int]) -> Mapping[str, int]:
    """How many attempts that did not deliver have each cause."""
    undelivered: dict[str, int] = {}
    for (_, outcome, cause), count in found.items():
        if outcome != "delivered":
            undelivered[cause] = undelivered.get(cause, 0) + count
    return undelivered


def _edges(span: Span) -> tuple[int, int]:
    return span.since_s, span.until_s


def _age_s(at_ns: int | None, now: int) -> float | None:
    # The clock may have been set back since.
    return None if at_ns is None else max(0.0, round((now - at_ns) / NS_PER_S, 1))
