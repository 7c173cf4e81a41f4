"""Databases with timing records and roll-ups, and a job whose clock is set by hand."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar
from unittest.mock import patch

import pytest

from databases import url
from sieve.gateway.clock import Clock
from sieve.gateway.telemetry.announcements import Announcements
from sieve.gateway.telemetry.timing_queries import Totals
from sieve.gateway.telemetry.timing_rollups import TimingRollups
from sieve.store.database import Database
from sieve.store.database_from_url import database_from_url
from sieve.store.queries.timing_rollups import SUMS
from sieve.store.sqlite_database import SQLiteDatabase
from timing_rows import (
    NOW_S,
    S,
    Values,
    add,
)

T = TypeVar("T")

DAYS: Final = 4
"""How long these tests keep records."""


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


@contextmanager
def quick() -> Iterator[None]:
    """Nothing runs in threads, so that a property can try many stories."""

    async def at_once(function: Callable[..., T], *arguments: Any) -> T:
        return function(*arguments)

    with (
        patch.object(SQLiteDatabase, "browse", SQLiteDatabase.read),
        patch.object(asyncio, "to_thread", at_once),
    ):
        yield


async def insert(database: Database, added: Sequence[Values]) -> None:
    async with database.write() as session:
        await add(session, added)


async def fill(path: Path, every: Sequence[Values], time: Time) -> Database:
    database = database_from_url(url(path))
    await insert(database, every)
    await job(database, time, 7).roll_up()
    return database


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
