"""Timing marks, stored in the order in which they were taken. Figures are computed from them on request."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias, cast

from sqlalchemy import Table, delete, func, insert, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import OPEN_STATES, Mark, MarkRole, Transfer

MarkTaken: TypeAlias = tuple[int, str, str, int]
"""Attempt, name, channel ("" if none), nanoseconds since the epoch."""

MarksOf: TypeAlias = tuple[str, Iterable[MarkTaken]]
"""A transfer, and its marks."""

_ADD: Final = insert(cast(Table, Mark.__table__))


async def add(session: AsyncSession, transfer_id: str, role: MarkRole, taken: Iterable[MarkTaken]) -> None:
    """Keeps marks of one side of a transfer."""
    await add_all(session, role, [(transfer_id, taken)])


async def add_all(session: AsyncSession, role: MarkRole, taken: Iterable[MarksOf]) -> None:
    """The same of several transfers, in one statement."""
    rows = [
        {"transfer_id": transfer_id, "attempt": attempt, "role": role, "name": name, "channel": channel, "at_ns": at}
        for transfer_id, marks in taken
        for attempt, name, channel, at in marks
    ]
    if rows:
        await session.execute(_ADD, rows)


async def of_attempt(session: AsyncSession, transfer_id: str, attempt: int, role: MarkRole) -> Sequence[Mark]:
    """The marks of one side of an attempt, in the order in which they were taken."""
    wanted = select(Mark).where(Mark.transfer_id == transfer_id, Mark.attempt == attempt, Mark.role == role)
    return (await session.scalars(wanted.order_by(Mark.id))).all()


async def of_last_attempts(session: AsyncSession, transfer_ids: Iterable[str]) -> Mapping[str, Sequence[Mark]]:
    """Our own marks of each transfer's last attempt, and, under number 0, of what came before the first; in order."""
    wanted = (
        select(Mark)
        .join(Transfer, Transfer.id == Mark.transfer_id)
        .where(Transfer.id.in_(list(transfer_ids)), Mark.role == "sender")
        .where(or_(Mark.attempt == 0, Mark.attempt == Transfer.attempt))
        .order_by(Mark.id)
    )
    found: dict[str, list[Mark]] = {}
    for mark in await session.scalars(wanted):
        found.setdefault(mark.transfer_id, []).append(mark)
    return found


_PLAIN_PARTS: Final = {
    "sent": ("sender", "first-byte", "answered", "verified-heard"),
    "received": ("receiver", "announced", "last-byte", "verified"),
}
"""The marks with which a data transfer begins, its plain channels are done, and it ends."""


async def plain_parts(
    session: AsyncSession, attempts: Collection[tuple[str, int]], direction: Literal["sent", "received"]
) -> Sequence[float]:
    """After which part of its data transfer the plain channels of an attempt were done, from 0 to 1; without attempts
    of which the marks do not say it. An attempt is a transfer's id and a number."""
    role, began, done, ended = _PLAIN_PARTS[direction]
    wanted = select(Mark.transfer_id, Mark.attempt, Mark.name, Mark.channel, Mark.at_ns).where(
        Mark.transfer_id.in_({transfer_id for transfer_id, _ in attempts}),
        Mark.role == role,
        Mark.name.in_((began, done, ended)),
    )
    times: dict[tuple[str, int], dict[str, list[int]]] = {attempt: {} for attempt in attempts}
    for transfer_id, attempt, name, channel, at_ns in await session.execute(wanted):
        of = times.get((transfer_id, attempt))
        if of is not None and (name != done or channel.startswith("plain")):
            of.setdefault(name, []).append(at_ns)
    return [
        min(1.0, max(0, max(of[done]) - min(of[began])) / (max(of[ended]) - min(of[began])))
        for of in times.values()
        if len(of) == len((began, done, ended)) and max(of[ended]) > min(of[began])
    ]


class Stretch(NamedTuple):
    """Some marks that follow each other by id: the last id, and the time of the oldest one."""

    last_id: int
    oldest_ns: int


async def next_stretch(session: AsyncSession, after_id: int, most: int) -> Stretch | None:
    """The next marks after that id; None if there are none."""
    following = select(Mark.id, Mark.at_ns).where(Mark.id > after_id).order_by(Mark.id).limit(most).subquery()
    last_id, oldest_ns = (await session.execute(select(func.max(following.c.id), func.min(following.c.at_ns)))).one()
    return None if last_id is None else Stretch(last_id, oldest_ns)


async def remove_old(session: AsyncSession, after_id: int, up_to_id: int, before_ns: int) -> int:
    """Removes marks between these ids that were taken before that time, except of transfers that are not over; returns
    how many."""
    is_open = select(Transfer.id).where(Transfer.id == Mark.transfer_id, Transfer.state.in_(OPEN_STATES)).exists()
    removed = await session.execute(
        delete(Mark)
        .where(Mark.id > after_id, Mark.id <= up_to_id, Mark.at_ns < before_ns)
        .where(or_(Mark.role == "receiver", ~is_open))
        .returning(Mark.id)
        .execution_options(synchronize_session=False)
    )
    return len(removed.all())
