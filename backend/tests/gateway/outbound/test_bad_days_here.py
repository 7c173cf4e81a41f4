"""Whole transfers when there is no room, the author changes their mind, or the worker itself is in trouble.

Each ends delivered once, or with a reason that its author can read, and nothing is left lying about. Told over every
way but where nothing leaves, or the worker is looked at before it knows what it carries. What befalls one document of a
batch befalls it alone: its companions arrive."""

import asyncio
import errno
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from gateway.gates import gate
from gateway.two_gateways import (
    RECEIVING,
    WORKER,
    Pair,
    document,
    paired,
    until,
)
from gateway.ways import WAYS, Way, over
from sieve.channel.attempt import Plan
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import Conflict, NotFound, UnknownRecipient
from sieve.gateway.inbound.finalizer import Finalizer
from sieve.gateway.outbound.outcome_recorder import OutcomeRecorder
from sieve.gateway.outbound.sending import Sending
from sieve.gateway.peering.links import Link
from sieve.gateway.stored_document import StoredDocument
from sieve.store.blobs import BlobDamaged
from sieve.store.errors import MasterKeyMissing
from sieve.store.master_keys import MasterKeys
from sieve.store.models import Transfer
from sieve.store.queries import attempt_outcomes, claiming, outbox

DOCUMENT = document(200_000, 3)
LONG_AGO = datetime.now(UTC) - timedelta(days=500)


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
        assert ended.reason == "the document has 200000 bytes; bravo takes at most 100000"
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
    assert await pair.alpha.causes(transfer_id) == ["unreachable", "unknown-recipient"]
    assert not sent and pair.bravo.files() == 0


async def test_cancelled_while_it_waits(pair: Pair) -> None:
    await pair.bravo.stop()
    pair.alpha.worker.settings = replace(WORKER, retry_first_s=100, retry_cap_s=100)
    transfer_id = await pair.send(DOCUMENT)
    await pair.alpha.tried(transfer_id)
    await pair.alpha.transfer_queue.cancel(pair.anna, transfer_id)
    assert (await pair.alpha.ended(transfer_id)).state == "cancelled"
    assert await pair.alpha.causes(transfer_id) == ["unreachable", "cancelled"]
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
    await until(lambda: not pair.alpha.worker._running and not pair.bravo.attempts.under_way)
    assert await pair.bravo.documents() == pair.way.documents - 1
    assert transfer_id not in await pair.bravo.entries(pair.bruno)
    assert (await pair.alpha.row(transfer_id)).state == "cancelled"
    assert await pair.alpha.causes(transfer_id) == ["cancelled"]


