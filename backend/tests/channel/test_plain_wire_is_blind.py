"""What goes over the plain channel tells nothing of what was cut out, nor where.

Two documents with equal plain streams and different gaps look alike there but for handle and seal, which are random:
bounds, order, sizes and bytes of the chunks, and what the receiver's ledger makes of them. With any number of channels,
split by range, alone and in a batch. ES and SS are research: there a watcher of several channels sees where segments
begin, and a test says that, too.
"""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from channel_cases import DEADLINE_NS, RECEIPT_KEY, RECEIVER_PIN, SENDER_PIN, attempt_at, manifest_of, noise, plans
from examples import examples
from sieve.channel.attempt import Plan
from sieve.channel.chunk_sizes import MIN_CHUNK, ChunkPlan, Chunks
from sieve.channel.held_ranges import Held, Range, merged
from sieve.channel.ledger import PlainLedger
from sieve.channel.load import Load
from sieve.channel.seals import SealKey, seal
from sieve.channel.sender import (
    Command,
    Event,
    HeldReported,
    PlainRoundSent,
    Sender,
    SendPlain,
    StopPlain,
    Trust,
    VerifiedReported,
)
from sieve.core.document import Document
from sieve.core.separate import separate
from simulated_gateways import World
from simulated_network import Fate
from simulated_sender import Sending

SIZES = (0, 1, MIN_CHUNK, MIN_CHUNK + 1, 3 * MIN_CHUNK - 5, 17 * MIN_CHUNK)
TRUST = Trust(SENDER_PIN, frozenset({RECEIVER_PIN}), RECEIPT_KEY.public_key().public_bytes_raw())


@st.composite
def twins(draw: st.DrawFn) -> tuple[Document, Document]:
    """Two documents that differ in classified text alone: how much there is, in how many spans, and where."""
    plain = noise("plain", draw(st.sampled_from(SIZES)))
    return draw(around(plain)), draw(around(plain))


@st.composite
def around(draw: st.DrawFn, plain: bytes) -> Document:
    """A document whose plain stream is `plain`."""
    gaps = sorted(draw(st.lists(st.integers(0, len(plain)), max_size=6)))
    content, spans, before = bytearray(), [], 0
    for gap in gaps:
        secret = noise("secret", draw(st.sampled_from([0, 1, 100, MIN_CHUNK])))
        content += plain[before:gap]
        spans.append((len(content), len(content) + len(secret)))
        content += secret
        before = gap
    return Document(bytes(content + plain[before:]), spans)


# A document alone, and batches.
loads = st.lists(twins(), min_size=1, max_size=3)


def sender(documents: Sequence[Document], plan: Plan, transfer: int) -> Sender:
    load = Load(tuple(manifest_of(document, transfer + 10 * number) for number, document in enumerate(documents)))
    attempt = replace(attempt_at(load.manifests[0], plan=plan), numbers=(1,) * len(documents))
    return Sender(load, attempt, TRUST)


def on_the_plain_channel(commands: list[Command]) -> list[Command]:
    return [command for command in commands if isinstance(command, SendPlain | StopPlain)]


events = st.one_of(
    st.just(PlainRoundSent()),
    st.builds(HeldReported, st.frozensets(st.integers(0, 20)), st.floats(0, 1000)),
    st.just(VerifiedReported()),
)


@settings(max_examples=examples(25), deadline=None)
@given(loads, plans(splits=("range",)), st.lists(events, max_size=12))
def test_the_senders_of_twins_command_the_same(
    pairs: list[tuple[Document, Document]], plan: Plan, happening: list[Event]
) -> None:
    one, other = (sender(documents, plan, number) for number, documents in enumerate(zip(*pairs, strict=True)))
    assert one.chunks == other.chunks
    assert on_the_plain_channel([*one.start()]) == on_the_plain_channel([*other.start()])
    for event in happening:
        assert on_the_plain_channel([*one.handle(event)]) == on_the_plain_channel([*other.handle(event)])


@settings(max_examples=examples(25), deadline=None)
@given(loads, plans(splits=("range",)), st.booleans())
def test_the_wires_of_twins_differ_in_handle_and_seal_alone(
    pairs: list[tuple[Document, Document]], plan: Plan, plain_is_dead: bool
) -> None:
    wires = []
    for of_each in zip(*pairs, strict=True):
        sendings = [Sending(document, plan, number, DEADLINE_NS) for number, document in enumerate(of_each)]
        world = World(sendings, Fate(b""), together=True, plain_is_dead=plain_is_dead)
        world.run()
        assert len(world.exchanges) == 1
        wires.append([replace(chunk, handle="", seal=b"") for chunk in world.plain_wire])
        assert all(len(chunk.handle) == 32 and len(chunk.seal) == 16 for chunk in world.plain_wire)
    assert wires[0] == wires[1]
    assert plan.mode == "sieve" or wires[0] == []


