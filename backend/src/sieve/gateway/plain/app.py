"""The plain listener's app: takes sealed chunks for announced handles, and nothing else.

    PUT /<handle>/<sub-stream>/<index>     Content-Length: as planned     Seal: 32 hexadecimal digits

Invariant: a byte reaches the disk only after its chunk's seal is verified. Nothing is read for a handle that was not
announced. Waiting requests, slots, queued writes and chunk size bound the memory. The sender ignores the answers.

A chunk is held once it is verified; a thread then writes it, because the disk is slower than the network (ADR 12). The
fence waits for the writes, and reports which files could not be written.

`protocol` parses the requests; this module handles them.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from mmap import mmap

from sieve.channel.attempt_split import PlainSplit
from sieve.channel.chunk_sizes import MAX_CHUNK
from sieve.channel.ledger import PlainLedger, Refusal
from sieve.channel.seals import SealKey
from sieve.gateway.plain.files import OpenPart, PlainFiles, Sum
from sieve.gateway.plain.write_behind import WriteBehind
from sieve.store.errors import BlobDamaged

log = logging.getLogger(__name__)

MAX_LINE = 16 * 1024 * 1024
"""The most bytes of one message between gateway and plain listener."""
STATUS = {
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
    within `grace_s` plus its length at `min_rate` (bytes per second). `slots`: chunks of one handle in progress.
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
    """The target of a request, from its head."""

    handle: str
    sub_stream: int
    index: int
    length: int
    seal: bytes


@dataclass(frozen=True, slots=True)
class Fenced:
    """The chunks that were held at the fence; the digest and tags of each document, if its stream is complete and they
    are known; the numbers of the files that could not be written."""

    held: frozenset[int] = frozenset()
    sums: tuple[Sum | None, ...] = ()
    failed: tuple[int, ...] = ()


@dataclass(slots=True)
class OpenHandle:
    """An announced attempt: its ledger, and the files for its chunks."""

    ledger: PlainLedger
    files: PlainFiles

    def write(self, number: int, chunk: memoryview) -> None:
        """Writes a held chunk to its position. Runs in the writing thread, and never raises: `fence` reports errors."""
        rest = chunk
        for start, end in self.ledger.chunks.ranges(number):
            piece, rest = rest[: end - start], rest[end - start :]
            self.files.write_at(start, piece)

    def end(self, held: frozenset[int]) -> Fenced:
        """Closes the files and reports. Runs in the writing thread, after its writes."""
        sums: tuple[Sum | None, ...] = ()
        try:
            if self.ledger.complete:
                sums = self.files.sums()
        except (OSError, BlobDamaged) as error:
            log.error("the plain stream cannot be read again: %s", error)
        finally:
            self.files.close()
        return Fenced(held, sums, self.files.failed)


@dataclass(slots=True)
class PlainApp:
    """Calls `on_held(handle, number)` on the event loop for each chunk that it holds."""

    limits: PlainLimits
    on_held: Callable[[str, int], None]
    handles: dict[str, OpenHandle] = field(default_factory=dict)
    waiters: dict[str, set["asyncio.Future[None]"]] = field(default_factory=dict)
    waiting: int = 0
    # In the order in which chunks were held, for the digest.
    writes: WriteBehind = field(default_factory=lambda: WriteBehind(MAX_CHUNK))

    def open(self, handle: str, plain_key: SealKey, parts: Sequence[OpenPart], split: PlainSplit) -> None:
        """Takes chunks for `handle` from now on, into the files of these parts, which have room for all of it or
        will be dropped.
        """
        ledger = PlainLedger(plain_key, split.chunks(), self.limits.slots)
        self.handles[handle] = OpenHandle(ledger, PlainFiles(parts))
        for waiter in self.waiters.get(handle, ()):
            if not waiter.done():
                waiter.set_result(None)

    async def close(self, handle: str) -> Fenced:
        """Takes no more chunks for `handle`; reports what it held once all of it is written."""
        opened = self.handles.pop(handle, None)
        if opened is None:
            return Fenced()
        held = opened.ledger.close()
        if opened.ledger.refused:
            counts = ", ".join(f"{count} times {refusal.value}" for refusal, count in opened.ledger.refused.items())
            log.warning("plain chunks refused: %s", counts)
        return await asyncio.wrap_future(self.writes.after(opened.end, held))

    async def written(self, handle: str) -> frozenset[int]:
        """The chunks that are held now, once they are written; none if a file could not be written."""
        opened = self.handles.get(handle)
        if opened is None:
            return frozenset()
        held = frozenset(opened.ledger.held)
        failed = await asyncio.wrap_future(self.writes.after(lambda: opened.files.failed))
        return frozenset() if failed else held

    async def drop(self, handle: str, file: int) -> None:
        """Discards what still comes for that file of `handle`; the file is closed when this returns."""
        opened = self.handles.get(handle)
        if opened is not None:
            await asyncio.wrap_future(self.writes.after(opened.files.drop, file))

    def announced(self, handle: str) -> OpenHandle | None:
        """The open handle of that name."""
        return self.handles.get(handle)

    def wait(self, handle: str) -> "asyncio.Future[None] | None":
        """A future that ends when `handle` is announced; None if too many wait already. Return it with
        `wait_no_more`."""
        if self.waiting >= self.limits.waiting:
            return None
        self.waiting += 1
        waiter = asyncio.get_running_loop().create_future()
        self.waiters.setdefault(handle, set()).add(waiter)
        return waiter

    def wait_no_more(self, handle: str, waiter: "asyncio.Future[None]") -> None:
        """Ends a wait."""
        self.waiting -= 1
        waiters = self.waiters[handle]
        waiters.discard(waiter)
        waiter.cancel()
        if not waiters:
            del self.waiters[handle]

    def take(self, opened: OpenHandle, target: Target, buffer: mmap) -> int:
        """Verifies an admitted chunk, which is in `buffer`, and holds it; returns the status of the answer. Atomic for
        other tasks. A thread writes the chunk and then returns the buffer.
        """
        chunk = memoryview(buffer)[: target.length]
        refusal = opened.ledger.judge(target.sub_stream, target.index, chunk, target.seal)
        if refusal is not None:
            self.writes.keep(buffer)
            return STATUS[refusal]
        number = opened.ledger.hold(target.sub_stream, target.index)
        self.on_held(target.handle, number)
        self.writes.write(opened.write, number, chunk, buffer=buffer)
        return 204
