"""Replicas are restarted and upgraded while authors send. A version that only expands the database starts beside the
version before, and replaces it replica by replica. One that changes more needs all replicas stopped: beside others it
is refused, and they go on.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from itertools import count, cycle
from pathlib import Path
from typing import Final

import httpx
import pytest

from next_versions import CONTRACTION, EXPANSION, following
from postgres_server import PostgresServer, in_thread
from s3_server import S3Server
from sieve import demo
from sieve.store import migrate
from stories import forked
from stories.forked import OF_NEXT
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
    """Starts gateways of a later version, whose database has these further steps. `started`: their processes."""

    def __init__(self, folder: Path, *steps: str) -> None:
        following(folder, *steps)
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


def values(database: PostgresServer, question: str) -> list[object]:
    """What a question to alpha's database answers."""

    async def asked() -> list[object]:
        connection = await database.connect("alpha")
        try:
            return [row[0] for row in await connection.fetch(question)]
        finally:
            await connection.close()

    return in_thread(asked())


async def test_replicas_of_the_next_version_replace_those_of_this_one_while_authors_send(
    tmp_path: Path, database: PostgresServer, store: S3Server
) -> None:
    async with cluster(tmp_path, database, store, replicas=3) as them:
        author, alpha = Author(them), them.alpha
        new, newest = Version(tmp_path / "new", EXPANSION), Version(tmp_path / "newest", EXPANSION, EXPANSION)
        log = alpha.folder / "0.log"

        async with author.sending():
            # The new version starts beside two of the old one, and upgrades the database.
            await end(alpha, 0)
            alpha.to_one_that_runs()
            await asyncio.to_thread(alpha.start, 0, new.launch)
            assert values(database, "SELECT version_num FROM alembic_version") == ["9001"]
            # Each sends and delivers beside the other, whichever leads, and the old one may also start again.
            for _ in range(6):
                await author.send()
            await end(alpha, 1)
            await asyncio.to_thread(alpha.start, 1)
            for _ in range(6):
                await author.send()
            # Two versions ahead: refused as long as there is one of the first.
            await end(alpha, 0)
            with pytest.raises(demo.DemoError):
                await asyncio.to_thread(alpha.start, 0, newest.launch)
            [line] = [each for each in log.read_text().splitlines() if each.startswith("sieve gateway:")]
            assert f"a replica of an older version (schema {migrate.newest()}) still uses the database" in line
            await asyncio.to_thread(alpha.start, 0, new.launch)
            for number in (1, 2):
                await end(alpha, number)
                alpha.to_one_that_runs()
                await asyncio.to_thread(alpha.start, number, new.launch)
        await author.check()
        assert {*values(database, "SELECT DISTINCT weight_9001 FROM transfers")} == {1}
        assert {*values(database, "SELECT DISTINCT note_9001 FROM documents")} == {None, OF_NEXT}

        # The old version is refused only now: after the next upgrade.
        async with author.sending():
            await end(alpha, 0)
            alpha.to_one_that_runs()
            await asyncio.to_thread(alpha.start, 0, newest.launch)
            await end(alpha, 1)
            with pytest.raises(demo.DemoError):
                await asyncio.to_thread(alpha.start, 1)
            said = (alpha.folder / "1.log").read_text()
            assert "was written by a newer version of Security Sieve (its schema is 9002" in said
            await asyncio.to_thread(alpha.start, 1, new.launch)
        await author.check()


async def test_a_version_that_changes_the_database_waits_until_all_others_have_ended(
    tmp_path: Path, database: PostgresServer, store: S3Server
) -> None:
    async with cluster(tmp_path, database, store, replicas=2) as them:
        author, alpha, new = Author(them), them.alpha, Version(tmp_path / "steps", CONTRACTION)
        log = alpha.folder / "1.log"

        # One after the other: the first one of the new version is refused, and the others go on.
        async with author.sending():
            await end(alpha, 1)
            with pytest.raises(demo.DemoError):
                await asyncio.to_thread(alpha.start, 1, new.launch)
            assert new.started[-1].poll() == 2
            [line] = [each for each in log.read_text().splitlines() if each.startswith("sieve gateway:")]
            assert "replicas of an earlier version use the database" in line and "this version has 9001" in line
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
        assert "was written by a newer version of Security Sieve (its schema is 9001" in log.read_text()
        await asyncio.to_thread(alpha.start, 1, new.launch)
        async with author.sending():
            for number in range(2):
                async with them.at_alpha(number) as api:
                    assert (await api.get("/transfers")).status_code == 200
        await author.check()
