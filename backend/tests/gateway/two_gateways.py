"""Two gateways in one process, wired by `sieve.composition`, without the web: real TLS, real sockets, free ports.

Times are short, so that a story that waits, retries or gives up takes a fraction of a second. The plain listener
runs in this process, too, unless a story wants the real child (`child=True`).
"""

import asyncio
import os
import shutil
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from blake3 import blake3
from sqlalchemy import func, select

from blob_storages import new_far_storage
from cheap_hasher import CHEAP
from databases import by_hand, url
from gateway.in_process import InProcess
from gateway.ways import WAYS, Way
from made_settings import made_settings
from pki import new_identity
from reserved_ports import ReservedPorts
from sieve.channel.attempt import Mode, Plan
from sieve.channel.receiver import Limits
from sieve.composition import Parts, compose
from sieve.core import markup
from sieve.core.document import Document, Spans
from sieve.core.separate import separate
from sieve.gateway.clock import Clock, now_ns
from sieve.gateway.inbound.dependencies import ReceivingSettings
from sieve.gateway.outbound.worker_settings import WorkerSettings
from sieve.gateway.peering.identity import Identity
from sieve.gateway.plain.app import PlainLimits
from sieve.gateway.plain.listener import PlainListener
from sieve.gateway.reading.service import ReadingService
from sieve.gateway.runtime.listeners import (
    address_of,
    bind,
)
from sieve.gateway.stored_document import StoredDocument, tail
from sieve.gateway.telemetry.progress import Progress
from sieve.store.blob_folder import BlobFolder
from sieve.store.blobs import BlobStore
from sieve.store.database_from_url import database_from_url
from sieve.store.master_keys import MasterKeys
from sieve.store.models import Blob, TimingRecord, Transfer, User, new_id
from sieve.store.models import Document as StoredRow
from sieve.store.open_store import Store
from sieve.store.queries import documents, inbox, outbox, peers, people, timing_records

PATIENCE_S = 30.0
AUTHOR, RECIPIENT = "anna", "bruno"
AUDIT_HEAD = f"17:{'ab' * 32}"
"""Where the audit log of either gateway ends."""
LIMITS = PlainLimits(wait_s=0.3, grace_s=2.0, head_deadline_s=2.0)
RECEIVING = ReceivingSettings(Limits(64 * 1024 * 1024, 16), quota=256 * 1024 * 1024, stall_s=3.0)
WORKER = WorkerSettings(
    lease_s=10.0,
    retry_first_s=0.02,
    retry_cap_s=0.05,
    poll_s=0.1,
    breaker_after=1000,
    breaker_open_s=0.1,
    late_s=PATIENCE_S,
)


