"""What all tables have: their base, ids and times."""

from typing import Annotated, Any, ClassVar, Final, TypeAlias, get_args
from uuid import uuid4

from sqlalchemy import BigInteger, CheckConstraint, Index, MetaData, text
from sqlalchemy.orm import DeclarativeBase, mapped_column

from sieve.store.dialect import WHOLE_NUMBER

TimeNs: TypeAlias = Annotated[int, mapped_column(BigInteger)]
"""Nanoseconds since the epoch."""
Size: TypeAlias = Annotated[int, mapped_column(BigInteger)]
"""Bytes."""
Id: TypeAlias = Annotated[str, mapped_column(primary_key=True)]
SHOWN: Final = "deleted_at_ns IS NULL AND trashed_at_ns IS NULL"
TRASH: Final = "deleted_at_ns IS NULL AND trashed_at_ns IS NOT NULL"
"""Which rows a list shows, and which a trash does."""


def new_id() -> str:
    """A fresh id."""
    return uuid4().hex


def one_of(column: str, values: Any) -> CheckConstraint:
    """The column has one of the values of a `Literal`."""
    listed = ", ".join(f"'{value}'" for value in get_args(values))
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def index(name: str, *columns: str, where: str | None = None, unique: bool = False) -> Index:
    """An index of the rows for which `where` holds; its columns are in the order in which lists are read."""
    only = None if where is None else text(where)
    return Index(name, *columns, unique=unique, sqlite_where=only, postgresql_where=only)


class Base(DeclarativeBase):
    """All tables; every constraint has a name, so that a migration can speak of it."""

    type_annotation_map: ClassVar[dict[Any, Any]] = {int: WHOLE_NUMBER}
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
