"""Two gateways of three replicas each, behind nginx, on one PostgreSQL server and one S3 store; and the book of what
they accepted: each accepted document is in the recipient's inbox exactly once, with the author's bytes and one receipt.

The second replica of each gateway has a clock that is ahead by more than five minutes, all the time.
"""

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

import asyncpg
import httpx

from chaos.take_overs import TakeOvers, address
from chaos.world import TrialFailed
from postgres_server import PostgresServer
from s3_server import S3Server
from scripts import nginx
from sieve import demo
from stories import forked
from stories.documents import Report, report
from stories.pair import client
from stories.replicated import Cluster, Replicated, blob_server, cluster, database_server, every

PATIENCE_S: Final = 300.0
AHEAD_S: Final = 330
AUTHORS: Final = 3
PACE_S: Final = 1.5
"""The longest pause of an author between two documents."""
SIZES: Final = {50: 40, 9_000: 40, 400_000: 17, 1_500_000: 3}
"""Bytes of documents, and how often they occur."""
HEAD: Final = b"Number <$S>%06d<$E>.\r\n"
OPEN: Final = ("queued", "sending")


@dataclass
class ClusterWorld:
    """`fronts`: the gateways as nginx shows them; their processes are nginx."""

    them: Cluster
    database: PostgresServer
    store: S3Server
    fronts: dict[str, demo.Running]
    draw: random.Random
    take_overs: TakeOvers
    book: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Of each fault: how often it was played, how many documents were accepted, and what became of them."""
    broken: list[str] = field(default_factory=list)
    """A sentence for each broken promise."""
    _numbers: "count[int]" = field(default_factory=count)
    _texts: list[Report] = field(default_factory=lambda: [report(size, size // 900 + 1, seed=size) for size in SIZES])
    _made: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Documents since the last check: the number of each, and which text it has."""
    _answered: dict[str, str] = field(default_factory=dict)
    """Transfers since the last check that were answered with 202, and their documents."""
    _receipts: dict[str, str] = field(default_factory=dict)

    # --- load ------------------------------------------------------------------------------------------------------

    async def under_load(self, fault: str, strike: Coroutine[Any, Any, None]) -> None:
        """Plays a fault while authors send, and goes on until it is over."""
        over = asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            for _ in range(AUTHORS):
                tasks.create_task(self._author(over))
            try:
                await asyncio.sleep(self.draw.random())  # the fault's moment, not a wait for something
                await strike
                await self._mend()
            finally:
                over.set()
        self.book[fault]["trials"] += 1

    async def _author(self, over: asyncio.Event) -> None:
        async with client(self.fronts["alpha"], self.them.author) as api:
            while not over.is_set():
                async with asyncio.timeout(PATIENCE_S):
                    while not await self._sent(api):
                        await asyncio.sleep(0.1)  # an author tries again soon
                await asyncio.sleep(self.draw.random() * PACE_S)  # the author's pace

    async def _sent(self, api: httpx.AsyncClient) -> bool:
        """Whether a new document was accepted. If the answer is lost, it may be accepted all the same."""
        number, which = next(self._numbers), self.draw.choices(range(len(SIZES)), [*SIZES.values()])[0]
        of_it = {"name": f"{number}.txt", "media_type": "text/plain", "form": "marked"}
        try:
            made = await api.post("/documents", params=of_it, content=HEAD % number + self._texts[which].marked)
            if made.status_code != httpx.codes.CREATED:
                return _refused_for_now(made)
            document_id = made.json()["id"]
            self._made[document_id] = number, which
            asked = {"document_id": document_id, "peer": "bravo", "recipients": [demo.RECIPIENT], "mode": "sieve"}
            sent = await api.post("/transfers", json=asked)
            if sent.status_code != httpx.codes.ACCEPTED:
                return _refused_for_now(sent)
            self._answered[sent.json()["id"]] = document_id
            return True
        except httpx.TransportError:
            return False

    # --- replicas --------------------------------------------------------------------------------------------------

    async def start_again(self, side: Replicated, number: int) -> None:
        """Starts a replica that has ended, as often as it takes: as a service manager does."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                try:
                    await asyncio.to_thread(side.start, number)
                    return
                except demo.DemoError:
                    await asyncio.sleep(0.5)  # a service manager's pause

    async def _mend(self) -> None:
        """Starts each replica that ended by itself."""
        for side in (self.them.alpha, self.them.bravo):
            for number, one in enumerate(side.replicas):
                if one.process.poll() is not None:
                    await self.start_again(side, number)

    # --- the book --------------------------------------------------------------------------------------------------

    async def check(self, fault: str) -> None:
        """Waits until all documents since the last check have arrived, and notes in the book what became of them."""
        made, self._made = self._made, {}
        answered, self._answered = self._answered, {}
        sent = await self._ended({*made})
        self.book[fault]["documents"] += len(sent.keys() | answered.keys())
        for transfer_id in answered.keys() - sent.keys():
            self.note(fault, "lost", f"alpha does not know transfer {transfer_id}, which it accepted")
        async with client(self.fronts["bravo"], self.them.reader) as api:
            entries = Counter(entry["transfer_id"] for entry in await every(partial(self._get, api), "/inbox"))
            for transfer_id, shown in sent.items():
                if shown["state"] != "delivered":
                    self.note(fault, "lost", f"transfer {transfer_id} is {shown['state']}: {shown['reason']}")
                elif (number := entries[transfer_id]) != 1:
                    outcome = "doubled" if number else "lost"
                    self.note(fault, outcome, f"transfer {transfer_id} is {number} times in the inbox")
                else:
                    found = await self._get(api, f"/inbox/{transfer_id}/content", edition="full")
                    if found.content != self._content(*made[shown["document_id"]]):
                        self.note(fault, "changed", f"transfer {transfer_id} arrived with other bytes")
        # Authors send each document once.
        for document_id, number in Counter(shown["document_id"] for shown in sent.values()).items():
            if number > 1:
                self.note(fault, "doubled", f"document {document_id} was sent {number} times")
        delivered = [transfer_id for transfer_id, shown in sent.items() if shown["state"] == "delivered"]
        await self.check_receipts(fault, delivered)

    async def check_receipts(self, fault: str, transfers: list[str] | None = None) -> None:
        """Notes receipts that differ between the gateways, or from what they were before. None: of all transfers."""
        asked = [*self._receipts] if transfers is None else transfers
        theirs = "SELECT transfer_id, receipt FROM received WHERE transfer_id = ANY($1)"
        kept = dict(await self._rows("alpha", "SELECT id, receipt FROM transfers WHERE id = ANY($1)", asked))
        signed = dict(await self._rows("bravo", theirs, asked))
        for transfer_id in asked:
            first = self._receipts.setdefault(transfer_id, kept[transfer_id])
            if not first == kept[transfer_id] == signed.get(transfer_id):
                self.note(fault, "changed", f"transfer {transfer_id} has several receipts")

    async def check_take_overs(self, fault: str) -> None:
        """Notes what was taken over late, after `check`."""
        for sentence in await self.take_overs.check(fault):
            self.note(fault, "late", sentence)

    def note(self, fault: str, outcome: str, detail: str) -> None:
        """Notes a broken promise."""
        self.book[fault][outcome] += 1
        self.broken.append(f"{fault}: {detail}")

    def _content(self, number: int, which: int) -> bytes:
        return (HEAD % number).replace(b"<$S>", b"").replace(b"<$E>", b"") + self._texts[which].content

    async def _ended(self, documents: set[str]) -> dict[str, Any]:
        """The transfers of these documents by their ids, once none is open, or our patience is over."""
        until = asyncio.get_running_loop().time() + PATIENCE_S
        async with client(self.fronts["alpha"], self.them.author) as api:
            while asyncio.get_running_loop().time() < until:
                if not any([(await self._get(api, "/transfers", state=state)).json()["items"] for state in OPEN]):
                    break
                await asyncio.sleep(0.5)  # only the API shows it
            found = await every(partial(self._get, api), "/transfers")
        return {each["id"]: each for each in found if each["document_id"] in documents}

    async def _get(self, api: httpx.AsyncClient, path: str, **params: str) -> httpx.Response:
        """An answer, once the gateway answers."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                try:
                    answer = await api.get(path, params=params)
                    if answer.status_code == httpx.codes.OK:
                        return answer
                    _refused_for_now(answer)
                except httpx.TransportError:
                    pass
                await asyncio.sleep(0.2)  # it is going down or coming up

    async def _rows(self, name: str, question: str, *values: object) -> list[asyncpg.Record]:
        connection = await self.database.connect(name)
        try:
            rows: list[asyncpg.Record] = await connection.fetch(question, *values)
            return rows
        finally:
            await connection.close()


