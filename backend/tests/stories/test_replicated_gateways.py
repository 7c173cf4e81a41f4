"""Two gateways of several replicas each, on one PostgreSQL server and one S3 store: what happens at one replica is seen
at the others, and nothing is lost or doubled while replicas are killed and stopped, and servers restarted.
"""

import asyncio
import json
import os
import random
import shutil
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

import s3_server
from postgres_server import PostgresServer, in_thread
from reserved_ports import ReservedPorts
from s3_server import S3Server
from sieve import demo
from sieve.main import TRY_AGAIN
from stories.pair import FAST, FORKED, client
from stories.proxies import Proxy, copy

REPLICAS: Final = 3
TAKEN_OVER_S: Final = 45.0
LEASE_S: Final = "10"
TEXT: Final = b"Berth <$S>%04d<$E> opens at noon. "


@pytest.fixture
def database() -> Iterator[PostgresServer]:
    server = PostgresServer.start()

    async def prepare() -> None:
        connection = await server.connect("postgres")
        await connection.execute("CREATE ROLE gateway LOGIN")
        for name in demo.NAMES:
            await connection.execute(f"CREATE DATABASE {name} OWNER gateway")
        await connection.close()

    in_thread(prepare())
    yield server
    server.stop()


@pytest.fixture
def store() -> Iterator[S3Server]:
    server = S3Server.start()
    server.make_bucket("documents")
    yield server
    server.stop()


async def passed_on(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    up_reader: asyncio.StreamReader,
    up_writer: asyncio.StreamWriter,
) -> None:
    """A balancer's connection."""
    async with asyncio.TaskGroup() as both:
        both.create_task(copy(reader, up_writer, lambda _: None))
        both.create_task(copy(up_reader, writer, lambda _: None))


@dataclass
class Replicated:
    """One gateway. `secure`: its balancer, which sends each peer to one replica."""

    name: str
    folder: Path
    settings: dict[str, str]
    secure: Proxy
    ports: ReservedPorts
    binds: list[dict[str, str]] = field(default_factory=list)
    replicas: list[demo.Running] = field(default_factory=list)

    def start(self, number: int) -> demo.Running:
        """Starts a replica, perhaps again."""
        folder = self.folder / f"replica-{number}"
        data = folder / self.name
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        if number and not (data / "admin.token").exists():
            shutil.copy(self.folder / "replica-0" / self.name / "admin.token", data)
        running = demo.start(
            self.name,
            folder,
            self.folder.parent / "identities",
            self.binds[number],
            extra=self.settings,
            log_file=self.folder / f"{number}.log",
            launch=FORKED,
        )
        if number < len(self.replicas):
            self.replicas[number] = running
        else:
            self.replicas.append(running)
        return running

    def to_one_that_runs(self) -> None:
        """The balancer's look: peers go to the first replica that runs."""
        self.secure.upstream = next(
            self.binds[number]["secure"] for number, one in enumerate(self.replicas) if one.process.poll() is None
        )


@dataclass
class Cluster:
    alpha: Replicated
    bravo: Replicated
    author: str
    reader: str

    def at_alpha(self, number: int) -> httpx.AsyncClient:
        return client(self.alpha.replicas[number], self.author)

    def at_bravo(self, number: int) -> httpx.AsyncClient:
        return client(self.bravo.replicas[number], self.reader)


@asynccontextmanager
async def cluster(folder: Path, database: PostgresServer, store: S3Server) -> AsyncIterator[Cluster]:
    demo.make_identities(folder / "identities")
    async with AsyncExitStack() as stack:
        ports = stack.enter_context(ReservedPorts())
        sides: dict[str, Replicated] = {}
        for name in demo.NAMES:
            proxy = await stack.enter_async_context(Proxy(passed_on).serving())
            settings = FAST | {
                "SIEVE_DATABASE_URL": database.address(name),
                "SIEVE_BLOBS": f"s3://documents/{name}",
                "SIEVE_S3_ENDPOINT": store.endpoint,
                "AWS_ACCESS_KEY_ID": s3_server.KEY,
                "AWS_SECRET_ACCESS_KEY": s3_server.SECRET,
                "AWS_REGION": "us-east-1",
                "SIEVE_MASTER_KEY_FILE": str(folder / name / "master.key"),
                "SIEVE_SECURE_URL": f"https://{proxy.address}",
                "SIEVE_LEASE_S": LEASE_S,
            }
            side = sides[name] = Replicated(name, folder / name, settings, proxy, ports)
            side.binds = [ports.binds() for _ in range(REPLICAS)]
            (folder / name).mkdir()
        stack.push_async_callback(stop, sides)
        for side in sides.values():
            await asyncio.to_thread(side.start, 0)
            side.to_one_that_runs()
        alpha, bravo = (sides[name].replicas[0] for name in demo.NAMES)
        for one, other in ((alpha, bravo), (bravo, alpha)):
            invitation = await asyncio.to_thread(other.api, "GET", "/peers/invitation")
            await asyncio.to_thread(one.api, "POST", "/peers", json=invitation)
        for one, other in ((alpha, bravo), (bravo, alpha)):
            code = (await asyncio.to_thread(other.api, "GET", f"/peers/{one.name}/code"))["code"]
            await asyncio.to_thread(one.api, "POST", f"/peers/{other.name}/confirm", json={"code": code})
        author = await asyncio.to_thread(demo.add_person, alpha, demo.AUTHOR, "Anna", is_author=True)
        reader = await asyncio.to_thread(
            demo.add_person, bravo, demo.RECIPIENT, "Bruno", is_recipient=True, cleared=True
        )
        for side in sides.values():
            for number in range(1, REPLICAS):
                await asyncio.to_thread(side.start, number)
        yield Cluster(sides["alpha"], sides["bravo"], author, reader)


