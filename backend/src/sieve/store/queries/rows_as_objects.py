"""Objects made of the rows of a statement of tables. A session takes several times as long to load them, so this is for
what every transfer looks up.

Invariant: no change of such an object is written, because no session knows it. It is like an object whose session has
ended: what was not loaded cannot be read.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final, Generic, TypeVar

from sqlalchemy import ColumnElement, FromClause, inspect
from sqlalchemy.orm import DeclarativeBase, Mapper, class_mapper
from sqlalchemy.orm.attributes import instance_dict, instance_state, set_committed_value

T = TypeVar("T", bound=DeclarativeBase)


class RowsOf(Generic[T]):
    """The rows of `entity` in a statement, which names all `columns` of `table`."""

    def __init__(self, entity: type[T], alias: str | None = None) -> None:
        self._entity = entity
        mapper = inspect(entity)
        table = mapper.local_table
        self.table: Final[FromClause] = table if alias is None else table.alias(alias)
        self.columns: Final[Sequence[ColumnElement[Any]]] = list(self.table.columns)
        self._names = [mapper.get_property_by_column(column).key for column in table.columns]
        self._key_at = [self._names.index(mapper.get_property_by_column(column).key) for column in mapper.primary_key]

    @cached_property
    def _mapper(self) -> Mapper[T]:
        return class_mapper(self._entity)  # finishes the mapping of all classes, which takes a while

    def made(self, values: Sequence[Any], **related: Any) -> T:
        """The object with these values of `columns`, and those that its relations name."""
        made: T = self._mapper.class_manager.new_instance()
        instance_dict(made).update(zip(self._names, values, strict=True))
        key = tuple(values[at] for at in self._key_at)
        instance_state(made).key = self._mapper.identity_key_from_primary_key(key)
        for name, value in related.items():
            set_committed_value(made, name, value)
        return made

    def made_if_any(self, values: Sequence[Any]) -> T | None:
        """The object, or None if an outer join found none."""
        return None if values[self._key_at[0]] is None else self.made(values)
