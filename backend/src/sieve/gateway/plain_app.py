"""The plain listener's app: takes sealed chunks for announced handles, and nothing else.

    PUT /<handle>/<sub-stream>/<index>     Content-Length: as planned     Seal: 32 hexadecimal digits

The law: a byte reaches the disk only after its chunk's seal was seen to hold; nothing is read for a handle that was not
announced; memory is bounded by waiting places, slots and chunk size. What it answers counts for nothing at the sender.

Raw ASGI on purpose: one request form, no routes, no framework between a hostile network and the ledger.
"""

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sieve.channel.chunks import ChunkPlan
from sieve.channel.ledger import PlainLedger, Refusal
from sieve.channel.seals import SEAL_SIZE

log = logging.getLogger(__name__)

_STATUS = {
    Refusal.NO_SUCH_CHUNK: 404,
    Refusal.WRONG_LENGTH: 400,
    Refusal.ALREADY_HELD: 204,
    Refusal.NO_SLOT: 503,
    Refusal.BAD_SEAL: 400,
    Refusal.CLOSED: 410,
}


@dataclass(frozen=True, slots=True)
class PlainLimits:
    """`wait_s`: how long a chunk may wait for its handle to be announced, `waiting`: how many may. A chunk must arrive
    whole within `grace_s` plus its length at `min_rate` (bytes per second). `slots`: chunks under way for one handle.
    """

    wait_s: float = 2.0
    waiting: int = 64
    grace_s: float = 5.0
    min_rate: int = 64 * 1024
    slots: int = 8
    connections: int = 256
    head_deadline_s: float = 5.0


@dataclass(slots=True)
class OpenHandle:
    """An announced attempt: its ledger and the file that its chunks go into."""

    ledger: PlainLedger
    fd: int


@dataclass(slots=True)
class PlainApp:
    """`on_held(handle, index)` is called after each chunk that came to be held, on the event loop."""

    limits: PlainLimits
    on_held: Callable[[str, int], None]
    _handles: dict[str, OpenHandle] = field(default_factory=dict)
    _announced: dict[str, set[asyncio.Event]] = field(default_factory=dict)
    _waiting: int = 0

    def open(self, handle: str, plain_key: bytes, path: str, size: int) -> None:
        """Takes chunks for `handle` from now on, into the file at `path`, which has room for `size` bytes.

        Raises:
            OSError: the file cannot be opened.
        """
        fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        self._handles[handle] = OpenHandle(PlainLedger(plain_key, ChunkPlan(size), self.limits.slots), fd)
        for announced in self._announced.get(handle, ()):
            announced.set()

    def close(self, handle: str) -> frozenset[int]:
        """Takes nothing more for `handle`; returns the chunks held."""
        opened = self._handles.pop(handle, None)
        if opened is None:
            return frozenset()
        os.close(opened.fd)
        if opened.ledger.refused:
            counts = ", ".join(f"{count} times {refusal.value}" for refusal, count in opened.ledger.refused.items())
            log.warning("plain chunks refused: %s", counts)
        return opened.ledger.close()

    async def __call__(self, scope: dict[str, Any], receive: Callable[[], Any], send: Callable[[Any], Any]) -> None:
        """ASGI: one request."""
        status = await self._take(scope, receive)
        headers = [(b"content-length", b"0")]
        if status != 204:
            # What was refused is not read to its end.
            headers.append((b"connection", b"close"))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    async def _take(self, scope: dict[str, Any], receive: Callable[[], Any]) -> int:
        target = _target(scope)
        if target is None:
            return 404
        handle, sub_stream, index, length, seal = target
        if not await self._is_announced(handle):
            return 404
        opened = self._handles[handle]
        refusal = opened.ledger.admit(sub_stream, index, length)
        if refusal is not None:
            return 410 if refusal is Refusal.ALREADY_HELD else _STATUS[refusal]
        try:
            deadline_s = self.limits.grace_s + length / self.limits.min_rate
            async with asyncio.timeout(deadline_s):
                pieces = await _read(receive, length)
        except TimeoutError:
            opened.ledger.drop()
            return 408
        except BaseException:
            opened.ledger.drop()
            raise
        if pieces is None:
            opened.ledger.drop()
            return 400
        # From here on nothing awaits: judging, writing and holding are one step for everybody else.
        refusal = opened.ledger.judge(sub_stream, index, list(pieces), seal)
        if refusal is not None:
            return _STATUS[refusal]
        _write_all(opened.fd, pieces, opened.ledger.plan.bounds(index)[0])
        opened.ledger.hold(index)
        self.on_held(handle, index)
        return 204

    async def _is_announced(self, handle: str) -> bool:
        """Whether `handle` is open; waits a little, for chunks may overtake their announcement."""
        if handle in self._handles:
            return True
        if self._waiting >= self.limits.waiting:
            return False
        announced = asyncio.Event()
        waiters = self._announced.setdefault(handle, set())
        waiters.add(announced)
        self._waiting += 1
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self.limits.wait_s):
                    await announced.wait()
        finally:
            self._waiting -= 1
            waiters.discard(announced)
            if not waiters:
                self._announced.pop(handle, None)
        return handle in self._handles


def _target(scope: dict[str, Any]) -> tuple[str, int, int, int, bytes] | None:
    """Handle, sub-stream, index, length and seal of the one request form; None for any other."""
    headers = dict(scope["headers"])
    parts = scope["path"].split("/")
    if scope["method"] != "PUT" or len(parts) != 4 or parts[0] or scope["query_string"]:
        return None
    _, handle, sub_stream, index = parts
    length, seal = headers.get(b"content-length", b""), headers.get(b"seal", b"")
    if len(handle) != 32 or not all(n.isascii() and n.isdigit() and len(n) < 10 for n in (sub_stream, index)):
        return None
    if b"transfer-encoding" in headers or not (length.isdigit() and len(length) < 10) or len(seal) != 2 * SEAL_SIZE:
        return None
    try:
        return handle, int(sub_stream), int(index), int(length), bytes.fromhex(seal.decode("ascii"))
    except ValueError:
        return None


async def _read(receive: Callable[[], Any], length: int) -> list[bytes] | None:
    """The body's pieces, `length` bytes in all; None if the other end left before."""
    pieces: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        if message["body"]:
            pieces.append(message["body"])
            length -= len(message["body"])
        if length < 0:
            return None
        if not message.get("more_body"):
            return pieces if length == 0 else None


def _write_all(fd: int, pieces: list[bytes], offset: int) -> None:
    views = [memoryview(piece) for piece in pieces]
    while views:
        written = os.pwritev(fd, views[:1024], offset)
        offset += written
        while views and written >= len(views[0]):
            written -= len(views.pop(0))
        if written:
            views[0] = views[0][written:]
