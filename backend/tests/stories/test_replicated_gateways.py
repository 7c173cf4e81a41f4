"""Two gateways of several replicas each, on one PostgreSQL server and one S3 store: what happens at one replica is seen
at the others, and nothing is lost or doubled while replicas are killed and stopped, and servers restarted.
"""

import asyncio
import json
import os
import random
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from postgres_server import PostgresServer
from s3_server import S3Server
from sieve import demo
from sieve.main import TRY_AGAIN
from stories.pair import client
from stories.replicated import (
    REPLICAS,
    Cluster,
    Replicated,
    ask,
    blob_server,
    browser,
    check_each_arrived_once,
    cluster,
    database_server,
    delivered,
    document,
    send,
    send_document,
    session_of_new_author,
)

TAKEN_OVER_S: Final = 45.0
ROUNDS: Final = 6
TEXT: Final = b"Berth <$S>%04d<$E> opens at noon. "


@pytest.fixture
def database() -> Iterator[PostgresServer]:
    with database_server() as server:
        yield server


@pytest.fixture
def store() -> Iterator[S3Server]:
    with blob_server() as server:
        yield server


@asynccontextmanager
async def changes(api: httpx.AsyncClient) -> AsyncIterator[asyncio.Queue[tuple[str, dict[str, Any]]]]:
    """What an open stream of events says, from its first event on; ("end", {}) when it ends."""
    found: asyncio.Queue[tuple[str, dict[str, Any]]] = asyncio.Queue()

    async def read() -> None:
        kind = ""
        async with api.stream("GET", "/events", timeout=None) as stream:
            async for line in stream.aiter_lines():
                name, _, value = line.partition(": ")
                if name == "event":
                    kind = value
                elif name == "data":
                    found.put_nowait((kind, json.loads(value)))
        found.put_nowait(("end", {}))

    reading = asyncio.create_task(read())
    try:
        assert (await found.get())[0] == "hello"
        yield found
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


async def until(found: "asyncio.Queue[tuple[str, dict[str, Any]]]", kind: str, **values: Any) -> None:
    async with asyncio.timeout(60):
        while True:
            event, data = await found.get()
            if event == kind and values.items() <= data.items():
                return


async def test_what_happens_at_one_replica_is_seen_at_the_others(
    tmp_path: Path, database: PostgresServer, store: S3Server
) -> None:
    async with cluster(tmp_path, database, store) as them, AsyncExitStack() as stack:
        authors = [await stack.enter_async_context(them.at_alpha(number)) for number in range(REPLICAS)]
        readers = [await stack.enter_async_context(them.at_bravo(number)) for number in range(REPLICAS)]
        of_author = await stack.enter_async_context(changes(authors[1]))
        of_reader = await stack.enter_async_context(changes(readers[2]))
        text = TEXT % 1 * 1000
        transfer = await send(authors[0], text, "one.txt")
        await until(of_author, "transfer", transfer_id=transfer, state="delivered")
        await until(of_reader, "inbox")
        await check_each_arrived_once(them, {transfer: text})

        # A draft that is saved at one replica is there at the others, and a stream says so.
        made = await authors[2].post("/drafts", params={"name": "draft.txt", "form": "marked"}, content=b"Berth.")
        assert made.status_code == 201, made.text
        await until(of_author, "draft", id=made.json()["id"])

        # Somebody who signs out everywhere at one replica is signed out at all of them at once, and their streams end.
        cookies = await session_of_new_author(them.alpha, 0, "carla")
        browsers = [await stack.enter_async_context(browser(them.alpha, each, cookies)) for each in range(REPLICAS)]
        for api in browsers:
            await ask(api, "GET", "/me")
        of_carla = await stack.enter_async_context(changes(browsers[0]))
        await ask(browsers[1], "DELETE", "/sessions")
        for api in browsers:
            assert (await api.get("/me")).status_code == 401
        await until(of_carla, "end")

        # A token that is revoked at one replica counts nowhere, and its streams end.
        admin = client(them.bravo.replicas[0], them.bravo.replicas[0].admin_token)
        async with admin:
            people = (await admin.get("/people")).json()
            person = next(each for each in people if each["name"] == demo.RECIPIENT)
            tokens = (await admin.get(f"/people/{person['id']}/tokens")).json()
            assert (await admin.delete(f"/people/{person['id']}/tokens/{tokens[0]['id']}")).status_code == 204
        await until(of_reader, "end")
        for api in readers:
            assert (await api.get("/inbox")).status_code == 401

        # So does a peer that is removed.
        documents = [await document(api, text, "late.txt") for api in authors]
        async with client(them.alpha.replicas[1], them.alpha.replicas[1].admin_token) as admin:
            assert (await admin.delete("/peers/bravo")).status_code == 204
        for number, replica in enumerate(them.alpha.replicas):
            async with asyncio.timeout(10), client(replica, replica.admin_token) as admin:
                while (await admin.get("/peers")).json():
                    await asyncio.sleep(0.05)  # the message travels between processes
            refused = await send_document(authors[number], documents[number])
            assert refused.status_code == 404 and "no peer named bravo" in refused.text


