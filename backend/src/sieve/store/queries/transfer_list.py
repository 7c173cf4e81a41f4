"""Transfers as a list: filtered, sorted and counted.

Sorted by time, a page is read in order by an index and ends with its page. Sorted by anything else, all transfers of
the author, or of everybody, are sorted for each page (decision 56): by state or peer from an index alone, by name or
size with the documents. Whole rows are read of a page only. Searches: see `name_search`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

from sqlalchemy import ColumnElement, Select, case, exists, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute, selectinload

from sieve.store.case_folding import contains, folded
from sieve.store.models import Document, Peer, Transfer, User
from sieve.store.queries.draft_list import STATE_RANK
from sieve.store.queries.name_search import Ids, Searched, is_among
from sieve.store.queries.sorting import (
    DOCUMENT_KEYS,
    After,
    Found,
    SizeUpToMost,
    SortedBy,
    folded_peer_names,
    size_up_to_most,
    whole_rows,
)

Sort: TypeAlias = Literal["time", "name", "peer", "size", "state"]
"""`time`: when a transfer was accepted."""


@dataclass(frozen=True, slots=True)
class TransferFilter:
    """Which transfers: an author's, or everybody's if `author_id` is None.

    If given, only those of that state, to peers of that name, of the author with that login, with `search` in the
    document's name (in any case), accepted at `since_ns` or later. `but_locked`: without those whose document a reset
    locked.
    """

    author_id: str | None
    state: str | None = None
    peer: str | None = None
    author: str | None = None
    search: str | None = None
    since_ns: int | None = None
    but_locked: bool = False


class Order(NamedTuple):
    """How a list is sorted."""

    sort: Sort = "time"
    descending: bool = True


LATEST_FIRST: Final = Order()
_IDS: Final[Select[Any]] = select(Transfer.id)


async def page(
    session: AsyncSession, which: TransferFilter, order: Order = LATEST_FIRST, *, after: After | None, limit: int
) -> Found[Transfer]:
    """The transfers after `after`, each with recipients, peer, author and document."""
    loaded = (
        selectinload(Transfer.recipients),
        selectinload(Transfer.peer).joinedload(Peer.breaker),
        selectinload(Transfer.author),
        selectinload(Transfer.document),
    )
    found = await _found(session, which, order, after, limit)
    return await whole_rows(session, Transfer, found, loaded)


async def ids(session: AsyncSession, which: TransferFilter, order: Order = LATEST_FIRST, *, limit: int) -> Found[str]:
    """The ids of the first `limit` transfers; of fewer, if a search ends before."""
    return await _found(session, which, order, None, limit)


async def _found(
    session: AsyncSession,
    which: TransferFilter,
    order: Order,
    after: After | None,
    limit: int,
) -> Found[str]:
    if not which.search:
        wanted = await _sorted(session, _IDS, which, order, after)
        return Found((await session.scalars(wanted.limit(limit))).all())
    searched = _searched(session, which, order)
    if order.sort != "time":
        return Found(await searched.first(limit, after))
    return await searched.first_in_order(limit, _by_time(order), after)


async def count(session: AsyncSession, which: TransferFilter) -> SizeUpToMost:
    """How many transfers the filter finds, and their size."""
    if not which.search:
        return await size_up_to_most(session, await _filtered(session, _IDS, which), Transfer.document_id)
    searched = _searched(session, which)
    return await searched.size(
        lambda among: _filtered(session, _IDS, which, among), _by_time(LATEST_FIRST), Transfer.document_id
    )


def place(transfer: Transfer, order: Order = LATEST_FIRST) -> After:
    """The position of a transfer, after which the next page begins."""
    match order.sort:
        case "time":
            key: int | str = transfer.created_at_ns
        case "name":
            key = folded(transfer.document.name)
        case "peer":
            key = folded(transfer.peer.name)
        case "size":
            key = transfer.document.size
        case "state":
            key = STATE_RANK[transfer.state]
    return After(key, transfer.id)


def _searched(session: AsyncSession, which: TransferFilter, order: Order = LATEST_FIRST) -> Searched:
    return Searched(
        session,
        "sent" if which.author_id is None else "sent by",
        which.search or "",
        which.author_id,
        _of_author(cast(Select[Any], select(Transfer.created_at_ns, Transfer.id)), which),
        lambda among, after: _sorted(session, _IDS, which, order, after, among),
    )


def _of_author(wanted: Select[Any], which: TransferFilter) -> Select[Any]:
    return wanted if which.author_id is None else wanted.where(Transfer.author_id == which.author_id)


async def _filtered(
    session: AsyncSession, wanted: Select[Any], which: TransferFilter, among: Ids | None = None
) -> Select[Any]:
    """`among`: which ones the search finds, if the index says so; they are the author's."""
    wanted = _of_author(wanted, which) if among is None else wanted.where(is_among(Transfer.id, among))
    if which.state is not None:
        wanted = wanted.where(_aside(Transfer.state) == which.state)
    # Few have that name: one, or those that had it before, too.
    if which.peer is not None:
        named = await _ids(session, select(Peer.id), Peer.name == which.peer)
        wanted = wanted.where(_aside(Transfer.peer_id).in_(named))
    if which.author is not None:
        # By the index of an author's own list. Nobody has an empty id.
        author_id = await session.scalar(select(User.id).where(User.name == which.author.lower()))
        wanted = wanted.where(Transfer.author_id == (author_id or ""))
    if which.search and among is None:
        named_so = exists().where(Document.id == Transfer.document_id, contains(Document.name, which.search))
        wanted = wanted.where(named_so.correlate(Transfer))
    if which.but_locked:
        locked = exists().where(Document.id == Transfer.document_id, Document.locked)
        wanted = wanted.where(~locked.correlate(Transfer))
    if which.since_ns is not None:
        wanted = wanted.where(Transfer.created_at_ns >= which.since_ns)
    return wanted


async def _sorted(
    session: AsyncSession,
    wanted: Select[Any],
    which: TransferFilter,
    order: Order,
    after: After | None,
    among: Ids | None = None,
) -> Select[Any]:
    wanted = await _filtered(session, wanted, which, among)
    key: ColumnElement[Any]
    match order.sort:
        case "time":
            return _by_time(order).apply(wanted, after)
        case "state":
            key = case(STATE_RANK, value=Transfer.state)
        case "peer":
            names = folded_peer_names()
            key, is_of_one = names.c.folded, which.author_id is not None
            # SQLite goes from peer to peer. An author's list it would read once for each: an outer join forbids that.
            wanted = wanted.join(names, names.c.id == Transfer.peer_id, isouter=is_of_one)
        case "name" | "size":
            key = DOCUMENT_KEYS[order.sort]
            wanted = wanted.join(Document, Document.id == Transfer.document_id)
    return SortedBy(key, Transfer.id, order.descending).apply(wanted, after)


def _by_time(order: Order) -> SortedBy:
    return SortedBy(cast(ColumnElement[Any], Transfer.created_at_ns), Transfer.id, order.descending)


def _aside(column: InstrumentedAttribute[str]) -> ColumnElement[str]:
    """The column, for a condition that chooses no index: by another one SQLite would find rows in no order."""
    return func.coalesce(column, "")


async def _ids(session: AsyncSession, which: Select[str], condition: ColumnElement[bool]) -> Sequence[str]:
    return (await session.scalars(which.where(condition))).all()
