"""Partials: what the receiver keeps of a broken attempt, reports and accepts again, against senders made by hand."""

import asyncio
import socket
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from databases import writing_connection
from gateway.by_hand import ByHand, attempt_of, manifest_of, nothing_left, open_there, partials, under_way
from gateway.two_gateways import RECEIVING, WORKER, Pair, document, until
from sieve.channel.held_ranges import Held
from sieve.channel.receiver import Receiver
from sieve.core.document import Document
from sieve.gateway.clock import Clock, now_ns
from sieve.gateway.errors import PeerRefused
from sieve.gateway.inbound.incoming_attempt import IncomingAttempt
from sieve.gateway.inbound.partials import KEPT_NS, Partials
from sieve.gateway.inbound.partials import Partial as Kept
from sieve.gateway.inbound.received_files import ReceivedFiles
from sieve.gateway.peering.links import Link
from sieve.store.blobs import StorageFull
from sieve.store.errors import DatabaseUnwritable, StoreError
from sieve.store.queries import partials as queries
from sieve.store.sealed_blob import SEGMENT

MIB = 1024 * 1024
SENT = document(3 * MIB, 2, MIB)


async def broke_off(pair: Pair, sent: Document = SENT, *, chunks: int = 1, **changes: Any) -> ByHand:
    """An attempt that brought 600,000 classified bytes and some chunks, and is gone; but bravo may not know yet."""
    hand = ByHand.of(pair, sent, **changes)
    hand.begin()
    hand.secure(hand.secure_part(0)[:600_000])
    attempt = await open_there(pair, hand)
    for number in range(chunks):
        await hand.put_plain(number)
    await until(lambda: attempt.core.secure_held[0] == 600_000 and len(attempt.core.held) == chunks)
    return hand


async def ask(hand: ByHand, number: int = 2) -> dict[str, Any]:
    return await hand.link.ask("GET", f"/v1/transfers/{hand.manifest.transfer_id}/receipt?attempt={number}")


def sent_in(hand: ByHand, chunk: int) -> tuple[int, int]:
    """The position of a chunk's bytes in the plain stream."""
    [(start, end)] = hand.chunks.ranges(chunk)
    [part] = hand.load.plain.parts(start, end)
    return part.start, part.end


async def refused(hand: ByHand) -> PeerRefused:
    """The refusal of its opening, which the sender gets after its body."""
    hand.begin()
    hand.whole_secure_stream()
    with pytest.raises(PeerRefused) as refused:
        await hand.hear()
    return refused.value


def held_in(answer: dict[str, Any]) -> Held:
    return Held.from_json({name: answer["held"][name] for name in ("classified", "plain")})


async def test_the_answer_names_what_is_held_and_the_next_attempt_resumes(pair: Pair) -> None:
    first = await broke_off(pair)
    await first.cut()
    answer = await ask(first)
    held = held_in(answer)
    # Whole sealed segments, and whole chunks.
    assert held == Held(((0, 2 * SEGMENT),), ((0, first.chunks.length(0)),))
    assert answer["held"]["manifest_digest"] == first.manifest.digest and answer["receipt"] is None
    [row] = await partials(pair)
    assert row.size == SENT.size and row.blob_ids.split()
    second = ByHand.of(pair, SENT, number=2, manifest=first.manifest, held=held)
    second.begin()
    await second.whole()
    assert (await second.outcome())["is"] == "receipt"
    await pair.arrived(first.manifest.transfer_id, SENT)
    await nothing_left(pair, documents=1)
    assert await partials(pair) == []
    assert "held" not in await ask(first, 3)


async def test_a_newer_attempt_ends_an_older_one_and_keeps_its_bytes(pair: Pair) -> None:
    """A link that broke without a word: bravo still waits for the first attempt when the second one asks."""
    first = await broke_off(pair)
    assert under_way(pair) == 1
    assert (await ask(first, 1))["held"] is None, "the same attempt asks for nothing"
    assert under_way(pair) == 1
    held = held_in(await ask(first))
    assert held.size > 0 and under_way(pair) == 0
    second = ByHand.of(pair, SENT, number=2, manifest=first.manifest, held=held)
    second.begin()
    await second.whole()
    assert (await second.outcome())["is"] == "receipt"
    await first.cut()


