"""Whole transfers whose author cancels them at every moment, also right before a crash.

A transfer that is cancelled too late is delivered; of a batch, the others arrive."""

import json
from dataclasses import replace
from typing import Any

import pytest

from gateway.gates import gate
from gateway.two_gateways import (
    WORKER,
    Pair,
    document,
    until,
)
from sieve.gateway.errors import Conflict, NotFound
from sieve.gateway.inbound.finalizer import Finalizer
from sieve.gateway.outbound.outcome_recorder import OutcomeRecorder
from sieve.gateway.outbound.sending import Sending
from sieve.gateway.peering.links import Link
from sieve.store.queries import outbox

DOCUMENT = document(200_000, 3)


@pytest.fixture
def pair(pair_over_any: Pair) -> Pair:
    return pair_over_any


async def test_cancelled_while_it_waits(pair: Pair) -> None:
    await pair.bravo.stop()
    pair.alpha.worker.settings = replace(WORKER, retry_first_s=100, retry_cap_s=100)
    transfer_id = await pair.send(DOCUMENT)
    await pair.alpha.tried(transfer_id)
    await pair.alpha.transfer_queue.cancel(pair.anna, transfer_id)
    assert (await pair.alpha.ended(transfer_id)).state == "cancelled"
    assert await pair.alpha.causes(transfer_id) == ["unreachable", "cancelled"]
    assert await pair.alpha.left(transfer_id) == [(0, 0)]
    with pytest.raises(Conflict, match="the transfer is cancelled; it cannot be cancelled any more"):
        await pair.alpha.transfer_queue.cancel(pair.anna, transfer_id)
    with pytest.raises(NotFound):
        await pair.alpha.transfer_queue.cancel(await pair.alpha.person("other", author=True), transfer_id)


async def test_cancelled_while_it_is_sent(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    there, go_on = gate(monkeypatch, Link, "put_plain")
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    await pair.alpha.transfer_queue.cancel(pair.anna, transfer_id)
    # The sender asks the peer to give up the attempt, which does not wait for its own timeout.
    await until(lambda: transfer_id not in pair.bravo.attempts.under_way)
    if pair.way.documents > 1:
        assert pair.bravo.attempts.under_way, "the others go on"
        go_on.set()
    assert (await pair.alpha.ended(transfer_id)).state == "cancelled"
    await pair.companions_arrived(transfer_id)
    await until(lambda: not pair.alpha.worker.running and not pair.bravo.attempts.under_way)
    assert await pair.bravo.documents() == pair.way.documents - 1
    assert transfer_id not in await pair.bravo.entries(pair.bruno)
    assert (await pair.alpha.row(transfer_id)).state == "cancelled"
    assert await pair.alpha.causes(transfer_id) == ["cancelled"]
    [(secure, plain)] = await pair.alpha.left(transfer_id)
    assert secure is not None
    assert plain == 0 or pair.way.documents > 1, "no chunk left; with others, its chunks go on with theirs"


async def test_cancelled_too_late_it_is_delivered(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every byte was sent, and the peer was committing the document."""
    there, go_on = gate(monkeypatch, Finalizer, "commit")
    deaf: list[dict[str, Any]] = []
    # The answer is lost only after the peer sent it.
    monkeypatch.setattr(Sending, "hear", lambda _self, answer: deaf.append(answer))
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    await pair.alpha.transfer_queue.cancel(pair.anna, transfer_id)
    go_on.set()
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    assert await pair.alpha.causes(transfer_id) == [""]
    await pair.arrived(transfer_id, DOCUMENT)


async def test_cancelled_between_two_attempts_it_is_not_tried_again(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The author cancels after the attempt failed, and before its outcome is stored."""
    await pair.bravo.stop()
    there, go_on = gate(monkeypatch, OutcomeRecorder, "record")
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    await pair.alpha.transfer_queue.cancel(pair.anna, transfer_id)
    go_on.set()
    assert (await pair.alpha.ended(transfer_id)).state == "cancelled"
    assert (await pair.alpha.row(transfer_id)).attempt == 1
    assert await pair.alpha.causes(transfer_id) == ["cancelled"]


async def test_cancelled_right_before_a_crash_it_is_not_sent_after_it(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, _ = gate(monkeypatch, Link, "put_plain")
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    async with pair.alpha.database.write() as session:
        assert not await outbox.cancel(session, transfer_id, 1)
    await pair.alpha.stop()
    monkeypatch.undo()
    await pair.alpha.start()
    assert (await pair.alpha.ended(transfer_id)).state == "cancelled"
    assert (await pair.alpha.row(transfer_id)).attempt == 2
    assert await pair.alpha.causes(transfer_id) == ["interrupted", "cancelled"]
    assert transfer_id not in await pair.bravo.entries(pair.bruno)
    await pair.companions_arrived(transfer_id)


@pytest.mark.parametrize("heard", [True, False], ids=["its message arrives", "its message is lost"])
async def test_cancelled_at_another_replica_while_it_is_sent(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, heard: bool
) -> None:
    there, go_on = gate(monkeypatch, Link, "put_plain")
    pair.alpha.worker.settings = replace(WORKER, lease_s=100.0 if heard else 1.0)
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    await cancel_elsewhere(pair, transfer_id)
    leased_ns = (await pair.alpha.row(transfer_id)).lease_until_ns or 0
    if heard:
        pair.alpha.gateway.replicas.heard(json.dumps(["cancelled", transfer_id]))

    async def cancelled_or_renewed() -> bool:
        row = await pair.alpha.row(transfer_id)
        return row.state != "sending" or (row.lease_until_ns or 0) > leased_ns + 500_000_000

    await until(cancelled_or_renewed)
    go_on.set()
    assert (await pair.alpha.ended(transfer_id)).state == "cancelled"
    assert transfer_id not in await pair.bravo.entries(pair.bruno)
    await pair.companions_arrived(transfer_id)


async def test_cancelled_too_late_at_another_replica_it_is_delivered(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The renewal of the lease finds the wish, and that the peer has every byte."""
    there, go_on = gate(monkeypatch, Finalizer, "commit")
    pair.alpha.worker.settings = replace(WORKER, lease_s=1.0)
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    await cancel_elsewhere(pair, transfer_id)

    async def withdrawn() -> bool:
        return not (await pair.alpha.row(transfer_id)).cancel_requested

    await until(withdrawn)
    go_on.set()
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    await pair.arrived(transfer_id, DOCUMENT)


async def cancel_elsewhere(pair: Pair, transfer_id: str) -> None:
    """As another replica does: only the row says so."""
    async with pair.alpha.database.write() as session:
        assert not await outbox.cancel(session, transfer_id, 1)
