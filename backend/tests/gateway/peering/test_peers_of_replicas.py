"""Peers that an admin changes at another replica, also if the message about it is lost: only the rows say so.

A replica whose copy is old delivers nothing of a removed peer, and reads the rows again until that succeeds.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from gateway.gates import gate
from gateway.two_gateways import Node, Pair, document, until
from gateway.ways import over
from sieve.gateway.clock import now_ns
from sieve.gateway.inbound.finalizer import Finalizer
from sieve.gateway.peering import peers as peering
from sieve.store.errors import DatabaseBusy
from sieve.store.queries import peers as queries

DOCUMENT = document(20_000, 3)


@pytest.fixture
def pair(pair_over_any: Pair) -> Pair:
    return pair_over_any


async def remove_alpha(bravo: Node) -> None:
    alpha = bravo.peers.by_name("alpha")
    assert alpha is not None
    async with bravo.database.write() as session:
        await queries.remove(session, alpha.id, now_ns())


async def retire_key(bravo: Node) -> None:
    alpha = bravo.peers.by_name("alpha")
    assert alpha is not None
    [pin] = alpha.pins
    async with bravo.database.write() as session:
        await queries.retire_pin(session, alpha.id, pin, now_ns())


@asynccontextmanager
async def following(node: Node, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setattr(peering, "FOLLOW_S", 0.01)
    task = asyncio.create_task(node.peers.follow())
    yield
    assert not task.done()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def counted(monkeypatch: pytest.MonkeyPatch, *, refused: int = 0) -> list[bool]:
    """Each reading of the peers from now on: whether it succeeded. The first ones do not."""
    real, readings = queries.known, list[bool]()

    async def known(session: Any) -> Any:
        readings.append(len(readings) >= refused)
        if not readings[-1]:
            raise DatabaseBusy("the database is busy")
        return await real(session)

    monkeypatch.setattr(queries, "known", known)
    return readings


@over("1+1")
async def test_a_peer_that_was_removed_elsewhere_is_cut_off_without_a_message(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    await pair.delivers(DOCUMENT)
    connections = pair.bravo.secure.server_state.connections
    assert connections
    await remove_alpha(pair.bravo)
    counted(monkeypatch, refused=2)
    async with following(pair.bravo, monkeypatch):
        await until(lambda: not pair.bravo.peers.all() and not connections)


@over("1+1")
async def test_rows_that_did_not_change_change_nothing(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    changes: list[bool] = []
    pair.bravo.peers.on_change.append(lambda: changes.append(True))
    readings = counted(monkeypatch)
    async with following(pair.bravo, monkeypatch):
        await until(lambda: len(readings) > 2)
    assert changes == []


@over("1+1")
async def test_others_hear_of_a_change_that_this_replica_cannot_read_yet(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[bool] = []
    pair.bravo.peers.tell = lambda: told.append(True)
    counted(monkeypatch, refused=1)
    with pytest.raises(DatabaseBusy):
        await pair.bravo.peers.remove("alpha", by="admin")
    assert told == [True]
    async with following(pair.bravo, monkeypatch):
        await until(lambda: not pair.bravo.peers.all())


@pytest.mark.parametrize("change", [remove_alpha, retire_key])
async def test_a_replica_with_an_old_copy_of_the_peers_delivers_nothing(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, change: Callable[[Node], Awaitable[None]]
) -> None:
    there, go_on = gate(monkeypatch, Finalizer, "commit")
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    await change(pair.bravo)
    go_on.set()
    waiting = await pair.alpha.becomes(transfer_id, lambda p: p.reason is not None)
    assert waiting.state == "queued" and "the pairing was removed, or this key of it retired" in (waiting.reason or "")
    assert await pair.bravo.entries(pair.bruno) == [] and await pair.bravo.documents() == 0
