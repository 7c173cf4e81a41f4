"""A restore puts a backup in the place of what is there, or nothing; what is there moves aside and is never removed."""

import itertools
import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kept_data import IDENTITY, Kept, KeptData, files, open_to_others
from sieve.gateway.backups import backup, restore
from sieve.gateway.backups import folder as backup_folder
from sieve.gateway.backups.folder import Manifest
from sieve.gateway.errors import BackupError, StartError, UnfitFolder
from sieve.gateway.runtime import data_folder
from sieve.store import blob_file
from sieve.store.errors import StorageFull


@pytest.fixture
def data(tmp_path: Path, migrated: Path) -> KeptData:
    """The gateway that was backed up."""
    return KeptData(tmp_path / "data", migrated)


@pytest.fixture
def kept(data: KeptData) -> list[Kept]:
    return [data.add(b"one"), data.add(b"two"), data.add(b"three" * 100_000)]


@pytest.fixture
def saved(data: KeptData, kept: list[Kept], tmp_path: Path) -> Path:
    """Its backup."""
    (data.places.blobs / "folder-id").write_text("ab" * 16)
    backup.make(data.places, "alpha", tmp_path / "backup")
    return tmp_path / "backup"


def contents(kept: list[Kept]) -> dict[str, bytes]:
    return {one.id: one.content for one in kept}


def all_but_ours(folder: Path) -> dict[str, bytes]:
    """All files, without the lock, which every restore makes."""
    return {name: held for name, held in files(folder).items() if name != "lock"}


def test_into_an_empty_place(saved: Path, kept: list[Kept], tmp_path: Path) -> None:
    new = KeptData(tmp_path / "new")
    told = restore.restore(new.places, saved, replace=False)
    assert told.manifest == Manifest.read(saved)[0]
    assert (told.aside, told.finished) == ((), False)
    assert open_to_others(new.folder) == []
    assert all_but_ours(new.folder) == {name: held for name, held in files(saved).items() if name != "manifest.json"}
    assert new.read() == contents(kept)


def test_the_backup_shares_no_file_with_what_was_restored(saved: Path, kept: list[Kept], tmp_path: Path) -> None:
    new = KeptData(tmp_path / "new")
    restore.restore(new.places, saved, replace=False)
    for name in Manifest.read(saved)[0].files:
        assert not (saved / name).samefile(new.folder / name)
        (new.folder / name).write_bytes(b"changed")
    Manifest.read(saved)[0].check(saved)


def test_settings_say_where_it_goes(saved: Path, kept: list[Kept], tmp_path: Path) -> None:
    new = KeptData(tmp_path / "new")
    elsewhere = tmp_path / "elsewhere"
    new.places = backup_folder.Places(
        new.folder, elsewhere / "gateway.sqlite", tmp_path / "documents" / "here", elsewhere, new.places.master_key
    )
    restore.restore(new.places, saved, replace=False)
    assert set(all_but_ours(new.folder)) == set()
    assert set(files(elsewhere)) == {"gateway.sqlite", *IDENTITY}
    assert new.read() == contents(kept)


def test_what_is_there_is_not_replaced_unless_that_is_asked_for(data: KeptData, saved: Path) -> None:
    before = all_but_ours(data.folder)
    with pytest.raises(BackupError, match=r"sieve\.db is there already; --replace moves it aside"):
        restore.restore(data.places, saved, replace=False)
    assert all_but_ours(data.folder) == before


@pytest.mark.parametrize("left", ["sieve.db-wal", "sieve.db-journal", "blobs/ab/" + "ab" * 16, "identity/identity.key"])
def test_a_remainder_counts_as_data(saved: Path, tmp_path: Path, left: str) -> None:
    new = KeptData(tmp_path / "new")
    (new.folder / left).parent.mkdir(parents=True)
    (new.folder / left).write_bytes(b"left")
    with pytest.raises(BackupError, match="is there already"):
        restore.restore(new.places, saved, replace=False)
    assert all_but_ours(new.folder) == {left: b"left"}


