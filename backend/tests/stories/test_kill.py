"""`kill -9` of either gateway at any named step of a transfer ends, after its restart, in exactly one delivery."""

import asyncio
import contextlib
import sys
from pathlib import Path

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
        for number, step in enumerate(steps):
            made = report(400_000, spans=9, seed=number)
            await _restart(both, victim, crash_at=step)
            document_id = await both.upload(made.marked)
            # The gateway may die before its 202 is out; what it had accepted by then is carried all the same.
            with contextlib.suppress(httpx.TransportError):
                await both.dispatch(document_id)
            process = getattr(both, victim).process
            assert await asyncio.to_thread(process.wait, 30) == -9, step
            await _restart(both, victim)
            async with both.author as api:
                [transfer_id] = [
                    transfer["id"]
                    for transfer in (await api.get("/transfers")).json()["items"]
                    if transfer["document_id"] == document_id
                ]
            ended = await both.ended(transfer_id)
            assert ended["state"] == "delivered", (step, ended)
            assert await both.download(transfer_id, "full") == made.content, step
            async with both.cleared as api:
                entries = (await api.get("/inbox")).json()["items"]
            assert [entry["transfer_id"] for entry in entries].count(transfer_id) == 1, step
            # And nothing is left that would try again.
            assert len(entries) == number + 1, step


async def _restart(both: Pair, victim: str, crash_at: tuple[str, str] | None = None) -> None:
    gateway = getattr(both, victim)
    await asyncio.to_thread(gateway.stop)
    crashing = str(Path(__file__).with_name("crashing_gateway.py"))
    more = {"command": (sys.executable, crashing, *crash_at)} if crash_at else {}
    setattr(both, victim, await asyncio.to_thread(again, gateway, both.folder, both.settings[victim], **more))
