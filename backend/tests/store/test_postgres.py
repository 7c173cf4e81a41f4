"""PostgreSQL: what a server can do that a file cannot, and what SQL does there that Python does for SQLite.

`make test-cluster` runs the other tests of databases on a server, too.
"""

import asyncio
import signal
import subprocess
import sys
import traceback
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from postgres_server import PostgresServer, in_thread
from sieve.store import bucket_counts, postgres_database
from sieve.store.case_folding import folded
from sieve.store.database import Database
from sieve.store.errors import DatabaseBusy, DatabaseTaken, DatabaseUnusable, DatabaseUnwritable, TextUnstorable
from sieve.store.key_source import KeyFile
from sieve.store.open_database import open_database
from sieve.store.opening import Holder, open_store
from sieve.store.queries import peers, people
from store_rows import a_user

numbers = count(1)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    server = PostgresServer.start()
    server.make_template("template_of_tests")
    yield server
    server.stop()


@pytest.fixture
async def address(server: PostgresServer) -> str:
    name = f"sieve_{next(numbers)}"
    await as_superuser(server, f"CREATE DATABASE {name} TEMPLATE template_of_tests OWNER gateway")
    return server.address(name)


@pytest.fixture
async def database(address: str) -> AsyncIterator[Database]:
    database = open_database(address)
    yield database
    await database.dispose()


async def as_superuser(server: PostgresServer, statement: str) -> None:
    connection = await server.connect("postgres")
    await connection.execute(statement)
    await connection.close()


async def names(database: Database) -> list[str]:
    async with database.read() as session:
        return [user.name for user in await people.everybody(session)]


async def write(database: Database, name: str) -> None:
    async with database.write() as session:
        await a_user(session, name)


# --- what SQL does ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def functions(server: PostgresServer) -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.mark.parametrize("until", [0x3000, pytest.param(0x2FFFF, marks=pytest.mark.soak)])
def test_names_fold_in_sql_as_in_python(server: PostgresServer, until: int) -> None:
    """Each character that Python folds alone, and texts of several."""
    # Characters that are newer than the server's Unicode, or Python's, normalize differently.
    letters = [chr(code) for code in range(1, until) if not 0xD800 <= code < 0xE000 and chr(code).isprintable()]
    texts = [*letters, "", "Straße ĲSSEL ﬀ", "E\u0301tude", "ΑΣ ς", "İI ıi", "100%_\\'", "日本語 Ａｂ"]

    async def fold() -> list[tuple[str, str]]:
        connection = await server.connect("template_of_tests")
        rows = await connection.fetch("SELECT it, sieve_folded(it) FROM unnest($1::text[]) AS it", texts)
        await connection.close()
        return [(row[0], row[1]) for row in rows]

    differing = [it for it, found in in_thread(fold()) if found != folded(it)]
    assert len(differing) < 200 and all(len(it) == 1 and it.casefold() == it for it in differing)
    assert all(not it.isalpha() or ord(it) > 0x2000 for it in differing)


histograms = st.dictionaries(st.integers(0, 2**16 - 1), st.integers(1, 2**31 - 1), max_size=6).map(
    lambda counts: b"".join(bucket_counts._PAIRS.pack(*pair) for pair in sorted(counts.items()))
)


def test_histograms_add_up_in_sql_as_in_python(server: PostgresServer) -> None:
    pairs: list[tuple[bytes, bytes]] = []

    @given(histograms, histograms)
    @example(b"", b"")
    def collect(one: bytes, other: bytes) -> None:
        pairs.append((one, other))

    collect()

    async def add() -> list[bytes]:
        connection = await server.connect("template_of_tests")
        found = [await connection.fetchval("SELECT sieve_added_counts($1, $2)", *pair) for pair in pairs]
        await connection.close()
        return found

    assert in_thread(add()) == [bucket_counts.added(*pair) for pair in pairs]


# --- a server that goes away -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT])
async def test_after_a_restart_of_the_server_everything_goes_on(
    address: str, how: signal.Signals, server: PostgresServer
) -> None:
    database = open_database(address)
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
        await open_database(address).hold("the gateway bravo")
    await database.dispose()


async def test_a_connection_that_the_server_ends_inside_of_a_unit_undoes_it(
    database: Database, server: PostgresServer
) -> None:
    with pytest.raises(DatabaseBusy, match="try again"):
        async with database.write() as session:
            await a_user(session, "anna")
            own = await session.scalar(text("SELECT pg_backend_pid()"))
            await as_superuser(server, f"SELECT pg_terminate_backend({own})")
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
    database = open_database(address.partition("?")[0] + f"?host={way.folder}&port=5432")
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
    database = open_database(address.partition("?")[0] + f"?host={way.folder}&port=5432", busy_s=0.2)
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
    database = open_database(address)
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
    idle, other = open_database(address), open_database(address)
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


# --- one writer, one gateway -----------------------------------------------------------------------------------------


