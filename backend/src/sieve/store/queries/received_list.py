"""Received documents as a list, for admins: filtered, sorted and counted.

Sorted by time, a page is read in order by an index and ends with its page. Sorted by anything else, all received
documents are sorted for each page (decision 56): by peer from an index alone, by name or size with the documents. Whole
rows are read of a page only. Searches: see `name_search`.
"""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

from sqlalchemy import ColumnElement, Select, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import selectinload

from sieve.store.case_folding import contains, folded
from sieve.store.models import Document, InboxEntry, Peer, Received, User
from sieve.store.queries import name_search
from sieve.store.queries.name_search import Ids, Searched, is_among, usable
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

Sort: TypeAlias = Literal["time", "name", "peer", "size"]
"""`time`: when a document was received."""


@dataclass(frozen=True, slots=True)
class ReceivedFilter:
    """Which received documents. If given, only those from peers of that name, for the recipient with that login, with
    `search` in the document's name or the sender's (in any case), received at `since_ns` or later, by the transfer with
    the id `transfer_id`.
    """

    peer: str | None = None
    recipient: str | None = None
    search: str | None = None
    since_ns: int | None = None
    transfer_id: str | None = None


class Order(NamedTuple):
    """How the list is sorted."""

    sort: Sort = "time"
    descending: bool = True


LATEST_FIRST: Final = Order()
_IDS: Final[Select[Any]] = select(Received.id)


class HolderRow(NamedTuple):
    """A person who received a document. `opened_at_ns`: when they opened it first, if they did. `deleted`: it is not in
    their inbox any more; they may restore it from the trash for some days.
    """

    name: str
    display_name: str
    opened_at_ns: int | None
    deleted: bool


async def page(
    session: AsyncSession, which: ReceivedFilter, order: Order = LATEST_FIRST, *, after: After | None, limit: int
) -> Found[Received]:
    """The received documents after `after`, each with peer and document."""
    found = await _found(session, which, order, after, limit)
    loaded = (selectinload(Received.peer), selectinload(Received.document))
    return await whole_rows(session, Received, found, loaded)


async def count(session: AsyncSession, which: ReceivedFilter) -> SizeUpToMost:
    """How many documents the filter finds, and their size."""
    if not which.search:
        return await size_up_to_most(session, await _filtered(session, _IDS, which), Received.document_id)
    return await _searched(session, which).size(
        lambda among: _filtered(session, _IDS, which, among), _by_time(LATEST_FIRST), Received.document_id
    )


async def holders(session: AsyncSession, received_ids: Sequence[str]) -> Mapping[str, Sequence[HolderRow]]:
    """The people who received each of these documents, by login."""
    found = await session.execute(
        select(
            InboxEntry.received_id,
            User.name,
            User.display_name,
            InboxEntry.read_at_ns,
            InboxEntry.trashed_at_ns,
            InboxEntry.deleted_at_ns,
        )
        .join(User, User.id == InboxEntry.user_id)
        .where(InboxEntry.received_id.in_(received_ids))
    )
    of: dict[str, list[HolderRow]] = {}
    for received_id, name, display_name, read_at_ns, trashed_at_ns, deleted_at_ns in found:
        deleted = trashed_at_ns is not None or deleted_at_ns is not None
        of.setdefault(received_id, []).append(HolderRow(name, display_name, read_at_ns, deleted))
    return {received_id: sorted(people) for received_id, people in of.items()}


def place(received: Received, order: Order = LATEST_FIRST) -> After:
    """The position of a received document, after which the next page begins."""
    match order.sort:
        case "time":
            key: int | str = received.received_at_ns
        case "name":
            key = folded(received.document.name)
        case "peer":
            key = folded(received.peer.name)
        case "size":
            key = received.document.size
    return After(key, received.id)


async def _found(
    session: AsyncSession, which: ReceivedFilter, order: Order, after: After | None, limit: int
) -> Found[str]:
    if not which.search:
        wanted = await _sorted(session, _IDS, which, order, after)
        return Found((await session.scalars(wanted.limit(limit))).all())
    searched = _searched(session, which, order)
    if order.sort != "time":
        return Found(await searched.first(limit, after))
    return await searched.first_in_order(limit, _by_time(order), after)


def _searched(session: AsyncSession, which: ReceivedFilter, order: Order = LATEST_FIRST) -> Searched:
    def matching(among: Ids | None, after: After | None) -> Awaitable[Select[Any]]:
        return _sorted(session, _IDS, which, order, after, among)

    keys = cast(Select[Any], select(Received.received_at_ns, Received.id))
    return Searched(session, "received", which.search or "", None, keys, matching)


async def _filtered(
    session: AsyncSession, wanted: Select[Any], which: ReceivedFilter, among: Ids | None = None
) -> Select[Any]:
    """`among`: which ones the search finds, if the index says so."""
    if among is not None:
        wanted = wanted.where(is_among(Received.id, among))
    if which.peer is not None:
        named = (await session.scalars(select(Peer.id).where(Peer.name == which.peer))).all()
        # By an index of peers SQLite would find rows in no order.
        wanted = wanted.where(func.coalesce(Received.peer_id, "").in_(named))
    if which.recipient is not None:
        user_id = await session.scalar(select(User.id).where(User.name == which.recipient.lower()))
        theirs = InboxEntry.user_id == (user_id or "")  # nobody has an empty id
        few = usable(
            (await session.scalars(select(InboxEntry.received_id).where(theirs).limit(name_search.MOST + 1))).all()
        )
        if few is None:
            wanted = wanted.where(exists().where(theirs, InboxEntry.received_id == Received.id).correlate(Received))
        else:
            # In the list's order, it would be read to its end.
            wanted = wanted.where(is_among(Received.id, few))
    if which.search and among is None:
        # A value for each row that is read, up to the end of the page. For EXISTS PostgreSQL would read all documents.
        named_so = select(contains(Document.name, which.search)).where(Document.id == Received.document_id)
        document = named_so.correlate(Received).scalar_subquery()
        wanted = wanted.where(or_(contains(Received.sender_name, which.search), document))
    if which.since_ns is not None:
        wanted = wanted.where(Received.received_at_ns >= which.since_ns)
    if which.transfer_id is not None:
        # The index of transfers begins with the peer.
        of_transfer = select(Received.id).where(
            Received.peer_id.in_(select(Peer.id)), Received.transfer_id == which.transfer_id
        )
        wanted = wanted.where(Received.id.in_((await session.scalars(of_transfer)).all()))
    return wanted


async def _sorted(
    session: AsyncSession,
    wanted: Select[Any],
    which: ReceivedFilter,
    order: Order,
    after: After | None,
    among: Ids | None = None,
) -> Select[Any]:
    wanted = await _filtered(session, wanted, which, among)
    key: ColumnElement[Any]
    match order.sort:
        case "time":
            return _by_time(order).apply(wanted, after)
        case "peer":
            names = folded_peer_names()
            # By an index of peers SQLite would look at whole rows.
            key, wanted = names.c.folded, wanted.join(names, names.c.id == func.coalesce(Received.peer_id, ""))
        case "name" | "size":
            key = DOCUMENT_KEYS[order.sort]
            wanted = wanted.join(Document, Document.id == Received.document_id)
    return SortedBy(key, Received.id, order.descending).apply(wanted, after)


def _by_time(order: Order) -> SortedBy:
    return SortedBy(cast(ColumnElement[Any], Received.received_at_ns), Received.id, order.descending)
