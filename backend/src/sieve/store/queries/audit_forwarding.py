"""How far the audit log was forwarded to each receiver."""

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import AuditEntry, AuditPosition


async def position(session: AsyncSession, receiver: str) -> int:
    """The number of the last entry that the receiver has; 0 if there is none."""
    row = await session.get(AuditPosition, receiver)
    return 0 if row is None else row.number


async def keep_position(session: AsyncSession, receiver: str, number: int, now_ns: int) -> None:
    """Records that the receiver has all entries up to that number."""
    await session.merge(AuditPosition(receiver=receiver, number=number, at_ns=now_ns))
    await session.flush()


async def entries_after(session: AsyncSession, number: int) -> int:
    """How many entries have higher numbers."""
    wanted = select(func.count()).select_from(AuditEntry).where(AuditEntry.number > number)
    return await session.scalar(wanted) or 0
