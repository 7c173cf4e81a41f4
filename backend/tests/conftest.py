"""Settings for every test: fewer examples than hypothesis tries (`make soak` tries more), no time limits on them (the
machine is shared), the same ones each time in CI.

pyproject.toml limits the time of a whole test, for those that hang.
"""

import asyncio
import faulthandler
import gc
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from unittest import mock

import pytest
import typer.main
from hypothesis import HealthCheck, settings

import blob_storages
import databases
import disk_waits
import shared_statements
from databases import url
from examples import examples
from sieve.store.database_from_url import database_from_url

settings.register_profile(
    "local", max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")

disk_waits.skip()
shared_statements.share()
# typer makes the `sieve` command from all functions whenever it is run, which takes longer than most commands do.
mock.patch.object(typer.main, "get_command", cache(typer.main.get_command)).start()

STDERR = pytest.StashKey[int]()

_close_loop = asyncio.SelectorEventLoop.close


def _close_with_connections(loop: asyncio.BaseEventLoop) -> None:
    """Aborts the remaining connections, then closes the loop.

    A test's servers and clients share its loop, and may have unsent bytes when the test ends. Otherwise the garbage
    collector would find such a connection later and fail an unrelated test with a ResourceWarning.
    """
    if not loop.is_closed():
        for transport in list(loop._transports.values()):  # type: ignore[attr-defined]  # there is no public way
            transport.abort()
        # A transport closes its socket in a later callback.
        loop.run_until_complete(asyncio.sleep(0))
    _close_loop(loop)


asyncio.SelectorEventLoop.close = _close_with_connections  # type: ignore[assignment, method-assign]  # for all tests


def pytest_configure(config: pytest.Config) -> None:
    if databases.ON_SERVER and "PYTEST_XDIST_WORKER" not in os.environ:
        databases.start_server()
    if blob_storages.ON_S3 and "PYTEST_XDIST_WORKER" not in os.environ:
        blob_storages.start_server()
    # A copy of stderr: while tests run, pytest captures the original.
    config.stash[STDERR] = os.dup(2)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Iterator[None]:
    """What is imported and collected stays until the end: searching it for garbage took a fifth of the time. Later it
    is searched for as often as in a gateway.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(10_000)
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not databases.ON_SERVER:
        left_out = [item for item in items if item.path.name in databases.ONLY_ON_SERVER]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    if databases.ON_SERVER:
        left_out = [item for item in items if databases.why_not_on_server(item.nodeid.removeprefix("tests/"))]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    if not blob_storages.ON_S3:
        left_out = [item for item in items if item.path.name in blob_storages.ABOUT_S3]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    else:
        left_out = [item for item in items if item.nodeid.removeprefix("tests/").startswith(blob_storages.ABOUT_FOLDER)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    # The longest first: at the end every process then has something to do.
    items.sort(key=lambda item: "stories" not in item.path.parts)


def pytest_runtest_logfinish() -> None:
    databases.end_test()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Sets the limit again: pytest lifts it when a test fails, whose teardown could then wait forever for resources
    that the test would have released.
    """
    limit_s = float(item.config.getini("faulthandler_timeout"))
    if limit_s:
        faulthandler.dump_traceback_later(limit_s, exit=True, file=item.config.stash[STDERR])
    return (yield)


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, closed, empty database file, to copy."""
    path = tmp_path_factory.mktemp("template") / "sieve.db"

    async def make() -> None:
        database = database_from_url(url(path))
        await database.migrate()
        await database.dispose()
        path.touch()

    with asyncio.Runner() as runner:
        runner.run(make())
    return path
