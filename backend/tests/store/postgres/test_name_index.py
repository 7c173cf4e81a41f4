"""PostgreSQL's index of parts of names: it is used, and nothing fails without it."""

import logging

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from postgres_server import PostgresServer
from sieve.store import postgres_name_index
from sieve.store.database import Database
from sieve.store.database_from_url import database_from_url
from sieve.store.queries import transfer_list
from sieve.store.queries.transfer_list import TransferFilter
from store_rows import a_document, a_peer, a_transfer, a_user


async def is_there(database: Database) -> bool:
    async with database.read() as session:
        return await session.run_sync(lambda of_it: postgres_name_index.is_there(of_it.connection()))


async def count(session: AsyncSession, part: str) -> int:
    return (await transfer_list.count(session, TransferFilter(None, search=part))).rows


async def test_without_the_right_to_make_the_extension_searches_read_the_names(
    server: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    await server.execute("CREATE DATABASE of_another")
    connection = await server.connect("of_another")
    await connection.execute("GRANT ALL ON SCHEMA public TO gateway")
    await connection.close()
    database = database_from_url(server.address("of_another"))
    with caplog.at_level(logging.WARNING):
        await database.migrate()
    assert "no index of parts of names (permission denied to create extension" in caplog.text
    assert not await is_there(database)
    async with database.write() as session:
        anna, bravo = await a_user(session), await a_peer(session)
        await a_transfer(session, await a_document(session, anna, "memo.txt"), anna, bravo)
        await session.flush()
        assert [await count(session, part) for part in ("MEM", "nowhere")] == [1, 0]
    await database.dispose()
    await server.execute("DROP DATABASE of_another")


async def test_a_replica_that_comes_late_keeps_what_another_one_made(
    server: PostgresServer, database: Database, address: str
) -> None:
    """It asked before the other one had finished."""
    indexes = "SELECT array_agg(indexrelid ORDER BY 1) FROM pg_index WHERE indexrelid::regclass::text LIKE '%_parts'"
    connection = await server.connect(address.partition("?")[0].rpartition("/")[2])
    before = await connection.fetchval(indexes)
    await postgres_name_index.make(connection, database.name)
    assert len(before) == 2 and await connection.fetchval(indexes) == before
    await connection.close()


@pytest.mark.parametrize(
    "damage",
    [
        "DROP INDEX ix_documents_name_parts",
        "COMMENT ON INDEX ix_received_sender_name_parts IS '0'",
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'ix_documents_name_parts'::regclass",
    ],
    ids=["missing", "of another version", "broken off"],
)
async def test_a_start_makes_what_is_missing(
    server: PostgresServer, database: Database, address: str, damage: str
) -> None:
    assert await is_there(database)
    connection = await server.connect(address.partition("?")[0].rpartition("/")[2])
    await connection.execute(damage)
    await connection.close()
    assert not await is_there(database)
    await database.migrate()
    assert await is_there(database)
