"""SQLite on the event loop: without a thread, and without greenlets.

Invariant: statements that run here find their rows by a key and take microseconds. A hop to a thread and back takes
ten times as long, and aiosqlite makes three for each statement. The greenlet in which AsyncSession runs each statement
takes as long, and only drivers that await need it: this one never does. What a session does around its first statement
takes as long, too: a statement of tables, not of objects, does not go through the session. Work that waits for a lock
or the disk belongs in `writer`. Queries over many rows go through aiosqlite: see `Database.browse`.
"""

import sqlite3
from collections.abc import Awaitable, Callable
from typing import Any, Final

import sqlalchemy
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session

READING: Final = "sqlite+onloop"
WRITING: Final = "sqlite+units"


class _Cursor(sqlite3.Cursor):
    """A cursor that has all its rows once a statement is executed: an unfinished statement would keep its transaction
    from ending, and could meet rows that a later statement changed."""

    _rows: list[Any]

    def execute(self, *arguments: Any) -> "_Cursor":
        super().execute(*arguments)
        self._rows = super().fetchall()
        return self

    def executemany(self, *arguments: Any) -> "_Cursor":
        super().executemany(*arguments)
        self._rows = []
        return self

    def fetchone(self) -> Any:
        return self._rows.pop(0) if self._rows else None

    def fetchmany(self, size: int | None = None) -> list[Any]:
        taken = self._rows[: size or self.arraysize]
        del self._rows[: len(taken)]
        return taken

    def fetchall(self) -> list[Any]:
        taken, self._rows = self._rows, []
        return taken


class Connection(sqlite3.Connection):
    """A connection with those cursors."""

    def cursor(self, factory: Any = _Cursor) -> Any:
        return super().cursor(factory)


class _Session(Session):
    """A session in a transaction of its connection, which its caller ends. Statements of tables go to the connection
    at once."""

    bind: sqlalchemy.Connection

    def connection(self, *arguments: Any, **named: Any) -> sqlalchemy.Connection:
        return super().connection(*arguments, **named) if arguments or named else self.bind

    def execute(self, statement: Any, params: Any = None, **named: Any) -> Any:
        if named or _is_of_objects(statement):
            return super().execute(statement, params, **named)
        if self.autoflush:
            self.flush()
        return self.bind.execute(statement, params)

    def scalar(self, statement: Any, params: Any = None, **named: Any) -> Any:
        return self.execute(statement, params, **named).scalar()

    def scalars(self, statement: Any, params: Any = None, **named: Any) -> Any:
        return self.execute(statement, params, **named).scalars()


def _is_of_objects(statement: Any) -> bool:
    """Whether it names mapped classes, so that only a session can run it. SQLAlchemy's own sessions ask this way, too;
    there is no public one."""
    return "compile_state_plugin" in statement._propagate_attrs


class SessionOnLoop(AsyncSession):
    """An AsyncSession whose calls run at once, on the event loop."""

    sync_session_class = _Session

    def __init__(self, connection: sqlalchemy.Connection, **options: Any) -> None:
        super().__init__(**options)
        self.sync_session.bind = connection

    async def run_sync(self, fn: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        return fn(self.sync_session, *arguments, **named)


def _at_once(name: str) -> Callable[..., Awaitable[Any]]:
    async def call(session: SessionOnLoop, *arguments: Any, **named: Any) -> Any:
        return getattr(session.sync_session, name)(*arguments, **named)

    return call


for _name in ("execute", "scalar", "scalars", "get", "get_one", "flush", "refresh", "merge", "delete"):
    setattr(SessionOnLoop, _name, _at_once(_name))


class OnLoop(SQLiteDialect_pysqlite):
    """The dialect of connections that read: it begins each transaction itself."""

    driver = "onloop"
    supports_statement_cache = True

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
