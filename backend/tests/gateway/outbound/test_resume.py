"""Broken transfers go on from what the peer holds: over a link that is cut again and again, across restarts of either
gateway, and whatever became of what was kept.
"""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from gateway.by_hand import partials, under_way
from gateway.two_gateways import WORKER, Pair, document, paired, until
from sieve.channel.attempt import Plan
from sieve.core.document import Document
from sieve.gateway.peering.hello import Hello
from sieve.store.models import Peer
from sieve.store.queries.conditional_update import update_where
from stories.proxies import Cutting, Proxy

MIB = 1024 * 1024


class Broken:
    """A pair whose link goes over proxies that can be cut."""

    def __init__(self, pair: Pair, link: Cutting) -> None:
        self.pair, self.link = pair, link


@pytest.fixture
async def broken(tmp_path: Path, template: Path) -> AsyncIterator[Broken]:
    link = Cutting(every=1 << 60)
    async with AsyncExitStack() as stack:
        secure = await stack.enter_async_context(Proxy(link.pump).serving())
        plain = await stack.enter_async_context(Proxy(link.pump).serving())
        bravo = {"plain_url": f"http://{plain.address}", "child": True}
        pair = await stack.enter_async_context(paired(tmp_path, template, bravo=bravo))
        secure.upstream, plain.upstream = pair.bravo.addresses["secure"], pair.bravo.addresses["plain"]
        async with pair.alpha.database.write() as session:
            await update_where(session, Peer, Peer.name == "bravo", secure_url=f"https://{secure.address}")
        await pair.alpha.peers.load()
        yield Broken(pair, link)


def big(size: int = 12 * MIB, spans: int = 3, spare: int = MIB) -> Document:
    return document(size, spans, spare)


@pytest.mark.parametrize(
    "plan",
    [
        Plan("sieve", 3, 2),
        Plan("secure-only"),
        *(pytest.param(plan, marks=pytest.mark.soak) for plan in (Plan("sieve"), Plan("secure-only", 2))),
    ],
    ids=str,
)
async def test_over_a_link_that_breaks_again_and_again(broken: Broken, plan: Plan) -> None:
    sent = big(12 * MIB, 4, 2 * MIB)
    broken.link.every = 3 * MIB
    transfer_id = await broken.pair.send(sent, plan)
    ended = await broken.pair.alpha.ended(transfer_id)
    assert ended.state == "delivered", ended
    await broken.pair.arrived(transfer_id, sent)
    # Each cut costs what was under way: chunks of 1 or 2 MiB, half-filled segments, and the sockets' buffers.
    assert broken.link.cuts >= 3 and broken.link.sent < sent.size + broken.link.cuts * 4 * MIB
    row = await broken.pair.alpha.row(transfer_id)
    assert row.fruitless_tries <= 2 and row.peer_holds > 0, "who gets on is not made to wait"
    assert row.plan is not None and 0 < json.loads(row.plan)["held_before"] < sent.size
    assert await broken.pair.bravo.documents() == 1
    assert await partials(broken.pair) == []


async def test_a_research_split_starts_over(broken: Broken) -> None:
    sent = big()
    broken.link.every, broken.link.cuts_left = 8 * MIB, 1
    transfer_id = await broken.pair.send(sent, Plan("sieve", 2, 2, "es"))
    assert (await broken.pair.alpha.ended(transfer_id)).state == "delivered"
    await broken.pair.arrived(transfer_id, sent)
    assert broken.link.sent > sent.size + 7 * MIB
    assert await broken.pair.bravo.documents() == 1, "and what was kept is gone"


async def test_a_peer_that_does_not_resume_gets_it_all(broken: Broken, monkeypatch: pytest.MonkeyPatch) -> None:
    of = Hello.of
    monkeypatch.setattr(Hello, "of", lambda said: replace(of(said), resumes=False))
    sent = big()
    broken.link.every, broken.link.cuts_left = 8 * MIB, 1
    transfer_id = await broken.pair.send(sent)
    assert (await broken.pair.alpha.ended(transfer_id)).state == "delivered"
    assert broken.link.sent > sent.size + 7 * MIB


async def test_after_a_restart_of_either(broken: Broken) -> None:
    pair, link, sent = broken.pair, broken.link, big(16 * MIB)
    for restarted in ((pair.bravo,), (pair.alpha,), (pair.alpha, pair.bravo)):
        link.sent = link.since = 0
        link.every, link.cuts_left = 10 * MIB, link.cuts + 1
        # It waits for its next try while they are restarted.
        pair.alpha.worker_settings = replace(WORKER, retry_first_s=1.0, retry_cap_s=1.0)
        pair.alpha.worker.settings = pair.alpha.worker_settings
        transfer_id = await pair.send(sent)
        await pair.alpha.tried(transfer_id)
        await until(lambda: under_way(pair) == 0)
        for node in restarted:
            await node.stop()
            await node.start()
        assert len(await partials(pair)) == 1
        assert (await pair.alpha.ended(transfer_id)).state == "delivered"
        await pair.arrived(transfer_id, sent)
        # Up to four chunks of 2 MiB were on their way. To start over would take 10 MiB more.
        assert link.sent < sent.size + 8 * MIB
    assert await partials(pair) == []
