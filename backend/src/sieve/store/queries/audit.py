"""The audit log: entries are added, in the transaction of what they witness; nothing changes or removes one."""

from collections.abc import Sequence

from sqlalchemy import select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.marking_models import AuditEntry
from sieve.store.queries.pages import After


async def add(
    session: AsyncSession,
    *,
    entry_id: str,
    actor: str,
    action: str,
    subject: str,
    details: str,
    reason: bytes | None,
    now_ns: int,
) -> None:
    """One more entry."""
    session.add(
        AuditEntry(
            id=entry_id,
            at_ns=now_ns,
            actor=actor,
            action=action,
            subject=subject,
            details=details,
            reason=reason,
        )
    )
    await session.flush()


async def page(session: AsyncSession, *, after: After | None, limit: int) -> Sequence[AuditEntry]:
    """Entries, the latest first."""
    wanted = select(AuditEntry)
    if after is not None:
        wanted = wanted.where(tuple_(AuditEntry.at_ns, AuditEntry.id) < after)
    latest_first = wanted.order_by(AuditEntry.at_ns.desc(), AuditEntry.id.desc()).limit(limit)
    return (await session.scalars(latest_first)).all()
