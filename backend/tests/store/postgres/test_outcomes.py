"""Units on PostgreSQL: each is done whole or undone, also if the server or the way to it goes away in its middle."""

import asyncio
import signal
import traceback
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from postgres_server import PostgresServer
from sieve.store import postgres_database
from sieve.store.database import Database
from sieve.store.database_from_url import database_from_url
from sieve.store.errors import DatabaseBusy, DatabaseTaken, TextUnstorable
from store.postgres.users import names, write
from store_rows import a_user


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT])
async def test_after_a_restart_of_the_server_everything_continues(
    address: str, how: signal.Signals, server: PostgresServer
) -> None:
    database = database_from_url(address)
    await database.hold("the gateway alpha")
    await write(database, "anna")
    await asyncio.gather(*(names(database) for _ in range(4)))
    await asyncio.to_thread(server.halt, how)
    for attempt in (names(database), write(database, "nobody")):
        with pytest.raises(DatabaseBusy, match=r"database sieve_\d+ at .* cannot be used at the moment: .*; try again"):
            await attempt
    server.run()
    await write(database, "bob")
    assert await names(database) == ["anna", "bob"]
    with pytest.raises(DatabaseTaken):
        await database_from_url(address).hold("the gateway bravo")
    await database.dispose()


async def test_a_connection_that_the_server_ends_inside_of_a_unit_undoes_it(
    database: Database, server: PostgresServer
) -> None:
    with pytest.raises(DatabaseBusy, match="try again"):
        async with database.write() as session:
            await a_user(session, "anna")
            own = await session.scalar(text("SELECT pg_backend_pid()"))
            await server.execute(f"SELECT pg_terminate_backend({own})")
            await a_user(session, "bob")
    await write(database, "carla")
    assert await names(database) == ["carla"]


class Cut:
    """A way to the server that can be cut after it has passed on a commit, or before."""

    def __init__(self, server: PostgresServer, folder: Path) -> None:
        self._server, self.folder = server, folder
        self.before_commit = self.after_commit = False

    async def __aenter__(self) -> "Cut":
        self._listener = await asyncio.start_unix_server(self._passed_on, self.folder / ".s.PGSQL.5432")
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listener.close()

    async def _passed_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up, down = await asyncio.open_unix_connection(self._server.folder / ".s.PGSQL.5432")

        async def back() -> None:
            while piece := await up.read(65536):
                if self.after_commit and b"COMMIT\0" in piece:
                    self.after_commit = False
                    break
                writer.write(piece)
            writer.close()

        answers = asyncio.create_task(back())
        while piece := await reader.read(65536):
            if self.before_commit and b"COMMIT" in piece:
                self.before_commit = False
                break
            down.write(piece)
        down.close()
        await answers


@pytest.fixture
async def way(server: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cut]:
    # Short: a socket's path has at most 107 bytes.
    async with Cut(server, tmp_path_factory.mktemp("w")) as way:
        yield way


@pytest.mark.parametrize("was_committed", [True, False])
@pytest.mark.parametrize("holds", [True, False])
async def test_a_commit_whose_answer_is_lost_has_an_outcome(
    address: str, way: Cut, was_committed: bool, holds: bool
) -> None:
    database = database_from_url(address.partition("?")[0] + f"?host={way.folder}&port=5432")
    if holds:
        await database.hold("the gateway alpha")
    await write(database, "before")
    way.after_commit, way.before_commit = was_committed, not was_committed
    if was_committed:
        await write(database, "anna")
    else:
        with pytest.raises(DatabaseBusy, match="the connection broke; try again"):
            await write(database, "anna")
    await write(database, "after")
    assert await names(database) == (["after", "anna", "before"] if was_committed else ["after", "before"])
    await database.dispose()


async def test_while_the_server_is_away_a_commit_waits_for_its_outcome(
    address: str, way: Cut, server: PostgresServer
) -> None:
    database = database_from_url(address.partition("?")[0] + f"?host={way.folder}&port=5432", busy_s=0.2)
    way.after_commit = True
    async with database.write() as session:
        await a_user(session, "anna")
        way.folder.joinpath(".s.PGSQL.5432").rename(way.folder / "away")
        back = asyncio.create_task(_comes_back(database, way))
    assert await back
    assert await names(database) == ["anna"]
    await database.dispose()


async def _comes_back(database: Database, way: Cut) -> bool:
    """Others cannot write meanwhile. Then the way is there again."""
    with pytest.raises(DatabaseBusy):
        await write(database, "nobody")
    way.folder.joinpath("away").rename(way.folder / ".s.PGSQL.5432")
    return True


async def test_a_failed_statement_inside_of_a_unit_is_never_taken_for_done(database: Database) -> None:
    """The server would answer COMMIT with a silent ROLLBACK."""
    with pytest.raises(DatabaseBusy, match="undid what was being written"):
        async with database.write() as session:
            await a_user(session, "anna")
            with pytest.raises(Exception, match="division by zero"):
                await session.execute(text("SELECT 1 / 0"))
    assert await names(database) == []


async def test_a_statement_that_takes_too_long_ends_and_undoes_its_unit(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_database, "STATEMENT_S", 0.5)
    database = database_from_url(address)
    slow = text("SELECT pg_sleep(600)")
    with pytest.raises(DatabaseBusy, match="a statement took too long; try again"):
        async with database.write() as session:
            await a_user(session, "nobody")
            await session.execute(slow)
    with pytest.raises(DatabaseBusy, match="a statement took too long; try again"):
        async with database.read() as session:
            await session.execute(slow)
    await write(database, "anna")
    assert await names(database) == ["anna"]
    await database.dispose()


async def test_a_unit_that_is_idle_for_too_long_is_undone_and_others_write(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_database, "STATEMENT_S", 0.3)
    idle, other = database_from_url(address), database_from_url(address)
    with pytest.raises(DatabaseBusy, match="try again"):
        async with idle.write() as session:
            await a_user(session, "nobody")
            await write(other, "anna")  # waits for the turn that the server takes from the idle one
            await a_user(session, "nobody-either")
    await write(idle, "bob")
    assert await names(other) == ["anna", "bob"]
    for database in (idle, other):
        await database.dispose()


async def test_a_text_that_cannot_be_stored_is_reported(database: Database) -> None:
    with pytest.raises(TextUnstorable, match="the character NUL"):
        await write(database, "an\0na")


async def test_no_value_is_in_the_words_of_an_error(database: Database) -> None:
    name = "-".join(("planted", "secret"))
    with pytest.raises(IntegrityError) as caught:
        async with database.write() as session:
            await a_user(session, name)
            await a_user(session, name)
    assert name not in "".join(traceback.format_exception(caught.value))
