"""Somebody on the plain channel's path flips, cuts, repeats, reorders, delays, swallows and answers falsely.

Each trial is one document, several at once, through one kept-up pair of gateways and one such proxy: it ends delivered
with the very bytes, or failed with a reason. `SIEVE_TRIALS` says how many (`make soak`: 5,000).
"""

import asyncio
import os
import random
from pathlib import Path

from stories.documents import report
from stories.pair import Pair, pair
from stories.proxies import Hostile, Proxy

TRIALS = int(os.environ.get("SIEVE_TRIALS", "200"))
AT_ONCE = 6
SIZES = (0, 50, 5_000, 70_000, 400_000)


async def test_every_trial_ends_intact_or_failed_clearly(tmp_path: Path) -> None:
    hostile = Hostile(random.Random(0), calm=False)
    at_once = asyncio.Semaphore(AT_ONCE)
    async with (
        Proxy(hostile.pump).serving() as proxy,
        pair(tmp_path, bravo_settings={"SIEVE_PLAIN_URL": f"http://{proxy.address}"}) as both,
    ):
        proxy.upstream = both.bravo.listeners["plain"]

        async def one(trial: int) -> bool:
            async with at_once:
                made = report(SIZES[trial % len(SIZES)], spans=trial % 4, seed=trial)
                channels = {"secure_channels": 3, "plain_channels": 2} if trial % 2 else {}
                transfer_id, ended = await both.send(made.marked, "sieve", **channels)
                assert ended["state"] in ("delivered", "failed"), (trial, ended)
                if ended["state"] == "failed":
                    assert ended["reason"], trial
                    return False
                assert await both.download(transfer_id, "full") == made.content, trial
                return True

        delivered = sum(await asyncio.gather(*map(one, range(TRIALS))))
        entries = await _inbox(both)
    assert len(entries) == len(set(entries))
    # The secure channel was never touched, so nothing keeps a document from arriving.
    assert delivered == TRIALS
    assert set(hostile.deeds) >= {
        "flip",
        "cut",
        "repeat",
        "reorder",
        "delay",
        "answer",
        "redirect",
        "nonsense",
        "swallow",
    }


async def _inbox(both: Pair) -> list[str]:
    """The transfer ids of every entry, page by page."""
    entries: list[str] = []
    after = None
    async with both.cleared as api:
        while True:
            page = (await api.get("/inbox", params={"limit": 200} | ({"after": after} if after else {}))).json()
            entries += [entry["transfer_id"] for entry in page["items"]]
            after = page["next"]
            if after is None:
                return entries