@dataclass
class Node:
    """One gateway. `start` and `stop` it as often as a story needs; it keeps its data and its addresses."""

    name: str
    folder: Path
    template: Path
    identity: Identity
    receiving_settings: ReceivingSettings = RECEIVING
    worker_settings: WorkerSettings = WORKER
    plain_limits: PlainLimits = LIMITS
    child: bool = False
    clock: Callable[[], Clock] = Clock
    shared_reading: ReadingService | None = None
    """Another's reading service to use: a reading process takes a second to start."""
    plain_url: str | None = None
    addresses: dict[str, str] = field(default_factory=dict)
    running: bool = False
    working: bool = True
    """Whether it sends what is queued."""

    async def start(self) -> None:
        self.folder.mkdir(exist_ok=True)
        database_file = self.folder / "sieve.db"
        if not database_file.exists():
            shutil.copyfile(self.template, database_file)
        self.sockets = {what: bind(self.addresses.get(what, "127.0.0.1:0")) for what in ("secure", "plain")}
        self.addresses = {what: address_of(sock) for what, sock in self.sockets.items()}
        blobs = BlobStore(new_far_storage(BlobFolder(self.folder / "blobs")), MasterKeys([bytes(range(32))]))
        # Patient: on a busy machine a write may take longer than the usual 5 s, which no test is about.
        database = database_from_url(url(database_file), busy_s=60.0)
        store = Store(database, blobs.keys, blobs)
        self.lock_fd = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT)
        kind = PlainListener if self.child else InProcess
        self.plain = kind(self.sockets["plain"], self.plain_limits, self.lock_fd)
        settings = made_settings(
            name=self.name,
            data_dir=self.folder,
            plain_url=self.plain_url,
            header_deadline_s=2.0,
            deadline_s=60.0,
            reading_processes=1,
            max_reading_bytes=64 << 20,
        )
        parts = Parts(
            clock=self.clock,
            draw=lambda: 0.5,
            receiving=self.receiving_settings,
            sending=self.worker_settings,
            reading=self.shared_reading,
            password_hasher=CHEAP,
        )
        self.gateway = compose(
            settings, self.identity, store, self.addresses, self.plain, web_connections=1000, parts=parts
        )
        self._name_parts()
        self.attempts.deps.audit_head = lambda: AUDIT_HEAD
        self.secure = self.gateway.secure_server(1000)
        await self.gateway.open()
        self.tasks = [
            asyncio.create_task(self.secure.serve(sockets=[self.sockets["secure"]])),
            asyncio.create_task(self.plain.run()),
        ]
        if self.working:
            self.tasks.append(asyncio.create_task(self.worker.run()))
        self.running = True

    def _name_parts(self) -> None:
        services = self.gateway.services
        self.database, self.blobs, self.peers = services.database, services.blobs, services.peers
        self.links, self.bus, self.reading = services.links, services.progress, services.reading
        self.transfer_queue, self.worker, self.attempts = (
            services.transfer_queue,
            self.gateway.worker,
            self.gateway.attempts,
        )

    async def stop(self) -> None:
        if not self.running:
            return
        self.running = False
        self.secure.should_exit = True
        if isinstance(self.plain, InProcess) and hasattr(self.plain, "http"):
            self.plain.http.should_exit = True
        await self.attempts.settle()
        for task in self.tasks[1 if self.child else 2 :]:
            task.cancel()
        for state in (self.secure.server_state, getattr(getattr(self.plain, "http", None), "server_state", None)):
            for connection in list(state.connections) if state else []:
                connection.transport.abort()
        if requests := self.secure.server_state.tasks:
            # Who waits for an opening does so for seconds, and does not notice that nobody is there any more.
            _, waiting = await asyncio.wait(requests, timeout=0.1)
            for request in waiting:
                request.cancel()
        results = await asyncio.gather(*self.tasks, return_exceptions=True)
        if self.reading is not self.shared_reading:
            await self.reading.close()
        await self.gateway.aclose()
        os.close(self.lock_fd)
        for sock in self.sockets.values():
            sock.close()
        for result in results:
            if isinstance(result, Exception):
                raise result

    async def pair_with(self, other: "Node") -> None:
        """As after `invite_in` and `confirm`, without the time that a code is made to take."""
        theirs = other.peers.ours
        async with self.database.write() as session:
            row = await peers.add(
                session,
                name=theirs.name,
                secure_url=theirs.secure_url,
                plain_url=theirs.plain_url,
                ca_der=theirs.ca_der,
                receipt_key=theirs.receipt_key,
                pin=theirs.pin,
                now_ns=now_ns(),
            )
            await peers.confirm(session, row.id, now_ns())
        await self.peers.load()

    # --- what people do ------------------------------------------------------------------------------------------

    async def person(self, name: str, *, author: bool = False, recipient: bool = False) -> User:
        async with self.database.write() as session:
            return await people.add(
                session,
                name=name,
                display_name=name.title(),
                now_ns=now_ns(),
                is_author=author,
                is_recipient=recipient,
                cleared=recipient,
            )

    async def keep(self, document: Document, owner: User) -> str:
        """Takes a document in; its id."""
        streams = separate(document)
        plain = self.blobs.new_plain(owner="d", purpose="document")
        plain.write_at(0, [streams.plain])
        sealed = self.blobs.new_sealed(owner="d", purpose="document")
        sealed.write(streams.secure)
        sealed.write(tail(blake3(streams.secure).digest(), document.spans))
        plain_ref, sealed_ref = plain.finish(len(streams.plain)), sealed.finish()
        self.blobs.sync_names()
        async with self.database.write() as session:
            row = await documents.add(
                session,
                document_id=new_id(),
                owner_id=owner.id,
                origin="authored",
                name="report.txt",
                media_type="text/plain",
                size=document.size,
                classified_size=document.classified_size,
                plain_digest=blake3(streams.plain).hexdigest(),
                plain_blob=plain_ref,
                sealed_blob=sealed_ref,
                sieve_ns=1000,
                now_ns=now_ns(),
            )
        return row.id

    async def row(self, transfer_id: str) -> Transfer:
        async with self.database.read() as session:
            found = await outbox.by_id(session, transfer_id)
        assert found is not None
        return found

    async def timing_records(self, transfer_id: str) -> Sequence[TimingRecord]:
        async with self.database.read() as session:
            return await timing_records.of_transfer(session, transfer_id)

    async def causes(self, transfer_id: str) -> list[str]:
        """Why each attempt that ended was not delivered, by its timing record; "" if it was. Each once in a row."""
        records = await self.timing_records(transfer_id)
        causes = ["" if record.outcome == "delivered" else record.cause for record in records]
        return [cause for at, cause in enumerate(causes) if not at or causes[at - 1] != cause]

    async def left(self, transfer_id: str) -> list[tuple[int | None, int | None]]:
        """How many bytes of a transfer left the gateway, secure and plain, in each attempt."""
        async with self.database.read() as session:
            attempts = await outbox.attempts(session, transfer_id)
        return [(attempt.secure_left, attempt.plain_left) for attempt in attempts]

    async def lost_plain(self, transfer_id: str) -> bool:
        """Whether the transfer was delivered although its plain channel failed."""
        *_, last = await self.timing_records(transfer_id)
        return (last.outcome, last.cause) == ("delivered", "plain-channel")

    async def becomes(self, transfer_id: str, wanted: Callable[[Progress], bool]) -> Progress:
        """The first progress for which `wanted` holds."""
        async with asyncio.timeout(PATIENCE_S):
            async for progress in self.bus.watch(transfer_id):
                if wanted(progress):
                    return progress
        raise AssertionError("a watch never ends by itself")

    async def ended(self, transfer_id: str) -> Progress:
        return await self.becomes(transfer_id, lambda p: p.state in ("delivered", "failed", "cancelled"))

    async def tried(self, transfer_id: str) -> Progress:
        """The transfer once an attempt failed and it waits for the next."""
        return await self.becomes(transfer_id, lambda p: p.state != "sending" and p.reason is not None)

    async def entries(self, user: User) -> list[str]:
        async with self.database.read() as session:
            return [entry.received.transfer_id for entry in await inbox.of_user(session, user.id)]

    async def content(self, user: User, transfer_id: str) -> bytes:
        """The full edition of what arrived."""
        async with self.database.read() as session:
            (entry,) = await inbox.find(session, user.id, transfer_id)
            row = entry.received.document
            stored = StoredDocument(self.blobs, row.plain_blob.ref, row.sealed_blob.ref, row.size, row.classified_size)
            return b"".join(stored.full())

    def blob_paths(self) -> list[Path]:
        """The blobs that lie in the folder."""
        return [path for path in (self.folder / "blobs").rglob("*") if path.is_file()]

    def files(self) -> int:
        """How many blobs lie in the folder, and in rows in place of a file; without manifests."""
        with by_hand(self.folder / "sieve.db") as rows:
            in_rows = "SELECT count(*) FROM blobs WHERE content IS NOT NULL AND purpose != 'manifest'"
            return len(self.blob_paths()) + int(rows.execute(in_rows)[0][0])

    async def documents(self, without: str = "") -> int:
        """How many are stored that are not called so. No file lies about that no row names."""
        async with self.database.read() as session:
            named = set(await session.scalars(select(Blob.id)))
            stored = await session.scalar(select(func.count()).where(StoredRow.name != without))
        assert {path.name for path in self.blob_paths()} <= named
        return stored or 0


