"""A migrated, empty database to copy, two gateways that know each other, and the plain listener's app alone."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from databases import url
from gateway.plain_bench import Bench, a_bench
from gateway.two_gateways import Pair, paired
from gateway.ways import WAYS, Way
from sieve.store.open_database import open_database


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, closed, empty database file."""
    path = tmp_path_factory.mktemp("template") / "sieve.db"

    async def make() -> None:
        database = open_database(url(path))
        await database.migrate()
        await database.dispose()
        path.touch()

    with asyncio.Runner() as runner:
        runner.run(make())
    return path


@pytest.fixture
async def pair(tmp_path: Path, template: Path) -> AsyncIterator[Pair]:
    async with paired(tmp_path, template) as both:
        yield both


@pytest.fixture(params=list(WAYS.values()), ids=list(WAYS))
def way(request: pytest.FixtureRequest) -> Way:
    """One channel of each kind, several, and a batch."""
    found: Way = request.param
    return found


@pytest.fixture
async def pair_over_any(tmp_path: Path, template: Path, way: Way) -> AsyncIterator[Pair]:
    """The same; what is sent goes that way."""
    async with paired(tmp_path, template) as both:
        both.way = way
        yield both


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with a_bench(tmp_path / "plain") as bench:
        yield bench
