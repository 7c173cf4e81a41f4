"""A transfer that breaks off goes on from what the receiver holds: however often, and wherever it is cut, the streams
come whole, and no byte that is held is sent again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channel_cases import attempt_at, manifest_of, mark, modest, noise, plans
from documents import cuts
from examples import examples
from sieve.channel import attempt_split, receiver
from sieve.channel.attempt import Plan
from sieve.channel.attempt_split import PlainSplit
from sieve.channel.chunk_sizes import MIN_CHUNK
from sieve.channel.errors import BadManifest, MalformedOpening
from sieve.channel.held_ranges import MAX_RANGES, Held, gaps, largest, merged
from sieve.channel.load import Layout, Load, Part
from sieve.channel.manifest import Manifest
from sieve.channel.opening import Opening, OpeningReader
from sieve.core.document import Document
from sieve.core.separate import separate

ranges = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)).map(lambda one: (one[0], one[0] + one[1])))


def bytes_of(some: Sequence[tuple[int, int]]) -> set[int]:
    return {at for start, end in some for at in range(start, end)}


@modest
@given(ranges)
def test_ranges_have_one_form(some: list[tuple[int, int]]) -> None:
    made = merged(some)
    assert bytes_of(made) == bytes_of(some)
    assert all(before[1] < after[0] for before, after in pairwise(made))
    assert bytes_of([*gaps(made, 100)]) == set(range(100)) - bytes_of(some)
    assert all(start < end for start, end in gaps(made, 100))


@modest
@given(ranges, st.integers(0, 5))
def test_of_too_many_ranges_the_largest_count(some: list[tuple[int, int]], most: int) -> None:
    kept, made = largest(some, most), merged(some)
    assert len(kept) == min(most, len(made)) and set(kept) <= set(made) and list(kept) == sorted(kept)
    others = set(made) - set(kept)
    assert all(o[1] - o[0] <= k[1] - k[0] for o in others for k in kept)


@pytest.mark.parametrize(
    "said",
    [
        None,
        {},
        {"classified": []},
        {"classified": [], "plain": [], "more": []},
        {"classified": [[0, 0]], "plain": []},
        {"classified": [[2, 1]], "plain": []},
        {"classified": [[-1, 1]], "plain": []},
        {"classified": [[0, 1], [1, 2]], "plain": []},
        {"classified": [[4, 5], [0, 1]], "plain": []},
        {"classified": [[0, True]], "plain": []},
        {"classified": [[0, 1, 2]], "plain": []},
        {"classified": [[0, 1.5]], "plain": []},
        {"classified": "", "plain": []},
        {"classified": [], "plain": [[2 * at, 2 * at + 1] for at in range(MAX_RANGES + 1)]},
    ],
)
def test_what_is_not_held_in_the_one_form_is_refused(said: object) -> None:
    with pytest.raises(MalformedOpening):
        Held.from_json(said)


MANIFEST = manifest_of(mark(100, [(10, 40)]))
HELD = Held(((0, 7), (9, 20)), ((5, 70),))


def resuming(manifest: Manifest, held: Held, number: int = 2, plan: Plan | None = None) -> Opening:
    attempt = replace(attempt_at(manifest, number, plan or Plan("sieve")), held=held)
    return Opening(Load((manifest,), held), attempt)


@modest
@given(st.data())
def test_an_opening_says_what_it_leaves_out(data: st.DataObject) -> None:
    opening = resuming(MANIFEST, HELD)
    reader, found = OpeningReader(), None
    for piece in data.draw(cuts(opening.to_bytes())):
        found = found or reader.feed(piece)
    assert found == (opening, b"")
    assert opening.body_size == 30 - 18 and opening.load.plain_size == 70 - 65


def test_an_opening_that_leaves_out_nothing_is_as_it_was() -> None:
    assert b"held" not in resuming(MANIFEST, Held()).to_bytes()


@pytest.mark.parametrize("held", [Held(((0, 31),)), Held((), ((0, 71),))])
def test_more_than_there_is_cannot_be_left_out(held: Held) -> None:
    with pytest.raises(BadManifest):
        Load((MANIFEST,), held)
    whole = resuming(MANIFEST, Held()).attempt
    raw = Opening(Load((MANIFEST,)), replace(whole, held=held)).to_bytes()
    with pytest.raises(MalformedOpening):
        OpeningReader().feed(raw)


def test_a_batch_leaves_nothing_out() -> None:
    with pytest.raises(BadManifest):
        Load((MANIFEST, manifest_of(mark(9, []), 2)), HELD)


def test_only_a_split_by_range_leaves_something_out() -> None:
    attempt = replace(attempt_at(MANIFEST, 2, Plan("sieve", 2, 2, "es")), held=HELD)
    with pytest.raises(MalformedOpening, match="range"):
        OpeningReader().feed(Opening(Load((MANIFEST,)), attempt).to_bytes())


@modest
@given(ranges, st.data())
def test_a_layout_of_gaps_says_where_every_byte_belongs(some: list[tuple[int, int]], data: st.DataObject) -> None:
    missing = [*gaps(merged(some), 100)]
    layout = Layout(Part(0, False, start, end) for start, end in missing)
    each = sorted(bytes_of(missing))
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, layout.size)] * 2)))
    parts = layout.parts(start, end)
    assert [at for part in parts for at in range(part.start, part.end)] == each[start:end]


@dataclass
class There:
    """A receiver that forgets all but what it wrote. `segment`: held ranges of the classified stream are whole ones."""

    manifest: Manifest
    segment: int
    classified: bytearray = field(init=False)
    plain: bytearray = field(init=False)
    written: dict[bool, list[tuple[int, int]]] = field(default_factory=lambda: {True: [], False: []})

    def __post_init__(self) -> None:
        self.classified = bytearray(self.manifest.carried_classified_size)
        self.plain = bytearray(self.manifest.plain_size)

    def write(self, classified: bool, offset: int, data: bytes) -> None:
        end = offset + len(data)
        assert all(end <= a or b <= offset for a, b in self.written[classified]), "a held byte was sent again"
        (self.classified if classified else self.plain)[offset:end] = data
        self.written[classified].append((offset, end))

    def keep(self) -> Held:
        """Ends an attempt: what is not a whole segment is lost."""
        size = self.manifest.carried_classified_size
        whole = [
            (-(-start // self.segment) * self.segment, end if end == size else end // self.segment * self.segment)
            for start, end in merged(self.written[True])
        ]
        whole = [(start, end) for start, end in whole if start < end]
        held = Held(largest(whole), largest(self.written[False]))
        self.written = {True: [*held.classified], False: [*held.plain]}
        return held


def stretch(streams: tuple[bytes, bytes], layout: Layout, some: Sequence[tuple[int, int]]) -> bytes:
    """What a sender reads there."""
    parts = [part for start, end in some for part in layout.parts(start, end)]
    return b"".join(streams[not part.classified][part.start : part.end] for part in parts)


def carry(
    there: There, streams: tuple[bytes, bytes], opening: Opening, data: st.DataObject, *, whole: bool
) -> tuple[int, bool]:
    """An attempt that is cut anywhere, or comes whole; the bytes that it sent, and whether all came."""
    load, attempt = opening.load, opening.attempt
    core = receiver.Receiver(load, attempt)
    secure, layout = attempt_split.of_secure(load, attempt.plan), load.secure(attempt.plan)
    chunks = PlainSplit.of(load, attempt.plan, attempt.max_chunk).chunks()
    sent = 0

    def do(commands: Sequence[receiver.Command]) -> bool:
        for command in commands:
            if isinstance(command, receiver.WriteClassified | receiver.WritePlain):
                there.write(isinstance(command, receiver.WriteClassified), command.offset, bytes(command.data))
        return any(isinstance(command, receiver.AnswerVerified) for command in commands)

    verified = False
    for number, part in enumerate(secure):
        end = part.size if whole else data.draw(st.integers(0, part.size))
        verified |= do(core.handle(receiver.SecureBytes(stretch(streams, layout, [*part.ranges(0, end)]), number)))
        sent += end
    if attempt.plan.uses_plain_channel:
        for number in range(chunks.count) if whole else data.draw(st.sets(st.integers(0, max(0, chunks.count - 1)))):
            if number < chunks.count:
                some = [*chunks.ranges(number)]
                piece = stretch(streams, load.plain, some)
                for start, end in some:
                    for _, _, first, last in load.plain.parts(start, end):
                        there.write(False, first, piece[: last - first])
                        piece = piece[last - first :]
                sent += chunks.length(number)
                verified |= do(core.handle(receiver.PlainHeld(frozenset({number}))))
    if whole:
        verified |= do(core.handle(receiver.SecureEnded()))
    return sent, verified


@settings(max_examples=examples(50), deadline=None)
@given(
    st.integers(0, 5 * MIN_CHUNK),
    st.lists(st.integers(0, 5 * MIN_CHUNK), max_size=8),
    st.booleans(),
    st.integers(1, 40_000),
    st.lists(plans(splits=("range",)), min_size=1, max_size=6),
    st.data(),
)
def test_streams_that_are_cut_anywhere_come_whole(
    size: int, bounds: list[int], has_edition: bool, segment: int, ways: list[Plan], data: st.DataObject
) -> None:
    bounds = sorted(min(bound, size) for bound in bounds[: len(bounds) // 2 * 2])
    document = Document(noise("document", size), list(zip(bounds[::2], bounds[1::2], strict=True)))
    edition = noise("edition", 5000) if has_edition else b""
    manifest = manifest_of(document, edition=edition)
    secret, plain = separate(document)
    streams = (bytes(secret) + edition, bytes(plain))
    there, sent, lost, verified, held = There(manifest, segment), 0, 0, False, Held()
    for number, plan in enumerate(ways, start=1):
        opening = resuming(manifest, held, number, plan)
        came, verified = carry(there, streams, opening, data, whole=number == len(ways))
        sent += came
        if number < len(ways):
            before = sum(end - start for kind in there.written.values() for start, end in kind)
            held = there.keep()
            lost += before - held.size
    assert verified
    assert (bytes(there.classified), bytes(there.plain)) == streams
    assert sent == manifest.carried_size + lost, "only what a break left half-filled is sent again"
