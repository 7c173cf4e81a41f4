"""A backup holds what the database of one moment names, whatever comes and goes meanwhile, or it is none."""

import errno
import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from kept_data import IDENTITY, Kept, KeptData, files, open_to_others
from sieve.gateway.backups import backup
from sieve.gateway.backups import folder as backup_folder
from sieve.gateway.backups.backup import Made
from sieve.gateway.backups.folder import LastBackup, Manifest
from sieve.gateway.errors import BackupError, StartError, UnfitFolder
from sieve.store import snapshot
from sieve.store.errors import DatabaseUnusable, StorageFull


@pytest.fixture
def data(tmp_path: Path, migrated: Path) -> KeptData:
    return KeptData(tmp_path / "data", migrated)


@pytest.fixture
def into(tmp_path: Path) -> Path:
    return tmp_path / "backup"


def made(data: KeptData, into: Path, **more: Path) -> Made:
    return backup.make(data.places, "alpha", into, **more)


def names_of(*kept: Kept) -> set[str]:
    return {f"blobs/{ref.id[:2]}/{ref.id}" for one in kept for ref in (one.plain, one.sealed)}


def blobs_in(into: Path) -> set[str]:
    return {name for name in files(into) if name.startswith("blobs/")}


def test_it_holds_database_documents_and_identity_for_their_owner_alone(data: KeptData, into: Path) -> None:
    one, two = data.add(b"one"), data.add(b"two")
    told = made(data, into)
    assert set(files(into)) == {
        "manifest.json",
        "sieve.db",
        *names_of(one, two),
        *(f"identity/{name}" for name in IDENTITY),
    }
    assert open_to_others(into) == []
    assert (told.linked, told.copied, told.blob_bytes) == (4, 0, sum(len(files(into)[name]) for name in blobs_in(into)))
    manifest, _ = Manifest.read(into)
    assert manifest == told.manifest
    assert manifest.master_keys == (data.keys.current,)
    assert manifest.damaged == ()
    manifest.check(into)
    size = sum(file.size for file in manifest.files.values())
    assert LastBackup.read(data.places.data) == LastBackup(manifest.taken_at, size, 0)


def test_keys_that_are_links_are_followed(data: KeptData, into: Path, tmp_path: Path) -> None:
    """As a container's secrets are mounted."""
    for path in (data.places.identity / "identity.key", data.places.master_key):
        path.rename(tmp_path / path.name[::-1])
        path.symlink_to(tmp_path / path.name[::-1])
    made(data, into, master_key=tmp_path / "kept")
    assert not (into / "identity/identity.key").is_symlink()
    assert (into / "identity/identity.key").read_bytes() == IDENTITY["identity.key"]
    assert (tmp_path / "kept").read_bytes() == data.places.master_key.read_bytes()


def test_the_master_key_is_in_none_of_its_files(data: KeptData, into: Path) -> None:
    data.places.identity.joinpath("master.key").write_bytes(data.places.master_key.read_bytes())
    made(data, into)
    key = data.places.master_key.read_bytes().strip()
    assert not any(key in held or bytes.fromhex(key.decode()) in held for held in files(into).values())


def test_the_master_key_is_copied_apart_on_request(data: KeptData, into: Path, tmp_path: Path) -> None:
    apart = tmp_path / "kept.key"
    with pytest.raises(UnfitFolder, match="must not be in the backup"):
        made(data, into, master_key=into / "master.key")
    made(data, into, master_key=apart)
    assert apart.read_bytes() == data.places.master_key.read_bytes()
    assert open_to_others(apart) == []
    with pytest.raises(UnfitFolder, match=r"kept\.key exists"):
        made(data, tmp_path / "another", master_key=apart)
    assert not (tmp_path / "another").exists()


def test_what_only_the_write_ahead_log_holds_is_in_it(data: KeptData, into: Path) -> None:
    """As a gateway that was killed leaves it."""
    with sqlite3.connect(data.places.database) as gateway:
        gateway.execute("PRAGMA journal_mode=WAL")
        gateway.execute("PRAGMA wal_autocheckpoint=0")
        kept = data.add(b"late")
        assert (data.folder / "sieve.db-wal").stat().st_size > 0
        made(data, into)
    gateway.close()
    assert names_of(kept) == blobs_in(into)
    with sqlite3.connect(f"file:{into}/sieve.db?immutable=1", uri=True) as copied:
        assert copied.execute("SELECT id FROM documents").fetchall() == [(kept.id,)]
    copied.close()


def test_what_is_deleted_later_stays_in_the_backup(data: KeptData, into: Path) -> None:
    kept = data.add(b"one")
    made(data, into)
    data.delete(kept)
    assert not data.path(kept.plain).exists()
    Manifest.read(into)[0].check(into)