def held_of(draw: st.DrawFn, size: int, most: int) -> tuple[Range, ...]:
    """At most `most` bytes of a stream of `size`, in some ranges."""
    bounds = sorted(draw(st.lists(st.integers(0, size), max_size=6)))
    ranges, left = [], most
    for start, end in merged(zip(bounds[::2], bounds[1::2], strict=False)):
        if left:
            ranges.append((start, min(end, start + left)))
            left -= ranges[-1][1] - start
    return tuple(ranges)


@st.composite
def resumed_twins(draw: st.DrawFn) -> list[tuple[Document, Held]]:
    """The same plain bytes are missing of both, or as many elsewhere; of the classified ones, whatever it be."""
    both = draw(twins())
    size = both[0].plain_size
    plain = held_of(draw, size, size)
    count = sum(end - start for start, end in plain)
    others = [plain, ((0, count),) if count else (), ((size - count, size),) if count else ()]
    return [
        (
            document,
            Held(held_of(draw, document.classified_size, document.classified_size), draw(st.sampled_from(others))),
        )
        for document in both
    ]


@settings(max_examples=examples(40), deadline=None)
@given(resumed_twins(), plans(splits=("range",)), st.lists(events, max_size=12))
def test_the_senders_of_resumed_twins_command_the_same(
    both: list[tuple[Document, Held]], plan: Plan, happening: list[Event]
) -> None:
    """How many plain bytes are missing says everything: not which, and nothing of what is held of the other stream."""
    senders = []
    for number, (document, held) in enumerate(both):
        load = Load((manifest_of(document, number),), held)
        senders.append(Sender(load, replace(attempt_at(load.manifests[0], plan=plan), held=held), TRUST))
    one, other = senders
    assert one.chunks == other.chunks and one.chunks.size == one.load.plain_size
    assert on_the_plain_channel([*one.start()]) == on_the_plain_channel([*other.start()])
    for event in happening:
        assert on_the_plain_channel([*one.handle(event)]) == on_the_plain_channel([*other.handle(event)])


@settings(max_examples=30, deadline=None)
@given(twins())
def test_under_one_key_even_the_seals_would_be_the_same(documents: tuple[Document, Document]) -> None:
    """So they differ because the key does, not because of what was cut out."""
    key = SealKey(bytes(32))
    seals = []
    for document in documents:
        plain = separate(document).plain
        plan = ChunkPlan(document.plain_size)
        seals.append([seal(key, 0, index, plain[slice(*plan.bounds(index))]) for index in range(plan.count)])
    assert seals[0] == seals[1]


@settings(max_examples=examples(25), deadline=None)
@given(twins(), st.lists(st.tuples(st.integers(0, 1), st.integers(-1, 20), st.booleans()), max_size=12))
def test_the_ledgers_of_twins_answer_the_same(
    documents: tuple[Document, Document], arriving: list[tuple[int, int, bool]]
) -> None:
    """An answer on the plain channel counts for nothing, but anybody who sent the chunk can read it."""
    key = SealKey(bytes(32))
    answers = []
    for document in documents:
        plain = separate(document).plain
        ledger = PlainLedger(key, Chunks.of_whole(document.plain_size), slots=2)
        size = ledger.chunks.plans[0].chunk_size
        told = []
        for sub_stream, index, true in arriving:
            data = plain[index * size :][:size] if index >= 0 else b""
            refusal = ledger.admit(sub_stream, index, len(data))
            if refusal is None:
                claimed = seal(key, sub_stream, index, data) if true else bytes(16)
                refusal = ledger.judge(sub_stream, index, data, claimed)
                if refusal is None:
                    ledger.hold(sub_stream, index)
            told.append(refusal)
        answers.append(told)
    assert answers[0] == answers[1]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1 << 30), st.data())
def test_bounds_are_a_function_of_the_plain_size(size: int, data: st.DataObject) -> None:
    """Said by the type: a plan is made from a number."""
    plan = ChunkPlan(size)
    index = data.draw(st.integers(0, max(0, plan.count - 1)))
    assert plan == ChunkPlan(size)
    assert size == 0 or plan.bounds(index)[0] == index * plan.chunk_size


def test_es_does_reveal_where_something_was_cut_out() -> None:
    """Why it is for research only: the same plain text, and another first chunk."""
    plain = noise("plain", MIN_CHUNK)
    wires = []
    for gap in (100, 40_000):
        document = Document(plain[:gap] + b"secret" + plain[gap:], [(gap, gap + 6)])
        world = World([Sending(document, Plan("sieve", 1, 2, "es"), 1, DEADLINE_NS)], Fate(b""))
        world.run()
        wires.append(world.plain_wire[0].data)
    assert wires[0] != wires[1]
