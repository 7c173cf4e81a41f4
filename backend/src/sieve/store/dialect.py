"""What queries use of SQLite's dialect by name. Another database changes it here."""

from sqlalchemy import BigInteger, func
from sqlalchemy.dialects.sqlite import dialect, insert
from sqlalchemy.sql import ColumnElement

__all__ = ["dialect", "greatest", "insert"]


def greatest(*numbers: ColumnElement[int]) -> ColumnElement[int]:
    """The greatest of several numbers; None if one of them is."""
    return func.max(*numbers, type_=BigInteger())
