"""Two gateways of several replicas each, in processes of their own, on one PostgreSQL server and one S3 store."""

import asyncio
import shutil
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

import s3_server
from postgres_server import PostgresServer, in_thread
from reserved_ports import ReservedPorts
from s3_relay import S3Relay
from s3_server import S3Server
from sieve import demo
from stories.pair import FAST, FORKED, Pair, client, pair
from stories.proxies import Proxy, copy

REPLICAS: Final = 3
BUCKET: Final = "documents"
LEASE_S: Final = "10"
_PASSWORD: Final = "correct horse battery"
ARCHIVED: Final = {"archive_mode": "on", "archive_command": "cp %p ../archive/%f"}
"""The configuration of a database server that can go back to a moment."""


@contextmanager
def database_server(**options: str) -> Iterator[PostgresServer]:
    """A PostgreSQL server with an empty database for each gateway. `options`: of its configuration."""
    server = PostgresServer.start(**options)

    async def prepare() -> None:
        connection = await server.connect("postgres")
        await connection.execute("CREATE ROLE gateway LOGIN")
        for name in demo.NAMES:
            await connection.execute(f"CREATE DATABASE {name} OWNER gateway")
        await connection.close()

    in_thread(prepare())
    try:
        yield server
    finally:
        server.stop()


def on_server(folder: Path, server: PostgresServer) -> AbstractAsyncContextManager[Pair]:
    """Both gateways, with a database each on the server."""
    settings = {name: {"SIEVE_DATABASE_URL": server.address(name)} for name in demo.NAMES}

    def prepare() -> None:
        for name in demo.NAMES:
            (folder / name / "sieve.db").unlink()
            token = folder / name / "admin.token"
            token.unlink()
            made = demo.sieve_command(
                "admin",
                *("create", "admin", "--out-token", str(token)),
                env={"SIEVE_DATA_DIR": str(folder / name), **settings[name]},
            )
            assert made.returncode == 0

    return pair(folder, alpha_settings=settings["alpha"], bravo_settings=settings["bravo"], prepare=prepare)


@contextmanager
def blob_server() -> Iterator[S3Server]:
    """An S3 server with the bucket of `cluster`."""
    server = S3Server.start()
    try:
        server.make_bucket(BUCKET)
        yield server
    finally:
        server.stop()


