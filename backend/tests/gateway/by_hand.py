"""Attempts made by hand: a sender that does what a story wants, over alpha's real secure channel to bravo."""

import asyncio
import json
import os
import time
import uuid
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import httpx
import pytest
from blake3 import blake3
from sqlalchemy import select

from gateway.in_process import InProcess
from gateway.two_gateways import PATIENCE_S, Pair, until
from sieve.channel.attempt import Attempt, Mode, Plan
from sieve.channel.attempt_split import PlainSplit
from sieve.channel.chunk_sizes import Chunks, from_ranges
from sieve.channel.held_ranges import NOTHING, Held
from sieve.channel.load import Load
from sieve.channel.manifest import Manifest, keyed_classified_digest
from sieve.channel.opening import Opening
from sieve.channel.seals import SealKey, seal
from sieve.core.document import Document
from sieve.core.separate import Separated, separate
from sieve.gateway.errors import PeerRefused
from sieve.gateway.inbound.finalizer import Stored
from sieve.gateway.inbound.incoming_attempt import IncomingAttempt
from sieve.gateway.inbound.received_files import Blobs
from sieve.gateway.peering.links import Link
from sieve.store.models import Partial

SALT = bytes(32)
COMPANION = "companion.txt"
"""What a document is called that is there for another's sake."""


async def untraced(_name: str, _info: dict[str, Any]) -> None:
    """Nobody looks."""


def manifest_of(document: Document, **changes: Any) -> Manifest:
    streams = separate(document)
    values: dict[str, Any] = {
        "transfer_id": uuid.uuid4().hex,
        "salt": SALT,
        "name": "report.txt",
        "media_type": "text/plain",
        "size": document.size,
        "spans": document.spans,
        "classified_digest": keyed_classified_digest(SALT, blake3(streams.secure).digest()),
        "plain_digest": blake3(streams.plain).digest(),
        "recipients": ("bruno",),
        "sender": "Anna",
        "deadline_at_ns": time.time_ns() + 60 * 10**9,
    }
    return Manifest(**(values | changes))


