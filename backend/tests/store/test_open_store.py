"""A start destroys nothing: database and blob folder belong together, and what no row names is kept."""

import logging
import shutil
import sqlite3
from pathlib import Path

import pytest

from sieve.store import folder_at_start
from sieve.store.blob_folder import GRACE_NS, PAUSE_NS
from sieve.store.errors import BlobsUnusable
from sieve.store.queries import clock_notes
from store.data_folder import NOW_NS, Place
from store_rows import store_document


async def test_a_wrong_address_is_refused_and_makes_no_database(place: Place) -> None:
    await place.store_documents(3)
    kept = place.files()
    place.database = "seive.db"
    assert await place.refused() == (
        f"the database {place.database_file} knows none of the 6 blob files in {place.blobs}; set SIEVE_DATABASE_URL "
        f"to the database that they belong to, restore that from a backup, or move {place.blobs} away to "
        "start without them"
    )
    assert not place.database_file.exists() and place.files() == kept
    place.database = "sieve.db"
    await place.start()
    assert place.files() == kept and place.in_quarantine() == set()


async def test_an_empty_database_that_something_else_made_is_refused_at_every_start(
    place: Place, migrated: Path
) -> None:
    """As `sieve admin create` makes one under a wrong address."""
    await place.store_documents(3)
    kept = place.files()
    place.database = "new.db"
    shutil.copyfile(migrated, place.database_file)
    assert "knows none of the 6 blob files" in await place.refused()
    assert place.files() == kept


async def test_the_database_of_another_gateway_is_refused_by_the_ids(place: Place, tmp_path: Path) -> None:
    other = Place(tmp_path / "other")
    other.folder.mkdir()
    for each in (place, other):
        await each.store_documents(1)
    shutil.copyfile(other.database_file, place.database_file)
    line = await place.refused()
    assert f"{place.blobs} has the id {(place.blobs / 'folder-id').read_text().strip()}" in line
    assert "set SIEVE_DATABASE_URL and SIEVE_BLOBS to two that belong together" in line


async def test_a_data_folder_from_before_ids_is_taken_over_by_what_it_has_in_common(place: Place) -> None:
    await place.store_documents(2)
    kept = place.files()
    place.forget_ids()
    await place.start()
    assert place.files() == kept
    place.forget_ids()
    place.database = "wrong.db"
    assert "knows none of the 4 blob files" in await place.refused()


async def test_an_older_database_without_an_id_fits_the_folder_that_it_knows(place: Place) -> None:
    await place.store_documents(1)
    folder_id = (place.blobs / "folder-id").read_text()
    with sqlite3.connect(place.database_file) as database:
        database.execute("DELETE FROM blob_folder")
    database.close()
    await place.start()
    assert (place.blobs / "folder-id").read_text() == folder_id
    await place.start()


async def test_a_blob_folder_that_is_not_mounted_is_refused(place: Place) -> None:
    await place.store_documents(2)
    kept = place.files()
    place.blobs.rename(place.folder / "elsewhere")
    line = await place.refused()
    assert f"{place.blobs} holds none of the 4 blob files that the database {place.database_file} names" in line
    shutil.rmtree(place.blobs, ignore_errors=True)
    (place.folder / "elsewhere").rename(place.blobs)
    await place.start()
    assert place.files() == kept


async def test_without_its_lost_files_a_database_is_opened_if_asked_to(place: Place) -> None:
    await place.store_documents(2)
    shutil.rmtree(place.blobs)
    await place.refused()
    await place.start(adopt_blobs=True)
    await place.start()


async def test_what_a_crash_leaves_of_the_first_document_stops_no_start(place: Place) -> None:
    await place.start()
    left = place.leave_behind(2)
    await place.start()
    assert place.files() == {} and place.in_quarantine() == left


async def test_a_folder_that_cannot_be_used_is_reported_in_one_line(place: Place) -> None:
    place.blobs.write_text("a file")
    with pytest.raises(BlobsUnusable, match=rf"cannot use the blob folder {place.blobs}: .*; make it writable or"):
        await place.start()


# --- the sweep -------------------------------------------------------------------------------------------------------


