"""Long lists a page at a time, the latest first.

Each is read in its order by an index (`ix_..._list`), and ends with its page: nothing is sorted.

A page ends with a row, and the next one begins after it: after its key and id, not after a count of rows, so that
rows which arrive meanwhile neither repeat nor hide one.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Select, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import Document, Transfer


class After(NamedTuple):
    """The last row of the page before, by what its list is sorted by. The row itself may be gone by now."""

    key: int | str
    id: str


async def documents(session: AsyncSession, owner_id: str, *, after: After | None, limit: int) -> Sequence[Document]:
    """A person's own documents that are not deleted, without the saves of drafts."""
    wanted = select(Document).where(
        Document.owner_id == owner_id, Document.deleted_at_ns.is_(None), Document.draft_id.is_(None)
    )
    return (await session.scalars(_page(wanted, after, limit))).all()


async def transfers_by_state(session: AsyncSession) -> dict[str, int]:
    """How many transfers there are in each state."""
    counted = await session.execute(select(Transfer.state, func.count()).group_by(Transfer.state))
    return {row[0]: row[1] for row in counted}


class Queue(NamedTuple):
    """The queued transfers. `oldest_age_ns`: since the oldest one was accepted; 0 if there is none."""

    depth: int
    oldest_age_ns: int


async def queue(session: AsyncSession, now_ns: int) -> Queue:
    """How many transfers are queued, and the age of the oldest one."""
    queued = select(func.count(), func.min(Transfer.created_at_ns)).where(Transfer.state == "queued")
    depth, oldest_ns = (await session.execute(queued)).one()
    return Queue(depth, 0 if oldest_ns is None else max(0, now_ns - oldest_ns))


def _page(wanted: Select[Any], after: After | None, limit: int) -> Select[Any]:
    if after is not None:
        wanted = wanted.where(tuple_(Document.created_at_ns, Document.id) < after)
    return wanted.order_by(Document.created_at_ns.desc(), Document.id.desc()).limit(limit)
