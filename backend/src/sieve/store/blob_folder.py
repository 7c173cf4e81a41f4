"""The blob folder: one file for each blob, its id, and the quarantine of files that no row names (ADR 21).

    folder-id                      the folder's id; a database names the folder that it belongs to
    00/ to ff/                     the blobs, named by id; mode 0600 in folders of mode 0700
    quarantine/SINCE/              files that the start at SINCE moved away
    quarantine/SINCE_OVERDUE/      the same, once a start at OVERDUE found them older than `GRACE_NS`
    quarantine/removed/            if this folder is there, the blobs that are removed: for a backup that is being made

Invariant: a start deletes only files that an earlier start, at least `PAUSE_NS` before, found overdue. So a start whose
clock is days ahead deletes nothing that it or a start just before it moved away: it can only note them as overdue, and
a later start drops a note that is in its future. A clock that was behind when files were moved away shortens their
grace, but not below `PAUSE_NS`.
"""

import os
import re
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple
from uuid import uuid4

from sieve.store import blob_file
from sieve.store.blob_file import Bytes
from sieve.store.direct_file import DirectFile
from sieve.store.parallel import in_parallel

ID: Final = re.compile(r"[0-9a-f]{32}")
"""The name of a blob's file, and the id of a folder."""
GRACE_NS: Final = 7 * 24 * 3600 * 1_000_000_000
"""How long a file stays in quarantine, by the wall clock."""
PAUSE_NS: Final = 24 * 3600 * 1_000_000_000
"""How long before its end a start must have found it overdue."""

_NS_PER_S: Final = 1_000_000_000
_BATCH: Final = re.compile(r"(\d{8}T\d{6}Z)(?:_(\d{8}T\d{6}Z))?")
_TIME: Final = "%Y%m%dT%H%M%SZ"


class Compared(NamedTuple):
    """The blob files that there are: the ids of those that rows name, and the others."""

    known: set[str]
    unknown: Sequence[Path]

    @property
    def found(self) -> int:
        """How many there are."""
        return len(self.known) + len(self.unknown)


class Quarantined(NamedTuple):
    """The files in quarantine, their bytes, and when the first of them came there (nanoseconds)."""

    files: int
    bytes: int
    oldest_ns: int | None


class FolderBlob:
    """The file of one blob, to read and write. It implements `UnfinishedBlob`."""

    def __init__(self, path: Path, fd: int) -> None:
        """`path` ends in the blob's id; `fd` is this object's to close."""
        self._path = path
        self._open_fd: int | None = fd

    @property
    def id(self) -> str:
        return self._path.name

    @property
    def _fd(self) -> int:
        if self._open_fd is None:
            raise ValueError("this blob is finished; it is never written again")
        return self._open_fd

    @property
    def size(self) -> int:
        return os.fstat(self._fd).st_size

    def read_at(self, offset: int, size: int) -> bytes:
        return blob_file.read_at(self._fd, offset, size)

    def reserve(self, size: int) -> None:
        blob_file.reserve(self._fd, size)

    def write_at(self, offset: int, pieces: Sequence[Bytes]) -> int:
        return blob_file.write_at(self._fd, offset, pieces)

    def open_direct(self, *, around: bool) -> DirectFile:
        return DirectFile.open(self._path, around=around)

    def sync(self) -> None:
        os.fsync(self._fd)

    def finish(self, size: int) -> None:
        if self.size != size:
            os.ftruncate(self._fd, size)  # gives reserved space back
        self.sync()
        self.close()

    def close(self) -> None:
        if self._open_fd is not None:
            os.close(self._open_fd)
            self._open_fd = None

    def discard(self) -> None:
        self.close()
        self._path.unlink(missing_ok=True)