async def test_unknown_files_go_to_quarantine_and_come_back_with_a_newer_database(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    await place.store_documents(3)
    backup = place.folder / "backup.db"
    with sqlite3.connect(place.database_file) as source, sqlite3.connect(backup) as target:
        source.backup(target)
    source.close()
    target.close()
    await place.store_documents(2)
    kept, newest = place.files(), place.folder / "newest.db"
    place.database_file.rename(newest)
    backup.rename(place.database_file)

    await place.start()
    assert len(place.files()) == 6 and len(place.in_quarantine()) == 4
    assert "moved 4 files that the database does not know to " in caplog.text
    assert caplog.text.count("; starts after 7 days remove them") == 1

    newest.rename(place.database_file)
    await place.start()
    assert place.files() == kept and place.in_quarantine() == set()
    assert f"moved 4 files back from {place.blobs / 'quarantine'}: the database knows them" in caplog.text


async def test_after_the_grace_two_starts_remove_them(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    await place.start()
    left = place.leave_behind(3)
    await place.start()
    await place.start(now_ns=NOW_NS + GRACE_NS)
    assert place.in_quarantine() == left
    await place.start(now_ns=NOW_NS + GRACE_NS + PAUSE_NS)
    assert place.in_quarantine() == set()
    assert "removed 3 files that lay in " in caplog.text


async def test_a_clock_that_is_far_from_what_was_noted_removes_none(place: Place) -> None:
    async with place.opened() as store, store.database.write() as session:
        await clock_notes.put(session, NOW_NS, None)
    left = place.leave_behind(3)
    await place.start()
    for days in range(4):
        await place.start(now_ns=NOW_NS + 50 * GRACE_NS + days * PAUSE_NS)
    assert place.in_quarantine() == left
    for later_ns in (GRACE_NS, GRACE_NS + PAUSE_NS):
        async with place.opened() as store, store.database.write() as session:
            await clock_notes.put(session, NOW_NS + later_ns, None)
        await place.start(now_ns=NOW_NS + later_ns)
    assert place.in_quarantine() == set()


async def test_more_than_a_crash_leaves_behind_stays_where_it_is_unless_asked_for(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    await place.store_documents(1)
    left = place.leave_behind(folder_at_start.FEW + 1)
    kept = place.files()
    await place.start()
    assert place.files() == kept and place.in_quarantine() == set()
    assert f"the database does not know 257 of 259 files in {place.blobs}; they stay where they are" in caplog.text
    assert "start once with: sieve gateway --adopt-blobs" in caplog.text
    await place.start(adopt_blobs=True)
    assert len(place.files()) == 2 and place.in_quarantine() == left


async def test_nor_are_more_moved_away_because_there_are_many_others(
    place: Place, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older database misses thousands of a large gateway's files, and they are a small share of all."""
    monkeypatch.setattr(folder_at_start, "FEW", 2)
    await place.store_documents(15)
    left = place.leave_behind(3)
    kept = place.files()
    await place.start()
    assert place.files() == kept and place.in_quarantine() == set()
    assert "the database does not know 3 of 33 files" in caplog.text
    (place.blobs / (gone := left.pop())[:2] / gone).unlink()
    await place.start()
    assert place.in_quarantine() == left


async def test_a_start_says_which_files_are_missing(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    async with place.opened() as store:
        plain, sealed = await store_document(store)
    await place.start()
    assert "missing" not in caplog.text
    (place.blobs / sealed.id[:2] / sealed.id).unlink()
    await place.start()
    assert f"1 of 2 files that the database names are missing in {place.blobs}, such as {sealed.id}" in caplog.text
    assert place.files().keys() == {plain.id}


async def test_a_start_reminds_that_removed_files_are_kept(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    kept = place.blobs / "quarantine" / "removed"
    async with place.opened() as store:
        plain, _ = await store_document(store)
        kept.mkdir(parents=True)
        store.blobs.delete(plain)
    assert "removed files are kept" not in caplog.text
    assert [path.name for path in kept.iterdir()] == [plain.id]
    await place.start()
    assert f"removed files are kept in {kept}; delete that folder once the backup" in caplog.text
    assert [*kept.iterdir()] == [] and plain.id in place.files(), "the database still names it"


async def test_a_quarantine_that_cannot_be_made_stops_no_start(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    await place.start()
    left = place.leave_behind(1)
    (place.blobs / "quarantine").write_text("in the way")
    await place.start()
    assert place.files().keys() == left
    assert f"the blob folder {place.blobs} cannot be swept: File exists" in caplog.text
