"""The two sides against each other, over a network that loses, repeats, reorders, changes, forges, lies and breaks.

Whatever it does: a transfer ends delivered with the very bytes that were sent, or failed with a reason. It is never
mixed, never delivered twice, and the plain channel carries chunks of the plain stream and nothing else. So it is over
one channel of each kind and over several, for a document alone and in a batch: a drawn way of each example.
"""

from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channel_cases import DEADLINE_NS, mark, plans
from examples import examples
from sieve.channel import sender
from sieve.channel.attempt import MODES, Mode, Plan
from sieve.channel.attempt_split import PlainSplit
from sieve.channel.chunk_sizes import MIN_CHUNK, ChunkPlan
from sieve.channel.opening import Opening
from sieve.channel.plain_patience import FRUITLESS_ROUNDS
from sieve.channel.receipt import verify
from sieve.core.split import SPLITS
from simulated_gateways import World
from simulated_network import LIMITS, SECOND_NS, TRUST, Fate
from simulated_receiver import SecureConnection
from simulated_sender import Sending

# Plain streams of no, one, two, three and five chunks, the last of them whole or short.
PLAIN_SIZES = (0, 1, MIN_CHUNK, MIN_CHUNK + 1, 3 * MIN_CHUNK - 5, 5 * MIN_CHUNK)
NEVER_NS = DEADLINE_NS * 1000

draws = st.sampled_from([0, 30, 150, 600, 2000]).flatmap(lambda size: st.binary(min_size=size, max_size=size))
Way = Literal["alone", "batch", "side by side"]
"""How the transfers of a world go."""


@st.composite
def transfers(draw: st.DrawFn, transfer: int, modes: tuple[Mode, ...], deadlines_ns: tuple[int, ...]) -> Sending:
    """A document of a size that matters, spans anywhere, in any of `modes`, over one channel of each kind or more."""
    classified = draw(st.lists(st.integers(0, 300), max_size=4))
    plain_size = draw(st.sampled_from(PLAIN_SIZES))
    # Where each span is in the plain stream.
    gaps = sorted(draw(st.lists(st.integers(0, plain_size), min_size=len(classified), max_size=len(classified))))
    spans, before = [], 0
    for gap, size in zip(gaps, classified, strict=True):
        spans.append((gap + before, gap + before + size))
        before += size
    document = mark(plain_size + before, spans, f"document {transfer}")
    plan = draw(st.builds(Plan, st.sampled_from(modes)) | plans(modes, splits=(*SPLITS, "bfs")))
    # Of a file, a redacted edition and marks come with it, and never in plain: they show where something is classified.
    sizes = [draw(st.sampled_from((0, 0, 1, 300))) for _ in range(2)]
    edition, marks = (mark(size, [(0, size)], f"beside {transfer}").content for size in sizes)
    return Sending(document, plan, transfer, draw(st.sampled_from(deadlines_ns)), edition, marks)


@st.composite
def worlds(
    draw: st.DrawFn,
    ways: tuple[Way, ...] = ("alone", "batch"),
    modes: tuple[Mode, ...] = ("sieve", "sieve", *MODES),
    deadlines_ns: tuple[int, ...] = (NEVER_NS,),
    plain_is_dead: bool = False,
) -> World:
    """One transfer, or more than the receiver takes at a time; on a network that is as kind as it happens to be."""
    way = draw(st.sampled_from(ways))
    count = 1 if way == "alone" else draw(st.integers(2, 1 + LIMITS.max_open_transfers))
    sendings = [draw(transfers(1 + number, modes, deadlines_ns)) for number in range(count)]
    fate, pads = Fate(draw(draws)), draw(st.booleans())
    return World(sendings, fate, together=way == "batch", plain_is_dead=plain_is_dead, pads=pads)


def check(world: World) -> None:
    """The promises, whatever happened."""
    bravo = world.bravo
    assert len(bravo.deliveries) == len(set(bravo.deliveries)), "delivered twice"
    for sending in world.sendings:
        stored = bravo.delivered.get(sending.manifest.transfer_id)
        if stored is not None:
            assert stored.content == sending.document.content
            assert stored.manifest == sending.manifest
            assert stored.accompanying == sending.accompanying
        if sending.receipt is not None:
            assert stored is not None and sending.receipt == stored.receipt
            verify(sending.receipt, TRUST.receipt_key).check(
                sending.manifest, sender_pin=TRUST.sender_pin, receiver_pin=next(iter(TRUST.receiver_pins))
            )
        else:
            assert sending.failure
    check_plain_wire(world)


