"""The labels of drafts, sealed: one value for each draft that has any."""

from sqlalchemy import delete as delete_rows
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import DraftLabels


async def of(session: AsyncSession, draft_id: str) -> bytes | None:
    """The stored labels of the draft; None if there are none."""
    row = await session.get(DraftLabels, draft_id)
    return None if row is None else row.sealed


async def keep(session: AsyncSession, draft_id: str, sealed: bytes) -> None:
    """Keeps it in place of what was kept before."""
    await session.merge(DraftLabels(draft_id=draft_id, sealed=sealed))
    await session.flush()


async def delete(session: AsyncSession, draft_id: str) -> None:
    """Keeps nothing any more."""
    await session.execute(delete_rows(DraftLabels).where(DraftLabels.draft_id == draft_id))