def test_replaced_data_moves_aside_whole_and_can_be_used_there(
    data: KeptData, saved: Path, kept: list[Kept], tmp_path: Path
) -> None:
    """With what only the write-ahead log of a killed gateway holds, newer documents, and another identity."""
    with sqlite3.connect(data.places.database) as gateway:
        gateway.execute("PRAGMA journal_mode=WAL")
        gateway.execute("PRAGMA wal_autocheckpoint=0")
        newer = data.add(b"newer")
        there = {name: (data.folder / name).read_bytes() for name in ("sieve.db", "sieve.db-wal")}
        shutil.copytree(data.folder, tmp_path / "killed")
    gateway.close()
    killed = KeptData(tmp_path / "killed")
    killed.write_identity({"identity.key": b"newer key", "receipt-earlier.pem": b"earlier"})
    assert len(there["sieve.db-wal"]) > 0

    told = restore.restore(killed.places, saved, replace=True)
    assert killed.read() == contents(kept)
    assert not (killed.folder / "sieve.db-wal").exists()
    for name in Manifest.read(saved)[0].files:
        assert (killed.folder / name).read_bytes() == (saved / name).read_bytes() or name == "sieve.db"
    assert {str(path.relative_to(killed.folder)).rpartition("/")[0] for path in told.aside} == {"", "blobs", "identity"}
    assert open_to_others(told.aside[0]) == []
    database, blobs, identity = told.aside
    assert {name: (database / name).read_bytes() for name in there} == there
    assert (identity / "identity.key").read_bytes() == b"newer key"
    with sqlite3.connect(database / "sieve.db") as earlier:
        assert earlier.execute("SELECT count(*) FROM documents").fetchone() == (4,)
    earlier.close()
    assert (blobs / newer.plain.id[:2] / newer.plain.id).read_bytes() == b"newer"
    assert not killed.path(newer.plain).exists()


def test_a_stale_log_beside_the_database_has_no_effect(
    saved: Path, kept: list[Kept], tmp_path: Path, data: KeptData
) -> None:
    """Fault: SQLite would play it into the restored database, which is then malformed, or what it was before."""
    with sqlite3.connect(data.places.database) as gateway:
        gateway.execute("PRAGMA journal_mode=WAL")
        gateway.execute("PRAGMA wal_autocheckpoint=0")
        gateway.execute("UPDATE documents SET name = 'changed', deleted_at_ns = 5")
        gateway.commit()
        new = KeptData(tmp_path / "new")
        new.folder.mkdir()
        for ending in ("-wal", "-shm"):
            shutil.copyfile(f"{data.places.database}{ending}", f"{new.places.database}{ending}")
    gateway.close()
    told = restore.restore(new.places, saved, replace=True)
    assert new.read() == contents(kept)
    assert {path.name for path in told.aside[0].iterdir()} == {"sieve.db-wal", "sieve.db-shm"}


def test_what_others_keep_in_the_blob_folder_stays(data: KeptData, saved: Path) -> None:
    others = {"quarantine/20261122T000000Z/" + "cd" * 16: b"quarantine", "lost+found/x": b"x", "README": b"mine"}
    for name, held in others.items():
        (data.places.blobs / name).parent.mkdir(parents=True, exist_ok=True)
        (data.places.blobs / name).write_bytes(held)
    restore.restore(data.places, saved, replace=True)
    told = restore.restore(data.places, saved, replace=True)
    assert others.items() <= files(data.places.blobs).items()
    # Nor does one restore carry off what the one before put aside.
    assert len(list(data.places.blobs.glob("replaced-*"))) == len(list(data.folder.glob("replaced-*"))) == 2
    assert not list(told.aside[0].rglob("replaced-*"))


