"""Replicas of two versions that follow each other share a database while one replaces the other."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, suppress
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import patch

import pytest
from sqlalchemy import text

from next_versions import CONTRACTION, EXPANSION, following, version
from postgres_server import PostgresServer
from sieve.store import migrate, postgres_advisory_locks, postgres_database, postgres_objects, postgres_replicas
from sieve.store.database import Database
from sieve.store.database_from_url import database_from_url
from sieve.store.errors import DatabaseBusy, DatabaseUnreachable, DatabaseUnusable, ReplicaEnded
from store.postgres.users import names, write

ALPHA = "the gateway alpha"
numbers = count(1)

Start: TypeAlias = Callable[[Path], Coroutine[Any, Any, Database]]


@pytest.fixture
async def start(address: str) -> AsyncIterator[Start]:
    """Starts a replica of the version with these migrations, as a gateway does; it ends with the test."""
    async with AsyncExitStack() as stack:

        async def started(folder: Path) -> Database:
            replica = database_from_url(address)
            stack.push_async_callback(replica.dispose)
            try:
                with version(folder):
                    await replica.hold(ALPHA, shared=True)
                    await replica.migrate()
                    await write(replica, f"user{next(numbers)}")
                    await replica.let_others_join()
            except BaseException:
                await replica.dispose()
                raise
            return replica

        yield started


@pytest.fixture
def old() -> Path:
    return migrate.FOLDER


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return following(tmp_path / "new", EXPANSION)


@pytest.fixture
def newest(tmp_path: Path) -> Path:
    return following(tmp_path / "newest", EXPANSION, EXPANSION)


async def schema(database: Database) -> tuple[str, str | None]:
    """The last step, and the last one of the oldest version that can use the tables."""
    async with database.read() as session:
        found = "SELECT version_num, (SELECT oldest FROM schema_notes) FROM alembic_version"
        step, oldest = (await session.execute(text(found))).one()
        return step, oldest


async def end(replica: Database, server: PostgresServer) -> None:
    """Ends it, as a service manager does before it starts another one."""
    async with replica.read() as session:
        database = await session.scalar(text("SELECT current_database()"))
    holding = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE '%alpha' AND datname = $1"
    connection = await server.connect("postgres")
    before = await connection.fetchval(holding, database)
    await replica.dispose()
    async with asyncio.timeout(30):
        while await connection.fetchval(holding, database) == before:
            await asyncio.sleep(0.01)  # a closed connection ends later on the server, which tells nobody
    await connection.close()


async def test_they_share_it_while_the_new_version_replaces_the_old_one(
    start: Start, old: Path, new: Path, server: PostgresServer
) -> None:
    first, second = await start(old), await start(old)
    newer = await start(new)
    assert not newer.is_alone and await schema(first) == ("9001", migrate.newest())
    for replica in (first, newer, second):
        await write(replica, f"user{next(numbers)}")
    await end(first, server)
    again = await start(old)
    assert not again.is_alone
    for replica in (again, second):
        await write(replica, f"user{next(numbers)}")
        await end(replica, server)
    newer_too = await start(new)
    await write(newer, f"user{next(numbers)}")
    assert len(await names(newer_too)) == 11


async def test_the_old_version_alone_changes_nothing_of_what_the_new_one_made(
    start: Start, old: Path, new: Path, server: PostgresServer
) -> None:
    newer = await start(new)
    await end(newer, server)
    with patch.object(postgres_objects, "make", side_effect=AssertionError):
        older = await start(old)
    assert await schema(older) == ("9001", migrate.newest())
    await start(new)


@pytest.mark.parametrize("steps", [[CONTRACTION], [EXPANSION, CONTRACTION]])
async def test_an_upgrade_that_breaks_the_old_version_is_refused_beside_it(
    start: Start, old: Path, tmp_path: Path, steps: list[str], server: PostgresServer
) -> None:
    older, breaking = await start(old), following(tmp_path / "breaking", *steps)
    with pytest.raises(DatabaseUnusable, match=r"replicas of an earlier version use .* this version has 900\d") as said:
        await start(breaking)
    assert str(said.value).endswith("stop all of them, then start this one") and "\n" not in str(said.value)
    await write(older, f"user{next(numbers)}")
    assert await schema(older) == (migrate.newest(), None)
    await end(older, server)
    await start(breaking)
    with pytest.raises(DatabaseUnusable, match="was written by a newer version"):
        await start(old)


async def test_a_command_of_a_new_version_does_not_break_replicas_of_the_old_one(
    start: Start, old: Path, tmp_path: Path, address: str, server: PostgresServer
) -> None:
    """`sieve admin` works beside a gateway."""
    older, command = await start(old), database_from_url(address)
    breaking = following(tmp_path / "breaking", CONTRACTION)
    with version(breaking), pytest.raises(DatabaseUnusable, match="replicas of an earlier version"):
        await command.migrate()
    with version(following(tmp_path / "new", EXPANSION)):
        await command.migrate()
        await write(command, "anna")
    await write(older, "bob")
    await end(older, server)
    with version(following(tmp_path / "later", EXPANSION, CONTRACTION)):
        await command.migrate()
    await command.dispose()


async def test_a_command_asks_for_the_gateways_lock_only_to_upgrade(start: Start, old: Path, address: str) -> None:
    """A gateway that connects again just then would be refused, and end."""
    await start(old)
    command = database_from_url(address)
    with patch.object(postgres_database, "_NOBODY_HOLDS", text("SELECT 1 / 0")):
        await command.migrate()
    await command.dispose()


async def test_a_command_of_a_new_version_waits_for_a_reader(start: Start, old: Path, new: Path, address: str) -> None:
    older, command = await start(old), database_from_url(address)
    with patch.object(postgres_database, "ASIDE_MS", 20), version(new):
        async with older.read() as session:
            assert await session.scalar(text("SELECT count(*) FROM transfers")) == 0
            upgrading = asyncio.create_task(command.migrate())
            for _ in range(10):
                await write(older, f"user{next(numbers)}")
            assert not upgrading.done()
        await upgrading
    assert (await schema(older))[0] == "9001"
    await command.dispose()


async def test_a_third_version_waits_until_the_first_one_has_gone(
    start: Start, old: Path, new: Path, newest: Path, server: PostgresServer
) -> None:
    first, second = await start(old), await start(new)
    with pytest.raises(DatabaseUnusable) as said:
        await start(newest)
    assert f"a replica of an older version (schema {migrate.newest()}) still uses" in str(said.value)
    assert str(said.value).endswith("bring all replicas to the version with 9001, then start this one")
    for replica in (first, second):
        await write(replica, f"user{next(numbers)}")
    await end(first, server)
    third = await start(newest)
    await write(second, f"user{next(numbers)}")
    assert await schema(third) == ("9002", "9001")
    with pytest.raises(DatabaseUnusable, match="was written by a newer version .* .its schema is 9002"):
        await start(old)


async def test_one_of_the_first_version_that_was_cut_off_meanwhile_writes_nothing_more(
    start: Start, old: Path, new: Path, newest: Path, server: PostgresServer
) -> None:
    first = await start(old)
    [writer] = await writers(first)
    second = await start(new)
    await cut_off(server, writer)
    await start(newest)
    await check_it_is_over(first)
    await write(second, f"user{next(numbers)}")


async def writers(database: Database) -> list[str]:
    """All replicas that there have been."""
    async with database.read() as session:
        return [*await session.scalars(text("SELECT writer FROM sieve_units"))]


async def cut_off(server: PostgresServer, writer: str) -> None:
    """Ends the replica's connections, as a broken network does."""
    connection = await server.connect("postgres")
    its = "application_name LIKE $1 || ' %'"
    await connection.fetch(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {its}", writer)  # noqa: S608 -- our condition
    async with asyncio.timeout(30):
        while await connection.fetchval(f"SELECT count(*) FROM pg_stat_activity WHERE {its}", writer):  # noqa: S608 -- our condition
            await asyncio.sleep(0.01)  # the server answers before it has ended them, and tells nobody when it has
    await connection.close()


async def check_it_is_over(replica: Database) -> None:
    """It writes nothing more, once it has noticed that its connection broke."""
    with pytest.raises(ReplicaEnded):
        for _ in range(2):
            with suppress(DatabaseUnreachable):
                await write(replica, "nobody")
    assert "nobody" not in await names(replica)


async def test_one_that_looked_before_two_upgrades_does_not_begin(
    start: Start, old: Path, new: Path, newest: Path, address: str, server: PostgresServer
) -> None:
    running, starting = await start(old), database_from_url(address)
    await starting.hold(ALPHA, shared=True)
    await starting.migrate()
    second = await start(new)
    await end(running, server)
    await start(newest)
    with pytest.raises(DatabaseUnusable, match="was written by a newer version"):
        await write(starting, "nobody")
    await write(second, f"user{next(numbers)}")
    await starting.dispose()


async def test_a_reader_keeps_the_upgrade_waiting_and_not_the_others(start: Start, old: Path, new: Path) -> None:
    """Such as pg_dump, which locks all tables for as long as it runs."""
    older, other = await start(old), await start(old)
    with patch.object(postgres_database, "ASIDE_MS", 20):
        async with older.read() as session:
            assert await session.scalar(text("SELECT count(*) FROM transfers")) == 0
            with patch.object(postgres_database, "UPGRADE_S", 0.0), pytest.raises(DatabaseBusy, match="try again"):
                await start(new)
            before = await schema(other)
            upgrading = asyncio.create_task(start(new))
            for _ in range(10):
                await write(other, f"user{next(numbers)}")
            assert not upgrading.done() and await schema(other) == before
        await upgrading
    await write(other, f"user{next(numbers)}")
    assert (await schema(other))[0] == "9001"


async def test_one_that_lost_its_connection_while_an_upgrade_had_the_database_alone_is_ended(
    start: Start, old: Path, tmp_path: Path, server: PostgresServer, address: str
) -> None:
    """It may not be able to work with the tables, also if the new one never began."""
    older, breaking = await start(old), database_from_url(address)
    [writer] = await writers(older)
    with version(following(tmp_path / "breaking", CONTRACTION)):
        await cut_off(server, writer)
        await breaking.hold(ALPHA, shared=True)
        assert breaking.is_alone
        await breaking.migrate()
        await breaking.dispose()
    await check_it_is_over(older)


def test_what_two_versions_must_agree_on() -> None:
    """Replicas of the version before use these. Give a new meaning a new number or name."""
    assert postgres_advisory_locks.WRITING == "1397310806, 1"
    assert postgres_advisory_locks.GATEWAY == "1397310806, 2"
    assert postgres_advisory_locks.LEADER == "1397310806, 3"
    assert postgres_replicas.CHANNEL == "sieve"


async def test_what_two_versions_must_agree_on_in_the_database(database: Database) -> None:
    """A column that the version before does not know may be added, if it may be empty."""
    asked = (
        "SELECT string_agg(column_name || ' ' || data_type || CASE is_nullable WHEN 'YES' THEN '?' ELSE '' END, ', ' "
        "ORDER BY ordinal_position) FROM information_schema.columns WHERE table_name = 'sieve_units'"
    )
    async with database.read() as session:
        assert await session.scalar(text(asked)) == (
            "writer text, unit bigint, at timestamp with time zone, state text?, schema text?"
        )
