"""`make bench-timings`: timing records of a month, rolled up by the gateway's own code, and how long each panel takes.

Writes docs/benchmarks/timings.md. The records are made up from a seed; everything else is the product's.
"""

import argparse
import asyncio
import math
import os
import sqlite3
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np
from sqlalchemy.ext.asyncio import AsyncSession

from benchmarks.machine import machine
from benchmarks.timing_records import AT_ONCE, INSERT, PEERS, SENT_DAYS, SUITES, WAITING, Filled, S, batches, fill
from sieve.gateway.clock import now_ns
from sieve.gateway.runtime.garbage_collector import freeze_startup_objects
from sieve.gateway.telemetry import timing_queries
from sieve.gateway.telemetry.announcements import Announcements
from sieve.gateway.telemetry.timing_filters import Filters
from sieve.gateway.telemetry.timing_periods import DAY_S, HOUR_S
from sieve.gateway.telemetry.timing_queries import Span
from sieve.gateway.telemetry.timing_rollups import TimingRollups
from sieve.store.database import Database
from sieve.store.database_from_url import database_from_url
from sieve.store.models.timings import Grain
from sieve.store.queries.timing_rollups import GRAINS, WIDTHS
from sieve.web.timings import answers, capacity, queue, standouts

TARGET_MS: Final = 200.0
PAGE_TARGET_MS: Final = 1500.0


Panel = Callable[[AsyncSession, Span, Filters], Awaitable[Any]]


async def points_of(session: AsyncSession, span: Span, filters: Filters) -> None:
    found = await answers.points(session, span, filters, 20_000)
    await asyncio.to_thread(lambda: answers.points_shown(found).model_dump_json())


async def capacity_of(session: AsyncSession, span: Span, filters: Filters) -> None:
    measured = await capacity.measured(session, span, filters)
    await asyncio.to_thread(capacity.shown, measured, capacity.Wish())


PANELS: Final[dict[str, Panel]] = {
    "headline (summary)": answers.summary,
    "what stands out": standouts.shown,
    "responses": lambda session, span, filters: answers.responses(session, span, filters, "response"),
    "phases by size": lambda session, span, filters: answers.phases(session, span, filters, "size"),
    "phases by peer": lambda session, span, filters: answers.phases(session, span, filters, "peer"),
    "modes": answers.modes,
    "points (20,000)": points_of,
    "queue": queue.shown,
    "capacity": capacity_of,
    "a cell's transfers": lambda session, span, filters: timing_queries.in_cell(
        session,
        Span(span.until_s - (span.until_s - span.since_s) // 120, span.until_s),
        filters,
        "response",
        10_000,
        20_000,
        51,
    ),
}
PAGE: Final = "the whole page"
ON_THE_PAGE: Final = (
    "headline (summary)",
    "what stands out",
    "responses",
    "phases by size",
    "modes",
    "points (20,000)",
    "queue",
    "capacity",
)
"""What the browser asks for at once when the page opens."""
ROWS: Final = (*PANELS, PAGE)
FILTERS: Final[dict[str, Filters]] = {
    "none": Filters(),
    "direction, mode": Filters(direction="sent", mode="sieve"),
    "peer": Filters(peer_ids=frozenset(PEERS[:1])),
    "size, share": Filters(size_class=2, share_class=2),
    "channels, suite, batch": Filters(channels="1+1", suite=str(SUITES[0]), batch_class=0),
    "peer, size": Filters(peer_ids=frozenset(PEERS[:1]), size_class=2),
    "peer, channels, share": Filters(peer_ids=frozenset(PEERS[:1]), channels="1+1", share_class=2),
}
RANGES: Final[dict[str, int]] = {"hour": HOUR_S, "day": DAY_S, "week": 7 * DAY_S, "30 days": 30 * DAY_S}


@dataclass(frozen=True)
class Measured:
    """Milliseconds: the first time with nothing in memory, and then the median, the 95th percentile and the longest.
    `cpu_ms`: the 95th percentile of the processor time."""

    filter_name: str
    range_name: str
    panel: str
    cold_ms: float
    p50_ms: float
    p95_ms: float
    longest_ms: float
    cpu_ms: float


async def measure(path: Path, until_s: int, times: int) -> list[Measured]:
    """Each panel, range and filter: once with nothing in memory, then `times` times."""
    found = []
    for filter_name, filters in FILTERS.items():
        for range_name, length_s in RANGES.items():
            span = Span(until_s - length_s, until_s)
            for panel_name in ROWS:
                forget(path)
                database = database_from_url(f"sqlite+aiosqlite:///{path}")
                (cold, _), *warm = [await _timed(database, panel_name, span, filters) for _ in range(1 + times)]
                await database.dispose()
                took, cpu = zip(*warm, strict=True)
                median = float(np.median(took))
                found.append(
                    Measured(filter_name, range_name, panel_name, cold, median, p95(took), max(took), p95(cpu))
                )
                print(found[-1], flush=True)
    return found


def p95(values: Sequence[float]) -> float:
    """The 95th percentile by nearest rank: of 20 values, the second largest."""
    return sorted(values)[math.ceil(0.95 * len(values)) - 1]


async def _timed(database: Database, row: str, span: Span, filters: Filters) -> tuple[float, float]:
    async def ask(panel: Panel) -> None:
        async with database.browse() as session:
            await panel(session, span, filters)

    began, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(ask(PANELS[name]) for name in (ON_THE_PAGE if row == PAGE else (row,))))
    return (time.perf_counter() - began) * 1000, (time.process_time() - cpu) * 1000