def check_plain_wire(world: World) -> None:
    """Chunks of plain streams, cut by size alone, in the mode that allows it, each place with one seal."""
    allowed = {exchange.attempt.handle: exchange for exchange in world.exchanges if exchange.plan.mode == "sieve"}
    sealed: dict[tuple[str, int, int], bytes] = {}
    for chunk in world.plain_wire:
        exchange = allowed[chunk.handle]
        part = PlainSplit.of(exchange.load, exchange.plan).sub_streams()[chunk.sub_stream]
        plain = b"".join(sending.plain for sending in exchange.sendings.values())
        ranges = part.ranges(*ChunkPlan(part.size).bounds(chunk.index))
        assert chunk.data == b"".join(plain[start:end] for start, end in ranges)
        assert max(chunk.data) < 0x80, "a classified byte travelled in plain"
        assert sealed.setdefault((chunk.handle, chunk.sub_stream, chunk.index), chunk.seal) == chunk.seal


@settings(max_examples=examples(50), deadline=None)
@given(worlds())
def test_all_end_delivered_once_the_network_is_kind(world: World) -> None:
    world.run()
    check(world)
    for sending in world.sendings:
        assert sending.receipt is not None, sending.failure


@settings(max_examples=examples(40), deadline=None)
@given(worlds(ways=("side by side", "batch")))
def test_several_transfers_are_never_mixed(world: World) -> None:
    world.run()
    check(world)
    assert all(sending.receipt for sending in world.sendings)


