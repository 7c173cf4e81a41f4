"""Restores a gateway's data from a backup.

    check ─▶ copies into `restoring-…/` ─▶ journal ─▶ existing data moves to `replaced-TIME/`
          ─▶ the copies move into place ─▶ journal removed

Invariant: existing data stays unchanged until the copies are complete and synced, and only copies are ever removed.
After the journal there are only renames; while it exists no gateway starts, and the next restore finishes them.
`restoring-…/` and `replaced-TIME/` are in the folder whose files they hold, so that each rename stays on one file
system, and works even if the folder is a mount point.

A database moves together with its `-wal`, `-shm` and `-journal`, which would damage another database. Blobs are copied,
not linked, so that changes to the gateway's files never reach the backup.
"""

import json
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Final, Self

from sieve.gateway.backups import folder as backup_folder
from sieve.gateway.backups.folder import BLOBS, DATABASE, FOLDER_ID, IDENTITY, IDENTITY_FILES, Manifest, Places
from sieve.gateway.errors import BackupError
from sieve.gateway.runtime import data_folder
from sieve.store import blob_file
from sieve.store.migrate import steps
from sieve.store.snapshot import SIDE_FILES

STAGING: Final = "restoring-"
ASIDE: Final = "replaced-"


@dataclass(frozen=True, slots=True)
class Restored:
    """A restored backup. `aside`: the folders with the earlier data. `finished`: this restore finished an earlier one
    that was interrupted."""

    manifest: Manifest
    aside: tuple[Path, ...]
    finished: bool


@dataclass(frozen=True, slots=True)
class _Journal:
    """Renames, from and to; missing sources were renamed already. `backup`: the digest of the backup's manifest."""

    backup: str
    aside: list[tuple[str, str]]
    into_place: list[tuple[str, str]]
    staging: list[str]

    @classmethod
    def read(cls, path: Path) -> Self | None:
        """None if there is none.

        Raises:
            BackupError: it cannot be read.
        """
        try:
            return cls(**json.loads(path.read_bytes()))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError) as error:
            raise BackupError(f"{path} cannot be read: it says how to finish a restore that was cut off") from error

    def finish(self) -> None:
        """Does the remaining renames. Can be interrupted and repeated at any point."""
        for source, to in self.aside:
            # If `to` exists, `source` may be the restored file already.
            if not os.path.lexists(to) and os.path.lexists(source):
                Path(to).parent.mkdir(exist_ok=True, mode=0o700)
                Path(source).rename(to)
        _sync_parents(chain(*self.aside))
        for source, to in self.into_place:
            if os.path.lexists(source):
                Path(source).rename(to)
        _sync_parents(chain(*self.into_place))
        for folder in self.staging:
            shutil.rmtree(folder, ignore_errors=True)

    @property
    def aside_folders(self) -> tuple[Path, ...]:
        return tuple(dict.fromkeys(Path(to).parent for _, to in self.aside))


@dataclass(frozen=True, slots=True)
class _Part:
    """One of a gateway's folders: the entries that a restore replaces, and the backup's files that replace them."""

    name: str
    folder: Path
    there: tuple[str, ...]
    files: dict[str, str]
    """Names in the folder, by the backup's names."""

    @property
    def staging(self) -> Path:
        # Two parts may have one folder.
        return self.folder / f"{STAGING}{self.name}"

    @property
    def entries(self) -> list[str]:
        """The entries to rename: for a blob folder at most 256 folders, not each file."""
        return list(dict.fromkeys(name.partition("/")[0] for name in self.files.values()))

    def stage(self, backup: Path, manifest: Manifest) -> None:
        """Copies its files into its staging folder, durably.

        Raises:
            BackupError: the backup changed meanwhile.
        """
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        blob_file.sync_folder(self.folder.parent)
        self.staging.mkdir(mode=0o700)
        for name in {str(Path(name).parent) for name in self.files.values()} - {"."}:
            (self.staging / name).mkdir(mode=0o700)
        backup_folder.at_once(lambda name: self._copy(backup, manifest, name), list(self.files))
        backup_folder.sync_folders(self.staging)

    def _copy(self, backup: Path, manifest: Manifest, name: str) -> None:
        if backup_folder.copy(backup / name, self.staging / self.files[name]) != manifest.files[name]:
            raise BackupError(f"the backup in {backup} changed while it was read: {name}; nothing was restored")


