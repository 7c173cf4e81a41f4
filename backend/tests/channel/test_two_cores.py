"""The two sides against each other, over a network that loses, repeats, reorders, changes, forges, lies and breaks.

Whatever it does: a transfer ends delivered with the very bytes that were sent, or failed with a reason. It is never
mixed, never delivered twice, and the plain channel carries chunks of the plain stream and nothing else.
"""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from channel_cases import DEADLINE_NS, attempt_at, mark, opening_of, plans
from sieve.channel import sender
from sieve.channel.attempt import MODES, Mode, Plan
from sieve.channel.chunks import MIN_CHUNK, ChunkPlan
from sieve.channel.load import Load
from sieve.channel.receipt import verify
from sieve.channel.sub_streams import PlainSplit
from simulated_gateways import World
from simulated_network import SECOND_NS, TRUST, Fate
from simulated_receiver import SecureConnection
from simulated_sender import Sending

# Plain streams of no, one, two, three and five chunks, the last of them whole or short.
PLAIN_SIZES = (0, 1, MIN_CHUNK, MIN_CHUNK + 1, 3 * MIN_CHUNK - 5, 5 * MIN_CHUNK)
NEVER_NS = DEADLINE_NS * 1000

draws = st.sampled_from([0, 30, 150, 600, 2000]).flatmap(lambda size: st.binary(min_size=size, max_size=size))


@st.composite
def sendings(
    draw: st.DrawFn, transfer: int, deadline_at_ns: int = NEVER_NS, modes: tuple[Mode, ...] = ("sieve", "sieve", *MODES)
) -> Sending:
    """A document of a size that matters, spans anywhere, in any of `modes`, over one channel of each kind or more."""
    classified = draw(st.lists(st.integers(0, 300), max_size=4))
    plain_size = draw(st.sampled_from(PLAIN_SIZES))
    # Where in the plain stream each span stands.
    gaps = sorted(draw(st.lists(st.integers(0, plain_size), min_size=len(classified), max_size=len(classified))))
    spans, before = [], 0
    for gap, size in zip(gaps, classified, strict=True):
        spans.append((gap + before, gap + before + size))
        before += size
    document = mark(plain_size + before, spans, f"document {transfer}")
    plan = draw(st.builds(Plan, st.sampled_from(modes)) | plans(modes))
    return Sending(document, plan, transfer, deadline_at_ns)


def check(world: World) -> None:
    """The promises, whatever happened."""
    bravo = world.bravo
    assert len(bravo.deliveries) == len(set(bravo.deliveries)), "delivered twice"
    for sending in world.sendings:
        stored = bravo.delivered.get(sending.manifest.transfer_id)
        if stored is not None:
            assert stored.content == sending.document.content
            assert stored.manifest == sending.manifest
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
    allowed = {
        (attempt_at(sending.manifest, number).handle): sending
        for sending in world.sendings
        for number in range(1, sending.attempts + 1)
        if sending.mode == "sieve"
    }
    sealed: dict[tuple[str, int, int], bytes] = {}
    for chunk in world.plain_wire:
        sending = allowed[chunk.handle]
        part = PlainSplit.of(Load((sending.manifest,)), sending.plan).sub_streams()[chunk.sub_stream]
        ranges = part.ranges(*ChunkPlan(part.size).bounds(chunk.index))
        assert chunk.data == b"".join(sending.plain[start:end] for start, end in ranges)
        assert max(chunk.data) < 0x80, "a classified byte travelled in plain"
        assert sealed.setdefault((chunk.handle, chunk.sub_stream, chunk.index), chunk.seal) == chunk.seal


@settings(max_examples=120, deadline=None)
@given(sendings(1), draws)
def test_one_transfer_ends_delivered_once_the_network_is_kind(sending: Sending, draws: bytes) -> None:
    world = World([sending], Fate(draws))
    world.run()
    check(world)
    assert sending.receipt is not None, sending.failure


@settings(max_examples=120, deadline=None)
@given(sendings(1), sendings(2), sendings(3), draws)
def test_transfers_side_by_side_are_never_mixed(one: Sending, two: Sending, three: Sending, draws: bytes) -> None:
    world = World([one, two, three], Fate(draws))
    world.run()
    check(world)
    assert all(sending.receipt for sending in world.sendings)


@settings(max_examples=80, deadline=None)
@given(sendings(1, deadline_at_ns=2 * SECOND_NS), sendings(2, deadline_at_ns=30 * SECOND_NS), draws)
def test_with_a_deadline_it_is_delivered_or_fails_with_a_reason(one: Sending, two: Sending, draws: bytes) -> None:
    world = World([one, two], Fate(draws))
    world.run()
    check(world)


