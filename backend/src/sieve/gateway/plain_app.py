"""The plain listener's app: takes sealed chunks for announced handles, and nothing else.

    PUT /<handle>/<sub-stream>/<index>     Content-Length: as planned     Seal: 32 hexadecimal digits

The law: a byte reaches the disk only after its chunk's seal was seen to hold; nothing is read for a handle that was not
announced; memory is bounded by waiting places, slots and chunk size. What it answers counts for nothing at the sender.

`plain_protocol` brings the requests; here is what is made of them.
"""

import asyncio
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, field

from blake3 import blake3

from sieve.channel.chunks import MAX_CHUNK, ChunkPlan
from sieve.channel.ledger import PlainLedger, Refusal
from sieve.store import blob_file
from sieve.store.errors import BlobDamaged, DestinationFull

log = logging.getLogger(__name__)

STATUS = {
    Refusal.NO_SUCH_CHUNK: 404,
    Refusal.WRONG_LENGTH: 400,
    Refusal.ALREADY_HELD: 204,
    Refusal.NO_SLOT: 503,
    Refusal.BAD_SEAL: 400,
    Refusal.CLOSED: 410,
}
# What came out of order is read again for the digest, if it is no more than this: more would keep the loop.
READ_AGAIN = 8 * 1024 * 1024
# Buffers that are kept warm: the first touch of fresh memory costs as much as receiving into it.
WARM_BUFFERS = 8


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
    keep_alive_s: float = 300.0


@dataclass(frozen=True, slots=True)
class Target:
    """What a request's head says."""

    handle: str
    sub_stream: int
    index: int
    length: int
    seal: bytes


@dataclass(frozen=True, slots=True)
class Fenced:
    """The chunks that were held when the listener let go; the stream's BLAKE3 digest, if it is whole and known."""

    held: frozenset[int] = frozenset()
    digest: bytes | None = None


@dataclass(slots=True)
class OpenHandle:
    """An announced attempt: its ledger, the file that its chunks go into, and the digest of what came in order."""

    ledger: PlainLedger
    fd: int
    _digest: blake3 = field(default_factory=blake3)
    _hashed: int = 0

    def write(self, index: int, chunk: memoryview) -> None:
        """Puts a chunk that was judged good into its place, and holds it.

        Raises:
            DestinationFull, OSError: it cannot be written; it may be brought again.
        """
        start, end = self.ledger.plan.bounds(index)
        blob_file.write_at(self.fd, start, [chunk])
        self.ledger.hold(index)
        if self._hashed == start:
            self._digest.update(chunk)
            self._hashed = end

    def digest(self) -> bytes | None:
        """BLAKE3 of the stream, if it is whole and little of it must be read again for that."""
        size = self.ledger.plan.size
        if not self.ledger.complete or size - self._hashed > READ_AGAIN:
            return None
        self._digest.update(blob_file.read_at(self.fd, self._hashed, size - self._hashed))
        self._hashed = size
        return self._digest.digest()


@dataclass(slots=True)
class PlainApp:
    """`on_held(handle, index)` is called after each chunk that came to be held, on the event loop."""

    limits: PlainLimits
    on_held: Callable[[str, int], None]
    _handles: dict[str, OpenHandle] = field(default_factory=dict)
    _announced: dict[str, set["asyncio.Future[None]"]] = field(default_factory=dict)
    _waiting: int = 0
    _warm: list[bytearray] = field(default_factory=list)

    def open(self, handle: str, plain_key: bytes, path: str, size: int) -> None:
        """Takes chunks for `handle` from now on, into the file at `path`, which has room for `size` bytes.

        Raises:
            OSError: the file cannot be opened.
        """
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        self._handles[handle] = OpenHandle(PlainLedger(plain_key, ChunkPlan(size), self.limits.slots), fd)
        for waiter in self._announced.get(handle, ()):
            if not waiter.done():
                waiter.set_result(None)

    def close(self, handle: str) -> Fenced:
        """Takes nothing more for `handle`, and says what it held."""
        opened = self._handles.pop(handle, None)
        if opened is None:
            return Fenced()
        try:
            digest = opened.digest()
        except (OSError, BlobDamaged) as error:
            log.error("the plain stream cannot be read again: %s", error)
            digest = None
        finally:
            os.close(opened.fd)
        if opened.ledger.refused:
            counts = ", ".join(f"{count} times {refusal.value}" for refusal, count in opened.ledger.refused.items())
            log.warning("plain chunks refused: %s", counts)
        return Fenced(opened.ledger.close(), digest)

    def announced(self, handle: str) -> OpenHandle | None:
        """The open handle of that name."""
        return self._handles.get(handle)

    def wait(self, handle: str) -> "asyncio.Future[None] | None":
        """Done when `handle` is announced; None where too many wait already. Give it back with `wait_no_more`."""
        if self._waiting >= self.limits.waiting:
            return None
        self._waiting += 1
        waiter = asyncio.get_running_loop().create_future()
        self._announced.setdefault(handle, set()).add(waiter)
        return waiter

    def wait_no_more(self, handle: str, waiter: "asyncio.Future[None]") -> None:
        """Gives a waiting place back."""
        self._waiting -= 1
        waiters = self._announced[handle]
        waiters.discard(waiter)
        waiter.cancel()
        if not waiters:
            del self._announced[handle]

    def take(self, opened: OpenHandle, target: Target, chunk: memoryview) -> int:
        """Judges, writes and holds an admitted chunk; the status of the answer. One step for everybody else."""
        refusal = opened.ledger.judge(target.sub_stream, target.index, [chunk], target.seal)
        if refusal is not None:
            return STATUS[refusal]
        try:
            opened.write(target.index, chunk)
        except (OSError, DestinationFull) as error:
            log.error("a plain chunk cannot be written: %s", error)
            return 503
        self.on_held(target.handle, target.index)
        return 204

    def buffer(self) -> bytearray:
        """A buffer of `MAX_CHUNK` bytes, what it held last still in it. Give it back with `keep`."""
        return self._warm.pop() if self._warm else bytearray(MAX_CHUNK)

    def keep(self, buffer: bytearray) -> None:
        """Takes a buffer back."""
        if len(self._warm) < WARM_BUFFERS:
            self._warm.append(buffer)
