"""SQLite for SQLAlchemy's asyncio without a thread: a statement runs on the event loop.

Invariant: statements that run here find their rows by a key and take microseconds. A hop to a thread and back takes
ten times as long, and aiosqlite makes three for each statement. Work that waits for a lock or the disk belongs in
`writer`. Queries over many rows go through aiosqlite: see `Database.browse`.
"""

import sqlite3
from typing import Any, Final

from sqlalchemy import URL, AsyncAdaptedQueuePool, Pool
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

READING: Final = "sqlite+onloop"
WRITING: Final = "sqlite+units"


class _Cursor(sqlite3.Cursor):
    """A cursor that fetches its remaining rows when AsyncSession releases it: an unfinished statement would keep its
    transaction from ending."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._kept: list[Any] | None = None

    async def _async_soft_close(self) -> None:
        """AsyncSession calls this on a cursor whose rows may be fetched later."""
        self._kept = super().fetchall()

    def fetchone(self) -> Any:
        if self._kept is None:
            return super().fetchone()
        return self._kept.pop(0) if self._kept else None

    def fetchmany(self, size: int | None = None) -> list[Any]:
        if self._kept is None:
            return super().fetchmany(size or self.arraysize)
        taken = self._kept[: size or self.arraysize]
        del self._kept[: len(taken)]
        return taken

    def fetchall(self) -> list[Any]:
        if self._kept is None:
            return super().fetchall()
        taken, self._kept = self._kept, []
        return taken


class Connection(sqlite3.Connection):
    """A connection with cursors for AsyncSession."""

    def cursor(self, factory: Any = _Cursor) -> Any:
        return super().cursor(factory)


class OnLoop(SQLiteDialect_pysqlite):
    """Plain `sqlite3`, which never awaits. AsyncEngine only checks `is_async`."""

    is_async = True
    driver = "onloop"
    supports_statement_cache = True

    @classmethod
    def get_pool_class(cls, url: URL) -> type[Pool]:
        return AsyncAdaptedQueuePool

    def get_driver_connection(self, connection: Any) -> Any:
        return connection

    def do_begin(self, dbapi_connection: Any) -> None:
        # The driver begins nothing by itself (isolation_level None).
        dbapi_connection.execute("BEGIN")


class Units(OnLoop):
    """The dialect of the one connection that writes. SQLAlchemy's transaction is a savepoint in one that the
    `writer` began, so each commits or rolls back alone."""

    driver = "units"
    supports_statement_cache = True
    _in_unit = False

    def do_begin(self, dbapi_connection: Any) -> None:
        dbapi_connection.execute("SAVEPOINT unit")
        self._in_unit = True

    def do_commit(self, dbapi_connection: Any) -> None:
        self._in_unit = False
        dbapi_connection.execute("RELEASE unit")

    def do_rollback(self, dbapi_connection: Any) -> None:
        # Also called when nothing was begun; and for some errors (a full disk) SQLite rolls back the whole transaction.
        if self._in_unit and dbapi_connection.in_transaction:
            dbapi_connection.execute("ROLLBACK TO unit")
            dbapi_connection.execute("RELEASE unit")
        self._in_unit = False


registry.register("sqlite.onloop", __name__, "OnLoop")
registry.register("sqlite.units", __name__, "Units")
