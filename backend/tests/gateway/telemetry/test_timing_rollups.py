"""Roll-ups equal a plain count over the records, whatever happens in between, and answer any question about them."""

import asyncio
import shutil
from collections.abc import Coroutine, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from sieve.gateway.clock import Clock
from sieve.gateway.telemetry.announcements import Announcements
from sieve.gateway.telemetry.histograms import Histogram
from sieve.gateway.telemetry.timing_periods import removed_before_s
from sieve.gateway.telemetry.timing_queries import Totals
from sieve.gateway.telemetry.timing_rollups import TimingRollups
from sieve.store.database import Database
from sieve.store.queries import timing_rollups
from sieve.store.queries.timing_rollups import GRAINS, SUMS, WIDTHS
from sieve.store.timing_models import HISTOGRAM_FIGURES, TimingGroup, TimingHistogram, TimingRollup
from store_rows import url
from timing_rows import DAY, NOW_S, S, Values, add, grouped, plain_totals, records, times

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
        sums, counts = (
            list(await session.scalars(select(TimingRollup))),
            list(await session.scalars(select(TimingHistogram))),
        )

    def key(row: TimingRollup | TimingHistogram) -> tuple[Any, ...]:
        group = groups[row.group_id]
        assert group.grain == row.grain
        return row.width_s, row.grain, row.start_s, *(getattr(group, name) for name in sorted(GRAINS[group.grain]))  # type: ignore[index]

    return (
        {key(row): Totals(*(getattr(row, name) for name in SUMS)) for row in sums},
        {(row.figure, *key(row)): Histogram.from_bytes(row.counts) for row in counts},
    )


def is_kept(key: Sequence[Any], now_s: int) -> bool:
    width_s, grain, start_s = key[:3]
    return bool(start_s >= removed_before_s(grain, width_s, now_s))


async def check(database: Database, every: Sequence[Values], now_s: int) -> None:
    """Roll-ups equal a plain count."""
    sums, counts = await stored(database)
    expected: dict[Any, Any] = {}
    for grain, kept in GRAINS.items():
        for width_s in WIDTHS:
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


class approximately:  # noqa: N801  # reads like pytest.approx
    """Equal but for the rounding of the one sum that is no whole number."""

    def __init__(self, totals: Totals) -> None:
        self._values = [getattr(totals, name) for name in SUMS]

    def __eq__(self, other: object) -> bool:
        found = [getattr(other, name) for name in SUMS]
        return found == [pytest.approx(v) if isinstance(v, float) else v for v in self._values]

    __hash__ = None  # type: ignore[assignment]


ENDED = st.integers(NOW_S - 9 * DAY, NOW_S) | st.integers(NOW_S - 7200, NOW_S) | st.sampled_from([1, NOW_S - 200 * DAY])
ACTIONS = st.one_of(
    st.lists(records(ENDED), min_size=1, max_size=8),
    st.tuples(st.just("roll up"), st.integers(1, 5), st.integers(0, 40)),
    st.tuples(st.just("prune"), st.integers(0, 3), st.just(0)),
    st.tuples(st.just("rebuild"), st.integers(1, 5), st.integers(0, 40)),
)


@settings(max_examples=12)
@given(actions=st.lists(ACTIONS, min_size=3, max_size=10))
def test_roll_ups_equal_a_plain_count_whatever_happens(migrated: Path, actions: list[Any]) -> None:
    async def story(path: Path) -> None:
        database, time = Database(url(path)), Time()
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
            with crash.wrap("add_sums"), crash.wrap("add_counts"):
                try:
                    if what == "prune":
                        time.now_s += number * DAY
                        await job(database, time).prune()
                    elif what == "rebuild":
                        await job(database, time, number).rebuild()
                    else:
                        await job(database, time, number).roll_up()
                except Crash:
                    pass
        await job(database, time).roll_up()
        await check(database, every, time.now_s)

    with TemporaryDirectory() as folder:
        path = Path(folder, "sieve.db")
        shutil.copyfile(migrated, path)
        run(story(path))
