"""A person's inbox as a list: filtered, sorted and counted.

Sorted by time, a page is read in order by an index and ends with its page. Sorted by anything else, all entries of the
person are sorted for each page.
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
from sieve.store.queries.sorting import After, SortedBy

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
    """How many entries there are, and how many of them are unread."""

    entries: int
    unread: int


async def page(
    session: AsyncSession, which: EntryFilter, order: Order = LATEST_FIRST, *, after: After | None, limit: int
) -> Sequence[InboxEntry]:
    """The entries after `after`, each with the transfer, its peer and its document."""
    received = selectinload(InboxEntry.received)
    wanted = _sorted(select(InboxEntry), which, order, after)
    loaded = wanted.options(received.selectinload(Received.peer), received.selectinload(Received.document))
    return (await session.scalars(loaded.limit(limit))).all()


async def ids(session: AsyncSession, which: EntryFilter, order: Order = LATEST_FIRST, *, limit: int) -> Sequence[str]:
    """The ids of the first `limit` entries."""
    wanted = _sorted(select(InboxEntry.id), which, order, None)
    return (await session.scalars(wanted.limit(limit))).all()


async def count(session: AsyncSession, which: EntryFilter) -> Counts:
    """How many entries the filter finds."""
    unread = func.count().filter(InboxEntry.read_at_ns.is_(None))
    both = cast(Select[Any], select(func.count(), unread))
    entries, unread_entries = (await session.execute(_filtered(both, which))).one()
    return Counts(entries, unread_entries)


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


def _filtered(wanted: Select[Any], which: EntryFilter) -> Select[Any]:
    wanted = wanted.where(InboxEntry.user_id == which.user_id, *(IN_TRASH if which.in_trash else SHOWN))
    if which.unread:
        wanted = wanted.where(InboxEntry.read_at_ns.is_(None))
    if which.tag is not None:
        wanted = wanted.where(tags.has(InboxEntry.id, which.tag))
    if which.search:
        named = (contains(column, which.search) for column in (Document.name, Received.sender_name, Peer.name))
        wanted = wanted.where(
            exists()
            .where(Received.id == InboxEntry.received_id, or_(*named))
            .where(Document.id == Received.document_id, Peer.id == Received.peer_id)
        )
    return wanted


def _sorted(wanted: Select[Any], which: EntryFilter, order: Order, after: After | None) -> Select[Any]:
    wanted = _filtered(wanted, which)
    if order.sort == "time":
        key = cast(ColumnElement[Any], InboxEntry.trashed_at_ns if which.in_trash else InboxEntry.created_at_ns)
    else:
        key = _key(order)
        wanted = _with_document(wanted)
    return SortedBy(key, InboxEntry.id, order.descending).apply(wanted, after)


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
