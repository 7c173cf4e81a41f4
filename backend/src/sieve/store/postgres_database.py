"""PostgreSQL: the database is on a server.

There is one writer at a time here, too: units of this process take turns, and each takes a lock in the database, which
ends with its transaction. So a block that reads and then writes is as right as on SQLite. Reading needs no lock.

*Each unit has an outcome.* A connection that breaks during a commit leaves open whether the commit counts. So each unit
writes its number into a row of its process (`postgres_objects.UNITS`), and `write` ends only once it has read that row
over a new connection. While the server is away it waits, and no other unit begins.

*One gateway.* After `hold`, the connection that writes also has the gateway's lock, for as long as it lasts: without
the lock it writes nothing, and no other gateway can have it. A gateway that has it and writes nothing for `STOPPED_S`,
not even its heartbeat, is stopped or cut off: the next one that starts ends its connections and takes the lock.

*Replicas* share that lock. The first one has it alone until it lets others join. Each watches the heartbeats of
the others, and ends one that is stopped or cut off. `postgres_replicas` carries their messages, and says which one
leads.

*Two versions*, one after the other, share a database while one replaces the other. The row of each replica says its
version. Its first unit writes that and looks at the tables, so of a start and an upgrade at the same time, one sees the
other.

*Replaced means over.* The first unit of a gateway that has the lock alone ends all earlier ones, in their rows of
units. Each later unit looks at its own row. So a gateway that was replaced, and a replica that was ended, writes
nothing more, also when its successor has gone.
"""

import asyncio
import logging
import re
import secrets
import time
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import asyncpg
from sqlalchemy import Connection, event, text
from sqlalchemy.exc import DBAPIError, DisconnectionError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession, create_async_engine

from sieve.store import postgres_gateway_lock, postgres_name_index, postgres_objects
from sieve.store.database import Database, Meeting
from sieve.store.errors import (
    DatabaseBusy,
    DatabaseTaken,
    DatabaseUnreachable,
    DatabaseUnusable,
    ReplicaEnded,
    StoreError,
)
from sieve.store.migrate import check_usable, is_usable, newest, upgrade, versions
from sieve.store.postgres_address import SCHEME, name_of, secured
from sieve.store.postgres_advisory_locks import GATEWAY, WRITING
from sieve.store.postgres_errors import OF_DRIVER, connecting, of_driver, translated, unreachable
from sieve.store.postgres_gateway_lock import LET_JOIN, GatewayLock
from sieve.store.postgres_replicas import Others, PostgresReplicas, check_upgradable

log = logging.getLogger(__name__)

OLDEST: Final = 15
"""The oldest version of the server."""
READERS: Final = 8
CONNECT_S: Final = 5.0
WATCH_S: Final = 5.0
"""Seconds between two heartbeats."""
STATEMENT_S: Final = 60.0
"""How long a statement may take, and a transaction may be idle."""
IDLE_S: Final = 4.0
"""How long a transaction of a replica may be idle: less than the others wait for their turn."""
ASIDE_MS: Final = 500
"""How long an upgrade beside other replicas waits for a table: those that come later wait behind it. Less than the
server waits before it ends one of two that wait for each other."""
UPGRADE_S: Final = 20.0
"""How long such an upgrade tries again."""

