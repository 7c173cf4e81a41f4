"""The folder of a backup: its layout and its manifest.

    sieve.db          the database: one file, without a `-wal`
    blobs/xx/…        the files of the blobs that the database names, and the blob folder's `folder-id`
    identity/…        certificate, keys and authority
    manifest.json     size and BLAKE3 digest of each of these files; written last

Invariant: a folder without a manifest is no backup. The master key is not in it.
"""

import json
import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Self, TypeVar

from blake3 import blake3

from sieve.gateway.errors import BackupError, UnfitFolder
from sieve.gateway.peering.identity import AUTHORITY, CERTIFICATE, EARLIER_RECEIPT_KEYS, KEY, RECEIPT_KEY
from sieve.store import blob_file
from sieve.store.errors import BlobDamaged

FORMAT: Final = 1
LAST_BACKUP: Final = "last-backup.json"
"""In the data folder: what the last backup was, for the gateway's admins."""
MANIFEST: Final = "manifest.json"
DATABASE: Final = "sieve.db"
BLOBS: Final = "blobs"
FOLDER_ID: Final = "folder-id"
IDENTITY: Final = "identity"
IDENTITY_FILES: Final = (CERTIFICATE, KEY, AUTHORITY, RECEIPT_KEY, EARLIER_RECEIPT_KEYS)

_PIECE: Final = 1024 * 1024
_THREADS: Final = 4
_NAME: Final = re.compile(
    rf"{re.escape(DATABASE)}|{BLOBS}/([0-9a-f]{{2}})/\1[0-9a-f]{{30}}|{BLOBS}/{FOLDER_ID}"
    rf"|{IDENTITY}/({'|'.join(map(re.escape, IDENTITY_FILES))})"
)

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Places:
    """The gateway's files and folders that a backup contains, and its master key, which no backup contains."""

    data: Path
    database: Path
    blobs: Path
    identity: Path
    master_key: Path


@dataclass(frozen=True, slots=True)
class Described:
    """A file: its size in bytes, and the BLAKE3 digest of its bytes, hexadecimal."""

    size: int
    blake3: str


