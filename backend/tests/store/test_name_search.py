"""Searches of long lists: the index of parts of names changes what they read, never what they find."""

import asyncio
import logging
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Literal, cast
from unittest.mock import ANY

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Select, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from cases import each
from databases import ON_SERVER, url
from examples import examples
from next_versions import COLUMN_DROPPED, TABLES_MADE_AGAIN, following, version
from sieve.store import sqlite_name_index
from sieve.store.case_folding import contains, folded
from sieve.store.database import Database
from sieve.store.database_from_url import database_from_url
from sieve.store.models import Document, InboxEntry, Transfer, User, new_id
from sieve.store.queries import inbox, inbox_list, name_search, received_list, transfer_list
from sieve.store.queries.inbox_list import EntryFilter
from sieve.store.queries.name_search import Searched, usable
from sieve.store.queries.received_list import ReceivedFilter
from sieve.store.queries.sorting import After, Found, SizeUpToMost
from sieve.store.queries.transfer_list import TransferFilter
from store.test_inbox import delivery
from store.test_list_plans import LISTED, plans
from store_rows import a_document, a_peer, a_transfer, a_user

on_a_file = pytest.mark.skipif(
    ON_SERVER, reason="it is about SQLite's index; tests/store/postgres has the tests of PostgreSQL's"
)

LETTERS = "aAbBéßÅ1 %_'\"\\*-.:()日本語ﬀ"
NAMES = st.text(st.sampled_from(LETTERS), min_size=1, max_size=12)
# No name has a NUL. PostgreSQL refuses it in any text: test_outcomes.
PARTS_OF_NAMES = NAMES if ON_SERVER else st.text(st.sampled_from(LETTERS + "\0"), min_size=1, max_size=12)


class UndoneError(Exception):
    """Undoes what an example wrote."""


def searched(session: AsyncSession, which: str, part: str, person: str | None = None) -> Searched:
    async def never(_among: object, _after: object) -> Select[Any]:
        raise AssertionError("the list is not asked")

    sent = select(Transfer.created_at_ns, Transfer.id).where(Transfer.author_id == person)
    entries = select(InboxEntry.created_at_ns, InboxEntry.id).where(InboxEntry.user_id == person)
    keys = sent if which == "sent by" else entries
    return Searched(session, which, part, person, cast(Select[Any], keys), never)


@pytest.fixture
def for_short_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """The index is asked for a list of one row."""
    monkeypatch.setattr(name_search, "LATEST", 1)


@pytest.mark.usefixtures("for_short_lists")
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(NAMES, min_size=1, max_size=4), part=PARTS_OF_NAMES, data=st.data())
def test_the_index_says_what_the_names_say(
    migrated: Path, tmp_path: Path, names: Sequence[str], part: str, data: st.DataObject
) -> None:
    """For any names, and for any part of one."""
    path, whole = tmp_path / "sieve.db", data.draw(st.sampled_from(names))
    start = data.draw(st.integers(0, len(whole)))
    if not path.exists():
        shutil.copyfile(migrated, path)

    async def compare(session: AsyncSession) -> None:
        anna, bravo = await a_user(session), await a_peer(session)
        for name in names:
            await a_transfer(session, await a_document(session, anna, name), anna, bravo)
        await session.flush()
        for sought in (part, whole[start:]):
            reads = select(Transfer.id).join(Document, Document.id == Transfer.document_id)
            expected = {*await session.scalars(reads.where(contains(Document.name, sought)))}
            for which, person in (("sent", None), ("sent by", anna.id)):
                found = await searched(session, which, sought, person).indexed()
                assert found is None or {*found} == expected
            assert await searched(session, "sent by", sought, "somebody else").indexed() in (None, [])

    asyncio.run(undone(path, compare))


async def undone(path: Path, example: Callable[[AsyncSession], Awaitable[None]]) -> None:
    """An example in this database, which keeps nothing of it."""
    database = database_from_url(url(path))
    try:
        async with database.write() as session:
            await example(session)
            raise UndoneError
    except UndoneError:
        pass
    finally:
        await database.dispose()


