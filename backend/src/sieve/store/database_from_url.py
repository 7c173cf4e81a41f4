"""The database that an address names: SQLite or PostgreSQL."""

from sieve.store.database import Database, DatabaseUnusable
from sieve.store.postgres_address import EXAMPLE, SCHEME
from sieve.store.sqlite_database import SQLiteDatabase


def database_from_url(url: str, *, busy_s: float = 5.0) -> Database:
    """The database with this address; nothing is opened yet. `busy_s`: how long to wait for a connection or a turn.

    Raises:
        DatabaseUnusable: there is no database with such an address.
    """
    if url.startswith("postgresql"):
        # Only a gateway with such a database needs its driver.
        from sieve.store.postgres_database import PostgresDatabase

        if not url.startswith(SCHEME):
            raise DatabaseUnusable(f"the database's address must begin with {SCHEME}; example: {EXAMPLE}")
        return PostgresDatabase(url, busy_s=busy_s)
    return SQLiteDatabase(url, busy_s=busy_s)