async def test_a_replica_that_dies_or_stops_is_replaced_by_the_others(
    tmp_path: Path, database: PostgresServer, store: S3Server
) -> None:
    async with cluster(tmp_path, database, store) as them:
        now = asyncio.get_running_loop().time
        sent: dict[str, bytes] = {}
        # Killed right after it accepted documents, perhaps in the middle of sending them.
        async with them.at_alpha(0) as api:
            for number in range(8):
                text = TEXT % number * 100_000
                sent[await send(api, text, f"{number}.txt")] = text
        them.alpha.replicas[0].process.kill()
        killed = now()
        async with them.at_alpha(1) as api, asyncio.timeout(TAKEN_OVER_S):
            await delivered(api, [*sent])
        print(f"taken over in {now() - killed:.1f} s")
        await asyncio.to_thread(them.alpha.start, 0)

        # Stopped, with its connections open: the others end it, and it ends itself when it wakes.
        asleep = them.alpha.replicas[0].process
        os.kill(asleep.pid, signal.SIGSTOP)
        async with them.at_alpha(2) as api:
            for number in range(8, 12):
                text = TEXT % number
                sent[await send(api, text, f"{number}.txt")] = text
            await delivered(api, [*sent])
        logs = [them.alpha.folder / f"{number}.log" for number in (1, 2)]
        async with asyncio.timeout(60):
            # The one that was killed, and the one that is asleep.
            while sum(path.read_text().count("was ended, and others do its work") for path in logs) < 2:
                await asyncio.sleep(0.2)  # the others end it after a few looks, and only their log says so
        os.kill(asleep.pid, signal.SIGCONT)
        assert await asyncio.to_thread(asleep.wait, 60) == TRY_AGAIN
        await asyncio.to_thread(them.alpha.start, 0)
        await check_each_arrived_once(them, sent)


async def test_kills_and_restarts_of_everything_lose_and_double_nothing(
    tmp_path: Path, database: PostgresServer, store: S3Server
) -> None:
    """`make chaos-cluster` plays more of them, with nginx as balancer."""
    draw = random.Random(20_261_128)
    async with cluster(tmp_path, database, store) as them:
        sent: dict[str, bytes] = {}
        unsure = 0
        for number in range(ROUNDS * 4):
            for size in (100, 60_000):
                text = TEXT % number + draw.randbytes(size).hex().encode()
                while True:
                    at = draw.randrange(REPLICAS)
                    try:
                        async with them.at_alpha(at) as api:
                            sent[await send(api, text, f"{number}-{size}.txt")] = text
                        break
                    except (httpx.TransportError, AssertionError):
                        unsure += 1
                        await asyncio.sleep(0.1)  # that server is away; its clients try another replica
            if number % 4 == 3:
                await disturb(them, database, store, number // 4, draw)
        async with them.at_alpha(0) as api:
            await delivered(api, [*sent])
        await check_each_arrived_once(them, sent, unsure=unsure)


async def disturb(them: Cluster, database: PostgresServer, store: S3Server, number: int, draw: random.Random) -> None:
    """Kills a replica of either gateway and starts it again, or restarts a server."""
    kind = ("alpha", "bravo", "database", "bravo", "alpha", "store")[number % 6]
    if kind == "database":
        await asyncio.to_thread(database.halt, signal.SIGQUIT)
        await asyncio.to_thread(database.run)
    elif kind == "store":
        await asyncio.to_thread(store.halt)
        await asyncio.to_thread(store.run)
    else:
        side: Replicated = getattr(them, kind)
        at = draw.randrange(REPLICAS)
        side.replicas[at].process.kill()
        await asyncio.to_thread(side.replicas[at].process.wait)
        side.to_one_that_runs()
        await asyncio.to_thread(side.start, at)
