"""A migrated, empty database to copy, two gateways that know each other, and the plain listener's app alone."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.plain_bench import Bench, a_bench
from gateway.two_gateways import Pair, paired
from gateway.ways import SELDOM, WAYS, Way


@pytest.fixture(scope="session")
def template(migrated: Path) -> Path:
    """A migrated, closed, empty database file."""
    return migrated


@pytest.fixture
async def pair(tmp_path: Path, template: Path) -> AsyncIterator[Pair]:
    async with paired(tmp_path, template) as both:
        yield both


@pytest.fixture(params=[pytest.param(way, marks=SELDOM.get(name, ())) for name, way in WAYS.items()], ids=list(WAYS))
def way(request: pytest.FixtureRequest) -> Way:
    """Several channels of each kind, and a batch; with `make soak`, also one channel of each kind."""
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
