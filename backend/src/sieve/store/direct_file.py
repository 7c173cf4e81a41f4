"""A file that is written around the page cache where the disk and the alignment allow it, and through it elsewhere.

Bytes that are written once, and read much later, gain nothing from a copy in the page cache: the copy costs a page
each, the sync at the end costs the same bytes again, and other files lose their place there (ADR 12).
"""

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from sieve.store import blob_file

# The alignment of offset, length and memory of direct writes. No disk has larger blocks.
BLOCK: Final = 4096


class DirectFile:
    """An existing file, for writes at offsets and reads; from any thread, one at a time."""

    def __init__(self, fd: int, direct_fd: int | None = None) -> None:
        """`direct_fd`: the same file, open for writes around the page cache. This object closes both."""
        self._fd, self._direct_fd = fd, direct_fd

    @classmethod
    def open(cls, path: Path, *, around: bool = True) -> Self:
        """`around`: whether to avoid the page cache; for few bytes that costs more than it saves.

        Raises:
            OSError: it cannot be opened.
        """
        file = cls(os.open(path, os.O_RDWR | os.O_CLOEXEC))
        if around:
            with suppress(OSError):  # the file system does not support it, such as one in memory
                file._direct_fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_DIRECT)
        return file

    @property
    def descriptors(self) -> tuple[int, ...]:
        """The open descriptors, in the order in which a `DirectFile` takes them."""
        return (self._fd,) if self._direct_fd is None else (self._fd, self._direct_fd)

    def write_at(self, offset: int, data: memoryview) -> None:
        """Writes `data`, which begins on a page of memory, from `offset` on.

        Raises:
            StorageFull, OSError: it cannot be written.
        """
        whole = len(data) // BLOCK * BLOCK
        around = whole if offset % BLOCK == 0 and self._write_around(offset, data[:whole]) else 0
        if around < len(data):
            blob_file.write_at(self._fd, offset + around, [data[around:]])

    def _write_around(self, offset: int, blocks: memoryview) -> bool:
        """Whether these whole blocks could be written around the page cache."""
        if self._direct_fd is None or not blocks:
            return False
        try:
            blob_file.write_at(self._direct_fd, offset, [blocks])
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
            os.close(self._direct_fd)  # it opened, but refuses aligned writes
            self._direct_fd = None
            return False
        return True

    def read_at(self, offset: int, size: int) -> bytes:
        """Exactly `size` bytes from `offset` on.

        Raises:
            BlobDamaged: the file ends before.
        """
        return blob_file.read_at(self._fd, offset, size)

    def close(self) -> None:
        """Closes it."""
        os.close(self._fd)
        if self._direct_fd is not None:
            os.close(self._direct_fd)