async def _passed_on(
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
    """One gateway. `secure`: its balancer, which sends each peer to one replica. `own`: further settings of each
    replica. `launches`: how some replicas are started, if not as others."""

    name: str
    folder: Path
    settings: dict[str, str]
    secure: Proxy
    ports: ReservedPorts
    binds: list[dict[str, str]] = field(default_factory=list)
    own: dict[int, dict[str, str]] = field(default_factory=dict)
    launches: dict[int, demo.Launch] = field(default_factory=dict)
    replicas: list[demo.Running] = field(default_factory=list)

    def start(self, number: int, launch: demo.Launch | None = None) -> demo.Running:
        """Starts a replica, perhaps again, and perhaps in another way."""
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
            extra=self.settings | self.own.get(number, {}),
            log_file=self.folder / f"{number}.log",
            launch=launch or self.launches.get(number, FORKED),
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
    """Alpha (sender) and bravo (receiver)."""

    alpha: Replicated
    bravo: Replicated
    author: str
    reader: str

    def at_alpha(self, number: int) -> httpx.AsyncClient:
        """A client of the author at that replica."""
        return client(self.alpha.replicas[number], self.author)

    def at_bravo(self, number: int) -> httpx.AsyncClient:
        """A client of the recipient at that replica."""
        return client(self.bravo.replicas[number], self.reader)


@asynccontextmanager
async def browser(
    side: Replicated, number: int, cookies: httpx.Cookies | None = None
) -> AsyncIterator[httpx.AsyncClient]:
    """A browser at that replica; all replicas are one site for it."""
    port = urlsplit(side.replicas[number].url).port
    headers = {"Sec-Fetch-Site": "same-origin", "Host": "localhost"}
    address = f"http://127.0.0.1:{port}/api/v1"
    async with httpx.AsyncClient(
        base_url=address, headers=headers, cookies=cookies, timeout=60, trust_env=False, verify=demo.NO_TLS
    ) as api:
        yield api


async def ask(api: httpx.AsyncClient, method: str, path: str, **asked: Any) -> Any:
    """The answer, which must be a success; None if it is empty."""
    answer = await api.request(method, path, **asked)
    assert answer.status_code < 300, answer.text
    return answer.json() if answer.content else None


async def session_of_new_author(side: Replicated, number: int, name: str) -> httpx.Cookies:
    """The cookies of a browser in which a new author of that gateway signed in, at that replica."""
    admin = side.replicas[number]
    asked = {"name": name, "display_name": name.capitalize(), "is_author": True}
    person = await asyncio.to_thread(lambda: admin.api("POST", "/people", json=asked))
    link = await asyncio.to_thread(lambda: admin.api("POST", f"/people/{person['id']}/link"))
    async with browser(side, number) as api:
        await ask(api, "POST", "/welcome", json={"code": link["url"].partition("#")[2], "password": _PASSWORD})
        return api.cookies


@asynccontextmanager
async def cluster(
    folder: Path,
    database: PostgresServer,
    store: S3Server | S3Relay,
    *,
    replicas: int = REPLICAS,
    bucket: str = BUCKET,
    prepare: Callable[[Replicated], None] = lambda _: None,
) -> AsyncIterator[Cluster]:
    """Both gateways, of so many replicas each, paired, with an author at alpha and a recipient at bravo. `database` has
    a database for each, `store` that bucket. `prepare` may change how a gateway is started.
    """
    demo.make_identities(folder / "identities")
    async with AsyncExitStack() as stack:
        ports = stack.enter_context(ReservedPorts())
        sides: dict[str, Replicated] = {}
        for name in demo.NAMES:
            proxy = await stack.enter_async_context(Proxy(_passed_on).serving())
            settings = FAST | {
                "SIEVE_DATABASE_URL": database.address(name),
                "SIEVE_BLOBS": f"s3://{bucket}/{name}",
                "SIEVE_S3_ENDPOINT": store.endpoint,
                "AWS_ACCESS_KEY_ID": s3_server.KEY,
                "AWS_SECRET_ACCESS_KEY": s3_server.SECRET,
                "AWS_REGION": "us-east-1",
                "SIEVE_MASTER_KEY_FILE": str(folder / name / "master.key"),
                "SIEVE_SECURE_URL": f"https://{proxy.address}",
                "SIEVE_LEASE_S": LEASE_S,
            }
            side = sides[name] = Replicated(name, folder / name, settings, proxy, ports)
            side.binds = [ports.binds() for _ in range(replicas)]
            (folder / name).mkdir()
            prepare(side)
        stack.push_async_callback(_stop, sides)
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
            for number in range(1, replicas):
                await asyncio.to_thread(side.start, number)
        yield Cluster(sides["alpha"], sides["bravo"], author, reader)


async def _stop(sides: dict[str, Replicated]) -> None:
    running = [one for side in sides.values() for one in side.replicas]
    for one in running:
        with suppress(ProcessLookupError):
            one.process.send_signal(signal.SIGCONT)
    await asyncio.gather(*(asyncio.to_thread(one.stop) for one in running))


async def document(api: httpx.AsyncClient, text: bytes, name: str) -> str:
    """The id of a new document."""
    of_it = {"name": name, "media_type": "text/plain", "form": "marked"}
    made = await api.post("/documents", params=of_it, content=text)
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


async def send_document(api: httpx.AsyncClient, document_id: str) -> httpx.Response:
    """The answer to a transfer of that document to bravo."""
    asked = {"document_id": document_id, "peer": "bravo", "recipients": [demo.RECIPIENT], "mode": "sieve"}
    return await api.post("/transfers", json=asked)


async def send(api: httpx.AsyncClient, text: bytes, name: str) -> str:
    """The transfer's id, once the gateway has accepted it."""
    answer = await send_document(api, await document(api, text, name))
    assert answer.status_code == 202, answer.text
    return str(answer.json()["id"])


async def inbox(api: httpx.AsyncClient) -> list[dict[str, Any]]:
    """All entries of the recipient."""

    async def get(path: str, **params: str) -> httpx.Response:
        answer = await api.get(path, params=params)
        assert answer.status_code == 200, answer.text
        return answer

    return await every(get, "/inbox")


async def every(get: Callable[..., Awaitable[httpx.Response]], path: str) -> list[dict[str, Any]]:
    """All items of a list that has pages. `get`: the answer for a path and the parameters of its query."""
    found: list[dict[str, Any]] = []
    after: dict[str, str] = {}
    while True:
        page = (await get(path, limit="200", **after)).json()
        found += page["items"]
        if page["next"] is None:
            return found
        after = {"after": page["next"]}


async def check_each_arrived_once(them: Cluster, sent: dict[str, bytes], *, unsure: int = 0) -> None:
    """At every replica. `sent`: the transfers with their marked texts. `unsure`: of how many more documents the author
    does not know whether they were accepted."""
    replicas = len(them.bravo.replicas)
    for number in range(replicas):
        async with them.at_bravo(number) as api:
            found = [entry["transfer_id"] for entry in await inbox(api)]
        assert len(found) == len({*found}) and sent.keys() <= {*found} and len(found) <= len(sent) + unsure
    for at, (transfer, text) in enumerate(sent.items()):
        async with them.at_bravo(at % replicas) as api:
            answer = await api.get(f"/inbox/{transfer}/content", params={"edition": "full"})
            assert answer.status_code == 200, answer.text
            assert answer.content == text.replace(b"<$S>", b"").replace(b"<$E>", b"")


async def state(api: httpx.AsyncClient, transfer: str) -> str:
    answer = await api.get(f"/transfers/{transfer}")
    return str(answer.json()["state"]) if answer.status_code == 200 else f"{answer.status_code}"


async def delivered(api: httpx.AsyncClient, transfers: list[str]) -> None:
    for transfer in transfers:
        while (found := await state(api, transfer)) != "delivered":
            assert found in ("queued", "sending", "503"), found
            await asyncio.sleep(0.1)  # the gateways are other processes, and only the API shows the state
