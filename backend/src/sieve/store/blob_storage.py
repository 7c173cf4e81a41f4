"""The storage behind `BlobStore`: where the bytes of blobs are. `BlobFolder` keeps them in a folder, `S3Storage` in a
bucket.

To add another storage, implement these protocols in a module beside them, and `open_store.BlobsAtStart`, which compares
the blobs with the database at each start. The gateway's `backup` knows the folder itself: it links its files. A blob
that is being written needs random access, so a storage of whole objects keeps it in a local spool until `finish`.

Invariant: once `finish` and then `sync_names` have returned, a committed row may name the blob. Everything here blocks.
"""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from sieve.store.blob_file import Bytes
from sieve.store.direct_file import DirectFile


class StoredBlob(Protocol):
    """A blob that is open for reading."""

    @property
    def size(self) -> int:
        """Its bytes as stored."""

    def read_at(self, offset: int, size: int) -> bytes:
        """Exactly `size` bytes from `offset` on.

        Raises:
            BlobDamaged: the blob ends before.
        """


class UnfinishedBlob(StoredBlob, Protocol):
    """A blob that is being written, at any offset. Several threads may use it, one at a time. End it with `finish` or
    `discard`, or `close` it.
    """

    @property
    def id(self) -> str:
        """The blob's id."""

    def reserve(self, size: int) -> None:
        """Reserves space for `size` bytes.

        Raises:
            StorageFull: there is not enough.
        """

    def write_at(self, offset: int, pieces: Sequence[Bytes]) -> int:
        """Writes all pieces, one after the other, from `offset` on; returns how many bytes.

        Raises:
            StorageFull: there is no room.
        """

    def open_direct(self, *, around: bool) -> DirectFile:
        """Opens the same bytes again, to be written by another thread or process. `around`: see `DirectFile.open`.

        Raises:
            OSError: they cannot be opened.
        """

    def sync(self) -> None:
        """Makes everything written so far durable, so that a later process can `resume`."""

    def finish(self, size: int) -> None:
        """Ends the writing: cuts the blob to `size` bytes and makes them durable."""

    def close(self) -> None:
        """Interrupts the writing; the bytes stay. May be called twice."""

    def discard(self) -> None:
        """Removes the blob, also after `finish`. May be called twice."""


class BlobStorage(Protocol):
    """All blobs of a gateway, by id. Any number of threads may use it."""

    @property
    def is_remote(self) -> bool:
        """Whether reading may wait for a network: then it happens in a thread, or inside of `at_hand`."""

    def prepare(self) -> None:
        """Creates what is missing, before the first use."""

    def check_writable(self) -> None:
        """Writes a byte that leaves no trace.

        Raises:
            StorageFull: there is no room for it.
            OSError: it cannot be written.
        """

    def check_free(self, size: int) -> None:
        """Checks that `size` bytes are free.

        Raises:
            StorageFull: they are not.
        """

    def full(self) -> str | None:
        """Why it takes no more blobs for the moment, until others are finished; None if it does. It may still fail."""

    def create(self, near: str = "") -> UnfinishedBlob:
        """A new blob. `near`: the id of one that will be stored together with it.

        Raises:
            StorageFull: there is no room for it.
        """

    def resume(self, blob_id: str) -> UnfinishedBlob:
        """A blob whose writing was interrupted.

        Raises:
            BlobDamaged: it is missing.
        """

    def can_resume(self, blob_id: str) -> bool:
        """Whether `resume` finds it. Waits for no network."""

    def open(self, blob_id: str) -> AbstractContextManager[StoredBlob]:
        """A finished blob, for as long as the block lasts.

        Raises:
            BlobDamaged: it is missing.
        """

    def exists(self, blob_id: str) -> bool:
        """Whether it is stored."""

    def remove(self, blob_id: str) -> None:
        """Removes it, if it is stored."""

    def forget_copy(self, blob_id: str) -> None:
        """Removes the local copy of a blob that another process removed."""

    def forget_copies_but(self, known: Collection[str]) -> int:
        """Removes the local copies of all blobs but these and those at hand; returns how many. The blobs stay: one that
        is newer than `known` only loses its copy."""

    def at_hand(self, blob_ids: Collection[str]) -> AbstractContextManager[None]:
        """Reading these blobs waits for no network for as long as the block lasts. Entering may block.

        Raises:
            BlobDamaged: one is missing.
            BlobsUnreachable: one cannot be fetched now.
            StorageFull: there is no room here to fetch it.
        """

    def sync_names(self) -> None:
        """Makes all blobs that were created so far durable under their ids."""

    def location(self, blob_id: str) -> str:
        """Where an admin finds it."""

    def close(self) -> None:
        """Waits a moment for what is under way in the background."""
