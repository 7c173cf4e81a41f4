"""How many transfers authors sent in each hour: counted once, because a month may have millions of transfers."""

from collections.abc import Mapping
from typing import Final

from sqlalchemy import delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import TimingAcceptedHour, Transfer
from sieve.store.queries import queue_state

HOUR_S: Final = 3600
_NS: Final = 1_000_000_000


async def counted_to_s(session: AsyncSession) -> int | None:
    """The end of the last hour that is counted; the hour of the first transfer if none is; None without transfers."""
    last: int | None = await session.scalar(select(func.max(TimingAcceptedHour.start_s)))
    if last is not None:
        return last + HOUR_S
    first_ns: int | None = await session.scalar(select(func.min(Transfer.created_at_ns)))
    return None if first_ns is None else first_ns // _NS // HOUR_S * HOUR_S


async def replace(session: AsyncSession, since_s: int, until_s: int, counts: Mapping[int, int]) -> None:
    """Replaces the counts of the hours that start from `since_s` on and before `until_s`."""
    hour = TimingAcceptedHour.start_s
    await session.execute(delete(TimingAcceptedHour).where(hour >= since_s, hour < until_s))
    if counts:
        rows = [{"start_s": start_s, "count": count} for start_s, count in counts.items()]
        await session.execute(insert(TimingAcceptedHour), rows)


async def remove_before(session: AsyncSession, start_s: int) -> None:
    """Removes the counts of earlier hours."""
    await session.execute(delete(TimingAcceptedHour).where(TimingAcceptedHour.start_s < start_s))


async def accepted(session: AsyncSession, since_s: int, until_s: int, width_s: int) -> dict[int, int]:
    """How many transfers were accepted in each period of whole hours, by its start; without periods in which none was.
    Hours that are not counted yet, and parts of hours, are counted now."""
    first = min(until_s, since_s + -since_s % HOUR_S)
    counted_to = await counted_to_s(session) or 0
    last = max(first, min(until_s - until_s % HOUR_S, counted_to))
    hour = TimingAcceptedHour.start_s
    start = hour - hour % width_s
    found = await session.execute(
        select(start, func.sum(TimingAcceptedHour.count)).where(hour >= first, hour < last).group_by(start)
    )
    total = {int(at): int(count) for at, count in found}
    for part in ((since_s, first), (last, until_s)):
        for at, count in (await queue_state.accepted(session, *part, width_s)).items():
            total[at] = total.get(at, 0) + count
    return total
