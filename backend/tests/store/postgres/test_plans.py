"""How PostgreSQL reads what would take long otherwise, of some thousand rows: `make bench-cluster-rows` has more."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import pytest
from benchmarks.filled_tables import AUTHOR, RARE, statements
from benchmarks.timing_records import add_peers
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncSession

from cases import each
from postgres_server import PostgresServer
from sieve.store.database import Database
from sieve.store.database_from_url import database_from_url
from sieve.store.queries import inbox_list, name_search, queue_state, received_list, transfer_list
from sieve.store.queries.inbox_list import EntryFilter
from sieve.store.queries.received_list import ReceivedFilter
from sieve.store.queries.transfer_list import TransferFilter

ROWS = 5_000


@pytest.fixture
async def filled(server: PostgresServer) -> AsyncIterator[Database]:
    server.make_database("filled")
    database = database_from_url(server.address("filled"))
    await database.migrate()
    await add_peers(database)
    connection = await server.connect("filled")
    await connection.execute("SET session_replication_role = replica")
    await connection.execute(f"CREATE TEMPORARY TABLE numbers AS SELECT generate_series(1, {ROWS}::bigint) AS n")
    for statement in statements(ROWS, 1_800_000_000):
        await connection.execute(statement)
    await connection.execute("VACUUM ANALYZE")
    await connection.close()
    yield database
    await database.dispose()
    await server.execute("DROP DATABASE filled")


async def plan_of(database: Database, query: Callable[[AsyncSession], Awaitable[Any]]) -> str:
    """The plans of its statements."""
    asked: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        asked.append((statement, parameters))

    async with database.browse() as session:
        connection = await session.connection()
        event.listen(connection.sync_connection, "before_cursor_execute", note)
        await query(session)
        event.remove(connection.sync_connection, "before_cursor_execute", note)
        plans = [
            "\n".join(row[0] for row in await connection.exec_driver_sql(f"EXPLAIN {statement}", parameters))
            for statement, parameters in asked
            if not statement.startswith("EXPLAIN")
        ]
    return "\n".join(plans)


async def test_each_peer_s_last_delivery_is_found_in_the_index_of_turns(filled: Database) -> None:
    plan = await plan_of(filled, queue_state.peers)
    assert "Index Scan Backward using ix_transfers_peer_id_state_turn" in plan and "ix_transfers_list" not in plan


async def test_a_search_of_received_documents_ends_with_its_page(filled: Database) -> None:
    which = ReceivedFilter(search="minutes")
    plan = await plan_of(filled, lambda session: received_list.page(session, which, after=None, limit=50))
    assert "Index Only Scan Backward using ix_received_list" in plan or "Index Scan Backward using ix_received" in plan
    assert "hashed" not in plan and "Sort" not in plan


@pytest.mark.parametrize("author_id", [None, AUTHOR])
async def test_a_rare_word_is_found_in_the_index_of_parts_of_names(
    filled: Database, author_id: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(name_search, "LATEST", 1)
    which = TransferFilter(author_id, search=RARE)
    plan = await plan_of(filled, lambda session: transfer_list.page(session, which, after=None, limit=50))
    assert "Bitmap Index Scan on ix_documents_name_parts" in plan
    assert "Seq Scan on documents" not in plan


SEARCHES: dict[str, tuple[Sequence[str], Callable[[AsyncSession, str], Awaitable[Any]]]] = {
    "transfers": (
        ["berth"],
        lambda session, word: transfer_list.page(session, TransferFilter(AUTHOR, search=word), after=None, limit=50),
    ),
    "received": (
        ["berth", "sender"],
        lambda session, word: received_list.count(session, ReceivedFilter(search=word)),
    ),
    "inbox": (
        ["berth", "sender"],
        lambda session, word: inbox_list.count(session, EntryFilter(AUTHOR, search=word)),
    ),
}


@each("name", SEARCHES)
async def test_a_word_of_very_many_names_is_not_looked_for_in_the_index(
    filled: Database, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Whether of documents or of senders. The index would find all of them first: 0.1 s with a million transfers."""
    for number, most in (("LATEST", 1), ("MOST", 40)):
        monkeypatch.setattr(name_search, number, most)
    words, search = SEARCHES[name]
    by_index = re.compile(r"Index Scan on ix_\w+_name_parts")
    assert by_index.search(await plan_of(filled, lambda session: search(session, RARE)))
    for word in words:
        plan = await plan_of(filled, lambda session: search(session, word))  # noqa: B023 -- called in this round
        assert not by_index.search(plan)
