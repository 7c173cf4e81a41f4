"""`make bench-cluster-rows`: the gateway's queries with 10,000 and with 1,000,000 transfers, on PostgreSQL and on
SQLite, in turns. Writes docs/benchmarks/cluster-rows.md.

The rows are made up by `filled_tables`; the queries are the product's, without HTTP.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

import psutil
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from benchmarks.filled_tables import AUTHOR, COMMON, DAYS, RARE, SHARE, STEP, fill_file, fill_like
from benchmarks.machine import described, machine
from benchmarks.timings import PANELS, p95
from benchmarks.written_page import print_or_write
from postgres_server import PostgresServer
from sieve.gateway.runtime.garbage_collector import freeze_startup_objects
from sieve.gateway.telemetry.timing_filters import Filters
from sieve.gateway.telemetry.timing_periods import DAY_S
from sieve.gateway.telemetry.timing_queries import Span
from sieve.store.database import Database
from sieve.store.database_from_url import database_from_url
from sieve.store.queries import claiming, inbox_list, received_list, transfer_list
from sieve.store.queries.inbox_list import EntryFilter
from sieve.store.queries.received_list import ReceivedFilter
from sieve.store.queries.sorting import After
from sieve.store.queries.transfer_list import TransferFilter

PAGE: Final = Path(__file__).parents[2] / "docs" / "benchmarks" / "cluster-rows.md"
ROWS: Final = (10_000, 1_000_000)
TIMES: Final = 20
AT_LEAST: Final = 5
LONG_S: Final = 10.0
"""A query that takes longer than this for all times is asked fewer times."""
OLD: Final = "berth 1"
"""With many transfers, more names have it than the index of parts of names finds, and none is new."""
NOWHERE: Final = "zq"
RATIO: Final = 2.0
PANEL_MS: Final = 200.0
LIMIT: Final = 50
CLAIMED: Final = 16
"""Transfers that a gateway sends at a time."""
S: Final = 1_000_000_000

PROCESSOR: Final = """\
The machine was busy, so this is *processor time* of the gateway's process and of the server, without waits for a disk
and for a processor. Milliseconds"""

HEAD: Final = """\
# Many transfers

`make bench-cluster-rows` writes this page. A gateway's tables have {few:,} transfers, or {many:,}: as many sent ones,
each with its document, recipient and attempt, as many received ones, each with its document and entry of an inbox, and
as many timing records, all made up over {days} days. One author and one recipient have {share:.0%} of them; one in a
hundred still waits. Both sizes, on PostgreSQL (its default settings, on the same machine) and on SQLite, are there at
once, and each query of the product is asked at both sizes in turns, {times} times ({at_least} if that takes
longer than {long:.0f} s), without HTTP. A *common* word is in
one name of twenty, a *rare* one in that of an old document alone. An *old* one is in a tenth of all names, but not in
those of the latest four fifths; *two letters* are in none. For these two, a page may end before it is full. A *deep*
page is the one after the middle of the
list. The panels are those of the page of timings, without a filter, over {days} days.

{what}: median / 95th percentile (by nearest rank). The bound: with {many:,} transfers, the 95th percentile is at
most {ratio:g} times that with {few:,}, or under {panel:.0f} ms. {kept} of {all} keep it; the others are in bold.

{about}
"""


class UndoneError(Exception):
    """Undoes what was claimed."""


WHY: Final = {
    "rare word": "*A rare word*: the latest 2,000 names are read before the index of parts of names is asked.",
    "old word": "*An old word*: 5,000 names are read, and the page ends.",
    "two letters": "*Two letters*: 5,000 names are read, and the page ends.",
    "count": "*A count* reads up to 10,000 rows of the list, and the documents of one that has no more.",
    "what stands out": "*What stands out*: PostgreSQL plans a statement of a connection five times, and then once "
    "for all. It takes groups of peers for few, and the first plans are slow.",
}
"""Why queries whose name contains this may grow with the rows."""

Query: TypeAlias = Callable[["Asked"], Awaitable[object]]
Clock: TypeAlias = Callable[[], float]
"""Seconds that have passed, or that processors have worked."""
Page: TypeAlias = Callable[[AsyncSession, After | None], Awaitable[Any]]
"""A page of a list, after that place."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A filled database. `until_s`: when its last row was made. `middle`: the place in the middle of each list."""

    kind: str
    rows: int
    database: Database
    until_s: int
    middle: Mapping[str, After]

    @property
    def span(self) -> Span:
        """The time of all rows."""
        return Span(self.until_s - DAYS * DAY_S, self.until_s)


