"""Adds the timing records of what ended without an outcome of an attempt: queued transfers and lost attempts.

An attempt is *lost* if its holder vanished: the gateway was stopped or killed, or the lease ended. It counts as a retry
because of an interruption, once: in the transaction that marks it as lost.
"""

from collections.abc import Sequence
from typing import Literal

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.telemetry.timing_causes import TimingCause
from sieve.gateway.telemetry.timing_marks import TimingMark, TimingMarks
from sieve.gateway.telemetry.timing_record import SentAttempt, of_sent
from sieve.store.queries import timing_records
from sieve.store.queries.claiming import LostAttempt
from sieve.store.queries.timing_records import TimingValues


async def add_queued(
    session: AsyncSession,
    transfer_ids: Sequence[str],
    outcome: Literal["failed", "cancelled"],
    cause: TimingCause,
    at_ns: int,
) -> Sequence[TimingValues]:
    """Adds a record for each of these transfers, which ended while they were queued; returns the records."""
    transfers = await timing_records.sent(session, transfer_ids)
    records = [
        of_sent(transfer, SentAttempt(transfer.attempts, TimingMarks()), outcome, cause, at_ns)
        for transfer in transfers.values()
    ]
    await timing_records.add_all(session, records)
    return records


async def add_lost(session: AsyncSession, lost: Sequence[LostAttempt], at_ns: int) -> Sequence[TimingValues]:
    """Adds a record for each of these attempts, which were marked as lost in this transaction; returns the records."""
    if not lost:
        return []
    transfers = await timing_records.sent(session, [each.transfer_id for each in lost])
    records = [
        of_sent(
            transfers[each.transfer_id],
            SentAttempt(each.number, TimingMarks(taken=[TimingMark("claimed", "", each.started_at_ns)])),
            "retry",
            TimingCause.INTERRUPTED,
            at_ns,
        )
        for each in lost
    ]
    await timing_records.add_all(session, records)
    return records
