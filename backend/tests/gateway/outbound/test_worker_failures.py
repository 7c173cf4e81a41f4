"""Whole transfers when the peer has no room, or the sender's worker is in trouble.

Each ends delivered once, or with a reason that its author can read, and no file is left over. Each test runs over every
way, except where nothing is sent or where the test looks at the worker before it knows what it carries."""

import asyncio
import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gateway.gates import gate
from gateway.two_gateways import (
    PATIENCE_S,
    RECEIVING,
    WORKER,
    Pair,
    document,
    paired,
    until,
)
from gateway.ways import Way, over
from sieve.core.sentence import Sentence
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import Conflict, UnknownRecipient
from sieve.gateway.inbound.finalizer import Finalizer
from sieve.gateway.outbound.sending import Sending
from sieve.gateway.peering.links import Link
from sieve.store.models import Transfer
from sieve.store.queries import attempt_outcomes, claiming

DOCUMENT = document(200_000, 3)


@pytest.fixture
def pair(pair_over_any: Pair) -> Pair:
    return pair_over_any


async def test_a_full_destination_is_waited_for(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its author reads that the peer's disk is full, and the next attempt leaves time to make room."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(
        pair.alpha.worker, "settings", replace(WORKER, retry_first_s=0.001, retry_cap_s=3600, full_disk_s=1000)
    )
    with monkeypatch.context() as disk:
        disk.setattr(os, "posix_fallocate", full)
        transfer_id = await pair.send(DOCUMENT, deadline_s=7200)
        waiting = await pair.alpha.tried(transfer_id)
        assert (waiting.state, waiting.reason) == (
            "queued",
            "bravo has no room: its disk is full; an admin of bravo must make room",
        )
        assert waiting.next_try_at_ns is not None
        assert waiting.next_try_at_ns > now_ns() + 400 * 10**9
        companions = [companion for companion, _ in pair.companions[transfer_id]]
        for companion in companions:
            await pair.alpha.tried(companion)
    for each in (transfer_id, *companions):
        await pair.alpha.transfer_queue.requeue(pair.anna, each)
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    assert await pair.alpha.causes(transfer_id) == ["peer-full", ""]
    await pair.arrived(transfer_id, DOCUMENT)
    assert await pair.bravo.documents() == pair.way.documents


@over("1+1", "batch")
async def test_a_quota_that_is_used_up(tmp_path: Path, template: Path, way: Way) -> None:
    tight = replace(RECEIVING, quota=100_000)
    async with paired(tmp_path, template, bravo={"receiving_settings": tight}) as pair:
        pair.way = way
        transfer_id = await pair.send(DOCUMENT)
        waiting = await pair.alpha.tried(transfer_id)
        assert waiting.state == "queued" and waiting.reason is not None and "quota" in waiting.reason
        assert await pair.alpha.causes(transfer_id) == ["peer-busy"]
        await pair.companions_arrived(transfer_id)


@over("1+1", "batch")
async def test_a_document_that_is_too_large_for_the_peer_fails_for_good(
    tmp_path: Path, template: Path, way: Way
) -> None:
    small = replace(RECEIVING, limits=replace(RECEIVING.limits, max_document_size=100_000))
    async with paired(tmp_path, template, bravo={"receiving_settings": small}) as pair:
        pair.way = way
        transfer_id = await pair.send(DOCUMENT)
        ended = await pair.alpha.ended(transfer_id)
        assert ended.state == "failed"
        assert await pair.alpha.causes(transfer_id) == ["peer-refused"]
        assert ended.reason == "the document has 200,000 bytes; bravo takes at most 100,000"
        await pair.companions_arrived(transfer_id)


async def test_an_unknown_recipient_is_refused_before_anything_is_sent(pair: Pair) -> None:
    with pytest.raises(UnknownRecipient, match="nobody named nobody can receive at bravo"):
        await pair.send(DOCUMENT, to="nobody")
    assert await pair.alpha.documents() == pair.way.documents  # the documents themselves
    assert pair.bravo.files() == 0


