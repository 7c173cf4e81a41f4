"""Lists that a person sorts: the order, and the rows after the last one of the page before."""

from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.queries.lists import After


class SortedBy(NamedTuple):
    """Sorted by `key`, and rows with equal keys by `id`."""

    key: ColumnElement[Any]
    id: Any
    descending: bool

    def apply(self, wanted: Select[Any], last: tuple[Any, str] | None) -> Select[Any]:
        """`wanted` in this order, after the row with that key and id."""
        if last is not None:
            place = tuple_(self.key, self.id)
            wanted = wanted.where(place < last if self.descending else place > last)
        if self.descending:
            return wanted.order_by(self.key.desc(), self.id.desc())
        return wanted.order_by(self.key, self.id)


async def place_of(session: AsyncSession, keys: Select[Any], id_: Any, after: After | None) -> tuple[Any, str] | None:
    """The last row of the page before, by its current key. `keys`: selects the keys of the person's rows, which have
    the ids `id_`. None if that row is gone: the list begins again.
    """
    if after is None:
        return None
    found = (await session.execute(keys.where(id_ == after.id))).one_or_none()
    return None if found is None else (found[0], after.id)