@dataclass(frozen=True, slots=True)
class LastBackup:
    """The last backup of a gateway. `taken_at`: when the copy of the database began (ISO 8601, UTC). `bytes`: of all
    its files; `damaged`: how many files of documents were missing or changed.
    """

    taken_at: str
    bytes: int
    damaged: int

    @classmethod
    def read(cls, data: Path) -> "LastBackup | None":
        """What the data folder says; None if there was no backup, or that cannot be read."""
        try:
            said = json.loads((data / LAST_BACKUP).read_bytes())
            return cls(str(said["taken_at"]), int(said["bytes"]), int(said["damaged"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, data: Path) -> None:
        """Writes it into the data folder, as far as it can: the backup is good without."""
        with suppress(OSError):
            draft = data / f".{LAST_BACKUP}.new"
            draft.write_text(json.dumps(asdict(self)))
            draft.replace(data / LAST_BACKUP)


@dataclass(frozen=True, slots=True)
class Manifest:
    """`taken_at`: when the copy of the database began, ISO 8601 in UTC; later changes are not in it. `schema`: the
    database's version. `master_keys`: ids of the keys that it needs. `damaged`: names of files that were missing or
    changed at the gateway itself. `files`: by their names in the folder."""

    gateway: str
    program: str
    schema: str
    taken_at: str
    ended_at: str
    master_keys: tuple[str, ...]
    damaged: tuple[str, ...]
    files: dict[str, Described]

    @classmethod
    def read(cls, folder: Path) -> tuple[Self, str]:
        """The manifest of the backup in `folder`, and its digest.

        Raises:
            UnfitFolder: there is none, it is of another format, or it cannot be read.
        """
        try:
            raw = (folder / MANIFEST).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            raise UnfitFolder(f"{folder} is no finished backup: it has no {MANIFEST}; name another folder") from None
        except OSError as error:
            raise UnfitFolder(f"cannot read {folder / MANIFEST}: {error.strerror}") from error
        try:
            values = json.loads(raw)
            given = values.pop("format")
            if given != FORMAT:
                raise UnfitFolder(f"the backup in {folder} has format {given!r}; this program reads format {FORMAT}")
            files = {name: Described(size, digest) for name, (size, digest) in values.pop("files").items()}
            keys, damaged = tuple(values.pop("master_keys")), tuple(values.pop("damaged"))
            found = cls(**values, master_keys=keys, damaged=damaged, files=files)
            if DATABASE not in files or not all(map(_NAME.fullmatch, (*files, *damaged))):
                raise ValueError
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise UnfitFolder(f"{folder / MANIFEST} is damaged; name another backup") from None
        return found, blake3(raw).hexdigest()

    def write(self, folder: Path) -> None:
        """Writes the manifest durably, which completes the backup."""
        files = {name: [file.size, file.blake3] for name, file in self.files.items()}
        write_durably(folder / MANIFEST, json.dumps({"format": FORMAT, **asdict(self), "files": files}).encode())

    def check(self, folder: Path) -> None:
        """Compares each file in `folder` with the manifest.

        Raises:
            BackupError: one differs.
        """
        found = at_once(lambda name: _described_or_none(folder / name), list(self.files))
        bad = [name for name, one in zip(self.files, found, strict=True) if one != self.files[name]]
        if bad:
            more = f" and {len(bad) - 1:,} others" if len(bad) > 1 else ""
            raise BackupError(f"the backup in {folder} is damaged: {bad[0]}{more} missing or changed; use another one")


def _described_or_none(path: Path) -> Described | None:
    """None if it cannot be read."""
    try:
        return describe(path)
    except (BlobDamaged, OSError):
        return None


def blob_name(blob_id: str) -> str:
    """The name of a blob's file in a backup."""
    return f"{BLOBS}/{blob_id[:2]}/{blob_id}"


def describe(path: Path) -> Described:
    """Size and digest of a file.

    Raises:
        BlobDamaged: there is no such file.
        OSError: it cannot be read.
    """
    with blob_file.opened(path) as fd:
        return _described(fd)


def followed(path: Path) -> Path:
    """The target of a possible link: keys are often mounted as links, files of blobs never are."""
    return Path(os.path.realpath(path))


def copy(source: Path, to: Path) -> Described:
    """Copies a file into the new file `to` (mode 0600) and syncs it; the caller syncs the folder.

    Raises:
        BlobDamaged: there is no such file.
        StorageFull: there is no space.
        OSError: it cannot be read or written.
    """
    with blob_file.opened(source) as fd:
        out = blob_file.create(to)
        try:
            written = _described(fd, lambda at, piece: blob_file.write_at(out, at, [piece]))
            os.fsync(out)
        finally:
            os.close(out)
    return written


def write_durably(path: Path, data: bytes) -> None:
    """Writes `data` to `path` (mode 0600), whole or not at all, and syncs it."""
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    fd = blob_file.create(new)
    try:
        blob_file.write_at(fd, 0, [data])
        os.fsync(fd)
    finally:
        os.close(fd)
    new.replace(path)
    blob_file.sync_folder(path.parent)


def sync_folders(root: Path) -> None:
    """Syncs all folders below `root`, `root` itself, and its parent."""
    at_once(blob_file.sync_folder, [Path(path) for path, _, _ in os.walk(root)])
    blob_file.sync_folder(root.parent)


def at_once(work: Callable[[T], R], of: Sequence[T]) -> list[R]:
    """The results of `work`, in order. Runs several at a time, because they mostly wait for the disk."""
    with ThreadPoolExecutor(_THREADS) as pool:
        try:
            return list(pool.map(work, of))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _described(fd: int, also: Callable[[int, bytes], object] = lambda at, piece: None) -> Described:
    digest, at = blake3(), 0
    while piece := os.pread(fd, _PIECE, at):
        digest.update(piece)
        also(at, piece)
        at += len(piece)
    return Described(at, digest.hexdigest())