async def claim(at: Asked) -> None:
    """What a gateway does when it looks for work, without the commit."""
    now_ns = at.until_s * S
    with suppress(UndoneError):
        async with at.database.write() as session:
            found = await claiming.due(session, now_ns=now_ns, most=CLAIMED)
            claimed = await claiming.claim(
                session, [each.id for each in found[:CLAIMED]], now_ns=now_ns, lease_ns=30 * S, token=AUTHOR
            )
            if len(claimed.transfers) != CLAIMED:
                raise AssertionError("nothing is due")
            raise UndoneError


async def next_due(at: Asked) -> None:
    async with at.database.read() as session:
        await claiming.next_due_ns(session)


def listed(ask: Page, middle: str | None = None) -> Query:
    """A page of a list, or its count. `middle`: the list of which it is the page after the middle."""

    async def asked(at: Asked) -> None:
        async with at.database.browse() as session:
            found = await ask(session, None if middle is None else at.middle[middle])
            if not found[0]:
                raise AssertionError("nothing is found")

    return asked


def looked_for(ask: Page) -> Query:
    """The same, whether or not it finds a row."""

    async def asked(at: Asked) -> None:
        async with at.database.browse() as session:
            await ask(session, None)

    return asked


def panel(name: str) -> Query:
    async def asked(at: Asked) -> None:
        async with at.database.browse() as session:
            await PANELS[name](session, at.span, Filters())

    return asked


def lists() -> Iterator[tuple[str, Query]]:
    mine, all_of_them = TransferFilter(AUTHOR), TransferFilter(None)

    def sent(which: TransferFilter) -> Page:
        return lambda session, after: transfer_list.page(session, which, after=after, limit=LIMIT)

    def entries(which: EntryFilter) -> Page:
        return lambda session, after: inbox_list.page(session, which, after=after, limit=LIMIT)

    def received(which: ReceivedFilter) -> Page:
        return lambda session, after: received_list.page(session, which, after=after, limit=LIMIT)

    of_lists: tuple[tuple[str, Callable[[str | None], Page], str], ...] = (
        ("outbox", lambda word: sent(TransferFilter(AUTHOR, search=word)), "mine"),
        ("inbox", lambda word: entries(EntryFilter(AUTHOR, search=word or "")), "inbox"),
        ("admin's transfers", lambda word: sent(TransferFilter(None, search=word)), "all"),
        ("admin's received", lambda word: received(ReceivedFilter(search=word)), "received"),
    )
    for name, searched, place in of_lists:
        yield f"{name}: first page", listed(searched(None))
        yield f"{name}: deep page", listed(searched(None), place)
        yield f"{name}: common word", listed(searched(COMMON))
        yield f"{name}: rare word", listed(searched(RARE))
        yield f"{name}: old word", looked_for(searched(OLD))
        yield f"{name}: two letters", looked_for(searched(NOWHERE))
    yield "admin's transfers: nobody's", looked_for(sent(TransferFilter(None, author="nobody")))
    yield "outbox: failed ones", listed(sent(TransferFilter(AUTHOR, state="failed")))
    yield "admin's transfers: failed ones", listed(sent(TransferFilter(None, state="failed")))
    yield "outbox: count", listed(lambda session, _: transfer_list.count(session, mine))
    yield "inbox: count", listed(lambda session, _: inbox_list.count(session, EntryFilter(AUTHOR)))
    yield "admin's transfers: count", listed(lambda session, _: transfer_list.count(session, all_of_them))
    yield "admin's received: count", listed(lambda session, _: received_list.count(session, ReceivedFilter()))


