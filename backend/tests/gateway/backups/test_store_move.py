"""What a gateway stored is the same in its new place, an interrupted move continues, and the old place is not used.

With SIEVE_TEST_DATABASE or SIEVE_TEST_BLOBS, one of the two places is a server.
"""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import pytest
from sqlalchemy import CheckConstraint, Table, insert, select

import blob_storages
from databases import url
from next_versions import EXPANSION, following, version
from sieve.gateway.backups import store_move
from sieve.gateway.backups.store_move import Moved, Where, move
from sieve.gateway.errors import StoreMoveError
from sieve.store import blob_copies
from sieve.store.blob_place import BlobPlace, Bucket, S3Address
from sieve.store.database import Database
from sieve.store.database_from_url import database_from_url
from sieve.store.errors import BlobDamaged, BlobsUnusable, DatabaseUnusable
from sieve.store.key_source import KeyFile
from sieve.store.models import Document
from sieve.store.open_store import Holder, Store, open_store
from sieve.store.queries import blobs
from sieve.store.s3_objects import S3Objects
from store_rows import store_document

ROWS: Final = 3
_ONE_OF: Final = re.compile(r"^(\w+) IN \('([^']+)'")

_SPECIAL: Final[Mapping[str, Mapping[str, Any]]] = {
    "transfers": {"lease_token": None},  # none is being sent
    "blobs": {"content": b"in its row"},  # no file
}


def values(table: Table, number: int) -> Mapping[str, Any]:
    """A row that fits all constraints, whatever it means."""
    checks = [str(check.sqltext) for check in table.constraints if isinstance(check, CheckConstraint)]
    chosen = {found[1]: found[2] for check in checks if (found := _ONE_OF.match(check))}
    row: dict[str, Any] = {}
    for column in table.columns:
        # Types of our own hold texts.
        kind = {"LargeBinary": bytes, "SentenceText": str}.get(type(column.type).__name__) or column.type.python_type
        if column.foreign_keys:
            [key] = column.foreign_keys
            row[column.name] = values(key.column.table, number)[key.column.name]
        elif kind is str:
            row[column.name] = f"{table.name}-{column.name}-{number}-é"
        else:
            row[column.name] = {int: number, float: number / 3, bool: number % 2 == 0, bytes: bytes([0, number])}[kind]
        if column.nullable and number % 2:
            row[column.name] = None
    return {**row, **chosen, **_SPECIAL.get(table.name, {})}


@dataclass
class Place:
    """Data folder, database and blobs of one gateway; `move_to` names other places for the last two."""

    folder: Path
    old: Where
    new: Where

    @asynccontextmanager
    async def opened(self, where: Where, *, adopt_blobs: bool = False) -> AsyncIterator[Store]:
        key, holder = KeyFile(self.folder / "master.key"), Holder("alpha", b"key")
        store = await open_store(where.database_url, where.blobs, key, holder, now_ns=1, adopt_blobs=adopt_blobs)
        try:
            yield store
        finally:
            await store.close()

    async def move(self, old: Where, new: Where) -> Moved:
        async with self.opened(old) as store:
            return await move(store, old, new)


@asynccontextmanager
async def held(address: str) -> AsyncIterator[Database]:
    database = database_from_url(address)
    try:
        yield database
    finally:
        await database.dispose()