class BlobFolder:
    """The blobs of a gateway in a folder; implements `BlobStorage`."""

    is_remote: Final = False

    def __init__(self, root: Path) -> None:
        self.root: Final = root
        self.quarantine: Final = root / "quarantine"
        self.kept: Final = self.quarantine / "removed"
        self.id_file: Final = root / "folder-id"
        # The folders that got a file or a folder since they were synced.
        self._unsynced: set[Path] = set()
        self._syncing = Lock()

    # --- blobs -----------------------------------------------------------------------------------------------------

    def prepare(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        blob_file.sync_folder(self.root.parent)

    def check_writable(self) -> None:
        with tempfile.TemporaryFile(dir=self.root) as file:
            blob_file.write_at(file.fileno(), 0, [b"\0"])
            os.fsync(file.fileno())

    def check_free(self, size: int) -> None:
        blob_file.check_free(self.root, size)

    def full(self) -> str | None:
        return None  # only a disk is, which frees nothing by itself

    def create(self, near: str = "") -> FolderBlob:
        start = near[:2]  # in one folder, one sync serves both
        path = self.path(start + uuid4().hex[len(start) :])
        try:
            fd = blob_file.create(path)
        except FileNotFoundError:
            # Under this lock: a thread that already creates a blob in the new folder must sync the folder's name, too.
            with self._syncing:
                blob_file.create_folder(path.parent)
                self._unsynced.add(self.root)
            fd = blob_file.create(path)
        self._unsynced.add(path.parent)
        return FolderBlob(path, fd)

    def resume(self, blob_id: str) -> FolderBlob:
        path = self.path(blob_id)
        return FolderBlob(path, blob_file.reopen(path))

    @contextmanager
    def open(self, blob_id: str) -> Iterator[FolderBlob]:
        path = self.path(blob_id)
        with blob_file.opened(path) as fd:
            yield FolderBlob(path, fd)

    def exists(self, blob_id: str) -> bool:
        return self.path(blob_id).exists()

    can_resume = exists

    def remove(self, blob_id: str) -> None:
        path = self.path(blob_id)
        try:
            # An older copy of the database still names it. With that copy, a start moves it back.
            path.rename(self.kept / blob_id)
        except (FileNotFoundError, NotADirectoryError):  # mostly: no backup is being made
            path.unlink(missing_ok=True)

    def forget_copy(self, blob_id: str) -> None:
        """A folder has no copies, and no other process removes its blobs."""

    def forget_copies_but(self, known: Collection[str]) -> int:
        return 0

    def at_hand(self, blob_ids: Collection[str]) -> AbstractContextManager[None]:
        return nullcontext()

    def sync_names(self) -> None:
        # Under the lock to the end: a thread that finds nothing to sync must wait for another's sync.
        with self._syncing:
            folders = []
            while self._unsynced:
                folders.append(self._unsynced.pop())
            failures = in_parallel([partial(blob_file.sync_folder, folder) for folder in folders])
            for failure in filter(None, failures):
                self._unsynced.update(folders)
                raise failure

    def location(self, blob_id: str) -> str:
        return f"{blob_id[:2]}/{blob_id} in the blob folder"

    def close(self) -> None:
        """Nothing is under way."""

    def path(self, blob_id: str) -> Path:
        """The file of a blob: for backups, which link files.

        Raises:
            ValueError: it is not an id.
        """
        if not ID.fullmatch(blob_id):
            raise ValueError("this is no id of a blob")
        return self.root / blob_id[:2] / blob_id

    # --- at a start, before anything else uses the folder ----------------------------------------------------------

    def id(self) -> str | None:
        """Its id; None if it has none, or the file does not hold one."""
        try:
            text = self.id_file.read_bytes().decode("ascii", "replace").strip()
        except FileNotFoundError:
            return None
        return text if ID.fullmatch(text) else None

    def name(self, folder_id: str) -> None:
        """Gives it that id, durably."""
        draft = self.id_file.with_name(".folder-id.new")
        fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(f"{folder_id}\n".encode())
            file.flush()
            os.fsync(fd)
        draft.rename(self.id_file)
        blob_file.sync_folder(self.root)

    def compared(self, known_ids: Collection[str]) -> Compared:
        """The blobs' files, compared with what rows name."""
        known, unknown = set(), []
        for path in self.root.glob("[0-9a-f][0-9a-f]/*"):
            if ID.fullmatch(path.name):
                if path.name in known_ids:
                    known.add(path.name)
                else:
                    unknown.append(path)
        return Compared(known, unknown)

    def quarantined(self) -> Quarantined:
        """What is in quarantine. Also while the folder is in use."""
        sizes, since = [], []
        for batch in self.quarantine.glob("*"):
            if named := _BATCH.fullmatch(batch.name):
                since.append(_read(named[1]))
                with suppress(OSError):  # a folder that was just removed
                    sizes += [path.stat().st_size for path in batch.iterdir()]
        return Quarantined(len(sizes), sum(sizes), min(since, default=None))

    def move_away(self, files: Sequence[Path], now_ns: int) -> Path:
        """Moves blobs' files to quarantine; returns the folder where they are now."""
        batch = self.quarantine / _written(now_ns)
        for folder in (self.quarantine, batch):
            folder.mkdir(exist_ok=True, mode=0o700)
        for path in files:
            path.rename(batch / path.name)
        return batch

    def move_back(self, known_ids: Collection[str]) -> int:
        """Moves back the files in quarantine that rows name, unless they are in their places; returns how many."""
        moved = 0
        for path in self.quarantine.glob("*/*"):
            if path.name in known_ids and not (home := self.path(path.name)).exists():
                home.parent.mkdir(exist_ok=True, mode=0o700)
                path.rename(home)
                moved += 1
        return moved

    def remove_overdue(self, now_ns: int) -> int:
        """Removes the files whose time in quarantine is over, and notes which are overdue; returns how many it removed.

        `move_back` comes first: what rows name must not be there any more.
        """
        removed = 0
        for batch in list(self.quarantine.glob("*")):
            if not (named := _BATCH.fullmatch(batch.name)):
                continue
            since, noted = named.groups()
            if now_ns - _read(since) < GRACE_NS:
                if noted is not None:  # by a clock that was ahead
                    batch.rename(batch.with_name(since))
            elif noted is None or _read(noted) > now_ns:
                batch.rename(batch.with_name(f"{since}_{_written(now_ns)}"))
            elif now_ns - _read(noted) >= PAUSE_NS:
                removed += _remove(batch)
        return removed


def _remove(batch: Path) -> int:
    """Removes the blobs in a folder of the quarantine, and the folder if it is empty then."""
    files = [path for path in batch.iterdir() if ID.fullmatch(path.name)]
    for path in files:
        path.unlink()
    with suppress(OSError):
        batch.rmdir()
    return len(files)


def _written(time_ns: int) -> str:
    return datetime.fromtimestamp(time_ns // _NS_PER_S, UTC).strftime(_TIME)


def _read(time: str) -> int:
    """Nanoseconds since the epoch."""
    return int(datetime.strptime(time, _TIME).replace(tzinfo=UTC).timestamp()) * _NS_PER_S
