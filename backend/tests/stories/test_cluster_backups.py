"""Gateways of several replicas, on PostgreSQL and an S3 store, are backed up while they work, by the procedures of
docs/operations.md: one goes back to a moment in its own bucket, the other one goes on from a dump and another bucket.
"""

import asyncio
import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

import pytest

from blob_storages import new_objects
from postgres_server import PostgresServer
from s3_server import S3Server
from stories.pair import PATIENCE_S
from stories.replicated import (
    ARCHIVED,
    BUCKET,
    Replicated,
    blob_server,
    cluster,
    database_server,
    delivered,
    send,
)
from stories.restores import check_inbox, check_sender, remove_from_inbox, seen, working

REPLICAS: Final = 2


@pytest.fixture
def database() -> Iterator[PostgresServer]:
    with database_server(**ARCHIVED) as server:
        yield server


@pytest.fixture
def store() -> Iterator[S3Server]:
    with blob_server() as server:
        yield server


async def test_replicas_go_back_to_a_moment_and_on_from_a_dump_and_another_bucket(
    tmp_path: Path, database: PostgresServer, store: S3Server
) -> None:
    # Not imported above: what it imports is installed only for `make test-cluster`.
    from versioned_bucket import VersionedBucket

    bucket, other = VersionedBucket(store, BUCKET), store.make_bucket("other")
    bucket.keep_versions()
    async with cluster(tmp_path, database, store, replicas=REPLICAS) as them, working(them.at_alpha(0)) as work:
        await work.accepts(2)
        base = ("--pgdata", tmp_path / "base", "--checkpoint=fast", "--dbname", database.uri("postgres", "sieve"))
        await asyncio.to_thread(database.tool, "pg_basebackup", *base)
        await work.accepts(6)
        before, moment = await seen(work, them.at_bravo(0)), database.now()
        dump = tmp_path / "bravo.dump"
        await asyncio.to_thread(database.tool, "pg_dump", "--format=custom", "--file", dump, database.uri("bravo"))
        await work.accepts(5)
        removed = await remove_from_inbox(them.at_bravo(0), before)
        await asyncio.to_thread(database.archive_all)

        # The sender goes back to the moment, in its bucket, while the receiver goes on.
        recovered = PostgresServer.recovered(tmp_path / "base", database.archive, moment, **ARCHIVED)
        try:
            await stopped(them.alpha)
            assert await asyncio.to_thread(bucket.bring_back, "alpha", datetime.fromisoformat(moment)) > 0
            await started_again(them.alpha, {"SIEVE_DATABASE_URL": recovered.address("alpha")})
            for number in range(REPLICAS):
                await check_sender(them.at_alpha(number), work, before)
            await check_inbox(them.at_bravo(1), work, before.accepted.keys() - {removed})
            await notes_newer_blobs(BUCKET, "alpha", store)
            assert "are missing in" not in (them.alpha.folder / "0.log").read_text()

            await stopped(them.bravo)
            assert await asyncio.to_thread(bucket.bring_back, "bravo", datetime.fromisoformat(moment)) > 0
            await asyncio.to_thread(bucket.copy, "bravo", other)
            database.make_database("bravo_restored")
            into = ("--exit-on-error", "--no-owner", "--dbname", database.uri("bravo_restored"))
            await asyncio.to_thread(database.tool, "pg_restore", *into, dump)
            place = {
                "SIEVE_DATABASE_URL": database.address("bravo_restored"),
                "SIEVE_BLOBS": f"s3://{other}/bravo",
            }
            await started_again(them.bravo, place)
            for number in range(REPLICAS):
                await check_inbox(them.at_bravo(number), work, before.delivered)
            for side in (them.alpha, them.bravo):
                assert side.replicas[0].api("GET", "/audit/chain")["problems"] == []
            async with them.at_alpha(1) as author:
                await delivered(author, [await send(author, b"Berth <$S>9<$E> opens.", "last.txt")])
        finally:
            recovered.stop()


async def stopped(side: Replicated) -> None:
    for one in side.replicas:
        one.process.kill()
        await asyncio.to_thread(one.process.wait)


async def started_again(side: Replicated, place: dict[str, str]) -> None:
    """In new data folders, with the identity and the key; the first replica before the others."""
    old, side.folder = side.folder, side.folder.parent / f"{side.name}-restored"
    data = side.folder / "replica-0" / side.name
    data.mkdir(parents=True)
    shutil.copy(old / "replica-0" / side.name / "admin.token", data)
    side.settings |= place
    for number in range(REPLICAS):
        await asyncio.to_thread(side.start, number)
        side.to_one_that_runs()
    assert "damaged" not in (side.folder / "0.log").read_text()


async def notes_newer_blobs(bucket: str, prefix: str, store: S3Server) -> None:
    """The sweep at the start notes what the database does not know, and removes nothing yet."""
    objects = new_objects(store.endpoint, bucket=bucket, prefix=prefix)
    async with asyncio.timeout(PATIENCE_S):
        while not (unknown := await asyncio.to_thread(objects.unknown)):
            await asyncio.sleep(0.2)  # the gateway sweeps after its start, and only the store shows it
    there = await asyncio.to_thread(lambda: {blob_id for blob_id, _ in objects.all()})
    assert unknown.keys() <= there