def target_ms(each: Measured) -> float:
    return PAGE_TARGET_MS if each.panel == PAGE else TARGET_MS


def forget(path: Path) -> None:
    """Removes the database from the system's page cache."""
    for each in (path, Path(f"{path}-wal")):
        if each.exists():
            descriptor = os.open(each, os.O_RDONLY)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)


@dataclass(frozen=True)
class Live:
    """What the job costs while it keeps up: records in each run, processor time for each record, and the longest time
    that it held the event loop."""

    at_once: int
    cpu_ms: float
    longest_ms: float


async def live(folder: Path, until_s: int, at_once: int) -> Live:
    """Rolls up records of the last minutes as the gateway does, so many at a time."""
    path = folder / f"live-{at_once}.db"
    database = database_from_url(f"sqlite+aiosqlite:///{path}")
    await database.migrate()
    rollups = TimingRollups(database, Announcements(), 90)
    rows = next(batches(40_000, until_s - 3 * HOUR_S, until_s))[:4000]
    with sqlite3.connect(path) as connection:
        # The first ones make the groups.
        connection.executemany(INSERT, rows[:2000])
    await rollups.roll_up()
    longest, cpu, done = 0.0, 0.0, 0
    running = asyncio.Event()

    async def watch() -> None:
        nonlocal longest
        while not running.is_set():
            # Of this thread alone: on a busy machine, waiting for a processor would count, too.
            began = time.thread_time()
            await asyncio.sleep(0)
            longest = max(longest, time.thread_time() - began)

    for start in range(2000, len(rows), at_once):
        with sqlite3.connect(path) as connection:
            connection.executemany(INSERT, rows[start : start + at_once])
        began = time.process_time()
        done += await rollups.roll_up()
        cpu += time.process_time() - began
    # Again, with somebody who waits for the loop; that costs processor time itself.
    with sqlite3.connect(path) as connection:
        connection.executemany(INSERT, rows[:at_once])
    watching = asyncio.create_task(watch())
    await rollups.roll_up()
    running.set()
    await watching
    await database.dispose()
    return Live(at_once, cpu / done * 1000, longest * 1000)


def sizes(path: Path) -> dict[str, int]:
    """Bytes of the timing tables and their indexes; nothing if SQLite cannot say."""
    with sqlite3.connect(path) as connection:
        try:
            rows = connection.execute(
                "SELECT name, sum(pgsize) FROM dbstat WHERE name LIKE '%timing_%' GROUP BY name ORDER BY 2 DESC"
            ).fetchall()
        except sqlite3.OperationalError:
            return {}
    return dict(rows)


def rows_of(path: Path) -> list[tuple[str, int, int]]:
    """How many roll-ups there are: grain, width and rows."""
    with sqlite3.connect(path) as connection:
        return connection.execute(
            "SELECT grain, width_s, count(*) FROM timing_rollups GROUP BY 1, 2 ORDER BY 1, 2"
        ).fetchall()


# --- the page --------------------------------------------------------------------------------------------------------


PROSE: Final = """# Timings: how fast the dashboard's questions are answered

Written by `make bench-timings` on {date}, with Security Sieve {version}: {records:,} timing records over {days:g} days,
made up from a seed ({peers} peer gateways of which few send most, both directions, both modes, 6 sizes, 6 shares, 4
pairs of channels of which one has 85 %, 2 cipher suites, batches, 1.5 % that were not delivered), rolled up by the
gateway's own code. The functions that answer each panel read them, without HTTP. {waiting:,} transfers wait, and those
that were sent in the last {sent_days} days are in the database, too. `{page}`: the answers that the browser asks for
when the page opens, all at once.

Machine: {cpu}, {cores} cores, {memory_mib:,} MiB, {system}, Python {python}, SQLite {sqlite}. Load of the machine when
the measurements began: {load}. If that is over its cores, other work took a part of each time.

Each cell: median / 95th percentile / longest of {times} repetitions (by nearest rank: of 20, the 95th percentile is the
second longest), then the 95th percentile of the processor time, and in brackets the first time with nothing in memory,
all in milliseconds. The target is a 95th percentile by the clock under {target:.0f} ms for a panel, and under
{page_target:.0f} ms for the whole page: {kept} of {all} cells meet it, the others are in bold. {cpu_kept} need less
than that in processor time.
"""


