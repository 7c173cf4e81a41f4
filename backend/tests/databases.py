"""The databases of tests."""

import pytest

from sieve.store.database import Database
from sieve.store.sqlite_database import SQLiteDatabase


def as_sqlite(database: Database) -> SQLiteDatabase:
    """The same database, for a test that looks inside of SQLite."""
    if not isinstance(database, SQLiteDatabase):
        pytest.skip("it looks inside of SQLite")
    return database
