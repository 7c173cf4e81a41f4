"""SQLite: the database is a file.

Reading and writing run on the event loop (`sqlite_on_loop`): a row found by its key is there before a thread would be.
SQLite has one writer at a time, and so does this: writers of one process take turns on a single connection, in order,
and share commits (`writer`). `busy_s` limits the wait for a turn, and for writers of other processes.

`writer`, `sqlite_on_loop` and `snapshot` belong to it.
"""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, NullPool, StaticPool, create_engine, event, make_url, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

from sieve.store import bucket_counts, case_folding, sqlite_name_index
from sieve.store.database import Database
from sieve.store.errors import DatabaseBusy, DatabaseUnusable, DatabaseUnwritable, StorageFull, StoreError
from sieve.store.migrate import newest, upgrade, versions
from sieve.store.sqlite_on_loop import READING, WRITING, SessionOnLoop
from sieve.store.sqlite_on_loop import Connection as ConnectionOnLoop
from sieve.store.writer import Writer

READERS: Final = 8
_BUSY: Final = "the database is busy: others have held it for too long; try again"
_ADVICE: Final = "check SIEVE_DATABASE_URL"
_FILES: Final = ("", "-wal", "-shm")
_FREE: Final = text("SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size")


class NamesDamagedError(DatabaseBusy):
    """The index of parts of names is damaged, and nothing else."""


class SQLiteDatabase(Database):
    """A file."""

    def __init__(self, url: str, *, busy_s: float = 5.0) -> None:
        """`url`: `sqlite+aiosqlite:///` and a path.

        Raises:
            DatabaseUnusable: the address is not one of those.
        """
        self.path: Final = _path(url)
        self.name, self.folder = str(self.path), self.path.parent
        # aiosqlite writes every statement with its values to the debug log, whatever hide_parameters says.
        logging.getLogger("aiosqlite").setLevel(logging.WARNING)
        self._busy_s: Final = busy_s
        self.writer = Writer(self._connect, busy_s, self._merge_names)
        self._folded_names = 0
        # A statement's parameters never reach a log or an error's text.
        self._units = create_engine(
            f"{WRITING}://", creator=lambda: self.writer.connection, poolclass=StaticPool, hide_parameters=True
        )
        # The driver begins nothing by itself (isolation_level None).
        connecting = {"isolation_level": None, "timeout": busy_s, "check_same_thread": False}
        self._readers = create_engine(
            make_url(url).set(drivername=READING),
            poolclass=NullPool,
            connect_args={**connecting, "factory": ConnectionOnLoop},
            hide_parameters=True,
        )
        self._reader_slots = asyncio.Semaphore(READERS)
        # Kept here and not in a pool, which takes as long as a statement to give one out and take it back.
        self._idle_readers: list[Connection] = []
        self._browsers = create_async_engine(
            url, pool_size=READERS, max_overflow=0, pool_timeout=busy_s, connect_args=connecting, hide_parameters=True
        )
        for engine in (self._readers, self._browsers.sync_engine):
            event.listen(engine, "connect", _reads_only)

        @event.listens_for(self._browsers.sync_engine, "begin")
        def began(connection: Connection) -> None:
            connection.exec_driver_sql("BEGIN")

    def _connect(self) -> sqlite3.Connection:
        """The connection that writes. Once it is set up, it does not wait for locks."""
        connection = sqlite3.connect(
            self.path, timeout=self._busy_s, isolation_level=None, check_same_thread=False, factory=ConnectionOnLoop
        )
        # Another process, such as a backup, may hold the lock for a moment, to recover what a killed gateway left.
        set_up(connection)
        connection.create_function(case_folding.FUNCTION, 1, self._folded, deterministic=True)
        connection.execute("PRAGMA busy_timeout=0")
        return connection

    def _folded(self, name: str | None) -> str | None:
        """As `folded_or_null`; counts the names, because triggers fold each that they add to the index of names."""
        self._folded_names += 1
        return case_folding.folded_or_null(name)

    def _merge_names(self, connection: sqlite3.Connection) -> None:
        names, self._folded_names = self._folded_names, 0
        if names:
            sqlite_name_index.merge(connection, names)

    async def exists(self) -> bool:
        return self.path.exists()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncSession]:
        async with self._reader_slot():
            with _translated(self.path), self._reader() as connection:
                session = SessionOnLoop(connection, expire_on_commit=False, autoflush=False)
                with session.sync_session:
                    yield session

    @asynccontextmanager
    async def _reader_slot(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._busy_s if self._reader_slots.locked() else None):
                await self._reader_slots.acquire()
        except TimeoutError:
            raise DatabaseBusy(_BUSY) from None
        try:
            yield
        finally:
            self._reader_slots.release()

    @contextmanager
    def _reader(self) -> Iterator[Connection]:
        connection = self._idle_readers.pop() if self._idle_readers else self._readers.connect()
        try:
            yield connection
        finally:
            connection.rollback()
            self._idle_readers.append(connection)

    @asynccontextmanager
    async def browse(self) -> AsyncIterator[AsyncSession]:
        try:
            with _translated(self.path):
                async with AsyncSession(self._browsers, expire_on_commit=False, autoflush=False) as session:
                    yield session
        except NamesDamagedError:
            await self._give_names_up()
            raise

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncSession]:
        """Units that take their turns one after the other share a commit; each fails by itself."""
        try:
            with _translated(self.path):
                async with self.writer.turn():
                    with _translated(self.path), self._units.begin() as connection:
                        session = SessionOnLoop(connection, expire_on_commit=False)
                        with session.sync_session:
                            yield session
                            session.sync_session.flush()
        except NamesDamagedError:
            await self._give_names_up()
            raise

    async def _give_names_up(self) -> None:
        """A start makes the index of names again."""
        with suppress(StoreError):  # else the next one who meets the damage tries it
            async with self.writer.turn():
                with _translated(self.path), self._units.begin() as connection:
                    if sqlite_name_index.is_there(connection):
                        sqlite_name_index.give_up(connection.exec_driver_sql)

    async def migrate(self) -> None:
        """It makes the file (mode 0600) if there is none."""
        try:
            self.path.touch(mode=0o600)
        except OSError as error:
            raise DatabaseUnusable(f"cannot use the database {self.path}: {error.strerror}; {_ADVICE}") from error
        try:
            with _translated(self.path):
                async with self.writer.turn():
                    with self._units.begin() as connection:
                        upgrade(connection, self.name)
                        if versions(connection) == [newest()]:  # else the version after this one has made it
                            sqlite_name_index.make(connection, self.name)
        except (StorageFull, DatabaseUnwritable) as error:
            # The admin reads which disk it is. Answers to requests must name no file.
            raise type(error)(f"{error}; look at the disk of {self.path}") from error

    async def bytes_used(self) -> tuple[int, int]:
        files = [self.path.with_name(self.path.name + ending) for ending in _FILES]
        size = sum(file.stat().st_size for file in files if file.exists())
        async with self.browse() as session:
            return size, await session.scalar(_FREE) or 0

    async def dispose(self) -> None:
        while self._idle_readers:
            self._idle_readers.pop().close()
        await self._browsers.dispose()
        await self.writer.close()  # it waits for units that still use the connection
        self._units.dispose()


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
        raise DatabaseUnusable("a SQLite database must be a file; example: sqlite+aiosqlite:////var/lib/sieve/sieve.db")
    return Path(parsed.database)