async def fill(session: AsyncSession) -> User:
    """Documents that bob sent and received; what others did."""
    peers = [await a_peer(session, name) for name in ("bravo", "Apollo base")]
    bob, carol = await a_user(session, "bob"), await a_user(session, "carol")
    for at_ns, (name, person, number) in enumerate(
        product(("Apollo 1.md", "memo.txt", "the APOLLO plan", "other.md"), (bob, carol), range(2)), start=1
    ):
        document = await a_document(session, person, f"{name} {number}")
        await a_transfer(session, document, person, peers[number], now_ns=at_ns)
        sender = "apollonia" if name.startswith("other") else "anna"
        one = delivery(new_id(), name=f"{name} {number}", sender_name=sender, recipients=[person.name])
        await inbox.deliver(session, peers[number].id, [one], at_ns)
    await session.flush()
    return bob


@pytest.fixture
async def filled(database: Database) -> AsyncIterator[tuple[AsyncSession, User]]:
    async with database.write() as session:
        yield session, await fill(session)


NO_INDEX = text("DROP INDEX ix_documents_name_parts" if ON_SERVER else "DROP TRIGGER transfers_names_added")


ORDERS: Sequence[tuple[Literal["time", "name"], bool]] = (("time", True), ("time", False), ("name", True))
PARTS = ("apollo", "LO PL", "ap", "nowhere")


@each("indexed", [True, False])
async def test_a_search_finds_the_same_however_it_reads(
    filled: tuple[AsyncSession, User], monkeypatch: pytest.MonkeyPatch, indexed: bool
) -> None:
    """Whether among the latest rows, by the index, or by reading all of a list: page by page, in each order."""
    session, bob = filled
    if not indexed:
        await session.execute(NO_INDEX)

    async def all_pages() -> list[object]:
        found: list[object] = []
        for part, (sort, descending) in product(PARTS, ORDERS):
            for author_id in (None, bob.id):
                sent, sent_order = (
                    TransferFilter(author_id, search=part, since_ns=0),
                    transfer_list.Order(sort, descending),
                )
                rows = [*(await transfer_list.page(session, sent, sent_order, after=None, limit=3)).rows]
                after = transfer_list.place(rows[-1], sent_order) if rows else None
                rows += (await transfer_list.page(session, sent, sent_order, after=after, limit=3)).rows
                found += [*(row.id for row in rows), await transfer_list.count(session, sent)]
            received, received_order = ReceivedFilter(search=part, since_ns=0), received_list.Order(sort, descending)
            taken = [*(await received_list.page(session, received, received_order, after=None, limit=3)).rows]
            after = received_list.place(taken[-1], received_order) if taken else None
            taken += (await received_list.page(session, received, received_order, after=after, limit=3)).rows
            found += [*(row.id for row in taken), await received_list.count(session, received)]
            mine, inbox_order = EntryFilter(bob.id, search=part), inbox_list.Order(sort, descending)
            entries = [*(await inbox_list.page(session, mine, inbox_order, after=None, limit=3)).rows]
            after = inbox_list.place(entries[-1], inbox_order) if entries else None
            entries += (await inbox_list.page(session, mine, inbox_order, after=after, limit=3)).rows
            found += [*(row.id for row in entries), await inbox_list.count(session, mine)]
        return found

    expected = await all_pages()
    assert len(expected) > 100
    for latest, most in ((1, 1), (1, 100), (3, 4)):
        monkeypatch.setattr(name_search, "LATEST", latest)
        monkeypatch.setattr(name_search, "MOST", most)
        monkeypatch.setattr(name_search, "MOST_SORTED", most)
        assert await all_pages() == expected, (latest, most)


async def walked(
    list_page: Callable[[After | None], Awaitable[Found[Any]]], place: Callable[[Any], After]
) -> list[str]:
    """The ids of all pages, of three rows at most."""
    found: list[str] = []
    after: After | None = None
    while True:
        page = await list_page(after)
        found += [row.id for row in page.rows]
        if page.read_to is None and len(page.rows) < 3:
            return found
        after = page.read_to or place(page.rows[-1])


