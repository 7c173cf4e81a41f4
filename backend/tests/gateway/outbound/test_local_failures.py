"""Whole transfers whose document is damaged, whose disk fails or is full, or whose master key is missing.

Each ends delivered once, or with a reason that its author can read. A document that fails costs the others of its batch
nothing."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from gateway.two_gateways import (
    Pair,
    document,
    paired,
)
from gateway.ways import WAYS, over
from sieve.channel.attempt import Plan
from sieve.gateway.stored_document import StoredDocument
from sieve.store.blobs import BlobDamaged
from sieve.store.errors import MasterKeyMissing
from sieve.store.master_keys import MasterKeys
from sieve.store.queries import attempt_outcomes, outbox

DOCUMENT = document(200_000, 3)


@pytest.fixture
def pair(pair_over_any: Pair) -> Pair:
    return pair_over_any


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
        await pair.alpha.transfer_queue.send(pair.anna, [document_id], {"bravo": ["bruno"]}, Plan(mode))


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
async def test_a_disk_here_that_fails_is_reported_as_such_and_not_held_against_the_peer(
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


@over("batch", seldom="1+1")
async def test_without_its_master_key_a_transfer_waits_and_continues_when_the_key_is_back(
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


@over("batch", seldom="1+1")
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
async def test_a_disk_that_is_full_here_leaves_no_manifest_behind(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    document_id = await pair.alpha.keep(DOCUMENT, pair.anna)

    async def full(*_: object, **__: object) -> None:
        raise OSError("disk is full")

    monkeypatch.setattr(outbox, "enqueue", full)
    with pytest.raises(OSError, match="disk is full"):
        await pair.alpha.transfer_queue.send(pair.anna, [document_id], {"bravo": ["bruno"]}, Plan("sieve"))
    assert await pair.alpha.documents() == 1