async def test_also_if_the_peer_could_not_be_asked_at_first(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    await pair.bravo.stop()
    transfer_id = await pair.send(DOCUMENT, to="nobody")
    await pair.alpha.tried(transfer_id)
    sent: list[object] = []
    monkeypatch.setattr(Link, "put_plain", lambda *arguments, **_: sent.append(arguments))
    await pair.bravo.start()
    ended = await pair.alpha.ended(transfer_id)
    assert (ended.state, ended.reason) == ("failed", "nobody named nobody can receive at bravo")
    assert isinstance(ended.reason, Sentence)  # with the code from which the interface says it in other languages
    assert await pair.alpha.causes(transfer_id) == ["unreachable", "unknown-recipient"]
    assert not sent and pair.bravo.files() == 0


async def test_once_the_peer_has_every_byte_it_is_said_so(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    there, go_on = gate(monkeypatch, Finalizer, "commit")
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    await pair.alpha.becomes(transfer_id, lambda p: p.verified)
    with pytest.raises(Conflict, match="the peer has every byte already"):
        await pair.alpha.transfer_queue.cancel(pair.anna, transfer_id)
    assert not (await pair.alpha.row(transfer_id)).cancel_requested, "a broken link would end it as cancelled"
    go_on.set()
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"


async def failing(pair: Pair, after: int) -> tuple[str, Transfer]:
    """A transfer of which `after` attempts have failed."""
    transfer_id = await pair.send(DOCUMENT)

    async def tried_often() -> bool:
        return (await pair.alpha.row(transfer_id)).fruitless_tries >= after

    await until(tried_often)
    return transfer_id, await pair.alpha.row(transfer_id)


async def test_after_failures_in_a_row_the_breaker_opens_for_the_peer(tmp_path: Path, template: Path) -> None:
    settings = replace(WORKER, breaker_after=2, breaker_open_s=100, retry_cap_s=100, retry_first_s=0.01)
    async with paired(tmp_path, template, alpha={"worker_settings": settings}) as pair:
        await pair.bravo.stop()
        transfer_id, row = await failing(pair, 2)
        second = await pair.send(DOCUMENT)
        async with pair.alpha.database.read() as session:
            breaker = await attempt_outcomes.breaker(session, row.peer_id)
        assert breaker is not None and breaker.failures == 2 and breaker.open_until_ns is not None
        assert (await pair.alpha.row(second)).attempt == 0
        await pair.bravo.start()
        await pair.alpha.transfer_queue.requeue(pair.anna, transfer_id)  # a person's wish counts more than a breaker
        assert (await pair.alpha.ended(transfer_id)).state == "delivered"
        assert (await pair.alpha.ended(second)).state == "delivered"  # and its success closes it
        async with pair.alpha.database.read() as session:
            assert await attempt_outcomes.breaker(session, row.peer_id) is None


async def test_a_lost_lease_ends_the_attempt_and_writes_nothing(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    there, go_on = gate(monkeypatch, Link, "put_plain")
    monkeypatch.setattr(pair.alpha.worker, "settings", replace(WORKER, lease_s=1.0))
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    async with pair.alpha.database.write() as session:
        row = await session.get_one(Transfer, transfer_id)
        row.lease_token, row.lease_until_ns = "another's", 2**62
    if pair.way.documents > 1:
        await until(lambda: transfer_id not in pair.bravo.attempts.under_way)
        go_on.set()
        await pair.companions_arrived(transfer_id)
    await until(lambda: not pair.alpha.worker.running)
    row = await pair.alpha.row(transfer_id)
    assert (row.state, row.lease_token) == ("sending", "another's")
    go_on.set()


async def test_a_lease_is_kept_while_the_attempt_lasts(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    there, go_on = gate(monkeypatch, Link, "put_plain")
    monkeypatch.setattr(pair.alpha.worker, "settings", replace(WORKER, lease_s=1.0))
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    first = (await pair.alpha.row(transfer_id)).lease_until_ns
    assert first is not None

    async def renewed_twice() -> bool:
        return ((await pair.alpha.row(transfer_id)).lease_until_ns or 0) > first + 500_000_000

    await until(renewed_twice)
    go_on.set()
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    assert (await pair.alpha.row(transfer_id)).attempt == 1


async def test_a_database_that_is_busy_does_not_end_the_worker_nor_cost_a_second_sending(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = attempt_outcomes.record
    refusals = 0

    async def busy(*arguments: Any, **more: Any) -> set[str]:
        nonlocal refusals
        refusals += 1
        if refusals <= 2:
            raise OSError("database is locked")
        return await real(*arguments, **more)

    monkeypatch.setattr(attempt_outcomes, "record", busy)
    transfer_id = await pair.send(DOCUMENT)
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    assert refusals == 3 and (await pair.alpha.row(transfer_id)).attempt == 1


@over("1+1")
async def test_an_outbox_that_cannot_be_claimed_from_is_not_asked_in_a_tight_loop(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = 0
    real = claiming.due

    async def full(*arguments: Any, **more: Any) -> Any:
        nonlocal tries
        tries += 1
        if asyncio.get_running_loop().time() < ends_s:
            raise OSError("disk is full")
        return await real(*arguments, **more)

    ends_s = asyncio.get_running_loop().time() + 0.5
    monkeypatch.setattr(claiming, "due", full)
    transfer_id = await pair.send(DOCUMENT)
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    # A tight loop would ask thousands of times; how often the floor lets it depends on the machine.
    assert tries <= 50


async def test_a_defect_is_logged_shown_and_tried_again(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(Sending, "run", lambda _self: 1 / 0)
        transfer_id = await pair.send(DOCUMENT)
        waiting = await pair.alpha.tried(transfer_id)
        assert waiting.reason == "this gateway failed while sending; its log says why"
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    assert await pair.alpha.causes(transfer_id) == ["other", ""]


@over("1+1")
async def test_a_worker_stops_when_asked_even_as_something_becomes_due(pair: Pair) -> None:
    """A cancellation that met a wake-up was forgotten, and the gateway never ended."""
    for _ in range(20):
        running = asyncio.create_task(pair.alpha.worker.run())
        # Time to come to where it waits. One that is not there yet has to end all the same.
        await asyncio.sleep(0.01)
        pair.alpha.worker.wake()
        running.cancel()
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(running, return_exceptions=True)


async def test_stopping_within_a_transfer_and_going_on_after(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    there, _ = gate(monkeypatch, Link, "put_plain")
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    await pair.alpha.stop()
    monkeypatch.undo()
    await pair.alpha.start()
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    assert await pair.alpha.causes(transfer_id) == ["interrupted", ""]
    await pair.arrived(transfer_id, DOCUMENT)
    await until(lambda: not pair.bravo.attempts.under_way)
    assert await pair.bravo.documents() == pair.way.documents


async def test_many_at_once_each_arrive_once(pair: Pair) -> None:
    documents = [document(20_000 + i, 2) for i in range(20 // pair.way.documents)]
    ids = [await pair.send(what, "sieve" if i % 2 else "secure-only") for i, what in enumerate(documents)]
    for transfer_id, what in zip(ids, documents, strict=True):
        assert (await pair.alpha.ended(transfer_id)).state == "delivered"
        await pair.arrived(transfer_id, what)
    await until(lambda: not pair.bravo.attempts.under_way)
    assert await pair.bravo.documents() == len(ids) * pair.way.documents
