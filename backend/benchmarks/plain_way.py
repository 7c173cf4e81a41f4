"""The plain way alone: a stored plain stream to a real plain listener in its own process, sealed, PUT, judged, written.

No opening, no secure channel, no receipt: what the plain channel costs beside a raw TCP copy of the same bytes. It goes
through `Link.put_plain`, `seal` and `PlainListener`, the parts that a transfer uses.
"""

import asyncio
import os
import secrets
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import uvloop

from sieve.aes_speed import aes_is_fast
from sieve.channel.attempt_split import PlainSplit
from sieve.channel.chunk_sizes import MAX_CHUNK
from sieve.channel.seals import SealKey, fastest_first, seal
from sieve.gateway.outbound.plain_lanes import WINDOW
from sieve.gateway.peering.links import Link
from sieve.gateway.peering.peers import Peer, Peers
from sieve.gateway.plain.app import PlainLimits
from sieve.gateway.plain.files import StreamPart
from sieve.gateway.plain.listener import PlainListener
from sieve.gateway.runtime.allocator import keep_freed_memory
from sieve.gateway.runtime.listeners import address_of, bind
from sieve.store.blob_folder import BlobFolder
from sieve.store.blobs import BlobStore
from sieve.store.master_keys import MasterKeys

TIMEOUT_S = 30.0


class PlainWay:
    """A plain listener, a link to it, and one stream to send."""

    def __init__(self, runner: asyncio.Runner, folder: Path, content: bytes, listening: socket.socket) -> None:
        self._runner, self._size = runner, len(content)
        self._blobs = BlobStore(BlobFolder(folder / "blobs"), MasterKeys([secrets.token_bytes(32)]))
        source = self._blobs.new_plain(owner="", purpose="document")
        source.write_at(0, [content])
        self._reader = self._blobs.open_plain(source.finish(len(content)))
        self._lock_fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        self._listener = PlainListener(listening, PlainLimits(), self._lock_fd)
        peer = Peer("", "bravo", "https://127.0.0.1:1", f"http://{address_of(listening)}", b"", frozenset(), True)
        # The link asks its peers for the pin check alone, when a secure connection is made; here none is.
        peers = cast(Peers, SimpleNamespace(check=lambda _id: None))
        self._link = Link(peer, peers, ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        self._running = runner.get_loop().create_task(self._listener.run())

    def ms(self) -> dict[str, float]:
        """From the first chunk's reading until every chunk is held, its seal checked, and until every byte is written
        at its place. Nothing is synced."""
        return self._runner.run(self._once())

    async def _once(self) -> dict[str, float]:
        split = PlainSplit(self._size, max_chunk=MAX_CHUNK)
        plan = split.chunks().plans[0]
        handle, key = (
            secrets.token_hex(16),
            SealKey(secrets.token_bytes(32), fastest_first(aes_is_fast=aes_is_fast())[0]),
        )
        writer = self._blobs.new_plain(owner="", purpose="document")
        held: set[int] = set()
        whole = asyncio.Event()

        def on_held(index: int) -> None:
            held.add(index)
            if len(held) == plan.count:
                whole.set()

        try:
            writer.reserve(self._size)
            parts = [StreamPart(writer, 0, self._size, writer.tag_key.hex())]
            await self._listener.open(handle, key, parts, split, on_held, whole.set)
            began = time.perf_counter_ns()
            waiting = iter(range(plan.count))

            async def carry() -> None:
                for index in waiting:
                    start, end = plan.bounds(index)
                    chunk = self._reader.read(start, end)
                    await self._link.put_plain(
                        f"/{handle}/0/{index}",
                        chunk,
                        seal(key, 0, index, chunk),
                        _no_trace,
                        connect_s=TIMEOUT_S,
                        lane=handle,
                    )

            await asyncio.gather(*(carry() for _ in range(WINDOW)))
            async with asyncio.timeout(TIMEOUT_S):
                await whole.wait()
            held_at = time.perf_counter_ns()
            await self._listener.fence(handle, plan.count)
            placed_at = time.perf_counter_ns()
        finally:
            writer.discard()
        return {"plain_way_held_ms": (held_at - began) / 1e6, "plain_way_ms": (placed_at - began) / 1e6}

    async def aclose(self) -> None:
        """Ends the listener's process."""
        self._running.cancel()
        await asyncio.gather(self._running, return_exceptions=True)
        await self._link.aclose()
        os.close(self._lock_fd)


@contextmanager
def plain_way(folder: Path, content: bytes) -> Iterator[PlainWay]:
    """Its files lie in `folder`."""
    keep_freed_memory()  # as both gateways' processes do: the sender's part runs in this one
    folder.mkdir(parents=True, exist_ok=True)
    with bind("127.0.0.1:0") as listening, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        way = PlainWay(runner, folder, content, listening)
        try:
            yield way
        finally:
            runner.run(way.aclose())


async def _no_trace(_name: str, _info: dict[str, Any]) -> None:
    """What the transport does is of no interest here."""
