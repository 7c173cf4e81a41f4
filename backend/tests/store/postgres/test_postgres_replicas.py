"""Several replicas on one PostgreSQL database: who may join, what they tell each other, who leads, and how one that has
stopped is ended.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from unittest.mock import patch

import asyncpg
import pytest
from asyncpg import InternalClientError
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from postgres_server import PostgresServer
from sieve.store import postgres_database, postgres_gateway_lock, postgres_replicas
from sieve.store.database import Database
from sieve.store.database_from_url import database_from_url
from sieve.store.errors import DatabaseBusy, DatabaseTaken, DatabaseUnreachable, ReplicaEnded, StorageFull
from store_rows import a_user

numbers = count(1)
ALPHA = "the gateway alpha"


@pytest.fixture
async def replicas(address: str) -> AsyncIterator[list[Database]]:
    """Three replicas that have joined."""
    made = [database_from_url(address) for _ in range(3)]
    for one in made:
        await one.hold(ALPHA, shared=True)
        await one.let_others_join()
        await write(one)
    yield made
    for one in made:
        await one.dispose()


async def write(database: Database) -> None:
    async with database.write() as session:
        await a_user(session, f"user{next(numbers)}")


@dataclass
class Heard:
    """A meeting that collects."""

    lines: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    to_send: list[str] = field(default_factory=list)
    leading: asyncio.Event = field(default_factory=asyncio.Event)
    here: asyncio.Event = field(default_factory=asyncio.Event)
    joins: int = 0

    def joined(self) -> None:
        self.joins += 1
        self.here.set()

    def heard(self, message: str) -> None:
        self.lines.put_nowait(message)

    def leads(self, leads: bool) -> None:
        (self.leading.set if leads else self.leading.clear)()

    async def messages(self, timeout_s: float) -> Sequence[str]:
        if not self.to_send:
            await asyncio.sleep(0.01)  # the pace at which this meeting looks for something to send
        waiting, self.to_send = self.to_send, []
        return waiting


async def end(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_the_first_replica_is_alone_until_it_lets_others_join(address: str) -> None:
    one, two, other = (database_from_url(address) for _ in range(3))
    await one.hold(ALPHA, shared=True)
    assert one.is_alone
    joining = asyncio.create_task(two.hold(ALPHA, shared=True))
    await write(one)
    assert not joining.done()
    await one.let_others_join()
    await joining
    assert not two.is_alone
    await write(two)
    await write(one)
    with pytest.raises(DatabaseTaken, match="in use by the gateway alpha"):
        await other.hold("a command")
    for each in (one, two, other):
        await each.dispose()


async def test_a_gateway_that_does_not_share_keeps_replicas_out(address: str) -> None:
    whole, replica = database_from_url(address), database_from_url(address)
    await whole.hold("a command")
    with (
        patch.object(postgres_gateway_lock, "BEGINS_S", 0.0),
        pytest.raises(DatabaseTaken, match="in use by a command"),
    ):
        await replica.hold(ALPHA, shared=True)
    await whole.dispose()
    await replica.dispose()


async def test_each_unit_of_each_replica_counts(replicas: list[Database]) -> None:
    await asyncio.gather(*(write(one) for one in replicas for _ in range(10)))
    async with replicas[0].read() as session:
        assert await session.scalar(text("SELECT count(*) FROM users")) == 33


async def test_messages_reach_the_others_and_only_them(replicas: list[Database]) -> None:
    meetings = [Heard() for _ in replicas]
    tasks = [asyncio.create_task(one.meet(heard)) for one, heard in zip(replicas, meetings, strict=True)]
    for heard in meetings:
        await heard.here.wait()
    meetings[0].to_send = ["one", "two"]
    for heard in meetings[1:]:
        assert [await heard.lines.get(), await heard.lines.get()] == ["one", "two"]
    meetings[1].to_send = ["three"]
    assert await meetings[0].lines.get() == "three" and meetings[1].lines.empty()
    await end(*tasks)


async def test_messages_of_a_broken_connection_are_sent_over_the_next_one(
    replicas: list[Database], server: PostgresServer
) -> None:
    here, there = Heard(), Heard()
    tasks = [asyncio.create_task(replicas[1].meet(there))]
    await there.here.wait()
    async with replicas[0].read() as session:
        database = await session.scalar(text("SELECT current_database()"))
    connection = await server.connect("postgres")
    # The server knows a connection by its last statement, and that is the one we look for only once it has talked.
    async with asyncio.timeout(30):
        while len(theirs := {*await connection.fetchval(_TALKING, database)}) != 1:
            await asyncio.sleep(0.01)  # only the server knows when a replica talks, and tells nobody
        tasks.append(asyncio.create_task(replicas[0].meet(here)))
        await here.here.wait()
        while len(ours := {*await connection.fetchval(_TALKING, database)} - theirs) != 1:
            await asyncio.sleep(0.01)  # only the server knows when our meeting talks, and tells nobody
    here.here.clear()
    await connection.fetch("SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid", [*ours])
    await connection.close()
    here.to_send = ["kept"]
    await here.here.wait()
    assert here.joins == 2, "after a new connection, earlier messages may be missing"
    assert await there.lines.get() == "kept"
    await end(*tasks)


async def test_a_state_that_the_driver_did_not_expect_is_a_broken_connection(replicas: list[Database]) -> None:
    """As after a connection was cut while this process was stopped."""
    real = asyncpg.Connection.fetch

    async def fetch(self: asyncpg.Connection, query: str, *arguments: Any, **more: Any) -> Any:
        if "pg_notify" in query:
            raise InternalClientError("cannot switch to state 11")
        return await real(self, query, *arguments, **more)

    there = Heard()
    with patch.object(postgres_replicas, "PAUSE_S", 0.0), patch.object(asyncpg.Connection, "fetch", fetch):
        task = asyncio.create_task(replicas[0].meet(there))
        async with asyncio.timeout(30):
            while there.joins < 2 and not task.done():
                await asyncio.sleep(0.01)  # the meeting joins again by itself
    assert not task.done()
    await end(task)
    broken = patch.object(AsyncSession, "scalar", side_effect=InternalClientError("cannot switch to state 11"))
    with broken, pytest.raises(DatabaseUnreachable, match="the connection broke"):
        async with replicas[0].read() as session:
            await session.scalar(text("SELECT 1"))


_TALKING = """
SELECT coalesce(array_agg(pid), '{}') FROM pg_stat_activity WHERE datname = $1 AND query LIKE '%pg_notify(%'
"""


async def test_one_leads_and_when_it_ends_another_one_does(replicas: list[Database]) -> None:
    with patch.object(postgres_replicas, "LOOK_S", 0.05):
        first, second = Heard(), Heard()
        leading = asyncio.create_task(replicas[0].meet(first))
        await first.leading.wait()
        following = asyncio.create_task(replicas[1].meet(second))
        await second.here.wait()
        assert not second.leading.is_set()
        await end(leading)
        assert not first.leading.is_set()
        await second.leading.wait()
        await end(following)


async def test_a_replica_that_stops_is_ended_by_the_others_and_writes_nothing_more(replicas: list[Database]) -> None:
    stopped, leads = replicas[0], Heard()
    with (
        patch.object(postgres_database, "WATCH_S", 0.1),
        patch.object(postgres_gateway_lock, "STOPPED_S", 0.4),
        patch.object(postgres_replicas, "LOOK_S", 0.05),
    ):
        watching = [asyncio.create_task(one.watch()) for one in replicas]
        meeting = asyncio.create_task(stopped.meet(leads))
        await leads.leading.wait()
        async with asyncio.timeout(30):
            while await how_many_beat(stopped) < len(replicas):
                await asyncio.sleep(0.01)  # nothing announces the first heartbeat
        # As after SIGSTOP: its connections stay, and its heartbeat does not come.
        await end(watching[0])
        for one in replicas[1:]:
            heard = Heard()
            follower = asyncio.create_task(one.meet(heard))
            async with asyncio.timeout(30):
                while not await has_ended_one(one):
                    await asyncio.sleep(0.02)  # the others end it after a few looks, and announce nothing
            await end(follower)
        with pytest.raises(ReplicaEnded, match="start it again"):
            await write(stopped)
        await end(meeting)
        for one in replicas[1:]:
            await write(one)
        assert not any(each.done() for each in watching[1:])
        await end(*watching[1:])


async def test_one_whose_first_unit_failed_ends_no_replica_that_joined_meanwhile(address: str) -> None:
    first, second = database_from_url(address), database_from_url(address)
    await first.hold(ALPHA, shared=True)
    with pytest.raises(StorageFull):
        async with first.write():
            raise StorageFull("the database's disk is full")
    await first.let_others_join()
    await second.hold(ALPHA, shared=True)
    await write(second)
    await write(first)
    await write(second)
    for one in (first, second):
        await one.dispose()


async def test_a_replica_that_waits_too_long_for_another_one_to_begin_may_be_started_again(address: str) -> None:
    first, second = database_from_url(address), database_from_url(address)
    await first.hold(ALPHA, shared=True)
    await write(first)
    with (
        patch.object(postgres_gateway_lock, "BEGINS_S", 0.0),
        pytest.raises(DatabaseBusy, match="another replica of the gateway alpha is starting .* start this one again"),
    ):
        await second.hold(ALPHA, shared=True)
    await first.let_others_join()
    await second.hold(ALPHA, shared=True)
    for one in (first, second):
        await one.dispose()


async def test_a_gateway_of_the_same_name_that_runs_alone_keeps_replicas_out(address: str) -> None:
    alone, replica = database_from_url(address), database_from_url(address)
    await alone.hold(ALPHA)
    with patch.object(postgres_database, "WATCH_S", 0.01), patch.object(postgres_gateway_lock, "BEGINS_S", 0.0):
        watching = asyncio.create_task(alone.watch())
        async with asyncio.timeout(30):
            while not await how_many_beat(alone):
                await asyncio.sleep(0.01)  # nothing announces the first heartbeat
        with pytest.raises(DatabaseTaken, match="in use by the gateway alpha; stop that one"):
            await replica.hold(ALPHA, shared=True)
        await end(watching)
    for one in (alone, replica):
        await one.dispose()


async def test_a_replica_that_starts_may_take_its_time(replicas: list[Database], address: str) -> None:
    starting, passed = database_from_url(address), replicas[0]
    await starting.hold(ALPHA, shared=True)
    with patch.object(postgres_database, "WATCH_S", 0.0):
        others = postgres_replicas.Others("somebody")
        for _ in range(3):
            await others.look(passed, 1.0)
        await write(starting)
        watching = asyncio.create_task(starting.watch())
        async with asyncio.timeout(30):
            while not await how_many_beat(passed):
                await asyncio.sleep(0.01)  # the first heartbeat comes at once, and nothing announces it
        await end(watching)
    for _ in range(3):
        await others.look(passed, 1.0)
    with pytest.raises(ReplicaEnded):
        await write(starting)
    await starting.dispose()


async def how_many_beat(asking: Database) -> int:
    async with asking.read() as session:
        return await session.scalar(text("SELECT count(*) FROM sieve_units WHERE state = 'beats'")) or 0


async def has_ended_one(asking: Database) -> bool:
    async with asking.read() as session:
        return bool(await session.scalar(text("SELECT count(*) FROM sieve_units WHERE state = 'ended'")))


@pytest.mark.parametrize("ahead_s", [-3600, 300])
async def test_replicas_agree_on_the_time_of_the_server(replicas: list[Database], ahead_s: int) -> None:
    """Whether a machine's clock was wrong at the start, or is set later: no lease ends early or late for it."""
    early, late = replicas[:2]
    wrong_ns = time.time_ns() + ahead_s * 1_000_000_000
    with patch.object(Database, "now_ns", lambda _: wrong_ns):
        await early.hold(ALPHA, shared=True)
        for one in (early, late):
            assert abs(one.now_ns() - await server_ns(one)) < 5_000_000_000


async def server_ns(database: Database) -> int:
    async with database.read() as session:
        return 1000 * int(
            await session.scalar(text("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint")) or 0
        )


async def test_after_a_restart_of_the_server_all_replicas_come_back_at_once(
    replicas: list[Database], server: PostgresServer
) -> None:
    for _ in range(3):
        await asyncio.to_thread(server.halt)
        server.run()
        await asyncio.gather(*(write(one) for one in replicas))
