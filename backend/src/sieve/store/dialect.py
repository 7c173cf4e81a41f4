"""What queries use of SQLite's dialect by name. `database` lists all modules that depend on SQLite."""

from sqlalchemy import BigInteger, LargeBinary, cast, func
from sqlalchemy.dialects.sqlite import dialect, insert
from sqlalchemy.sql import ColumnElement

from sieve.store import bucket_counts

__all__ = ["added_counts", "dialect", "greatest", "insert", "joined"]


def greatest(*numbers: ColumnElement[int]) -> ColumnElement[int]:
    """The greatest of several numbers; None if one of them is."""
    return func.max(*numbers, type_=BigInteger())


def joined(column: ColumnElement[bytes]) -> ColumnElement[bytes]:
    """Aggregate: the values of all rows, one after the other, in any order."""
    return cast(func.group_concat(column, ""), LargeBinary)


def added_counts(one: ColumnElement[bytes], other: ColumnElement[bytes]) -> ColumnElement[bytes]:
    """Two histograms added up. Another database needs this function as a stored procedure."""
    called: ColumnElement[bytes] = getattr(func, bucket_counts.FUNCTION)(one, other, type_=LargeBinary)
    return called
