"""A start destroys nothing: database, blob folder and master keys belong together, and what no row names is kept."""

import logging
import shutil
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from databases import url
from sieve.store import folder_at_start, sealed_value
from sieve.store.blob_folder import GRACE_NS, PAUSE_NS
from sieve.store.errors import BlobsUnusable, MasterKeyMissing
from sieve.store.key_source import KeyFile
from sieve.store.master_keys import key_id
from sieve.store.models import AuditEntry, DraftLabels, Policy, PolicyVersion, new_id
from sieve.store.open_store import Holder, Store, open_store
from sieve.store.queries import clock_notes, drafts, notifications
from store_rows import a_user, store_document

NOW_NS = 1_800_000_000_000_000_000


@dataclass
class Place:
    """A data folder."""

    folder: Path
    database: str = "sieve.db"

    @property
    def blobs(self) -> Path:
        return self.folder / "blobs"

    @property
    def key_file(self) -> Path:
        return self.folder / "master.key"

    @property
    def database_file(self) -> Path:
        return self.folder / self.database

    def files(self) -> dict[str, bytes]:
        """The blobs in their places, by their ids."""
        return {path.name: path.read_bytes() for path in self.blobs.glob("??/*")}

    def in_quarantine(self) -> set[str]:
        return {path.name for path in self.blobs.glob("quarantine/*/*")}

    @asynccontextmanager
    async def opened(self, *, now_ns: int = NOW_NS, adopt_blobs: bool = False) -> AsyncIterator[Store]:
        store = await open_store(
            url(self.database_file),
            self.blobs,
            KeyFile(self.key_file),
            Holder("alpha", b"key"),
            now_ns=now_ns,
            adopt_blobs=adopt_blobs,
        )
        yield store
        await store.database.dispose()

    async def start(self, *, now_ns: int = NOW_NS, adopt_blobs: bool = False) -> None:
        async with self.opened(now_ns=now_ns, adopt_blobs=adopt_blobs):
            pass

    async def refused(self) -> str:
        """The line; the same at the next start."""
        lines = []
        for _ in range(2):
            with pytest.raises((BlobsUnusable, MasterKeyMissing)) as caught:
                await self.start()
            lines.append(str(caught.value))
        assert lines[0] == lines[1] and "\n" not in lines[0]
        return lines[0]

    async def store_documents(self, count: int) -> None:
        async with self.opened() as store:
            for _ in range(count):
                await store_document(store)

    def leave_behind(self, count: int) -> set[str]:
        """Files as a crash leaves them."""
        names = {new_id() for _ in range(count)}
        for name in names:
            (self.blobs / name[:2]).mkdir(exist_ok=True)
            (self.blobs / name[:2] / name).write_bytes(b"half")
        return names

    def forget_ids(self) -> None:
        """Makes it a data folder from before ids: as it was before the step that brought them."""
        (self.blobs / "folder-id").unlink()
        with sqlite3.connect(self.database_file) as database:
            database.execute("DELETE FROM blob_folder")
        database.close()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


# --- the blob folder -------------------------------------------------------------------------------------------------


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


# --- the master keys -------------------------------------------------------------------------------------------------


async def a_policy(store: Store) -> None:
    sealed = sealed_value.seal(store.keys, b"rules", "policy")
    async with store.database.write() as session:
        session.add(Policy(name="p", version=1))
        await session.flush()
        given = {"title": "P", "rules": 1, "guard": True, "written_in": "toml", "changed_by": "root"}
        session.add(PolicyVersion(name="p", version=1, source=sealed, changed_at_ns=1, **given))


async def an_audit_reason(store: Store) -> None:
    sealed = sealed_value.seal(store.keys, b"why", "audit")
    async with store.database.write() as session:
        given = {"actor": "anna", "action": "labels-lowered", "subject": "s", "details": "{}"}
        session.add(AuditEntry(id=new_id(), number=1, at_ns=1, sealed_details=sealed, link=b"", **given))


