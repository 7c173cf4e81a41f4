"""Lists that a person sorts: the order, the rows after the last one of the page before, and how large a list is."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar, cast

from sqlalchemy import CTE, ColumnElement, Select, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute
from sqlalchemy.orm.interfaces import ORMOption

from sieve.store.case_folding import in_any_case
from sieve.store.models import Document, InboxEntry, Peer, Received, Transfer

MOST_COUNTED: Final = 10_000
"""Rows up to which lists of everybody's documents are counted: to count is to read each row, and its document."""

Row = TypeVar("Row")
Listed = TypeVar("Listed", InboxEntry, Received, Transfer)

DOCUMENT_KEYS: Final[Mapping[str, ColumnElement[Any]]] = {
    "name": in_any_case(Document.name),
    # No index has this order: the sum keeps SQLite from looking for one.
    "size": Document.size + 0,
}
"""What a list that is joined with documents may be sorted by."""


class After(NamedTuple):
    """The last row of the page before, by what its list is sorted by. The row itself may be gone by now.

    The next page begins after this key and id, not after a count of rows, so that rows which arrive meanwhile neither
    repeat nor hide one.
    """

    key: int | str
    id: str


class Found(NamedTuple, Generic[Row]):
    """A page of a list. `read_to`: the row up to which it was read, if that took so long that the page ended before it
    was full; the next page goes on after it."""

    rows: Sequence[Row]
    read_to: After | None = None


class SortedBy(NamedTuple):
    """Sorted by `key`, and rows with equal keys by `id`."""

    key: ColumnElement[Any]
    id: Any
    descending: bool

    def apply(self, wanted: Select[Any], last: After | None) -> Select[Any]:
        """`wanted` in this order, after the row with that key and id."""
        if last is not None:
            place = tuple_(self.key, self.id)
            at = (last.key, last.id)
            wanted = wanted.where(place < at if self.descending else place > at)
        if self.descending:
            return wanted.order_by(self.key.desc(), self.id.desc())
        return wanted.order_by(self.key, self.id)

    def up_to(self, wanted: Select[Any], last: After) -> Select[Any]:
        """`wanted` without the rows after the one with that key and id."""
        place = tuple_(self.key, self.id)
        at = (last.key, last.id)
        return wanted.where(place >= at if self.descending else place <= at)


class Size(NamedTuple):
    """How many rows a list has, and the bytes of their documents together."""

    rows: int
    bytes: int


class SizeUpToMost(NamedTuple):
    """The same of a list that is counted up to `MOST_COUNTED`, or as far as one answer reads. `more`: it has at least
    these rows; `bytes` is None."""

    rows: int
    bytes: int | None
    more: bool = False


async def whole_rows(
    session: AsyncSession, of: type[Listed], found: Found[str], loaded: Sequence[ORMOption]
) -> Found[Listed]:
    """The rows with the ids that were found, in their order, and what is `loaded` with each."""
    rows = await session.scalars(select(of).where(of.id.in_(found.rows)).options(*loaded))
    by_id = {row.id: row for row in rows}
    return Found([by_id[row_id] for row_id in found.rows], found.read_to)


SIZE: Final = cast(Select[Any], select(func.count(), func.coalesce(func.sum(Document.size), 0)))
"""Selects a `Size`, of rows that are joined with their documents."""


async def size_of(session: AsyncSession, wanted: Select[Any]) -> Size:
    """The size of a list that is selected from `SIZE`."""
    return Size(*(await session.execute(wanted)).one())


MORE: Final = SizeUpToMost(MOST_COUNTED, None, more=True)


async def size_up_to_most(
    session: AsyncSession, rows: Select[Any], document_id: InstrumentedAttribute[str]
) -> SizeUpToMost:
    """The size of a list. `rows`: selects the ids of its rows. `document_id`: their document's. Documents are read only
    if all rows are counted."""
    return MORE if await has_more_rows(session, rows, MOST_COUNTED) else await size_of_all(session, rows, document_id)


async def size_of_all(
    session: AsyncSession, rows: Select[Any], document_id: InstrumentedAttribute[str]
) -> SizeUpToMost:
    """The same of a list that is not long."""
    of_each = rows.join(Document, Document.id == document_id).add_columns(Document.size).subquery()
    counted = select(func.count(), func.coalesce(func.sum(of_each.c.size), 0)).select_from(of_each)
    return SizeUpToMost(*(await session.execute(counted)).one())


async def has_more_rows(session: AsyncSession, rows: Select[Any], than: int) -> bool:
    """Whether a list has more rows than so many."""
    return (await session.execute(rows.offset(than).limit(1))).first() is not None


def folded_peer_names() -> CTE:
    """The peers, with `id` and `folded` name. Each name is folded once, not again for each row of a list."""
    names = select(Peer.id, in_any_case(Peer.name).label("folded"))
    return names.cte("peer_names").prefix_with("MATERIALIZED")
