"""Timing records: one for each attempt that ended and for each received document. `gateway.telemetry.timing_record`
makes their values."""

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeAlias, cast

from sqlalchemy import Table, and_, bindparam, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import Document, Mark, TimingRecord, Transfer
from sieve.store.queries.inserts import CompiledInsert

TimingValues: TypeAlias = Mapping[str, Any]
"""The columns of a record, without `id` and `sample`."""

_TRANSFERS: Final = cast(Table, Transfer.__table__)
_DOCUMENTS: Final = cast(Table, Document.__table__)
_MARKS: Final = cast(Table, Mark.__table__)
_RECORDS: Final = cast(Table, TimingRecord.__table__)
_ADDED: Final = tuple(column.name for column in _RECORDS.columns if column.name not in ("id", "sample"))
_ADD: Final = CompiledInsert(insert(_RECORDS), (*_ADDED, "sample"))
_SAMPLES: Final = 62
_AT_ONCE: Final = 1000
"""Values in one statement; databases limit them."""


async def add_all(session: AsyncSession, records: Sequence[TimingValues]) -> None:
    """Adds records."""
    if records:
        await _ADD.run(session, [(*_values(values), _sample()) for values in records])


_values: Final = itemgetter(*_ADDED)


def _sample() -> int:
    """k with probability 2^-(k+1): the number of zeros before the first one among random bits."""
    bits = random.getrandbits(_SAMPLES) | 1 << _SAMPLES
    return (bits & -bits).bit_length() - 1


async def of_transfer(session: AsyncSession, transfer_id: str) -> Sequence[TimingRecord]:
    """The records of a transfer that was sent or received here, in the order in which they were made."""
    wanted = select(TimingRecord).where(TimingRecord.transfer_id == transfer_id).order_by(TimingRecord.id)
    return (await session.scalars(wanted)).all()


async def of_delivered(session: AsyncSession, transfer_ids: Iterable[str]) -> Mapping[str, TimingRecord]:
    """The record of each of these transfers' delivery, by the transfer's id."""
    wanted = select(TimingRecord).where(
        TimingRecord.transfer_id.in_(list(transfer_ids)),
        TimingRecord.direction == "sent",
        TimingRecord.outcome == "delivered",
    )
    return {record.transfer_id: record for record in await session.scalars(wanted)}


async def of_received(
    session: AsyncSession, transfers: Iterable[tuple[str, str]]
) -> Mapping[tuple[str, str], TimingRecord]:
    """The record of each of these received documents, by peer and transfer id."""
    keys = set(transfers)
    wanted = select(TimingRecord).where(
        TimingRecord.transfer_id.in_([transfer_id for _, transfer_id in keys]), TimingRecord.direction == "received"
    )
    # Only of the peer that sent it: its gateway chose the id of the transfer.
    found = {(record.peer_id, record.transfer_id): record for record in await session.scalars(wanted)}
    return {key: record for key, record in found.items() if key in keys}


async def last_cause(session: AsyncSession, transfer_id: str) -> str | None:
    """Why the latest attempt at a transfer from here was not delivered, as far as its record is kept."""
    of_transfer = select(TimingRecord.cause).where(
        TimingRecord.transfer_id == transfer_id, TimingRecord.direction == "sent"
    )
    return await session.scalar(of_transfer.order_by(TimingRecord.id.desc()).limit(1))


class SentTransfer(NamedTuple):
    """What a record says of a transfer apart from its attempt. `expected_ms`: from accepting it to its receipt, as its
    author was shown; None if no estimate was. `connected`: name, channel and time of the timing marks that its author's
    request left when it opened a connection to the peer."""

    id: str
    peer_id: str
    attempts: int
    mode: str
    created_at_ns: int
    size: int
    classified_size: int
    sieve_ns: int
    expected_ms: float | None
    connected: Sequence[tuple[str, str, int]]


_SENT: Final = (
    select(
        _TRANSFERS.c.id,
        _TRANSFERS.c.peer_id,
        _TRANSFERS.c.attempt,
        _TRANSFERS.c.mode,
        _TRANSFERS.c.created_at_ns,
        _DOCUMENTS.c.size,
        _DOCUMENTS.c.classified_size,
        _DOCUMENTS.c.sieve_ns,
        _TRANSFERS.c.plan,
        _MARKS.c.name,
        _MARKS.c.channel,
        _MARKS.c.at_ns,
    )
    .join(_DOCUMENTS, _DOCUMENTS.c.id == _TRANSFERS.c.document_id)
    .outerjoin(
        _MARKS,
        and_(
            _MARKS.c.transfer_id == _TRANSFERS.c.id,
            _MARKS.c.attempt == 0,
            _MARKS.c.role == "sender",
            _MARKS.c.name.in_(("connecting", "connected", "handshaken")),
        ),
    )
    .where(_TRANSFERS.c.id.in_(bindparam("ids", expanding=True)))
    .order_by(_TRANSFERS.c.id, _MARKS.c.id)
)


async def sent(session: AsyncSession, transfer_ids: Iterable[str]) -> Mapping[str, SentTransfer]:
    """Those transfers, by their ids."""
    found: dict[str, SentTransfer] = {}
    ids = list(transfer_ids)
    for at in range(0, len(ids), _AT_ONCE):
        for *own, plan, name, channel, at_ns in await session.execute(_SENT, {"ids": ids[at : at + _AT_ONCE]}):
            transfer = found.get(own[0]) or SentTransfer._make((*own, _expected_ms(plan), ()))
            connected = transfer.connected if name is None else (*transfer.connected, (name, channel, at_ns))
            found[transfer.id] = transfer._replace(connected=connected)
    return found


def _expected_ms(plan: str | None) -> float | None:
    # Each attempt's plan keeps the estimate that was made when the transfer was accepted.
    estimate = json.loads(plan).get("estimate") if plan else None
    return estimate.get("expected_ms") if estimate else None
