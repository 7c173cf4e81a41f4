"""Attempts made by hand: a sender that does what a story wants, over alpha's real secure channel to bravo."""

import asyncio
import json
import os
import time
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx
from blake3 import blake3

from gateway.two_gateways import Pair
from sieve.channel.attempt import Attempt, Mode, Plan
from sieve.channel.chunks import ChunkPlan
from sieve.channel.manifest import Manifest, keyed_classified_digest
from sieve.channel.opening import Opening
from sieve.channel.seals import seal
from sieve.core.document import Document
from sieve.core.separate import Separated, separate
from sieve.gateway.links import Link

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
        attempt = Attempt(manifest.transfer_id, number, handle, os.urandom(32), plan or Plan(mode))
        return cls(pair.alpha.links.to(peer), manifest, attempt, separate(document))

    @property
    def opening(self) -> Opening:
        return Opening(self.manifest, self.attempt)

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
            async with self.link.stream("POST", "/v1/transfers", self._pieces(), length, untraced) as response:
                async for piece in _lines(response):
                    self._lines.put_nowait(json.loads(piece))
        except Exception as error:
            self._lines.put_nowait(error)

    async def _pieces(self) -> AsyncIterator[bytes]:
        while (piece := await self._body.get()) is not None:
            yield piece


async def _lines(response: httpx.Response) -> AsyncIterator[bytes]:
    buffer = b""
    async for piece in response.aiter_raw():
        *lines, buffer = (buffer + piece).split(b"\n")
        for line in lines:
            yield line
