"""The receiver against senders made by hand: which openings it lets in, and that whatever ends an attempt, and when,
leaves either one delivery or nothing."""

import asyncio
import errno
import os
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gateway.by_hand import ByHand, manifest_of
from gateway.two_gateways import EMPTY, LIMITS, RECEIVING, InProcess, Pair, document, paired, until
from sieve.channel.chunks import ChunkPlan
from sieve.channel.receiver import Limits
from sieve.core.document import Document
from sieve.gateway.errors import PeerRefused
from sieve.gateway.received_files import ReceivedFiles
from sieve.gateway.receiving import Receiving
from sieve.gateway.storing import Stored, Storing
from sieve.store.blobs import BlobStore, DestinationFull
from sieve.store.database import DatabaseBusy
from sieve.store.direct_file import DirectFile
from sieve.store.queries import inbox

DOCUMENT = document(200_000, 3)


def under_way(pair: Pair) -> int:
    return len(pair.bravo.receivings._open)


async def nothing_left(pair: Pair, files: int = 0) -> None:
    """No attempt, no handle, no file but those of what was delivered."""
    await until(lambda: under_way(pair) == 0)
    receivings = pair.bravo.receivings
    assert not receivings._by_handle and not receivings._supervisions
    assert isinstance(pair.bravo.plain, InProcess)
    assert not pair.bravo.plain.callbacks and not pair.bravo.plain.app._handles
    assert pair.bravo.files() == files


async def open_there(pair: Pair, hand: ByHand) -> Receiving:
    """Bravo's side of it, once its handle is announced."""
    await until(lambda: hand.attempt.handle in pair.bravo.receivings._by_handle)
    receiving = pair.bravo.receivings._by_handle[hand.attempt.handle]
    if hand.attempt.plan.uses_plain_channel:
        await until(lambda: pair.bravo.plain.is_open(hand.attempt.handle))
    return receiving


async def refusal(hand: ByHand) -> PeerRefused:
    with pytest.raises(PeerRefused) as refused:
        await hand.hear()
    return refused.value


# --- which openings ----------------------------------------------------------------------------------------------


async def test_a_repeated_opening_gets_the_very_same_receipt(pair: Pair) -> None:
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    hand.whole_secure_stream()
    await open_there(pair, hand)
    await hand.whole_plain_stream()
    first = await hand.outcome()
    assert first["durations"]["integrate_ns"] > 0
    for number in (1, 2, 7):
        again = ByHand.of(pair, DOCUMENT, number=number, manifest=hand.manifest)
        again.begin()
        again.whole_secure_stream()
        assert await again.hear() == {"is": "receipt", "receipt": first["receipt"], "durations": None}
    await pair.arrived(hand.manifest.transfer_id, DOCUMENT)
    await nothing_left(pair, files=3)


async def test_the_same_id_with_another_manifest_is_a_conflict(pair: Pair) -> None:
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    await open_there(pair, hand)
    other = manifest_of(DOCUMENT, transfer_id=hand.manifest.transfer_id, name="other.txt")
    for _ in ("while it is under way", "after it was delivered"):
        rival = ByHand.of(pair, DOCUMENT, number=9, manifest=other)
        rival.begin()
        rival.whole_secure_stream()
        refused = await refusal(rival)
        assert (refused.kind, refused.permanent) == ("conflict", True)
        hand.whole_secure_stream()
        await hand.whole_plain_stream()
        if _ == "while it is under way":
            assert (await hand.outcome())["is"] == "receipt"
    await nothing_left(pair, files=3)


async def test_a_lower_attempt_is_refused_and_a_higher_one_takes_over(pair: Pair) -> None:
    second = ByHand.of(pair, DOCUMENT, number=2)
    second.begin()
    await open_there(pair, second)
    for number in (1, 2):
        late = ByHand.of(pair, DOCUMENT, number=number, manifest=second.manifest)
        late.begin()
        late.whole_secure_stream()
        refused = await refusal(late)
        assert (refused.kind, refused.permanent) == ("stale", False)
    third = ByHand.of(pair, DOCUMENT, number=3, manifest=second.manifest)
    third.begin()
    third.whole_secure_stream()
    await open_there(pair, third)
    await third.whole_plain_stream()
    assert (await third.outcome())["is"] == "receipt"
    await second.cut()
    await nothing_left(pair, files=3)


