"""Gateways with databases on a server and documents in a folder are backed up while they work, by the procedure of
docs/operations.md, and restored in a new place after a crash.
"""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from postgres_server import PostgresServer
from sieve import demo
from stories.pair import Pair, again
from stories.replicated import ARCHIVED, database_server, on_server
from stories.restores import Before, Work, check_inbox, check_sender, copied, remove_from_inbox, seen, working


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    with database_server(**ARCHIVED) as server:
        yield server


async def test_from_a_dump_and_a_copy_of_the_folder_both_continue(tmp_path: Path, server: PostgresServer) -> None:
    backups = tmp_path / "backups"
    backups.mkdir()
    async with on_server(tmp_path, server) as both, working(both.author) as work:
        await work.accepts(8)
        before = await seen(work, both.cleared)
        for name in demo.NAMES:
            keep_removed(both, name)
            file = backups / f"{name}.dump"
            await asyncio.to_thread(server.tool, "pg_dump", "--format=custom", "--file", file, server.uri(name))
            await work.accepts(4)  # copies of the documents take their time
            if name == "bravo":
                removed = await remove_from_inbox(both.cleared, before)
            await asyncio.to_thread(copy_folder, both, name, backups)
            shutil.rmtree(kept(both, name))
        await work.accepts(4)

        addresses = {}
        for name in demo.NAMES:
            restored = f"{name}_restored"
            server.make_database(restored)
            into = ("--exit-on-error", "--no-owner", "--dbname", server.uri(restored))
            server.tool("pg_restore", *into, backups / f"{name}.dump")
            addresses[name] = server.address(restored)
        await check_restored(both, work, before, removed, backups, addresses)


async def test_from_the_archived_log_and_copies_of_the_folder_both_go_back_to_a_moment(
    tmp_path: Path, server: PostgresServer
) -> None:
    backups = tmp_path / "backups"
    backups.mkdir()
    async with on_server(tmp_path, server) as both, working(both.author) as work:
        for name in demo.NAMES:
            keep_removed(both, name)
        await work.accepts(2)
        base = ("--pgdata", backups / "base", "--checkpoint=fast", "--dbname", server.uri("postgres", "sieve"))
        await asyncio.to_thread(server.tool, "pg_basebackup", *base)
        await work.accepts(3)
        for name in demo.NAMES:
            earlier = [*kept(both, name).iterdir()]
            await asyncio.to_thread(copy_folder, both, name, backups)
            for path in earlier:
                path.unlink()
        await work.accepts(4)
        before, moment = await seen(work, both.cleared), server.now()
        await work.accepts(4)
        removed = await remove_from_inbox(both.cleared, before)
        for name in demo.NAMES:
            await asyncio.to_thread(copy_folder, both, name, backups)
        await asyncio.to_thread(server.archive_all)
        again_there = PostgresServer.recovered(backups / "base", server.archive, moment, **ARCHIVED)
        try:
            addresses = {name: again_there.address(name) for name in demo.NAMES}
            await check_restored(both, work, before, removed, backups, addresses)
        finally:
            again_there.stop()


def kept(both: Pair, name: str) -> Path:
    return both.folder / name / "blobs" / "quarantine" / "removed"


def keep_removed(both: Pair, name: str) -> None:
    kept(both, name).mkdir(parents=True, mode=0o700)


def copy_folder(both: Pair, name: str, backups: Path) -> None:
    """The second copy brings what was removed while the first one was made."""
    for _ in range(2):
        copied(both.folder / name / "blobs", backups / name / "blobs")


async def check_restored(
    both: Pair, work: Work, before: Before, removed: str, backups: Path, databases: dict[str, str]
) -> None:
    """Kills each gateway, and starts it in a new place, with the key, at its addresses; first the sender, while the
    receiver goes on.
    """
    old = both.folder
    for name in demo.NAMES:
        process = getattr(both, name).process
        process.kill()
        await asyncio.to_thread(process.wait)
        new = old / "restored"
        (new / name).mkdir(parents=True, mode=0o700)
        for file in ("admin.token", "master.key"):
            shutil.copy(old / name / file, new / name)
        shutil.copytree(old / "identities", new / "identities", dirs_exist_ok=True)
        shutil.copytree(backups / name / "blobs", new / name / "blobs")
        settings = both.settings[name] | {"SIEVE_DATABASE_URL": databases[name]}
        setattr(both, name, await asyncio.to_thread(again, getattr(both, name), new, settings))
        log = (new / f"{name}.log").read_text()
        assert "are missing in" not in log
        assert "removed files are kept in" in log, "it came with the copy"
        assert " files that the database does not know to " in log, "what is newer goes to quarantine"
        shutil.rmtree(new / name / "blobs" / "quarantine" / "removed")
        if name == "alpha":
            await check_sender(both.author, work, before)
            await check_inbox(both.cleared, work, before.accepted.keys() - {removed})
        else:
            await check_inbox(both.cleared, work, before.delivered)
        assert getattr(both, name).api("GET", "/audit/chain")["problems"] == []
    # They work with each other as before.
    transfer, ended = await both.send(b"Berth <$S>9<$E> opens.")
    assert ended["state"] == "delivered" and await both.download(transfer, "full") == b"Berth 9 opens."
