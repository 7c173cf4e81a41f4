"""The receiver against senders made by hand: whatever ends an attempt leaves one delivery or nothing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from uvicorn.server import ServerState

from gateway.by_hand import ByHand, attempt_of, nothing_left, open_there
from gateway.in_process import InProcess
from gateway.two_gateways import LIMITS, RECEIVING, Pair, document, paired, until
from sieve.core.document import Document
from sieve.gateway.errors import PeerRefused
from sieve.gateway.inbound.incoming_attempt import IncomingAttempt
from sieve.gateway.runtime.listeners import GuardedProtocol
from sieve.gateway.telemetry.timing_marks import SECURE
from sieve.store.direct_file import DirectFile

DOCUMENT = document(200_000, 3)


def unanswered(state: ServerState) -> list[GuardedProtocol]:
    """Connections with a request whose answer has not ended."""
    guarded = [one for one in state.connections if isinstance(one, GuardedProtocol)]
    return [one for one in guarded if one.cycle and not one.cycle.response_complete]


@pytest.fixture
def pair(pair_over_any: Pair) -> Pair:
    return pair_over_any


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
    attempt = await open_there(pair, hand)
    await until(lambda: attempt.timing_marks.first("last-byte", SECURE) is not None)
    await hand.cut()
    await hand.whole_plain_stream()
    await until(attempt.over.is_set)
    assert await hand.link.receipt(hand.manifest.transfer_id) is not None
    await pair.arrived(hand.manifest.transfer_id, DOCUMENT)


async def test_a_stalled_attempt_ends_and_a_sign_of_life_keeps_it(
    tmp_path: Path, template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However slow the machine is: it ends, but never sooner than `stall_s` after the last sign of life."""
    stall_s, signs, ended = 0.5, [], []
    now, touch, fail = asyncio.get_running_loop().time, IncomingAttempt.touch, IncomingAttempt.fail

    def touched(attempt: IncomingAttempt) -> None:
        signs.append(now())
        touch(attempt)

    def failed(attempt: IncomingAttempt, reason: str, **more: Any) -> None:
        ended.append(now())
        fail(attempt, reason, **more)

    monkeypatch.setattr(IncomingAttempt, "touch", touched)
    monkeypatch.setattr(IncomingAttempt, "fail", failed)
    async with paired(tmp_path, template, bravo={"receiving_settings": replace(RECEIVING, stall_s=stall_s)}) as pair:
        hand = ByHand.of(pair, DOCUMENT)
        hand.begin()
        hand.whole_secure_stream()
        attempt = await open_there(pair, hand)
        until_s = now() + 2 * stall_s
        while now() < until_s and not attempt.over.is_set():
            before = len(signs)
            with suppress(PeerRefused):  # it stalled while this machine did
                await hand.link.ask("GET", f"/v1/attempts/{hand.attempt.handle}")
                assert len(signs) > before
        outcome = await hand.outcome()
        assert (outcome["is"], outcome["permanent"]) == ("failed", False)
        assert outcome["detail"].startswith("nothing more arrived for")
        assert ended[0] - max(sign for sign in signs if sign <= ended[0]) >= stall_s
        await nothing_left(pair)


async def test_a_sender_that_vanishes_within_its_body_keeps_no_connection(tmp_path: Path, template: Path) -> None:
    """No end and no reset comes from a machine without power: only a deadline tells."""
    async with paired(tmp_path, template, bravo={"receiving_settings": replace(RECEIVING, stall_s=0.3)}) as pair:
        hand = ByHand.of(pair, DOCUMENT)
        hand.begin()
        await open_there(pair, hand)
        state = pair.bravo.secure.server_state
        await until(lambda: not unanswered(state))
        await nothing_left(pair)
        await hand.cut()


async def test_a_waiting_sender_hears_that_the_attempt_continues(tmp_path: Path, template: Path) -> None:
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
    attempt = await open_there(pair, smaller)
    with pytest.raises(Exception, match="more bytes than the manifest announced"):
        await attempt.secure_bytes(bytes(10**6))
    await smaller.cut()
    await nothing_left(pair)


async def test_streams_that_do_not_fit_their_digests_leave_nothing(pair: Pair) -> None:
    for stream in ("secure", "plain"):
        hand = ByHand.of(pair, DOCUMENT, mode="secure-only")
        wrong = bytes(len(getattr(hand.streams, stream)))
        hand.documents[hand.own] = hand.streams._replace(**{stream: wrong})
        hand.begin()
        hand.whole_secure_stream()
        outcome = await hand.outcome()
        assert outcome["is"] == "failed" and "does not fit its digest" in outcome["detail"]
        await nothing_left(pair)


async def test_missing_chunks_come_over_the_secure_channel(pair: Pair) -> None:
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    hand.whole_secure_stream()
    attempt = await open_there(pair, hand)
    await hand.put_plain(1)
    await asyncio.gather(*(hand.put_securely(index) for index in range(attempt.core.chunks.count)))
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
    await asyncio.gather(*(hand.put_securely(index) for index in range(hand.chunks.count)))
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
    attempt = await open_there(pair, hand)
    pair.bravo.plain.die()
    await hand.put_plain(0)  # into the void
    await everything_securely(hand, attempt)
    assert (await hand.outcome())["is"] == "receipt"
    await pair.arrived(hand.manifest.transfer_id, DOCUMENT)


async def test_a_plain_listener_that_dies_takes_what_it_held_along(without_plain: Pair) -> None:
    """It may not have written it yet: that attempt is over, and the next one needs no plain listener."""
    pair = without_plain
    assert isinstance(pair.bravo.plain, InProcess)
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    attempt = await open_there(pair, hand)
    await hand.put_plain(0)
    await until(lambda: 0 in attempt.core.held)
    pair.bravo.plain.die()
    hand.whole_secure_stream()
    assert attempt.failure is not None and not attempt.failure.permanent
    with pytest.raises(PeerRefused, match="the plain listener ended"):
        await hand.outcome()
    await nothing_left(pair)
    again = ByHand.of(pair, DOCUMENT)
    again.begin()
    again.whole_secure_stream()
    await until(lambda: attempt_of(pair, again) is not None)
    await everything_securely(again, attempt)
    assert (await again.outcome())["is"] == "receipt"
    await pair.arrived(again.manifest.transfer_id, DOCUMENT)


async def test_a_chunk_that_could_not_be_written_ends_the_attempt(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was held by then: only another attempt can bring it again."""
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    attempt = await open_there(pair, hand)
    with monkeypatch.context() as disk:
        disk.setattr(DirectFile, "write_at", lambda *_: (_ for _ in ()).throw(OSError(5, "Input/output error")))
        for index in range(attempt.core.chunks.count):
            await hand.put_plain(index)
        hand.whole_secure_stream()
        said = await hand.outcome()
    assert said["is"] == "failed" and not said["permanent"] and "could not be written" in said["detail"]
    await nothing_left(pair)
    assert await pair.bravo.entries(pair.bruno) == []


async def everything_securely(hand: ByHand, attempt: IncomingAttempt) -> None:
    for index in range(attempt.core.chunks.count):
        await hand.put_securely(index)
