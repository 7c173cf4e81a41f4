"""Settings for every test: no time limits on examples (the machine is shared), the same examples each time in CI."""

import asyncio
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from sieve.store.database import Database
from store_rows import url

settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("local"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, closed, empty database file, to copy."""
    path = tmp_path_factory.mktemp("template") / "sieve.db"

    async def make() -> None:
        database = Database(url(path))
        await database.migrate()
        await database.dispose()

    with asyncio.Runner() as runner:
        runner.run(make())
    return path
