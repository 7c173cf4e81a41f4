"""All blobs of a gateway: immutable bytes, named by an id, sealed if they are classified. `BlobStorage` stores them; a
small sealed blob may be stored in its row instead.

Invariant: a blob counts once a committed row names it. The order is: write the bytes, `finish`, `sync_names`, commit
the row. A crash can only leave a blob that no row names; it is found later (`folder_at_start`, `s3_sweep`). There
are no temporary files: classified bytes reach the disk sealed or not at all.
"""

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import RLock
from typing import Final
from uuid import uuid4

from sieve.store import blob_file
from sieve.store.blob_file import Bytes
from sieve.store.blob_ref import BlobKind, BlobRef
from sieve.store.blob_storage import BlobStorage
from sieve.store.errors import BlobDamaged, StorageFull
from sieve.store.master_keys import MasterKeys
from sieve.store.out_of_order_blob import ScatteredWriter
from sieve.store.plain_blob import PlainReader, PlainWriter, tagged
from sieve.store.sealed_blob import FREE_FOR_ROWS, SealedFile, SealedInRow, SealedReader, SealedWriter

__all__ = [
    "BlobDamaged",
    "BlobKind",
    "BlobRef",
    "BlobStore",
    "PlainReader",
    "PlainWriter",
    "ScatteredWriter",
    "SealedReader",
    "SealedWriter",
    "StorageFull",
]

log = logging.getLogger(__name__)

IN_ROW: Final = 32 * 1024
"""The most bytes of a sealed blob that is stored in its row, if its size is known in advance: a file costs three round
trips to the disk; a row costs none, because it is part of a commit that is due anyway."""