def page(given: argparse.Namespace, found: dict[str, Any], measured: list[Measured], lives: list[Live]) -> str:
    """docs/benchmarks/timings.md."""
    about = found["machine"]
    missed = [each for each in measured if each.p95_ms >= target_ms(each)]
    kept = len(measured) - len(missed)
    lines = [
        PROSE.format(
            date=found["date"],
            version=version("security-sieve"),
            records=given.records,
            days=given.days,
            peers=len(PEERS),
            waiting=WAITING,
            sent_days=SENT_DAYS,
            sqlite=sqlite3.sqlite_version,
            load=", ".join(map(str, about["load_at_start"])),
            times=given.times,
            target=TARGET_MS,
            page=PAGE,
            page_target=PAGE_TARGET_MS,
            kept=kept,
            cpu_kept=sum(each.cpu_ms < target_ms(each) for each in measured),
            all=len(measured),
            **{name: about[name] for name in ("cpu", "cores", "memory_mib", "system", "python")},
        )
    ]
    for filter_name in FILTERS:
        lines += [f"## Filters: {filter_name}", "", f"| panel | {' | '.join(RANGES)} |", "|---|" + "--:|" * len(RANGES)]
        for panel in ROWS:
            row = [each for each in measured if (each.filter_name, each.panel) == (filter_name, panel)]
            lines.append(f"| {panel} | {' | '.join(map(_cell, row))} |")
        lines.append("")
    lines += [
        "## What the job costs",
        "",
        "| records in a run | processor time for each, ms | longest turn on the event loop, ms |",
        "|--:|--:|--:|",
        *(f"| {each.at_once} | {each.cpu_ms:.2f} | {each.longest_ms:.1f} |" for each in lives),
        "",
    ]
    if found["filled"] is not None:
        filled: Filled = found["filled"]
        each_ms = filled.rolling_up_s / filled.records * 1000
        lines += [
            f"In bulk, {AT_ONCE:,} at a time: {each_ms:.3f} ms of processor time for each record, "
            f"{filled.rolling_up_s:.0f} s in all, besides {filled.inserting_s:.0f} s to insert them.",
            "",
        ]
    lines += ["## Size", "", f"The database has {found['bytes'] / 1e9:.2f} GB.", ""]
    if found["sizes"]:
        lines += [
            "| table or index | MB |",
            "|---|--:|",
            *(f"| `{name}` | {size / 1e6:,.0f} |" for name, size in found["sizes"].items() if size > 1e6),
            "",
        ]
    lines += [
        "| roll-ups by | minutes | hours | days |",
        "|---|--:|--:|--:|",
        *(f"| {grain} | {' | '.join(_rows(found['rows'], grain))} |" for grain in GRAINS),
        "",
    ]
    return "\n".join(lines)


def _rows(counted: Mapping[tuple[str, int], int], grain: Grain) -> Iterator[str]:
    return (f"{counted.get((grain, width), 0):,}" for width in WIDTHS)


def _cell(each: Measured) -> str:
    took = " / ".join(f"{ms:.0f}" for ms in (each.p50_ms, each.p95_ms, each.longest_ms))
    shown = f"{took}, {each.cpu_ms:.0f} ({each.cold_ms:.0f})"
    return f"**{shown}**" if each.p95_ms >= target_ms(each) else shown


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--days", type=float, default=30, help="the time of the records; 1/24 is 0.0417")
    parser.add_argument("--times", type=int, default=20, help="measurements of each query")
    parser.add_argument("--folder", type=Path, help="keep the database there, or measure the one that is there")
    parser.add_argument("--into", type=Path, help="the page to write")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        path = folder / "timings.db"
        filled = None
        is_new = not path.exists()
        database = database_from_url(f"sqlite+aiosqlite:///{path}")
        await database.migrate()
        if is_new:
            until_s = now_ns() // S // 60 * 60
            rollups = TimingRollups(database, Announcements(), 90, records_at_once=AT_ONCE)
            filled = await fill(
                database, rollups, given.records, until_s - round(given.days * DAY_S / HOUR_S) * HOUR_S, until_s
            )
        await database.dispose()
        with sqlite3.connect(path) as connection:
            (last_ns,) = connection.execute("SELECT max(at_ns) FROM timing_records").fetchone()
        until_s = last_ns // S // 60 * 60 + 60
        found = {
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "machine": machine(folder),
            "filled": filled,
            "bytes": path.stat().st_size,
            "sizes": sizes(path),
            "rows": {(grain, width): rows for grain, width, rows in rows_of(path)},
        }
        lives = [await live(Path(temporary), until_s, at_once) for at_once in (1, 10, 200)]
        print(lives, flush=True)
        # As a gateway does once it has started: without it, a collection adds 40 ms to an answer now and then.
        freeze_startup_objects()
        measured = await measure(path, until_s, given.times)
        text = page(given, found, measured, lives)
        if given.into is None:
            print(text)
        else:
            given.into.write_text(text)


if __name__ == "__main__":
    asyncio.run(main())
