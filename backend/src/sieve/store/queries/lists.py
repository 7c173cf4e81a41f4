"""Long lists a page at a time, the latest first.

Each is read in its order by an index (`ix_..._list`), and ends with its page: nothing is sorted. What filters it must
not lead SQLite to another index, by which it would find rows in no order: therefore `_aside`.

A page ends with a row, and the next one begins after it: after its time and id, not after a count of rows, so that
rows which arrive meanwhile neither repeat nor hide one.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import ColumnElement, Select, exists, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute, selectinload

from sieve.store.case_folding import contains
from sieve.store.models import Document, Peer, Transfer, User

Row = TypeVar("Row", Document, Transfer)


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
        wanted = wanted.where(_aside(Transfer.state) == state)
    # Few have that name: one, or those that had it before, too.
    if peer is not None:
        wanted = wanted.where(_aside(Transfer.peer_id).in_(await _ids(session, select(Peer.id), Peer.name == peer)))
    if author is not None:
        named = await _ids(session, select(User.id), User.name == author.lower())
        wanted = wanted.where(_aside(Transfer.author_id).in_(named))
    if search:
        named_so = exists().where(Document.id == Transfer.document_id, contains(Document.name, search))
        wanted = wanted.where(named_so)
    if since_ns is not None:
        wanted = wanted.where(Transfer.created_at_ns >= since_ns)
    return (await session.scalars(_page(wanted, Transfer, after, limit))).all()


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


def _aside(column: InstrumentedAttribute[str]) -> ColumnElement[str]:
    """The column, for a condition that chooses no index."""
    return func.coalesce(column, "")


async def _ids(session: AsyncSession, which: Select[str], condition: ColumnElement[bool]) -> Sequence[str]:
    return (await session.scalars(which.where(condition))).all()


def _page(wanted: Select[Any], row: type[Row], after: After | None, limit: int) -> Select[Any]:
    if after is not None:
        wanted = wanted.where(tuple_(row.created_at_ns, row.id) < after)
    return wanted.order_by(row.created_at_ns.desc(), row.id.desc()).limit(limit)