async def rows_in(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of each table that moves, in an order of their own."""
    found = {}
    async with database.browse() as session:
        for table in store_move.tables():
            found[table.name] = sorted(map(tuple, await session.execute(select(table))), key=repr)
    return found


async def contents_of(store: Store) -> dict[str, bytes]:
    """What each document says, by its name."""
    found = {}
    async with store.database.browse() as session:
        for document in await session.scalars(select(Document)):
            plain = await blobs.ref(session, document.plain_blob_id)
            sealed = await blobs.ref(session, document.sealed_blob_id)
            content = store.blobs.open_plain(plain).read(0, plain.size)
            found[document.name] = content + store.blobs.open_sealed(sealed).read(0, sealed.size)
    return found


async def add_document(store: Store, name: str) -> None:
    await store_document(store, name, name.encode() * 100_000)


async def fill(store: Store) -> None:
    """Documents, and some rows in every other table."""
    for name in ("one", "two", "three"):
        await add_document(store, name)


async def fill_all_tables(store: Store) -> None:
    async with store.database.write() as session:
        for table in store_move.tables():
            if table.name in ("master_keys", "timing_state"):
                continue  # the start made what they hold
            await session.execute(insert(table), [values(table, number) for number in range(1, ROWS + 1)])


def _blobs(folder: Path) -> BlobPlace:
    """A folder; with SIEVE_TEST_BLOBS=s3, a bucket."""
    if not blob_storages.ON_S3:
        return folder
    address = S3Address(blob_storages.BUCKET, uuid4().hex, blob_storages.endpoint())
    return Bucket(address, folder.with_name(f"{folder.name}-spool"), blob_storages.SPOOL)


@pytest.fixture(params=["there", "back"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """On a server, there is from SQLite and a folder to it, and back is the other way."""
    small = Where(f"sqlite+aiosqlite:///{tmp_path}/small.db", tmp_path / "small")
    large = Where(url(tmp_path / "large.db"), _blobs(tmp_path / "large"))
    return Place(tmp_path, small, large) if request.param == "there" else Place(tmp_path, large, small)


async def test_documents_and_rows_are_the_same_in_the_new_place(place: Place) -> None:
    async with place.opened(place.old) as store:
        await fill(store)
        await fill_all_tables(store)
        rows = await rows_in(store.database)
        assert all(rows.values())
        moved = await move(store, place.old, place.new)
    assert moved.rows == sum(map(len, rows.values())) and moved.blobs == 6
    async with held(place.new.database_url) as database:
        assert await rows_in(database) == rows
        async with database.write() as session:  # the numbers that the database gives continue
            for table in store_move.tables():
                if (column := table.autoincrement_column) is not None:
                    row = {name: value for name, value in values(table, 99).items() if name != column.name}
                    await session.execute(insert(table), [row])


async def test_a_gateway_works_on_in_the_new_place(place: Place) -> None:
    async with place.opened(place.old) as store:
        await fill(store)
        rows, contents = await rows_in(store.database), await contents_of(store)
    moved = await place.move(place.old, place.new)
    assert (moved.rows, moved.blobs) == (sum(map(len, rows.values())), 6)
    async with place.opened(place.new) as store:
        assert await rows_in(store.database) == rows
        assert await contents_of(store) == contents
        await add_document(store, "four")
    with pytest.raises(DatabaseUnusable, match="sieve migrate-store moved what the database .* holds; set SIEVE_DATA"):
        async with place.opened(place.old):
            pass
    async with place.opened(place.old, adopt_blobs=True) as store:
        assert await contents_of(store) == contents


async def test_the_blobs_alone_can_move(place: Place) -> None:
    there = replace(place.old, blobs=place.new.blobs)
    async with place.opened(place.old) as store:
        await fill(store)
        contents = await contents_of(store)
    assert (await place.move(place.old, there)).rows is None
    async with place.opened(there) as store:
        assert await contents_of(store) == contents
    with pytest.raises(BlobsUnusable, match="set SIEVE_DATABASE_URL and SIEVE_BLOBS to two that belong together"):
        async with place.opened(place.old):
            pass


async def test_the_database_alone_can_move(place: Place) -> None:
    there = replace(place.old, database_url=place.new.database_url)
    async with place.opened(place.old) as store:
        await fill(store)
        contents = await contents_of(store)
    assert (await place.move(place.old, there)).blobs == 0
    async with place.opened(there) as store:
        assert await contents_of(store) == contents


@pytest.mark.parametrize("step", ["a blob", "the rows", "the note"])
async def test_an_interrupted_move_continues(place: Place, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with place.opened(place.old) as store:
        await fill(store)
        contents = await contents_of(store)

    class Killed(BaseException):
        pass

    def die(*_: Any, **__: Any) -> Any:
        raise Killed

    def after_two(blob_id: str, source: blob_copies.CopyPlace, target: blob_copies.CopyPlace) -> int | None:
        copied.append(blob_id)
        return copy_blob(blob_id, source, target) if len(copied) < 3 else die()

    copied: list[str] = []
    copy_blob = blob_copies.copy_blob
    with monkeypatch.context() as killing:
        if step == "a blob":
            killing.setattr(blob_copies, "copy_blob", after_two)
        elif step == "the rows":
            # A kill at one of these places; from outside it would hit any.
            killing.setattr(store_move, "compare", die)
        else:
            killing.setattr(store_move, "leave_note", die)
        with pytest.raises(Killed):
            await place.move(place.old, place.new)
    async with place.opened(place.old) as store:
        assert await contents_of(store) == contents, "until the end, the old place counts"
    moved = await place.move(place.old, place.new)
    assert moved.blobs == {"a blob": 4, "the rows": 0, "the note": 0}[step]
    async with place.opened(place.new) as store:
        assert await contents_of(store) == contents


@pytest.mark.parametrize("is_interrupted", [False, True])
async def test_the_old_database_is_not_being_read_while_the_copy_is_compared(
    place: Place, is_interrupted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With many rows that takes minutes, and PostgreSQL ends a transaction that is idle for one."""
    async with place.opened(place.old) as store:
        await fill(store)
    if is_interrupted:
        with monkeypatch.context() as killing, pytest.raises(ZeroDivisionError):
            killing.setattr(store_move, "leave_note", lambda _: 1 / 0)
            await place.move(place.old, place.new)

    async with place.opened(place.old) as store:
        database, browse, compare = store.database, store.database.browse, store_move.compare
        reading = compared = 0

        @asynccontextmanager
        async def counted() -> AsyncIterator[Any]:
            nonlocal reading
            async with browse() as session:
                reading += 1
                try:
                    yield session
                finally:
                    reading -= 1

        async def look(*arguments: Any) -> None:
            nonlocal compared
            assert reading == 0
            await compare(*arguments)
            compared += 1

        monkeypatch.setattr(database, "browse", counted)
        monkeypatch.setattr(store_move, "compare", look)
        await move(store, place.old, place.new)
        assert compared == 1


async def test_a_place_that_is_in_use_is_refused(place: Place) -> None:
    async with place.opened(place.new) as store:
        await add_document(store, "other")
    async with place.opened(place.old) as store:
        await fill(store)
        contents = await contents_of(store)
        with pytest.raises(StoreMoveError, match="holds other blobs; name an empty folder or another prefix"):
            await move(store, place.old, replace(place.old, blobs=place.new.blobs))
        with pytest.raises(StoreMoveError, match=r"holds rows \(users\); name an empty one"):
            await move(store, place.old, replace(place.old, database_url=place.new.database_url))
        with pytest.raises(StoreMoveError, match="are what this gateway uses already"):
            await move(store, place.old, place.old)
    async with place.opened(place.old) as store:
        assert await contents_of(store) == contents


async def test_the_new_database_is_looked_at_before_files_are_copied(place: Place) -> None:
    """Copying may take hours."""
    async with place.opened(place.new) as store:
        await add_document(store, "other")
    empty = _blobs(place.folder / "empty")
    async with place.opened(place.old) as store:
        await fill(store)
        with pytest.raises(StoreMoveError, match=r"holds rows \(users\); name an empty one"):
            await move(store, place.old, replace(place.new, blobs=empty))
    copies = blob_copies.copy_place(empty)
    assert copies.is_empty() and copies.id() is None


async def test_tables_of_the_version_after_are_left_to_it(place: Place, tmp_path: Path) -> None:
    """This version can use them, and does not know all of them."""
    async with place.opened(place.old) as store:
        await fill(store)
    with version(following(tmp_path / "next", EXPANSION)):
        async with place.opened(place.old):
            pass
    async with place.opened(place.old) as store:
        contents = await contents_of(store)
        with pytest.raises(StoreMoveError, match="has tables of a newer version .*; move it with the newer version"):
            await move(store, place.old, place.new)
        assert (await move(store, place.old, replace(place.old, blobs=place.new.blobs))).rows is None
    async with place.opened(replace(place.old, blobs=place.new.blobs)) as store:
        assert await contents_of(store) == contents


async def test_a_file_that_is_missing_is_named(place: Place) -> None:
    async with place.opened(place.old) as store:
        lost, _ = await store_document(store, "lost")
        await fill(store)
        if isinstance(place.old.blobs, Bucket):
            S3Objects(place.old.blobs.address).remove([lost.id])
        else:
            (place.old.blobs / lost.id[:2] / lost.id).unlink()
        named = f"{lost.id[:2]}/{lost.id} in .*: a stored file is missing.*; restore it from a backup"
        with pytest.raises(BlobDamaged, match=named):
            await move(store, place.old, place.new)


async def test_a_copy_that_differs_is_not_accepted(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    async with place.opened(place.old) as store:
        await fill(store)
    kind = blob_copies.BucketCopies if isinstance(place.new.blobs, Bucket) else blob_copies.FolderCopies
    put = kind.put
    monkeypatch.setattr(kind, "put", lambda self, blob_id, pieces: put(self, blob_id, iter([b"something else"])))
    with pytest.raises(BlobDamaged, match="differs from what was copied; try again"):
        await place.move(place.old, place.new)
    async with place.opened(place.old):
        pass