@settings(max_examples=80, deadline=None)
@given(sendings(1, modes=("sieve",)), draws)
def test_a_dead_plain_channel_costs_time_and_nothing_else(sending: Sending, draws: bytes) -> None:
    world = World([sending], Fate(draws), plain_is_dead=True)
    world.run()
    check(world)
    assert sending.receipt is not None


@settings(max_examples=60, deadline=None)
@given(sendings(1), draws, st.integers(0, 10**16), st.booleans())
def test_a_delivered_transfer_that_comes_again_gets_its_stored_receipt(
    sending: Sending, draws: bytes, now_ns: int, whole: bool
) -> None:
    """Byte for byte, with any attempt number, before or after the deadline; and nothing is delivered again."""
    world = World([sending], Fate(draws))
    world.run()
    for number in (1, sending.attempts, sending.attempts + 1, 2**31):
        opening = opening_of(sending.manifest, number, sending.plan)
        connection = SecureConnection(world.bravo)
        connection.bring(opening.to_bytes() + (sending.secure_part(0) if whole else b""), now_ns)
        connection.end()
        assert connection.answers == [sender.ReceiptArrived(sending.manifest.transfer_id, sending.receipt or "")]
    check(world)


@settings(max_examples=40, deadline=None)
@given(sendings(1), sendings(1), draws)
def test_the_same_id_with_another_manifest_never_gets_the_old_receipt(
    one: Sending, other: Sending, draws: bytes
) -> None:
    if one.manifest == other.manifest:
        return
    world = World([one], Fate(draws))
    world.run()
    check(world)
    world.sendings = [other]
    world.run()
    assert other.receipt is None and other.failure == "this transfer id is already in use for another manifest"
    assert world.bravo.deliveries == [one.manifest.transfer_id]
    assert world.bravo.delivered[one.manifest.transfer_id].content == one.document.content


# --- stories -----------------------------------------------------------------------------------------------------


def story(plan: Plan | Mode = "sieve", plain_is_dead: bool = False) -> World:
    document = mark(3 * MIN_CHUNK, [(10, 20), (MIN_CHUNK, MIN_CHUNK + 50)])
    return World([Sending(document, plan, 1, NEVER_NS)], Fate(b""), plain_is_dead)


def test_on_a_kind_network_one_attempt_and_one_round_do() -> None:
    world = story()
    world.run()
    check(world)
    assert world.sendings[0].attempts == 1
    assert [chunk.index for chunk in world.plain_wire] == [0, 1, 2]


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
    assert [chunk.index for chunk in world.plain_wire] == [0, 1, 2] * sender.FRUITLESS_ROUNDS


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
    [sending] = world.sendings
    while len(world.plain_wire) < 2:
        world.step()
    first, second = world.plain_wire
    world.bravo.take_plain(replace(first, index=1))
    world.bravo.take_plain(replace(second, index=0))
    assert world.bravo.under_way[sending.manifest.transfer_id].ledger.held == set()
    world.run()
    check(world)


def test_a_chunk_that_came_just_before_the_fence_is_not_written_again_after_it() -> None:
    """The plain listener holds it, the receiver has not heard so, and the sender sends it once more, securely."""
    world = story(plain_is_dead=True)
    [sending] = world.sendings
    while sending.send_chunk_securely not in sending.moves():
        world.step()
    world.bravo.take_plain(world.plain_wire[0])
    sending.send_chunk_securely(world)
    world.run()
    check(world)
    assert sending.attempts == 1


SEVERAL = Plan("sieve", secure_channels=3, plain_channels=2)


def test_several_channels_carry_their_own_parts() -> None:
    world = story(SEVERAL)
    world.run()
    check(world)
    assert world.sendings[0].attempts == 1
    assert [(chunk.sub_stream, chunk.index) for chunk in world.plain_wire] == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_a_secure_channel_that_is_cut_is_sent_on_from_what_is_held() -> None:
    world = story(SEVERAL)
    [sending] = world.sendings
    while not (on := world.bravo.by_handle(sending.attempt.handle) if world.sendings[0].attempts else None):
        world.step()
    on.bring_on(1, 0, sending.secure_part(1)[:5])
    assert on.core.secure_held[1] == 5
    assert sending.cut(1, world) == [(1, 5)]
    world.run()
    check(world)
    assert sending.attempts == 1


def test_a_secure_channel_that_is_cut_each_time_ends_the_attempt() -> None:
    world = story(SEVERAL)
    [sending] = world.sendings
    world.step()
    assert [sending.cut(1, world) for _ in range(sender.FRUITLESS_ROUNDS)] == [[(1, 0)], [(1, 0)], []]
    assert not sending.under_way
    world.run()
    check(world)
    assert sending.attempts == 2
