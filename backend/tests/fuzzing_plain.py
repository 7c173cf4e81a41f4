"""The fuzz target of the plain listener's connections: a script of what strangers and a peer do to them.

Invariant: whatever arrives, no callback raises; memory stays within slots, waiting places and one head a connection;
only true chunks of open handles are held, each once; in the end everything is given back; and how the bytes are split
between reads changes nothing. It looks inside of protocols and ledgers, because what they hold shows nowhere else, and
runs the loop's callbacks itself, so that a script decides their order.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextvars import Context
from random import Random
from typing import Any, Final, cast
from zlib import crc32

from uvicorn.server import ServerState

from sieve.channel import seals
from sieve.channel.attempt_split import PlainSplit
from sieve.channel.ledger import Refusal
from sieve.gateway.plain.app import OpenHandle, PlainApp, PlainLimits
from sieve.gateway.plain.files import OpenPart
from sieve.gateway.plain.protocol import MAX_HEAD, MAX_UNREAD, PlainProtocol
from sieve.gateway.plain.write_behind import WriteBehind

LINES: Final = 4
LIMITS: Final = PlainLimits(wait_s=2.0, waiting=1, grace_s=5.0, min_rate=1000, slots=2)
# One chunk on each of five channels; one chunk longer than a head may be; two that are announced late.
SPLITS: Final = (PlainSplit(50, 5), PlainSplit(9000), PlainSplit(20, 2))
NAMES: Final = tuple(letter * 32 for letter in "abc")
STREAMS: Final = tuple(Random(split.size).randbytes(split.size) for split in SPLITS)
PLACES: Final = [(handle, number) for handle, split in enumerate(SPLITS) for number in range(split.chunks().count)]


def _key(handle: int) -> seals.SealKey:
    return seals.SealKey(bytes([handle + 1]) * seals.KEY_SIZE, seals.SEAL_KINDS[handle % 2])


def _chunk(handle: int, number: int) -> bytes:
    ranges = SPLITS[handle].chunks().ranges(number)
    return b"".join(STREAMS[handle][start:end] for start, end in ranges)


def _head(handle: int, number: int, path_of: int | None = None) -> bytes:
    place, chunk = SPLITS[handle].chunks().place(number), _chunk(handle, number)
    seal = seals.seal(_key(handle), place.sub_stream, place.index, chunk).hex()
    name = NAMES[handle if path_of is None else path_of]
    path = f"/{name}/{place.sub_stream}/{place.index}"
    return f"PUT {path} HTTP/1.1\r\nContent-Length: {len(chunk)}\r\nSeal: {seal}\r\n\r\n".encode()


HEADS: Final = [_head(*place) for place in PLACES]
CHUNKS: Final = [_chunk(*place) for place in PLACES]


class _Loop:
    """As much of an event loop as the listener uses, without IO. Time passes only in `wait`."""

    def __init__(self) -> None:
        self.now = 0.0
        self.errors: list[Any] = []
        self.timers: list[asyncio.TimerHandle] = []
        self._ready: deque[asyncio.Handle] = deque()

    @property
    def as_loop(self) -> asyncio.AbstractEventLoop:
        return cast(asyncio.AbstractEventLoop, self)

    def time(self) -> float:
        return self.now

    def get_debug(self) -> bool:
        return False

    def is_closed(self) -> bool:
        return False

    def create_future(self) -> "asyncio.Future[Any]":
        return asyncio.Future(loop=self.as_loop)

    def call_exception_handler(self, context: Any) -> None:
        self.errors.append(context.get("exception") or context)

    def call_soon(self, callback: Any, *args: Any, context: Context | None = None) -> asyncio.Handle:
        self._ready.append(asyncio.Handle(callback, args, self.as_loop, context))
        return self._ready[-1]

    call_soon_threadsafe = call_soon

    def call_later(
        self, delay: float, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        self.timers.append(asyncio.TimerHandle(self.now + delay, callback, args, self.as_loop, context))
        return self.timers[-1]

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        if handle in self.timers:  # it may have run already
            self.timers.remove(handle)

    def settle(self) -> None:
        """Runs what is due now."""
        while self._ready:
            handle = self._ready.popleft()
            if not handle.cancelled():
                handle._run()
        assert not self.errors, self.errors

    def wait(self, seconds: float) -> None:
        """Lets time pass."""
        until = self.now + seconds
        while self.timers and (first := min(self.timers, key=asyncio.TimerHandle.when)).when() <= until:
            self.timers.remove(first)
            self.now = first.when()
            first._run()
            self.settle()
        self.now = until


class _Line(asyncio.Transport):
    """A connection's other end: `pending` are bytes that the listener has not read."""

    def __init__(self) -> None:
        super().__init__()
        self.answers, self.pending = b"", b""
        self.closed = self.paused = self.deaf = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert not self.closed
        self.answers += data

    def get_write_buffer_size(self) -> int:
        return MAX_UNREAD + 1 if self.deaf else 0

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    abort = close

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False


