"""Lists that a person sorts: the order, and the rows after the last one of the page before."""

from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, tuple_

from sieve.store.queries.lists import After


class SortedBy(NamedTuple):
    """Sorted by `key`, and rows with equal keys by `id`."""

    key: ColumnElement[Any]
    id: Any
    descending: bool

    def apply(self, wanted: Select[Any], last: After | None) -> Select[Any]:
        """`wanted` in this order, after the row with that key and id."""
        if last is not None:
            place = tuple_(self.key, self.id)
            wanted = wanted.where(place < last if self.descending else place > last)
        if self.descending:
            return wanted.order_by(self.key.desc(), self.id.desc())
        return wanted.order_by(self.key, self.id)
