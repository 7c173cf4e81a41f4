"""Replicas are restarted and upgraded while authors send. A version that changes the database needs all replicas
stopped: beside others it is refused, and they go on.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from itertools import count, cycle
from pathlib import Path
from typing import Final

import httpx
import pytest

from postgres_server import PostgresServer
from s3_server import S3Server
from sieve import demo
from sieve.store import migrate
from stories import forked
from stories.replicated import (
    Cluster,
    Replicated,
    blob_server,
    check_each_arrived_once,
    cluster,
    database_server,
    delivered,
    send,
)

PATIENCE_S: Final = 120.0
NEXT_STEP: Final = """
import sqlalchemy as sa
from alembic import op

revision: str = "9999"
down_revision: str | None = "{newest}"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table("of_the_next_version", sa.Column("id", sa.Integer(), primary_key=True))
"""


@pytest.fixture
def database() -> Iterator[PostgresServer]:
    with database_server() as server:
        yield server


@pytest.fixture
def store() -> Iterator[S3Server]:
    with blob_server() as server:
        yield server


class Author:
    """Sends documents, each at the next replica of alpha that answers. `sent`: what was accepted. `unsure`: how many
    requests had no such answer."""

    def __init__(self, them: Cluster) -> None:
        self._them, self._places, self._numbers = them, cycle(range(len(them.alpha.replicas))), count()
        self.sent: dict[str, bytes] = {}
        self.unsure = 0

    async def send(self) -> None:
        """Until one more is accepted."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                number = next(self._numbers)
                text = b"Berth <$S>%04d<$E> opens at noon. " % number * (10_000 if number % 5 == 0 else 10)
                try:
                    async with self._them.at_alpha(next(self._places)) as api:
                        self.sent[await send(api, text, f"{number}.txt")] = text
                    return
                except (httpx.TransportError, AssertionError):
                    self.unsure += 1
                    await asyncio.sleep(0.05)  # that replica is away

    @asynccontextmanager
    async def sending(self) -> AsyncIterator[None]:
        """Sends for the block's length."""

        async def on() -> None:
            while not ended.is_set():
                await self.send()
                await asyncio.sleep(0.05)  # the author's pace

        ended = asyncio.Event()
        task = asyncio.create_task(on())
        try:
            yield
        finally:
            ended.set()
            await task

    async def check(self) -> None:
        """Each document that was accepted so far arrives once."""
        running = next(n for n, one in enumerate(self._them.alpha.replicas) if one.process.poll() is None)
        async with self._them.at_alpha(running) as api, asyncio.timeout(PATIENCE_S):
            await delivered(api, [*self.sent])
        await check_each_arrived_once(self._them, self.sent, unsure=self.unsure)


class Version:
    """Starts gateways of the next version, whose database has one more step. `started`: their processes."""

    def __init__(self, folder: Path) -> None:
        shutil.copytree(migrate.FOLDER, folder)
        (folder / "versions" / "9999_next.py").write_text(NEXT_STEP.format(newest=migrate.newest()))
        self._launch = forked.fork(partial(forked.gateway_of_next_version, folder))
        self.started: list[demo.Process] = []

    def launch(self, environment: Mapping[str, str], log_file: Path | None) -> demo.Process:
        self.started.append(self._launch(environment, log_file))
        return self.started[-1]


async def end(side: Replicated, number: int) -> None:
    """As a service manager does."""
    side.replicas[number].process.terminate()
    assert await asyncio.to_thread(side.replicas[number].process.wait, PATIENCE_S) == 0


async def test_replicas_that_are_restarted_one_after_the_other_lose_nothing(
    tmp_path: Path, database: PostgresServer, store: S3Server
) -> None:
    async with cluster(tmp_path, database, store, replicas=2) as them:
        author = Author(them)
        async with author.sending():
            for side in (them.alpha, them.bravo):
                for number in range(2):
                    await end(side, number)
                    side.to_one_that_runs()
                    await asyncio.to_thread(side.start, number)
        await author.check()


async def test_a_version_that_changes_the_database_waits_until_all_others_have_ended(
    tmp_path: Path, database: PostgresServer, store: S3Server
) -> None:
    async with cluster(tmp_path, database, store, replicas=2) as them:
        author, alpha, new = Author(them), them.alpha, Version(tmp_path / "steps")
        log = alpha.folder / "1.log"

        # One after the other: the first one of the new version is refused, and the others go on.
        async with author.sending():
            await end(alpha, 1)
            with pytest.raises(demo.DemoError):
                await asyncio.to_thread(alpha.start, 1, new.launch)
            assert new.started[-1].poll() == 2
            [line] = [each for each in log.read_text().splitlines() if each.startswith("sieve gateway:")]
            assert "replicas of an earlier version use the database" in line and "this version has 9999" in line
            await asyncio.to_thread(alpha.start, 1)
        await author.check()

        # All stopped, as docs/operations.md says: what they had accepted arrives.
        for _ in range(5):
            await author.send()
        for number in range(2):
            await end(alpha, number)
        await asyncio.to_thread(alpha.start, 0, new.launch)
        alpha.to_one_that_runs()
        with pytest.raises(demo.DemoError):
            await asyncio.to_thread(alpha.start, 1)
        assert "was written by a newer version of Security Sieve (its schema is 9999" in log.read_text()
        await asyncio.to_thread(alpha.start, 1, new.launch)
        async with author.sending():
            for number in range(2):
                async with them.at_alpha(number) as api:
                    assert (await api.get("/transfers")).status_code == 200
        await author.check()
