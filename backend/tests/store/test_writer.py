"""Group commit: units share a commit, fail alone, return only when it is on the disk, and never wait for ever."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from databases import as_sqlite, url
from sieve.store.database import Database
from sieve.store.database_from_url import database_from_url
from sieve.store.errors import DatabaseBusy, StorageFull
from sieve.store.queries import people
from sieve.store.writer import MOST, Writer
from store_rows import a_user


class Recorded(sqlite3.Connection):
    """A connection that counts its commits and fails one on request, after a look at what the file holds by then."""

    commits = 0
    fails: Exception | None = None

    def commit(self) -> None:
        self.commits += 1
        if self.fails is not None:
            failure, self.fails = self.fails, None
            raise failure
        super().commit()


@pytest.fixture
async def writer(tmp_path: Path) -> AsyncIterator[Writer]:
    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(
            tmp_path / "w.db", timeout=0, isolation_level=None, check_same_thread=False, factory=Recorded
        )
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE IF NOT EXISTS kept (what TEXT)")
        return connection

    writer = Writer(connect, busy_s=5.0)
    async with writer.turn():
        pass
    recorded(writer).commits = 0
    yield writer
    await writer.close()


def recorded(writer: Writer) -> Recorded:
    connection = writer.connection
    assert isinstance(connection, Recorded)
    return connection


def kept(folder: Path) -> list[str]:
    """What another connection sees."""
    other = sqlite3.connect(folder / "w.db")
    try:
        return [row[0] for row in other.execute("SELECT what FROM kept ORDER BY rowid")]
    finally:
        other.close()


async def keep(writer: Writer, what: str) -> None:
    async with writer.turn():
        writer.connection.execute("INSERT INTO kept VALUES (?)", (what,))


async def test_who_came_while_others_wrote_shares_their_commit(writer: Writer, tmp_path: Path) -> None:
    await asyncio.gather(*(keep(writer, str(number)) for number in range(20)))
    assert kept(tmp_path) == [str(number) for number in range(20)]
    assert recorded(writer).commits == 1


async def test_a_commit_has_a_bound_and_the_rest_comes_with_the_next(writer: Writer, tmp_path: Path) -> None:
    await asyncio.gather(*(keep(writer, "x") for _ in range(MOST + 1)))
    assert len(kept(tmp_path)) == MOST + 1
    assert recorded(writer).commits == 2


async def test_nobody_continues_before_the_commit(writer: Writer, tmp_path: Path) -> None:
    second_is_in, second_may_end = asyncio.Event(), asyncio.Event()

    async def second() -> None:
        async with writer.turn():
            second_is_in.set()
            await second_may_end.wait()

    first = asyncio.create_task(keep(writer, "first"))
    other = asyncio.create_task(second())
    await second_is_in.wait()
    assert kept(tmp_path) == []
    assert not first.done()
    second_may_end.set()
    await asyncio.gather(first, other)
    assert kept(tmp_path) == ["first"]


async def test_a_commit_that_fails_fails_all_that_shared_it_and_nobody_after(writer: Writer, tmp_path: Path) -> None:
    recorded(writer).fails = sqlite3.OperationalError("database or disk is full")
    results = await asyncio.gather(*(keep(writer, "lost") for _ in range(3)), return_exceptions=True)
    assert [str(result) for result in results] == ["database or disk is full"] * 3
    await keep(writer, "kept")
    assert kept(tmp_path) == ["kept"]


async def test_a_failure_too_is_raised_only_after_the_commit_it_may_rest_on(writer: Writer) -> None:
    """It looked at what the one before wrote; if that is lost, so is its reason."""

    async def refuse() -> None:
        async with writer.turn():
            raise ValueError("there is one of that name")

    recorded(writer).fails = sqlite3.OperationalError("disk I/O error")
    results = await asyncio.gather(keep(writer, "lost"), refuse(), return_exceptions=True)
    assert [str(result) for result in results] == ["disk I/O error"] * 2
    results = await asyncio.gather(keep(writer, "kept"), refuse(), return_exceptions=True)
    assert [type(result) for result in results] == [type(None), ValueError]


async def test_what_undoes_the_whole_transaction_is_reported_to_all_that_shared_it(
    writer: Writer, tmp_path: Path
) -> None:
    """As SQLite does by itself, for a full disk."""

    async def undo() -> None:
        async with writer.turn():
            writer.connection.execute("ROLLBACK")
            raise StorageFull("the disk is full")

    results = await asyncio.gather(keep(writer, "before"), undo(), keep(writer, "after"), return_exceptions=True)
    assert [type(result) for result in results] == [StorageFull, StorageFull, type(None)]
    assert kept(tmp_path) == ["after"]


async def test_a_turn_is_waited_for_so_long(tmp_path: Path, writer: Writer) -> None:
    impatient = Writer(lambda: writer.connection, busy_s=0.5)  # in which the first turn begins on a busy machine, too
    async with impatient.turn():
        with pytest.raises(DatabaseBusy, match="others have held it for too long"):
            async with impatient.turn():
                pytest.fail("it was not its turn")


async def test_first_come_first_served(writer: Writer, tmp_path: Path) -> None:
    async def again_and_again(name: str) -> None:
        for _ in range(5):
            await keep(writer, name)

    await asyncio.gather(*(again_and_again(name) for name in "abc"))
    assert kept(tmp_path) == list("abc") * 5


async def test_a_connection_that_cannot_be_opened_is_reported_and_tried_again(tmp_path: Path) -> None:
    failures = [sqlite3.OperationalError("unable to open database file")]

    def connect() -> sqlite3.Connection:
        if failures:
            raise failures.pop()
        return sqlite3.connect(tmp_path / "late.db", isolation_level=None, check_same_thread=False)

    writer = Writer(connect, busy_s=5.0)
    with pytest.raises(sqlite3.OperationalError):
        async with writer.turn():
            pytest.fail("there is nothing to write to")
    async with writer.turn():
        writer.connection.execute("CREATE TABLE t (x)")
    await writer.close()


async def test_who_is_still_writing_when_it_is_closed_is_waited_for(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    committing, go_on = asyncio.Event(), asyncio.Event()
    real = as_sqlite(database).writer.in_thread

    async def slowly(work: Callable[[], Any]) -> Any:
        committing.set()
        await go_on.wait()
        return await real(work)

    async def write(name: str) -> None:
        async with database.write() as session:
            await a_user(session, name)

    await write("first")
    # Where the writer waits for the disk.
    monkeypatch.setattr(as_sqlite(database).writer, "in_thread", slowly)
    writing = [asyncio.create_task(write("anna"))]
    await committing.wait()
    writing.append(asyncio.create_task(write("bruno")))
    closing = asyncio.create_task(database.dispose())
    await asyncio.sleep(0)
    go_on.set()
    await asyncio.gather(*writing, closing)


async def test_a_unit_that_fails_in_a_group_fails_alone(database: Database) -> None:
    async def add(name: str) -> None:
        async with database.write() as session:
            await a_user(session, name)
            if name.startswith("bad"):
                raise ValueError(name)

    names = ["anna", "bad1", "bob", "anna", "bad2", "cleo"]
    results = await asyncio.gather(*(add(name) for name in names), return_exceptions=True)
    assert [type(result).__name__ for result in results] == [
        "NoneType", "ValueError", "NoneType", "IntegrityError", "ValueError", "NoneType",
    ]  # fmt: skip
    async with database.read() as session:
        assert [user.name for user in await people.everybody(session)] == ["anna", "bob", "cleo"]


@settings(max_examples=30, deadline=None)
@given(fates=st.lists(st.sampled_from(["kept", "fails", "cancelled"]), min_size=1, max_size=12))
def test_any_mix_of_ends_keeps_what_ended_well_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, migrated: Path, fates: list[str]
) -> None:
    path = tmp_path_factory.mktemp("mix") / "sieve.db"
    path.write_bytes(migrated.read_bytes())

    async def story() -> list[str]:
        database = database_from_url(url(path))

        async def unit(number: int, fate: str) -> None:
            async with database.write() as session:
                await a_user(session, f"{number:02}-{fate}")
                if fate == "fails":
                    raise ValueError
                if fate == "cancelled":
                    raise asyncio.CancelledError

        await asyncio.gather(*(unit(*each) for each in enumerate(fates)), return_exceptions=True)
        async with database.read() as session:
            found = [user.name for user in await people.everybody(session)]
        await database.dispose()
        return found

    assert asyncio.run(story()) == [f"{number:02}-kept" for number, fate in enumerate(fates) if fate == "kept"]


async def test_who_comes_while_another_waits_in_vain_is_not_refused_with_him(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = sqlite3.connect(tmp_path / "sieve.db", isolation_level=None)
    waiting, go_on = asyncio.Event(), asyncio.Event()
    real = as_sqlite(database).writer.in_thread

    async def in_vain(work: Callable[[], Any]) -> Any:
        if work.__name__ != "begin_patiently" or go_on.is_set():
            return await real(work)
        waiting.set()
        await go_on.wait()
        raise sqlite3.OperationalError("database is locked")

    async def write(name: str) -> None:
        async with database.write() as session:
            await a_user(session, name)

    await write("before")
    # Where the writer waits for the disk.
    monkeypatch.setattr(as_sqlite(database).writer, "in_thread", in_vain)
    other.execute("BEGIN IMMEDIATE")
    first = asyncio.create_task(write("anna"))
    await waiting.wait()
    first.cancel()  # it has lost patience
    await asyncio.wait([first])
    second = asyncio.create_task(write("bruno"))
    await asyncio.sleep(0)
    other.execute("ROLLBACK")
    other.close()
    go_on.set()
    await second
