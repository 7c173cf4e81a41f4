"""Makes a backup of a gateway's data, whether or not the gateway runs.

This order makes it consistent without blocking the gateway:

1. Link or copy the blobs that the database names. Blobs that are deleted later are in the backup already.
2. Copy the database, as of one moment.
3. Link or copy the blobs that the copy names and that were added after 1. If one of them has been deleted since 2,
   repeat from 2.
4. Remove the blobs that the copy does not name, read all files, and write their digests into the manifest, last.

A blob's file can be linked because nobody writes to it once a row names it: its writers close it before the commit,
deletion removes a name, and quarantine renames it. Identity and `folder-id` are copied, because people edit them.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

from sieve.gateway.backups import folder as backup_folder
from sieve.gateway.backups.folder import (
    BLOBS,
    DATABASE,
    FOLDER_ID,
    IDENTITY,
    IDENTITY_FILES,
    Described,
    LastBackup,
    Manifest,
    Places,
    blob_name,
)
from sieve.gateway.errors import BackupError, UnfitFolder
from sieve.gateway.peering.identity import EARLIER_RECEIPT_KEYS
from sieve.gateway.runtime import data_folder
from sieve.store import blob_file, snapshot
from sieve.store.blob_folder import BlobFolder
from sieve.store.errors import BlobDamaged
from sieve.store.snapshot import BlobFile

ROUNDS: Final = 10
"""Copies of the database, at most. Each further one means that documents were added and deleted meanwhile."""


@dataclass(frozen=True, slots=True)
class Made:
    """A backup. `linked` and `copied`: numbers of documents' files, whose size is `blob_bytes` in total."""

    manifest: Manifest
    linked: int
    copied: int
    blob_bytes: int


def make(places: Places, gateway: str, folder: Path, master_key: Path | None = None) -> Made:
    """Makes a backup in `folder`, which does not exist or is empty. `master_key`: the file to copy the master key to.

    Raises:
        UnfitFolder: `folder` or `master_key` cannot be used.
        BackupError: it cannot be made. `folder` is empty again.
        StoreError: the database cannot be read, or there is no space.
    """
    data_folder.check_not_half_restored(places.data)
    if master_key is not None:
        if master_key.absolute().is_relative_to(folder.absolute()):
            raise UnfitFolder(f"the master key must not be in the backup: name a file outside {folder}")
        if master_key.exists():
            raise UnfitFolder(f"{master_key} exists; name a new file for the master key")
    with _in(folder):
        blobs = _Blobs(places.blobs, folder)
        blobs.bring(snapshot.contents(places.database).blobs)
        taken_at, contents = _database(places.database, folder / DATABASE, blobs)
        blobs.keep_only(contents.blobs)
        _copy_identity(places.identity, folder / IDENTITY)
        with suppress(BlobDamaged):  # a folder on which no gateway has started yet has none
            backup_folder.copy(places.blobs / FOLDER_ID, folder / BLOBS / FOLDER_ID)
        files = _files(folder)
        made = Manifest(
            gateway=gateway,
            program=version("security-sieve"),
            schema=contents.schema,
            taken_at=taken_at,
            ended_at=_now(),
            master_keys=contents.master_keys,
            damaged=tuple(
                blob_name(blob.id) for blob in contents.blobs if not _fits(blob, files.get(blob_name(blob.id)))
            ),
            files=files,
        )
        backup_folder.sync_folders(folder)
        made.write(folder)
        if master_key is not None:
            _copy_key(places.master_key, master_key)
    LastBackup(made.taken_at, sum(file.size for file in made.files.values()), len(made.damaged)).write(places.data)
    sizes = [files[name].size for blob in contents.blobs if (name := blob_name(blob.id)) in files]
    return Made(made, len(blobs.linked), len(sizes) - len(blobs.linked), sum(sizes))


