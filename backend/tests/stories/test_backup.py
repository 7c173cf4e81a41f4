"""Gateways are backed up while they work, and killed meanwhile; from the backups alone others go on."""

import asyncio
import contextlib
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import httpx

from sieve import demo
from stories.documents import report
from stories.pair import PATIENCE_S, Pair, again, pair


async def test_from_backups_of_two_gateways_at_work_both_continue(tmp_path: Path) -> None:
    async with pair(tmp_path) as both:
        before = [report(size, spans=5, seed=size) for size in (3_000, 400_000, 9_000)]
        sent = await both.send_all([one.marked for one in before])
        assert [ended["state"] for _, ended in sent] == ["delivered"] * 3
        # In alpha's backup these wait; by the time of bravo's they were delivered.
        await _kill(both, "bravo")
        waiting = [await both.dispatch(await both.upload(report(20_000, spans=3).marked)) for _ in range(2)]
        working = asyncio.create_task(_keep_sending(both))
        await _backed_up_and_killed(both, "alpha")
        await _start(both, "bravo")
        for transfer_id in waiting:
            assert (await both.ended(transfer_id))["state"] == "delivered"
        await _backed_up_and_killed(both, "bravo")
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        await _kill(both, "alpha")
        await _kill(both, "bravo")

        told = await both.sieve("alpha", "backup", f"{tmp_path}/alpha.backup", "--verify")
        assert "complete: alpha as of " in told
        # Alpha's data is what a crash left, bravo's is lost but for a log that fits no backup.
        alpha, bravo, lost = tmp_path / "alpha", tmp_path / "bravo", tmp_path / "lost"
        assert (alpha / "sieve.db-wal").stat().st_size > 0
        bravo.rename(lost)
        bravo.mkdir(mode=0o700)
        for name in ("admin.token", "master.key", "sieve.db-wal"):
            shutil.copy(lost / name, bravo / name)
        for name in demo.NAMES:
            told = await both.sieve(name, "restore", f"{tmp_path}/{name}.backup", "--replace")
            assert f"the earlier data is in {tmp_path}/{name}/replaced-" in told
            assert "holds the master key that the backup needs" in told
        with closing(sqlite3.connect(alpha / "sieve.db")) as database:
            states = dict(database.execute("SELECT id, state FROM transfers").fetchall())
        assert all(states[transfer_id] in ("queued", "sending") for transfer_id in waiting)
        assert all(states[transfer_id] == "delivered" for transfer_id, _ in sent)

        for name in demo.NAMES:
            await _start(both, name)
        for transfer_id, state in states.items():
            assert state == "delivered" or (await both.ended(transfer_id))["state"] == "delivered"
        for (transfer_id, _), one in zip(sent, before, strict=True):
            assert await both.download(transfer_id, "full") == one.content
            async with both.author as author, both.cleared as reader:
                for api, of in ((author, "transfers"), (reader, "inbox")):
                    seen = (await api.get(f"/{of}/{transfer_id}/verification")).json()
                    assert seen["valid"] and len(seen["checks"]) > 3, seen
        for name in demo.NAMES:
            assert getattr(both, name).api("GET", "/audit/chain")["problems"] == []
        async with both.cleared as api:
            page = (await api.get("/inbox", params={"limit": 200})).json()
        entries = [entry["transfer_id"] for entry in page["items"]]
        assert page["next"] is None and len(entries) == len(set(entries))
        assert set(states) <= set(entries)


async def _keep_sending(both: Pair) -> None:
    """Sends documents, one after the other, by a gateway that comes and goes."""
    for number in range(40):
        with contextlib.suppress(httpx.TransportError):
            await both.dispatch(await both.upload(report(20_000, spans=3, seed=number).marked))


async def _backed_up_and_killed(both: Pair, name: str) -> None:
    """Backs that gateway up, kills it once that has begun, and starts it again."""
    into = both.folder / f"{name}.backup"
    making = asyncio.create_task(both.sieve(name, "backup", str(into)))
    async with asyncio.timeout(PATIENCE_S):
        while not (into / "blobs").exists():  # another process makes it, and says nothing until it is done
            await asyncio.sleep(0.01)
    assert not making.done()
    await _kill(both, name)
    await _start(both, name)
    assert f"backed up: {name} as of " in await making


async def _kill(both: Pair, name: str) -> None:
    process = getattr(both, name).process
    process.kill()
    await asyncio.to_thread(process.wait, 30)


async def _start(both: Pair, name: str) -> None:
    started = await asyncio.to_thread(again, getattr(both, name), both.folder, both.settings[name])
    setattr(both, name, started)
