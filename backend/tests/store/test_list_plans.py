"""Each list of the web is read in order by an index: SQLite neither sorts what it finds nor looks at a whole table."""

from collections.abc import Awaitable, Callable
from itertools import product
from typing import Any, Final

import pytest
from sqlalchemy import event, text
from sqlalchemy.ext.asyncio import AsyncSession

from cases import each
from sieve.gateway.telemetry.timing_filters import Filters
from sieve.gateway.telemetry.timing_periods import DAY_S, HOUR_S
from sieve.gateway.telemetry.timing_queries import PhaseTimes, Point, Service
from sieve.store.database import Database
from sieve.store.models import Document, Transfer
from sieve.store.models.timings import PHASE_SUMS, SAMPLED_FROM
from sieve.store.queries import (
    audit,
    document_list,
    draft_list,
    drafts,
    inbox,
    inbox_list,
    name_search,
    queue_state,
    read_receipts,
    received_list,
    timing_points,
    timing_sums,
    transfer_list,
    versions,
)
from sieve.store.queries.audit import AuditFilter
from sieve.store.queries.draft_list import DraftFilter
from sieve.store.queries.inbox_list import EntryFilter, Order
from sieve.store.queries.received_list import ReceivedFilter
from sieve.store.queries.sorting import After
from sieve.store.queries.timing_sums import Where
from sieve.store.queries.transfer_list import TransferFilter

PAGES = (None, After(5, "f" * 32))
"""The first page, and a later one."""
LISTED = frozenset({"documents", "transfers", "inbox", "drafts", "audit_entries", "received", "blobs"})
"""Tables that grow with what people send. People, peers and policies are few."""

List = Callable[[AsyncSession, After | None], Awaitable[Any]]


def transfers(**more: Any) -> List:
    which = TransferFilter(**{"author_id": None, **more})
    return lambda session, after: transfer_list.page(session, which, after=after, limit=50)


def received(**more: Any) -> List:
    return lambda session, after: received_list.page(session, ReceivedFilter(**more), after=after, limit=50)


def entries(**more: Any) -> List:
    return lambda session, after: audit.page(session, AuditFilter(**more), after=after, limit=50)


LISTS: dict[str, List] = {
    "documents": lambda session, after: document_list.page(session, "u", after=after, limit=50),
    "inbox": lambda session, after: inbox_list.page(session, EntryFilter("u"), after=after, limit=50),
    "inbox searched": lambda session, after: inbox_list.page(
        session, EntryFilter("u", search="a", unread=True), Order(descending=False), after=after, limit=50
    ),
    "inbox's trash": lambda session, after: inbox_list.page(
        session, EntryFilter("u", in_trash=True), after=after, limit=50
    ),
    "drafts' trash": lambda session, after: draft_list.page(
        session, DraftFilter("u", in_trash=True), after=after, limit=50
    ),
    "expired entries in the trash": lambda session, _: inbox.trashed_by(session, 5, limit=50),
    "expired drafts in the trash": lambda session, _: drafts.trashed_by(session, 5, limit=50),
    "drafts": lambda session, after: draft_list.page(session, DraftFilter("u"), after=after, limit=50),
    "drafts searched": lambda session, after: draft_list.page(
        session, DraftFilter("u", search="a"), after=after, limit=50
    ),
    "audit": entries(),
    "audit by actor": entries(actor="anna", actions=["sign-in", "read"], since_ns=1, until_ns=9),
    "audit by action": entries(actions=["sign-in", "read"], search="a"),
    "audit in chain": lambda session, _: audit.linked(session, AuditFilter(actor="anna"), after=5, up_to=9),
    "received": received(),
    "received by all": received(peer="bravo", recipient="anna", search="a", since_ns=1),
    "bytes of versions": lambda session, _: versions.stored_bytes(session, "d"),
    "retention": lambda session, _: inbox.received_by(session, 5, limit=50),
    "transfers": transfers(),
    "mine": transfers(author_id="u"),
    **{
        f"{name} by {what}": transfers(author_id=whose, **{what: value})
        for name, whose in (("transfers", None), ("mine", "u"))
        for what, value in {"state": "failed", "peer": "bravo", "author": "anna", "search": "a", "since_ns": 1}.items()
    },
    "mine by all": transfers(author_id="u", state="queued", peer="bravo", search="a", since_ns=1),
}