# Ruff (S608) and bandit (B608) take each statement below for one that is made of somebody's input. All that is written
# into them are these numbers and the name of our table; what others chose is always a parameter.
_UNITS: Final = postgres_objects.UNITS
_BEGIN: Final = text(
    f"WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock({WRITING})) "  # noqa: S608 -- our names  # nosec B608
    f"INSERT INTO {_UNITS} (writer, unit) SELECT :writer, :unit FROM turn "
    "ON CONFLICT (writer) DO UPDATE SET unit = excluded.unit, at = now()"
)
_LOCK: Final = text(f"SELECT pg_advisory_xact_lock({WRITING})")
_FIRST: Final = text(
    f"INSERT INTO {_UNITS} (writer, unit, state, schema) VALUES (:writer, :unit, 'holds', :schema) "  # noqa: S608 -- our names  # nosec B608
    "ON CONFLICT (writer) DO UPDATE SET unit = excluded.unit, at = now()"
)
_END_EARLIER: Final = text(
    f"UPDATE {_UNITS} SET state = 'ended' "  # noqa: S608 -- our names  # nosec B608
    "WHERE state IN ('holds', 'beats') AND writer <> :writer"
)
_NEXT: Final = text(
    f"WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock({WRITING})) "  # noqa: S608 -- our names  # nosec B608
    f"UPDATE {_UNITS} SET unit = :unit, at = now() FROM turn "
    "WHERE writer = :writer AND state <> 'ended'"
)
_NOBODY_HOLDS: Final = text(f"SELECT pg_try_advisory_xact_lock({GATEWAY})")
_BEATS: Final = text(f"UPDATE {_UNITS} SET state = 'beats' WHERE writer = :writer")  # noqa: S608 -- our names  # nosec B608
_UNIT: Final = f"SELECT unit FROM {_UNITS} WHERE writer = $1"  # noqa: S608 -- our names  # nosec B608
_CLOCK: Final = text("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint")
_CLOCK_NS: Final = 50_000_000
_COLLATION: Final = """
SELECT pg_encoding_to_char(encoding),
    CASE datlocprovider WHEN 'c' THEN datcollate WHEN 'b' THEN 'C.UTF-8' ELSE datcollate || ' (ICU)' END
FROM pg_database WHERE datname = current_database()
"""
_BY_CODE: Final = re.compile(r"C|POSIX|C\.utf-?8", re.IGNORECASE)
"""Collations that sort texts by their characters' codes, as SQLite does."""