def _database(source: Path, to: Path, blobs: "_Blobs") -> tuple[str, snapshot.Contents]:
    """Copies the database and the blobs that it names in addition; returns when that began, and its contents."""
    for _ in range(ROUNDS):
        taken_at = _now()
        snapshot.copy(source, to)
        contents = snapshot.contents(to)
        missing = blobs.bring(contents.blobs)
        # A file is deleted after its row: if the row still exists, the file was missing before, and another copy of the
        # database would not change that.
        if not missing or missing <= {blob.id for blob in snapshot.contents(source).blobs}:
            return taken_at, contents
        to.unlink()
    raise BackupError("documents are deleted faster than they can be backed up; try again")


class _Blobs:
    """The files of blobs in the backup."""

    def __init__(self, source: Path, folder: Path) -> None:
        self._source, self._folder = BlobFolder(source), folder
        self._there: set[str] = set()
        self.linked: set[str] = set()

    def bring(self, blobs: Sequence[BlobFile]) -> set[str]:
        """Links or copies those that are not in the backup yet; returns the ids of missing ones."""
        wanted = [blob.id for blob in blobs if blob.id not in self._there]
        for name in {blob_id[:2] for blob_id in wanted}:
            (self._folder / BLOBS / name).mkdir(exist_ok=True, mode=0o700)
        missing = {
            blob_id
            for blob_id, came in zip(wanted, backup_folder.at_once(self._bring, wanted), strict=True)
            if not came
        }
        self._there.update(set(wanted) - missing)
        return missing

    def _bring(self, blob_id: str) -> bool:
        source, to = self._source.path(blob_id), self._folder / blob_name(blob_id)
        try:
            os.link(source, to, follow_symlinks=False)
        except FileNotFoundError:
            return False
        except OSError:
            # Another file system, one without links, or a file with too many.
            try:
                backup_folder.copy(source, to)
            except BlobDamaged:
                return False
        else:
            self.linked.add(blob_id)
        return True

    def keep_only(self, blobs: Sequence[BlobFile]) -> None:
        """Removes all others: the backup must not keep blobs that were deleted meanwhile."""
        for blob_id in self._there - {blob.id for blob in blobs}:
            (self._folder / blob_name(blob_id)).unlink()
            self.linked.discard(blob_id)


def _files(folder: Path) -> dict[str, Described]:
    """All files in the backup by their names; reads each to its end."""
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())
    return dict(
        zip(names, backup_folder.at_once(lambda name: backup_folder.describe(folder / name), names), strict=True)
    )


def _fits(blob: BlobFile, found: Described | None) -> bool:
    """Whether a file matches its row, as far as can be checked without a key."""
    return found is not None and found.size in blob.sizes and blob.plain_digest in (None, found.blake3)


def _copy_identity(source: Path, to: Path) -> None:
    to.mkdir(mode=0o700)
    for name in IDENTITY_FILES:
        try:
            backup_folder.copy(backup_folder.followed(source / name), to / name)
        except BlobDamaged:
            if name != EARLIER_RECEIPT_KEYS:  # most gateways have none
                raise BackupError(
                    f"{source / name}: missing; set SIEVE_IDENTITY_DIR to the gateway's identity"
                ) from None


def _copy_key(source: Path, to: Path) -> None:
    try:
        backup_folder.copy(backup_folder.followed(source), to)
        blob_file.sync_folder(to.parent)
    except BlobDamaged:
        raise BackupError(f"there is no master key at {source}; check SIEVE_MASTER_KEY_FILE") from None


@contextmanager
def _in(folder: Path) -> Iterator[None]:
    """Creates the folder; removes it again if the block fails."""
    try:
        made = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if any(folder.iterdir()):
            raise UnfitFolder(f"{folder} is not empty; name a new folder for the backup")
        folder.chmod(0o700)
        (folder / BLOBS).mkdir(mode=0o700)
    except (FileExistsError, NotADirectoryError):
        raise UnfitFolder(f"{folder} is not a folder; name a new folder for the backup") from None
    except OSError as error:
        raise UnfitFolder(f"cannot write to {folder}: {error.strerror}; name another folder") from error
    try:
        yield
    except BaseException as error:
        for path in folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        if made:
            folder.rmdir()
        if isinstance(error, OSError):
            raise BackupError(f"the backup cannot be made: {error.filename or folder}: {error.strerror}") from error
        raise


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
