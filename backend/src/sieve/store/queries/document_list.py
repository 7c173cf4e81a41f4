"""A person's documents as a list, a page at a time, the latest first.

It is read in its order by an index (`ix_..._list`), and ends with its page: nothing is sorted.
"""

from collections.abc import Sequence

from sqlalchemy import select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import Document
from sieve.store.queries.sorting import After


async def page(session: AsyncSession, owner_id: str, *, after: After | None, limit: int) -> Sequence[Document]:
    """A person's own documents that are neither deleted nor locked, without the saves of drafts."""
    shown = Document.deleted_at_ns.is_(None), Document.locked.is_(False), Document.draft_id.is_(None)
    wanted = select(Document).where(Document.owner_id == owner_id, *shown)
    if after is not None:
        wanted = wanted.where(tuple_(Document.created_at_ns, Document.id) < after)
    ordered = wanted.order_by(Document.created_at_ns.desc(), Document.id.desc()).limit(limit)
    return (await session.scalars(ordered)).all()
