"""The blob folder: immutable files, one a blob, named by its id in 256 folders; mode 0600 in folders of mode 0700. A
small sealed blob may be kept in its row in place of a file, sealed all the same.

A blob counts from the moment that a committed row names it. The order that makes it safe: write the bytes, sync
them, sync the folders (`sync_folder`), commit the row. Whatever a crash leaves behind is a file that no row names, and
the next start moves it to quarantine (`opening`). There are no temporary files: what is classified reaches the disk
sealed or not at all.
"""

import logging
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Lock, RLock
from typing import Final, TypeVar
from uuid import uuid4

from sieve.store import blob_file
from sieve.store.blob_file import Bytes
from sieve.store.blob_folder import ID
from sieve.store.blob_ref import BlobKind, BlobRef
from sieve.store.errors import BlobDamaged, DestinationFull
from sieve.store.keys import MasterKeys
from sieve.store.plain_blob import PlainReader, PlainWriter, tagged
from sieve.store.scattered_blob import ScatteredWriter
from sieve.store.sealed_blob import FREE_FOR_ROWS, SealedFile, SealedInRow, SealedReader, SealedWriter

__all__ = [
    "BlobDamaged",
    "BlobKind",
    "BlobRef",
    "BlobStore",
    "DestinationFull",
    "PlainReader",
    "PlainWriter",
    "ScatteredWriter",
    "SealedReader",
    "SealedWriter",
]

log = logging.getLogger(__name__)

SYNCERS: Final = 16
"""Files that are synced at a time."""

IN_ROW: Final = 32 * 1024
"""Sealed blobs of so many bytes and fewer, whose size is known before, are kept in their rows: a file costs three
round trips to the disk, and a row none, since it is part of a commit that is due anyway."""

T = TypeVar("T")


