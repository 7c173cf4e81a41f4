"""The receiver against senders made by hand: room is made before a byte is taken, or the attempt is refused."""

import errno
import os
from typing import Any

import pytest

from gateway.by_hand import ByHand, nothing_left, open_there, refusal
from gateway.two_gateways import Pair, document
from sieve.core.document import SPAN_BYTES
from sieve.gateway.errors import PeerRefused
from sieve.gateway.inbound import opening_intake
from sieve.gateway.inbound.finalizer import Finalizer
from sieve.store.blobs import BlobRef, BlobStore, ScatteredWriter, StorageFull
from sieve.store.database import DatabaseBusy
from sieve.store.queries import inbox

DOCUMENT = document(200_000, 3)


@pytest.fixture
def pair(pair_over_any: Pair) -> Pair:
    return pair_over_any


async def the_refusal(pair: Pair) -> PeerRefused:
    """What the receiver says to a document of which the whole secure stream is sent."""
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    hand.whole_secure_stream()
    return await refusal(hand)


async def test_a_full_disk_is_reported_at_the_announcement(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    refused = await the_refusal(pair)
    assert (refused.kind, refused.permanent) == ("full", False)
    assert "its disk is full" in str(refused)
    await nothing_left(pair)


@pytest.mark.parametrize("maker", ["new_plain", "new_scattered"])
async def test_nor_is_there_room_for_a_file(pair: Pair, monkeypatch: pytest.MonkeyPatch, maker: str) -> None:
    def full(*_: object, **__: object) -> None:
        raise StorageFull("the disk is full")

    monkeypatch.setattr(BlobStore, maker, full)
    assert (await the_refusal(pair)).kind == "full"
    await nothing_left(pair)


async def test_a_disk_that_fills_at_the_end(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: ScatteredWriter) -> BlobRef:
        raise StorageFull("the disk is full")

    hand = ByHand.of(pair, DOCUMENT)
    monkeypatch.setattr(ScatteredWriter, "finish", full)
    hand.begin()
    hand.whole_secure_stream()
    await open_there(pair, hand)
    await hand.whole_plain_stream()
    assert (await hand.outcome())["kind"] == "full"
    await nothing_left(pair)


async def test_a_disk_that_breaks_is_reported_as_that(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as disk:
        disk.setattr(ScatteredWriter, "write_at", breaks)
        refused = await the_refusal(pair)
    assert (refused.kind, refused.permanent) == ("failed", False)
    assert "could not be stored" in str(refused)
    await nothing_left(pair)


@pytest.mark.parametrize(("where", "what"), [(os, "posix_fallocate"), (BlobStore, "new_plain")])
async def test_so_is_one_that_breaks_before(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, where: object, what: str
) -> None:
    with monkeypatch.context() as disk:
        disk.setattr(where, what, breaks)
        refused = await the_refusal(pair)
    assert (refused.kind, refused.permanent) == ("failed", False)
    assert "could not be stored" in str(refused)
    await nothing_left(pair)


async def test_spans_take_room_until_their_attempts_are_over(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each opening brings up to 16 MB of them, most before it can be judged."""
    first, second = ByHand.of(pair, DOCUMENT), ByHand.of(pair, DOCUMENT)
    size = SPAN_BYTES * first.load.spans
    monkeypatch.setattr(opening_intake, "SPAN_BYTES_OF_PEER", 2 * size - 1)
    first.begin()
    await open_there(pair, first)
    second.begin()
    second.whole_secure_stream()
    with pytest.raises(PeerRefused, match="too many classified spans") as refused:
        await second.hear()
    assert (refused.value.kind, refused.value.permanent) == ("busy", False)
    await first.cut()
    await nothing_left(pair)
    third = ByHand.of(pair, DOCUMENT)
    third.begin()
    await third.whole()
    assert (await third.outcome())["is"] == "receipt"


async def test_all_peers_have_so_much_together(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening_intake, "SPAN_BYTES_OF_ALL", SPAN_BYTES)
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    hand.whole_secure_stream()
    with pytest.raises(PeerRefused, match="too many classified spans"):
        await hand.hear()
    await nothing_left(pair)


def breaks(*_: object, **__: object) -> None:
    raise OSError(errno.EIO, "Input/output error")


async def test_a_busy_database_at_the_commit(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    async def busy(*_: object, **__: object) -> list[str]:
        raise DatabaseBusy("the database is locked")

    monkeypatch.setattr(inbox, "deliver", busy)
    hand = ByHand.of(pair, DOCUMENT, mode="secure-only")
    hand.begin()
    hand.whole_secure_stream()
    outcome = await hand.outcome()
    assert (outcome["detail"], outcome["kind"], outcome["permanent"]) == ("its database is busy", "busy", False)
    await nothing_left(pair)


async def test_an_error_after_the_commit_deletes_nothing(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row is there, only its word was lost: files that it names must stay."""
    real = Finalizer.commit

    async def then_breaks(self: Finalizer, *arguments: Any) -> None:
        await real(self, *arguments)
        raise OSError("the connection to the database broke")

    monkeypatch.setattr(Finalizer, "commit", then_breaks)
    hand = ByHand.of(pair, DOCUMENT, mode="secure-only")
    hand.begin()
    hand.whole_secure_stream()
    assert (await hand.outcome())["is"] == "receipt"
    await pair.arrived(hand.manifest.transfer_id, DOCUMENT)
    await nothing_left(pair, documents=1)


async def test_nor_does_one_after_which_nobody_can_tell(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Finalizer.commit

    async def breaks(*_: object) -> None:
        raise OSError("the database is gone")

    async def then_breaks(self: Finalizer, *arguments: Any) -> None:
        await real(self, *arguments)
        mad.setattr(inbox, "stored_receipts", breaks)
        raise OSError("the connection to the database broke")

    hand = ByHand.of(pair, DOCUMENT, mode="secure-only")
    with monkeypatch.context() as mad:
        mad.setattr(Finalizer, "commit", then_breaks)
        hand.begin()
        hand.whole_secure_stream()
        assert (await hand.outcome())["is"] == "failed"
    await nothing_left(pair, documents=1)
    await pair.arrived(hand.manifest.transfer_id, DOCUMENT)
