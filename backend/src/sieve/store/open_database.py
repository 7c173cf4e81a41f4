"""Makes a database of its address."""

from sieve.store.database import Database
from sieve.store.sqlite_database import SQLiteDatabase


def open_database(url: str, *, busy_s: float = 5.0) -> Database:
    """The database with this address; nothing is opened yet. `busy_s`: how long to wait for a connection or a turn.

    Raises:
        DatabaseUnusable: there is no database with such an address.
    """
    return SQLiteDatabase(url, busy_s=busy_s)