async def labels(store: Store) -> None:
    sealed = sealed_value.seal(store.keys, b"labels", "draft")
    async with store.database.write() as session:
        draft = await drafts.add(session, draft_id=new_id(), owner_id=(await a_user(session)).id, now_ns=1)
        session.add(DraftLabels(draft_id=draft.id, sealed=sealed))


async def a_webhook(store: Store) -> None:
    sealed = sealed_value.seal(store.keys, b"secret", "webhook")
    async with store.database.write() as session:
        given = {"user_id": (await a_user(session)).id, "url": "https://app.example.org/", "created_at_ns": 1}
        await notifications.add_webhook(session, id=new_id(), secret=sealed, **given)


async def a_document(store: Store) -> None:
    await store_document(store)


@pytest.mark.parametrize("keep", [a_document, a_policy, an_audit_reason, labels, a_webhook])
@pytest.mark.parametrize("wrong", ["", f"{'ab' * 32}\n"])
async def test_a_missing_key_stops_the_start_and_none_is_made(
    place: Place, keep: Callable[[Store], Awaitable[object]], wrong: str
) -> None:
    async with place.opened() as store:
        await keep(store)
    right, key = place.key_file.read_text(), store.keys.current
    place.key_file.unlink()
    if wrong:
        place.key_file.touch(mode=0o600)
        place.key_file.write_text(wrong)
    found = f"it holds {key_id(bytes.fromhex(wrong))}" if wrong else "there is no such file"
    assert await place.refused() == (
        f"the master key {key} is missing in {place.key_file} ({found}), and the database holds what it sealed; put "
        "the file back from a backup, or set SIEVE_MASTER_KEY_FILE to it (if the key is lost for good, and with it all "
        f"that it sealed, add the line: lost {key})"
    )
    assert place.key_file.exists() == bool(wrong)
    place.key_file.touch(mode=0o600)
    place.key_file.write_text(f"{'cd' * 32}\n{right}")
    await place.start()


async def test_a_key_that_is_said_to_be_lost_is_not_asked_for(place: Place) -> None:
    async with place.opened() as store:
        _, sealed = await store_document(store)
    place.key_file.write_text(f"{'ab' * 32}\nlost {store.keys.current}\n")
    async with place.opened() as store:
        with pytest.raises(MasterKeyMissing, match="is needed and not here"):
            store.blobs.open_sealed(sealed)


async def test_a_key_that_sealed_nothing_that_is_left_may_go(place: Place) -> None:
    await place.start()
    place.key_file.unlink()
    await place.start()
    assert place.key_file.exists()
    await place.store_documents(1)
    with sqlite3.connect(place.database_file) as database:
        database.execute("UPDATE documents SET deleted_at_ns = 1")
    database.close()
    place.key_file.write_text(f"{'ab' * 32}\n")
    await place.start()


