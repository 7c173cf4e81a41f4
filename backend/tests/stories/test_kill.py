"""`kill -9` of either gateway at any named step of a transfer ends, after its restart, in exactly one delivery.

The steps take turns in how documents travel: one channel of each kind, several, a batch of three. Each step over each
way would take three times as long; what a step does to the rest is the same code in all of them.
"""

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from sieve.gateway.marks import PLAIN, SECURE
from stories.documents import report
from stories.pair import Pair, again, pair

SENDER_STEPS = (
    ("claimed", ""),
    ("split", ""),
    ("splitting", ""),
    ("first-byte", SECURE),
    ("first-byte", PLAIN),
    ("last-byte", SECURE),
    ("last-byte", PLAIN),
    ("acknowledged", SECURE),
    ("verified-heard", ""),
    ("receipt-heard", ""),
)
RECEIVER_STEPS = (
    ("announced", ""),
    ("first-byte", SECURE),
    ("last-byte", SECURE),
    ("first-byte", PLAIN),
    ("last-byte", PLAIN),
    ("verified", ""),
    ("integrated", ""),
    ("digests-fit", ""),
    ("synced", ""),
    ("committed", ""),
)


@pytest.mark.parametrize(("victim", "steps"), [("alpha", SENDER_STEPS), ("bravo", RECEIVER_STEPS)])
async def test_killed_at_any_step_delivers_exactly_once(
    tmp_path: Path, victim: str, steps: tuple[tuple[str, str], ...]
) -> None:
    async with pair(tmp_path) as both:
        delivered, where = 0, tmp_path / "where-to-die"
        await _restart(both, victim, where)
        for number, step in enumerate(steps):
            way = ("1+1", "3+2", "batch")[number % 3]
            made = {}
            where.write_text(" ".join(step).rstrip())
            for size in (30_000, 400_000, 9_000) if way == "batch" else (400_000,):
                one = report(size, spans=9, seed=number)
                made[await both.upload(one.marked)] = one.content
            # The gateway may die before its 202 is out; what it had accepted by then is carried all the same.
            with contextlib.suppress(httpx.TransportError):
                if way == "batch":
                    await both.dispatch_together(list(made))
                else:
                    channels: dict[str, Any] = {"secure_channels": 3, "plain_channels": 2} if way == "3+2" else {}
                    await both.dispatch(next(iter(made)), **channels)
            process = getattr(both, victim).process
            assert await asyncio.to_thread(process.wait, 30) == -9, step
            where.unlink()
            await _restart(both, victim, where)
            async with both.author as api:
                transfers = {
                    transfer["id"]: made[transfer["document_id"]]
                    for transfer in (await api.get("/transfers")).json()["items"]
                    if transfer["document_id"] in made
                }
            assert len(transfers) == len(made), step
            delivered += len(made)
            for transfer_id, content in transfers.items():
                ended = await both.ended(transfer_id)
                assert ended["state"] == "delivered", (step, ended)
                assert await both.download(transfer_id, "full") == content, step
            async with both.cleared as api:
                entries = [entry["transfer_id"] for entry in (await api.get("/inbox")).json()["items"]]
            assert all(entries.count(transfer_id) == 1 for transfer_id in transfers), step
            # And nothing is left that would try again.
            assert len(entries) == delivered, step


async def _restart(both: Pair, victim: str, where: Path) -> None:
    """Has it run with an end that `where` will name."""
    gateway = getattr(both, victim)
    await asyncio.to_thread(gateway.stop)
    command = (sys.executable, str(Path(__file__).with_name("crashing_gateway.py")), str(where))
    started = await asyncio.to_thread(again, gateway, both.folder, both.settings[victim], command=command)
    setattr(both, victim, started)
