"""The databases of tests: SQLite's files, or with SIEVE_TEST_DATABASE=postgresql, databases on a server.

A test names each database by the path that its file would have. On the server, a test process has some databases and
gives each path of a test one of them, emptied first. So the same tests run on both.
"""

import asyncio
import atexit
import itertools
import os
import re
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import asyncpg
import pytest

from postgres_server import PostgresServer, in_thread
from sieve.store.database import Database
from sieve.store.database_from_url import database_from_url
from sieve.store.migrate import newest
from sieve.store.sqlite_database import SQLiteDatabase

ON_SERVER: Final = os.environ.get("SIEVE_TEST_DATABASE") == "postgresql"
ONLY_ON_SERVER: Final = frozenset({"test_database_backups.py", "test_database_server.py", "test_postgres_replicas.py"})
"""Several gateways or replicas on a server, which take long: `make test` leaves them out."""
_FOLDER: Final = "SIEVE_TEST_SERVER"
"""Where the server's socket is, for the processes that share it."""
_TEMPLATE: Final = "template_of_tests"
_RELATIONS: Final = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
_EMPTY: Final = """
DO $$
DECLARE name text;
BEGIN
    SET LOCAL session_replication_role = replica;
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version' LOOP
        EXECUTE format('DELETE FROM %I', name);
    END LOOP;
    FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' LOOP
        EXECUTE format('ALTER SEQUENCE %I RESTART', name);
    END LOOP;
    INSERT INTO timing_state (id, rolled_up_id, kept_from_s, imported_to, import_done) VALUES (1, 0, 0, '', FALSE);
END $$
"""


_INSIDE: Final = "it looks inside of SQLite"
_STEPS: Final = "no database on a server is from before this step"
_FILE: Final = "it is about SQLite's file"
_BACKUP: Final = "sieve backup is for SQLite: pg_dump copies a database on a server"
ABOUT_SQLITE: Final = {
    "store/test_list_plans.py": "it reads SQLite's query plans",
    "store/test_snapshot.py": _BACKUP,
    "store/test_timing_migration.py": _STEPS,
    "store/test_writer.py": "it is about the writer that shares commits, which SQLite alone needs",
    "store/test_database.py::test_a_lock_that_another_process_holds_for_a_moment_delays_the_first_connection": _FILE,
    "store/test_database.py::test_a_lock_held_elsewhere_is_reported_as_busy": _FILE,
    "store/test_database.py::test_a_full_disk_is_reported_and_nothing_is_half_done": _FILE,
    "store/test_database.py::test_the_pragmas_that_durability_rests_on": _INSIDE,
    "store/test_database.py::test_the_checks_of_the_models_are_in_the_migrated_database": _INSIDE,
    "store/test_database.py::test_migrating_twice_changes_nothing_and_the_file_is_private": _FILE,
    "store/test_database.py::test_what_the_first_version_kept_is_there_after_an_upgrade": _STEPS,
    "store/test_database.py::test_an_upgrade_leaves_no_digest_of_an_edition_and_no_manifest": _STEPS,
    "store/test_database.py::test_the_database_of_another_program_is_left_alone": _FILE,
    "store/test_database.py::test_a_damaged_database_says_so_and_where": _FILE,
    "store/test_database.py::test_a_file_that_is_no_database_or_cannot_be_made_is_reported": _FILE,
    "store/test_open_store.py::test_a_wrong_address_is_refused_and_makes_no_database": _FILE,
    "store/test_open_store.py::test_the_database_of_another_gateway_is_refused_by_the_ids": _FILE,
    "store/test_open_store.py::test_a_data_folder_from_before_ids_is_taken_over_by_what_it_has_in_common": _STEPS,
    "store/test_open_store.py::test_an_older_database_without_an_id_fits_the_folder_that_it_knows": _STEPS,
    "store/test_open_store.py::test_a_blob_folder_that_is_not_mounted_is_refused": _FILE,
    "store/test_open_store.py::test_unknown_files_go_to_quarantine_and_come_back_with_a_newer_database": _FILE,
    "store/test_master_keys_at_start.py::test_a_key_that_sealed_nothing_that_is_left_may_go": _INSIDE,
    "store/test_master_keys_at_start.py::test_an_upgrade_finds_the_keys_that_were_used_before": _STEPS,
    "store/test_rights_migration.py": _STEPS,
    "web/test_health_routes.py::test_it_is_not_ready_without_its_database": _FILE,
    "web/test_health_routes.py::test_it_is_not_ready_while_another_process_holds_the_lock": _FILE,
    "web/test_health_routes.py::test_while_nothing_can_be_written_everything_can_be_read": _FILE,
    "web/test_health_routes.py::test_no_read_waits_for_the_note_of_its_token_s_use": _FILE,
    "gateway/backups/": _BACKUP,
    "gateway/keys/test_rotation.py": "it copies a data folder with its database",
}
"""The tests that are not run on a server: beginnings of their names, and why."""
_OTHER_TYPES: Final = ("number = 'no'", "x'ff'")
"""In the name of a test that writes a value of another type into a column: SQLite stores it, PostgreSQL does not."""


