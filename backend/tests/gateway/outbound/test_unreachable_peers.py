"""A peer that is down: what waits for it goes as soon as it is back, long before the next attempt is due."""

import asyncio
from dataclasses import replace
from pathlib import Path

from gateway.two_gateways import WORKER, Pair, document, paired, until
from sieve.store.queries import claiming

DOCUMENT = document(20_000, 2)
PATIENT = replace(WORKER, retry_first_s=86_400.0, retry_cap_s=86_400.0, breaker_after=1, breaker_open_s=86_400.0)
"""Without anybody noticing that the peer is back, nothing goes for a day."""


async def waiting(pair: Pair) -> str:
    """A transfer that waits for bravo, which is down."""
    await pair.bravo.stop()
    transfer_id = await pair.send(DOCUMENT)
    await pair.alpha.tried(transfer_id)
    row = await pair.alpha.row(transfer_id)
    assert row.state == "queued" and row.unreachable_since_ns is not None
    return transfer_id


async def test_a_greeting_finds_that_the_peer_is_back(tmp_path: Path, template: Path) -> None:
    settings = replace(PATIENT, greet_first_s=0.01, greet_cap_s=0.05)
    async with paired(tmp_path, template, alpha={"worker_settings": settings}) as pair:
        transfer_id = await waiting(pair)
        since_ns = (await pair.alpha.row(transfer_id)).unreachable_since_ns
        await pair.alpha.stop()
        # The gateway itself was restarted meanwhile, and did not forget for whom it waits.
        await pair.alpha.start()
        assert (await pair.alpha.row(transfer_id)).unreachable_since_ns == since_ns
        await pair.bravo.start()
        assert (await pair.alpha.ended(transfer_id)).state == "delivered"
        row = await pair.alpha.row(transfer_id)
        assert (row.attempt, row.unreachable_since_ns) == (2, None)
        assert not pair.alpha.worker.unreachable_peers.away, "nobody is greeted any more"


async def test_the_peers_own_call_is_enough(tmp_path: Path, template: Path) -> None:
    settings = replace(PATIENT, greet_first_s=0.01, greet_cap_s=86_400.0)
    async with paired(tmp_path, template, alpha={"worker_settings": settings}) as pair:
        [peer] = pair.alpha.peers.all()
        away = pair.alpha.worker.unreachable_peers
        away.pauses[peer.id] = 86_400.0
        transfer_id = await waiting(pair)
        await pair.bravo.start()
        assert away.away.keys() == {peer.id}
        await pair.bravo.links.to(pair.bravo.peers.all()[0]).hello()
        assert (await pair.alpha.ended(transfer_id)).state == "delivered"


async def test_nobody_is_greeted_for_nothing(tmp_path: Path, template: Path) -> None:
    settings = replace(PATIENT, greet_first_s=0.01, greet_cap_s=0.05)
    async with paired(tmp_path, template, alpha={"worker_settings": settings}) as pair:
        transfer_id = await waiting(pair)
        async with pair.alpha.database.read() as session:
            assert await claiming.unreachable_peers(session) == {pair.alpha.peers.all()[0].id}
        await pair.alpha.transfer_queue.cancel(pair.anna, transfer_id)
        await until(lambda: not pair.alpha.worker.unreachable_peers.away)


async def test_a_peer_that_answers_only_greetings_gets_attempts_with_growing_pauses(
    tmp_path: Path, template: Path
) -> None:
    async with paired(tmp_path, template) as pair:
        [peer] = pair.alpha.peers.all()
        away = replace(pair.alpha.worker.unreachable_peers, first_s=0.001, cap_s=4.0)
        running = asyncio.create_task(away.run())
        await asyncio.sleep(0)
        for pauses in (0.002, 0.004, 0.008):
            away.noticed(peer.id, reached=False)
            await until(lambda: not away.away)
            assert away.pauses[peer.id] == pauses
        away.noticed(peer.id, reached=True)
        assert not away.pauses
        running.cancel()