async def test_a_resumed_attempt_can_be_resumed_again(pair: Pair) -> None:
    first = await broke_off(pair, chunks=0)
    held = held_in(await ask(first))
    assert held.plain == ()
    second = ByHand.of(pair, SENT, number=2, manifest=first.manifest, held=held)
    second.begin()
    second.secure(second.secure_part(0)[:1_200_000])
    attempt = await open_there(pair, second)
    await second.put_plain(1)
    await until(lambda: attempt.core.secure_held[0] == 1_200_000 and len(attempt.core.held) == 1)
    # Without a question: the opening itself may say what was held before, and that is less by now.
    third = ByHand.of(pair, SENT, number=3, manifest=first.manifest, held=held)
    refusal = await refused(third)
    assert (refusal.kind, refusal.permanent) == ("not-held", False)
    more = held_in(await ask(first, 4))
    assert more.size > held.size and set(more.plain) == {sent_in(second, 1)}
    fourth = ByHand.of(pair, SENT, number=4, manifest=first.manifest, held=more, mode="secure-only")
    fourth.begin()
    await fourth.whole()
    assert (await fourth.outcome())["is"] == "receipt"
    await pair.arrived(first.manifest.transfer_id, SENT)
    for hand in (first, second, third):
        await hand.cut()


async def test_ranges_that_are_not_held_are_refused_and_the_next_attempt_starts_over(pair: Pair) -> None:
    first = await broke_off(pair)
    held = held_in(await ask(first))
    wrong = replace(held, plain=((0, held.plain[0][1] - 1),))
    for number, claimed in ((2, wrong), (3, Held(held.classified)), (4, replace(held, classified=((0, 3 * SEGMENT),)))):
        hand = ByHand.of(pair, SENT, number=number, manifest=first.manifest, held=claimed)
        refusal = await refused(hand)
        assert (refusal.kind, refusal.permanent) == ("not-held", False)
        assert held_in(await ask(first, number)) == held, "nothing was lost by it"
        await hand.cut()
    await pair.bravo.attempts.deps.partials.drop_oldest()  # between question and opening
    gone = ByHand.of(pair, SENT, number=5, manifest=first.manifest, held=held)
    assert "starts over" in str(await refused(gone))
    assert (await ask(first, 6))["held"] is None
    await nothing_left(pair)
    for hand in (first, gone):
        await hand.cut()


async def test_another_manifest_reuses_no_partial(pair: Pair) -> None:
    first = await broke_off(pair)
    other = replace(first.manifest, name="other.txt")
    under_other = ByHand.of(pair, SENT, number=2, manifest=other)
    assert (await refused(under_other)).kind == "conflict", "as long as the first is under way"
    held = held_in(await ask(first))
    claiming = ByHand.of(pair, SENT, number=3, manifest=other, held=held)
    assert (await refused(claiming)).kind == "not-held"
    other_one = ByHand.of(pair, SENT, number=4, manifest=other)
    other_one.begin()
    await other_one.whole()
    assert (await other_one.outcome())["is"] == "receipt"
    await nothing_left(pair, documents=1)
    assert await partials(pair) == []
    for hand in (first, under_other, claiming):
        await hand.cut()


async def test_an_attempt_that_does_not_ask_starts_over(pair: Pair) -> None:
    """As gateways do that know nothing of it."""
    first = await broke_off(pair)
    assert await first.link.ask("GET", f"/v1/transfers/{first.manifest.transfer_id}/receipt") == {"receipt": None}
    second = ByHand.of(pair, SENT, number=2, manifest=first.manifest)
    second.begin()
    await second.whole()
    assert (await second.outcome())["is"] == "receipt"
    await nothing_left(pair, documents=1)
    assert await partials(pair) == []
    await first.cut()


