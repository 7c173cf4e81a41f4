"""Transactions: all of it or nothing, one writer at a time, and nothing of a statement's values in words."""

import asyncio
import logging
import sqlite3
import stat
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, func, select, text
from sqlalchemy.exc import IntegrityError, InvalidRequestError
from sqlalchemy.ext.asyncio import AsyncSession

from databases import url
from disk_waits import GATEWAYS_SET_UP
from sieve.store import postgres_name_index, sqlite_database, sqlite_name_index
from sieve.store.database import Database, DatabaseBusy, DatabaseUnusable
from sieve.store.database_from_url import database_from_url
from sieve.store.errors import DatabaseUnwritable, StorageFull
from sieve.store.migrate import FOLDER, newest
from sieve.store.models import Base, Transfer, User
from sieve.store.postgres_objects import UNITS
from sieve.store.queries import document_list, outbox, people
from store_rows import a_document, a_peer, a_transfer, a_user


async def names(database: Database) -> list[str]:
    async with database.read() as session:
        return [user.name for user in await people.everybody(session)]


async def test_a_block_that_ends_well_is_kept_and_one_that_fails_is_not(database: Database) -> None:
    async with database.write() as session:
        await a_user(session, "anna")
    with pytest.raises(RuntimeError):
        async with database.write() as session:
            await a_user(session, "bob")
            raise RuntimeError
    assert await names(database) == ["anna"]


async def test_what_was_loaded_stays_readable(database: Database) -> None:
    async with database.write() as session:
        user = await a_user(session)
    assert user.display_name == "Anna"
    async with database.read() as session:
        again = await people.by_name(session, "ANNA")
    assert again is not None
    assert again.display_name == "Anna"


async def test_a_reader_sees_one_snapshot_and_does_not_stop_the_writer(database: Database) -> None:
    async with database.read() as session:
        assert await people.everybody(session) == []
        async with database.write() as writing:
            await a_user(writing)
        assert await people.everybody(session) == []
    assert await names(database) == ["anna"]


async def test_nothing_is_written_through_a_reader(database: Database) -> None:
    with pytest.raises(DatabaseUnwritable, match="read-only"):
        async with database.read() as session:
            await a_user(session)


async def test_writers_queue_and_lose_no_update(database: Database) -> None:
    async with database.write() as session:
        user = await a_user(session)

    async def grow() -> None:
        async with database.write() as session:
            found = await session.get_one(User, user.id)
            await asyncio.sleep(0)
            found.created_at_ns += 1

    await asyncio.gather(*(grow() for _ in range(50)))
    async with database.read() as session:
        assert (await session.get_one(User, user.id)).created_at_ns == user.created_at_ns + 50


async def test_a_writer_that_is_cancelled_leaves_nothing_and_blocks_nobody(database: Database) -> None:
    inside = asyncio.Event()

    async def write() -> None:
        async with database.write() as session:
            await a_user(session)
            inside.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(write())
    await inside.wait()
    waiting = asyncio.create_task(write())
    await asyncio.sleep(0)
    for each in (waiting, task):
        each.cancel()
        with pytest.raises(asyncio.CancelledError):
            await each
    async with database.write() as session:
        await a_user(session, "bob")
    assert await names(database) == ["bob"]


@pytest.mark.parametrize("steps", range(0, 60, 3))
async def test_cancelled_at_any_step_it_is_done_or_not_begun(database: Database, steps: int) -> None:
    async def write() -> None:
        async with database.write() as session:
            user = await a_user(session)
            peer = await a_peer(session)
            await a_transfer(session, await a_document(session, user), user, peer)

    task = asyncio.create_task(write())
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    async with database.write() as session:
        counts = [await session.scalar(select(func.count()).select_from(table)) for table in (User, Transfer)]
    assert counts in ([0, 0], [1, 1])


