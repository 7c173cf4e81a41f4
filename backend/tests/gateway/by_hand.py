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

from gateway.two_gateways import InProcess, Pair, until
from sieve.channel import sub_streams
from sieve.channel.attempt import Attempt, Mode, Plan
from sieve.channel.chunks import ChunkPlan, Chunks
from sieve.channel.load import Load
from sieve.channel.manifest import Manifest, keyed_classified_digest
from sieve.channel.opening import Opening
from sieve.channel.seals import seal
from sieve.channel.sub_streams import PlainSplit
from sieve.core.document import Document
from sieve.core.separate import Separated, separate
from sieve.gateway.errors import PeerRefused
from sieve.gateway.links import Link
from sieve.gateway.receiving import Receiving

SALT = bytes(32)


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
    """One attempt. `begin` sends the opening; then say `secure`, `plain` and `end`, in any order, and `hear`."""

    link: Link
    manifest: Manifest
    attempt: Attempt
    streams: Separated
    _body: asyncio.Queue[bytes | None] = field(default_factory=asyncio.Queue)
    _lines: asyncio.Queue[dict[str, Any] | Exception] = field(default_factory=asyncio.Queue)
    _request: asyncio.Task[None] | None = None

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
        **changes: Any,
    ) -> "ByHand":
        manifest = manifest or manifest_of(document, **changes)
        peer = pair.alpha.peers.by_name("bravo")
        assert peer is not None
        handle = handle or os.urandom(16).hex()
        attempt = Attempt(handle, os.urandom(32), plan or Plan(mode), (number,))
        return cls(pair.alpha.links.to(peer), manifest, attempt, separate(document))

    path = "/v1/transfers"

    @property
    def opening(self) -> Opening:
        return Opening(Load((self.manifest,)), self.attempt)

    def begin(self, *, opening: bytes | None = None) -> None:
        head = self.opening.to_bytes()
        self._body.put_nowait(head if opening is None else opening)
        self._request = asyncio.create_task(self._carry(len(head) + self.opening.body_size))

    def secure(self, data: bytes) -> None:
        self._body.put_nowait(data)

    def end(self) -> None:
        self._body.put_nowait(None)

    def whole_secure_stream(self) -> None:
        self.secure(self.streams.secure if self.attempt.plan.uses_plain_channel else self.streams.secure + self.plain)
        self.end()

    @property
    def plain(self) -> bytes:
        return self.streams.plain

    async def put_plain(self, index: int) -> None:
        start, end = ChunkPlan(len(self.plain)).bounds(index)
        chunk = self.plain[start:end]
        tag = seal(self.attempt.plain_key, 0, index, [chunk])
        await self.link.put_plain(f"/{self.attempt.handle}/0/{index}", chunk, tag, untraced, 3, 3, self.attempt.handle)

    async def put_securely(self, index: int, data: bytes | None = None) -> dict[str, Any]:
        start, end = ChunkPlan(len(self.plain)).bounds(index) if data is None else (0, 0)
        content = self.plain[start:end] if data is None else data
        return await self.link.ask("PUT", f"/v1/attempts/{self.attempt.handle}/plain/{index}", content=content)

    async def whole_plain_stream(self) -> None:
        for index in range(ChunkPlan(len(self.plain)).count):
            await self.put_plain(index)

    async def hear(self) -> dict[str, Any]:
        """The next line of the answer; raises what the request came to."""
        async with asyncio.timeout(5):
            line = await self._lines.get()
        if isinstance(line, Exception):
            raise line
        return line

    async def outcome(self) -> dict[str, Any]:
        """The last line of the answer."""
        while (line := await self.hear())["is"] not in ("receipt", "failed"):
            pass
        return line

    async def cut(self) -> None:
        """The connection breaks."""
        assert self._request is not None
        self._request.cancel()
        await asyncio.gather(self._request, return_exceptions=True)

    async def _carry(self, length: int) -> None:
        try:
            async with self.link.stream("POST", self.path, self._pieces(), length, untraced) as response:
                async for piece in _lines(response):
                    self._lines.put_nowait(json.loads(piece))
        except Exception as error:
            self._lines.put_nowait(error)

    async def _pieces(self) -> AsyncIterator[bytes]:
        while (piece := await self._body.get()) is not None:
            yield piece