class BlobStore:
    """All of a gateway's blobs. Everything here blocks. Any number of threads may use it; a writer, one."""

    def __init__(self, storage: BlobStorage, keys: MasterKeys, rows: Path | None = None) -> None:
        """Prepares the storage. `rows`: the folder of the database, if that may be on another disk."""
        self._storage = storage
        self.keys = keys
        """They seal the blobs, and the rows that describe them."""
        self._check_free_for_rows = storage.check_free if rows is None else partial(blob_file.check_free, rows)
        # The readers of each blob, and the blobs to remove when their last reader is done.
        self._held: Counter[str] = Counter()
        self._doomed: set[str] = set()
        # Reentrant: the garbage collector may end an abandoned reader in any thread, also in one that has the lock.
        self._holding = RLock()
        self.is_remote: Final = storage.is_remote
        """Whether reading may wait for a network: then it happens in a thread, or while `brought` is open."""
        self.tell_removed: Callable[[str], object] = lambda _: None
        """Tells the other replicas that a blob was removed; called in any thread."""
        storage.prepare()

    # --- writing ---------------------------------------------------------------------------------------------------

    def try_to_write(self) -> None:
        """Checks that blobs and rows can be written.

        Raises:
            StorageFull: there is not enough room for blobs or for rows.
            OSError: the storage cannot be written.
        """
        self._storage.check_writable()
        for check_free in (self._storage.check_free, self._check_free_for_rows):
            check_free(FREE_FOR_ROWS)

    def full(self) -> str | None:
        """Why blobs find no room for the moment: the spool is full of documents in progress. None if they do."""
        return self._storage.full()

    def new_plain(self, *, owner: str, purpose: str, near: str = "") -> PlainWriter:
        """A writer of a new plain blob. `near`: the id of a blob that will be stored together with it.

        Raises:
            StorageFull: there is no room for it.
        """
        return PlainWriter(self._storage.create(near), owner, purpose, self.keys)

    def new_sealed(self, *, owner: str, purpose: str, near: str = "") -> SealedWriter:
        """A writer of a new sealed blob. `owner` and `purpose` are bound to its key.

        Raises:
            StorageFull: there is no room for it.
        """
        return SealedWriter(self._storage.create(near), owner, purpose, self.keys)

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
            StorageFull: there is no room for a file.
        """
        if size <= IN_ROW:
            return ScatteredWriter(self._in_row(owner, purpose), size)
        file = SealedFile(self._storage.create(near), owner, purpose, self.keys, resumable=True)
        return ScatteredWriter(file, size)

    def resume_plain(self, ref: BlobRef) -> PlainWriter:
        """The writer of a plain blob whose writing was interrupted.

        Raises:
            BlobDamaged: its file is missing.
        """
        return PlainWriter(self._storage.resume(ref.id), ref.owner, ref.purpose, self.keys)

    def resume_scattered(self, ref: BlobRef, whole: Iterable[tuple[int, int]]) -> ScatteredWriter:
        """The writer of a sealed blob, made by `new_scattered`, whose writing was interrupted. `whole`: where the
        segments are that were written and synced.

        Raises:
            BlobDamaged: its file is missing, or its key does not open.
            MasterKeyMissing: the master key that it needs is not here.
        """
        begun = replace(ref, size=0)
        into = self._storage.resume(ref.id)
        file = SealedFile(into, ref.owner, ref.purpose, self.keys, resumable=True, begun=begun)
        return ScatteredWriter(file, ref.size, whole)

    def sync_names(self) -> None:
        """Makes all blobs that were created so far durable under their ids."""
        self._storage.sync_names()

    # --- reading ---------------------------------------------------------------------------------------------------

    def open_plain(self, ref: BlobRef, digest: bytes | None = None) -> PlainReader:
        """Random access to a plain blob. `digest`: BLAKE3 of the stream, needed for a blob without tags."""
        return PlainReader(self._storage, ref, self.keys, digest)

    def tag(self, ref: BlobRef, digest: bytes) -> BlobRef:
        """The reference of a plain blob without tags, with them. Reads all of it.

        Raises:
            BlobDamaged: it is missing, or its bytes do not fit the digest.
        """
        return tagged(ref, *self.open_plain(ref, digest).tags_by_digest(), self.keys)

    def open_sealed(self, ref: BlobRef) -> SealedReader:
        """Random access to the clear text of a sealed blob.

        Raises:
            BlobDamaged: its key does not open.
            MasterKeyMissing: its master key is not here.
        """
        return SealedReader(self._storage, ref, self.keys)

    @contextmanager
    def held(self, *refs: BlobRef) -> Iterator[None]:
        """These blobs can be read for as long as the block lasts; one that is deleted meanwhile goes at its end.

        Raises:
            BlobDamaged: one of them is not there.
        """
        with self._holding:
            self._held.update(ref.id for ref in refs)
        try:
            # Not under the lock: the storage may take its time.
            if not all(self.is_there(ref) for ref in refs):
                raise BlobDamaged("a stored file is missing; restore it from a backup")
            yield
        finally:
            with self._holding:
                self._held.subtract(ref.id for ref in refs)
                free = {ref.id for ref in refs if not self._held[ref.id]}
                for blob_id in free:
                    del self._held[blob_id]
                for blob_id in free & self._doomed:
                    self._doomed.discard(blob_id)
                    self._remove(blob_id)

    def brought(self, refs: Iterable[BlobRef]) -> ExitStack:
        """Fetches these blobs. Until the result is closed, which does not block, reading them waits for no network.

        Raises:
            BlobDamaged: one is missing.
            BlobsUnreachable: one cannot be fetched now.
            StorageFull: there is no room here to fetch it.
        """
        stack = ExitStack()
        stack.enter_context(self._storage.at_hand([ref.id for ref in refs if ref.content is None]))
        return stack

    def is_there(self, ref: BlobRef) -> bool:
        """Whether its file, or row, is there."""
        return ref.content is not None or self._storage.exists(ref.id)

    def can_resume(self, ref: BlobRef) -> bool:
        """Whether its file is here, where writing it was interrupted, or it is a row. Waits for no network."""
        return ref.content is not None or self._storage.can_resume(ref.id)

    # --- removing --------------------------------------------------------------------------------------------------

    def delete(self, ref: BlobRef) -> None:
        """Removes a blob, if it is there; once nobody holds it. First commit that no row needs it."""
        with self._holding:
            if self._held[ref.id]:
                self._doomed.add(ref.id)
            else:
                self._remove(ref.id)

    def delete_all(self, refs: Iterable[BlobRef]) -> None:
        """Removes blobs that no row needs any more, as far as it can: nothing can undo the commit, so nothing fails."""
        for ref in refs:
            try:
                self.delete(ref)
            except OSError as error:
                log.warning(
                    "a file that is not needed cannot be removed now; it will be found and removed later: %s",
                    error.strerror,
                )

    def removed_elsewhere(self, blob_id: str) -> None:
        """Another replica removed a blob: removes its copy here."""
        self._storage.forget_copy(blob_id)

    def forget_copies_but(self, known: Collection[str]) -> int:
        """Removes the copies here of blobs that no row names; returns how many. `known`: the ids that rows name."""
        return self._storage.forget_copies_but(known)

    def _remove(self, blob_id: str) -> None:
        self._storage.remove(blob_id)
        self.tell_removed(blob_id)

    def close(self) -> None:
        """Waits a moment for blobs that are being removed."""
        self._storage.close()

    def _in_row(self, owner: str, purpose: str) -> SealedInRow:
        return SealedInRow(uuid4().hex, owner, purpose, self.keys, self._check_free_for_rows)