@dataclass
class Pair:
    """Alpha sends, bravo receives."""

    alpha: Node
    bravo: Node
    anna: User
    bruno: User
    way: Way = WAYS["1+1"]
    companions: dict[str, list[tuple[str, Document]]] = field(default_factory=dict)
    """By transfer: those that were sent in one batch with it."""

    async def send(
        self,
        document: Document | bytes,
        plan: Plan | Mode = "sieve",
        *,
        to: str = RECIPIENT,
        deadline_s: float | None = None,
    ) -> str:
        """Takes a document in and sends it; the transfer's id."""
        if isinstance(document, bytes):
            document = markup.parse(document)
        before, behind = ((), ()) if isinstance(plan, Plan) else (self.way.before, self.way.behind)
        documents = [*before, document, *behind]
        kept = [await self.alpha.keep(each, self.anna) for each in documents]
        rows = await self.alpha.transfer_queue.send(self.anna, kept, {"bravo": [to]}, self.plan(plan), deadline_s)
        sent = [(row.id, each) for row, each in zip(rows, documents, strict=True)]
        transfer_id, _ = sent.pop(len(before))
        self.companions[transfer_id] = sent
        return transfer_id

    async def delivers(self, document: Document, plan: Plan | Mode = "sieve") -> str:
        """Sends, and sees that the very same bytes arrive, once, and that nothing else is left lying about."""
        before = await self.bravo.documents()
        transfer_id = await self.send(document, plan)
        ended = await self.alpha.ended(transfer_id)
        assert ended.state == "delivered", ended
        await self.arrived(transfer_id, document)
        assert await self.bravo.documents() == before + 1 + len(self.companions[transfer_id])
        return transfer_id

    def plan(self, plan: Plan | Mode) -> Plan:
        """A mode by itself means this pair's channels."""
        return plan if isinstance(plan, Plan) else Plan(plan, self.way.secure_channels, self.way.plain_channels)

    async def arrived(self, transfer_id: str, document: Document) -> None:
        """It is there, once, as it was sent; so is what was sent with it."""
        assert (await self.bravo.entries(self.bruno)).count(transfer_id) == 1
        assert await self.bravo.content(self.bruno, transfer_id) == document.content
        await self.companions_arrived(transfer_id)

    async def companions_arrived(self, transfer_id: str) -> None:
        """What was sent with it is there, whatever became of it."""
        for companion, document in self.companions.get(transfer_id, ()):
            ended = await self.alpha.ended(companion)
            assert ended.state == "delivered", ended
            assert (await self.bravo.entries(self.bruno)).count(companion) == 1
            assert await self.bravo.content(self.bruno, companion) == document.content