class PostgresDatabase(Database):
    """A database on a server. It uses at most `READERS` and two more connections."""

    def __init__(self, url: str, *, busy_s: float = 5.0) -> None:
        """`url`: `postgresql+asyncpg://` and what libpq's addresses have after `postgresql://`.

        Raises:
            DatabaseUnusable: it cannot be read.
        """
        address = "postgresql://" + url.removeprefix(SCHEME)
        self.name = name_of(address)
        self._address: Final = secured(address)
        self._busy_s: Final = busy_s
        self._turn = asyncio.Lock()
        self._me = _new_writer()
        self._unit = 0
        self._lock: GatewayLock | None = None
        self._has_row = False
        self._others: Others | None = None
        self._offset_ns: int | None = None
        self._writers = self._engine(1)
        self._readers = self._engine(READERS, isolation_level="REPEATABLE READ")

        @event.listens_for(self._readers.sync_engine, "connect")
        def connected(connection: Any, _record: Any) -> None:
            connection.readonly = True

    def _engine(self, size: int, **options: Any) -> AsyncEngine:
        engine = create_async_engine(
            SCHEME,
            async_creator=self._connect_reader if options else self._connect_writer,
            pool_size=size,
            max_overflow=0,
            pool_timeout=self._busy_s,
            # A statement's parameters never reach a log or an error's text.
            hide_parameters=True,
            connect_args={"prepared_statement_cache_size": 500},
            **options,
        )

        @event.listens_for(engine.sync_engine, "checkout")
        def chosen(connection: Any, _record: Any, _proxy: Any) -> None:
            # The server was restarted, or ended it: the pool then opens another one.
            if connection.driver_connection.is_closed():
                raise DisconnectionError

        @event.listens_for(engine.sync_engine, "handle_error")
        def failed(context: Any) -> None:
            # The server's details repeat values: "Key (name)=(anna) already exists."
            for error in (context.sqlalchemy_exception, context.original_exception):
                if error is not None and error.args:
                    error.args = (str(error.args[0]).partition("\nDETAIL:")[0], *error.args[1:])
            if isinstance(driver := context.original_exception.__cause__, asyncpg.PostgresError):
                driver.detail = None
            if context.connection is not None and not context.is_disconnect:
                context.connection.info["failed"] = True

        return engine

    # --- connections ---------------------------------------------------------------------------------------------

    async def _connect_reader(self, *_: Any, **__: Any) -> asyncpg.Connection:
        return await self._connect("sieve")

    async def _connect_writer(self, *_: Any, **__: Any) -> asyncpg.Connection:
        connection = await self._connect(self._me if self._lock is None else self._lock.program)
        if self._lock is not None:
            try:
                # One that has written before is never the one that waits: it may be the one that was stopped.
                await self._lock.take(connection, may_replace=not self._has_row)
            except BaseException:
                connection.terminate()
                raise
            self.is_alone = self._lock.is_alone
        return connection

    async def _connect(self, as_program: str) -> asyncpg.Connection:
        with connecting(self.name):
            connection: asyncpg.Connection = await asyncpg.connect(
                self._address,
                timeout=CONNECT_S,
                target_session_attrs="primary",
                server_settings={
                    "application_name": as_program,
                    "lock_timeout": str(int(self._busy_s * 1000)),
                    "statement_timeout": str(int(STATEMENT_S * 1000)),
                    # A replica that was stopped in a unit must not keep the others from writing.
                    "idle_in_transaction_session_timeout": str(int((IDLE_S if self.is_shared else STATEMENT_S) * 1000)),
                    # A commit is durable when it returns. "Accepted means durable" depends on this.
                    "synchronous_commit": "on",
                    # The server ends the connections of a host that is gone, and their locks.
                    "tcp_keepalives_idle": "10",
                    "tcp_keepalives_interval": "5",
                    "tcp_keepalives_count": "3",
                    "jit": "off",
                },
            )
            # The sum of whole numbers is of this type.
            await connection.set_type_codec("numeric", schema="pg_catalog", encoder=str, decoder=_number, format="text")
        return connection

    async def hold(self, holder: str, *, shared: bool = False) -> None:
        async with self._next():
            self._me, self._has_row, self.is_shared = _new_writer(), False, shared
            self._lock = GatewayLock(self.name, f"{self._me} {holder}"[:63], shared=shared)
            await self._writers.dispose()
            await self._ask_writer()
        if shared:
            self._others = Others(self._me)
            await self._follow_clock()

    async def watch(self) -> None:
        while True:
            try:
                async with self.write() as session:
                    await session.execute(_BEATS, {"writer": self._me})
                if self._others is not None:
                    await self._others.look(self, postgres_gateway_lock.STOPPED_S / WATCH_S)
                    await self._follow_clock()
            except DatabaseTaken:
                raise
            except StoreError as error:
                log.warning("%s", error)
                if self._others is not None:
                    self._others.forget()
            await asyncio.sleep(WATCH_S)

    # --- replicas ------------------------------------------------------------------------------------------------

    async def let_others_join(self) -> None:
        if self._lock is None or not self.is_shared:
            return
        self._lock.lets_join = True
        if self.is_alone:
            async with self._next():
                with translated(self.name):
                    async with self._writers.begin() as connection:
                        await connection.execute(LET_JOIN)
            # From now on, its first unit must not end others: they may be replicas that joined.
            self.is_alone = False

    async def meet(self, meeting: Meeting) -> None:
        if self._lock is None or not self.is_shared:
            await super().meet(meeting)
        else:
            await PostgresReplicas(self.name, self._connect, self._lock.program).run(meeting)

    def now_ns(self) -> int:
        """Replicas use the server's clock, because the leases of one must end for the others at the same time. Between
        two looks at it the monotonic clock goes on, so this machine's wall clock may be set at any moment."""
        return super().now_ns() if self._offset_ns is None else time.monotonic_ns() + self._offset_ns

    async def _follow_clock(self) -> None:
        async with self.read() as session:
            before_ns = time.monotonic_ns()
            theirs_us = await session.scalar(_CLOCK)
            after_ns = time.monotonic_ns()
        offset_ns = int(theirs_us or 0) * 1000 - (before_ns + after_ns) // 2
        # A smaller difference may come from how long the answer took.
        if self._offset_ns is None or abs(offset_ns - self._offset_ns) > max(_CLOCK_NS, after_ns - before_ns):
            self._offset_ns = offset_ns

    async def _ask_writer(self) -> None:
        """Opens the connection that writes again, if it is gone."""
        with translated(self.name):
            async with self._writers.connect() as connection:
                await connection.exec_driver_sql("SELECT 1")

    # --- reading -------------------------------------------------------------------------------------------------

    async def exists(self) -> bool:
        async with self.read() as session:
            return await session.scalar(text("SELECT to_regclass('alembic_version')::text")) is not None

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncSession]:
        with translated(self.name):
            async with AsyncSession(self._readers, expire_on_commit=False, autoflush=False) as session:
                yield session

    browse = read

    # --- writing -------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _next(self) -> AsyncIterator[None]:
        """Our turn among the units of this process, first come, first served."""
        try:
            async with asyncio.timeout(self._busy_s):
                await self._turn.acquire()
        except TimeoutError:
            raise DatabaseBusy("the database is busy: others have held it for too long; try again") from None
        try:
            yield
        finally:
            self._turn.release()

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncSession]:
        async with self._next():
            with translated(self.name):
                async with AsyncSession(self._writers, expire_on_commit=False) as session:
                    connection = await session.connection()
                    connection.info.pop("failed", None)
                    self._unit += 1
                    await self._begin(connection)
                    yield session
                    await session.flush()
                    if connection.info.pop("failed", False):
                        # The server undoes it, and answers a commit without an error.
                        raise DatabaseBusy("the database undid what was being written; try again")
                    await _to_its_end(self._commit(session, self._unit), self._busy_s)
                    self._has_row = self._lock is not None

    async def _begin(self, connection: AsyncConnection) -> None:
        """Waits for our turn among all processes, and writes the unit's number.

        Raises:
            DatabaseTaken: another gateway has replaced this one.
            ReplicaEnded: another replica has ended this one.
            DatabaseUnusable: a newer version upgraded the database since this one looked.
        """
        ours: dict[str, Any] = {"writer": self._me, "unit": self._unit}
        if self._lock is None:
            await connection.execute(_BEGIN, ours)
        elif not self._has_row:
            await connection.execute(_LOCK)
            await connection.execute(_FIRST, {**ours, "schema": newest()})
            await connection.run_sync(check_usable, self.name)
            if self.is_alone:
                await connection.execute(_END_EARLIER, {"writer": self._me})
        elif (await connection.execute(_NEXT, ours)).rowcount != 1:
            if self.is_shared:
                raise ReplicaEnded(
                    f"other replicas ended this one in the database {self.name}, because it was stopped or cut off; "
                    "start it again"
                )
            raise DatabaseTaken(
                f"another gateway took the database {self.name} over while this one was stopped or cut off; this one "
                "writes nothing more: start it again once the other one has ended"
            )

    async def _commit(self, session: AsyncSession, unit: int) -> None:
        try:
            await session.commit()
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise
            await self._learn_outcome(unit)

    async def _learn_outcome(self, unit: int) -> None:
        """Ends well if the unit was committed, although the connection broke.

        Raises:
            DatabaseBusy: it was not.
        """
        log.warning("the connection to the database %s broke during a commit: asking what became of it", self.name)
        pause_s = 0.05
        while True:
            try:
                connection = await self._connect_writer()
                try:
                    # The earlier connection may still be at it: this waits for its end.
                    async with connection.transaction():
                        await connection.execute(_LOCK.text)
                        last = await connection.fetchval(_UNIT, self._me)
                finally:
                    connection.terminate()
                break
            except DatabaseUnusable:
                raise
            except (StoreError, *OF_DRIVER) as error:
                log.debug("not yet: %s", of_driver(error, self.name) or error)
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, 2.0)
        if last != unit:
            raise unreachable(self.name, "the connection broke")

    # --- the whole -----------------------------------------------------------------------------------------------

    async def migrate(self) -> None:
        """The database must exist, with its encoding and its collation, and belong to the user."""
        if not self.is_alone and await self.has_usable_tables():
            return
        until = time.monotonic() + UPGRADE_S
        while True:
            try:
                await self._migrate()
                break
            except DatabaseUnreachable:
                raise
            except DatabaseBusy:
                # Somebody reads one of the tables for long, such as pg_dump. Meanwhile the other replicas go on. A
                # command without the gateway's lock may be beside them, too.
                if (self.is_alone and self._lock is not None) or time.monotonic() >= until:
                    raise
            await asyncio.sleep(ASIDE_MS / 1000)
        await self._index_names()

    async def _index_names(self) -> None:
        async with self.read() as session:
            there = await session.run_sync(lambda of_it: postgres_name_index.is_there(of_it.connection()))
            current = await session.run_sync(lambda of_it: versions(of_it.connection())) == [newest()]
        if there or not current:  # else the version after this one has made it
            return
        connection = await self._connect("sieve")
        try:
            with connecting(self.name):
                await postgres_name_index.make(connection, self.name)
        finally:
            connection.terminate()

    async def _migrate(self) -> None:
        async with self._next():
            with translated(self.name):
                async with self._writers.begin() as connection:
                    await self._check_server(connection)
                    await connection.execute(text("SET LOCAL statement_timeout = 0"))
                    await connection.execute(_LOCK)
                    before = await connection.run_sync(versions)
                    is_alone = self.is_alone
                    if self._lock is None and not await connection.run_sync(is_usable, before):
                        # Only for an upgrade: a gateway that connects meanwhile would take this for another one.
                        is_alone = bool(await connection.scalar(_NOBODY_HOLDS))
                    await connection.run_sync(upgrade, self.name, beside=None if is_alone else self._prepare_beside)
                    after = await connection.run_sync(versions)
                    if after == [newest()]:  # else the version after this one has made them
                        await connection.run_sync(postgres_objects.make)
                    if is_alone and after != before:
                        # Earlier ones that had no connection just now may not be able to work with these tables.
                        await connection.execute(_END_EARLIER, {"writer": self._me})

    def _prepare_beside(self, connection: Connection, schema: str) -> None:
        check_upgradable(connection, self.name, self._me, schema)
        connection.execute(text(f"SET LOCAL lock_timeout = {ASIDE_MS}"))

    async def _check_server(self, connection: AsyncConnection) -> None:
        driver: Any = (await connection.get_raw_connection()).driver_connection
        if (version := driver.get_server_version().major) < OLDEST:
            raise DatabaseUnusable(
                f"the server of the database {self.name} is PostgreSQL {version}; use {OLDEST} or newer"
            )
        found: Sequence[str] = (await connection.exec_driver_sql(_COLLATION)).one()
        encoding, collation = found
        if encoding != "UTF8" or not _BY_CODE.fullmatch(collation):
            raise DatabaseUnusable(
                f"the database {self.name} has the encoding {encoding} and sorts by {collation}; make it with: CREATE "
                "DATABASE … ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0"
            )

    async def bytes_used(self) -> tuple[int, int]:
        async with self.read() as session:
            size: int = await session.scalar(text("SELECT pg_database_size(current_database())")) or 0
            return size, 0

    async def dispose(self) -> None:
        await self._readers.dispose()
        await self._writers.dispose()


async def _to_its_end(work: Coroutine[Any, Any, None], patience_s: float) -> None:
    """Awaits `work`, also if we are cancelled meanwhile: half a commit has no outcome."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task], timeout=patience_s)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        raise


def _new_writer() -> str:
    return f"sieve {secrets.token_hex(8)}"


def _number(written: str) -> int | float:
    return float(written) if "." in written else int(written)
