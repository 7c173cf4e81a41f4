"""One writer at a time, and one gateway: who may use a PostgreSQL database, and who replaces one that has stopped."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import text

from postgres_server import PostgresServer
from sieve.store import postgres_database, postgres_gateway_lock
from sieve.store.database import Database
from sieve.store.database_from_url import database_from_url
from sieve.store.errors import DatabaseBusy, DatabaseTaken
from sieve.store.key_source import KeyFile
from sieve.store.open_store import Holder, open_store
from sieve.store.queries import peers, people
from store.postgres.users import names, write
from store_rows import a_user


async def test_writers_of_several_processes_lose_no_update(address: str, database: Database) -> None:
    await write(database, "anna")
    rivals = [database_from_url(address) for _ in range(4)]

    async def grow(rival: Database) -> None:
        for _ in range(5):
            async with rival.write() as session:
                user = await people.by_name(session, "anna")
                assert user is not None
                await asyncio.sleep(0)
                user.created_at_ns += 1

    await asyncio.gather(*map(grow, rivals))
    async with database.read() as session:
        grown = await people.by_name(session, "anna")
    assert grown is not None and grown.created_at_ns == 21
    for rival in rivals:
        await rival.dispose()


async def test_a_lock_that_others_hold_for_too_long_is_reported_as_busy(address: str) -> None:
    one, other = database_from_url(address), database_from_url(address, busy_s=0.05)
    async with one.write() as session:
        await a_user(session)
        with pytest.raises(DatabaseBusy, match="others have held it for too long; try again"):
            await write(other, "bob")
    await write(other, "bob")
    assert await names(one) == ["anna", "bob"]
    await one.dispose()
    await other.dispose()


async def test_two_gateways_never_use_one_database(
    address: str, server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    alpha, bravo, command = (database_from_url(address) for _ in range(3))
    await alpha.hold("the gateway alpha")
    with pytest.raises(DatabaseTaken, match="is in use by the gateway alpha; stop that one, or set SIEVE_DATABASE_URL"):
        await bravo.hold("the gateway bravo")
    await write(command, "from-a-command")  # commands write beside a gateway

    # Its connection ends, and the other one is faster: the first writes nothing more, and ends.
    await server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '%alpha'")
    await bravo.hold("the gateway bravo")
    with pytest.raises(DatabaseTaken, match="in use by the gateway bravo"):
        await write(alpha, "nobody")
    monkeypatch.setattr(postgres_database, "WATCH_S", 0.0)
    with pytest.raises(DatabaseTaken):
        await alpha.watch()
    await write(bravo, "anna")
    assert await names(bravo) == ["anna", "from-a-command"]
    await bravo.dispose()
    await alpha.hold("the gateway alpha")
    await alpha.dispose()
    await command.dispose()


async def test_a_gateway_that_was_replaced_writes_nothing_also_when_its_successor_has_gone(
    address: str, server: PostgresServer
) -> None:
    alpha, bravo = database_from_url(address), database_from_url(address)
    await alpha.hold("the gateway alpha")
    await write(alpha, "anna")
    await server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '%alpha'")
    await bravo.hold("the gateway bravo")
    await write(bravo, "bob")
    await bravo.dispose()
    for _ in range(2):
        with pytest.raises(DatabaseTaken, match="took the database .* over while this one was stopped or cut off"):
            await write(alpha, "nobody")
    assert await names(alpha) == ["anna", "bob"]
    await alpha.dispose()


_GATEWAY: Final = """
import asyncio, sys
from sieve.store import postgres_database
from sieve.store.errors import StoreError
from sieve.store.database_from_url import database_from_url

async def run():
    postgres_database.WATCH_S = 0.01
    database = database_from_url(sys.argv[1])
    await database.hold("the gateway alpha")
    async with database.write():
        pass
    print("holds", flush=True)
    try:
        await database.watch()
    except StoreError as error:
        print(type(error).__name__, error, flush=True)
    await database.dispose()

