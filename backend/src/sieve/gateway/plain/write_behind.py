"""A thread that writes received data, so that receiving continues while the slower disk works (ADR 12).

Invariant: writes happen in the order in which they were given. Memory is bounded: once the queue is full, the network
waits for the disk.
"""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from mmap import mmap
from threading import Lock
from typing import Any, TypeVar

from sieve.store.direct_file import DirectFile
from sieve.store.errors import StorageFull

# The most buffers that wait to be written.
MOST_BEHIND = 16

T = TypeVar("T")


@dataclass(slots=True)
class WriteBehind:
    """Writes buffers of `size` bytes, which start at a page, as writes around the page cache require."""

    size: int = 1024 * 1024
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "writes-behind"))
    _behind: deque[Future[None]] = field(default_factory=deque)
    # The event loop writes, and so does the thread that finishes a document.
    _lock: Lock = field(default_factory=Lock)
    # Buffers are reused: the first touch of fresh memory costs as much as receiving into it.
    _warm: list[mmap] = field(default_factory=list)

    def write(self, write: Callable[..., None], *arguments: Any, buffer: mmap) -> None:
        """Calls `write(*arguments)`, which never raises, in the thread, and then reuses `buffer`. Waits for the disk if
        too many buffers wait.
        """
        with self._lock:
            while self._behind and self._behind[0].done():
                self._behind.popleft()
            if len(self._behind) >= MOST_BEHIND:
                self._behind.popleft().result()
            written = self._thread.submit(write, *arguments)
            self._behind.append(written)
        # Appending to a list is safe between threads, so the loop may take a buffer immediately.
        written.add_done_callback(partial(self._back, buffer))

    def after(self, work: Callable[..., T], *arguments: Any) -> "Future[T]":
        """Calls `work(*arguments)` in the thread, after all earlier writes."""
        return self._thread.submit(work, *arguments)

    def buffer(self) -> mmap:
        """A buffer, with its old content. Return it with `keep` or pass it to `write`."""
        try:
            return self._warm.pop()
        except IndexError:
            return mmap(-1, self.size)

    def keep(self, buffer: mmap) -> None:
        """Takes a buffer back."""
        if len(self._warm) < MOST_BEHIND:
            self._warm.append(buffer)

    def _back(self, buffer: mmap, _: "Future[None]") -> None:
        self.keep(buffer)


class GatheredFile:
    """A file that is written behind from its start on, in whole buffers, from pieces of any size."""

    def __init__(self, file: DirectFile, writes: WriteBehind, written: Callable[[int, memoryview], None]) -> None:
        """Closes `file` at the end. The writing thread calls `written` with each piece, in order."""
        self._file: DirectFile | None = file
        self._writes, self._written = writes, written
        self._buffer: mmap | None = None
        self._failure: Exception | None = None
        self.end = 0
        """Where the next piece begins."""

    def append(self, data: bytes | bytearray | memoryview) -> None:
        """Takes the next piece. A write error is raised at the end."""
        rest = memoryview(data)
        while rest:
            at = self.end % self._writes.size
            if self._buffer is None:
                self._buffer = self._writes.buffer()
            piece, rest = rest[: self._writes.size - at], rest[self._writes.size - at :]
            self._buffer[at : at + len(piece)] = piece
            self.end += len(piece)
            if self.end % self._writes.size == 0:
                self._write(self._writes.size)

    def finish(self) -> None:
        """Waits until all of it is written, and closes the file. Blocking.

        Raises:
            StorageFull, OSError: it could not be written.
        """
        if self._buffer is not None:
            self._write(self.end % self._writes.size)
        self._writes.after(self._close).result()
        if self._failure is not None:
            raise self._failure

    def discard(self) -> None:
        """Closes the file after its pending writes. May be called twice, also after `finish`."""
        if self._buffer is not None:
            self._writes.keep(self._buffer)
            self._buffer = None
        self._writes.after(self._close)

    def _write(self, size: int) -> None:
        buffer, self._buffer = self._buffer, None
        if buffer is not None:
            start = (self.end - 1) // self._writes.size * self._writes.size
            self._writes.write(self._put, start, memoryview(buffer)[:size], buffer=buffer)

    def _put(self, start: int, data: memoryview) -> None:
        """In the writing thread."""
        if self._file is None or self._failure is not None:
            return
        try:
            self._file.write_at(start, data)
            self._written(start, data)
        except (StorageFull, OSError) as error:
            self._failure = error

    def _close(self) -> None:
        """In the writing thread, after all writes."""
        if self._file is not None:
            self._file.close()
            self._file = None