async def stop(sides: dict[str, Replicated]) -> None:
    running = [one for side in sides.values() for one in side.replicas]
    for one in running:
        with suppress(ProcessLookupError):
            one.process.send_signal(signal.SIGCONT)
    await asyncio.gather(*(asyncio.to_thread(one.stop) for one in running))


async def send(api: httpx.AsyncClient, text: bytes, name: str) -> str:
    """The transfer's id, once the gateway has accepted it."""
    made = await api.post(
        "/documents", params={"name": name, "media_type": "text/plain", "form": "marked"}, content=text
    )
    assert made.status_code == 201, made.text
    asked = {"document_id": made.json()["id"], "peer": "bravo", "recipients": [demo.RECIPIENT], "mode": "sieve"}
    answer = await api.post("/transfers", json=asked)
    assert answer.status_code == 202, answer.text
    return str(answer.json()["id"])


async def state(api: httpx.AsyncClient, transfer: str) -> str:
    answer = await api.get(f"/transfers/{transfer}")
    return str(answer.json()["state"]) if answer.status_code == 200 else f"{answer.status_code}"


async def delivered(api: httpx.AsyncClient, transfers: list[str]) -> None:
    for transfer in transfers:
        while (found := await state(api, transfer)) != "delivered":
            assert found in ("queued", "sending", "503"), found
            # The gateways are other processes, and only the API shows the state.
            await asyncio.sleep(0.1)


async def inbox(api: httpx.AsyncClient) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    after: dict[str, str] = {}
    while True:
        page = (await api.get("/inbox", params={"limit": "200", **after})).json()
        found += page["items"]
        if page["next"] is None:
            return found
        after = {"after": page["next"]}


async def check_each_arrived_once(them: Cluster, sent: dict[str, bytes], *, unsure: int = 0) -> None:
    """At every replica. `unsure`: of how many the author does not know whether they were accepted."""
    for number in range(REPLICAS):
        async with them.at_bravo(number) as api:
            found = [entry["transfer_id"] for entry in await inbox(api)]
        assert len(found) == len({*found}) and sent.keys() <= {*found} and len(found) <= len(sent) + unsure
    for at, (transfer, text) in enumerate(sent.items()):
        async with them.at_bravo(at % REPLICAS) as api:
            answer = await api.get(f"/inbox/{transfer}/content", params={"edition": "full"})
            assert answer.status_code == 200, answer.text
            assert answer.content == text.replace(b"<$S>", b"").replace(b"<$E>", b"")


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
        await until(of_author, "transfer", id=transfer, state="delivered")
        await until(of_reader, "inbox")
        await check_each_arrived_once(them, {transfer: text})

        # A draft that is saved at one replica is there at the others, and a stream says so.
        made = await authors[2].post("/drafts", json={"name": "draft.txt"})
        assert made.status_code == 201, made.text
        await until(of_author, "draft", id=made.json()["id"])

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
        async with client(them.alpha.replicas[1], them.alpha.replicas[1].admin_token) as admin:
            assert (await admin.delete("/peers/bravo")).status_code == 204
        for number, replica in enumerate(them.alpha.replicas):
            async with asyncio.timeout(5), client(replica, replica.admin_token) as admin:
                while (await admin.get("/peers")).json():
                    await asyncio.sleep(0.05)  # the message travels between processes
            refused = await authors[number].post(
                "/transfers",
                json={"document_id": "0" * 32, "peer": "bravo", "recipients": [demo.RECIPIENT], "mode": "sieve"},
            )
            assert refused.status_code in (404, 409, 422)


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
        log = them.alpha.folder / "1.log", them.alpha.folder / "2.log"
        async with asyncio.timeout(60):
            while not any("was ended, and others do its work" in path.read_text() for path in log):
                await asyncio.sleep(0.2)  # the others' looks are what this waits for
        os.kill(asleep.pid, signal.SIGCONT)
        assert await asyncio.to_thread(asleep.wait, 60) == TRY_AGAIN
        await asyncio.to_thread(them.alpha.start, 0)
        await check_each_arrived_once(them, sent)


@pytest.mark.parametrize("rounds", [6, pytest.param(120, marks=pytest.mark.soak)])
async def test_kills_and_restarts_of_everything_lose_and_double_nothing(
    tmp_path: Path, database: PostgresServer, store: S3Server, rounds: int
) -> None:
    draw = random.Random(20_261_128)
    async with cluster(tmp_path, database, store) as them:
        sent: dict[str, bytes] = {}
        unsure = 0
        for number in range(rounds * 4):
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