asyncio.run(run())
"""
"""A process that does with the database what a gateway does."""


@pytest.fixture
async def gateway(address: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", _GATEWAY, address, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert await process.stdout.readline() == b"holds\n"
    database = database_from_url(address)
    while not await _beats(database):
        await asyncio.sleep(0.01)  # another process: only its row shows its first heartbeat
    await database.dispose()
    yield process
    if process.returncode is None:
        process.kill()
    await process.wait()


async def _beats(database: Database) -> bool:
    async with database.read() as session:
        return await session.scalar(text("SELECT true FROM sieve_units WHERE state = 'beats'")) is True


async def test_a_gateway_that_runs_is_never_taken_for_stopped(
    address: str, gateway: asyncio.subprocess.Process
) -> None:
    bravo = database_from_url(address)
    with pytest.raises(DatabaseTaken, match="is in use by the gateway alpha; stop that one"):
        await bravo.hold("the gateway bravo")
    assert gateway.returncode is None
    await bravo.dispose()


async def test_a_gateway_that_is_stopped_is_replaced_and_then_writes_nothing(
    address: str, gateway: asyncio.subprocess.Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_gateway_lock, "STOPPED_S", 0.5)
    gateway.send_signal(signal.SIGSTOP)
    bravo = database_from_url(address)
    await bravo.hold("the gateway bravo")
    await write(bravo, "anna")
    units = text("SELECT writer, unit, state FROM sieve_units ORDER BY state")
    async with bravo.read() as session:
        before = (await session.execute(units)).all()
    assert [row.state for row in before] == ["ended", "holds"]
    gateway.send_signal(signal.SIGCONT)
    said, _ = await gateway.communicate()
    assert said.startswith(b"DatabaseTaken the database ")
    async with bravo.read() as session:
        assert (await session.execute(units)).all() == before
    await write(bravo, "bob")
    assert await names(bravo) == ["anna", "bob"]
    await bravo.dispose()


async def test_replicas_replace_a_gateway_that_is_stopped(
    address: str, gateway: asyncio.subprocess.Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when an office moves from one gateway to several replicas."""
    monkeypatch.setattr(postgres_gateway_lock, "STOPPED_S", 0.5)
    monkeypatch.setattr(postgres_gateway_lock, "BEGINS_S", 0.0)
    gateway.send_signal(signal.SIGSTOP)
    first, second = database_from_url(address), database_from_url(address)
    await first.hold("the gateway alpha", shared=True)
    assert first.is_alone
    await write(first, "anna")
    await first.let_others_join()
    await second.hold("the gateway alpha", shared=True)
    assert not second.is_alone
    await write(second, "bob")
    for replica in (first, second):
        await replica.dispose()
    # Both have gone; the first one ended it all the same.
    gateway.send_signal(signal.SIGCONT)
    said, _ = await gateway.communicate()
    assert said.startswith(b"DatabaseTaken another gateway took the database ")
    third = database_from_url(address)
    assert await names(third) == ["anna", "bob"]
    await third.dispose()


async def test_a_command_is_never_taken_for_a_stopped_gateway(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may calculate for long between two units."""
    monkeypatch.setattr(postgres_gateway_lock, "STOPPED_S", 0.0)
    command, bravo = database_from_url(address), database_from_url(address)
    await command.hold("a command")
    await write(command, "anna")
    with pytest.raises(DatabaseTaken, match="is in use by a command"):
        await bravo.hold("the gateway bravo")
    await write(command, "bob")
    await command.dispose()
    await bravo.dispose()


async def test_the_database_of_a_gateway_with_another_name_is_refused(address: str, tmp_path: Path) -> None:
    database = database_from_url(address)
    async with database.write() as session:
        await peers.put_own(
            session,
            name="alpha",
            secure_url="https://alpha",
            plain_url="http://alpha",
            ca_der=b"ca",
            receipt_key=b"alpha's",
            pin="00",
            now_ns=1,
        )
    await database.dispose()

    async def start(holder: Holder) -> None:
        store = await open_store(address, tmp_path / "blobs", KeyFile(tmp_path / "master.key"), holder, now_ns=1)
        await store.database.dispose()

    with pytest.raises(
        DatabaseTaken, match="belongs to the gateway alpha, and this one is bravo; set SIEVE_DATABASE_URL"
    ):
        await start(Holder("bravo", b"bravo's"))
    await start(Holder("alpha", b"new"))
    await start(Holder("renamed", b"alpha's"))
