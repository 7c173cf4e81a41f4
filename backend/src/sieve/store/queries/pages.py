"""Long lists a page at a time, the latest first.

A page ends with a row, and the next one begins after it: after its time and id, not after a count of rows, so that
rows which arrive meanwhile neither repeat nor hide one.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Select, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import selectinload

from sieve.store.folding import contains
from sieve.store.models import Document, InboxEntry, Peer, Received, Transfer, User

Row = TypeVar("Row", Document, Transfer, InboxEntry)


class After(NamedTuple):
    """The last row of the page before, by the time that its list is ordered by."""

    at_ns: int
    id: str


async def documents(session: AsyncSession, owner_id: str, *, after: After | None, limit: int) -> Sequence[Document]:
    """A person's own documents that are not deleted, without the saves of drafts."""
    wanted = select(Document).where(
        Document.owner_id == owner_id, Document.deleted_at_ns.is_(None), Document.draft_id.is_(None)
    )
    return (await session.scalars(_page(wanted, Document, after, limit))).all()


async def transfers(
    session: AsyncSession,
    *,
    author_id: str | None,
    state: str | None = None,
    peer: str | None = None,
    author: str | None = None,
    search: str | None = None,
    since_ns: int | None = None,
    after: After | None,
    limit: int,
) -> Sequence[Transfer]:
    """An author's transfers, everybody's if `author_id` is None; each with recipients, peer, author and document.

    If given, only those of that state, to peers of that name, of the author with that login, with `search` in the
    document's name (in any case), accepted at `since_ns` or later.
    """
    wanted = select(Transfer).options(
        selectinload(Transfer.recipients),
        selectinload(Transfer.peer).joinedload(Peer.breaker),
        selectinload(Transfer.author),
        selectinload(Transfer.document),
    )
    if author_id is not None:
        wanted = wanted.where(Transfer.author_id == author_id)
    if state is not None:
        wanted = wanted.where(Transfer.state == state)
    if peer is not None:
        wanted = wanted.where(Transfer.peer_id.in_(select(Peer.id).where(Peer.name == peer)))
    if author is not None:
        wanted = wanted.where(Transfer.author_id.in_(select(User.id).where(User.name == author.lower())))
    if search:
        wanted = wanted.where(Transfer.document_id.in_(select(Document.id).where(contains(Document.name, search))))
    if since_ns is not None:
        wanted = wanted.where(Transfer.created_at_ns >= since_ns)
    return (await session.scalars(_page(wanted, Transfer, after, limit))).all()


async def inbox(session: AsyncSession, user_id: str, *, after: After | None, limit: int) -> Sequence[InboxEntry]:
    """A person's entries that are not deleted, each with the transfer, its peer and its document."""
    received = selectinload(InboxEntry.received)
    wanted = (
        select(InboxEntry)
        .where(InboxEntry.user_id == user_id, InboxEntry.deleted_at_ns.is_(None))
        .options(received.selectinload(Received.peer), received.selectinload(Received.document))
    )
    return (await session.scalars(_page(wanted, InboxEntry, after, limit))).all()


async def transfers_by_state(session: AsyncSession) -> dict[str, int]:
    """How many transfers there are in each state."""
    counted = await session.execute(select(Transfer.state, func.count()).group_by(Transfer.state))
    return {row[0]: row[1] for row in counted}


def _page(wanted: Select[Any], row: type[Row], after: After | None, limit: int) -> Select[Any]:
    if after is not None:
        wanted = wanted.where(tuple_(row.created_at_ns, row.id) < after)
    return wanted.order_by(row.created_at_ns.desc(), row.id.desc()).limit(limit)