def restore(places: Places, folder: Path, *, replace: bool) -> Restored:
    """Restores the backup in `folder`. `replace`: move existing data aside.

    Raises:
        UnfitFolder: `folder` holds no backup.
        BackupError: the backup is damaged, data exists that may not be replaced, or the files cannot be written.
            Nothing was changed, unless the message says that the restore was cut off.
        StartError: a gateway uses the data folder, or it cannot be used.
        StorageFull: there is no space. Nothing was changed.
    """
    manifest, digest = Manifest.read(folder)
    data_folder.check_user(places.data, "sieve restore")
    lock_fd = data_folder.lock(places.data)
    try:
        return _restore(places, folder, manifest, digest, replace=replace)
    except OSError as error:
        raise BackupError(f"nothing was restored: {error.filename or folder}: {error.strerror}") from error
    finally:
        os.close(lock_fd)


def _restore(places: Places, folder: Path, manifest: Manifest, digest: str, *, replace: bool) -> Restored:
    cut_off = _Journal.read(places.data / data_folder.RESTORING)
    if cut_off is not None:
        _finish(cut_off, places.data)
        if cut_off.backup == digest:
            return Restored(manifest, cut_off.aside_folders, finished=True)
    if manifest.schema not in steps():
        raise BackupError(
            f"the backup in {folder} was made by a newer version of this program ({manifest.program}); use that one"
        )
    manifest.check(folder)
    parts = [_database(places), _blobs(places, manifest), *_identity(places, manifest)]
    return _put(parts, places.data, folder, manifest, digest, replace=replace)


def _put(
    parts: Sequence[_Part], data: Path, folder: Path, manifest: Manifest, digest: str, *, replace: bool
) -> Restored:
    there = [part for part in parts if part.there]
    if there and not replace:
        where = there[0].folder / there[0].there[0]
        raise BackupError(f"{where} is there already; --replace moves it aside, with all that belongs to it")
    journal = _plan(parts, digest)
    try:
        for part in parts:
            shutil.rmtree(part.staging, ignore_errors=True)  # of a restore that was cut off before its journal
        for part in parts:
            part.stage(folder, manifest)
        backup_folder.write_durably(data / data_folder.RESTORING, json.dumps(asdict(journal)).encode())
    except BaseException:
        for part in parts:
            shutil.rmtree(part.staging, ignore_errors=True)
        raise
    _finish(journal, data)
    return Restored(manifest, journal.aside_folders, finished=False)


def _finish(journal: _Journal, data: Path) -> None:
    try:
        journal.finish()
        (data / data_folder.RESTORING).unlink()
        blob_file.sync_folder(data)
    except OSError as error:
        raise BackupError(
            f"the restore was cut off: {error.filename or data}: {error.strerror}; fix that, then run it again"
        ) from error


def _plan(parts: Sequence[_Part], digest: str) -> _Journal:
    time = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    aside: list[tuple[str, str]] = []
    for part in parts:
        to, number = part.folder / f"{ASIDE}{time}", 1
        while os.path.lexists(to):
            number += 1
            to = part.folder / f"{ASIDE}{time}-{number}"
        aside += [(str(part.folder / name), str(to / name)) for name in part.there]
    into_place = [(str(part.staging / name), str(part.folder / name)) for part in parts for name in part.entries]
    return _Journal(digest, aside, into_place, [str(part.staging) for part in parts])


def _database(places: Places) -> _Part:
    name, folder = places.database.name, places.database.parent
    names = (name, *(name + ending for ending in SIDE_FILES))
    return _Part("database", folder, tuple(one for one in names if os.path.lexists(folder / one)), {DATABASE: name})


def _blobs(places: Places, manifest: Manifest) -> _Part:
    root = places.blobs
    there = [path.name for path in sorted(root.glob("[0-9a-f][0-9a-f]")) if not path.is_dir() or any(path.iterdir())]
    if os.path.lexists(root / FOLDER_ID):
        there.append(FOLDER_ID)
    return _Part(BLOBS, root, tuple(there), _below(BLOBS, manifest))


def _identity(places: Places, manifest: Manifest) -> Iterable[_Part]:
    """Nothing if the same identity exists: people keep it in places that the gateway cannot write to."""
    files = _below(IDENTITY, manifest)
    there = tuple(name for name in IDENTITY_FILES if os.path.lexists(places.identity / name))
    if set(there) != set(files.values()) or any(
        backup_folder.describe(backup_folder.followed(places.identity / here)) != manifest.files[name]
        for name, here in files.items()
    ):
        yield _Part(IDENTITY, places.identity, there, files)


def _below(folder: str, manifest: Manifest) -> dict[str, str]:
    """The backup's files in that folder, by their full names."""
    return {name: name.removeprefix(f"{folder}/") for name in manifest.files if name.startswith(f"{folder}/")}


def _sync_parents(paths: Iterable[str]) -> None:
    for folder in {Path(path).parent for path in paths}:
        if folder.exists():
            blob_file.sync_folder(folder)