class BlobStore:
    """All of a gateway's blobs. Everything here blocks. Any number of threads may use it; a writer, one."""

    def __init__(self, root: Path, keys: MasterKeys, rows: Path | None = None) -> None:
        """Makes the folders if need be. `rows`: the folder of the database, if that may lie on another disk."""
        self._root, self._keys = root, keys
        self._rows = rows or root
        self._unsynced: set[Path] = set()
        self._syncing = Lock()
        self._syncers = ThreadPoolExecutor(SYNCERS, "blob-sync")
        # How often each blob is held, and which of those are to go when they no longer are.
        self._held: Counter[str] = Counter()
        self._doomed: set[str] = set()
        # Who stops reading early lets go when the interpreter clears up after them: in any thread, also one inside it.
        self._holding = RLock()
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        for number in range(256):
            (root / f"{number:02x}").mkdir(exist_ok=True, mode=0o700)
        blob_file.sync_folder(root)
        blob_file.sync_folder(root.parent)

    # --- writing ---------------------------------------------------------------------------------------------------

    def try_to_write(self) -> None:
        """Writes a file without a name, and looks whether there is room for more.

        Raises:
            DestinationFull: there is not, here or where the rows lie.
            OSError: it cannot be written.
        """
        with tempfile.TemporaryFile(dir=self._root) as file:
            blob_file.write_at(file.fileno(), 0, [b"\0"])
            os.fsync(file.fileno())
        for folder in {self._root, self._rows}:
            blob_file.check_free(folder, FREE_FOR_ROWS)

    def new_plain(self, *, owner: str, purpose: str, near: str = "") -> PlainWriter:
        """A writer of a new plain blob; its file exists at once.

        Raises:
            DestinationFull: there is no room for a file.
        """
        writer = PlainWriter(self._new_path(near), owner, purpose, self._keys)
        self._unsynced.add(writer.path.parent)
        return writer

    def new_sealed(self, *, owner: str, purpose: str, near: str = "") -> SealedWriter:
        """A writer of a new sealed blob. `owner` and `purpose` are bound to its key.

        Raises:
            DestinationFull: there is no room for a file.
        """
        writer = SealedWriter(self._new_path(near), owner, purpose, self._keys)
        self._unsynced.add(writer.path.parent)
        return writer

    def kept_in_row(self, clear: Bytes, *, owner: str, purpose: str) -> BlobRef:
        """A sealed blob of at most `SEGMENT` bytes that is no file: its row holds it. Does not block.

        Raises:
            ValueError: it is longer.
        """
        into = self._in_row(owner, purpose)
        into.seal(0, clear, last=True)
        return into.finish(len(clear))

    def new_scattered(self, *, owner: str, purpose: str, size: int, near: str = "") -> ScatteredWriter:
        """A writer of a new sealed blob of `size` bytes, which come in any order; of few, its row will hold them.

        Raises:
            DestinationFull: there is no room for a file.
        """
        if size <= IN_ROW:
            return ScatteredWriter(self._in_row(owner, purpose), size)
        file = SealedFile(self._new_path(near), owner, purpose, self._keys, resumable=True)
        self._unsynced.add(file.path.parent)
        return ScatteredWriter(file, size)

    def resume_plain(self, ref: BlobRef) -> PlainWriter:
        """The writer of a plain blob whose writing was interrupted.

        Raises:
            BlobDamaged: its file is missing.
        """
        return PlainWriter(self._path(ref.id), ref.owner, ref.purpose, self._keys, resumed=True)

    def resume_scattered(self, ref: BlobRef, whole: Iterable[tuple[int, int]]) -> ScatteredWriter:
        """The writer of a sealed blob, made by `new_scattered`, whose writing was interrupted. `whole`: where the
        segments lie that were written and synced.

        Raises:
            BlobDamaged: its file is missing, or its key does not open.
            MasterKeyMissing: the master key that it needs is not here.
        """
        begun = replace(ref, size=0)
        file = SealedFile(self._path(ref.id), ref.owner, ref.purpose, self._keys, resumable=True, begun=begun)
        return ScatteredWriter(file, ref.size, whole)

    @property
    def keys(self) -> MasterKeys:
        """What seals the blobs, and the rows that speak of them."""
        return self._keys

    def sync_folder(self) -> None:
        """The names of all blobs made so far are on the disk when this returns."""
        # Under the lock to the end: who finds nothing left to sync must not go on before the other's sync is done.
        with self._syncing:
            folders = []
            while self._unsynced:
                folders.append(self._unsynced.pop())
            failures = self.at_once([partial(blob_file.sync_folder, folder) for folder in folders])
            for failure in filter(None, failures):
                self._unsynced.update(folders)
                raise failure

    def at_once(self, steps: Sequence[Callable[[], T]]) -> list[T | Exception]:
        """What each step comes to, or what it raises. They run side by side, for most of each is to wait for the disk:
        files that are synced at the same time share its journal's commits. 96 of them took 10 to 20 ms so, and 170 to
        1,200 ms one after the other.
        """
        if len(steps) == 1:
            return [_tried(steps[0])]
        return list(self._syncers.map(_tried, steps))

    # --- reading ---------------------------------------------------------------------------------------------------

    def open_plain(self, ref: BlobRef, digest: bytes | None = None) -> PlainReader:
        """Random access to a plain blob. `digest`: BLAKE3 of the stream, needed for a blob without tags."""
        return PlainReader(self._path(ref.id), ref, self._keys, digest)

    def tag(self, ref: BlobRef, digest: bytes) -> BlobRef:
        """The reference of a plain blob without tags, with them. Reads all of it.

        Raises:
            BlobDamaged: it is missing, or its bytes do not fit the digest.
        """
        return tagged(ref, *self.open_plain(ref, digest).tags_by_digest(), self._keys)

    def open_sealed(self, ref: BlobRef) -> SealedReader:
        """Random access to the clear text of a sealed blob.

        Raises:
            BlobDamaged: its key does not open.
            MasterKeyMissing: its master key is not here.
        """
        return SealedReader(self._path(ref.id), ref, self._keys)

    @contextmanager
    def held(self, *refs: BlobRef) -> Iterator[None]:
        """These blobs can be read for as long as the block lasts; one that is deleted meanwhile goes at its end.

        Raises:
            BlobDamaged: one of them is not there.
        """
        with self._holding:
            if not all(self.is_there(ref) for ref in refs):
                raise BlobDamaged("a stored file is missing; restore it from a backup")
            self._held.update(ref.id for ref in refs)
        try:
            yield
        finally:
            with self._holding:
                self._held.subtract(ref.id for ref in refs)
                free = {ref.id for ref in refs if not self._held[ref.id]}
                for blob_id in free:
                    del self._held[blob_id]
                for blob_id in free & self._doomed:
                    self._doomed.discard(blob_id)
                    self._path(blob_id).unlink(missing_ok=True)

    def is_there(self, ref: BlobRef) -> bool:
        """Whether its file, or row, is there."""
        return ref.content is not None or self._path(ref.id).exists()

    # --- removing --------------------------------------------------------------------------------------------------

    def delete(self, ref: BlobRef) -> None:
        """Removes a blob, if it is there; once nobody holds it. First commit that no row needs it."""
        with self._holding:
            if self._held[ref.id]:
                self._doomed.add(ref.id)
            else:
                self._path(ref.id).unlink(missing_ok=True)

    def delete_all(self, refs: Iterable[BlobRef]) -> None:
        """Removes blobs that no row needs any more, as far as it can: nothing can undo the commit, so nothing fails."""
        for ref in refs:
            try:
                self.delete(ref)
            except OSError as error:
                log.warning(
                    "a file that is not needed cannot be removed; the next start moves it to quarantine: %s",
                    error.strerror,
                )

    def _in_row(self, owner: str, purpose: str) -> SealedInRow:
        return SealedInRow(uuid4().hex, owner, purpose, self._keys, self._rows)

    def _new_path(self, near: str) -> Path:
        """A new blob's. `near`: the id of one that is stored together with it; in one folder, one sync serves both."""
        folder = near[:2]
        return self._path(folder + uuid4().hex[len(folder) :])

    def _path(self, blob_id: str) -> Path:
        if not ID.fullmatch(blob_id):
            raise ValueError("this is no id of a blob")
        return self._root / blob_id[:2] / blob_id


def _tried(step: Callable[[], T]) -> T | Exception:
    """What it comes to, or what it raises: the others go on."""
    try:
        return step()
    except Exception as error:
        return error
