"""Copies of blobs from one place to another, under the same ids, each compared with what was copied. Blocking."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

from blake3 import blake3

from sieve.store import blob_file
from sieve.store.blob_folder import BlobFolder
from sieve.store.blob_place import BlobPlace, Bucket
from sieve.store.errors import BlobDamaged

_PIECE: Final = 8 * 1024 * 1024


class CopyPlace(Protocol):
    """Where blobs are copied from, or to. Everything here raises OSError if it cannot be read or written."""

    @property
    def address(self) -> str:
        """What it is, for people."""

    def id(self) -> str | None:
        """See `BlobsAtStart`."""

    def name(self, folder_id: str) -> None:
        """See `BlobsAtStart`."""

    def is_empty(self) -> bool:
        """Whether no blob is there."""

    def pieces(self, blob_id: str) -> Iterator[bytes]:
        """Its bytes.

        Raises:
            BlobDamaged: it is missing.
        """

    def put(self, blob_id: str, pieces: Iterator[bytes]) -> None:
        """Stores it durably, in place of what is there under that id."""


class FolderCopies:
    """A blob folder. It implements `CopyPlace`."""

    def __init__(self, root: Path) -> None:
        self._folder = BlobFolder(root)
        self._folder.prepare()
        self.address: Final = str(root)
        self.id: Final = self._folder.id
        self.name: Final = self._folder.name

    def is_empty(self) -> bool:
        return not self._folder.compared(()).found

    def pieces(self, blob_id: str) -> Iterator[bytes]:
        with self._folder.open(blob_id) as blob:
            for start in range(0, blob.size, _PIECE):
                yield blob.read_at(start, min(_PIECE, blob.size - start))

    def put(self, blob_id: str, pieces: Iterator[bytes]) -> None:
        path = self._folder.path(blob_id)
        if not path.parent.exists():
            blob_file.create_folder(path.parent)
            blob_file.sync_folder(self._folder.root)
        path.unlink(missing_ok=True)
        _write(path, pieces)
        blob_file.sync_folder(path.parent)


class BucketCopies:
    """A bucket; its spool is where a blob is until it is in the bucket. It implements `CopyPlace`."""

    def __init__(self, bucket: Bucket) -> None:
        from sieve.store.s3_objects import S3Objects

        self._objects = S3Objects(bucket.address)
        self._spool = BlobFolder(bucket.spool)
        self._spool.prepare()
        self._objects.check()
        self.address: Final = str(bucket.address)
        self.id: Final = self._objects.folder_id
        self.name: Final = self._objects.name
        self.pieces: Final = self._objects.pieces

    def is_empty(self) -> bool:
        return next(self._objects.all(), None) is None

    def put(self, blob_id: str, pieces: Iterator[bytes]) -> None:
        path = self._spool.root / f"copy-{blob_id}"
        path.unlink(missing_ok=True)
        try:
            size = _write(path, pieces)
            self._objects.remove([blob_id])  # an object is never changed
            self._objects.put(blob_id, path, size)
        finally:
            path.unlink(missing_ok=True)


def copy_place(place: BlobPlace) -> CopyPlace:
    """A place to copy from or to. A folder or spool that is missing is made.

    Raises:
        BlobsUnreachable: the S3 store does not answer.
        OSError: a folder cannot be used.
    """
    return BucketCopies(place) if isinstance(place, Bucket) else FolderCopies(place)


def copy_blob(blob_id: str, source: CopyPlace, target: CopyPlace) -> int | None:
    """Copies a blob, and reads the copy once more; returns its bytes, or None if the target had it already.

    Raises:
        BlobDamaged: it is missing, or the copy differs.
    """
    try:
        digest, size = _digest(source.pieces(blob_id))
    except BlobDamaged as error:
        raise BlobDamaged(f"{blob_id[:2]}/{blob_id} in {source.address}: {error}") from error
    try:
        if _digest(target.pieces(blob_id)) == (digest, size):
            return None
    except BlobDamaged:
        pass  # it is not there yet, or an interrupted copy
    target.put(blob_id, source.pieces(blob_id))
    if _digest(target.pieces(blob_id)) != (digest, size):
        raise BlobDamaged(f"the copy of a stored file in {target.address} differs from what was copied; try again")
    return size


def _digest(pieces: Iterator[bytes]) -> tuple[bytes, int]:
    found, size = blake3(), 0
    for piece in pieces:
        found.update(piece)
        size += len(piece)
    return found.digest(), size


def _write(path: Path, pieces: Iterator[bytes]) -> int:
    fd, size = blob_file.create(path), 0
    with os.fdopen(fd, "wb") as file:
        for piece in pieces:
            size += file.write(piece)
        file.flush()
        os.fsync(fd)
    return size