async def test_cancelled_too_late_it_is_delivered(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every byte was sent, and the peer was committing the document."""
    there, go_on = gate(monkeypatch, Finalizer, "commit")
    deaf: list[dict[str, Any]] = []
    monkeypatch.setattr(Sending, "_hear", lambda _self, answer: deaf.append(answer))
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    await pair.alpha.transfer_queue.cancel(pair.anna, transfer_id)
    go_on.set()
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    assert await pair.alpha.causes(transfer_id) == [""]
    await pair.arrived(transfer_id, DOCUMENT)


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


async def test_cancelled_between_two_attempts_it_is_not_tried_again(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The author cancels after the attempt failed, and before its outcome is stored."""
    await pair.bravo.stop()
    there, go_on = gate(monkeypatch, OutcomeRecorder, "_write")
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
    await until(lambda: not pair.alpha.worker._running)
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


async def test_a_defect_is_logged_told_and_tried_again(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(Sending, "run", lambda _self: 1 / 0)
        transfer_id = await pair.send(DOCUMENT)
        waiting = await pair.alpha.tried(transfer_id)
        assert waiting.reason == "this gateway failed while sending; its log says why"
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    assert await pair.alpha.causes(transfer_id) == ["other", ""]


@over("1+1")
@pytest.mark.parametrize("mode", ["sieve", "secure-only"])
async def test_a_damaged_document_fails_for_good(pair: Pair, mode: Any) -> None:
    document_id = await pair.alpha.keep(DOCUMENT, pair.anna)
    for path in (pair.alpha.folder / "blobs").rglob("*"):
        if path.is_file() and path.stat().st_size < 10_000:  # the sealed one
            damaged = bytearray(path.read_bytes())
            damaged[10] ^= 1
            path.write_bytes(damaged)
    with pytest.raises(BlobDamaged):  # the author hears it at once, for the manifest needs the spans
        await pair.alpha.transfer_queue.send(pair.anna, [document_id], "bravo", ["bruno"], Plan(mode))


async def test_a_document_that_is_damaged_after_it_was_queued(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    await pair.bravo.stop()
    transfer_id = await pair.send(DOCUMENT)
    for path in (pair.alpha.folder / "blobs").rglob("*"):
        if path.is_file() and path.stat().st_size == 200_000 - 3000:  # the plain one
            path.unlink()
    await pair.bravo.start()
    ended = await pair.alpha.ended(transfer_id)
    assert ended.state == "failed"
    assert (await pair.alpha.causes(transfer_id))[-1] == "stored-data"
    assert ended.reason == "the stored document cannot be read: a stored file is missing; restore it from a backup"
    await pair.companions_arrived(transfer_id)


@pytest.mark.parametrize(
    "read", ["read_classified", "read_plain", "spans"], ids=["classified", "plain", "before anything is sent"]
)
async def test_a_disk_here_that_fails_is_told_as_such_and_not_held_against_the_peer(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, read: str
) -> None:
    real = getattr(StoredDocument, read)

    def failing(stored: StoredDocument, *arguments: int) -> Any:
        if stored.size == DOCUMENT.size:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real.func(stored) if read == "spans" else real(stored, *arguments)

    await pair.bravo.stop()
    transfer_id = await pair.send(DOCUMENT)
    await pair.alpha.tried(transfer_id)
    with monkeypatch.context() as disk:
        disk.setattr(StoredDocument, read, property(failing) if read == "spans" else failing)
        await pair.bravo.start()
        waiting = await pair.alpha.becomes(transfer_id, lambda p: "stored document" in (p.reason or ""))
        row = await pair.alpha.row(transfer_id)
        async with pair.alpha.database.read() as session:
            breaker = await attempt_outcomes.breaker(session, row.peer_id)
    assert waiting.reason == "the stored document cannot be read right now: Input/output error"
    assert waiting.state == "queued" and waiting.next_try_at_ns is not None
    assert breaker is None
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    assert await pair.alpha.causes(transfer_id) == ["unreachable", "stored-data", ""]
    await pair.arrived(transfer_id, DOCUMENT)


@over("1+1", "batch")
async def test_without_its_master_key_a_transfer_waits_and_goes_on_when_the_key_is_back(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    await pair.bravo.stop()
    transfer_id = await pair.send(DOCUMENT)
    await pair.alpha.tried(transfer_id)
    ours, others = pair.alpha.blobs.keys, MasterKeys([b"\7" * 32])
    said = f"the stored document cannot be read: the master key {ours.current} is needed and not here"
    with monkeypatch.context() as lost:
        lost.setattr(pair.alpha.blobs, "keys", others)
        await pair.bravo.start()
        waiting = await pair.alpha.becomes(transfer_id, lambda p: "stored document" in (p.reason or ""))
        assert waiting.state == "queued" and waiting.next_try_at_ns is not None
        assert waiting.reason is not None and waiting.reason.startswith(said)
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    assert await pair.alpha.causes(transfer_id) == ["unreachable", "stored-data", ""]
    await pair.arrived(transfer_id, DOCUMENT)
    await pair.companions_arrived(transfer_id)


@over("1+1", "batch")
async def test_a_master_key_that_is_missed_while_sending_ends_nothing_for_good(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> bytes:
        raise MasterKeyMissing("the master key 0123456789abcdef is needed and not here")

    with monkeypatch.context() as lost:
        lost.setattr(StoredDocument, "read_classified", missing)
        transfer_id = await pair.send(DOCUMENT)
        waiting = await pair.alpha.tried(transfer_id)
        assert waiting.state == "queued"
        assert (
            waiting.reason
            == "the stored document cannot be read: the master key 0123456789abcdef is needed and not here"
        )
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    assert await pair.alpha.causes(transfer_id) == ["stored-data", ""]
    await pair.arrived(transfer_id, DOCUMENT)


async def test_in_a_batch_a_disk_that_fails_costs_the_others_nothing(
    tmp_path: Path, template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with paired(tmp_path, template) as pair:
        pair.way = WAYS["batch"]
        real = StoredDocument.read_classified

        def failing(stored: StoredDocument, start: int, end: int) -> bytes:
            if stored.size == DOCUMENT.size:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return real(stored, start, end)

        with monkeypatch.context() as disk:
            disk.setattr(StoredDocument, "read_classified", failing)
            transfer_id = await pair.send(DOCUMENT)
            waiting = await pair.alpha.tried(transfer_id)
            assert waiting.reason == "the stored document cannot be read right now: Input/output error"
            await pair.companions_arrived(transfer_id)
            for companion, _ in pair.companions[transfer_id]:
                assert (await pair.alpha.row(companion)).attempt == 1
        assert (await pair.alpha.ended(transfer_id)).state == "delivered"


@over("1+1")
async def test_a_worker_ends_when_told_even_as_something_becomes_due(pair: Pair) -> None:
    """A cancellation that met a wake-up was forgotten, and the gateway never ended."""
    for _ in range(20):
        running = asyncio.create_task(pair.alpha.worker.run())
        # Time to come to where it waits. One that is not there yet has to end all the same.
        await asyncio.sleep(0.01)
        pair.alpha.worker.wake()
        running.cancel()
        async with asyncio.timeout(2):
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


@over("1+1")
async def test_a_disk_that_is_full_here_leaves_no_manifest_behind(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    document_id = await pair.alpha.keep(DOCUMENT, pair.anna)

    async def full(*_: object, **__: object) -> None:
        raise OSError("disk is full")

    monkeypatch.setattr(outbox, "enqueue", full)
    with pytest.raises(OSError, match="disk is full"):
        await pair.alpha.transfer_queue.send(pair.anna, [document_id], "bravo", ["bruno"], Plan("sieve"))
    assert await pair.alpha.documents() == 1
