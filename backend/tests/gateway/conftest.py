"""A migrated, empty database to copy, and two gateways that know each other."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.two_gateways import Pair, paired
from sieve.store.database import Database


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, closed, empty database file."""
    path = tmp_path_factory.mktemp("template") / "sieve.db"

    async def make() -> None:
        database = Database(f"sqlite+aiosqlite:///{path}")
        await database.migrate()
        await database.dispose()

    with asyncio.Runner() as runner:
        runner.run(make())
    return path


@pytest.fixture
async def pair(tmp_path: Path, template: Path) -> AsyncIterator[Pair]:
    async with paired(tmp_path, template) as both:
        yield both


@pytest.fixture(params=[(1, 1), (3, 2)], ids=["1+1", "3+2"])
async def pair_over_any(tmp_path: Path, template: Path, request: pytest.FixtureRequest) -> AsyncIterator[Pair]:
    """The same; what is sent goes over one channel of each kind, or over several."""
    async with paired(tmp_path, template) as both:
        both.channels = request.param
        yield both
