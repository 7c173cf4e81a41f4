"""Somebody on the plain channel's path flips, cuts, repeats, reorders, delays, swallows and answers falsely.

Each trial is one document, several at once, through one kept-up pair of gateways and one such proxy: it ends delivered
with the very bytes, or failed with a reason. Every third exchange is a batch, and every other goes over three and two
channels: what is broken then is several documents' at once. `SIEVE_TRIALS` says how many (`make soak`: 5,000).
"""

import asyncio
import os
import random
from collections.abc import Iterator, Sequence
from itertools import count, islice
from pathlib import Path

from stories.documents import report
from stories.pair import Pair, pair
from stories.proxies import Hostile, Proxy

# With 50, each size has been at each place of an exchange, over one channel and over several.
TRIALS = int(os.environ.get("SIEVE_TRIALS", "50"))
AT_ONCE = 6
SIZES = (0, 50, 5_000, 70_000, 400_000)
SEVERAL = {"secure_channels": 3, "plain_channels": 2}


def exchanges() -> Iterator[Sequence[int]]:
    """The trials, by those that go together."""
    trials = iter(range(TRIALS))
    for number in count():
        together = list(islice(trials, 3 if number % 3 == 2 else 1))
        if not together:
            return
        yield together


async def test_every_trial_ends_intact_or_failed_clearly(tmp_path: Path) -> None:
    hostile = Hostile(random.Random(0), calm=False)
    at_once = asyncio.Semaphore(AT_ONCE)
    async with (
        Proxy(hostile.pump).serving() as proxy,
        pair(tmp_path, bravo_settings={"SIEVE_PLAIN_URL": f"http://{proxy.address}"}) as both,
    ):
        proxy.upstream = both.bravo.listeners["plain"]

        async def exchange(number: int, trials: Sequence[int]) -> int:
            async with at_once:
                # Every size is sent alone in one round of five trials and in a batch in another.
                sizes = [SIZES[(trial + trial // 5) % 5] for trial in trials]
                made = [report(size, spans=trial % 4, seed=trial) for size, trial in zip(sizes, trials, strict=True)]
                channels = SEVERAL if number % 2 else {}
                delivered = 0
                sent = await both.send_all([each.marked for each in made], "sieve", **channels)
                for trial, each, (transfer_id, ended) in zip(trials, made, sent, strict=True):
                    assert ended["state"] in ("delivered", "failed"), (trial, ended)
                    if ended["state"] == "failed":
                        assert ended["reason"], trial
                        continue
                    assert await both.download(transfer_id, "full") == each.content, trial
                    delivered += 1
                return delivered

        delivered = sum(await asyncio.gather(*(exchange(*numbered) for numbered in enumerate(exchanges()))))
        entries = await _inbox(both)
    assert len(entries) == len(set(entries))
    # The secure channel was never touched, so nothing keeps a document from arriving.
    assert delivered == TRIALS
    assert set(hostile.actions) >= {
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