QUERIES: Final[dict[str, Query]] = {
    "next due": next_due,
    f"claim of {CLAIMED}": claim,
    **dict(lists()),
    **{f"panel: {name}": panel(name) for name in PANELS},
}


@dataclass(slots=True)
class Times:
    """Milliseconds of one query in one kind of database, by the number of rows."""

    query: str
    kind: str
    taken: dict[int, list[float]] = field(default_factory=dict)

    def p95(self, rows: int) -> float:
        return p95(self.taken[rows])

    @property
    def ratio(self) -> float:
        few, many = (self.p95(rows) for rows in sorted(self.taken))
        return many / few

    @property
    def keeps(self) -> bool:
        """Whether it keeps the bound."""
        return self.ratio <= RATIO or self.p95(max(self.taken)) < PANEL_MS


async def measure(databases: Sequence[Asked], times: int, only: str, clock: Clock) -> list[Times]:
    """Each query, at each size in turns; the first time of each does not count."""
    found = []
    for name, query in QUERIES.items():
        if only not in name:
            continue
        for kind in dict.fromkeys(at.kind for at in databases):
            both = [at for at in databases if at.kind == kind]
            measured = Times(name, kind, {at.rows: [] for at in both})
            until = time.monotonic() + LONG_S
            for turn in range(times + 1):
                if turn > AT_LEAST and time.monotonic() > until:
                    break
                for at in both if turn % 2 else reversed(both):
                    began = clock()
                    await query(at)
                    if turn:
                        measured.taken[at.rows].append((clock() - began) * 1000)
            found.append(measured)
            _say(f"{name}, {kind}: {_cell(measured)}")
    return found


def _cell(each: Times) -> str:
    shown = [f"{statistics.median(taken):.1f} / {p95(taken):.1f}" for _, taken in sorted(each.taken.items())]
    cells = " | ".join([*shown, f"{each.ratio:.1f}"])
    return cells if each.keeps else f"**{cells.replace(' | ', '** | **')}**"


def page(
    found: Sequence[Times], about: Mapping[str, Any], rows: Sequence[int], times: int, what: str = "Milliseconds"
) -> str:
    """docs/benchmarks/cluster-rows.md."""
    kinds = [*dict.fromkeys(each.kind for each in found)]
    few, many = rows
    head = HEAD.format(
        few=few,
        many=many,
        days=DAYS,
        share=SHARE,
        times=times,
        at_least=AT_LEAST,
        long=LONG_S,
        ratio=RATIO,
        panel=PANEL_MS,
        kept=sum(each.keeps for each in found),
        all=len(found),
        about=described(about),
        what=what,
    )
    columns = [f"{kind}, {size} | " for kind in kinds for size in (f"{few:,}", f"{many:,}", "ratio of p95")]
    lines = [head, f"| | {''.join(columns)}".rstrip(), "|---|" + "--:|" * len(columns)]
    for name in dict.fromkeys(each.query for each in found):
        cells = " | ".join(_cell(each) for each in found if each.query == name)
        lines.append(f"| {name} | {cells} |")
    missed = [each.query for each in found if not each.keeps]
    why = [f"- {why}" for part, why in WHY.items() if any(part in name for name in missed)]
    return "\n".join([*lines, "", *(["Why not:", "", *why, ""] if why else [])])


def processor_s(server: Path) -> Clock:
    """What this process and the server in that folder have worked so far."""
    main = psutil.Process(int((server / "data" / "postmaster.pid").read_text().split()[0]))

    def clock() -> float:
        worked = time.process_time()
        for process in main.children():
            with suppress(OSError):  # it has just ended
                worked += int(Path(f"/proc/{process.pid}/schedstat").read_text().split()[0]) / S
        return worked

    return clock


