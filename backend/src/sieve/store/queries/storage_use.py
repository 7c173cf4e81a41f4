"""What the database holds, for the page about storage: how much, since when, and what retention removes next.

Documents are counted by reading all their rows (1,000,000: about a second, in a thread); everything else by the ends of
indexes, or of the expired rows alone.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from sieve.store.models import AuditEntry, Document, Draft, InboxEntry, Mark, TimingRecord
from sieve.store.queries.inbox import IN_TRASH, NOT_GONE, NOT_LOCKED


class DocumentsUse(NamedTuple):
    """The documents of one origin that are not deleted, saved versions among them, and the bytes of their content:
    plain, and sealed (classified content and redacted editions)."""

    origin: str
    documents: int
    plain_bytes: int
    sealed_bytes: int


class Kept(NamedTuple):
    """The oldest of what a retention rule is about. `next_run`: how many its next run removes; `next_day`: how many
    until tomorrow, these among them."""

    oldest_ns: int | None
    next_run: int
    next_day: int


class Expiry(NamedTuple):
    """What is from these times or earlier goes with the next run, and until tomorrow."""

    next_run_ns: int
    next_day_ns: int


async def documents(session: AsyncSession) -> Sequence[DocumentsUse]:
    """The documents that are not deleted, by origin."""
    plain = func.sum(Document.size - Document.classified_size)
    sealed = func.sum(Document.classified_size + func.coalesce(Document.redacted_size, 0))
    found = await session.execute(
        select(Document.origin, func.count(), plain, sealed)
        .where(Document.deleted_at_ns.is_(None))
        .group_by(Document.origin)
    )
    return [DocumentsUse(*row) for row in found]


async def numbered(session: AsyncSession, id_: InstrumentedAttribute[int]) -> int:
    """About how many rows a table has whose ids count up and whose oldest rows are removed first."""
    # Two queries: SQLite reads one end of an index for each, but the whole index for both together.
    first = await session.scalar(select(func.min(id_)))
    last = await session.scalar(select(func.max(id_)))
    return 0 if first is None or last is None else last - first + 1


async def audit_entries(session: AsyncSession) -> tuple[int, int | None]:
    """About how many entries the audit log has, and when the oldest one was written."""
    count = await numbered(session, AuditEntry.number)
    return count, await session.scalar(select(func.min(AuditEntry.at_ns)))


async def received(session: AsyncSession, expiry: Expiry | None) -> Kept:
    """Inbox entries, the trash among them. `expiry`: None if they are kept until their readers delete them."""
    return await _kept(session, InboxEntry.created_at_ns, NOT_GONE, expiry)


async def trash(session: AsyncSession, expiry: Expiry) -> Kept:
    """Deleted inbox entries and drafts that can be restored, without those that are locked: these stay."""
    entries = await _kept(session, InboxEntry.trashed_at_ns, (*IN_TRASH, NOT_LOCKED), expiry)
    in_trash = (Draft.deleted_at_ns.is_(None), Draft.trashed_at_ns.is_not(None), Draft.locked.is_(False))
    drafts = await _kept(session, Draft.trashed_at_ns, in_trash, expiry)
    oldest = min((at for at in (entries.oldest_ns, drafts.oldest_ns) if at is not None), default=None)
    return Kept(oldest, entries.next_run + drafts.next_run, entries.next_day + drafts.next_day)


async def timing_records(session: AsyncSession, expiry: Expiry) -> Kept:
    """Timing records."""
    return await _kept(session, TimingRecord.at_ns, (), expiry)


async def oldest_timing_mark_ns(session: AsyncSession) -> int | None:
    """When the timing mark that was stored first was taken."""
    return await session.scalar(select(Mark.at_ns).order_by(Mark.id).limit(1))


async def _kept(
    session: AsyncSession,
    at_ns: InstrumentedAttribute[int] | InstrumentedAttribute[int | None],
    conditions: Sequence[ColumnElement[bool]],
    expiry: Expiry | None,
) -> Kept:
    oldest = await session.scalar(select(func.min(at_ns)).where(*conditions))
    if expiry is None or oldest is None:
        return Kept(oldest, 0, 0)

    counts = [
        await session.scalar(select(func.count()).select_from(at_ns.class_).where(at_ns <= by_ns, *conditions)) or 0
        for by_ns in expiry
    ]
    return Kept(oldest, *counts)