@dataclass
class ByHand:
    """One attempt, at one document or at a batch with it. `begin` sends the opening; then say `secure`, `put_plain` and
    `end`, in any order, and `hear`."""

    link: Link
    load: Load
    attempt: Attempt
    documents: list[Separated]
    own: int = 0
    """Which of the documents is the one that a test is about."""
    _body: asyncio.Queue[bytes | None] = field(default_factory=asyncio.Queue)
    _lines: asyncio.Queue[dict[str, Any] | Exception] = field(default_factory=asyncio.Queue)
    _request: asyncio.Task[None] | None = None
    _further: list[asyncio.Task[dict[str, Any]]] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        pair: Pair,
        document: Document,
        *,
        number: int = 1,
        mode: Mode = "sieve",
        plan: Plan | None = None,
        manifest: Manifest | None = None,
        handle: str | None = None,
        held: Held = NOTHING,
        **changes: Any,
    ) -> Self:
        """At that document, the pair's way; alone if it is tried again, or if a plan is named."""
        way = pair.way if manifest is None and plan is None and number == 1 else pair.way.alone
        sent = [(each, manifest_of(each, name=COMPANION)) for each in (*way.before, *way.behind)]
        sent.insert(len(way.before), (document, manifest or manifest_of(document, **changes)))
        hand = cls.of_several(pair, sent, plan or pair.plan(mode), number=number, handle=handle, held=held)
        hand.own = len(way.before)
        return hand

    @classmethod
    def of_several(
        cls,
        pair: Pair,
        sent: Sequence[tuple[Document, Manifest]],
        plan: Plan | None = None,
        *,
        number: int = 1,
        handle: str | None = None,
        held: Held = NOTHING,
    ) -> Self:
        peer = pair.alpha.peers.by_name("bravo")
        assert peer is not None
        handle = handle or os.urandom(16).hex()
        attempt = Attempt(
            handle,
            SealKey(os.urandom(32), "chacha20-poly1305"),
            plan or Plan("sieve"),
            (number,) * len(sent),
            held=held,
            padded=True,
        )
        load = Load(tuple(manifest for _, manifest in sent), held)
        return cls(pair.alpha.links.to(peer), load, attempt, [separate(document) for document, _ in sent])

    @property
    def manifest(self) -> Manifest:
        return self.load.manifests[self.own]

    @property
    def streams(self) -> Separated:
        return self.documents[self.own]

    @property
    def opening(self) -> Opening:
        return Opening(self.load, self.attempt)

    def begin(self, *, opening: bytes | None = None) -> None:
        head = self.opening.to_bytes()
        self._body.put_nowait(head if opening is None else opening)
        self._request = asyncio.create_task(self._carry(len(head) + self.opening.body_size))

    def secure(self, data: bytes) -> None:
        self._body.put_nowait(data)

    def end(self) -> None:
        self._body.put_nowait(None)

    def secure_part(self, sub_stream: int) -> bytes:
        """The bytes of a secure sub-stream."""
        part = self.opening.secure[sub_stream]
        layout = self.load.secure(self.attempt.plan)
        carried = b"".join(
            self._bytes(*of_it) for start, end in part.ranges(0, part.size) for of_it in layout.parts(start, end)
        )
        return carried + bytes(part.padding)

    def _bytes(self, document: int, classified: bool, start: int, end: int) -> bytes:
        streams = self.documents[document]
        return (streams.secure if classified else streams.plain)[start:end]

    def whole_secure_stream(self) -> None:
        """All secure sub-streams, the further ones over requests of their own."""
        self.secure(self.secure_part(0))
        self.end()
        self.whole_further_streams()

    def whole_further_streams(self) -> None:
        """The secure sub-streams behind the first one."""
        for sub_stream in range(1, self.attempt.plan.secure_channels):
            if part := self.secure_part(sub_stream):
                path = f"/v1/attempts/{self.attempt.handle}/secure/{sub_stream}?from=0"
                self._further.append(asyncio.create_task(self.link.ask("PUT", path, content=part)))

    @property
    def plain(self) -> bytes:
        return self.streams.plain

    @property
    def chunks(self) -> Chunks:
        return Chunks(PlainSplit.of(self.load, self.attempt.plan).sub_streams())

    def chunk(self, number: int) -> bytes:
        """The bytes of a plain chunk."""
        ranges = self.chunks.ranges(number)
        return b"".join(self._bytes(*of_it) for start, end in ranges for of_it in self.load.plain.parts(start, end))

    async def put_plain(self, number: int) -> None:
        place, chunk = self.chunks.place(number), self.chunk(number)
        tag = seal(self.attempt.plain_key, place.sub_stream, place.index, chunk)
        path = f"/{self.attempt.handle}/{place.sub_stream}/{place.index}"
        await self.link.put_plain(path, chunk, tag, untraced, 3, self.attempt.handle)

    async def put_securely(self, number: int, data: bytes | None = None) -> dict[str, Any]:
        content = self.chunk(number) if data is None else data
        return await self.link.ask("PUT", f"/v1/attempts/{self.attempt.handle}/plain/{number}", content=content)

    async def whole_plain_stream(self) -> None:
        """All plain chunks. Asks which ones bravo holds, and sends the others again while the attempt lasts: chunks
        that come long before their handle is announced are refused, and it may wait for an older attempt."""
        count = self.chunks.count
        missing, begun = frozenset(range(count)), False
        async with asyncio.timeout(PATIENCE_S):
            while missing:
                for number in sorted(missing):
                    await self.put_plain(number)
                try:
                    said = await self.link.ask("GET", f"/v1/attempts/{self.attempt.handle}")
                except PeerRefused:
                    if begun or self.is_answered:
                        return
                else:
                    begun, missing = True, missing - from_ranges(said["held"], count)

    @property
    def is_answered(self) -> bool:
        """Whether lines of the answer came, or there will be none."""
        return not self._lines.empty() or (self._request is not None and self._request.done())

    async def whole(self) -> None:
        """Everything behind the opening: all secure sub-streams, and all plain chunks."""
        self.whole_secure_stream()
        if self.attempt.plan.uses_plain_channel:
            await self.whole_plain_stream()

    async def hear(self) -> dict[str, Any]:
        """The next line of the answer; raises what the request came to."""
        async with asyncio.timeout(PATIENCE_S):
            line = await self._lines.get()
        if isinstance(line, Exception):
            raise line
        return line

    async def outcome(self) -> dict[str, Any]:
        """The last line of the document that the test is about."""
        if self.load.is_batch:
            line = (await self.outcomes())[self.own]
            return {name: value for name, value in line.items() if name != "transfer"}
        while (line := await self.hear())["is"] not in ("receipt", "failed"):
            pass
        return line

    async def outcomes(self) -> list[dict[str, Any]]:
        """Each document's last line, in the documents' order; by then each has one and the answer has ended."""
        lines: dict[str, dict[str, Any]] = {}
        while len(lines) < len(self.documents):
            line = await self.hear()
            if line["is"] in ("receipt", "failed"):
                assert line["transfer"] not in lines
                lines[line["transfer"]] = line
        assert self._request is not None
        await asyncio.wait_for(self._request, PATIENCE_S)
        assert self._lines.empty()
        return [lines[transfer_id] for transfer_id in self.load.transfer_ids]

    async def cut(self) -> None:
        """The connections break."""
        for task in self._further:
            task.cancel()
        await asyncio.gather(*self._further, return_exceptions=True)
        await self.cut_first()

    async def cut_first(self) -> None:
        """The connection of the opening breaks, once the others are done."""
        assert self._request is not None
        await asyncio.gather(*self._further, return_exceptions=True)
        self._request.cancel()
        await asyncio.gather(self._request, return_exceptions=True)

    async def _carry(self, length: int) -> None:
        path = "/v1/batches" if self.load.is_batch else "/v1/transfers"
        try:
            async with self.link.stream("POST", path, self._pieces(), length, untraced) as response:
                async for piece in _lines(response):
                    self._lines.put_nowait(json.loads(piece))
        except Exception as error:
            self._lines.put_nowait(error)
        finally:
            # What ended the attempt ends these too; what became of them is in its answer.
            await asyncio.gather(*self._further, return_exceptions=True)

    async def _pieces(self) -> AsyncIterator[bytes]:
        while (piece := await self._body.get()) is not None:
            yield piece


