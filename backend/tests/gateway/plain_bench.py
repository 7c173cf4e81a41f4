"""The plain listener's app without its process and without a socket: requests are fed to it, its answers noted."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from uvicorn.server import ServerState

from gateway.file_at import part_of
from gateway.two_gateways import PATIENCE_S, until
from sieve.channel.attempt_split import PlainSplit
from sieve.channel.chunk_sizes import ChunkPlan
from sieve.channel.seals import SealKey, seal
from sieve.gateway.plain.app import PlainApp, PlainLimits
from sieve.gateway.plain.files import Sum, open_parts
from sieve.gateway.plain.protocol import PlainProtocol
from sieve.store.segment_tags import PlainSum

HANDLE, OTHER = "a" * 32, "b" * 32
KEY = SealKey(bytes(32))
LIMITS = PlainLimits(wait_s=0.05, waiting=2, grace_s=0.05, min_rate=10**9, slots=2)
PLAN = ChunkPlan(3 * 65536 + 100)
STREAM = os.urandom(PLAN.size)


def sum_of(stream: bytes, tag_key: bytes = bytes(32)) -> Sum:
    """What the listener says of that stream."""
    taken = PlainSum(tag_key)
    taken.update(stream)
    return Sum(taken.digest(), taken.tags())


def chunk(index: int) -> bytes:
    start, end = PLAN.bounds(index)
    return STREAM[start:end]


class Line(asyncio.Transport):
    """Between a request and the listener; records the answers."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = b""
        self.closed = asyncio.Event()
        self.answered = asyncio.Event()
        self.may_read = asyncio.Event()
        self.may_read.set()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.answers += data
        self.answered.set()

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return self.closed.is_set()

    def close(self) -> None:
        self.closed.set()
        self.answered.set()

    abort = close

    def pause_reading(self) -> None:
        self.may_read.clear()

    def resume_reading(self) -> None:
        self.may_read.set()


@dataclass
class Request:
    """A request on a connection of its own; its body arrives in `pieces`, the last of them when `go` is set."""

    app: PlainApp
    path: str
    pieces: list[bytes]
    headers: dict[str, str]
    method: str = "PUT"
    more: bool = False
    go: asyncio.Event = field(default_factory=asyncio.Event)
    reading: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def head(self) -> bytes:
        lines = [f"{self.method} {self.path} HTTP/1.1", *(f"{name}: {value}" for name, value in self.headers.items())]
        return "\r\n".join((*lines, "", "")).encode()

    async def answered(self) -> int:
        """Its status, 0 if the connection was cut; a refusal ends the connection, for its body was not read."""
        line = Line()
        protocol = PlainProtocol(self.app, server_state=ServerState())
        protocol.connection_made(line)
        try:
            async with asyncio.timeout(PATIENCE_S):
                feed(protocol, self.head)
                body = asyncio.create_task(self._bring(protocol, line))
                await line.answered.wait()
                body.cancel()
                await asyncio.gather(body, return_exceptions=True)
        finally:
            protocol.connection_lost(None)
        status = int(line.answers.split(b" ", 2)[1]) if line.answers else 0
        assert line.closed.is_set() == (status != 204)
        assert (b"Connection: close" in line.answers) == (status not in (0, 204))
        return status

    async def _bring(self, protocol: PlainProtocol, line: Line) -> None:
        while self.pieces:
            await line.may_read.wait()
            self.reading.set()
            if len(self.pieces) == 1:
                await self.go.wait()
            feed(protocol, self.pieces.pop(0))
        await self.go.wait()
        if not (self.more or line.answered.is_set()):
            line.close()


def feed(protocol: PlainProtocol, data: bytes) -> None:
    """As a socket would: as much at a time as there is room for."""
    while data:
        room = protocol.get_buffer(-1)
        count = min(len(room), len(data))
        room[:count] = data[:count]
        protocol.buffer_updated(count)
        data = data[count:]


@dataclass
class Bench:
    """An app with one announced handle, and the file behind it."""

    app: PlainApp
    path: Path
    held: list[tuple[str, int]] = field(default_factory=list)

    def announce(self, handle: str = HANDLE) -> None:
        self.app.open(handle, KEY, open_parts([part_of(self.path, 0, PLAN.size)]), PlainSplit(PLAN.size))

    def put(self, index: int, *, handle: str = HANDLE, body: bytes | None = None, **more: Any) -> Request:
        body = chunk(index) if body is None and 0 <= index < PLAN.count else body or b""
        headers = {"content-length": str(len(body)), "seal": seal(KEY, 0, index, body).hex()} | more.pop("headers", {})
        request = Request(self.app, f"/{handle}/0/{index}", [body], headers, **more)
        request.go.set()
        return request

    @property
    def written(self) -> bytes:
        """The file, once everything that waited is written to it."""
        self.app.writes.after(int).result()
        return self.path.read_bytes()


@asynccontextmanager
async def a_bench(path: Path, limits: PlainLimits = LIMITS) -> AsyncIterator[Bench]:
    path.write_bytes(bytes(PLAN.size))
    held: list[tuple[str, int]] = []
    bench = Bench(PlainApp(limits, lambda handle, index: held.append((handle, index))), path, held)
    yield bench
    for handle in (HANDLE, OTHER):
        await bench.app.close(handle)
    assert bench.app.waiting == 0 and not bench.app.waiters


async def until_waiting(app: PlainApp, count: int) -> None:
    await until(lambda: app.waiting >= count)
