"""Roll-ups equal a plain count over the records, whatever happens in between."""

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select, update

from databases import url
from examples import examples
from gateway.telemetry.rolled_up import DAYS, Time, approximately, fill, insert, job, quick, run
from sieve.gateway.clock import Clock
from sieve.gateway.telemetry import timing_progress
from sieve.gateway.telemetry import timing_rollups as module
from sieve.gateway.telemetry.announcements import EVERYTHING, Announcements, Change, Watcher
from sieve.gateway.telemetry.histograms import Histogram
from sieve.gateway.telemetry.timing_periods import removed_before_s
from sieve.gateway.telemetry.timing_queries import Totals
from sieve.gateway.telemetry.timing_rollups import TimingRollups
from sieve.store.database import Database
from sieve.store.database_from_url import database_from_url
from sieve.store.errors import DatabaseBusy, StorageFull
from sieve.store.models import TimingGroup, TimingRecord, TimingRollup
from sieve.store.models.timings import FIGURES, HISTOGRAM_FIGURES
from sieve.store.queries import people, timing_rollups
from sieve.store.queries.timing_rollups import GRAINS, SUMS
from timing_rows import (
    DAY,
    DIMENSIONS,
    NOW_S,
    S,
    Values,
    add,
    grouped,
    plain_totals,
    records,
    times,
)


class Crash(Exception):
    pass


async def rebuild(rollups: TimingRollups) -> None:
    await rollups.request_rebuild()
    await rollups.rebuild()


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
        database, time = database_from_url(url(path)), Time()
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
        database = database_from_url(url(path))
        await insert(database, every)
        ours, theirs = job(database, time), job(database, time)

        async def while_they_roll_up(*arguments: Any) -> Any:
            with patch.object(TimingRollups, "_additions", additions):
                await theirs.roll_up()
            return await additions(*arguments)

        # Between reading and adding, where another process can come.
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
    database = database_from_url(url(tmp_path / "sieve.db"))
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
    database, announcements = database_from_url(url(tmp_path / "sieve.db")), Announcements()
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