async def _lines(response: httpx.Response) -> AsyncIterator[bytes]:
    buffer = b""
    async for piece in response.aiter_raw():
        *lines, buffer = (buffer + piece).split(b"\n")
        for line in lines:
            yield line


def under_way(pair: Pair) -> int:
    return len(pair.bravo.attempts.under_way)


async def partials(pair: Pair) -> list[Partial]:
    """The rows of bravo's partials."""
    async with pair.bravo.database.read() as session:
        return list(await session.scalars(select(Partial)))


def as_another_replica(stored: Stored) -> Stored:
    """What another replica commits of the same delivery: blobs of its own, and a receipt that says "the first"."""
    plain, sealed, redacted, marks = stored.blobs
    assert redacted is None
    assert marks is None
    blobs = Blobs(replace(plain, id="p" * 32), replace(sealed, id="s" * 32), None, None)
    return replace(stored, blobs=blobs, manifest=replace(stored.manifest, id="m" * 32), receipt="the first")


async def nothing_left(pair: Pair, documents: int = 0) -> None:
    """No attempt, no handle, no document but those that were delivered, no file but theirs."""
    await until(lambda: under_way(pair) == 0)
    attempts = pair.bravo.attempts
    assert not attempts.attempts and not attempts.supervisions
    assert isinstance(pair.bravo.plain, InProcess)
    assert not pair.bravo.plain.callbacks and not pair.bravo.plain.app.handles
    assert await pair.bravo.documents(without=COMPANION) == documents


def attempt_of(pair: Pair, hand: ByHand) -> IncomingAttempt | None:
    """Bravo's side of it; None if it is not under way there."""
    peer = pair.bravo.peers.by_name("alpha")
    assert peer is not None
    return pair.bravo.attempts.by_handle(peer, hand.attempt.handle)


async def open_there(pair: Pair, hand: ByHand) -> IncomingAttempt:
    """Bravo's side of it, once its handle is announced."""
    await until(lambda: attempt_of(pair, hand) is not None)
    attempt = attempt_of(pair, hand)
    assert attempt is not None
    if hand.attempt.plan.uses_plain_channel:
        await until(lambda: pair.bravo.plain.is_open(hand.attempt.handle))
    return attempt


async def refusal(hand: ByHand, *, alone: bool = False) -> PeerRefused:
    """Why it may not begin. Of a batch a line tells it by name; `alone`: its companions arrive."""
    if hand.load.is_batch:
        if alone:
            await hand.whole_plain_stream()
        lines = await hand.outcomes()
        own = lines.pop(hand.own)
        assert own["is"] == "failed" and {line["is"] for line in lines} == {"receipt" if alone else "failed"}
        return PeerRefused(own["detail"], permanent=own["permanent"], kind=own["kind"])
    with pytest.raises(PeerRefused) as refused:
        await hand.hear()
    return refused.value