@dataclass
class BatchByHand(ByHand):
    """The same for several documents at once; `manifest` and `streams` are the first one's."""

    load: Load = field(kw_only=True)
    documents: Sequence[Separated] = field(kw_only=True)
    path = "/v1/batches"

    @classmethod
    def of_several(cls, pair: Pair, sent: Sequence[tuple[Document, Manifest]], plan: Plan | None = None) -> Self:
        load = Load(tuple(manifest for _, manifest in sent))
        first = ByHand.of(pair, sent[0][0], manifest=load.manifests[0], plan=plan)
        documents = [separate(document) for document, _ in sent]
        attempt = replace(first.attempt, numbers=(1,) * len(sent))
        return cls(first.link, first.manifest, attempt, first.streams, load=load, documents=documents)

    @property
    def opening(self) -> Opening:
        return Opening(self.load, self.attempt)

    def secure_part(self, sub_stream: int) -> bytes:
        """The bytes of a secure sub-stream."""
        part = sub_streams.of_secure(self.load, self.attempt.plan)[sub_stream]
        layout = self.load.secure(self.attempt.plan)
        return b"".join(
            self._bytes(*of_it) for start, end in part.ranges(0, part.size) for of_it in layout.parts(start, end)
        )

    def _bytes(self, document: int, classified: bool, start: int, end: int) -> bytes:
        streams = self.documents[document]
        return (streams.secure if classified else streams.plain)[start:end]

    @property
    def chunks(self) -> Chunks:
        return Chunks(PlainSplit.of(self.load, self.attempt.plan).sub_streams())

    def chunk(self, number: int) -> bytes:
        """The bytes of a plain chunk."""
        ranges = self.chunks.ranges(number)
        return b"".join(self._bytes(*of_it) for start, end in ranges for of_it in self.load.plain.parts(start, end))

    async def whole(self) -> None:
        """Everything behind the opening: all secure sub-streams, and all plain chunks."""
        self.secure(self.secure_part(0))
        self.end()
        await asyncio.gather(*(self._put_on(k) for k in range(1, self.attempt.plan.secure_channels)))
        if self.attempt.plan.uses_plain_channel:
            for number in range(self.chunks.count):
                place, chunk = self.chunks.place(number), self.chunk(number)
                tag = seal(self.attempt.plain_key, place.sub_stream, place.index, [chunk])
                path = f"/{self.attempt.handle}/{place.sub_stream}/{place.index}"
                await self.link.put_plain(path, chunk, tag, untraced, 3, 3, self.attempt.handle)

    async def _put_on(self, sub_stream: int) -> None:
        path = f"/v1/attempts/{self.attempt.handle}/secure/{sub_stream}?from=0"
        await self.link.ask("PUT", path, content=self.secure_part(sub_stream))

    async def outcomes(self) -> list[dict[str, Any]]:
        """Each document's last line, in the documents' order; by then each has one and the answer has ended."""
        lines: dict[str, dict[str, Any]] = {}
        while len(lines) < len(self.documents):
            line = await self.hear()
            if line["is"] in ("receipt", "failed"):
                assert line["transfer"] not in lines
                lines[line["transfer"]] = line
        assert self._request is not None
        await asyncio.wait_for(self._request, 5)
        assert self._lines.empty()
        return [lines[transfer_id] for transfer_id in self.load.transfer_ids]


async def _lines(response: httpx.Response) -> AsyncIterator[bytes]:
    buffer = b""
    async for piece in response.aiter_raw():
        *lines, buffer = (buffer + piece).split(b"\n")
        for line in lines:
            yield line


def under_way(pair: Pair) -> int:
    return len(pair.bravo.receivings._open)


async def nothing_left(pair: Pair, files: int = 0) -> None:
    """No attempt, no handle, no file but those of what was delivered."""
    await until(lambda: under_way(pair) == 0)
    receivings = pair.bravo.receivings
    assert not receivings._by_handle and not receivings._supervisions
    assert isinstance(pair.bravo.plain, InProcess)
    assert not pair.bravo.plain.callbacks and not pair.bravo.plain.app._handles
    assert pair.bravo.files() == files


async def open_there(pair: Pair, hand: ByHand) -> Receiving:
    """Bravo's side of it, once its handle is announced."""
    await until(lambda: hand.attempt.handle in pair.bravo.receivings._by_handle)
    receiving = pair.bravo.receivings._by_handle[hand.attempt.handle]
    if hand.attempt.plan.uses_plain_channel:
        await until(lambda: pair.bravo.plain.is_open(hand.attempt.handle))
    return receiving


async def refusal(hand: ByHand) -> PeerRefused:
    with pytest.raises(PeerRefused) as refused:
        await hand.hear()
    return refused.value
