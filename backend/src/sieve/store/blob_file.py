"""Files of blobs: made once, mode 0600, written at offsets, read exactly. A full disk has one name: `StorageFull`.

A file with unexpected content raises `BlobDamaged`. Neither error reveals a byte of the file.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeAlias

from sieve.store.errors import FULL, BlobDamaged, StorageFull

Bytes: TypeAlias = bytes | bytearray | memoryview

# The least that POSIX lets IOV_MAX be is 16; Linux takes 1024.
_MAX_PIECES: Final = 512
_FULL_DISK: Final = "the disk that holds the documents is full; free some space"


def create(path: Path) -> int:
    """A descriptor of a new file, to read and write.

    Raises:
        StorageFull: there is no room for it.
    """
    with _no_room():
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def create_folder(path: Path) -> None:
    """Creates a folder unless it exists.

    Raises:
        StorageFull: there is no room for it.
    """
    with _no_room():
        path.mkdir(exist_ok=True, mode=0o700)


def reopen(path: Path) -> int:
    """A descriptor of an existing file, to read and write on.

    Raises:
        BlobDamaged: there is no such file.
    """
    return _open(path, os.O_RDWR)


def reserve(fd: int, size: int) -> None:
    """Makes sure that `size` bytes find room; the file is that long then.

    Raises:
        StorageFull: they do not.
    """
    if size:  # fallocate refuses to reserve nothing
        with _no_room():
            os.posix_fallocate(fd, 0, size)


def check_free(folder: Path, size: int) -> None:
    """Looks whether that many bytes are free where `folder` is.

    Raises:
        StorageFull: they are not.
    """
    disk = os.statvfs(folder)
    if disk.f_bavail * disk.f_frsize < size:
        raise StorageFull(_FULL_DISK)


def write_at(fd: int, offset: int, pieces: Sequence[Bytes]) -> int:
    """Writes all pieces, one after the other, from `offset` on; returns how many bytes.

    Raises:
        StorageFull: there is no room.
    """
    total = 0
    rest = [view for piece in pieces if len(view := memoryview(piece).cast("B"))]
    with _no_room():
        while rest:
            written = os.pwritev(fd, rest[:_MAX_PIECES], offset + total)
            total += written
            whole = 0
            while whole < len(rest) and written >= len(rest[whole]):
                written -= len(rest[whole])
                whole += 1
            del rest[:whole]
            if written:
                rest[0] = rest[0][written:]
    return total


def read_at(fd: int, offset: int, size: int) -> bytes:
    """Exactly `size` bytes from `offset` on.

    Raises:
        BlobDamaged: the file ends before.
    """
    data = os.pread(fd, size, offset)
    if len(data) == size:
        return data
    parts = [data]
    missing = size - len(data)
    while missing:
        # A read of more than 2 GiB comes in parts; so may one that a signal interrupts.
        data = os.pread(fd, missing, offset + size - missing)
        if not data:
            raise BlobDamaged("a stored file is shorter than it was; restore it from a backup")
        parts.append(data)
        missing -= len(data)
    return b"".join(parts)


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """A descriptor to read from, for as long as the block lasts.

    Raises:
        BlobDamaged: there is no such file.
    """
    fd = _open(path, os.O_RDONLY)
    try:
        yield fd
    finally:
        os.close(fd)


def _open(path: Path, how: int) -> int:
    try:
        return os.open(path, how | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError as error:
        raise BlobDamaged("a stored file is missing; restore it from a backup") from error


def sync_folder(path: Path) -> None:
    """Makes the names in a folder durable."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


@contextmanager
def _no_room() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise StorageFull(_FULL_DISK) from error
        raise


def check_range(start: int, end: int, size: int) -> None:
    """Refuses a range that does not lie inside a blob; that is a defect of the caller's."""
    if not 0 <= start <= end <= size:
        raise ValueError("the range does not lie inside the blob")
