"""A start without a master key that the database needs is refused, and makes no other one."""

import sqlite3
from collections.abc import Awaitable, Callable

import pytest

from sieve.store import sealed_value
from sieve.store.errors import MasterKeyMissing
from sieve.store.master_keys import key_id
from sieve.store.models import AuditEntry, DraftLabels, Policy, PolicyVersion, new_id
from sieve.store.open_store import Store
from sieve.store.queries import drafts, notifications
from store.data_folder import Place
from store_rows import a_user, store_document


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
