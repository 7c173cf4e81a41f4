"""How many transfers authors sent in each minute and hour. They are counted once: a day may have hundreds of thousands
of transfers, and a month millions."""

from collections.abc import Mapping
from typing import Final

from sqlalchemy import delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import TimingAcceptedHour, TimingAcceptedMinute, Transfer
from sieve.store.queries import queue_state

MINUTE_S: Final = 60
HOUR_S: Final = 3600
_NS: Final = 1_000_000_000
_TABLES: Final[Mapping[int, type[TimingAcceptedHour] | type[TimingAcceptedMinute]]] = {
    MINUTE_S: TimingAcceptedMinute,
    HOUR_S: TimingAcceptedHour,
}
WIDTHS: Final = tuple(_TABLES)
"""Seconds of each kind of period."""


async def counted_to_s(session: AsyncSession, width_s: int) -> int | None:
    """The end of the last period of that width that is counted; the period of the first transfer if none is; None
    without transfers."""
    last: int | None = await session.scalar(select(func.max(_TABLES[width_s].start_s)))
    if last is not None:
        return last + width_s
    first_ns: int | None = await session.scalar(select(func.min(Transfer.created_at_ns)))
    return None if first_ns is None else first_ns // _NS // width_s * width_s


async def replace(session: AsyncSession, width_s: int, since_s: int, until_s: int, counts: Mapping[int, int]) -> None:
    """Replaces the counts of the periods that start from `since_s` on and before `until_s`."""
    table = _TABLES[width_s]
    await session.execute(delete(table).where(table.start_s >= since_s, table.start_s < until_s))
    if counts:
        rows = [{"start_s": start_s, "count": count} for start_s, count in counts.items()]
        await session.execute(insert(table), rows)


async def remove_before(session: AsyncSession, width_s: int, start_s: int) -> None:
    """Removes the counts of earlier periods."""
    table = _TABLES[width_s]
    await session.execute(delete(table).where(table.start_s < start_s))


async def accepted(session: AsyncSession, since_s: int, until_s: int, column_s: int) -> dict[int, int]:
    """How many transfers were accepted in each column of whole minutes, by its start; without columns in which none
    was. Columns of whole hours are read from hours, others from minutes. What is not counted yet, and parts of hours or
    minutes, are counted now."""
    width_s = HOUR_S if column_s % HOUR_S == 0 else MINUTE_S
    first = min(until_s, since_s + -since_s % width_s)
    counted_to = await counted_to_s(session, width_s) or 0
    last = max(first, min(until_s - until_s % width_s, counted_to))
    table = _TABLES[width_s]
    start = table.start_s - table.start_s % column_s
    found = await session.execute(
        select(start, func.sum(table.count)).where(table.start_s >= first, table.start_s < last).group_by(start)
    )
    total = {int(at): int(count) for at, count in found}
    for part in ((since_s, first), (last, until_s)):
        for at, count in (await queue_state.accepted(session, *part, column_s)).items():
            total[at] = total.get(at, 0) + count
    return total