@pytest.fixture
async def slow_keeping(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[asyncio.Event]:
    """Bravo's disk takes what broken attempts leave only once this is set."""
    go_on, keep = asyncio.Event(), Partials.keep

    async def slowly(self: Partials, *asked: Any) -> None:
        await go_on.wait()
        await keep(self, *asked)

    monkeypatch.setattr(Partials, "keep", slowly)
    yield go_on
    go_on.set()


async def test_an_attempt_that_waits_for_an_older_one_does_not_stall(pair: Pair, slow_keeping: asyncio.Event) -> None:
    """Until it may begin, bravo reads nothing from its sender."""
    first = await broke_off(pair)
    second = ByHand.of(pair, SENT, number=2, manifest=first.manifest)
    second.begin()
    await until(lambda: attempt_of(pair, second) is not None)
    waiting = attempt_of(pair, second)
    assert waiting is not None
    waiting.last_news_s -= RECEIVING.stall_s  # the event loop's clock is also that of all else
    slow_keeping.set()
    await second.whole()
    assert (await second.outcome())["is"] == "receipt"
    await nothing_left(pair, documents=1)
    await first.cut()


async def test_nothing_is_discarded_that_takes_long_to_store(
    pair: Pair, slow_keeping: asyncio.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An attempt that found nothing held would start over."""
    monkeypatch.setattr("sieve.gateway.inbound.attempt_registry.MAKE_WAY_S", 0.01)
    first = await broke_off(pair)
    with pytest.raises(PeerRefused) as refusal:
        await ask(first)
    assert (refusal.value.kind, refusal.value.permanent) == ("busy", False)
    slow_keeping.set()
    await until(lambda: under_way(pair) == 0)
    assert held_in(await ask(first))
    await first.cut()


async def test_small_and_wrong_documents_leave_no_partial(pair: Pair) -> None:
    small = await broke_off(pair, document(MIB - 1, 1, 700_000))
    assert (await ask(small))["held"] is None
    wrong = ByHand.of(pair, SENT)
    wrong.documents[0] = wrong.streams._replace(secure=bytes(len(wrong.streams.secure)))
    wrong.begin()
    await wrong.whole()
    assert "does not fit its digest" in (await wrong.outcome())["detail"]
    assert (await ask(wrong))["held"] is None, "or it would be wrong for ever"
    await nothing_left(pair)
    await small.cut()


async def test_abandoning_an_attempt_removes_its_partial(pair: Pair) -> None:
    first = await broke_off(pair)
    await first.link.ask("DELETE", f"/v1/attempts/{first.attempt.handle}")
    assert (await ask(first))["held"] is None
    await nothing_left(pair)
    await first.cut()


@pytest.mark.parametrize("why", ["deadline", "untouched", "removed"])
async def test_a_partial_that_is_not_resumed_is_removed(pair: Pair, why: str) -> None:
    first = await broke_off(pair)
    assert held_in(await ask(first))
    kept, now = pair.bravo.attempts.deps.partials, now_ns()
    await kept.purge(lambda _: True)
    assert len(await partials(pair)) == 1
    if why == "deadline":
        kept.clock = Clock(wall=lambda: first.manifest.deadline_at_ns)
    elif why == "untouched":
        kept.clock = Clock(wall=lambda: now + KEPT_NS)
    await kept.purge(lambda _: why != "removed")
    assert await partials(pair) == [] and (await ask(first))["held"] is None
    await nothing_left(pair)
    await first.cut()


async def test_partials_count_against_the_quota_and_make_room(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    oldest, older = await broke_off(pair), await broke_off(pair)
    for hand in (oldest, older):
        assert held_in(await ask(hand))
    pair.bravo.attempts.deps.settings = replace(RECEIVING, quota=7 * MIB)
    newer = await broke_off(pair)
    assert (await ask(oldest))["held"] is None and held_in(await ask(older)), "the oldest goes first"
    pair.bravo.attempts.deps.settings = RECEIVING
    # The disk is full as long as anything is kept.
    reserve, asked = ReceivedFiles.reserve, list[bool]()

    def full(self: ReceivedFiles) -> None:
        asked.append(True)
        if pair.bravo.attempts.deps.partials.sizes(newer_peer):
            raise StorageFull("full")
        reserve(self)

    newer_peer = (await partials(pair))[0].peer_id
    monkeypatch.setattr(ReceivedFiles, "reserve", full)
    newest = await broke_off(pair)
    # On a slow machine bravo may know by now that the newer one broke off: then that goes, too.
    assert len(asked) > 1 and (await ask(older))["held"] is None
    for hand in (oldest, older, newer, newest):
        await hand.cut()


async def test_the_number_of_partials_is_limited(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sieve.gateway.inbound.partials.MOST", 2)
    hands = [await broke_off(pair) for _ in range(3)]
    for hand in hands:
        await ask(hand)
    assert [(await ask(hand, 3))["held"] is None for hand in hands] == [True, False, False]
    for hand in hands:
        await hand.cut()


async def test_a_damaged_partial_is_found_and_the_transfer_starts_over(pair: Pair) -> None:
    for kind in ("sealed", "plain", "gone"):
        first = await broke_off(pair)
        held = held_in(await ask(first))
        [row] = await partials(pair)
        which = row.blob_ids.split()[kind != "plain"]
        [path] = [path for path in pair.bravo.blob_paths() if path.name == which]
        if kind == "gone":
            path.unlink()
        else:
            with path.open("r+b") as file:
                file.seek(1000)
                file.write(b"changed")
        second = ByHand.of(pair, SENT, number=2, manifest=first.manifest, held=held)
        if kind == "gone":
            await refused(second)
        else:
            second.begin()
            await second.whole()
            assert (await second.outcome())["is"] == "failed"
        assert (await ask(first, 3))["held"] is None
        await nothing_left(pair)
        await first.cut()
        await second.cut()


async def test_a_failing_disk_only_delays_the_removal(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """What ends `run` would end the gateway."""
    first = await broke_off(pair)
    assert held_in(await ask(first))
    kept = pair.bravo.attempts.deps.partials
    troubles: list[StoreError] = [DatabaseUnwritable("the database cannot be written: its disk fails")]
    real = queries.remove

    async def remove(*asked: Any) -> None:
        if troubles:
            raise troubles.pop()
        await real(*asked)

    monkeypatch.setattr(queries, "remove", remove)
    await kept.drop_oldest()
    assert (troubles, len(await partials(pair))) == ([], 1)
    await kept.clear_away()
    assert await partials(pair) == []
    await nothing_left(pair)
    await first.cut()


async def test_progress_is_recorded_during_an_attempt(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """So a crash loses little: after it, only what is recorded counts."""
    monkeypatch.setattr("sieve.gateway.inbound.incoming_attempt.RECORD_EVERY_S", 0.02)
    monkeypatch.setattr("sieve.gateway.inbound.incoming_attempt.RECORD_AT", 1)
    first = await broke_off(pair)

    async def recorded() -> bool:
        return bool(await partials(pair))

    await until(recorded)
    [row] = await partials(pair)
    after = Kept.from_row(row, pair.bravo.blobs)
    assert after is not None and after.kept.held.size > 0
    held = held_in(await ask(first))
    assert after.kept.held.size <= held.size
    await first.cut()


async def test_a_start_removes_partials_that_cannot_be_resumed(pair: Pair) -> None:
    first, second = await broke_off(pair), await broke_off(pair)
    for hand in (first, second):
        assert held_in(await ask(hand))
        await hand.cut()
    [row, _] = await partials(pair)
    await pair.bravo.stop()
    for path in pair.bravo.blob_paths():
        if path.name == row.blob_ids.split()[0]:
            path.unlink()
    await pair.bravo.start()
    assert len(await partials(pair)) == 1
    assert [(await ask(hand, 3))["held"] is None for hand in (first, second)].count(True) == 1


async def test_documents_of_a_batch_are_resumed_alone(pair: Pair) -> None:
    sent = [document(2 * MIB, 1, MIB), document(1000, 1, 10), document(2 * MIB, 1, MIB)]
    hand = ByHand.of_several(pair, [(each, manifest_of(each)) for each in sent])
    hand.begin()
    hand.secure(hand.secure_part(0)[: MIB + 10 + MIB // 2])
    attempt = await open_there(pair, hand)
    await hand.put_plain(0)
    await until(lambda: attempt.core.secure_held[0] == MIB + 10 + MIB // 2 and len(attempt.core.held) == 1)
    await hand.cut()
    for number, (each, manifest) in enumerate(zip(sent, hand.load.manifests, strict=True)):
        path = f"/v1/transfers/{manifest.transfer_id}/receipt?attempt=2"
        answer = await hand.link.ask("GET", path)
        held = Held() if number == 1 else held_in(answer)
        assert bool(held) == (number != 1)
        again = ByHand.of(pair, each, number=2, manifest=manifest, held=held)
        again.begin()
        await again.whole()
        assert (await again.outcome())["is"] == "receipt"
        await pair.arrived(manifest.transfer_id, each)
    await nothing_left(pair, documents=3)


async def test_nothing_of_a_partial_is_stored_unencrypted(pair: Pair) -> None:
    """Neither what is classified, nor where it belongs, nor how much of it came."""
    hand = await broke_off(pair)
    held = held_in(await ask(hand))
    stored = b"".join(path.read_bytes() for path in pair.bravo.folder.rglob("*") if path.is_file())
    secret, plain = hand.streams
    assert plain[:1000] in stored, "the search finds what is there"
    for at in range(0, 600_000, 1000):
        assert secret[at : at + 32] not in stored
    assert SENT.spans.to_bytes()[16:32] not in stored
    assert str(held.classified[0][1]).encode() not in stored
    await hand.cut()


async def test_a_partial_whose_row_cannot_be_written_uses_no_quota(pair: Pair) -> None:
    """On a full or read-only disk files go all the same, and nothing else fails."""
    first = await broke_off(pair)
    assert held_in(await ask(first))
    kept = pair.bravo.attempts.deps.partials
    connection = writing_connection(pair.bravo.database)
    connection.execute("PRAGMA query_only=ON")  # what a read-only disk is to SQLite
    await kept.purge(lambda _: False)
    assert (await ask(first))["held"] is None
    assert len(await partials(pair)) == 1 and pair.bravo.blob_paths() == []
    connection.execute("PRAGMA query_only=OFF")
    await kept.purge(lambda _: True)
    assert await partials(pair) == []
    await nothing_left(pair)
    await first.cut()


async def test_a_start_succeeds_even_if_rows_cannot_be_removed(pair: Pair) -> None:
    first = await broke_off(pair)
    assert held_in(await ask(first))
    await first.cut()
    [row] = await partials(pair)
    for path in pair.bravo.blob_paths():
        path.unlink()
    kept = Partials(pair.bravo.database, pair.bravo.blobs)
    connection = writing_connection(pair.bravo.database)
    connection.execute("PRAGMA query_only=ON")
    await kept.load()
    assert kept.sizes(row.peer_id) == {}
    connection.execute("PRAGMA query_only=OFF")
    await kept.load()
    assert await partials(pair) == []


async def test_a_document_that_lacks_only_the_commit_is_resumed_without_bytes(pair: Pair) -> None:
    """As after a crash between the last byte and the commit: the attempt that resumes carries no byte."""
    sent = document(3 * MIB, 1, 2 * SEGMENT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Receiver, "_when_whole", lambda _: [])  # a crash at this place leaves no other trace
        transfer_id = await pair.send(sent)
        await until(lambda: under_way(pair) == 1)
        [attempt] = pair.bravo.attempts.attempts.values()
        await until(lambda: attempt.core.held == frozenset(range(attempt.core.chunks.count)))
        await until(lambda: attempt.core.is_whole(0))
        # It waits for its next try meanwhile.
        pair.alpha.worker_settings = replace(WORKER, retry_first_s=1.0, retry_cap_s=1.0)
        pair.alpha.worker.settings = pair.alpha.worker_settings
        await pair.bravo.stop()
    await pair.bravo.start()
    [row] = await partials(pair)
    [kept] = pair.bravo.attempts.deps.partials.all()
    assert (kept.peer_id, kept.transfer_id) == (row.peer_id, transfer_id)
    assert kept.partial.kept.held.size == sent.size
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    await pair.arrived(transfer_id, sent)
    assert (await pair.alpha.row(transfer_id)).peer_holds == sent.size
    assert await partials(pair) == []


async def test_a_cancelled_transfer_leaves_no_partial_even_if_its_connection_ended_first(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, go_on = asyncio.Event(), asyncio.Event()
    secure_bytes, asks = IncomingAttempt.secure_bytes, Link.ask

    async def some(self: IncomingAttempt, data: bytes) -> None:
        if self.core.secure_held[0] > 2 * SEGMENT:
            there.set()
            await go_on.wait()
        await secure_bytes(self, data)

    async def ask(self: Link, method: str, *more: Any, **options: Any) -> dict[str, Any]:
        if method == "DELETE":
            go_on.set()
            await until(lambda: not under_way(pair))
            assert len(await partials(pair)) == 1
        return await asks(self, method, *more, **options)

    monkeypatch.setattr(IncomingAttempt, "secure_bytes", some)
    monkeypatch.setattr(Link, "ask", ask)
    # Sockets must not hold the rest of the classified stream: bravo would read it to its end, and deliver.
    pair.bravo.sockets["secure"].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
    transfer_id = await pair.send(document(24 * MIB, 2, 8 * MIB))
    await there.wait()
    await pair.alpha.transfer_queue.cancel(pair.anna, transfer_id)
    assert (await pair.alpha.ended(transfer_id)).state == "cancelled"
    assert await partials(pair) == []
    await nothing_left(pair)