def why_not_on_server(test: str) -> str | None:
    """Why a test is not run on a server; None if it is. `test`: its file below `tests`, and its name."""
    if any(each in test for each in _OTHER_TYPES):
        return "only SQLite stores values of any type"
    return next((why for beginning, why in ABOUT_SQLITE.items() if test.startswith(beginning)), None)


_ZEROBLOB: Final = """
CREATE FUNCTION zeroblob(size integer) RETURNS bytea LANGUAGE sql IMMUTABLE
AS $$ SELECT decode(repeat('00', size), 'hex') $$
"""
"""SQLite has it, and tests use it."""


def url(path: Path) -> str:
    """The address of the database that a test calls by this path."""
    return _databases().address(path) if ON_SERVER else f"sqlite+aiosqlite:///{path}"


def as_sqlite(database: Database) -> SQLiteDatabase:
    """The same database, for a test that looks inside of SQLite."""
    if not isinstance(database, SQLiteDatabase):
        pytest.skip("it looks inside of SQLite")
    return database


def writing_connection(database: Database) -> sqlite3.Connection:
    """SQLite's one connection that writes. No public door leads to it: only tests make it fail, or count its steps."""
    return as_sqlite(database).writer.connection


def wait_long_for_locks(database: Database) -> None:
    """Writers wait for a minute from now on, which no step of a test takes. No setting says how long."""
    as_sqlite(database).writer._busy_s = 60.0


def copy(original: Path, path: Path) -> None:
    """Makes `path` a database like `original`, which is closed. On the server, one with rows must be `filled` first:
    others are empty."""
    shutil.copyfile(original, path)
    if ON_SERVER:
        _databases().copy(original, path)


def filled(path: Path) -> None:
    """Says that this database has rows, which copies of it get. On the server, a copy takes up to a second."""
    if ON_SERVER:
        _databases().with_rows.add(path)


def stored(path: Path) -> bytes:
    """Everything that a closed database stores: a file's bytes, also of what was deleted, or a server's rows."""
    if ON_SERVER:
        with by_hand(path) as connection:
            return "\n".join(connection.iterdump()).encode()
    return b"".join(each.read_bytes() for each in path.parent.glob(f"{path.name}*"))