async def until(holds: Callable[[], bool | Awaitable[bool]]) -> None:
    """Returns once `holds` does; for what tells nobody that it happened."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            answer = holds()
            if await answer if isinstance(answer, Awaitable) else answer:
                return
            await asyncio.sleep(0.005)


def nobody_listens() -> str:
    """An address where a connection is refused."""
    with socket.create_server(("127.0.0.1", 0)) as sock:
        return f"127.0.0.1:{sock.getsockname()[1]}"


@asynccontextmanager
async def paired(folder: Path, template: Path, **more: dict[str, Any]) -> AsyncIterator[Pair]:
    """Both, paired and peopled; `alpha` and `bravo` may hold further fields of each `Node`."""
    given: dict[str, dict[str, Any]] = {
        name: {"identity": identity_of(template, name), **more.get(name, {})} for name in ("alpha", "bravo")
    }
    nodes = {name: Node(name, folder / name, template, **given[name]) for name in ("alpha", "bravo")}
    alpha, bravo = nodes["alpha"], nodes["bravo"]
    with ReservedPorts() as ports:
        for node in nodes.values():
            for what in {"secure", "plain"} - node.addresses.keys():
                node.addresses[what] = ports.address()
        try:
            await asyncio.gather(alpha.start(), bravo.start())
            for node, other in ((alpha, bravo), (bravo, alpha)):
                await node.pair_with(other)
            author, recipient = await alpha.person(AUTHOR, author=True), await bravo.person(RECIPIENT, recipient=True)
            yield Pair(alpha, bravo, author, recipient)
        finally:
            await asyncio.gather(alpha.stop(), bravo.stop())


@cache
def identity_of(template: Path, name: str) -> Identity:
    """A gateway's identity, made once for all tests of a session, under an authority of its own."""
    folder = template.parent / name
    return Identity.load(folder / name) if folder.exists() else new_identity(folder, name)


def document(size: int = 300_000, spans: int = 5, spare: int = 1000) -> Document:
    """A document of `size` bytes with classified spans of `spare` bytes spread over it."""
    content = os.urandom(size)
    every = size // spans if spans else 0
    return Document(content, [(i * every, min(size, i * every + spare)) for i in range(spans)])


EMPTY = Document(b"", Spans.of([]))