async def test_a_page_ends_after_so_many_names_and_the_next_one_continues(
    filled: tuple[AsyncSession, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the index does not help. No row is lost or there twice, and a count says that there may be more."""
    session, bob = filled
    await session.execute(NO_INDEX)
    monkeypatch.setattr(name_search, "LATEST", 1)
    for at_once, part, descending in product((2, 8, 17), ("LO PL", "ap", "nowhere"), (True, False)):
        monkeypatch.setattr(name_search, "READ_AT_ONCE", at_once)
        for author_id, length in ((None, 16), (bob.id, 8)):
            found = await all_sent(session, TransferFilter(author_id, search=part), descending)
            counted = await transfer_list.count(session, TransferFilter(author_id, search=part))
            assert counted.more == (at_once <= length) and (counted.more or counted.rows == found)
            assert counted.rows <= found
        received = await all_received(session, ReceivedFilter(search=part), descending)
        of_all = await received_list.count(session, ReceivedFilter(search=part))
        assert of_all.more == (at_once <= 16) and (of_all.more or of_all.rows == received)
        entries = await all_entries(session, EntryFilter(bob.id, search=part), descending)
        counts = await inbox_list.count(session, EntryFilter(bob.id, search=part))
        assert counts.more == (at_once <= 8) and (counts.more or counts.entries == entries)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    names=st.lists(NAMES, min_size=1, max_size=9),
    part=PARTS_OF_NAMES,
    numbers=st.fixed_dictionaries(
        {"LATEST": st.integers(1, 3), "READ_AT_ONCE": st.integers(4, 6), "MOST": st.integers(0, 4)}
    ),
    limit=st.integers(1, 4),
    descending=st.booleans(),
    data=st.data(),
)
def test_all_pages_of_a_search_have_what_the_names_say(
    migrated: Path,
    tmp_path: Path,
    names: Sequence[str],
    part: str,
    numbers: Mapping[str, int],
    limit: int,
    descending: bool,
    data: st.DataObject,
) -> None:
    """Each row once, in order: wherever a page ends, and whether or not the index is asked."""
    path, whole = tmp_path / "sieve.db", data.draw(st.sampled_from(names))
    sought = data.draw(st.sampled_from([part, whole, whole[-3:]]))
    if not path.exists():
        shutil.copyfile(migrated, path)

    async def compare(session: AsyncSession) -> None:
        anna, bravo = await a_user(session), await a_peer(session)
        sent: list[tuple[int, str, str]] = []
        for at_ns, name in enumerate(names):
            document = await a_document(session, anna, name)
            transfer = await a_transfer(session, document, anna, bravo, now_ns=at_ns // 2)
            sent.append((at_ns // 2, transfer.id, name))
        await session.flush()
        order = transfer_list.Order("time", descending)
        expected = [each for _, each, name in sorted(sent, reverse=descending) if folded(sought) in folded(name)]
        for which in (TransferFilter(None, search=sought), TransferFilter(anna.id, search=sought)):
            found: list[str] = []
            after: After | None = None
            while True:
                page = await transfer_list.page(session, which, order, after=after, limit=limit)
                found += [row.id for row in page.rows]
                assert len(page.rows) <= limit
                after = transfer_list.place(page.rows[-1], order) if len(page.rows) == limit else page.read_to
                if after is None:
                    break
            assert found == expected
            counted = await transfer_list.count(session, which)
            assert counted.rows <= len(expected) if counted.more else counted == SizeUpToMost(len(expected), ANY)

    with pytest.MonkeyPatch.context() as smaller:
        for name, number in numbers.items():
            smaller.setattr(name_search, name, number)
        asyncio.run(undone(path, compare))


def is_beginning(of: Sequence[str], ids: Found[str]) -> None:
    """`ids` are the first ones, or all, unless the search ended before."""
    assert [*ids.rows] == [*of[: len(ids.rows)]] and (ids.read_to is not None or len(ids.rows) == len(of))


async def all_sent(session: AsyncSession, which: TransferFilter, descending: bool) -> int:
    """How many there are, page by page."""
    order = transfer_list.Order("time", descending)
    found = await walked(
        lambda after: transfer_list.page(session, which, order, after=after, limit=3),
        lambda row: transfer_list.place(row, order),
    )
    is_beginning(found, await transfer_list.ids(session, which, order, limit=99))
    return len(found)


async def all_entries(session: AsyncSession, which: EntryFilter, descending: bool) -> int:
    order = inbox_list.Order("time", descending)
    found = await walked(
        lambda after: inbox_list.page(session, which, order, after=after, limit=3),
        lambda row: inbox_list.place(row, order),
    )
    is_beginning(found, await inbox_list.ids(session, which, order, limit=99))
    return len(found)


async def all_received(session: AsyncSession, which: ReceivedFilter, descending: bool) -> int:
    order = received_list.Order("time", descending)
    found = await walked(
        lambda after: received_list.page(session, which, order, after=after, limit=3),
        lambda row: received_list.place(row, order),
    )
    at_once = await received_list.page(session, which, received_list.Order("name"), after=None, limit=99)
    assert {*found} == {row.id for row in at_once.rows} and len(found) == len(at_once.rows)
    return len(found)


@pytest.mark.usefixtures("for_short_lists")
async def test_a_word_that_a_peer_s_or_a_sender_s_name_has_is_indexed_too(filled: tuple[AsyncSession, User]) -> None:
    session, bob = filled
    of_peer = await searched(session, "inbox", "Base", bob.id).indexed()
    of_sender = await searched(session, "inbox", "LLONIA", bob.id).indexed()
    of_everybody = await searched(session, "received", "LLONIA").indexed()
    assert [ids and len({*ids}) for ids in (of_peer, of_sender, of_everybody)] == [4, 2, 4]


@pytest.mark.usefixtures("for_short_lists")
@each(
    ("which", "part", "looks_at", "finds"),
    [
        *(() if ON_SERVER else [("sent by", "memo", 4, 2)]),  # PostgreSQL combines the names with the author
        ("inbox", "memo", 8 if ON_SERVER else 4, 2),  # its index has the documents that were sent, too
        ("inbox", "LLONIA", 4, 2),
        ("inbox", "Base", 8, 4),
    ],
)
async def test_a_word_of_many_others_is_looked_for_in_the_person_s_own_list(
    filled: tuple[AsyncSession, User],
    monkeypatch: pytest.MonkeyPatch,
    which: str,
    part: str,
    looks_at: int,
    finds: int,
) -> None:
    """Also the name of a gateway that sent much to others."""
    session, bob = filled
    for of_all, found in ((looks_at, finds), (looks_at - 1, None)):
        monkeypatch.setattr(name_search, "MOST", of_all)
        ids = usable(await searched(session, which, part, bob.id).indexed())
        assert (ids and len(ids)) == found
        mine = TransferFilter(bob.id, search="memo")
        assert len((await transfer_list.page(session, mine, after=None, limit=9)).rows) == 2
        assert (await inbox_list.count(session, EntryFilter(bob.id, search="Base"))).entries == 4
    monkeypatch.setattr(name_search, "MOST", 8)
    assert len(await searched(session, "sent", "memo").indexed() or ()) == 4


async def test_a_short_list_of_a_person_is_read_without_the_index(
    filled: tuple[AsyncSession, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much others have: the index would look at that, too. Bob has eight rows in each list."""
    session, bob = filled
    for latest, is_asked in ((8, True), (9, False)):
        monkeypatch.setattr(name_search, "LATEST", latest)
        for which in ("sent by", "inbox"):
            assert (await searched(session, which, "memo", bob.id).indexed() is not None) == is_asked
        assert await searched(session, "sent", "memo").indexed() is not None


@pytest.mark.usefixtures("for_short_lists")
@on_a_file
async def test_what_the_index_finds_is_read_by_its_key(database: Database) -> None:
    async with database.write() as session:
        bob = (await fill(session)).id
    lists: Sequence[tuple[str, Callable[[AsyncSession], Awaitable[object]]]] = (
        ("transfer_names", lambda session: transfer_list.count(session, TransferFilter(bob, search="abc"))),
        (
            "transfer_names",
            lambda session: transfer_list.ids(session, TransferFilter(None, search="abc", since_ns=5), SORTED, limit=9),
        ),
        ("received_names", lambda session: received_list.count(session, ReceivedFilter(search="abc"))),
        ("received_names", lambda session: inbox_list.count(session, EntryFilter(bob, search="abc"))),
    )
    for names, asked in lists:
        [*_, (_, by_index), (statement, found)] = await plans(database, asked)
        assert any(step.startswith(f"SCAN {names} VIRTUAL TABLE INDEX") for step in by_index)
        assert not [step for step in found if step.startswith("SCAN") and step.split()[1] in LISTED], statement


SORTED = transfer_list.Order("name")


@on_a_file
async def test_an_index_of_another_version_is_made_again(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Also one that was missing while a SQLite without trigrams used the file: that one must drop the triggers."""

    async def send(name: str) -> None:
        async with database.write() as session:
            anna, bravo = await a_user(session, new_id()), await a_peer(session, new_id())
            await a_transfer(session, await a_document(session, anna, name), anna, bravo)

    async def found(part: str) -> int | None:
        async with database.browse() as session:
            ids = await searched(session, "sent", part).indexed()
            return None if ids is None else len(ids)

    await send("first.md")
    assert await found("first") == 1
    with monkeypatch.context() as old, caplog.at_level(logging.WARNING):
        old.setattr(sqlite_name_index, "can_be_made", lambda _: False)
        await database.migrate()
        await send("second.md")
        assert await found("first") is None
        assert "SQLite 3.34" in caplog.text
    with caplog.at_level(logging.INFO):
        await database.migrate()
    assert f"making the index of parts of names in the database {database.name}" in caplog.text
    assert (await found("first"), await found("second")) == (1, 1)
    newer = {name: sql.replace("/* 1,", "/* 2,") for name, sql in sqlite_name_index.TRIGGERS.items()}
    monkeypatch.setattr(sqlite_name_index, "TRIGGERS", newer)
    assert await found("first") is None
    await database.migrate()
    assert (await found("first"), await found("second")) == (1, 1)


@on_a_file
async def test_a_step_may_make_the_tables_again_that_the_triggers_name(
    database: Database, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Before anything was sent, and a step that drops a column afterwards. The index is not made again."""

    async def found() -> int:
        async with database.browse() as session:
            return len(await searched(session, "sent", "memo").indexed() or ())

    with caplog.at_level(logging.INFO):
        with version(following(tmp_path / "next", TABLES_MADE_AGAIN)):
            await database.migrate()
        async with database.write() as session:
            await fill(session)
        assert await found() == 4
        with version(following(tmp_path / "after", TABLES_MADE_AGAIN, COLUMN_DROPPED)):
            await database.migrate()
        assert await found() == 4
    assert "making the index" not in caplog.text


@on_a_file
async def test_names_are_added_without_merging_which_the_commit_does(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the event loop never waits for a merge, and a search never for many segments."""
    segments = text("SELECT count(DISTINCT segid) FROM transfer_names_idx")
    in_units: list[int] = []
    async with database.write() as session:
        anna, bravo = await a_user(session), await a_peer(session)

    async def send(number: int) -> None:
        async with database.write() as session:
            await a_transfer(session, await a_document(session, anna, f"memo {number}"), anna, bravo)
        async with database.browse() as session:
            in_units.append(await session.scalar(segments) or 0)

    def not_now(*_: object) -> None:
        pass

    with monkeypatch.context() as without:
        without.setattr(sqlite_name_index, "merge", not_now)
        for number in range(40):
            await send(number)
    assert in_units[-1] >= 40
    for number in range(40):
        await send(number)
    assert max(in_units[-20:]) < 16
    async with database.browse() as session:
        assert len(await searched(session, "sent", "memo").indexed() or ()) == 80


@on_a_file
async def test_an_index_that_merged_within_units_is_set_right_at_a_start(database: Database) -> None:
    of_table = "SELECT k, v FROM {}_config WHERE k LIKE '%merge'"
    async with database.write() as session:
        for table in sqlite_name_index.TABLES:
            await session.execute(text(f"INSERT INTO {table} ({table}, rank) VALUES ('automerge', 4)"))  # noqa: S608 -- names of TABLES
    await database.migrate()
    async with database.browse() as session:
        for table in sqlite_name_index.TABLES:
            found = await session.execute(text(of_table.format(table)))
            assert {row.k: row.v for row in found} == sqlite_name_index.SETTINGS


@on_a_file
async def test_a_merge_that_fails_leaves_documents_and_other_writes_alone(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with database.write() as session:
        anna, bravo = await a_user(session), await a_peer(session)

    async def send(name: str) -> None:
        async with database.write() as session:
            await a_transfer(session, await a_document(session, anna, name), anna, bravo)

    with monkeypatch.context() as without:
        without.setattr(sqlite_name_index, "merge", lambda *_: None)
        for number in range(20):
            await send(f"memo {number}")
    async with database.write() as session:
        # All but the first rows, which say how many segments there are.
        await session.execute(text("UPDATE transfer_names_data SET block = x'00' WHERE id > 10"))
    await send("the last one")
    assert "is damaged" in caplog.text
    async with database.write() as session:
        found = await session.scalar(text("SELECT count(*) FROM documents WHERE name = 'the last one'"))
    assert found == 1
