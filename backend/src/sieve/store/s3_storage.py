"""The blobs of a gateway in a bucket of an S3 store; implements `BlobStorage`.

A blob that is being written lies in the spool, a blob folder on the local disk, with everything that it can do: bytes
at any offset, reserved space, open files for the plain listener, partials that a later process resumes. `finish` puts
it into the bucket. Its file stays as a copy to read from until others need the space.

Invariants: a blob that is not complete in the bucket is in the spool, and never makes room for others. The spool never
holds more than its limit, except for copies that somebody is reading.
"""

import os
from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock
from typing import Final

from sieve.store.background_removals import Removals
from sieve.store.blob_file import Bytes
from sieve.store.blob_folder import BlobFolder, FolderBlob
from sieve.store.direct_file import DirectFile
from sieve.store.errors import BlobDamaged
from sieve.store.s3_objects import S3Objects
from sieve.store.spool_ledger import SpoolLedger

_AHEAD: Final = 4 * 1024 * 1024
"""How much is read at once when somebody reads a blob from the bucket in order."""
_WINDOWS: Final = 8
"""For how many such readers it is kept in memory."""
_SIZES: Final = 10_000
"""Of how many blobs the size is remembered."""


class SpooledBlob:
    """A blob that is being written, in the spool. It implements `UnfinishedBlob`."""

    def __init__(self, storage: "S3Storage", file: FolderBlob) -> None:
        self._storage, self._file = storage, file
        self.id: Final = file.id
        self._was_put = False
        # The spool does the writing.
        self.read_at: Final = file.read_at
        self.sync: Final = file.sync
        self.close: Final = file.close

    @property
    def size(self) -> int:
        return self._file.size

    def reserve(self, size: int) -> None:
        self._storage.make_room(self.id, size)
        self._file.reserve(size)

    def write_at(self, offset: int, pieces: Sequence[Bytes]) -> int:
        self._storage.make_room(self.id, offset + sum(memoryview(piece).nbytes for piece in pieces))
        return self._file.write_at(offset, pieces)

    def open_direct(self, *, around: bool) -> DirectFile:
        return self._file.open_direct(around=around)

    def finish(self, size: int) -> None:
        self._file.finish(size)
        self._was_put = True  # also if this fails: the object may be there
        self._storage.put(self.id, size)

    def discard(self) -> None:
        self._file.close()
        if self._was_put:
            self._storage.remove(self.id)
        else:
            self._storage.forget(self.id)


class RemoteBlob:
    """A blob in the bucket, open for reading. It implements `StoredBlob`."""

    def __init__(self, storage: "S3Storage", blob_id: str) -> None:
        self._storage, self._id = storage, blob_id

    @property
    def size(self) -> int:
        return self._storage.size(self._id)

    def read_at(self, offset: int, size: int) -> bytes:
        return self._storage.read(self._id, offset, size)