def _refused_for_now(answer: httpx.Response) -> bool:
    """False, if the gateway may accept it later.

    Raises:
        TrialFailed: it will not.
    """
    if answer.status_code < httpx.codes.INTERNAL_SERVER_ERROR:
        raise TrialFailed(f"{answer.request.method} {answer.request.url.path}: {answer.status_code} {answer.text}")
    return False


@asynccontextmanager
async def cluster_world(folder: Path, seed: int, *, lease_s: float = 30.0) -> AsyncIterator[ClusterWorld]:
    """Everything is started for the block's length.

    Raises:
        scripts.producers.Missing: nginx is not installed.
    """
    fronts: dict[str, demo.Running] = {}
    places: dict[str, dict[str, str]] = {}
    async with AsyncExitStack() as stack:

        def balanced(side: Replicated) -> None:
            at = places[side.name] = nginx.places(side.ports.address)
            (side.folder / "nginx").mkdir()
            process = stack.enter_context(nginx.balancer(side.folder / "nginx", at))
            fronts[side.name] = demo.Running(side.name, side.folder, process, {"web": at["8080"]}, "")
            side.binds = [nginx.binds(at, number) for number in range(1, nginx.REPLICAS + 1)]
            side.own = {
                number: {
                    "SIEVE_PLAIN_URL": f"http://{at[str(8081 + number)]}",
                    "SIEVE_DATABASE_URL": address(side.settings["SIEVE_DATABASE_URL"], number),
                }
                for number in range(nginx.REPLICAS)
            }
            side.launches[1] = forked.fork(partial(forked.gateway_with_wrong_clock, AHEAD_S))
            side.settings |= {
                "SIEVE_SECURE_URL": f"https://{at['8443']}",
                "SIEVE_TRUSTED_PROXY": "127.0.0.1",
                "SIEVE_ALLOWED_HOSTS": "localhost",
                "SIEVE_LEASE_S": f"{lease_s:g}",
            }

        database = stack.enter_context(database_server())
        store = stack.enter_context(blob_server())
        them = await stack.enter_async_context(cluster(folder, database, store, prepare=balanced))
        take_overs = TakeOvers(database, "alpha", lease_s)
        await take_overs.begin()
        yield ClusterWorld(them, database, store, fronts, random.Random(seed), take_overs)
