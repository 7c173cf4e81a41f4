"""The blob folder at a start: its id, and a quarantine that one wrong clock cannot empty."""

import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sieve.store.blob_folder import GRACE_NS, PAUSE_NS, BlobFolder
from sieve.store.models import new_id

NOW_NS = int(datetime(2026, 11, 22, 21, 0, tzinfo=UTC).timestamp()) * 1_000_000_000
HOUR_NS = 3600 * 1_000_000_000
DAY_NS = 24 * HOUR_NS


@pytest.fixture
def folder(tmp_path: Path) -> BlobFolder:
    return BlobFolder(tmp_path)


def a_file(folder: BlobFolder, content: bytes = b"sealed") -> Path:
    name = new_id()
    path = folder.root / name[:2] / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


def in_quarantine(folder: BlobFolder) -> set[str]:
    return {path.name for path in folder.quarantine.glob("*/*")}


def test_it_has_no_id_until_it_gets_one(folder: BlobFolder) -> None:
    assert folder.id() is None
    ours = new_id()
    folder.name(ours)
    assert BlobFolder(folder.root).id() == ours
    assert stat.S_IMODE(folder.id_file.stat().st_mode) == 0o600
    assert [path.name for path in folder.root.iterdir()] == ["folder-id"]


@pytest.mark.parametrize("content", [b"", b"\n", b"no id", b"\xff" * 32])
def test_what_is_no_id_counts_as_none(folder: BlobFolder, content: bytes) -> None:
    folder.id_file.write_bytes(content)
    assert folder.id() is None


def test_files_are_moved_away_whole_and_in_private(folder: BlobFolder) -> None:
    path = a_file(folder)
    foreign = path.with_name("README")
    foreign.write_text("not ours")
    assert folder.compared({path.name}) == ({path.name}, []) and folder.compared(()) == (set(), [path])
    where = folder.move_away([path], NOW_NS)
    assert where == folder.root / "quarantine" / "20261122T210000Z"
    assert (where / path.name).read_bytes() == b"sealed"
    assert folder.compared(()) == (set(), []) and foreign.exists()
    assert {stat.S_IMODE(each.stat().st_mode) for each in (where, where.parent)} == {0o700}


def test_what_is_known_again_comes_back_and_nothing_in_place_is_overwritten(folder: BlobFolder) -> None:
    back, unknown, there = a_file(folder), a_file(folder), a_file(folder, b"old")
    folder.move_away([back, unknown, there], NOW_NS)
    there.write_bytes(b"restored")
    assert folder.move_back({back.name, there.name}) == 1
    assert back.read_bytes() == b"sealed" and there.read_bytes() == b"restored"
    assert in_quarantine(folder) == {unknown.name, there.name}


def test_a_file_goes_after_the_grace_and_a_start_that_found_it_overdue(folder: BlobFolder) -> None:
    path = a_file(folder)
    folder.move_away([path], NOW_NS)
    overdue = NOW_NS + GRACE_NS
    for now in (NOW_NS, overdue - HOUR_NS, overdue, overdue + PAUSE_NS - HOUR_NS):
        assert folder.remove_overdue(now) == 0
        assert in_quarantine(folder) == {path.name}
    assert folder.remove_overdue(overdue + PAUSE_NS) == 1
    assert list(folder.quarantine.iterdir()) == []


@pytest.mark.parametrize("ahead_ns", [8 * DAY_NS, 100 * DAY_NS])
@pytest.mark.parametrize("wrong", range(4))
def test_one_start_with_a_clock_ahead_removes_nothing_that_was_just_moved(
    folder: BlobFolder, wrong: int, ahead_ns: int
) -> None:
    """Starts an hour apart, one of which has a wrong clock; the first one moves the file away."""
    path = a_file(folder)
    for start in range(6):
        now = NOW_NS + start * HOUR_NS + (ahead_ns if start == wrong else 0)
        if start == 0:
            folder.move_away([path], now)
        assert folder.remove_overdue(now) == 0
    assert in_quarantine(folder) == {path.name}


def test_a_clock_that_was_behind_leaves_a_day(folder: BlobFolder) -> None:
    path = a_file(folder)
    folder.move_away([path], NOW_NS - 30 * DAY_NS)
    for hours in range(24):
        assert folder.remove_overdue(NOW_NS + hours * HOUR_NS) == 0
    assert in_quarantine(folder) == {path.name}


def test_what_is_no_blob_in_quarantine_stays(folder: BlobFolder) -> None:
    where = folder.move_away([a_file(folder)], NOW_NS)
    (where / "notes.txt").write_text("mine")
    (folder.quarantine / "kept by hand").mkdir()
    folder.remove_overdue(NOW_NS + GRACE_NS)
    assert folder.remove_overdue(NOW_NS + GRACE_NS + PAUSE_NS) == 1
    assert sorted(path.name for path in folder.quarantine.rglob("*") if path.is_file()) == ["notes.txt"]
    assert (folder.quarantine / "kept by hand").is_dir()


def test_while_a_backup_is_made_what_is_removed_is_kept_and_comes_back_if_rows_name_it(folder: BlobFolder) -> None:
    gone, kept, unknown = (a_file(folder).name for _ in range(3))
    folder.remove(gone)
    folder.kept.mkdir(parents=True)
    folder.remove(kept)
    folder.remove(unknown)
    folder.remove(unknown)  # it is not there any more
    assert folder.compared([]).found == 0 and in_quarantine(folder) == {kept, unknown}
    for days in (0, 8, 16):
        assert folder.remove_overdue(NOW_NS + days * DAY_NS) == 0
    assert folder.move_back([kept, gone]) == 1
    assert folder.path(kept).exists() and in_quarantine(folder) == {unknown}
    assert folder.quarantined().files == 0, "people asked for that folder"
    folder.kept.rename(folder.root / "away")
    folder.remove(kept)
    assert not folder.path(kept).exists()
