"""A plain blob: the plain stream in clear, each byte at its own offset.

It is written in any order, by any process that has its path, until `ref` is taken; from then on it is only read.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sieve.store import blob_file
from sieve.store.blob_file import Bytes
from sieve.store.blob_ref import BlobRef
from sieve.store.errors import BlobDamaged

WINDOW: Final = 256 * 1024


class PlainWriter:
    """Writes one plain blob. End it with `ref` or `discard`. Blocking, but for small writes only as long as a copy."""

    def __init__(self, path: Path, owner: str, purpose: str) -> None:
        """`path` ends in the blob's id and does not exist.

        Raises:
            DestinationFull: there is no room for a file.
        """
        self.path: Final = path
        self._owner, self._purpose = owner, purpose
        self._fd: int | None = blob_file.create(path)

    @property
    def _open_fd(self) -> int:
        if self._fd is None:
            raise ValueError("this blob is finished; it is never written again")
        return self._fd

    def reserve(self, size: int) -> None:
        """Makes sure that `size` bytes find room.

        Raises:
            DestinationFull: they do not.
        """
        blob_file.reserve(self._open_fd, size)

    def write_at(self, offset: int, pieces: Sequence[Bytes]) -> int:
        """Writes all pieces, one after the other, from `offset` on; returns how many bytes.

        Raises:
            DestinationFull: there is no room.
        """
        return blob_file.write_at(self._open_fd, offset, pieces)

    def read(self, start: int, end: int) -> bytes:
        """What was written from `start` to `end`.

        Raises:
            BlobDamaged: the file is not that long.
        """
        return blob_file.read_at(self._open_fd, start, end - start)

    def sync(self) -> None:
        """Everything written so far is on the disk when this returns, whoever wrote it."""
        os.fsync(self._open_fd)

    def ref(self, size: int) -> BlobRef:
        """Ends the writing; `size` bytes count, what was reserved beyond them is given back. `sync` comes before.

        Raises:
            BlobDamaged: fewer bytes were written or reserved.
        """
        fd = self._open_fd
        length = os.fstat(fd).st_size
        if length < size:
            raise BlobDamaged("a plain stream is shorter than it was said to be")
        if length > size:
            os.ftruncate(fd, size)
            os.fsync(fd)
        self._close()
        return BlobRef(self.path.name, "plain", self._owner, self._purpose, size)

    def discard(self) -> None:
        """Removes the file, also after `ref`; not once a row names it. May be called twice."""
        self._close()
        self.path.unlink(missing_ok=True)

    def _close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


class PlainReader:
    """Random access to one plain blob; keeps the window that was read last, so that small reads in order are cheap."""

    def __init__(self, path: Path, ref: BlobRef) -> None:
        self._path, self._size = path, ref.size
        self._window = (0, b"")

    def read(self, start: int, end: int) -> bytes:
        """Bytes `start` to `end`.

        Raises:
            BlobDamaged: the file is missing or shorter than it was.
        """
        blob_file.check_range(start, end, self._size)
        window_start, window = self._window
        if window_start <= start and end <= window_start + len(window):
            return window[start - window_start : end - window_start]
        with blob_file.opened(self._path) as fd:
            if end - start >= WINDOW:
                return blob_file.read_at(fd, start, end - start)
            window = blob_file.read_at(fd, start, min(WINDOW, self._size - start))
        self._window = (start, window)
        return window[: end - start]
