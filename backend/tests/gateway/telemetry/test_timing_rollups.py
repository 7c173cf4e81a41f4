"""Roll-ups equal a plain count over the records, whatever happens in between, and answer any question about them."""

import asyncio
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select, update

from databases import url
from examples import examples
from sieve.gateway.clock import Clock
from sieve.gateway.telemetry import timing_progress, timing_queries
from sieve.gateway.telemetry import timing_rollups as module
from sieve.gateway.telemetry.announcements import EVERYTHING, Announcements, Change, Watcher
from sieve.gateway.telemetry.histograms import Histogram
from sieve.gateway.telemetry.timing_filters import Filters
from sieve.gateway.telemetry.timing_periods import removed_before_s
from sieve.gateway.telemetry.timing_queries import Span, Totals
from sieve.gateway.telemetry.timing_rollups import TimingRollups
from sieve.store import sqlite_database
from sieve.store.database import Database
from sieve.store.errors import DatabaseBusy, StorageFull
from sieve.store.models import TimingGroup, TimingRecord, TimingRollup
from sieve.store.models.timings import FIGURES, HISTOGRAM_FIGURES
from sieve.store.open_database import open_database
from sieve.store.queries import people, timing_rollups
from sieve.store.queries.timing_rollups import GRAINS, SUMS
from sieve.store.sqlite_database import SQLiteDatabase
from timing_rows import (
    DAY,
    DIMENSIONS,
    NOW_S,
    S,
    Values,
    add,
    dimensions,
    grouped,
    is_own,
    plain_totals,
    records,
    times,
)

T = TypeVar("T")

DAYS: Final = 4
"""How long these tests keep records."""


class Crash(Exception):
    pass


class Time:
    """A clock that is set forward by hand, which takes that long."""

    def __init__(self) -> None:
        self.now_s = NOW_S
        self.clock = Clock(lambda: self.now_s * S, lambda: self.now_s * S)