class ByHand:
    """A connection for statements that a test writes itself, past the gateway; each counts at once."""

    def __init__(self, path: Path) -> None:
        self._sqlite = None if ON_SERVER else sqlite3.connect(path, isolation_level=None)
        self._address = "" if self._sqlite else url(path).replace("+asyncpg", "")
        self._thread = ThreadPoolExecutor(1)
        self._runner = asyncio.Runner()
        self._connection: asyncpg.Connection = None

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The statement's rows. Its values are question marks."""
        if self._sqlite is not None:
            return self._sqlite.execute(statement, values).fetchall()
        numbers = itertools.count(1)
        numbered = re.sub(r"\?", lambda _: f"${next(numbers)}", statement)
        return self._thread.submit(lambda: self._runner.run(self._fetch(numbered, values))).result()

    async def _fetch(self, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        if self._connection is None:
            self._connection = await asyncpg.connect(self._address)
        return [tuple(row) for row in await self._connection.fetch(statement, *values)]

    def iterdump(self) -> Iterable[str]:
        """Everything in the database, as text."""
        if self._sqlite is not None:
            return self._sqlite.iterdump()
        tables = self.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        rows = (self.execute(f"SELECT it::text FROM {table} AS it") for (table,) in tables)  # noqa: S608
        return [text for found in rows for (text,) in found]

    def close(self) -> None:
        if self._sqlite is not None:
            self._sqlite.close()
        elif self._connection is not None:
            self._thread.submit(lambda: self._runner.run(self._connection.close())).result()
        self._thread.submit(self._runner.close).result()
        self._thread.shutdown()


@contextmanager
def by_hand(path: Path) -> Iterator[ByHand]:
    """The database that a test calls by this path."""
    connection = ByHand(path)
    try:
        yield connection
    finally:
        connection.close()


class _Databases:
    """This process's databases on the server, by the paths that tests call them by."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self._relations = 0
        self._made = 0
        self._free: list[str] = []
        self._taken: dict[Path, str] = {}
        self.with_rows: set[Path] = set()
        """What others are copied from: these outlive the test that made them."""

    def address(self, path: Path) -> str:
        if path not in self._taken:
            self._taken[path] = in_thread(self._ready(self._free.pop() if self._free else None))
        return self._server.address(self._taken[path])

    def copy(self, original: Path, path: Path) -> None:
        if path in self._taken:
            self._free.append(self._taken.pop(path))
        if original in self.with_rows:
            self._taken[path] = in_thread(self._made_like(self._taken[original]))

    def end_test(self) -> None:
        """What the test took is free again."""
        for path in self._taken.keys() - self.with_rows:
            self._free.append(self._taken.pop(path))

    async def _ready(self, name: str | None) -> str:
        """An empty database: this one, or a new one."""
        if name is not None:
            connection = await self._server.connect(name)
            try:
                await connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
                if await self._is_whole(connection):
                    await connection.execute(_EMPTY)
                    return name
            finally:
                await connection.close()
        return await self._made_like(_TEMPLATE, name)

    async def _made_like(self, template: str, name: str | None = None) -> str:
        server = await self._server.connect("postgres")
        try:
            if name is None:
                self._made += 1
                name = f"test_{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}_{self._made}"
            await server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            await server.execute(f"CREATE DATABASE {name} TEMPLATE {template} OWNER gateway")
        finally:
            await server.close()
        return name

    async def _is_whole(self, connection: asyncpg.Connection) -> bool:
        """Whether no test changed its tables."""
        if not self._relations:
            template = await self._server.connect(_TEMPLATE)
            self._relations = await template.fetchval(_RELATIONS)
            await template.close()
        found = await connection.fetchval("SELECT to_regclass('alembic_version')")
        if found is None or await connection.fetchval(_RELATIONS) != self._relations:
            return False
        return [row[0] for row in await connection.fetch("SELECT version_num FROM alembic_version")] == [newest()]


_ours: _Databases | None = None


def _databases() -> _Databases:
    global _ours
    if _ours is None:
        if _FOLDER not in os.environ:
            start_server()
        _ours = _Databases(PostgresServer(Path(os.environ[_FOLDER])))
    return _ours


def start_server() -> None:
    """Starts the server that this process and those that it starts use until it ends."""
    server = PostgresServer.start(autovacuum="off")
    atexit.register(server.stop)
    os.environ[_FOLDER] = str(server.folder)

    async def prepare() -> None:
        connection = await server.connect("postgres")
        await connection.execute("CREATE ROLE gateway LOGIN")
        await connection.execute(f"CREATE DATABASE {_TEMPLATE} OWNER gateway")
        await connection.close()
        database = database_from_url(server.address(_TEMPLATE))
        await database.migrate()
        await database.dispose()
        connection = await server.connect(_TEMPLATE)
        await connection.execute(_ZEROBLOB)
        await connection.close()

    in_thread(prepare())


def end_test() -> None:
    """Frees the test's databases."""
    if ON_SERVER:
        _databases().end_test()