@each(("name", "after"), product(LISTS, PAGES))
async def test_a_page_is_read_in_order(
    database: Database, name: str, after: After | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(name_search, "MOST", -1)  # as of a recipient of many
    for statement, plan in await plans(database, lambda session: LISTS[name](session, after)):
        assert "USE TEMP B-TREE FOR ORDER BY" not in plan, (statement, plan)
        scanned = [step for step in plan if step.split()[0] == "SCAN" and step.split()[1] in LISTED]
        # A walk along an index in its order ends with the page; one without ends with the table.
        assert all(" USING " in step for step in scanned), (statement, plan)


def sorted_by(sort: transfer_list.Sort, author_id: str | None = None) -> List:
    which, order = TransferFilter(author_id), transfer_list.Order(sort, descending=False)
    return lambda session, after: transfer_list.page(session, which, order, after=after, limit=50)


SORTED: dict[str, List] = {
    "transfers by state": sorted_by("state"),
    "transfers by peer": sorted_by("peer"),
    "mine by state": sorted_by("state", "u"),
    "mine by peer": sorted_by("peer", "u"),
    "received by peer": lambda session, after: received_list.page(
        session, ReceivedFilter(), received_list.Order("peer"), after=after, limit=50
    ),
}


@each(("name", "after"), product(SORTED, PAGES))
async def test_by_state_or_peer_a_list_is_sorted_from_an_index_alone(
    database: Database, name: str, after: After | None
) -> None:
    """Whole rows, and documents, are read of one page only."""
    asked = await plans(database, lambda session: SORTED[name](session, after))
    [(statement, plan)] = [each for each in asked if "USE TEMP B-TREE FOR ORDER BY" in each[1]]
    steps = [step for step in plan if len(step.split()) > 1 and step.split()[1] in LISTED]
    assert steps and all(" USING COVERING INDEX " in step for step in steps), (statement, plan)
    if name == "mine by peer":
        # Once, and not for each peer again.
        assert not any(step.startswith("SCAN peer_names") for step in plan), (statement, plan)


FOUND: dict[str, Callable[[AsyncSession], Awaitable[Any]]] = {
    "ix_received_in_reply_to": lambda session: inbox.answers_to(
        session, Transfer(id="t", peer_id="p", author_id="u"), limit=50
    ),
    "ix_read_receipts_due": lambda session: read_receipts.due(session, "p", 5, limit=50),
}


@each("index", FOUND)
async def test_few_rows_are_found_by_their_own_index(database: Database, index: str) -> None:
    """Not by that of everything that a person or this gateway received."""
    for statement, [first, *_] in await plans(database, FOUND[index]):
        assert f" USING INDEX {index} " in first, (statement, first)


FEW_OF_ONE: dict[str, Callable[[AsyncSession], Awaitable[Any]]] = {
    "page": lambda session: received(recipient="anna", since_ns=1)(session, None),
    "count": lambda session: received_list.count(session, ReceivedFilter(recipient="anna")),
}


@each("name", FEW_OF_ONE)
async def test_what_a_person_with_few_entries_received_is_read_by_its_key(database: Database, name: str) -> None:
    for statement, plan in await plans(database, FEW_OF_ONE[name]):
        assert not [step for step in plan if step.startswith("SCAN") and step.split()[1] in LISTED], (statement, plan)


@each("after", PAGES)
async def test_all_transfers_of_an_author_are_read_by_the_index_of_their_own_list(
    database: Database, after: After | None
) -> None:
    """Those of a person who sent few, or long ago, are not looked for among everybody's."""
    asked = await plans(database, lambda session: transfers(author="anna")(session, after))
    [step] = [step for _, plan in asked for step in plan if "ix_transfers" in step]
    assert step.startswith("SEARCH transfers USING COVERING INDEX ix_transfers_author_list (author_id=?")


QUEUE: dict[str, Callable[[AsyncSession], Awaitable[Any]]] = {
    "depth": queue_state.depth,
    "depth by size": lambda session: queue_state.depth(session, [Document.size > 5]),
    "peers": queue_state.peers,
    "deadlines": lambda session: queue_state.deadlines(session, 5, 20),
    "accepted": lambda session: queue_state.accepted(session, 3600, 7200, 60),
    "accepted by peer": lambda session: queue_state.accepted(session, 3600, 7200, 60, ["p", "q"]),
}


FEW: Final = (
    "state=?",  # of what is open, and of one peer's
    "created_at_ns>?",
    "USING COVERING INDEX ix_transfers_peer_id_state_turn (peer_id=?)",  # whether there is one
)


@each("name", QUEUE)
async def test_the_queue_is_read_without_what_was_delivered_before(database: Database, name: str) -> None:
    for statement, plan in await plans(database, QUEUE[name]):
        steps = [step for step in plan if " transfers " in step]
        assert steps and all(any(part in step for part in FEW) for step in steps), (statement, plan)
        if name == "accepted by peer":
            delivered = "state=? AND next_try_at_ns=?" in steps[0]
            assert not delivered or "created_at_ns>?" in steps[0], (statement, plan)


@each("columns", [Point._fields, Service._fields, PhaseTimes._fields])
async def test_a_sample_of_timings_is_read_from_an_index_alone(database: Database, columns: tuple[str, ...]) -> None:
    """In the table, each record would be on a page of its own."""
    filters = Filters("sent", frozenset(["p"]), "sieve", 2, 2, "1+1", "suite", 0, "delivered")
    [(statement, steps)] = await plans(
        database,
        lambda session: timing_points.timed(session, columns, 1, 2, SAMPLED_FROM, 5, filters.of_records()),
    )
    assert steps == [
        "SEARCH timing_records USING COVERING INDEX ix_timing_records_sampled (sample=? AND at_ns>? AND at_ns<?)"
    ], statement


@each("filters", [Filters(peer_ids=frozenset(["p"])), Filters("sent", frozenset(["p"]), "sieve", outcome="delivered")])
async def test_the_groups_of_a_peer_are_found_without_those_of_others(database: Database, filters: Filters) -> None:
    for statement, [step] in await plans(
        database, lambda session: timing_sums.few_groups(session, "full", filters.values())
    ):
        assert " USING COVERING INDEX ix_timing_groups_peer (grain=? AND peer_id=?" in step, statement


@each("column_s", [None, DAY_S])
async def test_counts_of_many_days_are_read_from_the_index_by_group_alone(
    database: Database, column_s: int | None
) -> None:
    """In the table, histograms are between them, and periods are read whole for a few of their groups."""
    where = Where("peer-size", DAY_S, DAY_S, 9 * DAY_S, {"direction": ("sent",), "size_class": (2,)})
    every = [
        *await plans(database, lambda session: timing_sums.read(session, [where], ["cause"], column_s, ["count"])),
        *await plans(database, lambda session: timing_sums.read_counts(session, [[where], [where]], ["cause"])),
    ]
    for statement, plan in every:
        assert_by_group("ix_timing_rollups_group", statement, plan)


def assert_by_group(index: str, statement: str, plan: list[str]) -> None:
    steps = [step for step in plan if " timing_rollups " in step]
    by_group = f"USING COVERING INDEX {index} (width_s=? AND grain=? AND group_id=? AND start_s>?"
    assert steps and all(by_group in step for step in steps), (statement, plan)


async def test_two_ranges_that_follow_each_other_are_counted_at_once(database: Database) -> None:
    filters = {"direction": ("sent",), "size_class": (2,)}
    ranges = [[Where("peer-size", DAY_S, day * DAY_S, (day + 4) * DAY_S, filters)] for day in (5, 1)]
    [(statement, plan)] = await plans(database, lambda session: timing_sums.read_counts(session, ranges, ["cause"]))
    assert_by_group("ix_timing_rollups_group", statement, plan)
    assert sum(" timing_rollups " in step for step in plan) == 1, (statement, plan)


async def test_phases_of_many_days_are_read_from_an_index_alone(database: Database) -> None:
    where = Where("peer-link", DAY_S, DAY_S, 9 * DAY_S, {"direction": ("sent",), "channels": ("1+1",)})
    for statement, plan in await plans(
        database, lambda session: timing_sums.read(session, [where], ["peer_id"], None, PHASE_SUMS)
    ):
        assert_by_group("ix_timing_rollups_phases", statement, plan)


async def test_counts_of_few_groups_in_many_hours_are_read_from_the_index_by_group_alone(database: Database) -> None:
    where = Where("link", HOUR_S, HOUR_S, 99 * HOUR_S, {"direction": ("sent",)}, [1, 2])
    for statement, plan in await plans(
        database, lambda session: timing_sums.read(session, [where], ["cause"], DAY_S, ["count"])
    ):
        assert_by_group("ix_timing_rollups_group", statement, plan)


@each("width_s", [HOUR_S, DAY_S])
async def test_histograms_of_few_groups_are_looked_up_where_there_are_some(database: Database, width_s: int) -> None:
    """Not each group in each period, and no other group: an hour by everything has thousands."""
    where = Where("full", width_s, DAY_S, DAY_S + 24 * width_s, {"direction": ("sent",)}, [1, 2])
    [(statement, plan)] = await plans(
        database, lambda session: timing_sums.read(session, [where], ["cause"], None, ["response_counts"])
    )
    assert [step for step in plan if " timing_rollups " in step] == [
        "SEARCH timing_rollups USING PRIMARY KEY (width_s=? AND grain=? AND start_s=? AND group_id=?)",
        "SEARCH timing_rollups USING COVERING INDEX ix_timing_rollups_group "
        "(width_s=? AND grain=? AND group_id=? AND start_s>? AND start_s<?)",
    ], statement


async def test_an_audit_entry_is_added_without_counting_the_others(database: Database) -> None:
    for statement, _ in await plans(database, audit.head):
        assert "count(" not in statement


async def plans(database: Database, query: Callable[[AsyncSession], Awaitable[Any]]) -> list[tuple[str, list[str]]]:
    """The statements of `query`, each with the steps of its plan."""
    asked: list[tuple[str, Any]] = []

    async with database.browse() as session:
        connection = await session.connection()

        def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
            asked.append((statement, parameters))

        event.listen(connection.sync_connection, "before_cursor_execute", note)
        await query(session)
        event.remove(connection.sync_connection, "before_cursor_execute", note)
        assert asked
        return [
            (
                statement,
                [
                    str(row.detail)
                    for row in await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
                ],
            )
            for statement, parameters in asked
        ]


async def test_states_are_counted_without_looking_at_the_rows(database: Database) -> None:
    async with database.browse() as session:
        plan = await session.execute(text("EXPLAIN QUERY PLAN SELECT state, count(*) FROM transfers GROUP BY state"))
        [step] = [str(row.detail) for row in plan]
        assert "USING COVERING INDEX" in step
        assert await queue_state.transfers_by_state(session) == {}
