"""A person's inbox as a list: filtered, sorted and counted.

Sorted by time, a page is read in order by an index and ends with its page. Sorted by anything else, all entries of the
person are sorted for each page. Searches: see `name_search`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

from sqlalchemy import ColumnElement, Select, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import selectinload

from sieve.store.case_folding import contains, folded, in_any_case
from sieve.store.models import Document, InboxEntry, Peer, Received
from sieve.store.queries import tags
from sieve.store.queries.inbox import IN_TRASH, SHOWN
from sieve.store.queries.name_search import Ids, Searched, is_among, usable
from sieve.store.queries.sorting import After, Found, SortedBy, whole_rows

Sort: TypeAlias = Literal["time", "sender", "name", "size"]
"""`time`: when an entry was received, or in the trash, when it was deleted."""


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """Which of a person's entries. `search`: a part of the document's name, the sender or the peer, in any case. `tag`:
    one of their tags.
    """

    user_id: str
    search: str = ""
    tag: str | None = None
    unread: bool = False
    in_trash: bool = False


class Order(NamedTuple):
    """`plain_sizes`: compare what a reader without clearance gets: a redacted edition, or the plain part."""

    sort: Sort = "time"
    descending: bool = True
    plain_sizes: bool = True


LATEST_FIRST: Final = Order()


class Counts(NamedTuple):
    """How many entries there are, and how many of them are unread. `more`: at least these."""

    entries: int
    unread: int
    more: bool = False


async def page(
    session: AsyncSession, which: EntryFilter, order: Order = LATEST_FIRST, *, after: After | None, limit: int
) -> Found[InboxEntry]:
    """The entries after `after`, each with the transfer, its peer and its document."""
    received = selectinload(InboxEntry.received)
    loaded = (received.selectinload(Received.peer), received.selectinload(Received.document))
    if not which.search:
        wanted = _sorted(select(InboxEntry), which, order, after)
        return Found((await session.scalars(wanted.options(*loaded).limit(limit))).all())
    found = await _found(session, which, order, after, limit)
    return await whole_rows(session, InboxEntry, found, loaded)


async def ids(session: AsyncSession, which: EntryFilter, order: Order = LATEST_FIRST, *, limit: int) -> Found[str]:
    """The ids of the first `limit` entries; of fewer, if a search ends before."""
    if not which.search:
        return Found((await session.scalars(_sorted(select(InboxEntry.id), which, order, None).limit(limit))).all())
    return await _found(session, which, order, None, limit)


async def _found(
    session: AsyncSession, which: EntryFilter, order: Order, after: After | None, limit: int
) -> Found[str]:
    searched = _searched(session, which, order)
    if order.sort != "time":
        return Found(await searched.first(limit, after))
    return await searched.first_in_order(limit, _by_time(which, order), after)


async def count(session: AsyncSession, which: EntryFilter) -> Counts:
    """How many entries the filter finds."""
    unread = func.count().filter(InboxEntry.read_at_ns.is_(None))
    both = cast(Select[Any], select(func.count(), unread))
    among = part = None
    if which.search:
        searched = _searched(session, which)
        among = usable(await searched.indexed())
        if among is None:
            part = await searched.first_part(_filtered(both, which), _by_time(which, LATEST_FIRST))
    wanted = _filtered(both, which, among) if part is None else part
    entries, unread_entries = (await session.execute(wanted)).one()
    return Counts(entries, unread_entries, more=part is not None)


def place(entry: InboxEntry, order: Order = LATEST_FIRST) -> After:
    """The position of an entry, after which the next page begins."""
    received = entry.received
    document = received.document
    match order.sort:
        case "time":
            key: int | str = entry.created_at_ns if entry.trashed_at_ns is None else entry.trashed_at_ns
        case "sender":
            key = folded(received.sender_name)
        case "name":
            key = folded(document.name)
        case "size":
            plain = document.size - document.classified_size
            redacted = plain if document.redacted_size is None else document.redacted_size
            key = redacted if order.plain_sizes else document.size
    return After(key, entry.id)


def _searched(session: AsyncSession, which: EntryFilter, order: Order = LATEST_FIRST) -> Searched:
    async def matching(among: Ids | None, after: After | None) -> Select[Any]:
        return _sorted(select(InboxEntry.id), which, order, after, among)

    keys = _of_person(cast(Select[Any], select(_by_time(which, order).key, InboxEntry.id)), which)
    return Searched(session, "inbox", which.search, which.user_id, keys, matching)


def _of_person(wanted: Select[Any], which: EntryFilter) -> Select[Any]:
    return wanted.where(InboxEntry.user_id == which.user_id, *_shown(which))


def _shown(which: EntryFilter) -> Sequence[ColumnElement[bool]]:
    return IN_TRASH if which.in_trash else SHOWN


def _filtered(wanted: Select[Any], which: EntryFilter, among: Ids | None = None) -> Select[Any]:
    """`among`: which ones the search finds, if the index says so; they are the person's."""
    if among is None:
        wanted = _of_person(wanted, which)
    else:
        wanted = wanted.where(is_among(InboxEntry.id, among), *_shown(which))
    if which.unread:
        wanted = wanted.where(InboxEntry.read_at_ns.is_(None))
    if which.tag is not None:
        wanted = wanted.where(tags.has(InboxEntry.id, which.tag))
    if which.search and among is None:
        named = (contains(column, which.search) for column in (Document.name, Received.sender_name, Peer.name))
        wanted = wanted.where(
            exists()
            .where(Received.id == InboxEntry.received_id, or_(*named))
            .where(Document.id == Received.document_id, Peer.id == Received.peer_id)
        )
    return wanted


def _sorted(
    wanted: Select[Any], which: EntryFilter, order: Order, after: After | None, among: Ids | None = None
) -> Select[Any]:
    wanted = _filtered(wanted, which, among)
    if order.sort == "time":
        return _by_time(which, order).apply(wanted, after)
    return SortedBy(_key(order), InboxEntry.id, order.descending).apply(_with_document(wanted), after)


def _by_time(which: EntryFilter, order: Order) -> SortedBy:
    key = InboxEntry.trashed_at_ns if which.in_trash else InboxEntry.created_at_ns
    return SortedBy(cast(ColumnElement[Any], key), InboxEntry.id, order.descending)


def _key(order: Order) -> ColumnElement[Any]:
    match order.sort:
        case "sender":
            return in_any_case(Received.sender_name)
        case "name":
            return in_any_case(Document.name)
        case _:
            plain = Document.size - Document.classified_size
            return func.coalesce(Document.redacted_size, plain) if order.plain_sizes else Document.size + 0


def _with_document(wanted: Select[Any]) -> Select[Any]:
    return wanted.join(Received, Received.id == InboxEntry.received_id).join(
        Document, Document.id == Received.document_id
    )
