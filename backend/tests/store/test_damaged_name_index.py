"""SQLite: a damaged index of parts of names stops nobody for longer than one request."""

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest
from sqlalchemy import text

from databases import ON_SERVER
from sieve.store import sqlite_name_index
from sieve.store.database import Database
from sieve.store.errors import DatabaseBusy
from sieve.store.models import Peer, User
from sieve.store.queries import name_search, transfer_list
from sieve.store.queries.transfer_list import TransferFilter
from store_rows import a_document, a_peer, a_transfer, a_user

pytestmark = pytest.mark.skipif(ON_SERVER, reason="these tests damage SQLite's full-text tables")

# All but the first rows, which say how many segments there are.
SEGMENTS = "UPDATE transfer_names_data SET block = x'00' WHERE id > 10"
STRUCTURE = "DELETE FROM transfer_names_data WHERE id = 10"


async def send(database: Database, anna: User, bravo: Peer, name: str) -> None:
    async with database.write() as session:
        await a_transfer(session, await a_document(session, anna, name), anna, bravo)


async def found(database: Database, part: str) -> int:
    async with database.browse() as session:
        return len((await transfer_list.page(session, TransferFilter(None, search=part), after=None, limit=99)).rows)


async def is_there(database: Database) -> bool:
    async with database.browse() as session:
        return await session.run_sync(lambda sync: sqlite_name_index.is_there(sync.connection()))


async def damaged(database: Database, how: str) -> Callable[[str], Awaitable[None]]:
    """Sends some names, and damages the index. What it returns sends another one."""
    async with database.write() as session:
        anna, bravo = await a_user(session), await a_peer(session)
    for number in range(12):
        await send(database, anna, bravo, f"memo {number}")
    async with database.write() as session:
        await session.execute(text(how))
    return lambda name: send(database, anna, bravo, name)


@pytest.mark.parametrize("how", [SEGMENTS, STRUCTURE])
@pytest.mark.parametrize("first", ["search", "send"])
async def test_names_are_read_until_a_start_makes_the_index_again(
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    how: str,
    first: str,
) -> None:
    """The request that finds the damage may fail, and says what to do. A restart mends all."""
    monkeypatch.setattr(name_search, "LATEST", 1)
    send_another = await damaged(database, how)
    with suppress(DatabaseBusy):
        await (send_another("memo") if first == "send" else found(database, "memo 1"))
    with suppress(DatabaseBusy):
        await found(database, "memo 1")
    assert not await is_there(database)
    assert "is damaged, so searches take longer; start the gateway again" in caplog.text
    await send_another("memo 100")
    assert await found(database, "memo 1") == 4
    with caplog.at_level(logging.INFO):
        await database.migrate()
    assert "making the index of parts of names" in caplog.text
    assert await is_there(database) and await found(database, "memo 1") == 4


async def test_the_sentence_says_what_to_do(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_search, "LATEST", 1)
    await damaged(database, SEGMENTS)
    with pytest.raises(DatabaseBusy, match=r"the index of names is damaged; try again"):
        await found(database, "memo 1")