async def test_an_upgrade_finds_the_keys_that_were_used_before(place: Place) -> None:
    async with place.opened() as store:
        await a_policy(store)
    with sqlite3.connect(place.database_file) as database:
        database.execute("ALTER TABLE blobs DROP COLUMN tags")
        database.execute("DROP TABLE blob_folder")
        database.execute("DROP TABLE master_keys")
        database.execute("ALTER TABLE transfers DROP COLUMN off_plain")  # of a later migration
        database.execute("DROP TABLE partials")
        database.execute("DROP TABLE peer_directories")
        database.execute("DROP TABLE peer_contacts")
        database.execute("DROP INDEX ix_received_list")
        database.execute("DROP INDEX ix_audit_entries_list")
        database.execute("DROP INDEX ix_audit_entries_actor_list")
        database.execute("CREATE INDEX ix_audit_entries_at_ns_id ON audit_entries (at_ns, id)")
        database.execute("ALTER TABLE transfers DROP COLUMN unreachable_since_ns")
        for table in ("rollups", "groups", "records", "state", "accepted_hours", "accepted_minutes"):
            database.execute(f"DROP TABLE timing_{table}")
        database.execute("ALTER TABLE transfers DROP COLUMN peer_holds")
        database.execute("ALTER TABLE transfers DROP COLUMN marks_size")
        database.execute("ALTER TABLE drafts DROP COLUMN forwarded_from")
        database.execute("ALTER TABLE documents DROP COLUMN before_restore")
        database.execute("ALTER TABLE transfer_recipients DROP COLUMN display_name")
        database.execute("DROP INDEX ix_received_in_reply_to")
        database.execute("ALTER TABLE received DROP COLUMN in_reply_to")
        database.execute("ALTER TABLE peers ADD COLUMN code VARCHAR NOT NULL DEFAULT ''")
        database.execute("DROP TABLE read_receipts")
        database.execute("DROP TABLE audit_positions")
        database.execute("DROP TABLE used_once")
        database.execute("DROP TABLE clock_notes")
        database.execute("DROP TABLE schema_notes")
        for table, column in (
            ("transfer_recipients", "opened_at_ns"),
            ("drafts", "reply_to"),
            ("transfers", "reply_to_id"),
            *((table, column) for table in ("transfers", "received") for column in ("cover", "read_receipts")),
        ):
            database.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        for side in ("secure", "plain"):
            database.execute(f"ALTER TABLE attempts DROP COLUMN {side}_left")
        for table in ("passkeys", "authenticator_apps", "recovery_codes", "unfinished_sign_ins"):
            database.execute(f"DROP TABLE {table}")
        database.execute("ALTER TABLE sessions DROP COLUMN confirmed_at_ns")
        database.execute("DROP TABLE recipient_groups")
        database.execute("DROP TABLE approvals")
        for column in ("is_service", "admin_confirmed", "cleared_since_ns", "locked_before_ns"):
            database.execute(f"ALTER TABLE users DROP COLUMN {column}")
        database.execute("ALTER TABLE tokens DROP COLUMN scopes")
        for table, column in (
            *((table, "locked") for table in ("inbox", "drafts", "documents")),
            ("inbox", "before_clearance"),
        ):
            database.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        for column in ("device", "source"):
            database.execute(f"ALTER TABLE sessions DROP COLUMN {column}")
        database.execute("ALTER TABLE one_time_links DROP COLUMN made_by_id")
        database.execute("DROP INDEX ix_users_sso")
        for column in ("unit", "email", "email_notifications", "sso_issuer", "sso_subject"):
            database.execute(f"ALTER TABLE users DROP COLUMN {column}")
        database.execute("DROP TABLE notifications")
        database.execute("DROP TABLE webhooks")
        trash = database.execute("SELECT name FROM sqlite_master WHERE name LIKE 'ix%trash'")
        for (index,) in trash.fetchall():
            database.execute(f"DROP INDEX {index}")
        indexes = database.execute("SELECT name FROM sqlite_master WHERE name LIKE 'ix%list' OR name LIKE 'ix%oldest'")
        for (index,) in indexes.fetchall():
            database.execute(f"DROP INDEX {index}")
        for table in ("inbox", "drafts"):
            database.execute(f"ALTER TABLE {table} DROP COLUMN trashed_at_ns")
        database.execute("ALTER TABLE drafts DROP COLUMN is_template")
        database.execute("DROP TABLE tags")
        for column in ("linked_sealed_details", "linked_reason"):
            database.execute(f"ALTER TABLE audit_entries DROP COLUMN {column}")
        database.execute("CREATE INDEX ix_transfers_author_id ON transfers (author_id)")
        database.execute("UPDATE alembic_version SET version_num = '0012'")
    database.close()
    place.key_file.unlink()
    assert f"the master key {store.keys.current} is missing" in await place.refused()
