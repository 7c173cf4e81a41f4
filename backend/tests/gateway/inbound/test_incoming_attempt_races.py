"""The receiver against senders made by hand: in any order, there is one delivery or nothing.

Over every way but where a test holds up one thread, or one commit, of one document: what a batch does there is in
`test_incoming_batches`."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import select, update

from gateway.by_hand import ByHand, as_another_replica, nothing_left, open_there, refusal, under_way
from gateway.in_process import InProcess
from gateway.two_gateways import Pair, document, until
from gateway.ways import over
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import PeerRefused
from sieve.gateway.inbound import abandoned_attempts, incoming_attempt
from sieve.gateway.inbound.attempt_registry import AttemptRegistry
from sieve.gateway.inbound.finalizer import Finalizer, Stored
from sieve.gateway.inbound.received_files import ReceivedFiles
from sieve.gateway.telemetry.timing_marks import SECURE
from sieve.store.models import UsedOnce
from sieve.store.queries import inbox

DOCUMENT = document(200_000, 3)


@pytest.fixture
def pair(pair_over_any: Pair) -> Pair:
    return pair_over_any


@over("1+1")
async def test_an_attempt_that_ended_never_comes_to_life_again(pair: Pair) -> None:
    """The last chunk, and the end of the secure stream, may come right after it was dropped."""
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    hand.whole_secure_stream()
    attempt = await open_there(pair, hand)
    await until(lambda: attempt.timing_marks.first("last-byte", SECURE) is not None)
    assert isinstance(pair.bravo.plain, InProcess)
    on_held, on_lost = pair.bravo.plain.callbacks[hand.attempt.handle]
    attempt.fail("a newer attempt took over")
    for index in range(attempt.core.chunks.count):
        on_held(index)
    on_lost()
    assert not attempt.committing
    await nothing_left(pair)
    assert await pair.bravo.entries(pair.bruno) == []

    dropped = ByHand.of(pair, DOCUMENT, mode="secure-only")
    dropped.begin()
    attempt = await open_there(pair, dropped)
    await attempt.secure_bytes(dropped.streams.secure + dropped.plain)
    attempt.fail("the pairing was removed")
    with pytest.raises(PeerRefused, match="the pairing was removed"):
        attempt.secure_ended()
    assert not attempt.committing
    await dropped.cut()
    await nothing_left(pair)


@over("1+1", "3+2")
async def test_dropped_while_room_is_made_it_takes_no_other_file_along(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its descriptors are closed only after the thread that reserves has ended: it would fail otherwise."""
    monkeypatch.setattr(incoming_attempt, "RESERVED_HERE", 0)  # as for a large document
    loop = asyncio.get_running_loop()
    reserving, go_on = asyncio.Event(), asyncio.Event()
    real = ReceivedFiles.reserve

    def slowly(self: ReceivedFiles) -> None:
        loop.call_soon_threadsafe(reserving.set)
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result()
        real(self)

    monkeypatch.setattr(ReceivedFiles, "reserve", slowly)
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    hand.whole_secure_stream()
    await reserving.wait()
    peer = pair.bravo.peers.by_name("alpha")
    assert peer is not None
    pair.bravo.attempts.drop(peer.id, "the pairing was removed")
    for _ in range(10):
        await asyncio.sleep(0)
    assert pair.bravo.files() > 0
    go_on.set()
    assert "the pairing was removed" in str(await refusal(hand))
    await nothing_left(pair)