async def test_a_handle_in_use_is_refused(pair: Pair) -> None:
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    await open_there(pair, hand)
    other = ByHand.of(pair, DOCUMENT, handle=hand.attempt.handle)
    other.begin()
    other.whole_secure_stream()
    assert (await refusal(other)).kind == "conflict"
    hand.whole_secure_stream()
    await hand.whole_plain_stream()
    assert (await hand.outcome())["is"] == "receipt"


async def test_unknown_recipients_are_named_and_nothing_is_made(pair: Pair) -> None:
    hand = ByHand.of(pair, DOCUMENT, recipients=("bruno", "nobody", "anna"))
    hand.begin()
    hand.whole_secure_stream()
    refused = await refusal(hand)
    assert (refused.kind, refused.permanent) == ("unknown-recipient", True)
    assert "nobody named nobody, anna can receive at bravo" in str(refused)
    await nothing_left(pair)


async def test_a_recipient_who_is_gone_by_the_commit_leaves_nothing(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def gone(_session: object, _peer: str, deliveries: Sequence[inbox.Delivery], _now: int) -> inbox.Delivered:
        return inbox.Delivered({delivery.transfer_id: ["bruno"] for delivery in deliveries}, set())

    monkeypatch.setattr(inbox, "deliver", gone)
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    hand.whole_secure_stream()
    await open_there(pair, hand)
    await hand.whole_plain_stream()
    outcome = await hand.outcome()
    assert outcome["permanent"] and "nobody named bruno" in outcome["detail"]
    await nothing_left(pair)


async def test_past_its_deadline_it_is_refused_for_good(pair: Pair) -> None:
    hand = ByHand.of(pair, EMPTY, deadline_at_ns=time.time_ns() - 1)
    hand.begin()
    hand.end()
    refused = await refusal(hand)
    assert (refused.kind, refused.permanent) == ("expired", True)


async def test_limits_of_size_count_and_quota(tmp_path: Path, template: Path) -> None:
    tight = replace(RECEIVING, limits=Limits(300_000, 2), quota=500_000)
    async with paired(tmp_path, template, bravo={"receiving_settings": tight}) as pair:
        large = ByHand.of(pair, document(300_001, 0))
        large.begin()
        large.end()
        assert (await refusal(large)).kind == "too-large"
        first = ByHand.of(pair, document(300_000, 2))
        first.begin()
        await open_there(pair, first)
        second = ByHand.of(pair, document(200_001, 2))
        second.begin()
        second.whole_secure_stream()
        over = await refusal(second)
        assert (over.kind, over.permanent) == ("full", False)
        # A newer attempt at the same transfer takes the place of the older one: it is not counted twice.
        third = ByHand.of(pair, document(300_000, 2), number=2, manifest=first.manifest)
        third.begin()
        await open_there(pair, third)
        await until(lambda: under_way(pair) == 1)
        fifth = ByHand.of(pair, document(2000, 1))
        fifth.begin()
        await open_there(pair, fifth)
        sixth = ByHand.of(pair, EMPTY)
        sixth.begin()
        sixth.end()
        busy = await refusal(sixth)
        assert (busy.kind, busy.permanent) == ("busy", False)
        for hand in (first, third, fifth):
            await hand.cut()
        await nothing_left(pair)


async def test_openings_that_are_never_finished_are_few_and_do_not_last(tmp_path: Path, template: Path) -> None:
    tight = replace(RECEIVING, limits=Limits(10**6, 2), opening_s=0.4)
    async with paired(tmp_path, template, bravo={"receiving_settings": tight}) as pair:
        hands = [ByHand.of(pair, DOCUMENT) for _ in range(3)]
        connections = pair.bravo.secure.server_state.connections
        for count, hand in enumerate(hands[:2], 1):
            hand.begin(opening=hand.opening.to_bytes()[:50])
            await until(lambda at=count: sum(1 for c in connections if c.cycle) == at)  # type: ignore[misc, union-attr]
        hands[2].begin()
        hands[2].whole_secure_stream()
        refused = await refusal(hands[2])
        assert (refused.kind, refused.permanent) == ("busy", False)
        await until(lambda: all(c.cycle.response_complete for c in connections if c.cycle))  # type: ignore[union-attr]
        for hand in hands[:2]:
            hand.secure(hand.opening.to_bytes()[50:])
            hand.whole_secure_stream()
            assert "the opening was not whole within" in str(await refusal(hand))


async def test_what_is_no_opening_is_refused(pair: Pair) -> None:
    peer = pair.alpha.peers.by_name("bravo")
    assert peer is not None
    for opening in (b"", b"GET / HTTP/1.1\r\n\r\n", b"SIEVE1\0\0\0\0", b"SIEVE1\0\0\0\x02{}"):
        with pytest.raises(PeerRefused) as refused:
            await pair.alpha.links.to(peer).ask("POST", "/v1/transfers", content=opening)
        assert refused.value.permanent and refused.value.kind == "protocol"
    await nothing_left(pair)


async def test_questions_have_bounds(pair: Pair) -> None:
    peer = pair.alpha.peers.by_name("bravo")
    assert peer is not None
    link = pair.alpha.links.to(peer)
    for content in (b'{"names": ["' + b"x" * 300_000 + b'"]}', b"{", b'{"names": 1}', b'{"names": ["\\ud800"]}'):
        with pytest.raises(PeerRefused) as refused:
            await link.ask("POST", "/v1/recipients", content=content)
        assert refused.value.kind == "protocol"
    assert [recipient.name for recipient in await link.recipients()] == ["bruno"]
    assert await link.receipt("no such transfer") is None


# --- room ----------------------------------------------------------------------------------------------------------


async def test_a_full_disk_is_told_at_the_announcement(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    hand.whole_secure_stream()
    refused = await refusal(hand)
    assert (refused.kind, refused.permanent) == ("full", False)
    assert str(refused) == "bravo refused: destination full"
    await nothing_left(pair)


@pytest.mark.parametrize("maker", ["new_plain", "new_scattered"])
async def test_nor_is_there_room_for_a_file(pair: Pair, monkeypatch: pytest.MonkeyPatch, maker: str) -> None:
    def full(*_: object, **__: object) -> None:
        raise DestinationFull("the disk is full")

    monkeypatch.setattr(BlobStore, maker, full)
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    hand.whole_secure_stream()
    assert (await refusal(hand)).kind == "full"
    await nothing_left(pair)


async def test_a_disk_that_fills_while_the_manifest_is_kept(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    real = BlobStore.new_sealed

    def full(self: BlobStore, *, owner: str, purpose: str, near: str = "") -> Any:
        if purpose == "manifest":
            raise DestinationFull("the disk is full")
        return real(self, owner=owner, purpose=purpose)

    hand = ByHand.of(pair, DOCUMENT)
    monkeypatch.setattr(BlobStore, "new_sealed", full)
    hand.begin()
    hand.whole_secure_stream()
    await open_there(pair, hand)
    await hand.whole_plain_stream()
    assert (await hand.outcome())["kind"] == "full"
    await nothing_left(pair)


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
    real = Storing._commit

    async def then_breaks(self: Storing, *arguments: Any) -> None:
        await real(self, *arguments)
        raise OSError("the connection to the database broke")

    monkeypatch.setattr(Storing, "_commit", then_breaks)
    hand = ByHand.of(pair, DOCUMENT, mode="secure-only")
    hand.begin()
    hand.whole_secure_stream()
    assert (await hand.outcome())["is"] == "receipt"
    await pair.arrived(hand.manifest.transfer_id, DOCUMENT)
    await nothing_left(pair, files=3)


async def test_nor_does_one_after_which_nobody_can_tell(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Storing._commit

    async def breaks(*_: object) -> None:
        raise OSError("the database is gone")

    async def then_breaks(self: Storing, *arguments: Any) -> None:
        await real(self, *arguments)
        mad.setattr(inbox, "stored_receipt", breaks)
        raise OSError("the connection to the database broke")

    hand = ByHand.of(pair, DOCUMENT, mode="secure-only")
    with monkeypatch.context() as mad:
        mad.setattr(Storing, "_commit", then_breaks)
        hand.begin()
        hand.whole_secure_stream()
        assert (await hand.outcome())["is"] == "failed"
    await nothing_left(pair, files=3)
    await pair.arrived(hand.manifest.transfer_id, DOCUMENT)


# --- how attempts end ------------------------------------------------------------------------------------------------


async def test_a_broken_secure_channel_leaves_nothing(pair: Pair) -> None:
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    hand.secure(hand.streams.secure[:100])
    await open_there(pair, hand)
    await hand.put_plain(0)
    await hand.cut()
    await nothing_left(pair)


async def test_who_goes_away_after_the_last_byte_finds_the_receipt_later(pair: Pair) -> None:
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    hand.whole_secure_stream()
    receiving = await open_there(pair, hand)
    await until(lambda: receiving.core._secure_ended)
    await hand.cut()
    await hand.whole_plain_stream()
    await until(receiving.over.is_set)
    assert await hand.link.receipt(hand.manifest.transfer_id) is not None
    await pair.arrived(hand.manifest.transfer_id, DOCUMENT)


async def test_a_stalled_attempt_ends_and_a_sign_of_life_keeps_it(tmp_path: Path, template: Path) -> None:
    async with paired(tmp_path, template, bravo={"receiving_settings": replace(RECEIVING, stall_s=0.3)}) as pair:
        hand = ByHand.of(pair, DOCUMENT)
        hand.begin()
        hand.whole_secure_stream()
        receiving = await open_there(pair, hand)
        until_s = asyncio.get_running_loop().time() + 0.6
        while asyncio.get_running_loop().time() < until_s:
            assert await hand.link.ask("GET", f"/v1/attempts/{hand.attempt.handle}") == {"held": [], "secure": [3000]}
        assert not receiving.over.is_set()
        outcome = await hand.outcome()
        assert (outcome["is"], outcome["permanent"]) == ("failed", False)
        assert outcome["detail"].startswith("nothing more arrived for")
        await nothing_left(pair)


async def test_a_sender_that_vanishes_within_its_body_keeps_no_connection(tmp_path: Path, template: Path) -> None:
    """No end and no reset comes from a machine without power: only a deadline tells."""
    async with paired(tmp_path, template, bravo={"receiving_settings": replace(RECEIVING, stall_s=0.3)}) as pair:
        hand = ByHand.of(pair, DOCUMENT)
        hand.begin()
        await open_there(pair, hand)
        state = pair.bravo.secure.server_state
        await until(lambda: not any(not c.cycle.response_complete for c in state.connections if c.cycle))  # type: ignore[union-attr]
        await nothing_left(pair)
        await hand.cut()


async def test_a_waiting_sender_hears_that_it_goes_on(tmp_path: Path, template: Path) -> None:
    async with paired(tmp_path, template, bravo={"receiving_settings": replace(RECEIVING, beat_s=0.05)}) as pair:
        hand = ByHand.of(pair, DOCUMENT)
        hand.begin()
        hand.whole_secure_stream()
        assert await hand.hear() == {"is": "going-on"}
        assert await hand.hear() == {"is": "going-on"}
        await hand.whole_plain_stream()
        assert (await hand.outcome())["is"] == "receipt"


async def test_bytes_beyond_what_was_announced(pair: Pair) -> None:
    hand = ByHand.of(pair, DOCUMENT)
    smaller = ByHand.of(pair, Document(DOCUMENT.content[:1000], []), manifest=hand.manifest)
    smaller.begin()
    await open_there(pair, smaller)
    receiving = pair.bravo.receivings._by_handle[smaller.attempt.handle]
    with pytest.raises(Exception, match="more bytes than the manifest announced"):
        await receiving.secure_bytes(bytes(10**6))
    await smaller.cut()
    await nothing_left(pair)


async def test_streams_that_do_not_fit_their_digests_leave_nothing(pair: Pair) -> None:
    for stream in ("secure", "plain"):
        hand = ByHand.of(pair, DOCUMENT, mode="secure-only")
        wrong = bytes(len(getattr(hand.streams, stream)))
        hand.streams = hand.streams._replace(**{stream: wrong})
        hand.begin()
        hand.whole_secure_stream()
        outcome = await hand.outcome()
        assert outcome["is"] == "failed" and "does not fit its digest" in outcome["detail"]
        await nothing_left(pair)


async def test_missing_chunks_come_over_the_secure_channel(pair: Pair) -> None:
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    hand.whole_secure_stream()
    receiving = await open_there(pair, hand)
    await hand.put_plain(1)
    await asyncio.gather(*(hand.put_securely(index) for index in range(receiving.core.chunks.count)))
    assert (await hand.outcome())["is"] == "receipt"
    await pair.arrived(hand.manifest.transfer_id, DOCUMENT)


async def test_chunks_on_the_secure_channel_that_are_not_due(pair: Pair) -> None:
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    await open_there(pair, hand)
    for index, data in ((0, b"short"), (99, b""), (-1, b""), (0, bytes(2 * 1024 * 1024))):
        with pytest.raises(PeerRefused) as refused:
            await hand.put_securely(index, data)
        assert refused.value.kind == "protocol"
    only = ByHand.of(pair, DOCUMENT, mode="secure-only")
    only.begin()
    await open_there(pair, only)
    with pytest.raises(PeerRefused) as refused:
        await only.put_securely(0)
    assert refused.value.kind == "protocol"
    stranger = ByHand.of(pair, DOCUMENT)
    with pytest.raises(PeerRefused) as refused:
        await stranger.put_securely(0)
    assert refused.value.kind == "unknown-attempt"
    for attempt in (hand, only):
        attempt.whole_secure_stream()
    await asyncio.gather(*(hand.put_securely(index) for index in range(ChunkPlan(len(hand.plain)).count)))
    assert [(await attempt.outcome())["is"] for attempt in (hand, only)] == ["receipt", "receipt"]


@pytest.fixture
async def without_plain(tmp_path: Path, template: Path) -> AsyncIterator[Pair]:
    async with paired(tmp_path, template, bravo={"plain_limits": replace(LIMITS, wait_s=0.01)}) as pair:
        assert isinstance(pair.bravo.plain, InProcess)
        yield pair


async def test_a_plain_listener_that_dies_before_it_held_anything_is_no_end(without_plain: Pair) -> None:
    pair = without_plain
    assert isinstance(pair.bravo.plain, InProcess)
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    hand.whole_secure_stream()
    receiving = await open_there(pair, hand)
    pair.bravo.plain.die()
    await hand.put_plain(0)  # into the void
    await everything_securely(hand, receiving)
    assert (await hand.outcome())["is"] == "receipt"
    await pair.arrived(hand.manifest.transfer_id, DOCUMENT)


async def test_a_plain_listener_that_dies_takes_what_it_held_along(without_plain: Pair) -> None:
    """It may not have written it yet: that attempt is over, and the next one needs no plain listener."""
    pair = without_plain
    assert isinstance(pair.bravo.plain, InProcess)
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    receiving = await open_there(pair, hand)
    await hand.put_plain(0)
    await until(lambda: 0 in receiving.core.held)
    pair.bravo.plain.die()
    hand.whole_secure_stream()
    assert receiving.failure is not None and not receiving.failure.permanent
    with pytest.raises(PeerRefused, match="the plain listener ended"):
        await hand.outcome()
    await nothing_left(pair)
    again = ByHand.of(pair, DOCUMENT)
    again.begin()
    again.whole_secure_stream()
    await until(lambda: again.attempt.handle in pair.bravo.receivings._by_handle)
    await everything_securely(again, receiving)
    assert (await again.outcome())["is"] == "receipt"
    await pair.arrived(again.manifest.transfer_id, DOCUMENT)


async def test_a_chunk_that_could_not_be_written_ends_the_attempt(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was held by then: only another attempt can bring it again."""
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    receiving = await open_there(pair, hand)
    with monkeypatch.context() as disk:
        disk.setattr(DirectFile, "write_at", lambda *_: (_ for _ in ()).throw(OSError(5, "Input/output error")))
        for index in range(receiving.core.chunks.count):
            await hand.put_plain(index)
        hand.whole_secure_stream()
        said = await hand.outcome()
    assert said["is"] == "failed" and not said["permanent"] and "could not be written" in said["detail"]
    await nothing_left(pair)
    assert await pair.bravo.entries(pair.bruno) == []


async def everything_securely(hand: ByHand, receiving: Receiving) -> None:
    for index in range(receiving.core.chunks.count):
        await hand.put_securely(index)


# --- races -----------------------------------------------------------------------------------------------------------


async def test_an_attempt_that_ended_never_comes_to_life_again(pair: Pair) -> None:
    """The last chunk, and the end of the secure stream, may come right after it was dropped."""
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    hand.whole_secure_stream()
    receiving = await open_there(pair, hand)
    await until(lambda: receiving.core._secure_ended)
    receiving.fail("a newer attempt took over")
    for index in range(receiving.core.chunks.count):
        receiving._on_held(index)
    receiving._on_plain_lost()
    assert not receiving.committing
    await nothing_left(pair)
    assert await pair.bravo.entries(pair.bruno) == []

    dropped = ByHand.of(pair, DOCUMENT, mode="secure-only")
    dropped.begin()
    receiving = await open_there(pair, dropped)
    await receiving.secure_bytes(dropped.streams.secure + dropped.plain)
    receiving.fail("the pairing was removed")
    with pytest.raises(PeerRefused, match="the pairing was removed"):
        receiving.secure_ended()
    assert not receiving.committing
    await dropped.cut()
    await nothing_left(pair)


async def test_dropped_while_room_is_made_it_takes_no_other_file_along(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its descriptors are closed only after the thread that reserves has let go of them."""
    loop = asyncio.get_running_loop()
    reserving, go_on = asyncio.Event(), asyncio.Event()
    real = ReceivedFiles.reserve

    def slowly(self: ReceivedFiles) -> None:
        loop.call_soon_threadsafe(reserving.set)
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result()
        assert self._plain._fd is not None
        real(self)

    monkeypatch.setattr(ReceivedFiles, "reserve", slowly)
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    hand.whole_secure_stream()
    await reserving.wait()
    peer = pair.bravo.peers.by_name("alpha")
    assert peer is not None
    pair.bravo.receivings.drop(peer.id, "the pairing was removed")
    for _ in range(10):
        await asyncio.sleep(0)
    assert pair.bravo.files() == 2
    go_on.set()
    assert "the pairing was removed" in str(await refusal(hand))
    await nothing_left(pair)


async def test_three_attempts_while_the_first_is_being_committed_are_one_delivery(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    committing, go_on = asyncio.Event(), asyncio.Event()
    real = Storing._commit

    async def slowly(self: Storing, *arguments: Any) -> Any:
        committing.set()
        await go_on.wait()
        return await real(self, *arguments)

    monkeypatch.setattr(Storing, "_commit", slowly)
    hands = [ByHand.of(pair, DOCUMENT, mode="secure-only")]
    hands[0].begin()
    hands[0].whole_secure_stream()
    await committing.wait()
    for number in (2, 3, 4):
        hand = ByHand.of(pair, DOCUMENT, mode="secure-only", number=number, manifest=hands[0].manifest)
        hands.append(hand)
        hand.begin()
        hand.whole_secure_stream()
        await open_there(pair, hand)
    go_on.set()
    receipts = [(await hand.outcome())["receipt"] for hand in hands]
    assert len(set(receipts)) == 1
    await pair.arrived(hands[0].manifest.transfer_id, DOCUMENT)
    await nothing_left(pair, files=3)


async def test_an_opening_that_looked_before_the_commit_and_came_in_after_it(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ByHand.of(pair, DOCUMENT, mode="secure-only")
    first.begin()
    await open_there(pair, first)
    looked, go_on = asyncio.Event(), asyncio.Event()
    real = inbox.unknown_recipients
    looks = 0

    async def slowly(*arguments: Any) -> Any:
        nonlocal looks
        looks += 1
        if looks == 1:
            looked.set()
            await go_on.wait()
        return await real(*arguments)

    monkeypatch.setattr(inbox, "unknown_recipients", slowly)
    second = ByHand.of(pair, DOCUMENT, mode="secure-only", number=2, manifest=first.manifest)
    second.begin()
    second.whole_secure_stream()
    await looked.wait()
    first.whole_secure_stream()
    receipt = (await first.outcome())["receipt"]
    await until(lambda: under_way(pair) == 0)
    go_on.set()
    assert (await second.hear()) == {"is": "receipt", "receipt": receipt, "durations": None}
    assert looks == 2


async def test_a_delivery_that_was_beaten_to_it_answers_with_the_first_receipt(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two replicas may commit at once; the row's uniqueness decides."""
    real = Storing._commit
    other = ByHand.of(pair, DOCUMENT, mode="secure-only")

    async def beaten(self: Storing, stored: Sequence[Stored]) -> list[Stored]:
        monkeypatch.setattr(Storing, "_commit", real)
        [one] = stored
        blobs = {name: replace(getattr(one, name), id=name[0] * 32) for name in ("plain", "sealed", "manifest")}
        await real(self, [replace(one, receipt="the first", **blobs)])
        return await real(self, stored)

    monkeypatch.setattr(Storing, "_commit", beaten)
    other.begin()
    other.whole_secure_stream()
    assert await other.outcome() == {"is": "receipt", "receipt": "the first", "durations": None}
    await nothing_left(pair)


async def test_chunks_over_both_channels_at_once_are_one_delivery(pair: Pair) -> None:
    for _ in range(3):
        hand = ByHand.of(pair, DOCUMENT)
        hand.begin()
        hand.whole_secure_stream()
        receiving = await open_there(pair, hand)
        count = receiving.core.chunks.count
        await asyncio.gather(
            *(hand.put_plain(index) for index in range(count)),
            *(hand.put_securely(index) for index in reversed(range(count))),
            return_exceptions=True,
        )
        assert (await hand.outcome())["is"] == "receipt"
        await pair.arrived(hand.manifest.transfer_id, DOCUMENT)
    await nothing_left(pair, files=9)


async def test_given_up_by_its_sender_it_ends_at_once_unless_it_is_too_late(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    hand.whole_secure_stream()
    await open_there(pair, hand)
    assert await hand.link.ask("DELETE", f"/v1/attempts/{hand.attempt.handle}") == {}
    assert (await hand.outcome())["detail"] == "the sender gave it up"
    await nothing_left(pair)

    committing, go_on = asyncio.Event(), asyncio.Event()
    real = Storing._commit

    async def slowly(self: Storing, *arguments: Any) -> Any:
        committing.set()
        await go_on.wait()
        return await real(self, *arguments)

    monkeypatch.setattr(Storing, "_commit", slowly)
    late = ByHand.of(pair, DOCUMENT, mode="secure-only")
    late.begin()
    late.whole_secure_stream()
    await committing.wait()
    giving_up = asyncio.create_task(late.link.ask("DELETE", f"/v1/attempts/{late.attempt.handle}"))
    go_on.set()
    await giving_up
    assert await late.link.receipt(late.manifest.transfer_id) == (await late.outcome())["receipt"]


async def test_at_the_end_what_is_being_committed_is_finished_and_the_rest_is_not(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    committing, go_on = asyncio.Event(), asyncio.Event()
    real = Storing._commit

    async def slowly(self: Storing, *arguments: Any) -> Any:
        committing.set()
        await go_on.wait()
        return await real(self, *arguments)

    monkeypatch.setattr(Storing, "_commit", slowly)
    done = ByHand.of(pair, DOCUMENT, mode="secure-only")
    done.begin()
    done.whole_secure_stream()
    await committing.wait()
    open_one = ByHand.of(pair, DOCUMENT)
    open_one.begin()
    open_one.whole_secure_stream()
    await open_there(pair, open_one)
    settling = asyncio.create_task(pair.bravo.receivings.settle())
    assert "shutting down" in (await open_one.outcome())["detail"]
    late = ByHand.of(pair, DOCUMENT)
    late.begin()
    late.whole_secure_stream()
    assert "shutting down" in str(await refusal(late))
    assert not settling.done()
    go_on.set()
    await settling
    assert (await done.outcome())["is"] == "receipt"
    await nothing_left(pair, files=3)