def run(work: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner() as runner:
        return runner.run(work)


def job(database: Database, time: Time, at_once: int = 100) -> TimingRollups:
    return TimingRollups(database, Announcements(), DAYS, time.clock, records_at_once=at_once)


async def rebuild(rollups: TimingRollups) -> None:
    await rollups.request_rebuild()
    await rollups.rebuild()


@contextmanager
def quick() -> Iterator[None]:
    """SQLite does not wait for the disk, and nothing runs in threads, so that a property can try many stories."""
    set_up = sqlite_database._set_up

    def without_syncs(connection: sqlite3.Connection) -> None:
        set_up(connection)
        connection.execute("PRAGMA synchronous=OFF")

    async def at_once(function: Callable[..., T], *arguments: Any) -> T:
        return function(*arguments)

    with (
        patch.object(sqlite_database, "_set_up", without_syncs),
        patch.object(SQLiteDatabase, "browse", SQLiteDatabase.read),
        patch.object(asyncio, "to_thread", at_once),
    ):
        yield


async def insert(database: Database, added: Sequence[Values]) -> None:
    async with database.write() as session:
        await add(session, added)


class _CrashAt:
    """Lets the statement of that number fail, of those that add to roll-ups."""

    def __init__(self, number: int) -> None:
        self._left = number

    def wrap(self, name: str) -> Any:
        real = getattr(timing_rollups, name)

        async def crashing(*arguments: Any) -> Any:
            self._left -= 1
            if self._left == 0:
                raise Crash
            return await real(*arguments)

        return patch.object(timing_rollups, name, crashing)


async def stored(database: Database) -> tuple[dict[Any, Totals], dict[Any, Histogram]]:
    """All roll-ups and histograms, by width, grain, start and the group's dimensions."""
    async with database.browse() as session:
        groups = {group.id: group for group in await session.scalars(select(TimingGroup))}
        rows = list(await session.scalars(select(TimingRollup)))

    def key(row: TimingRollup) -> tuple[Any, ...]:
        group = groups[row.group_id]
        assert group.grain == row.grain
        return row.width_s, row.grain, row.start_s, *(getattr(group, name) for name in sorted(GRAINS[group.grain]))  # type: ignore[index]

    return (
        {key(row): Totals(*(getattr(row, name) for name in SUMS)) for row in rows},
        {
            (figure, *key(row)): Histogram.from_bytes(counts)
            for row in rows
            for figure in HISTOGRAM_FIGURES
            if (counts := getattr(row, f"{figure}_counts"))
        },
    )


def is_kept(key: Sequence[Any], now_s: int) -> bool:
    width_s, grain, start_s = key[:3]
    return bool(start_s >= removed_before_s(grain, width_s, now_s))


async def check(database: Database, every: Sequence[Values], now_s: int) -> None:
    """Roll-ups equal a plain count."""
    sums, counts = await stored(database)
    expected: dict[Any, Any] = {}
    for grain, kept in GRAINS.items():
        for width_s in timing_rollups.widths(grain):
            for (start_s, *divided), counted in grouped(every, sorted(kept), width_s).items():
                key = (width_s, grain, start_s, *divided)
                if is_kept(key, now_s):
                    expected[key] = counted
    assert {key: value for key, value in sums.items() if is_kept(key, now_s)} == {
        key: approximately(plain_totals(counted)) for key, counted in expected.items()
    }
    assert {key: value for key, value in counts.items() if is_kept(key[1:], now_s)} == {
        (figure, *key): Histogram.of(found)
        for key, counted in expected.items()
        for figure in HISTOGRAM_FIGURES
        if (found := times(counted, figure))
    }


def approximately(totals: Totals) -> Any:
    """Equal but for the rounding of the one sum that is no whole number."""
    return _Approximately([getattr(totals, name) for name in SUMS])


class _Approximately:
    def __init__(self, values: list[Any]) -> None:
        self._values = values

    def __eq__(self, other: object) -> bool:
        found = [getattr(other, name) for name in SUMS]
        return found == [pytest.approx(v) if isinstance(v, float) else v for v in self._values]

    __hash__ = None  # type: ignore[assignment]  # equal only approximately


ENDED = st.integers(NOW_S - 9 * DAY, NOW_S) | st.integers(NOW_S - 7200, NOW_S) | st.sampled_from([1, NOW_S - 200 * DAY])
ACTIONS = st.one_of(
    st.lists(records(ENDED), min_size=1, max_size=8),
    st.tuples(st.just("roll up"), st.integers(1, 5), st.integers(0, 40)),
    st.tuples(st.just("prune"), st.integers(0, 3), st.just(0)),
    st.tuples(st.just("rebuild"), st.integers(1, 5), st.integers(0, 40)),
)


@settings(max_examples=examples(32))
@given(actions=st.lists(ACTIONS, min_size=3, max_size=10))
def test_roll_ups_equal_a_plain_count_whatever_happens(migrated: Path, actions: list[Any]) -> None:
    async def story(path: Path) -> None:
        database, time = open_database(url(path)), Time()
        try:
            await play(database, time)
        finally:
            await database.dispose()

    async def play(database: Database, time: Time) -> None:
        every: list[Values] = []
        for action in actions:
            if isinstance(action, list):
                every += action
                await insert(database, action)
                continue
            what, number, crash_at = action
            crash = _CrashAt(crash_at)
            with crash.wrap("add"):
                try:
                    if what == "prune":
                        time.now_s += number * DAY
                        await job(database, time).prune()
                    elif what == "rebuild":
                        await rebuild(job(database, time, number))
                    else:
                        await job(database, time, number).roll_up()
                except Crash:
                    pass
        await job(database, time).roll_up()
        await check(database, every, time.now_s)

    with TemporaryDirectory() as folder, quick():
        path = Path(folder, "sieve.db")
        shutil.copyfile(migrated, path)
        run(story(path))


async def fill(path: Path, every: Sequence[Values], time: Time) -> Database:
    database = open_database(url(path))
    await insert(database, every)
    await job(database, time, 7).roll_up()
    return database


BY: Final = st.lists(
    st.sampled_from(["direction", "outcome", "cause", "mode", "peer_id", "size_class", "share_class"]),
    unique=True,
    max_size=3,
)


@st.composite
def questions(draw: st.DrawFn) -> tuple[Filters, list[Any], Span, int, int]:
    """Filters, dimensions, a span of whole minutes that are kept, the width of columns, and what a lookup costs: with
    0, all groups are looked up."""

    def maybe(values: st.SearchStrategy[T]) -> T | None:
        return draw(st.none() | st.none() | values)

    filters = Filters(
        direction=maybe(st.sampled_from(["sent", "received"])),
        peer_ids=maybe(st.frozensets(st.sampled_from(DIMENSIONS["peer_id"]), max_size=2)),
        mode=maybe(st.sampled_from(["sieve", "secure-only"])),
        size_class=maybe(st.integers(0, 3)),
        share_class=maybe(st.integers(0, 7)),
        channels=maybe(st.sampled_from(["0+0", "1+1", "1+2"])),
        suite=maybe(st.sampled_from(["", "TLS_AES_128_GCM_SHA256"])),
        batch_class=maybe(st.integers(0, 3)),
        outcome=maybe(st.sampled_from(["delivered", "retry"])),
    )
    ends = [NOW_S - NOW_S % 60 + 60 - 60 * draw(st.integers(0, 2 * 1440)) for _ in range(2)]
    column_s = draw(st.sampled_from([60, 300, 3600, 7200, DAY]))
    return filters, draw(BY), Span(min(ends), max(ends)), column_s, draw(st.sampled_from([0, 8]))


def is_asked_for(record: Values, filters: Filters, span: Span) -> bool:
    divided = dimensions(record)
    values = {name: value for name, value in filters.values().items() if name != "direction"}
    # What a gateway sent to itself counts once, unless received documents are asked for.
    if not (record["direction"] == filters.direction if filters.direction else not is_own(record)):
        return False
    return span.since_s * S <= record["at_ns"] < span.until_s * S and all(
        divided[name] in value for name, value in values.items()
    )


@settings(max_examples=examples(4))
@given(data=st.data())
def test_every_question_is_answered_as_plain_python_answers_it(migrated: Path, data: st.DataObject) -> None:
    ended_s = st.integers(NOW_S - 2 * DAY, NOW_S) | st.integers(NOW_S - 3600, NOW_S)
    every = data.draw(st.lists(records(ended_s), min_size=20, max_size=40))
    asked = data.draw(st.lists(questions(), min_size=8, max_size=8))

    async def ask(path: Path, patched: pytest.MonkeyPatch) -> None:
        database = await fill(path, every, Time())
        try:
            for filters, by, span, column_s, lookup_cost in asked:
                counted = [record for record in every if is_asked_for(record, filters, span)]
                async with database.browse() as session:
                    patched.setattr("sieve.store.queries.timing_rollups.LOOKUP_COST", lookup_cost)
                    sums = await timing_queries.totals(session, span, filters, by, sums=SUMS, now_s=NOW_S)
                    counts = await timing_queries.counts(session, span, filters, by, now_s=NOW_S)
                    stored = await timing_queries.histograms(session, span, filters, "stored", by, now_s=NOW_S)
                    columns = await timing_queries.totals(
                        session, span, filters, by, column_s=column_s, sums=SUMS, now_s=NOW_S
                    )
                    waits = await timing_queries.histograms(
                        session, span, filters, "waiting", by, column_s=column_s, now_s=NOW_S
                    )
                    both = await timing_queries.totals_and_histograms(session, span, filters, by, now_s=NOW_S)
                    points = await timing_queries.points(session, span, filters, 100, now_s=NOW_S)
                    cell = await timing_queries.in_cell(session, span, filters, "total", 10, 10**7, 100)
                groups = {key[1:]: found for key, found in grouped(counted, by).items()}
                assert sums == {key: approximately(plain_totals(found)) for key, found in groups.items()}
                assert counts == {key: len(found) for key, found in groups.items()}
                assert stored == {
                    key: Histogram.of(measured) for key, found in groups.items() if (measured := times(found, "stored"))
                }
                in_columns = grouped(counted, by, column_s)
                assert columns == {key: approximately(plain_totals(found)) for key, found in in_columns.items()}
                assert waits == {
                    key: Histogram.of(waited)
                    for key, found in in_columns.items()
                    if (waited := times(found, "waiting"))
                }
                assert both == {
                    key: (
                        approximately(plain_totals(found)),
                        {
                            figure: Histogram.of(measured)
                            for figure in HISTOGRAM_FIGURES
                            if (measured := times(found, figure))
                        },
                    )
                    for key, found in groups.items()
                }
                timed = [record for record in counted if record["response_us"] is not None]
                assert points.of == len(timed)
                assert {each.transfer_id for each in points.points} == {each["transfer_id"] for each in timed}
                in_cell = [each for each in timed if each["total_us"] is not None and 10 < each["total_us"] <= 10**7]
                assert {each.transfer_id for each in cell} == {each["transfer_id"] for each in in_cell}
                assert [each.at_ns for each in cell] == sorted((each["at_ns"] for each in in_cell), reverse=True)
        finally:
            await database.dispose()

    with TemporaryDirectory() as folder, quick():
        path = Path(folder, "sieve.db")
        shutil.copyfile(migrated, path)
        with pytest.MonkeyPatch.context() as patched:
            run(ask(path, patched))


def some_records(data: st.DataObject, count: int) -> list[Values]:
    return data.draw(st.lists(records(st.integers(NOW_S - 2 * DAY, NOW_S)), min_size=count, max_size=count))


@settings(max_examples=1)
@given(data=st.data())
def test_a_rebuild_repairs_what_is_wrong(migrated: Path, data: st.DataObject) -> None:
    every = some_records(data, 20)

    async def repair(path: Path) -> None:
        time = Time()
        database = await fill(path, every, time)
        async with database.write() as session:
            await session.execute(update(TimingRollup).values(count=TimingRollup.count + 1))
            await session.execute(update(TimingRollup).where(TimingRollup.width_s == 3600).values(waiting_counts=b""))
            # A period in which nothing ended.
            await session.execute(
                update(TimingRollup).where(TimingRollup.width_s == DAY).values(start_s=NOW_S // DAY * DAY - 4 * DAY)
            )
        await rebuild(job(database, time))
        await check(database, every, time.now_s)
        await database.dispose()

    with TemporaryDirectory() as folder:
        path = Path(folder, "sieve.db")
        shutil.copyfile(migrated, path)
        run(repair(path))


async def test_a_rebuild_goes_on_after_a_restart(migrated: Path, tmp_path: Path) -> None:
    shutil.copyfile(migrated, tmp_path / "sieve.db")
    time = Time()
    every = [{**A_RECORD, "at_ns": (NOW_S - age * DAY) * S} for age in (3, 2, 1)]
    database = await fill(tmp_path / "sieve.db", every, time)
    async with database.write() as session:
        await session.execute(update(TimingRollup).values(count=TimingRollup.count + 1))
    # Each day adds hours and a day in each grain.
    crash = _CrashAt(3 * len(GRAINS))
    with crash.wrap("add"), pytest.raises(Crash):
        await rebuild(job(database, time))
    async with database.browse() as session:
        progress = await timing_progress.progress(session, now_s=NOW_S)
    # The first day is done, and the three days are not whole.
    assert progress.rebuilt is not None
    assert 0 < progress.rebuilt < 0.5
    await job(database, time).rebuild()
    await check(database, every, time.now_s)
    async with database.browse() as session:
        assert (await timing_progress.progress(session)).rebuilt is None
    await database.dispose()


@settings(max_examples=1)
@given(data=st.data())
def test_only_one_process_rolls_up(migrated: Path, data: st.DataObject) -> None:
    every = some_records(data, 10)

    async def story(path: Path) -> None:
        time = Time()
        database = open_database(url(path))
        await insert(database, every)
        ours, theirs = job(database, time), job(database, time)

        async def while_they_roll_up(*arguments: Any) -> Any:
            with patch.object(TimingRollups, "_additions", additions):
                await theirs.roll_up()
            return await additions(*arguments)

        additions = TimingRollups._additions
        with patch.object(TimingRollups, "_additions", while_they_roll_up), pytest.raises(DatabaseBusy):
            await ours.roll_up()
        await check(database, every, time.now_s)
        await database.dispose()

    with TemporaryDirectory() as folder, quick():
        path = Path(folder, "sieve.db")
        shutil.copyfile(migrated, path)
        run(story(path))


async def test_sums_outlive_the_records_that_are_removed_and_a_rebuild_keeps_them(
    migrated: Path, tmp_path: Path
) -> None:
    shutil.copyfile(migrated, tmp_path / "sieve.db")
    time = Time()
    old, new, late = ({**A_RECORD, "at_ns": (NOW_S - age_s) * S} for age_s in (6 * DAY, 60, 6 * DAY + 60))
    database = await fill(tmp_path / "sieve.db", [old, new], time)
    await job(database, time).prune()
    async with database.browse() as session:
        assert (await session.scalars(select(TimingRecord.at_ns))).all() == [new["at_ns"]]
        assert (await timing_rollups.state(session)).kept_from_s == NOW_S // DAY * DAY - DAYS * DAY
    await rebuild(job(database, time))
    await check(database, [old, new], time.now_s)
    # It ended before the others that were removed, but nobody had counted it.
    await insert(database, [late])
    await job(database, time).prune()
    await rebuild(job(database, time))
    await check(database, [old, new, late], time.now_s)
    time.now_s += 101 * DAY
    await job(database, time).prune()
    async with database.browse() as session:
        starts = (await session.execute(select(TimingRollup.width_s, TimingRollup.grain, TimingRollup.start_s))).all()
        assert starts and all(is_kept(key, time.now_s) for key in starts)
    await database.dispose()


async def test_a_doubted_clock_removes_nothing(migrated: Path, tmp_path: Path) -> None:
    shutil.copyfile(migrated, tmp_path / "sieve.db")
    wall = [NOW_S * S]
    clock = Clock(lambda: wall[0], lambda: 0)
    wall[0] += 10_000 * DAY * S
    database = open_database(url(tmp_path / "sieve.db"))
    await insert(database, [A_RECORD])
    rollups = TimingRollups(database, Announcements(), DAYS, clock)
    await rollups.roll_up()
    await rollups.prune()
    await check(database, [A_RECORD], NOW_S)
    async with database.browse() as session:
        assert (await session.scalars(select(TimingRecord.id))).all() == [1]
    await database.dispose()


async def test_the_job_tries_again_after_an_error_and_tells_admins_of_news(
    migrated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.copyfile(migrated, tmp_path / "sieve.db")
    database, announcements = open_database(url(tmp_path / "sieve.db")), Announcements()
    async with database.write() as session:
        anna = await people.add(session, name="anna", display_name="Anna", is_admin=True, now_ns=1)
        bob = await people.add(session, name="bob", display_name="Bob", is_author=True, now_ns=1)
        await add(session, [A_RECORD])
    monkeypatch.setattr(module, "PACE_S", 0)
    monkeypatch.setattr(module, "PATIENCE_S", 0.01)
    rollups = TimingRollups(database, announcements, DAYS, Time().clock)
    failures = [StorageFull("the disk is full"), DatabaseBusy("the database is busy"), None]
    roll_up = TimingRollups.roll_up

    async def failing(self: TimingRollups) -> int:
        failure = failures.pop(0) if failures else None
        if failure is not None:
            raise failure
        return await roll_up(self)

    monkeypatch.setattr(TimingRollups, "roll_up", failing)
    with announcements.watching(anna.id) as hers, announcements.watching(bob.id) as his:
        assert hers.take() == his.take() == EVERYTHING
        running = asyncio.create_task(rollups.run())
        assert await news(hers) == Change("timings")
        async with database.write() as session:
            await add(session, [A_RECORD])
        rollups.wake()
        assert await news(hers) == Change("timings")
        assert his.take() is None
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert [each.getMessage() for each in caplog.records] == [
        "cannot roll up timings now: the disk is full",
        "cannot roll up timings now: the database is busy",
    ]
    await check(database, [A_RECORD, A_RECORD], NOW_S)
    await database.dispose()


async def news(watcher: Watcher) -> Change | None:
    await watcher.wait(asyncio.get_running_loop().time() + 60)
    return watcher.take()


A_RECORD: Final[Values] = {
    **{name: values[0] for name, values in DIMENSIONS.items()},
    **dict.fromkeys((f"{figure}_us" for figure in FIGURES), 1000),
    **dict.fromkeys(("size", "classified_size", "secure_bytes", "plain_bytes", "batch", "attempt"), 1),
    **dict.fromkeys(("secure_channels", "plain_channels", "sample"), 1),
    "at_ns": NOW_S * S,
    "transfer_id": "t",
    "cause": "",
    "predicted_us": None,
    "other_us": None,
    "turnaround_us": None,
    "expected_us": None,
    "clock_moved": False,
}


def test_a_gateway_starts_without_numpy() -> None:
    code = "import sieve.serving, sys; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
