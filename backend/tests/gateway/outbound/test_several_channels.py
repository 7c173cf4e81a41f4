"""N secure and M plain channels between real gateways: each carries its part, and one that is cut costs a detour."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from blake3 import blake3

from gateway.by_hand import ByHand, attempt_of, untraced
from gateway.two_gateways import Pair, document, until
from sieve.channel.attempt import Plan
from sieve.core.document import Document
from sieve.gateway.errors import PeerRefused
from sieve.gateway.inbound import attempt_registry
from sieve.gateway.inbound.finalizer import Finalizer
from sieve.gateway.inbound.in_order_digest import InOrderDigest
from sieve.gateway.inbound.incoming_attempt import IncomingAttempt
from sieve.gateway.peering.hello import Hello
from sieve.gateway.peering.links import Link
from sieve.store.blobs import ScatteredWriter
from sieve.store.models import Mark
from sieve.store.queries import outbox
from sieve.store.queries import timing_marks as mark_queries
from sieve.store.sealed_blob import SEGMENT

SEVERAL = Plan("sieve", 3, 2)
# Half of it is classified, in a few long spans and many short ones.
LARGE = Document(
    blake3(b"large").digest(length=6_000_000),
    [(0, 2_000_000), *((2_000_000 + at, 2_000_000 + at + 500) for at in range(0, 2_000_000, 1000))],
)


async def pieces_of(data: bytes, size: int = 65536) -> AsyncIterator[bytes]:
    for at in range(0, len(data), size):
        yield data[at : at + size]


# --- what goes where -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "plan",
    [
        SEVERAL,
        Plan("secure-only", 3),
        *(
            pytest.param(plan, marks=pytest.mark.soak)
            for plan in (Plan("sieve", 2, 3, "es"), Plan("sieve", 3, 2, "ss"))
        ),
    ],
)
async def test_every_channel_has_its_progress(pair: Pair, plan: Plan) -> None:
    transfer_id = await pair.send(LARGE, plan)
    whole = await pair.alpha.becomes(transfer_id, lambda progress: progress.verified and bool(progress.channels))
    assert {channel.kind for channel in whole.channels} == ({"secure", "plain"} if plan.mode == "sieve" else {"secure"})
    for kind, count, sent in (
        ("secure", plan.secure_channels, whole.secure_sent),
        ("plain", plan.plain_channels if plan.mode == "sieve" else 0, whole.plain_sent),
    ):
        of_kind = [channel for channel in whole.channels if channel.kind == kind]
        assert [channel.number for channel in of_kind] == list(range(count))
        assert all(0 < channel.sent == channel.total for channel in of_kind)
        assert sum(channel.sent for channel in of_kind) == sent
    assert whole.secure_sent + whole.plain_sent == LARGE.size
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    await pair.arrived(transfer_id, LARGE)


async def test_both_sides_mark_the_times_of_each_channel(pair: Pair) -> None:
    transfer_id = await pair.delivers(LARGE, SEVERAL)
    sent, received = await _marks(pair, transfer_id)
    secure, plain = {"secure-0", "secure-1", "secure-2"}, {"plain-0", "plain-1"}
    for name in ("first-byte", "last-byte"):
        assert {mark.channel for mark in sent if mark.name == name} == secure | plain
        assert {mark.channel for mark in received if mark.name == name} == secure | plain
    assert {mark.channel for mark in sent if mark.name == "handshaken"} == secure
    assert {mark.channel for mark in sent if mark.name == "connected"} == secure | plain
    assert {mark.channel for mark in sent if mark.name == "acknowledged"} == secure | plain
    [answered] = [mark for mark in sent if mark.name == "answered"]
    assert answered.at_ns >= max(mark.at_ns for mark in sent if mark.name == "last-byte" and mark.channel in plain)


async def _marks(pair: Pair, transfer_id: str) -> tuple[list[Mark], list[Mark]]:
    async with pair.alpha.database.read() as session:
        sent = list((await mark_queries.of_last_attempts(session, [transfer_id]))[transfer_id])
    async with pair.bravo.database.read() as session:
        received = list(await mark_queries.of_attempt(session, transfer_id, 1, "receiver"))
    return sent, received


async def test_the_plan_is_stored_with_the_transfer_and_its_attempt(pair: Pair) -> None:
    transfer_id = await pair.delivers(document(), SEVERAL)
    row = await pair.alpha.row(transfer_id)
    assert (row.secure_channels, row.plain_channels, row.split) == (3, 2, "range")
    async with pair.alpha.database.read() as session:
        (attempt,) = await outbox.attempts(session, transfer_id)
    assert attempt.plan == row.plan
    assert '"secure_channels": 3' in (row.plan or "") and '"note": null' in (row.plan or "")


# --- a channel is cut ------------------------------------------------------------------------------------------------


async def test_a_secure_channel_that_is_cut_mid_way_resumes_from_what_is_held(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Link.stream
    paths: list[str] = []

    @asynccontextmanager
    async def cutting(
        self: Link, method: str, path: str, content: AsyncIterator[bytes], length: int, trace: Callable[..., Any]
    ) -> AsyncIterator[httpx.Response]:
        if method == "PUT":
            paths.append(path.rpartition("/")[2])
        if paths and path.endswith("/1?from=0"):
            content = _cut_after(content, 2, pair)
        async with real(self, method, path, content, length, trace) as response:
            yield response

    monkeypatch.setattr(Link, "stream", cutting)
    transfer_id = await pair.delivers(LARGE, SEVERAL)
    assert (await pair.alpha.row(transfer_id)).attempt == 1
    # A sub-stream that overtakes its opening for too long is refused and begins again.
    assert set(paths[:2]) == {"1?from=0", "2?from=0"}
    on = [path.split("?from=") for path in paths if not path.endswith("?from=0")]
    assert on and all(sub_stream == "1" and 0 < int(start) < 1_000_000 for sub_stream, start in on), paths


async def _cut_after(content: AsyncIterator[bytes], count: int, pair: Pair) -> AsyncIterator[bytes]:
    """The connection breaks after so many pieces, once the first of them arrived."""
    async for piece in content:
        yield piece
        count -= 1
        if not count:
            await until(lambda: any(r.core.secure_held[1] for r in pair.bravo.attempts.attempts.values()))
            raise httpx.WriteError("cut")


async def test_of_a_plain_channel_that_is_down_the_others_take_the_chunks(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Link.put_plain
    lanes: list[tuple[str, str]] = []

    async def one_is_down(self: Link, path: str, *arguments: Any, **more: Any) -> None:
        lane = more["lane"].rpartition(" ")[2]
        if lane == "1":
            raise httpx.ConnectError("down")
        lanes.append((lane, path.split("/")[2]))
        await real(self, path, *arguments, **more)

    monkeypatch.setattr(Link, "put_plain", one_is_down)
    securely: list[str] = []
    monkeypatch.setattr(IncomingAttempt, "secure_chunk", lambda self, index, data: securely.append(index))
    await pair.delivers(document(8_000_000, 3), Plan("sieve", 1, 2))
    assert {lane for lane, _ in lanes} == {"0"}
    assert {sub_stream for _, sub_stream in lanes} == {"0", "1"}
    assert securely == []


# --- what the receiver takes -----------------------------------------------------------------------------------------


def on(hand: ByHand, sub_stream: int, start: int, data: bytes, length: int | None = None) -> Any:
    path = f"/v1/attempts/{hand.attempt.handle}/secure/{sub_stream}?from={start}"
    return hand.link.stream("PUT", path, pieces_of(data), len(data) if length is None else length, untraced)


async def put_on(hand: ByHand, sub_stream: int, start: int, data: bytes) -> None:
    async with on(hand, sub_stream, start, data) as response:
        await response.aread()


def parts(hand: ByHand) -> list[bytes]:
    return [hand.secure_part(number) for number in range(hand.attempt.plan.secure_channels)]


async def test_a_sub_stream_that_overtakes_the_opening_waits_for_it(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempt_registry, "EXPECTED_S", 60)
    hand = ByHand.of(pair, document(), plan=Plan("sieve", 2))
    early = asyncio.create_task(put_on(hand, 1, 0, parts(hand)[1]))
    await until(lambda: pair.bravo.attempts.expecting == 1)
    hand.begin()
    hand.secure(parts(hand)[0])
    hand.end()
    await early
    await hand.whole_plain_stream()
    assert (await hand.outcome())["is"] == "receipt"
    assert pair.bravo.attempts.expecting == 0


async def test_one_whose_opening_does_not_come_waits_a_little_and_is_refused(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempt_registry, "EXPECTED_S", 0.05)
    hand = ByHand.of(pair, document(), plan=Plan("sieve", 2))
    with pytest.raises(PeerRefused) as refused:
        await put_on(hand, 1, 0, parts(hand)[1])
    assert (refused.value.kind, refused.value.permanent) == ("unknown-attempt", False)
    monkeypatch.setattr(attempt_registry, "EXPECTED_AT_ONCE", 0)  # no place to wait in
    monkeypatch.setattr(attempt_registry, "EXPECTED_S", 60)
    with pytest.raises(PeerRefused, match="no such attempt"):
        await put_on(hand, 1, 0, parts(hand)[1])


async def test_a_sub_stream_is_sent_on_from_what_is_held_or_before(pair: Pair) -> None:
    hand = ByHand.of(pair, document(300_000, 3, spare=50_000), plan=Plan("sieve", 2))
    second = parts(hand)[1]
    hand.begin()
    hand.secure(parts(hand)[0])
    hand.end()
    slow = asyncio.Event()

    async def half() -> AsyncIterator[bytes]:
        yield second[:40_000]
        await slow.wait()

    path = f"/v1/attempts/{hand.attempt.handle}/secure/1?from=0"

    async def first_try() -> None:
        async with hand.link.stream("PUT", path, half(), len(second), untraced):
            pass

    trying = asyncio.create_task(first_try())
    handle = hand.attempt.handle

    async def held() -> bool:
        try:
            return bool(
                (await hand.link.ask("GET", f"/v1/attempts/{handle}"))["secure"] == [len(parts(hand)[0]), 40_000]
            )
        except PeerRefused:
            return False

    await until(held)
    await put_on(hand, 1, 30_000, second[30_000:])  # some of it once more: it is left out
    trying.cancel()
    await asyncio.gather(trying, return_exceptions=True)
    await hand.whole_plain_stream()
    assert (await hand.outcome())["is"] == "receipt"


async def test_what_an_earlier_request_still_brings_of_a_sub_stream_counts_no_more(pair: Pair) -> None:
    """What was under way when its connection was cut may arrive behind the first bytes of who sends it on."""
    hand = ByHand.of(pair, document(300_000, 3, spare=50_000), plan=Plan("sieve", 2))
    second = parts(hand)[1]
    hand.begin()
    hand.secure(parts(hand)[0])
    hand.end()
    late, rest = asyncio.Event(), asyncio.Event()

    async def send(start: int, until_then: int, go_on: asyncio.Event) -> None:
        async def pieces() -> AsyncIterator[bytes]:
            yield second[start:until_then]
            await go_on.wait()
            yield second[until_then:]

        path = f"/v1/attempts/{hand.attempt.handle}/secure/1?from={start}"
        async with hand.link.stream("PUT", path, pieces(), len(second) - start, untraced):
            pass

    def held(size: int) -> Callable[[], bool]:
        return lambda: any(r.core.secure_held[1] == size for r in pair.bravo.attempts.attempts.values())

    earlier = asyncio.create_task(send(0, 40_000, late))
    await until(held(40_000))
    later = asyncio.create_task(send(30_000, 50_000, rest))
    await until(held(50_000))
    late.set()
    with pytest.raises(PeerRefused) as refused:
        await earlier
    assert (refused.value.kind, refused.value.permanent) == ("conflict", False)
    rest.set()
    await later
    await hand.whole_plain_stream()
    assert (await hand.outcome())["is"] == "receipt"


async def test_a_request_that_brings_too_much_while_it_is_committed_takes_nothing_away(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, committing, go_on = Finalizer.commit, asyncio.Event(), asyncio.Event()

    async def slowly(self: Finalizer, *arguments: Any) -> Any:
        committing.set()
        await go_on.wait()
        return await commit(self, *arguments)

    monkeypatch.setattr(Finalizer, "commit", slowly)
    sent = document()
    hand = ByHand.of(pair, sent, plan=Plan("sieve", 2))
    hand.begin()
    hand.secure(parts(hand)[0])
    hand.end()
    await put_on(hand, 1, 0, parts(hand)[1])
    await hand.whole_plain_stream()
    await committing.wait()
    with pytest.raises(PeerRefused, match="more bytes than"):
        await put_on(hand, 1, 0, parts(hand)[1] + b"!")
    go_on.set()
    assert (await hand.outcome())["is"] == "receipt"
    await pair.arrived(hand.manifest.transfer_id, sent)


async def test_a_sub_stream_that_is_not_due_ends_the_attempt(pair: Pair) -> None:
    for sub_stream, start, size in ((0, 0, 5), (2, 0, 5), (1, 9, 5), (1, -1, 5), (1, 0, 10_000), (1, 0, 5)):
        hand = ByHand.of(pair, document(), plan=Plan("sieve", 2))
        hand.begin()
        # mypy cannot infer a lambda with a default, which binds this turn's hand.
        await until(lambda hand=hand: attempt_of(pair, hand) is not None)  # type: ignore[misc]
        with pytest.raises(PeerRefused) as refused:
            await put_on(hand, sub_stream, start, bytes(size))
        assert (refused.value.kind, refused.value.permanent) == ("protocol", True), (sub_stream, start, size)
        await until(lambda: not pair.bravo.attempts.under_way)
        await hand.cut()


async def test_what_runs_ahead_is_not_read_on(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sealed segments that are not whole are held in memory: few, whatever the split deals to whom."""
    most = 0
    real = ScatteredWriter.write_at

    def watched(self: ScatteredWriter, offset: int, data: Any) -> None:
        nonlocal most
        real(self, offset, data)
        most = max(most, self.held)

    monkeypatch.setattr(ScatteredWriter, "write_at", watched)
    content = blake3(b"secret").digest(length=8_000_000)
    spans = [(at, min(at + 1500, len(content))) for at in range(0, len(content), 1500)]
    await pair.delivers(Document(content, spans), Plan("sieve", 4, 1, "es"))
    # Two for each, two spare, and what one step of each may begin beyond them.
    assert 4 <= most <= 2 * 4 + 2 + 4 * (4 * 65536 // SEGMENT + 1)


# --- an older peer ---------------------------------------------------------------------------------------------------


async def test_a_peer_of_version_1_gets_one_channel_of_each_kind_and_a_note(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Link.hello

    async def older(self: Link, *arguments: Any) -> Hello:
        hello = await real(self, *arguments)
        return Hello(hello.name, (1,), hello.max_document_bytes, hello.plain_url)

    monkeypatch.setattr(Link, "hello", older)
    transfer_id = await pair.delivers(document(), Plan("sieve", 3, 2, "es"))
    row = await pair.alpha.row(transfer_id)
    assert (row.secure_channels, row.plain_channels, row.split) == (3, 2, "es")  # what was asked stays
    assert "for research" not in (row.plan or ""), "nothing is seen of one channel"
    for said in ('"secure_channels": 1', '"plain_channels": 1', '"split": "range"', "bravo speaks version 1"):
        assert said in (row.plan or "")
    _, received = await _marks(pair, transfer_id)
    assert {mark.channel for mark in received} == {"", "secure-0", "plain-0"}


# --- the digest ------------------------------------------------------------------------------------------------------


def test_only_what_came_out_of_order_is_read_again() -> None:
    stream = blake3(b"stream").digest(length=600_000)
    digest = InOrderDigest(len(stream))
    digest.update(0, stream[:100_000])
    digest.update(300_000, stream[300_000:])
    digest.update(100_000, stream[100_000:200_000])
    assert digest.missing == 400_000
    asked: list[tuple[int, int]] = []

    def read(start: int, end: int) -> bytes:
        asked.append((start, end))
        return stream[start:end]

    assert digest.digest(read) == blake3(stream).digest()
    assert asked == [(200_000, 262_144), (262_144, 524_288), (524_288, 600_000)]