def test_an_identity_that_is_there_already_is_left_alone(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may lie where the gateway cannot write."""
    new = KeptData(tmp_path / "new")
    new.folder.mkdir()
    new.write_identity(IDENTITY)
    before = _as_they_are(new.places.identity)
    assert restore.restore(new.places, saved, replace=False).aside == ()
    assert _as_they_are(new.places.identity) == before


def _as_they_are(folder: Path) -> dict[Path, tuple[int, ...]]:
    """What a change of the files would change; reading them does not."""
    stats = {path: path.stat() for path in folder.iterdir()}
    return {path: (of_it.st_ino, of_it.st_mode, of_it.st_size, of_it.st_mtime_ns) for path, of_it in stats.items()}


def test_so_is_one_that_is_mounted_as_links(saved: Path, tmp_path: Path) -> None:
    new = KeptData(tmp_path / "new")
    new.folder.mkdir()
    new.places.identity.mkdir()
    for name, held in IDENTITY.items():
        (tmp_path / name).write_bytes(held)
        (new.places.identity / name).symlink_to(tmp_path / name)
    assert restore.restore(new.places, saved, replace=False).aside == ()
    assert all((new.places.identity / name).is_symlink() for name in IDENTITY)


def test_what_cannot_be_looked_at_is_reported_in_one_line(saved: Path, tmp_path: Path) -> None:
    new = KeptData(tmp_path / "new")
    for name in IDENTITY:
        (new.places.identity / name).mkdir(parents=True)
    with pytest.raises(BackupError, match=r"^nothing was restored: .*: Is a directory$"):
        restore.restore(new.places, saved, replace=True)


def test_a_damaged_backup_changes_nothing(data: KeptData, saved: Path, kept: list[Kept]) -> None:
    before = all_but_ours(data.folder)
    (saved / f"blobs/{kept[1].sealed.id[:2]}/{kept[1].sealed.id}").unlink()
    with pytest.raises(BackupError, match=f"is damaged: blobs/.*{kept[1].sealed.id} missing or changed"):
        restore.restore(data.places, saved, replace=True)
    assert all_but_ours(data.folder) == before


def test_an_unfinished_backup_changes_nothing(data: KeptData, saved: Path) -> None:
    (saved / "manifest.json").unlink()
    before = all_but_ours(data.folder)
    with pytest.raises(UnfitFolder, match="no finished backup"):
        restore.restore(data.places, saved, replace=True)
    assert all_but_ours(data.folder) == before


def test_a_backup_of_a_newer_version(data: KeptData, saved: Path) -> None:
    told = json.loads((saved / "manifest.json").read_bytes())
    (saved / "manifest.json").write_text(json.dumps(told | {"schema": "9999", "program": "9.1"}))
    with pytest.raises(BackupError, match=r"newer version of this program \(9\.1\)"):
        restore.restore(data.places, saved, replace=True)


def test_not_while_a_gateway_runs(data: KeptData, saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = data_folder.lock
    monkeypatch.setattr(data_folder, "lock", lambda folder: lock(folder, patience_s=0))
    fd = lock(data.folder)
    before = all_but_ours(data.folder)
    with pytest.raises(StartError, match="another process uses the data folder"):
        restore.restore(data.places, saved, replace=True)
    assert all_but_ours(data.folder) == before
    os.close(fd)
    restore.restore(data.places, saved, replace=True)


def test_no_room_changes_nothing(data: KeptData, saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = all_but_ours(data.folder)
    copy = backup_folder.copy

    def full(source: Path, to: Path) -> backup_folder.Described:
        if source.name == "receipt.key":
            raise StorageFull("the disk is full")
        return copy(source, to)

    (data.places.identity / "identity.key").write_bytes(b"another")
    before = all_but_ours(data.folder)
    monkeypatch.setattr(backup_folder, "copy", full)
    with pytest.raises(StorageFull):
        restore.restore(data.places, saved, replace=True)
    assert all_but_ours(data.folder) == before


class Killed(BaseException):
    """The process is gone: whatever it still does has no effect."""


@contextmanager
def killed_at(step: int) -> Iterator[None]:
    """Kills at that change of the file system, and at each one after it."""
    steps = itertools.count()

    def mortal(real: Callable[..., Any]) -> Callable[..., Any]:
        def do(*arguments: Any, **more: Any) -> Any:
            if next(steps) >= step:
                raise Killed
            return real(*arguments, **more)

        return do

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in (
            (blob_file, "create"),
            (blob_file, "write_at"),
            (blob_file, "sync_folder"),
            (Path, "mkdir"),
            (Path, "rename"),
            (Path, "replace"),
            (Path, "unlink"),
            (shutil, "rmtree"),
        ):
            patch.setattr(owner, name, mortal(getattr(owner, name)))
        patch.setattr(backup_folder, "at_once", lambda work, of: [work(one) for one in of])
        yield


def test_cut_off_at_any_step_it_is_as_before_or_known_to_be_half_done(
    data: KeptData, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = data.add(b"newer")
    data.write_identity({"identity.key": b"another"})
    for folder in data.places.blobs.iterdir():
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    # What is synced is not what this is about, and takes its time.
    monkeypatch.setattr(os, "fsync", lambda fd: None)
    wanted = {name: held for name, held in files(saved).items() if name != "manifest.json"}
    before = all_but_ours(data.folder)
    step = half_done = untouched = 0
    while True:
        again = KeptData(tmp_path / f"again-{step}")
        shutil.copytree(data.folder, again.folder)
        with killed_at(step):
            try:
                restore.restore(again.places, saved, replace=True)
            except Killed:
                pass
            else:
                break
        if (again.folder / "restoring.json").exists():
            half_done += 1
            with pytest.raises(StartError, match="run sieve restore again"):
                data_folder.check_not_half_restored(again.folder)
            # It needs no second --replace to finish what was begun.
            assert restore.restore(again.places, saved, replace=False).finished
        elif before.items() <= all_but_ours(again.folder).items():
            untouched += 1
            restore.restore(again.places, saved, replace=True)
        assert wanted.items() <= all_but_ours(again.folder).items()
        assert not list(again.folder.rglob("restoring*"))
        set_aside = [path for path in again.folder.rglob("replaced-*/**/*") if path.name == newer.plain.id]
        assert [path.read_bytes() for path in set_aside] == [b"newer"]
        shutil.rmtree(again.folder)
        step += 1
    assert half_done > 10
    assert untouched > 10
