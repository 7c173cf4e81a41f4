"""The database: one transaction for each piece of work, all of it or nothing.

    async with database.read() as session: ...      one snapshot; writing through it fails
    async with database.write() as session: ...     BEGIN IMMEDIATE; commits at the end, rolls back on any error

SQLite has one writer at a time. So has this: writers of one process queue for a single connection, in order, rather
than poll for a lock; `busy_s` bounds that wait, and the wait for writers of other processes.
"""

import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, event, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine

from sieve.store.errors import DatabaseBusy, DatabaseUnusable, DestinationFull
from sieve.store.folding import FUNCTION, folded

__all__ = ["Database", "DatabaseBusy", "DatabaseUnusable"]

READERS: Final = 8
_ADVICE: Final = "check SIEVE_DATABASE_URL"


class Database:
    """Opens nothing before its first use. `dispose` closes it."""

    def __init__(self, url: str, *, busy_s: float = 5.0) -> None:
        """`url`: `sqlite+aiosqlite:///` and a path.

        Raises:
            DatabaseUnusable: the address is not one of those.
        """
        self._busy_s = busy_s
        self._path = _path(url)
        # aiosqlite writes every statement with its values to the debug log, whatever hide_parameters says.
        logging.getLogger("aiosqlite").setLevel(logging.WARNING)
        self._writer = self._engine(url, connections=1, begin="BEGIN IMMEDIATE")
        self._readers = self._engine(url, connections=READERS, begin="BEGIN", query_only=True)

    def _engine(self, url: str, *, connections: int, begin: str, query_only: bool = False) -> AsyncEngine:
        engine = create_async_engine(
            url,
            pool_size=connections,
            max_overflow=0,
            pool_timeout=self._busy_s,
            # The driver begins nothing by itself (isolation_level None): the listener below does.
            connect_args={"isolation_level": None, "timeout": self._busy_s},
            # A statement's parameters never reach a log or an error's text.
            hide_parameters=True,
        )

        @event.listens_for(engine.sync_engine, "connect")
        def connected(connection: Any, _record: Any) -> None:
            cursor = connection.cursor()
            cursor.execute("PRAGMA journal_mode=WAL")
            # FULL: a commit is on the disk when it returns, which is what "accepted means durable" rests on.
            cursor.execute("PRAGMA synchronous=FULL")
            cursor.execute("PRAGMA foreign_keys=ON")
            # What is deleted is overwritten, not left in a free page.
            cursor.execute("PRAGMA secure_delete=ON")
            connection.create_function(FUNCTION, 1, folded, deterministic=True)
            if query_only:
                cursor.execute("PRAGMA query_only=ON")
            cursor.close()

        @event.listens_for(engine.sync_engine, "begin")
        def began(connection: Connection) -> None:
            connection.exec_driver_sql(begin)

        return engine

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncSession]:
        """A session on one snapshot. What it loaded stays readable afterwards.

        Raises:
            DatabaseBusy: every reading connection was in use for too long.
        """
        with _translated():
            async with AsyncSession(self._readers, expire_on_commit=False, autoflush=False) as session:
                yield session

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncSession]:
        """A session in the one writing transaction; commits when the block ends well, else rolls back.

        Keep it short: nobody else writes meanwhile, and nothing slow or remote belongs inside.

        Raises:
            DatabaseBusy: others wrote for too long; nothing was done.
            DestinationFull: the disk is full; nothing was done.
        """
        with _translated():
            async with AsyncSession(self._writer, expire_on_commit=False) as session, session.begin():
                yield session

    async def migrate(self) -> None:
        """Brings the tables to this version, in one transaction; makes the file (mode 0600) if there is none.

        Raises:
            DatabaseUnusable: the file cannot be opened, or was made by a newer version.
        """
        # Alembic is a third of a second to import, and only this needs it.
        from sieve.store.migrate import upgrade

        try:
            self._path.touch(mode=0o600)
        except OSError as error:
            raise DatabaseUnusable(f"cannot use the database {self._path}: {error.strerror}; {_ADVICE}") from error
        with _translated():
            async with self._writer.begin() as connection:
                await connection.run_sync(upgrade)

    async def dispose(self) -> None:
        """Closes every connection."""
        await self._readers.dispose()
        await self._writer.dispose()


def _path(url: str) -> Path:
    """The file of a database's address."""
    try:
        parsed = make_url(url)
    except Exception as error:
        # The address may hold a password: it is not repeated.
        raise DatabaseUnusable(
            "the database's address cannot be read; example: sqlite+aiosqlite:////var/lib/sieve/sieve.db"
        ) from error
    if parsed.drivername != "sqlite+aiosqlite" or not parsed.database or parsed.database == ":memory:":
        raise DatabaseUnusable(
            "the database must be a SQLite file for now; example: sqlite+aiosqlite:////var/lib/sieve/sieve.db"
        )
    return Path(parsed.database)


@contextmanager
def _translated() -> Iterator[None]:
    """The driver's complaints in our words."""
    try:
        yield
    except PoolTimeout as error:
        raise DatabaseBusy("the database is busy: others have held it for too long; try again") from error
    except DBAPIError as error:
        said = str(error.orig)
        if "database is locked" in said or "database table is locked" in said:
            raise DatabaseBusy("the database is locked by another process; try again") from error
        if "disk is full" in said:
            raise DestinationFull("the disk that holds the database is full; free some space") from error
        if "unable to open database file" in said or "not a database" in said or "malformed" in said:
            raise DatabaseUnusable(f"the database cannot be used: {said}; {_ADVICE}") from error
        raise