class S3Storage:
    """Blobs in a bucket, and the spool before it. Any number of threads may use it."""

    is_remote: Final = True

    def __init__(self, objects: S3Objects, spool: BlobFolder, limit: int) -> None:
        """`limit`: the most bytes in the spool."""
        self.objects: Final = objects
        self.spool: Final = spool
        self._removals = Removals(objects.remove)
        self._lock = Lock()
        self._ledger = SpoolLedger(limit)
        # Blobs that were removed while somebody used their local copy (`at_hand`). Opening one fails at once, because
        # such a reader must not wait for the bucket.
        self._gone: set[str] = set()
        self._fetching: dict[str, Lock] = {}
        self._sizes: OrderedDict[str, int] = OrderedDict()
        self._windows: OrderedDict[str, tuple[int, bytes]] = OrderedDict()

    # --- blobs -----------------------------------------------------------------------------------------------------

    def prepare(self) -> None:
        self.spool.prepare()

    def keep_in_spool(self, partials: Collection[str]) -> None:
        """At a start: removes everything from the spool but these blobs. Without a row, none of the others counts."""
        for path in self.spool.compared(partials).unknown:
            path.unlink()
        for path in self.spool.root.glob("[0-9a-f][0-9a-f]/*"):
            self._ledger.grow(path.name, path.stat().st_size)

    def check_writable(self) -> None:
        self.spool.check_writable()
        self.objects.check_writable()

    def check_free(self, size: int) -> None:
        self.spool.check_free(size)

    def full(self) -> str | None:
        with self._lock:
            return self._ledger.problem

    def create(self, near: str = "") -> SpooledBlob:
        return self._spooled(self.spool.create(near))

    def resume(self, blob_id: str) -> SpooledBlob:
        return self._spooled(self.spool.resume(blob_id))

    def can_resume(self, blob_id: str) -> bool:
        return self.spool.exists(blob_id)

    def _spooled(self, file: FolderBlob) -> SpooledBlob:
        with self._lock:
            self._grow(file.id, file.size)
        return SpooledBlob(self, file)

    @contextmanager
    def open(self, blob_id: str) -> Iterator[FolderBlob | RemoteBlob]:
        with ExitStack() as opened:
            with self._lock:
                if blob_id in self._gone or self._removals.has(blob_id):
                    raise BlobDamaged("a stored file is missing; restore it from a backup")
                # Opened under the lock: afterwards the name may go.
                here = self._ledger.use_copy(blob_id)
                file = opened.enter_context(self.spool.open(blob_id)) if here else RemoteBlob(self, blob_id)
            yield file

    def exists(self, blob_id: str) -> bool:
        self.spool.path(blob_id)  # an id is never a path
        with self._lock:
            if blob_id in self._ledger:
                return True
        if self._removals.has(blob_id):
            return False
        try:
            self.size(blob_id)
        except BlobDamaged:
            return False
        return True

    def remove(self, blob_id: str) -> None:
        """Removes it, if it is stored: the file at once, the object in a moment, without waiting for the store."""
        self._removals.add(blob_id)
        self.forget_copy(blob_id)

    def forget_copy(self, blob_id: str) -> None:
        with self._lock:
            if self._ledger.is_pinned(blob_id):
                self._gone.add(blob_id)
        self.forget(blob_id)

    def forget_copies_but(self, known: Collection[str]) -> int:
        with self._lock:
            unknown = [each for each in self._ledger.free_copies() if each not in known]
            for blob_id in unknown:
                self._forget(blob_id)
        return len(unknown)

    def sync_names(self) -> None:
        self.spool.sync_names()  # of partials; an object needs nothing

    def location(self, blob_id: str) -> str:
        return f"{self.objects.address}/{blob_id[:2]}/{blob_id}"

    @contextmanager
    def at_hand(self, blob_ids: Collection[str]) -> Iterator[None]:
        pinned = []
        try:
            for blob_id in blob_ids:
                with self._lock:
                    self._ledger.pin(blob_id)
                    turn = self._fetching.setdefault(blob_id, Lock())
                pinned.append(blob_id)
                with turn:
                    self._fetch(blob_id)
            yield
        finally:
            with self._lock:
                for blob_id in pinned:
                    if self._ledger.unpin(blob_id):
                        self._gone.discard(blob_id)
                        self._fetching.pop(blob_id, None)

    def close(self) -> None:
        """Waits a moment for removals."""
        self._removals.close()

    # --- for the blobs that are open -------------------------------------------------------------------------------

    def size(self, blob_id: str) -> int:
        """Its bytes in the bucket."""
        with self._lock:
            known = self._sizes.get(blob_id)
        if known is None:
            known = self.objects.size(blob_id)
            with self._lock:
                self._sizes[blob_id] = known
                while len(self._sizes) > _SIZES:
                    self._sizes.popitem(last=False)
        return known

    def read(self, blob_id: str, offset: int, size: int) -> bytes:
        """Exactly these bytes from the bucket; more in advance, if they come after those that were read before."""
        if not size:
            return b""
        with self._lock:
            start, window = self._windows.get(blob_id, (offset, b""))
        end = offset + size
        if start <= offset and end <= start + len(window):
            return window[offset - start : end - start]
        until = max(end, offset + _AHEAD) if window and start <= offset <= start + len(window) else end
        data = self.objects.read(blob_id, offset, until)
        if len(data) < size:
            raise BlobDamaged("a stored file is shorter than it was; restore it from a backup")
        with self._lock:
            self._windows[blob_id] = offset, data
            self._windows.move_to_end(blob_id)
            while len(self._windows) > _WINDOWS:
                self._windows.popitem(last=False)
        return data[:size]

    def make_room(self, blob_id: str, size: int) -> None:
        """Counts a blob that is being written with at least that many bytes; removes copies that are in the way.

        Raises:
            StorageFull: there is no room for it.
        """
        with self._lock:
            self._grow(blob_id, size)

    def _grow(self, blob_id: str, size: int) -> None:
        for copy in self._ledger.grow(blob_id, size):
            self.spool.remove(copy)

    def put(self, blob_id: str, size: int) -> None:
        """Puts a finished file into the bucket. Then it is a copy."""
        self.objects.put(blob_id, self.spool.path(blob_id), size)
        with self._lock:
            self._ledger.is_copy_now(blob_id, size)

    def forget(self, blob_id: str) -> None:
        """Removes a file from the spool."""
        with self._lock:
            self._forget(blob_id)

    def _forget(self, blob_id: str) -> None:
        self._ledger.drop(blob_id)
        self._sizes.pop(blob_id, None)
        self._windows.pop(blob_id, None)
        self.spool.remove(blob_id)

    def _fetch(self, blob_id: str) -> None:
        with self._lock:
            if blob_id in self._ledger:
                return
        size = self.size(blob_id)
        self.make_room(blob_id, size)
        try:
            _write(self.spool.path(blob_id), self.objects.pieces(blob_id), size)
        except BaseException:
            self.forget(blob_id)
            raise
        with self._lock:
            self._ledger.is_copy_now(blob_id, size)


def _write(path: Path, pieces: Iterator[bytes], size: int) -> None:
    """A copy need not survive a crash: a start removes it."""
    path.parent.mkdir(exist_ok=True, mode=0o700)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(fd, "wb") as file:
        for piece in pieces:
            file.write(piece)
        if file.tell() != size:
            raise BlobDamaged("a stored file is shorter than it was; restore it from a backup")