def test_a_second_backup_takes_no_more_room_for_the_same_documents(data: KeptData, into: Path, tmp_path: Path) -> None:
    kept = data.add(b"one")
    made(data, into)
    made(data, tmp_path / "second")
    name = f"blobs/{kept.plain.id[:2]}/{kept.plain.id}"
    assert (tmp_path / "second" / name).samefile(into / name)


def test_on_another_file_system_it_is_copied(
    data: KeptData, into: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    kept = data.add(b"one")
    monkeypatch.setattr(os, "link", refuse)
    told = made(data, into)
    assert (told.linked, told.copied) == (0, 2)
    assert not (into / f"blobs/{kept.plain.id[:2]}/{kept.plain.id}").samefile(data.path(kept.plain))
    assert open_to_others(into) == []
    told.manifest.check(into)


def before_each_copy(monkeypatch: pytest.MonkeyPatch, *meanwhile: Callable[[], object]) -> list[int]:
    """Does each of these before one copy of the database, the last one before all further ones, too."""
    copies: list[int] = []
    copy = snapshot.copy

    def after_that(source: Path, to: Path) -> None:
        meanwhile[min(len(copies), len(meanwhile) - 1)]()
        copies.append(1)
        copy(source, to)

    monkeypatch.setattr(snapshot, "copy", after_that)
    return copies


def after_each_copy(monkeypatch: pytest.MonkeyPatch, *meanwhile: Callable[[], object]) -> list[int]:
    """The same after it."""
    copies: list[int] = []
    copy = snapshot.copy

    def before_that(source: Path, to: Path) -> None:
        copy(source, to)
        meanwhile[min(len(copies), len(meanwhile) - 1)]()
        copies.append(1)

    monkeypatch.setattr(snapshot, "copy", before_that)
    return copies


def test_what_comes_before_the_database_is_copied_is_in_it(
    data: KeptData, into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, late = data.add(b"one"), []
    before_each_copy(monkeypatch, lambda: late.append(data.add(b"late")))
    made(data, into).manifest.check(into)
    assert blobs_in(into) == names_of(one, *late)


def test_what_goes_before_the_database_is_copied_is_not_in_it(
    data: KeptData, into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = data.add(b"one"), data.add(b"two")
    before_each_copy(monkeypatch, lambda: data.delete(two))
    made(data, into).manifest.check(into)
    assert blobs_in(into) == names_of(one)


def test_what_goes_after_the_database_is_copied_is_in_it(
    data: KeptData, into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = data.add(b"one")
    after_each_copy(monkeypatch, lambda: data.delete(one))
    made(data, into).manifest.check(into)
    assert blobs_in(into) == names_of(one)


def test_what_comes_and_goes_within_a_moment_makes_no_bad_backup(
    data: KeptData, into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, late = data.add(b"one"), []
    before_each_copy(monkeypatch, lambda: late.append(data.add(b"late")), lambda: None)
    copies = after_each_copy(monkeypatch, lambda: data.delete(late[0]), lambda: None)
    told = made(data, into)
    assert len(copies) == 2
    assert told.manifest.damaged == ()
    assert blobs_in(into) == names_of(one)


def test_if_that_never_ends_it_says_so_and_leaves_nothing(
    data: KeptData, into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = []
    before_each_copy(monkeypatch, lambda: late.append(data.add(b"late")))
    after_each_copy(monkeypatch, lambda: data.delete(late[-1]))
    with pytest.raises(BackupError, match="deleted faster than they can be backed up"):
        made(data, into)
    assert len(late) == backup.ROUNDS
    assert not into.exists()


def test_what_was_received_is_whole_in_it(data: KeptData, into: Path) -> None:
    """Its sealed blob has another layout, so that its writing could have been resumed."""
    kept = data.add(b"x" * 300_000, received=True)
    told = made(data, into).manifest
    assert (names_of(kept) <= blobs_in(into), told.damaged) == (True, ())


def test_a_draft_whose_plain_stream_is_sealed_is_whole_in_it(data: KeptData, into: Path) -> None:
    kept = data.add(b"x" * 300_000, draft=True)
    told = made(data, into).manifest
    assert (names_of(kept) <= blobs_in(into), told.damaged) == (True, ())


def test_files_that_are_missing_at_the_gateway_are_named_and_keep_no_other_from_being_backed_up(
    data: KeptData, into: Path
) -> None:
    one, missing, changed, cut = (data.add(content) for content in (b"one", b"missing", b"changed", b"cut"))
    data.path(missing.plain).unlink()
    data.path(changed.plain).write_bytes(b"another")
    data.path(cut.sealed).write_bytes(b"short")
    told = made(data, into).manifest
    told.check(into)
    assert set(told.damaged) == {f"blobs/{ref.id[:2]}/{ref.id}" for ref in (missing.plain, changed.plain, cut.sealed)}
    assert names_of(one) < blobs_in(into)


@pytest.mark.parametrize("left", ["sieve.db", "manifest.json", "anything"])
def test_a_folder_that_is_not_empty_is_refused_and_left_alone(data: KeptData, into: Path, left: str) -> None:
    into.mkdir()
    (into / left).write_bytes(b"mine")
    with pytest.raises(UnfitFolder, match="is not empty"):
        made(data, into)
    assert files(into) == {left: b"mine"}


def test_a_file_in_its_place(data: KeptData, into: Path) -> None:
    into.write_bytes(b"mine")
    with pytest.raises(UnfitFolder, match="not a folder"):
        made(data, into)
    with pytest.raises(UnfitFolder, match="not a folder|cannot write"):
        made(data, into / "below")


@pytest.mark.parametrize("there_before", [True, False])
def test_a_failure_leaves_nothing(
    data: KeptData, into: Path, monkeypatch: pytest.MonkeyPatch, there_before: bool
) -> None:
    def full(*_: object) -> None:
        raise StorageFull("the disk is full")

    data.add(b"one")
    if there_before:
        into.mkdir()
    monkeypatch.setattr(backup_folder, "write_durably", full)
    with pytest.raises(StorageFull):
        made(data, into)
    assert into.exists() == there_before
    assert not there_before or not any(into.iterdir())


def test_one_that_was_killed_is_no_backup(data: KeptData, into: Path) -> None:
    data.add(b"one")
    made(data, into)
    (into / "manifest.json").unlink()
    with pytest.raises(UnfitFolder, match=r"no finished backup: it has no manifest\.json"):
        Manifest.read(into)


def test_a_damaged_database_is_not_backed_up(data: KeptData, into: Path) -> None:
    for number in range(40):
        data.add(b"%d" % number)
    with sqlite3.connect(data.places.database) as gateway:
        gateway.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (root,) = gateway.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'ix_documents_plain_blob_id'"
        ).fetchone()
        (size,) = gateway.execute("PRAGMA page_size").fetchone()
    gateway.close()
    with data.places.database.open("r+b") as file:
        file.seek((root - 1) * size + size - 200)
        file.write(b"\xff" * 100)
    with pytest.raises(DatabaseUnusable, match="is damaged"):
        made(data, into)
    assert not into.exists()


def test_no_database_and_no_identity(data: KeptData, into: Path, tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnusable, match="no database at .*check SIEVE_DATA_DIR"):
        backup.make(KeptData(tmp_path / "nowhere").places, "alpha", into)
    assert not (tmp_path / "nowhere").exists()
    (data.places.identity / "receipt.key").unlink()
    with pytest.raises(BackupError, match=r"receipt\.key: missing; set SIEVE_IDENTITY_DIR"):
        made(data, into)
    assert not into.exists()


def test_a_database_of_another_version(data: KeptData, into: Path) -> None:
    with sqlite3.connect(data.places.database) as gateway:
        gateway.execute("UPDATE alembic_version SET version_num = '0007'")
    gateway.close()
    with pytest.raises(DatabaseUnusable, match="another version of this program"):
        made(data, into)


def test_data_that_is_half_restored_is_not_backed_up(data: KeptData, into: Path) -> None:
    (data.folder / "restoring.json").write_text("{}")
    with pytest.raises(StartError, match="a restore into .* was cut off"):
        made(data, into)


def test_damage_is_found_later(data: KeptData, into: Path) -> None:
    one, two = data.add(b"one"), data.add(b"two")
    manifest = made(data, into).manifest
    paths = [into / f"blobs/{kept.plain.id[:2]}/{kept.plain.id}" for kept in (one, two)]
    paths[0].unlink()
    with pytest.raises(BackupError, match=f"is damaged: blobs/.*{one.plain.id} missing or changed"):
        manifest.check(into)
    paths[1].write_bytes(b"tw0")
    with pytest.raises(BackupError, match="and 1 others missing or changed"):
        manifest.check(into)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"format": 2}, "has format 2; this program reads format 1"),
        ({"files": {"sieve.db": [1, "00"], "blobs/../../escaped": [1, "00"]}}, "damaged"),
        ({"files": {"sieve.db": [1, "00"], "identity/../../escaped": [1, "00"]}}, "damaged"),
        ({"files": {"sieve.db": [1, "00"], "/etc/passwd": [1, "00"]}}, "damaged"),
        ({"files": {"sieve.db": [1, "00"], "blobs/ab/" + "cd" * 16: [1, "00"]}}, "damaged"),
        ({"files": {}}, "damaged"),
        ({"files": None}, "damaged"),
        ({"more": 1}, "damaged"),
    ],
)
def test_a_manifest_is_not_believed(data: KeptData, into: Path, change: dict[str, object], complaint: str) -> None:
    made(data, into)
    told = json.loads((into / "manifest.json").read_bytes())
    (into / "manifest.json").write_text(json.dumps(told | change))
    with pytest.raises(UnfitFolder, match=complaint):
        Manifest.read(into)
    (into / "manifest.json").write_text("[" * 100_000)
    with pytest.raises(UnfitFolder, match="damaged"):
        Manifest.read(into)