async def test_writers_of_several_processes_lose_no_update(address: str, database: Database) -> None:
    await write(database, "anna")
    rivals = [open_database(address) for _ in range(4)]

    async def grow(rival: Database) -> None:
        for _ in range(5):
            async with rival.write() as session:
                user = await people.by_name(session, "anna")
                assert user is not None
                await asyncio.sleep(0)
                user.created_at_ns += 1

    await asyncio.gather(*map(grow, rivals))
    async with database.read() as session:
        grown = await people.by_name(session, "anna")
    assert grown is not None and grown.created_at_ns == 21
    for rival in rivals:
        await rival.dispose()


async def test_a_lock_that_others_hold_for_too_long_is_reported_as_busy(address: str) -> None:
    one, other = open_database(address), open_database(address, busy_s=0.05)
    async with one.write() as session:
        await a_user(session)
        with pytest.raises(DatabaseBusy, match="others have held it for too long; try again"):
            await write(other, "bob")
    await write(other, "bob")
    assert await names(one) == ["anna", "bob"]
    await one.dispose()
    await other.dispose()


async def test_two_gateways_never_use_one_database(
    address: str, server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    alpha, bravo, command = (open_database(address) for _ in range(3))
    await alpha.hold("the gateway alpha")
    with pytest.raises(DatabaseTaken, match="is in use by the gateway alpha; stop that one, or set SIEVE_DATABASE_URL"):
        await bravo.hold("the gateway bravo")
    await write(command, "from-a-command")  # commands write beside a gateway

    # Its connection ends, and the other one is faster: the first writes nothing more, and ends.
    await as_superuser(
        server, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '%alpha'"
    )
    await bravo.hold("the gateway bravo")
    with pytest.raises(DatabaseTaken, match="in use by the gateway bravo"):
        await write(alpha, "nobody")
    monkeypatch.setattr(postgres_database, "WATCH_S", 0.0)
    with pytest.raises(DatabaseTaken):
        await alpha.watch()
    await write(bravo, "anna")
    assert await names(bravo) == ["anna", "from-a-command"]
    await bravo.dispose()
    await alpha.hold("the gateway alpha")
    await alpha.dispose()
    await command.dispose()


async def test_a_gateway_that_was_replaced_writes_nothing_also_when_its_successor_has_gone(
    address: str, server: PostgresServer
) -> None:
    alpha, bravo = open_database(address), open_database(address)
    await alpha.hold("the gateway alpha")
    await write(alpha, "anna")
    await as_superuser(
        server, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '%alpha'"
    )
    await bravo.hold("the gateway bravo")
    await write(bravo, "bob")
    await bravo.dispose()
    for _ in range(2):
        with pytest.raises(DatabaseTaken, match="took the database .* over while this one was stopped or cut off"):
            await write(alpha, "nobody")
    assert await names(alpha) == ["anna", "bob"]
    await alpha.dispose()


_GATEWAY: Final = """
import asyncio, sys
from sieve.store import postgres_database
from sieve.store.errors import StoreError
from sieve.store.open_database import open_database

async def run():
    postgres_database.WATCH_S = 0.01
    database = open_database(sys.argv[1])
    await database.hold("the gateway alpha")
    async with database.write():
        pass
    print("holds", flush=True)
    try:
        await database.watch()
    except StoreError as error:
        print(type(error).__name__, error, flush=True)
    await database.dispose()

asyncio.run(run())
"""
"""A process that does with the database what a gateway does."""


@pytest.fixture
async def gateway(address: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", _GATEWAY, address, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert await process.stdout.readline() == b"holds\n"
    database = open_database(address)
    while not await _beats(database):  # another process: only its row shows its first heartbeat
        await asyncio.sleep(0.01)
    await database.dispose()
    yield process
    if process.returncode is None:
        process.kill()
    await process.wait()


async def _beats(database: Database) -> bool:
    async with database.read() as session:
        return await session.scalar(text("SELECT true FROM sieve_units WHERE state = 'beats'")) is True


async def test_a_gateway_that_runs_is_never_taken_for_stopped(
    address: str, gateway: asyncio.subprocess.Process
) -> None:
    bravo = open_database(address)
    with pytest.raises(DatabaseTaken, match="is in use by the gateway alpha; stop that one"):
        await bravo.hold("the gateway bravo")
    assert gateway.returncode is None
    await bravo.dispose()


async def test_a_gateway_that_is_stopped_is_replaced_and_then_writes_nothing(
    address: str, gateway: asyncio.subprocess.Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_database, "STOPPED_S", 0.5)
    gateway.send_signal(signal.SIGSTOP)
    bravo = open_database(address)
    await bravo.hold("the gateway bravo")
    await write(bravo, "anna")
    units = text("SELECT writer, unit, state FROM sieve_units ORDER BY state")
    async with bravo.read() as session:
        before = (await session.execute(units)).all()
    assert [row.state for row in before] == ["ended", "holds"]
    gateway.send_signal(signal.SIGCONT)
    said, _ = await gateway.communicate()
    assert said.startswith(b"DatabaseTaken the database ")
    async with bravo.read() as session:
        assert (await session.execute(units)).all() == before
    await write(bravo, "bob")
    assert await names(bravo) == ["anna", "bob"]
    await bravo.dispose()


async def test_a_command_is_never_taken_for_a_stopped_gateway(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may calculate for long between two units."""
    monkeypatch.setattr(postgres_database, "STOPPED_S", 0.0)
    command, bravo = open_database(address), open_database(address)
    await command.hold("a command")
    await write(command, "anna")
    with pytest.raises(DatabaseTaken, match="is in use by a command"):
        await bravo.hold("the gateway bravo")
    await write(command, "bob")
    await command.dispose()
    await bravo.dispose()


async def test_the_database_of_a_gateway_with_another_name_is_refused(address: str, tmp_path: Path) -> None:
    database = open_database(address)
    async with database.write() as session:
        await peers.put_own(
            session,
            name="alpha",
            secure_url="https://alpha",
            plain_url="http://alpha",
            ca_der=b"ca",
            receipt_key=b"alpha's",
            pin="00",
            now_ns=1,
        )
    await database.dispose()

    async def start(holder: Holder) -> None:
        store = await open_store(address, tmp_path / "blobs", KeyFile(tmp_path / "master.key"), holder, now_ns=1)
        await store.database.dispose()

    with pytest.raises(
        DatabaseTaken, match="belongs to the gateway alpha, and this one is bravo; set SIEVE_DATABASE_URL"
    ):
        await start(Holder("bravo", b"bravo's"))
    await start(Holder("alpha", b"new"))
    await start(Holder("renamed", b"alpha's"))


# --- what a start says -----------------------------------------------------------------------------------------------


async def said(address: str) -> str:
    """The one line of a start that cannot succeed."""
    database = open_database(address)
    with pytest.raises((DatabaseUnusable, DatabaseBusy, DatabaseUnwritable)) as caught:
        await database.migrate()
    await database.dispose()
    line = str(caught.value)
    assert "\n" not in line and "geheim" not in line and "asyncpg" not in line.replace("postgresql+asyncpg", "")
    return line


async def test_what_a_start_says(server: PostgresServer) -> None:
    at = f"host={server.folder}&port={server.port}"
    await as_superuser(server, "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0 OWNER gateway")
    await as_superuser(server, "CREATE DATABASE of_others")
    assert "does not exist; make it" in await said(server.address("nowhere"))
    assert "make that user its owner" in await said(server.address("of_others"))
    assert "has the encoding LATIN1" in await said(server.address("latin"))
    assert "refuses the user or the password" in await said(f"postgresql+asyncpg://nobody:geheim@/of_others?{at}")
    assert "cannot be used at the moment: No such file or directory" in await said(
        "postgresql+asyncpg://u:geheim@/d?host=/none"
    )
    assert "cannot be used at the moment: " in await said("postgresql+asyncpg://u:geheim@127.0.0.1:1/d")
    assert "sslmode" in await said("postgresql+asyncpg://u:geheim@127.0.0.1:1/d?sslmode=nonsense")
    assert "root certificate" in await said("postgresql+asyncpg://u:geheim@db.example.org/d")
    assert "cannot be read" in await said("postgresql+asyncpg://u@127.0.0.1:geheim/d")
    await as_superuser(server, "CREATE DATABASE newer TEMPLATE template_of_tests OWNER gateway")
    newer = await server.connect("newer")
    await newer.execute("UPDATE alembic_version SET version_num = '9999'")
    await newer.close()
    assert "was written by a newer version of Security Sieve (its schema is 9999" in await said(server.address("newer"))
    theirs = await server.connect("of_others")
    await theirs.execute("ALTER DATABASE of_others OWNER TO gateway")
    await theirs.execute("CREATE TABLE songs (title text)")
    await theirs.close()
    assert "belongs to another program" in await said(server.address("of_others"))


async def test_a_server_without_free_connections_says_so(server: PostgresServer, address: str) -> None:
    await as_superuser(server, "ALTER ROLE gateway CONNECTION LIMIT 0")
    assert "its server has no connection left: raise max_connections there" in await said(address)
    await as_superuser(server, "ALTER ROLE gateway CONNECTION LIMIT -1")


async def test_a_read_only_server_says_so(server: PostgresServer, address: str) -> None:
    await as_superuser(
        server, f"ALTER DATABASE {address.split('/')[3].partition('?')[0]} SET default_transaction_read_only = on"
    )
    database = open_database(address)
    with pytest.raises(DatabaseUnwritable, match="its server is read-only"):
        await write(database, "anna")
    assert await names(database) == []
    await database.dispose()