@over("1+1", "3+2")
async def test_three_attempts_while_the_first_is_being_committed_are_one_delivery(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    committing, go_on = commits_wait(monkeypatch)
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
    await nothing_left(pair, documents=1)


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


@over("1+1", "3+2")
async def test_a_delivery_that_was_beaten_to_it_answers_with_the_first_receipt(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two replicas may commit at once; the row's uniqueness decides."""
    real = Finalizer.commit
    other = ByHand.of(pair, DOCUMENT, mode="secure-only")

    async def beaten(self: Finalizer, stored: Sequence[Stored]) -> list[Stored]:
        monkeypatch.setattr(Finalizer, "commit", real)
        [one] = stored
        await real(self, [as_another_replica(one)])
        return await real(self, stored)

    monkeypatch.setattr(Finalizer, "commit", beaten)
    other.begin()
    other.whole_secure_stream()
    assert await other.outcome() == {"is": "receipt", "receipt": "the first", "durations": None}
    await nothing_left(pair, documents=1)


async def test_chunks_over_both_channels_at_once_are_one_delivery(pair: Pair) -> None:
    for _ in range(3):
        hand = ByHand.of(pair, DOCUMENT)
        hand.begin()
        hand.whole_secure_stream()
        attempt = await open_there(pair, hand)
        count = attempt.core.chunks.count
        await asyncio.gather(
            *(hand.put_plain(index) for index in range(count)),
            *(hand.put_securely(index) for index in reversed(range(count))),
            return_exceptions=True,
        )
        assert (await hand.outcome())["is"] == "receipt"
        await pair.arrived(hand.manifest.transfer_id, DOCUMENT)
    await nothing_left(pair, documents=3)


def commits_wait(monkeypatch: pytest.MonkeyPatch) -> tuple[asyncio.Event, asyncio.Event]:
    """From now on a commit waits: the first event tells that one does, the second lets it go on."""
    committing, go_on = asyncio.Event(), asyncio.Event()
    real = Finalizer.commit

    async def slowly(self: Finalizer, *arguments: Any) -> Any:
        committing.set()
        await go_on.wait()
        return await real(self, *arguments)

    monkeypatch.setattr(Finalizer, "commit", slowly)
    return committing, go_on


async def why_it_ended(hand: ByHand) -> str:
    """Told by a line of the answer; or in place of it, if its secure bytes were still on their way."""
    try:
        return str((await hand.outcome())["detail"])
    except PeerRefused as refused:
        return str(refused)


async def test_given_up_by_its_sender_it_ends_at_once_unless_it_is_too_late(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    hand.whole_secure_stream()
    await open_there(pair, hand)
    assert await hand.link.ask("DELETE", f"/v1/attempts/{hand.attempt.handle}") == {}
    assert "the sender gave it up" in await why_it_ended(hand)
    await nothing_left(pair)

    committing, go_on = commits_wait(monkeypatch)
    late = ByHand.of(pair, DOCUMENT, mode="secure-only")
    late.begin()
    late.whole_secure_stream()
    await committing.wait()
    giving_up = asyncio.create_task(late.link.ask("DELETE", f"/v1/attempts/{late.attempt.handle}"))
    go_on.set()
    await giving_up
    assert await late.link.receipt(late.manifest.transfer_id) == (await late.outcome())["receipt"]


@over("1+1")
@pytest.mark.parametrize("whole", [True, False])
async def test_given_up_at_another_replica_it_is_not_committed_any_more(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, whole: bool
) -> None:
    """The other one does not know the attempt, so the sender says "cancelled" once there is no receipt."""
    monkeypatch.setattr(pair.bravo.database, "is_shared", True)
    other = AttemptRegistry(pair.bravo.attempts.deps)
    committing, go_on = commits_wait(monkeypatch)
    hand = ByHand.of(pair, DOCUMENT, mode="secure-only")
    hand.begin()
    hand.whole_secure_stream()
    attempt = await open_there(pair, hand)
    await committing.wait()
    for transfer_id in ("another", None if whole else hand.manifest.transfer_id):
        with pytest.raises(PeerRefused, match="no such attempt"):
            await other.abandon(attempt.peer, hand.attempt.handle, transfer_id)
    go_on.set()
    assert "the sender gave it up" in await why_it_ended(hand)
    await nothing_left(pair)
    assert await pair.bravo.entries(pair.bruno) == []

    again = ByHand.of(pair, DOCUMENT, mode="secure-only", manifest=hand.manifest, number=2)
    again.begin()
    again.whole_secure_stream()
    assert (await again.outcome())["is"] == "receipt"


@over("1+1")
async def test_a_peer_that_gives_up_attempts_without_end_stores_little(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(pair.bravo.database, "is_shared", True)
    monkeypatch.setattr(abandoned_attempts, "MOST", 3)
    hand = ByHand.of(pair, DOCUMENT, mode="secure-only")

    async def kept() -> int:
        async with pair.bravo.database.read() as session:
            return len((await session.scalars(select(UsedOnce.key))).all())

    for number in range(5):
        with pytest.raises(PeerRefused, match="no such attempt"):
            await hand.link.ask("DELETE", f"/v1/attempts/{number}")
    assert await kept() == 3
    assert [said for said in caplog.messages if "gave up" in said] == [
        "alpha gave up more than 3 attempts that are not here, within 10 minutes: further ones are not noted"
    ]
    async with pair.bravo.database.write() as session:
        await abandoned_attempts.note(session, "another peer", "1", None, now_ns())
        assert await abandoned_attempts.among(session, "another peer", "1", ["a"]) == {"a"}
    assert await kept() == 4
    # Later the peer gives up attempts again.
    async with pair.bravo.database.write() as session:
        await session.execute(update(UsedOnce).values(until_ns=1))
    with pytest.raises(PeerRefused, match="no such attempt"):
        await hand.link.ask("DELETE", "/v1/attempts/again")
    assert await kept() == 1


@over("1+1", "3+2")
async def test_at_the_end_what_is_being_committed_is_finished_and_the_rest_is_not(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    committing, go_on = commits_wait(monkeypatch)
    done = ByHand.of(pair, DOCUMENT, mode="secure-only")
    done.begin()
    done.whole_secure_stream()
    await committing.wait()
    open_one = ByHand.of(pair, DOCUMENT)
    open_one.begin()
    open_one.whole_secure_stream()
    await open_there(pair, open_one)
    settling = asyncio.create_task(pair.bravo.attempts.settle())
    assert "shutting down" in await why_it_ended(open_one)
    late = ByHand.of(pair, DOCUMENT)
    late.begin()
    late.whole_secure_stream()
    assert "shutting down" in str(await refusal(late))
    assert not settling.done()
    go_on.set()
    await settling
    assert (await done.outcome())["is"] == "receipt"
    await nothing_left(pair, documents=1)
