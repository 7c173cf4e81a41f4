"""What the import of older transfers reads: attempts that ended and documents that were received, with their marks."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple, cast

from sqlalchemy import Table, select, union_all, update
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import Attempt, Document, Mark, MarkRole, Received, TimingRecord, Transfer
from sieve.store.models.timings import TimingState

_TRANSFERS: Final = cast(Table, Transfer.__table__)
_RECEIVED: Final = cast(Table, Received.__table__)
_ATTEMPTS: Final = cast(Table, Attempt.__table__)
_DOCUMENTS: Final = cast(Table, Document.__table__)
_MARKS: Final = cast(Table, Mark.__table__)
_RECORDS: Final = cast(Table, TimingRecord.__table__)
_STATE: Final = cast(Table, TimingState.__table__)


async def next_ids(session: AsyncSession, after: str, limit: int) -> Sequence[str]:
    """The next ids of transfers and of received documents' rows, in order."""
    ids = [select(table.c.id).where(table.c.id > after).order_by(table.c.id).limit(limit) for table in _BOTH]
    both = union_all(*(select(each.subquery().c.id) for each in ids)).subquery()
    return (await session.scalars(select(both.c.id).order_by(both.c.id).limit(limit))).all()


_BOTH: Final = (_TRANSFERS, _RECEIVED)


class SentAttemptRow(NamedTuple):
    """An attempt; `outcome` is None if it is under way. `plan`, `durations`: JSON."""

    transfer_id: str
    number: int
    started_at_ns: int
    ended_at_ns: int | None
    outcome: str | None
    reason: str | None
    plan: str | None
    durations: str | None


async def attempts(session: AsyncSession, transfer_ids: Sequence[str]) -> Sequence[SentAttemptRow]:
    """Every attempt at these transfers, in order."""
    c = _ATTEMPTS.c
    wanted = select(
        c.transfer_id, c.number, c.started_at_ns, c.ended_at_ns, c.outcome, c.reason, c.plan, c.receiver_durations
    )
    found = await session.execute(wanted.where(c.transfer_id.in_(transfer_ids)).order_by(c.transfer_id, c.number))
    return [SentAttemptRow(*row) for row in found]


async def ended_states(session: AsyncSession, transfer_ids: Sequence[str]) -> dict[str, str]:
    """The states of those of these transfers that failed or were cancelled."""
    wanted = select(_TRANSFERS.c.id, _TRANSFERS.c.state)
    ended = _TRANSFERS.c.state.in_(("failed", "cancelled"))
    return {row[0]: row[1] for row in await session.execute(wanted.where(_TRANSFERS.c.id.in_(transfer_ids), ended))}


class ReceivedRow(NamedTuple):
    """A received document."""

    transfer_id: str
    peer_id: str
    mode: str
    received_at_ns: int
    size: int
    classified_size: int


async def received(session: AsyncSession, ids: Sequence[str]) -> Sequence[ReceivedRow]:
    """The received documents whose rows have these ids."""
    c = _RECEIVED.c
    wanted = select(
        c.transfer_id, c.peer_id, c.mode, c.received_at_ns, _DOCUMENTS.c.size, _DOCUMENTS.c.classified_size
    ).join(_DOCUMENTS, _DOCUMENTS.c.id == c.document_id)
    return [ReceivedRow(*row) for row in await session.execute(wanted.where(c.id.in_(ids)).order_by(c.id))]


class MarkRow(NamedTuple):
    """A timing mark."""

    transfer_id: str
    attempt: int
    name: str
    channel: str
    at_ns: int


async def timing_marks(session: AsyncSession, transfer_ids: Sequence[str], role: MarkRole) -> Sequence[MarkRow]:
    """The marks of the attempts at these transfers, in the order in which they were taken."""
    c = _MARKS.c
    wanted = select(c.transfer_id, c.attempt, c.name, c.channel, c.at_ns)
    of_role = wanted.where(c.transfer_id.in_(transfer_ids), c.role == role, c.attempt > 0)
    return [MarkRow(*row) for row in await session.execute(of_role.order_by(c.id))]


class Recorded(NamedTuple):
    """What tells a record from others."""

    direction: str
    transfer_id: str
    peer_id: str
    attempt: int
    outcome: str


async def recorded(session: AsyncSession, transfer_ids: Sequence[str]) -> AbstractSet[Recorded]:
    """The records that there are of these transfers."""
    c = _RECORDS.c
    wanted = select(c.direction, c.transfer_id, c.peer_id, c.attempt, c.outcome)
    return {Recorded(*row) for row in await session.execute(wanted.where(c.transfer_id.in_(transfer_ids)))}


async def advance(session: AsyncSession, from_id: str, to_id: str, *, done: bool) -> bool:
    """Moves `imported_to`; False if it is not `from_id` any more."""
    moved = update(_STATE).where(_STATE.c.imported_to == from_id, _STATE.c.import_done.is_(False))
    moved = moved.values(imported_to=to_id, import_done=done)
    return bool((await session.execute(moved.returning(_STATE.c.id))).all())