async def test_a_lock_that_another_process_holds_for_a_moment_delays_the_first_connection(tmp_path: Path) -> None:
    """As a backup does while it recovers what a killed gateway left."""
    other = sqlite3.connect(tmp_path / "sieve.db", isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE alembic_version (version_num TEXT)")
    other.execute("BEGIN EXCLUSIVE")
    release = threading.Timer(0.2, other.execute, ["ROLLBACK"])
    release.start()
    database = database_from_url(url(tmp_path / "sieve.db"))
    async with database.write() as session:
        assert await session.scalar(text("SELECT count(*) FROM alembic_version")) == 0
    release.join()
    await database.dispose()
    other.close()


async def test_a_lock_held_elsewhere_is_reported_as_busy(database: Database, tmp_path: Path) -> None:
    impatient = database_from_url(url(tmp_path / "sieve.db"), busy_s=2.0)
    async with impatient.write():
        pass  # opens the connection: a busy machine takes its time for that, and nobody has locked anything then
    other = sqlite3.connect(tmp_path / "sieve.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(DatabaseBusy, match="locked by another process; try again"):
        async with impatient.write() as session:
            await a_user(session)
    async with impatient.read() as session:
        assert await people.everybody(session) == []
    other.execute("ROLLBACK")
    async with impatient.write() as session:
        await a_user(session)
    other.close()
    await impatient.dispose()


async def test_waiting_too_long_for_our_own_writers_is_reported_as_busy(migrated: Path, tmp_path: Path) -> None:
    path = tmp_path / "sieve.db"
    path.write_bytes(migrated.read_bytes())
    impatient = database_from_url(url(path), busy_s=0.5)
    async with impatient.write() as session:
        await a_user(session)
        with pytest.raises(DatabaseBusy, match="others have held it for too long"):
            async with impatient.write() as waiting:
                await a_user(waiting, "bob")
    assert await names(impatient) == ["anna"]
    await impatient.dispose()


async def test_a_full_disk_is_reported_and_nothing_is_half_done(database: Database) -> None:
    async with database.write() as session:
        await a_user(session)
    with pytest.raises(StorageFull, match="the disk that holds the database is full"):
        async with database.write() as session:
            page_count = await session.scalar(text("PRAGMA page_count"))
            await session.execute(text(f"PRAGMA max_page_count = {page_count}"))
            for number in range(1000):
                await a_user(session, f"user{number}")
    async with database.write() as session:
        await session.execute(text("PRAGMA max_page_count = 1000000"))
    assert await names(database) == ["anna"]


async def test_the_pragmas_that_durability_rests_on(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_database, "set_up", GATEWAYS_SET_UP)  # tests do not wait for the disk otherwise
    for block in (database.read, database.write):
        async with block() as session:
            found = {
                name: await session.scalar(text(f"PRAGMA {name}"))
                for name in ("journal_mode", "synchronous", "foreign_keys", "secure_delete")
            }
        assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1}


async def test_no_value_of_a_statement_is_logged_or_shown(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises(IntegrityError) as caught:
        async with database.write() as session:
            await a_user(session, "planted-secret")
            await a_user(session, "planted-secret")
    assert "planted-secret" not in str(caught.value)
    assert "planted-secret" not in caplog.text


@pytest.mark.parametrize("unit", ["read", "browse", "write"])
async def test_no_unit_reveals_the_values_of_a_statement_that_failed(
    database: Database, caplog: pytest.LogCaptureFixture, unit: str
) -> None:
    caplog.set_level(logging.DEBUG)
    values = {"value": "planted-secret"}
    with pytest.raises(Exception, match="no_such_function") as caught:
        async with getattr(database, unit)() as session:
            await session.execute(text("SELECT no_such_function(:value)"), values)
    assert "planted-secret" not in "".join(traceback.format_exception_only(caught.value))
    assert "planted-secret" not in f"{caught.value.__cause__}{caught.value.__context__}{caplog.text}"


async def test_a_forgotten_relation_raises(session: AsyncSession) -> None:
    user, peer = await a_user(session), await a_peer(session)
    made = await a_transfer(session, await a_document(session, user), user, peer)
    session.expunge_all()
    transfer = await session.get_one(Transfer, made.id)
    with pytest.raises(InvalidRequestError, match="raise"):
        _ = transfer.document
    whole = await outbox.by_id(session, made.id)
    assert whole is not None
    assert whole.recipient_names == ["berta", "bob"]
    assert whole.document.sealed_blob.ref.kind == whole.manifest_blob.ref.kind == "sealed"


async def test_models_and_migrations_agree(database: Database) -> None:
    others = {UNITS, *postgres_name_index.INDEXES}
    for table in sqlite_name_index.TABLES:
        others |= {table, *(f"{table}_{part}" for part in ("data", "idx", "content", "config"))}

    def differences(session: Any) -> list[Any]:
        connection: Connection = session.connection()
        context = MigrationContext.configure(connection, opts={"include_name": lambda name, *_: name not in others})
        return compare_metadata(context, Base.metadata)  # type: ignore[no-any-return]

    async with database.read() as session:
        assert await session.run_sync(differences) == []


async def test_the_checks_of_the_models_are_in_the_migrated_database(database: Database, tmp_path: Path) -> None:
    """Alembic compares no check constraints: so do we."""
    made = sqlite3.connect(tmp_path / "made.db")
    engine = create_engine("sqlite://", creator=lambda: made)
    Base.metadata.create_all(engine)
    migrated = sqlite3.connect(tmp_path / "sieve.db")
    wanted = (
        "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'alembic%' AND tbl_name NOT GLOB '*_names*' "
        "AND type <> 'trigger' AND sql IS NOT NULL ORDER BY name"
    )
    ours, theirs = (
        {name: sorted(" ".join(sql.split()).replace(", ", ",").split(",")) for name, sql in db.execute(wanted)}
        for db in (made, migrated)
    )
    engine.dispose()
    made.close()
    migrated.close()
    assert {name: [part for part in sql if "CHECK" in part] for name, sql in ours.items()} == {
        name: [part for part in sql if "CHECK" in part] for name, sql in theirs.items()
    }


async def test_migrating_twice_changes_nothing_and_the_file_is_private(tmp_path: Path) -> None:
    path = tmp_path / "with 100% odd name" / "sieve.db"
    path.parent.mkdir()
    database = database_from_url(url(path))
    await database.migrate()
    async with database.write() as session:
        await a_user(session)
    await database.migrate()
    assert await names(database) == ["anna"]
    files = list(path.parent.iterdir())
    await database.dispose()
    assert {stat.S_IMODE(file.stat().st_mode) for file in files if file.exists()} == {0o600}


async def test_a_database_that_is_up_to_date_needs_no_alembic(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    assert ScriptDirectory.from_config(config).get_heads() == [newest()]
    monkeypatch.setitem(sys.modules, "alembic", None)  # importing it fails
    await database.migrate()
    async with database.write() as session:
        await session.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    with pytest.raises(ImportError):
        await database.migrate()


def upgraded_to(version: str, old: sqlite3.Connection) -> None:
    engine = create_engine("sqlite://", creator=lambda: old)
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(FOLDER))
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = connection
        command.upgrade(config, version)


async def test_what_the_first_version_kept_is_there_after_an_upgrade(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "sieve.db") as old:
        upgraded_to("0001", old)
        for row in (
            "users VALUES ('u', 'anna', 'Anna', 1, 0, 0, 0, NULL, NULL, 1)",
            "blobs VALUES ('p', 'plain', 'd', 'document', 1, NULL, NULL, 1)",
            "blobs VALUES ('s', 'sealed', 'd', 'document', 1, 'k', x'00', 1)",
            "documents VALUES ('d', 'u', 'authored', 'memo.txt', 'text/plain', 2, 1, '00', 'p', 's', 5, 1, NULL)",
            "documents VALUES ('e', 'u', 'authored', 'other.txt', 'text/plain', 2, 1, '00', 'p', 's', 5, 2, NULL)",
        ):
            old.execute(f"INSERT INTO {row}")
    old.close()

    database = database_from_url(url(tmp_path / "sieve.db"))
    await database.migrate()
    async with database.read() as session:
        found = await document_list.page(session, "u", after=None, limit=10)
    await database.dispose()
    assert [(one.name, one.draft_id, one.revision) for one in found] == [
        ("other.txt", None, None),
        ("memo.txt", None, None),
    ]


async def test_an_upgrade_leaves_no_digest_of_an_edition_and_no_manifest_of_what_was_deleted(tmp_path: Path) -> None:
    path = tmp_path / "sieve.db"
    with sqlite3.connect(path) as old:
        upgraded_to("0011", old)
        old.execute("PRAGMA foreign_keys=OFF")
        for blob in ("b1", "b2"):
            kept = (blob, "sealed", "d", "manifest", 1, "k", b"", 1, bytes.fromhex(blob * 40))
            old.execute("INSERT INTO blobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", kept)
        document = (
            "INSERT INTO documents (id, origin, name, media_type, size, classified_size, plain_digest, plain_blob_id,"
        )
        document += " sealed_blob_id, sieve_ns, created_at_ns, deleted_at_ns, redacted_size, redacted_digest) VALUES"
        received = "INSERT INTO received VALUES (?, 'p', ?, 'm', ?, ?, 'Anna', 'sieve', '{}', 1, 2)"
        for blob, gone in (("b1", 5), ("b2", None)):
            values = (blob, "received", "pay.csv", "text/csv", 2, 1, "00", "p", "s", 5, 1, gone, 7, "c0ffee" * 11)
            old.execute(f"{document} ({', '.join('?' * len(values))})", values)
            old.execute(received, (blob, blob, blob, blob))
    old.close()
    database = database_from_url(url(path))
    await database.migrate()
    await database.dispose()
    at_rest = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"c0ffee" not in at_rest and bytes.fromhex("b1" * 40) not in at_rest
    assert bytes.fromhex("b2" * 40) in at_rest, "the manifest of what is there stays"


async def test_a_newer_database_is_refused_in_one_line(database: Database) -> None:
    async with database.write() as session:
        await session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseUnusable) as caught:
        await database.migrate()
    assert str(caught.value) == (
        f"the database {database.name} was written by a newer version of Security Sieve (its schema is 9999, this "
        f"version has {newest()}); install that version, or restore a backup from before it"
    )


async def test_the_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    with sqlite3.connect(path) as theirs:
        theirs.execute("CREATE TABLE songs (title TEXT)")
    theirs.close()
    database = database_from_url(url(path))
    with pytest.raises(DatabaseUnusable, match=r"theirs.db belongs to another program; set SIEVE_DATABASE_URL"):
        await database.migrate()
    await database.dispose()
    with sqlite3.connect(path) as theirs:
        assert theirs.execute("SELECT name FROM sqlite_master").fetchall() == [("songs",)]
    theirs.close()


async def test_a_damaged_database_says_so_and_where(migrated: Path, tmp_path: Path) -> None:
    path = tmp_path / "sieve.db"
    content = bytearray(migrated.read_bytes())
    content[100:4096] = bytes(3996)  # the first page, without the header
    path.write_bytes(content)
    database = database_from_url(url(path))
    with pytest.raises(
        DatabaseUnusable, match=r"sieve.db is damaged \(.*malformed.*\); restore it from a backup"
    ) as caught:
        await database.migrate()
    await database.dispose()
    assert "SIEVE_DATABASE_URL" not in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "nonsense",
        "sqlite+aiosqlite://",
        "sqlite+aiosqlite:///:memory:",
        "postgresql://u:geheim@h/d",
        "postgresql+asyncpg://u:geheim@/",
    ],
)
def test_an_address_that_is_none_is_refused_without_repeating_it(address: str) -> None:
    with pytest.raises(
        DatabaseUnusable, match=r"example: (sqlite\+aiosqlite:///|postgresql\+asyncpg://sieve:P)"
    ) as caught:
        database_from_url(address)
    assert "geheim" not in str(caught.value)


async def test_a_file_that_is_no_database_or_cannot_be_made_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear reader, this is not a database at all. " * 100)
    for where, said in ((path, "is not a SQLite database"), (tmp_path / "none" / "sieve.db", "No such file")):
        database = database_from_url(url(where))
        with pytest.raises(DatabaseUnusable, match=f"the file {where} {said}|cannot use the database {where}: {said}"):
            await database.migrate()
        await database.dispose()
