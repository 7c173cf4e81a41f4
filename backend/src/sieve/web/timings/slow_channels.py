"""Which channel a slow data transfer waits for.

Timing marks of some of the slow transfers say when the plain channel was done. If it usually was the last, they wait
for it; if it was done early, they wait for the secure one. It is not one channel that is slow if transfers over the
secure channel alone are slow, too, or if a transfer takes only a few round trips: then both channels wait for the peer.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import median
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.telemetry.timing_queries import PhaseTimes
from sieve.store.queries import timing_marks
from sieve.web.timings.schemas import SlowChannel, Standout

READ: Final = 60
"""Transfers of a slow peer whose marks are read: those whose data transfer took longest."""
ENOUGH: Final = 5
LAST: Final = 0.8
EARLY: Final = 0.5
"""The plain channel is the last one if it takes `LAST` of a data transfer or more, and done early after `EARLY`."""
USUALLY: Final = 0.75
"""Of the transfers."""
ROUND_TRIPS: Final = 6


async def named(
    session: AsyncSession,
    slow: Iterable[Standout],
    times: Sequence[PhaseTimes],
    slow_alone: Collection[str | None],
    round_trips_us: Mapping[str, int],
) -> list[Standout]:
    """The same, with the channel of each data transfer. `slow_alone`: the peers to which the secure channel alone is
    slow. `round_trips_us`: by peer, those that are known."""
    found = []
    for each in slow:
        if each.phase == "data_transfer" and each.peer is not None:
            to_peer = [one for one in times if one.peer_id == each.peer and one.data_transfer_us]
            over_both = [one for one in to_peer if one.mode == "sieve"]
            channel = None if over_both else "secure"
            if over_both and each.peer not in slow_alone:
                parts = await _parts(session, over_both, round_trips_us.get(each.peer, 0))
                channel = channel_of(parts)
            each = each.model_copy(update={"channel": channel})
        found.append(each)
    return found


async def _parts(session: AsyncSession, times: Sequence[PhaseTimes], round_trip_us: int) -> Sequence[float]:
    longest = sorted(times, key=lambda each: -(each.data_transfer_us or 0))[:READ]
    if median(each.data_transfer_us or 0 for each in longest) < ROUND_TRIPS * round_trip_us:
        return []
    attempts = [(each.transfer_id, each.attempt) for each in longest]
    return await timing_marks.plain_parts(session, attempts, longest[0].direction)


def channel_of(parts: Sequence[float]) -> SlowChannel | None:
    """`parts`: of each data transfer, the part after which its plain channel was done."""
    if len(parts) < ENOUGH:
        return None
    least = USUALLY * len(parts)
    if sum(part >= LAST for part in parts) >= least:
        return "plain"
    return "secure" if sum(part <= EARLY for part in parts) >= least else None