@asynccontextmanager
async def filled(folder: Path, rows: Sequence[int]) -> AsyncIterator[list[Asked]]:
    """A database of each kind and size, in that folder, where they stay; those that it has already are taken."""
    server = PostgresServer.kept(folder / "server")
    found: list[Asked] = []
    try:
        if not await _exists(server, "pg_roles", "rolname", "gateway"):
            await server.execute("CREATE ROLE gateway LOGIN")
        for count in rows:
            name, path = f"rows_{count}", folder / f"{count}.db"
            # Written once both databases are filled: it has the time of the last row.
            until = folder / f"{count}.until"
            is_filled = until.exists()
            if not is_filled:
                await server.execute(f"DROP DATABASE IF EXISTS {name}")
                await server.execute(f"CREATE DATABASE {name} OWNER gateway")
                for ending in ("", "-wal", "-shm"):
                    path.with_name(path.name + ending).unlink(missing_ok=True)
            until_s = int(until.read_text()) if is_filled else int(time.time()) // 60 * 60
            on_file = database_from_url(f"sqlite+aiosqlite:///{path}")
            on_server = database_from_url(server.address(name))
            for kind, database in (("SQLite", on_file), ("PostgreSQL", on_server)):
                found.append(Asked(kind, count, database, until_s, {}))
                await database.migrate()
            if not is_filled:
                await fill_file(on_file, path, count, until_s)
                _say(f"{count:,} rows: the file is filled")
                connection = await server.connect(name)
                await fill_like(on_server, connection, path, count, until_s)
                await connection.close()
                _say(f"{count:,} rows: the server is filled")
                until.write_text(str(until_s))
        yield [replace(at, middle=await middles(at)) for at in found]
    finally:
        for at in found:
            await at.database.dispose()
        server.halt()


async def _exists(server: PostgresServer, table: str, column: str, name: str) -> bool:
    connection = await server.connect("postgres")
    try:
        return bool(await connection.fetchval(f"SELECT EXISTS (SELECT 1 FROM {table} WHERE {column} = $1)", name))  # noqa: S608 -- names of our own tables
    finally:
        await connection.close()


async def middles(at: Asked) -> dict[str, After]:
    """The place in the middle of each list."""
    middle = {}
    async with at.database.browse() as session:
        for name, table, time_of, whose in (
            ("mine", "transfers", "created_at_ns", "author_id"),
            ("all", "transfers", "created_at_ns", None),
            ("inbox", "inbox", "created_at_ns", "user_id"),
            ("received", "received", "received_at_ns", None),
        ):
            where = "" if whose is None else f"WHERE {whose} = '{AUTHOR}'"
            skipped = (at.rows if whose is None else at.rows // STEP) // 2
            place = f"SELECT {time_of}, id FROM {table} {where} ORDER BY 1 DESC, 2 DESC LIMIT 1 OFFSET {skipped}"  # noqa: S608 -- our own names and numbers
            middle[name] = After(*(await session.execute(text(place))).one())
    return middle


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs=2, default=ROWS, metavar=("FEW", "MANY"))
    parser.add_argument("--times", type=int, default=TIMES)
    parser.add_argument("--only", default="", help="measure only queries whose name contains this, and print the page")
    parser.add_argument("--folder", type=Path, help="keep the filled databases in this folder, and take those it has")
    parser.add_argument(
        "--processor-time", action="store_true", help="for a busy machine: how long the processors work for each query"
    )
    parser.add_argument("--print", action="store_true", help="print the page, and leave the file as it is")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        Path(temporary).chmod(0o755)  # run by root, the server is another user
        folder = (given.folder or Path(temporary)).absolute()
        about = machine(folder)
        async with filled(folder, given.rows) as databases:
            # As a gateway does once it has started: without it, a collection adds 40 ms to an answer now and then.
            freeze_startup_objects()
            clock = processor_s(folder / "server") if given.processor_time else time.perf_counter
            found = await measure(databases, given.times, given.only, clock)
    written = page(found, about, given.rows, given.times, *([PROCESSOR] if given.processor_time else []))
    print_or_write(written, PAGE, only_print=given.print or bool(given.only))


if __name__ == "__main__":
    asyncio.run(main())
