"""The plain listener's connections: HTTP/1.1 PUTs, one after the other, each received directly into its buffer.

uvicorn hands a body over in pieces of its own making, each a fresh object through an ASGI queue; that costs more than
the copying itself. Here a head is read into a small buffer and parsed by httptools, and then the socket writes into the
chunk's own buffer until it is whole (ADR 7).

Invariant: a connection holds at most one head and one chunk at any moment, and every wait has a deadline.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from mmap import mmap
from typing import Any, Final, cast

import httptools
from uvicorn.server import ServerState

from sieve.channel.ledger import Refusal
from sieve.channel.seals import SEAL_SIZE
from sieve.gateway.plain.app import STATUS, OpenHandle, PlainApp, Target
from sieve.gateway.runtime.connection_slots import Slot, Slots
from sieve.gateway.runtime.listeners import QuietServer, server

MAX_HEAD: Final = 8 * 1024
# The most bytes of answers that the sender has not read.
MAX_UNREAD: Final = 64 * 1024
_TAKEN: Final = b"HTTP/1.1 204 No Content\r\n\r\n"


def plain_server(app: PlainApp) -> QuietServer:
    """The server of a plain listener, to be run with `serve(sockets=[...])`."""
    connections = app.limits.connections
    # No share for a source: a peer with many channels may need all of them.
    return server(
        _never_called, protocol=partial(PlainProtocol, app), slots=Slots(connections, connections), name="plain"
    )


async def _never_called(scope: Any, receive: Any, send: Any) -> None:
    """uvicorn requires an ASGI app, but only its own protocols call it: ours answers by itself."""
    raise RuntimeError("the plain listener's protocol answers by itself")


class _Stage(Enum):
    HEAD = auto()
    WAITING = auto()
    BODY = auto()
    OVER = auto()


@dataclass(slots=True)
class _Body:
    """An admitted chunk on its way: its slot, the buffer that it is received into, and how many bytes are not there."""

    opened: OpenHandle
    target: Target
    buffer: mmap
    missing: int


class PlainProtocol(asyncio.BufferedProtocol):
    """One connection, as uvicorn makes it."""

    transport: asyncio.Transport
    """From `connection_made` on, which the loop calls before anything else."""

    def __init__(self, app: PlainApp, *, server_state: ServerState, **_: Any) -> None:
        self._app, self._limits = app, app.limits
        # uvicorn names its own protocols there; it asks no more of them than `shutdown` and `transport`.
        self._connections = cast("set[asyncio.BaseProtocol]", server_state.connections)
        self.slot = Slot("")
        self._stage = _Stage.HEAD
        self._head = bytearray(MAX_HEAD)
        self._filled = 0
        self._timer: asyncio.TimerHandle | None = None
        self._body: _Body | None = None
        self._waiting: tuple[str, asyncio.Future[None]] | None = None

    # --- what the loop calls ---------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self._connections.add(self)
        self.slot.close = self._end
        self._expect(self._limits.head_deadline_s, self._end)

    def connection_lost(self, _error: Exception | None) -> None:
        self._connections.discard(self)
        self.slot.leave()
        self._stage = _Stage.OVER
        self._leave()

    def get_buffer(self, _sizehint: int) -> memoryview:
        if self._body is not None:
            length = self._body.target.length
            return memoryview(self._body.buffer)[length - self._body.missing : length]
        return memoryview(self._head)[self._filled :]

    def buffer_updated(self, count: int) -> None:
        if self._body is not None:
            self._body.missing -= count
            if not self._body.missing:
                self._whole(self._body)
                self._go_on()
        elif self._stage is _Stage.HEAD:
            if not self._filled:
                self._expect(self._limits.head_deadline_s, self._end)
            self._filled += count
            self._go_on()

    def eof_received(self) -> None:
        """A sender that closes its half sends no more: the connection ends."""

    def shutdown(self) -> None:
        """uvicorn ends."""
        self._end()

    # --- a request -------------------------------------------------------------------------------------------------

    def _go_on(self) -> None:
        """Parses the head's buffer: heads, and bodies that arrived with them."""
        while self._stage is _Stage.HEAD and self._filled:
            length = self._head.find(b"\r\n\r\n", 0, self._filled) + 4
            if length < 4:
                if self._filled == MAX_HEAD:
                    self._refuse(431)
                return
            target = _target(bytes(self._head[:length]))
            self._drop_from_head(length)
            if target is None:
                self._refuse(404)
                return
            self._begin(target)

    def _begin(self, target: Target) -> None:
        opened = self._app.announced(target.handle)
        if opened is not None:
            self._admit(opened, target)
            return
        # Chunks may overtake their announcement: a few may wait a little, and are not read meanwhile.
        waiter = self._app.wait(target.handle)
        if waiter is None:
            self._refuse(404)
            return
        self._stage = _Stage.WAITING
        self._waiting = target.handle, waiter
        self.transport.pause_reading()
        self._expect(self._limits.wait_s, lambda: self._refuse(404))
        waiter.add_done_callback(partial(self._on_announced, target))

    def _on_announced(self, target: Target, waiter: "asyncio.Future[None]") -> None:
        if self._stage is not _Stage.WAITING or waiter.cancelled():
            return
        self._stop_waiting()
        opened = self._app.announced(target.handle)
        if opened is None:  # closed again before we came to run
            self._refuse(404)
            return
        self._stage = _Stage.HEAD
        self._admit(opened, target)
        if self._stage is not _Stage.OVER:
            self.transport.resume_reading()
            self._go_on()

    def _admit(self, opened: OpenHandle, target: Target) -> None:
        refusal = opened.ledger.admit(target.sub_stream, target.index, target.length)
        if refusal is not None:
            # A chunk that is held already counts as taken, but is not worth reading.
            self._refuse(410 if refusal is Refusal.ALREADY_HELD else STATUS[refusal])
            return
        came_along = min(self._filled, target.length)
        body = self._body = _Body(opened, target, self._app.writes.buffer(), target.length - came_along)
        self._stage = _Stage.BODY
        body.buffer[:came_along] = memoryview(self._head)[:came_along]
        self._drop_from_head(came_along)
        if not body.missing:
            self._whole(body)
            return
        self._expect(self._limits.grace_s + target.length / self._limits.min_rate, self._too_slow)

    def _whole(self, body: _Body) -> None:
        """The chunk is complete. Verifying it frees its slot."""
        self._body = None
        status = self._app.take(body.opened, body.target, body.buffer)
        self._no_deadline()
        if status != 204:
            self._refuse(status)
            return
        self._stage = _Stage.HEAD
        # Only an announced sender can send a chunk with a valid seal.
        self.slot.idle(False)
        self.transport.write(_TAKEN)
        if self.transport.get_write_buffer_size() > MAX_UNREAD:
            self._end()
            return
        self._expect(self._limits.head_deadline_s if self._filled else self._limits.keep_alive_s, self._end)

    def _too_slow(self) -> None:
        self._refuse(408)

    def _refuse(self, status: int) -> None:
        """Answers, and ends the connection: what was refused is not read to its end."""
        self._stage = _Stage.OVER
        self._leave()
        if not self.transport.is_closing():
            self.transport.pause_reading()
            self.transport.write(b"HTTP/1.1 %d -\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" % status)
            self.transport.close()

    def _end(self) -> None:
        self._stage = _Stage.OVER
        self._leave()
        self.transport.abort()

    # --- what must be given back -----------------------------------------------------------------------------------

    def _leave(self) -> None:
        """Gives back what the request held: its slot, its buffer, its waiting place, its deadline."""
        self._no_deadline()
        self._stop_waiting()
        if self._body is not None:
            self._body.opened.ledger.drop()
            self._app.writes.keep(self._body.buffer)
            self._body = None

    def _stop_waiting(self) -> None:
        self._no_deadline()
        if self._waiting is not None:
            self._app.wait_no_more(*self._waiting)
            self._waiting = None

    def _expect(self, within_s: float, otherwise: Callable[[], None]) -> None:
        self._no_deadline()
        self._timer = asyncio.get_running_loop().call_later(within_s, otherwise)

    def _no_deadline(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _drop_from_head(self, count: int) -> None:
        rest = self._filled - count
        self._head[:rest] = self._head[count : self._filled]
        self._filled = rest


class _Head:
    """What httptools finds in a head."""

    def __init__(self) -> None:
        self.url = b""
        self.headers: dict[bytes, bytes] = {}

    def on_url(self, url: bytes) -> None:
        self.url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers[name.lower()] = value


def _target(data: bytes) -> Target | None:
    """What the one form of request says; None for any other."""
    head = _Head()
    parser = httptools.HttpRequestParser(head)
    try:
        parser.feed_data(data)
    except (httptools.HttpParserError, httptools.HttpParserUpgrade):
        return None
    parts = head.url.split(b"/")
    if parser.get_method() != b"PUT" or len(parts) != 4 or parts[0]:
        return None
    _, handle, sub_stream, index = parts
    length, seal = head.headers.get(b"content-length", b""), head.headers.get(b"seal", b"")
    if len(handle) != 32 or not all(number.isdigit() and len(number) < 10 for number in (sub_stream, index)):
        return None
    if b"transfer-encoding" in head.headers or not (length.isdigit() and len(length) < 10):
        return None
    if len(seal) != 2 * SEAL_SIZE:
        return None
    try:
        return Target(
            handle.decode("ascii"), int(sub_stream), int(index), int(length), bytes.fromhex(seal.decode("ascii"))
        )
    except ValueError:
        return None