def set_up(connection: Any) -> None:
    """Sets up each connection, one that reads as well as the one that writes."""
    connection.execute("PRAGMA journal_mode=WAL")
    # FULL: a commit is durable when it returns. "Accepted means durable" depends on this.
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")
    # Deleted content is overwritten, not left in a free page.
    connection.execute("PRAGMA secure_delete=ON")
    connection.create_function(case_folding.FUNCTION, 1, case_folding.folded_or_null, deterministic=True)
    connection.create_function(bucket_counts.FUNCTION, 2, bucket_counts.added, deterministic=True)


def _reads_only(connection: Any, _record: Any) -> None:
    set_up(connection)
    connection.execute("PRAGMA query_only=ON")


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Raises our errors for the driver's."""
    try:
        yield
    except PoolTimeout as error:
        raise DatabaseBusy(_BUSY) from error
    except (DBAPIError, sqlite3.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        said = str(cause)
        if "database is locked" in said or "database table is locked" in said:
            raise DatabaseBusy("the database is locked by another process; try again") from error
        if "disk is full" in said:
            raise StorageFull("the disk that holds the database is full; free some space") from error
        if "readonly database" in said or "disk I/O error" in said:
            why = "its file or its disk is read-only" if "readonly" in said else "its disk fails, or takes no more"
            raise DatabaseUnwritable(f"the database cannot be written: {why}") from error
        if "file is not a database" in said:
            raise DatabaseUnusable(
                f"the file {path} is not a SQLite database, or its beginning is damaged; set SIEVE_DATABASE_URL to the "
                "gateway's database, or restore it from a backup"
            ) from error
        if sqlite_name_index.is_damage(cause):
            raise NamesDamagedError("the index of names is damaged; try again, which does without it") from error
        if "malformed" in said:
            raise DatabaseUnusable(
                f"the database {path} is damaged ({said}); restore it from a backup, without a -wal and a -shm file "
                "beside it that belong to the damaged one"
            ) from error
        if "unable to open database file" in said:
            raise DatabaseUnusable(f"cannot use the database {path}: {said}; {_ADVICE}") from error
        raise