class _Writes:
    """Instead of the writing thread: counts buffers, and checks what is to be written."""

    def __init__(self) -> None:
        self.out = 0
        self.held: list[tuple[int, int]] = []

    def buffer(self) -> bytearray:
        self.out += 1
        return bytearray(max(map(len, CHUNKS)))

    def keep(self, _buffer: bytearray) -> None:
        self.out -= 1

    def write(self, write: Callable[..., None], number: int, chunk: memoryview, *, buffer: bytearray) -> None:
        opened = cast(OpenHandle, getattr(write, "__self__"))  # noqa: B009 -- a bound method's, which no type names
        handle = opened.ledger.plain_key.secret[0] - 1
        assert bytes(chunk) == _chunk(handle, number), "bytes are to be written that nobody sealed"
        write(number, chunk)
        self.held.append((handle, number))
        self.keep(buffer)

    def after(self, work: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        done: Future[Any] = Future()
        done.set_result(work(*arguments))
        return done


class _Trial:
    """One listener, and the connections of a script."""

    def __init__(self, steps: Iterator[int]) -> None:
        self._steps = steps
        self.loop, self.writes = _Loop(), _Writes()
        self.heard: list[tuple[int, int]] = []
        self.app = PlainApp(
            LIMITS,
            lambda name, number: self.heard.append((NAMES.index(name), number)),
            writes=cast(WriteBehind, self.writes),
        )
        self.ledgers: list[Any] = []
        self.lines: list[tuple[_Line, PlainProtocol]] = []
        self.over: list[bytes] = []
        self.state = ServerState()

    def run(self, script: bytes) -> tuple[Any, ...]:
        """What comes of it."""
        asyncio.events._set_running_loop(self.loop.as_loop)
        try:
            self.open(0)
            self.open(1)
            self.lines = [self._connect() for _ in range(LINES)]
            self._play(script)
            for number in range(LINES):
                self._leave(number)
            for handle in range(len(SPLITS)):
                self.close(handle)
            self._check_end()
        finally:
            asyncio.events._set_running_loop(None)
        return self.over, self.writes.held

    def _play(self, script: bytes) -> None:
        at = 0
        while at < len(script):
            line, do = script[at] >> 4 & LINES - 1, script[at] & 15
            more = script[at + 1] if at + 1 < len(script) else 0
            place = more % len(PLACES)
            at += 2
            match do:
                case 0 | 1 | 2:
                    self._send(line, script[at : at + more])
                    at += more
                case 3:
                    self._send(line, script[at : at + 64 * more])
                    at += 64 * more
                case 4:
                    self._send(line, HEADS[place] + CHUNKS[place])
                case 5:
                    self._send(line, HEADS[place] + CHUNKS[place][:-1] + b"x")
                case 6:
                    self._send(line, HEADS[place] + CHUNKS[place][: more // len(PLACES)])
                case 7:
                    self._leave(line)
                    self.lines[line] = self._connect()
                case 8:
                    self.loop.wait(more / 16)
                case 9:
                    self.open(more % len(SPLITS))
                case 10:
                    self.close(more % len(SPLITS))
                case 11:
                    self._send(line, b"a" * 64 * more)
                case 12:
                    self.lines[line][0].deaf = bool(more & 1)
                case 13:
                    handle, number = PLACES[place]
                    self._send(line, _head(handle, number, more % len(SPLITS)) + CHUNKS[place])
                case 14:
                    self._send(line, HEADS[place])
                case 15:
                    self._send(line, CHUNKS[place])
            self.loop.settle()
            self._pump()
            self._check()

    def open(self, handle: int) -> None:
        if NAMES[handle] not in self.app.handles:
            parts = [OpenPart(None, 0, SPLITS[handle].size)]
            self.app.open(NAMES[handle], _key(handle), parts, SPLITS[handle])
            self.ledgers.append(self.app.handles[NAMES[handle]].ledger)

    def close(self, handle: int) -> None:
        opened = self.app.handles.get(NAMES[handle])
        closing = asyncio.Task(self.app.close(NAMES[handle]), loop=self.loop.as_loop)
        self.loop.settle()
        assert opened is None or closing.result().held == opened.ledger.held

    def _connect(self) -> tuple[_Line, PlainProtocol]:
        line, protocol = _Line(), PlainProtocol(self.app, server_state=self.state)
        protocol.connection_made(line)
        return line, protocol

    def _leave(self, number: int) -> None:
        line, protocol = self.lines[number]
        protocol.eof_received()
        protocol.connection_lost(None)
        self.over.append(line.answers)
        self.loop.settle()
        self._pump()

    def _send(self, number: int, data: bytes) -> None:
        line, _ = self.lines[number]
        # What nobody reads stays in the sender's kernel.
        line.pending = (line.pending + data)[: 1 << 16]

    def _pump(self) -> None:
        """Has the listener read what there is to read, in pieces as the steps say."""
        for line, protocol in self.lines:
            while line.pending and not (line.paused or line.closed):
                room = protocol.get_buffer(-1)
                assert len(room) > 0, "there is no room to read into"
                count = min(len(room), len(line.pending), next(self._steps))
                room[:count], line.pending = line.pending[:count], line.pending[count:]
                protocol.buffer_updated(count)
                assert len(protocol._head) == MAX_HEAD
            self.loop.settle()

    def _check(self) -> None:
        under_way = [ledger._under_way for ledger in self.ledgers]
        assert all(0 <= count <= LIMITS.slots for count in under_way)
        assert self.writes.out == sum(under_way)
        assert 0 <= self.app.waiting <= LIMITS.waiting
        assert len(self.loop.timers) <= LINES

    def _check_end(self) -> None:
        assert self.writes.out == self.app.waiting == 0 and not self.app.waiters and not self.app.handles
        assert not any(ledger._under_way for ledger in self.ledgers)
        assert not self.loop.timers and not self.state.connections
        assert sorted(self.heard) == sorted(self.writes.held)
        assert len(self.heard) == sum(len(ledger.held) for ledger in self.ledgers)
        # Of two that bring the same chunk at the same time, the second is as good as taken.
        twice = sum(ledger.refused.get(Refusal.ALREADY_HELD, 0) for ledger in self.ledgers)
        taken = b"".join(self.over).count(b"HTTP/1.1 204 ")
        assert len(self.heard) <= taken <= len(self.heard) + twice


def _steps(random: Random) -> Iterator[int]:
    """Sizes of reads; not all of them small, so that a long body takes few."""
    while True:
        yield random.choice((1, 1, 2, 3, 7, 40, 200, 3000))


def _whole() -> Iterator[int]:
    while True:
        yield 1 << 20


def plain(script: bytes) -> None:
    """The fuzz target."""
    script = script[: 1 << 14]
    assert _Trial(_whole()).run(script) == _Trial(_steps(Random(crc32(script)))).run(script)


def plain_seeds() -> list[bytes]:
    """Scripts that use every step."""

    def said(line: int, data: bytes) -> bytes:
        return bytes([line << 4, len(data)]) + data

    def do(step: int, line: int = 0, more: int = 0) -> bytes:
        return bytes([line << 4 | step, more])

    first = HEADS[0] + CHUNKS[0]
    late = len(PLACES) - 1
    return [
        b"".join(do(4, place % LINES, place) for place in range(len(PLACES))),
        said(0, first) + said(0, HEADS[1] + CHUNKS[1]) + said(1, first) + said(2, HEADS[2]) + do(8, 0, 255),
        do(4, 0, late) + do(4, 1, late - 1) + do(9, 0, 2) + do(4, 1, late - 1) + do(10, 0, 2) + do(4, 2, late),
        do(4, 0, late) + do(8, 0, 255) + do(6, 1, 200) + do(8, 0, 40) + do(7, 1) + do(5, 2, 1) + do(13, 3, 4),
        do(14, 0, 5) + do(14, 1, 5) + do(14, 2, 5) + do(15, 0, 5) + do(15, 1, 5) + do(10, 0, 1) + do(12, 2, 1),
        do(11, 0, 255) + do(12, 1, 1) + do(4, 1, 1) + said(2, b"\r\n\r\n") + said(3, first.replace(b" HTTP/1.1", b"")),
        said(0, first.replace(b"PUT", b"POST")) + said(1, first.replace(b"\r\n", b"\n")),
        said(0, first.replace(b"Seal", b"Transfer-Encoding: chunked\r\nSeal")) + said(1, b"GET / HTTP/1.1\r\n\r\n"),
        said(2, first.replace(b"Seal", b"Connection: Upgrade\r\nUpgrade: h2c\r\nSeal")),
        said(3, first.replace(b"Seal", b"Content-Length: 10\r\nSeal")),
    ]
