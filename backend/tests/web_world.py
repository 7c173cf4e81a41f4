"""A gateway's web application under test, and what tests do with it. `world_building` makes it.

`World.client` asks it as somebody, through ASGI and without a socket.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from ssl import SSLContext
from typing import Any

import httpx
from blake3 import blake3
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from fastapi import FastAPI

from fake_parts import FakeLinks, FakeWorker
from sieve.channel import canonical
from sieve.channel.cover import Cover
from sieve.channel.manifest import Manifest, RedactedEdition, SentMarks, keyed_classified_digest
from sieve.channel.receipt import Receipt
from sieve.core import markup
from sieve.core.document import Document
from sieve.core.separate import separate
from sieve.gateway.documents.covers import seal_received
from sieve.gateway.outbound.outgoing_document import OutgoingDocument
from sieve.gateway.peering.identity import Identity
from sieve.gateway.reading.service import ReadingService
from sieve.gateway.stored_document import tail
from sieve.gateway.telemetry.progress import Progress
from sieve.store.blobs import BlobRef
from sieve.store.database import Database
from sieve.store.models import User, new_id
from sieve.store.queries import attempt_outcomes, claiming, inbox, outbox
from sieve.web.services import Services
from store_rows import settle

NS_PER_S = 1_000_000_000


@dataclass(frozen=True)
class Ground:
    """What all worlds share, made once: databases to copy, an identity, a folder for blobs, TLS contexts, and an app.

    Making an app takes longer than most tests do. `close` leaves the folder for blobs without files.
    `inhabited`: a database with the people and the peer. A server copies rows slowly, so there it is as `migrated`.
    """

    migrated: Path
    inhabited: Path
    bravo_key: Ed25519PrivateKey
    identity: Identity
    blobs_folder: Path
    reading: ReadingService
    tls: tuple[SSLContext, SSLContext]
    apps: list[FastAPI] = field(default_factory=list)


@dataclass
class World:
    """The gateway alpha, paired with bravo."""

    folder: Path
    ground: Ground
    services: Services
    app: FastAPI
    tokens: dict[str, str]
    people: dict[str, User]
    links: FakeLinks
    worker: FakeWorker
    bravo_key: Ed25519PrivateKey

    @property
    def blobs_folder(self) -> Path:
        return self.ground.blobs_folder

    @property
    def database(self) -> Database:
        return self.services.database

    def client(self, who: str | None = None, headers: dict[str, str] | None = None) -> httpx.AsyncClient:
        """A client that asks as `who`; as nobody with a token, if None."""
        headers = headers or ({"Authorization": f"Bearer {self.tokens[who]}"} if who else {})
        return httpx.AsyncClient(
            transport=httpx.ASGITransport(self.app), base_url="http://alpha/api/v1", headers=headers
        )

    async def upload(self, marked: bytes, who: str = "anna", name: str = "memo.txt") -> str:
        """The id of a new document of that author."""
        async with self.client(who) as api:
            answer = await api.post("/documents", params={"form": "marked", "name": name}, content=marked)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    async def send(
        self,
        marked: bytes,
        who: str = "anna",
        to: Sequence[str] = ("berta",),
        name: str = "memo.txt",
        note: str | None = None,
    ) -> str:
        """The id of a new transfer to bravo."""
        document_id = await self.upload(marked, who, name)
        asked = {"document_id": document_id, "peer": "bravo", "recipients": list(to), "note": note}
        async with self.client(who) as api:
            answer = await api.post("/transfers", json=asked)
        assert answer.status_code == 202, answer.text
        return str(answer.json()["id"])

    async def settle_delivered(self, transfer_id: str) -> str:
        """Does as if bravo had it: claims the transfer, settles it with bravo's receipt, and returns that."""
        database, lease = self.database, new_id()
        async with database.write() as session:
            (transfer,), _ = await claiming.claim(session, [transfer_id], now_ns=2**62, lease_ns=NS_PER_S, token=lease)
        async with database.read() as session:
            stored = await outbox.to_send(session, [transfer_id])
        outgoing = OutgoingDocument.of(self.services.blobs, stored[transfer_id])
        receipt = self.receipt_of(outgoing.manifest)
        async with database.write() as session:
            assert await settle(session, lease, attempt_outcomes.Ended.delivered(transfer_id, receipt), 2**61)
        self.services.progress.publish(Progress(transfer_id, "delivered", verified=True), transfer.author_id)
        return receipt

    def receipt_of(self, manifest: Manifest) -> str:
        """Bravo's receipt."""
        return Receipt.of(
            manifest,
            sender_pin=self.services.identity.pin,
            receiver="bravo",
            receiver_pin="ab" * 32,
            announced_at_ns=1,
            received_at_ns=2,
        ).sign(self.bravo_key)

    async def deliver(
        self,
        document: Document | bytes,
        to: Sequence[str] = ("bruno", "rosa"),
        *,
        media_type: str = "text/plain",
        edition: bytes = b"",
        marks: bytes = b"",
        cover: Cover | None = None,
        name: str | None = None,
        at_ns: int = 1_700_000_000 * NS_PER_S,
    ) -> str:
        """Does as if bravo had sent it here, with that redacted edition and those marks if it is a file's; the
        transfer's id."""
        if isinstance(document, bytes):
            document = markup.parse(document)
        redacted = RedactedEdition(len(edition), blake3(edition).digest()) if edition else None
        manifest = replace(manifest_of(document, recipients=tuple(to), media_type=media_type), redacted=redacted)
        manifest = replace(
            manifest, name=name or manifest.name, marks=SentMarks(len(marks), blake3(marks).digest()) if marks else None
        )
        receipt = Receipt.of(
            manifest,
            sender_pin="cd" * 32,
            receiver="alpha",
            receiver_pin=self.services.identity.pin,
            announced_at_ns=1,
            received_at_ns=2,
        ).sign(self.services.identity.receipt_key)
        bravo = self.services.peers.by_name("bravo")
        assert bravo is not None
        sealed_cover = None
        if cover is not None:
            sealed_cover = seal_received(self.services.blobs.keys, cover, bravo.id, manifest.transfer_id)
        plain, sealed, sealed_manifest = await asyncio.to_thread(self._store, document, manifest)
        kept, kept_marks = [
            await asyncio.to_thread(self._store_beside, purpose, content, manifest.transfer_id) if content else None
            for purpose, content in (("redacted-edition", edition), ("marks", marks))
        ]
        async with self.database.write() as session:
            delivery = inbox.Delivery(
                transfer_id=manifest.transfer_id,
                name=manifest.safe_name,
                media_type=media_type,
                size=document.size,
                classified_size=document.classified_size,
                plain_digest=manifest.plain_digest.hex(),
                manifest_digest=manifest.digest,
                plain_blob=plain,
                sealed_blob=sealed,
                manifest_blob=sealed_manifest,
                sender_name="Berta at bravo",
                mode="sieve",
                recipients=list(to),
                receipt=receipt,
                deadline_at_ns=2**62,
                marks=[],
                redacted_blob=kept,
                marks_blob=kept_marks,
                cover=sealed_cover,
                read_receipts=cover is not None and cover.read_receipts,
                in_reply_to=None if cover is None else cover.in_reply_to,
            )
            delivered = await inbox.deliver(session, bravo.id, [delivery], at_ns)
        assert not delivered.unknown
        return manifest.transfer_id

    def _store_beside(self, purpose: str, content: bytes, owner: str) -> BlobRef:
        writer = self.services.blobs.new_sealed(owner=owner, purpose=purpose)
        writer.write(content)
        return writer.finish()

    def _store(self, document: Document, manifest: Manifest) -> Any:
        streams, owner = separate(document), manifest.transfer_id
        plain = self.services.blobs.new_plain(owner=owner, purpose="document")
        plain.write_at(0, [streams.plain])
        sealed = self.services.blobs.new_sealed(owner=owner, purpose="document")
        sealed.write(streams.secure)
        sealed.write(tail(blake3(streams.secure).digest(), document.spans))
        head = self.services.blobs.kept_in_row(canonical.dumps(manifest.head), owner=owner, purpose="manifest")
        return plain.finish(document.plain_size), sealed.finish(), head

    async def read_while(self, path: str, who: str, happens: Callable[[], Awaitable[None]]) -> bytes:
        """The body that `path` answers with, of which the first piece is taken before `happens` and the rest after."""
        body: list[bytes] = []

        async def receive() -> Any:
            return await asyncio.get_running_loop().create_future()

        async def send(message: Any) -> None:
            if message["type"] == "http.response.body":
                body.append(message.get("body", b""))
                if len(body) == 1:
                    await happens()

        asked = httpx.URL(f"http://alpha/api/v1{path}")
        scope = {
            "type": "http",
            "method": "GET",
            "path": asked.path,
            "query_string": asked.query,
            "headers": [(b"authorization", f"Bearer {self.tokens[who]}".encode())],
            "scheme": "http",
            "client": ("127.0.0.1", 1),
        }
        await self.app(scope, receive, send)
        return b"".join(body)

    def blob_files(self) -> list[Path]:
        """Every blob that lies in the folder."""
        return [path for path in self.blobs_folder.rglob("*") if path.is_file()]


def manifest_of(document: Document, *, recipients: tuple[str, ...], media_type: str = "text/plain") -> Manifest:
    """A manifest as another gateway would make it."""
    streams = separate(document)
    salt = bytes(range(32))
    return Manifest(
        transfer_id=new_id(),
        salt=salt,
        name="report.txt",
        media_type=media_type,
        size=document.size,
        spans=document.spans,
        classified_digest=keyed_classified_digest(salt, blake3(streams.secure).digest()),
        plain_digest=blake3(streams.plain).digest(),
        recipients=recipients,
        sender="Berta",
        deadline_at_ns=2**62,
    )