@settings(max_examples=examples(30), deadline=None)
@given(worlds(ways=("side by side", "batch"), deadlines_ns=(SECOND_NS // 50, 2 * SECOND_NS, 30 * SECOND_NS)))
def test_with_a_deadline_it_is_delivered_or_fails_with_a_reason(world: World) -> None:
    world.run()
    check(world)


@settings(max_examples=examples(40), deadline=None)
@given(worlds(modes=("sieve",), plain_is_dead=True))
def test_a_dead_plain_channel_costs_time_and_nothing_else(world: World) -> None:
    world.run()
    check(world)
    assert all(sending.receipt for sending in world.sendings)


@settings(max_examples=examples(25), deadline=None)
@given(worlds(), st.integers(0, 10**16), st.booleans())
def test_what_was_delivered_and_comes_again_gets_its_stored_receipts(world: World, now_ns: int, whole: bool) -> None:
    """Byte for byte, with any attempt number, before or after the deadline; and nothing is delivered again."""
    world.run()
    came = world.exchanges[0]
    receipts = [sender.ReceiptArrived(each, sending.receipt or "") for each, sending in came.sendings.items()]
    for number in (1, world.sendings[0].attempts + 1, 2**31):
        attempt = replace(came.attempt, numbers=(number,) * len(receipts))
        connection = SecureConnection(world.bravo, came.load.is_batch)
        connection.bring(Opening(came.load, attempt).to_bytes() + (came.secure_part(0) if whole else b""), now_ns)
        connection.end()
        assert connection.answers == receipts
    check(world)


@settings(max_examples=examples(20), deadline=None)
@given(worlds(), st.sampled_from(["alone", "batch"]))
def test_the_same_id_with_another_manifest_never_gets_the_old_receipt(world: World, way: Way) -> None:
    """It fails for good; what travels with it arrives."""
    world.run()
    check(world)
    one = world.sendings[0]
    other = Sending(mark(1 + one.document.size, []), "sieve", 1, NEVER_NS)
    companions = [Sending(mark(300, [(5, 9)]), "sieve", 90 + number, NEVER_NS) for number in range(2)]
    sendings = [companions[0], other, companions[1]] if way == "batch" else [other]
    before = list(world.bravo.deliveries)
    world.sendings, world.together = sendings, way == "batch"
    world.run()
    assert other.receipt is None and other.failure == "this transfer id is already in use for another manifest"
    arrived = {sending.manifest.transfer_id for sending in sendings if sending is not other}
    assert set(world.bravo.deliveries[len(before) :]) == arrived
    assert world.bravo.delivered[one.manifest.transfer_id].content == one.document.content
    assert all(sending.receipt for sending in sendings if sending is not other)


# --- stories -----------------------------------------------------------------------------------------------------

STORY = mark(3 * MIN_CHUNK, [(10, 20), (MIN_CHUNK, MIN_CHUNK + 50)])


def story(plan: Plan | Mode = "sieve", plain_is_dead: bool = False, documents: int = 1) -> World:
    """One document, or a batch of it and others like it."""
    sendings = [Sending(STORY, plan, 1 + number, NEVER_NS) for number in range(documents)]
    return World(sendings, Fate(b""), together=documents > 1, plain_is_dead=plain_is_dead)


def test_on_a_kind_network_one_attempt_and_one_round_do() -> None:
    world = story()
    world.run()
    check(world)
    assert world.sendings[0].attempts == 1
    assert [chunk.index for chunk in world.plain_wire] == [0, 1, 2]


def test_so_they_do_for_a_batch() -> None:
    world = story(documents=3)
    world.run()
    check(world)
    assert len(world.exchanges) == 1
    assert [chunk.index for chunk in world.plain_wire] == [0, 1, 2], "chunks of the batch, not of its documents"


def test_secure_only_puts_nothing_on_the_plain_channel() -> None:
    world = story("secure-only")
    world.run()
    check(world)
    assert world.plain_wire == []


def test_three_fruitless_rounds_and_the_rest_goes_securely_within_the_same_attempt() -> None:
    world = story(plain_is_dead=True)
    world.run()
    check(world)
    assert world.sendings[0].attempts == 1
    assert [chunk.index for chunk in world.plain_wire] == [0, 1, 2] * FRUITLESS_ROUNDS


def test_a_lost_receipt_is_repeated_to_the_next_attempt() -> None:
    world = story()
    [sending] = world.sendings
    while sending.manifest.transfer_id not in world.bravo.delivered:
        world.step()
    world.bravo.crash()
    world.run()
    check(world)
    assert sending.attempts == 2
    assert world.bravo.deliveries == [sending.manifest.transfer_id]


def test_true_chunks_in_each_others_places_do_not_count() -> None:
    world = story(plain_is_dead=True)
    while len(world.plain_wire) < 2:
        world.step()
    first, second = world.plain_wire
    world.bravo.take_plain(replace(first, index=1))
    world.bravo.take_plain(replace(second, index=0))
    [receiving] = world.bravo.attempts
    assert receiving.ledger.held == set()
    world.run()
    check(world)


def test_a_chunk_that_came_just_before_the_fence_is_not_written_again_after_it() -> None:
    """The plain listener holds it, the receiver has not heard so, and the sender sends it once more, securely."""
    world = story(plain_is_dead=True)
    world.step()
    [exchange] = world.exchanges
    while exchange.send_chunk_securely not in exchange.moves():
        world.step()
    world.bravo.take_plain(world.plain_wire[0])
    exchange.send_chunk_securely(world)
    world.run()
    check(world)
    assert world.exchanges == [exchange]


SEVERAL = Plan("sieve", secure_channels=3, plain_channels=2)


def test_several_channels_carry_their_own_parts() -> None:
    world = story(SEVERAL)
    world.run()
    check(world)
    assert world.sendings[0].attempts == 1
    assert [(chunk.sub_stream, chunk.index) for chunk in world.plain_wire] == [(0, 0), (0, 1), (1, 0), (1, 1)]


@pytest.mark.parametrize("documents", [1, 3])
def test_a_secure_channel_that_is_cut_is_sent_on_from_what_is_held(documents: int) -> None:
    world = story(SEVERAL, documents=documents)
    world.step()
    [exchange] = world.exchanges
    while (on := world.bravo.by_handle(exchange.attempt.handle)) is None:
        world.step()
    on.bring_on(1, 0, exchange.secure_part(1)[:5])
    assert on.core.secure_held[1] == 5
    assert exchange.cut(1, world) == [(1, 5)]
    world.run()
    check(world)
    assert world.exchanges == [exchange]


@pytest.mark.parametrize("documents", [1, 3])
def test_a_secure_channel_that_is_cut_each_time_ends_the_attempt(documents: int) -> None:
    world = story(SEVERAL, documents=documents)
    world.step()
    [exchange] = world.exchanges
    assert [exchange.cut(1, world) for _ in range(FRUITLESS_ROUNDS)] == [[(1, 0)], [(1, 0)], []]
    assert exchange.core.ended and not exchange.left
    world.run()
    check(world)
    assert [sending.attempts for sending in world.sendings] == [2] * documents, "each by itself the second time"
    assert len(world.exchanges) == 1 + documents


def test_a_batch_that_is_more_than_may_be_under_way_leaves_the_rest_for_later() -> None:
    world = story(documents=LIMITS.max_open_transfers + 1)
    world.run()
    check(world)
    assert [sending.attempts for sending in world.sendings] == [1] * LIMITS.max_open_transfers + [2]
