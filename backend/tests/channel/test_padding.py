"""What the secure channel's lengths tell: the Padmé class of what is classified, whatever the marks, the channels, the
mode and the number of documents, and also of attempts that resume. Splits by segments tell more, as a test says.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import floor, log2

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from channel_cases import attempt_at, manifest_of, mark, modest, opening_of, plans
from sieve.channel.attempt import Plan
from sieve.channel.errors import MalformedOpening, RemoteProtocolError
from sieve.channel.held_ranges import NOTHING, Held
from sieve.channel.load import Load
from sieve.channel.manifest import Manifest, RedactedEdition, SentMarks
from sieve.channel.opening import Opening, OpeningReader
from sieve.channel.padding import HELD_STEP, padme, step_of
from sieve.channel.receiver import (
    AnswerVerified,
    Discard,
    Receiver,
    SecureBytes,
    SecureEnded,
    WriteClassified,
    WritePlain,
)
from sieve.core.document import Spans

BASE = manifest_of(mark(0, []))
GIB = 1 << 30


def from_the_paper(size: int) -> int:
    """Padmé as its authors write it."""
    exponent = floor(log2(size))
    low = exponent - (floor(log2(exponent)) + 1)
    return (size + (1 << low) - 1) >> low << low


@modest
@given(st.integers(0, GIB))
def test_padme_costs_less_than_an_eighth_and_ever_less(size: int) -> None:
    padded = padme(size)
    assert size <= padded <= 1.12 * size and padme(padded) == padded
    assert size < 2 or padded == from_the_paper(size)
    assert size < 1 << 20 or padded <= 1.032 * size
    assert padme(size + 1) >= padded, "a larger document never looks smaller"


def carrying(classified: int, plain: int, spans: int, edition: int = 0, marks: int = 0, transfer: int = 1) -> Manifest:
    """The manifest of a document with so many classified bytes, in so many spans; only sizes count here."""
    bounds = [classified * part // spans for part in range(spans + 1)] if spans else [0]
    # A byte apart where there are enough: wherever they are, each takes 16 bytes.
    apart = [min(part, plain) for part in range(len(bounds))]
    made = Spans.of([(a + at, b + at) for (a, b), at in zip(pairwise(bounds), apart, strict=False)])
    return replace(
        BASE,
        transfer_id=transfer.to_bytes(16, "big").hex(),
        size=made.classified_size + plain,
        spans=made,
        redacted=RedactedEdition(edition, bytes(32)) if edition else None,
        marks=SentMarks(marks, bytes(32)) if marks else None,
    )


def opened(manifests: Sequence[Manifest], plan: Plan, held: Held = NOTHING) -> Opening:
    attempt = replace(attempt_at(BASE, 2, plan), numbers=(2,) * len(manifests), held=held, padded=True)
    return Opening(Load(tuple(manifests), held), attempt)


def bodies(opening: Opening) -> list[int]:
    """What an observer of the secure channel counts: the bodies of its requests."""
    sizes = [part.size for part in opening.secure]
    return [opening.size + sizes[0], *sizes[1:]]


def secure_size(opening: Opening) -> int:
    """Bytes of the secure stream, without padding."""
    load, plan = opening.load, opening.attempt.plan
    return load.classified_size if plan.uses_plain_channel else load.size


def classes(opening: Opening) -> list[int]:
    """What may be seen: with one channel one class, with several those of the opening and of the stream."""
    held = opening.load.held
    size = secure_size(opening) + (held.classified_size if opening.attempt.plan.uses_plain_channel else held.size)
    if opening.attempt.plan.secure_channels == 1:
        return [padme(opening.size + size)]
    return [padme(opening.size), padme(size)]


sizes = st.one_of(st.integers(0, 3000), st.integers(0, 3_000_000), st.integers(0, GIB))


@st.composite
def twins(draw: st.DrawFn) -> tuple[Opening, Opening]:
    """Two loads of one class, which share nothing but their plain size and the plan."""
    plan = draw(plans(splits=("range",)))
    count = draw(st.sampled_from([1, 1, 3]))
    plain = draw(st.integers(0, 100_000))
    most_spans = draw(st.sampled_from([3, 200]))

    def beside() -> list[Manifest]:
        return [
            carrying(draw(sizes), plain, draw(st.integers(1, most_spans)), transfer=2 + k) for k in range(count - 1)
        ]

    others = beside()
    spans, has_edition = draw(st.integers(1, most_spans)), draw(st.booleans())
    one = opened([carrying(draw(sizes), plain, spans, 700 * has_edition, 1024 * has_edition), *others], plan)
    # Somewhere in the same class. With several channels, the openings must be of one class, too.
    other_spans = draw(st.integers(1, most_spans)) if plan.secure_channels == 1 else spans
    aim, least = classes(one)[-1], opened([carrying(0, plain, other_spans), *others], plan)
    room = aim - secure_size(least) - (least.size if plan.secure_channels == 1 else 0)
    assume(room >= 0)
    slack = draw(st.integers(0, min(room, aim // 40)))
    other = opened([carrying(room - slack, plain, other_spans), *others], plan)
    assume(classes(one) == classes(other))
    return one, other


@modest
@given(twins())
def test_twins_of_one_class_have_bodies_of_the_same_lengths(both: tuple[Opening, Opening]) -> None:
    one, other = both
    assert bodies(one) == bodies(other)


@modest
@given(plans(splits=("range",)), st.integers(3 * HELD_STEP, GIB), st.data())
def test_twins_that_resume_have_bodies_of_the_same_lengths(plan: Plan, size: int, data: st.DataObject) -> None:
    """However much over whole steps is held of each: that would show where a file of the receiver ends."""
    step = max(HELD_STEP, step_of(size))
    steps, openings = data.draw(st.integers(0, size // 2 // step)), []
    for _ in range(2):
        classified = data.draw(st.integers(size - size // 99, size)) if plan.uses_plain_channel else size * 2 // 3
        held = min(classified - 1, steps * step + data.draw(st.integers(0, step - 1)))
        manifest = carrying(classified, size - classified, data.draw(st.integers(1, 50)))
        openings.append(opened([manifest], plan, Held(((0, held),)) if held else Held()))
    one, other = openings
    assume(classes(one) == classes(other) and one.load.held.size // step == other.load.held.size // step)
    assert bodies(one) == bodies(other)


@modest
@given(st.integers(1, GIB), st.integers(0, 99), plans(splits=("range",)))
def test_an_attempt_that_lacks_nothing_classified_pads_its_opening_alone(size: int, spans: int, plan: Plan) -> None:
    opening = opened([carrying(size, 500, spans)], replace(plan, mode="sieve"), Held(((0, size),)) if spans else Held())
    assert bodies(opening) == [padme(opening.size)] + [0] * (plan.secure_channels - 1)


@modest
@given(st.data(), plans(splits=("range", "es", "ss")))
def test_padding_costs_little(data: st.DataObject, plan: Plan) -> None:
    """At most 12 %, over all channels; of an attempt that resumes, the same part of the whole, and a step."""
    manifest = carrying(data.draw(sizes), data.draw(st.integers(0, 9999)), data.draw(st.integers(1, 40)))
    held = Held()
    if plan.split == "range" and manifest.classified_size > 9:
        held = Held(((0, data.draw(st.integers(1, manifest.classified_size - 1))),))
    opening = opened([manifest], plan, held)
    needed, sent = opening.size + secure_size(opening), sum(bodies(opening))
    assert all(part.padding >= 0 for part in opening.secure)
    if not held:
        assert needed <= sent <= 1.12 * needed + plan.secure_channels
    else:
        whole = needed + held.classified_size
        assert sent <= needed + 0.12 * whole + max(HELD_STEP, whole / 8) + plan.secure_channels
        assert whole < 1 << 22 or sent <= needed + 0.07 * whole + plan.secure_channels


def test_splits_by_segments_reveal_a_class_for_each_channel() -> None:
    """Why they are for research only."""
    unequal = Manifest(**{**vars(BASE), "size": 5000, "spans": Spans.of([(0, 1000), (2000, 5000)])})
    for split, found in (("ss", [1024, 3072]), ("es", [2048, 2048])):
        opening = opened([unequal], Plan("sieve", 2, 1, split))  # type: ignore[arg-type]
        assert [
            part.size - (0 if k else padme(opening.size) - opening.size) for k, part in enumerate(opening.secure)
        ] == found


def test_an_attempt_without_padding_is_as_it_was() -> None:
    """So are the openings for older peers."""
    opening = opening_of(manifest_of(mark(100, [(10, 40)])))
    assert b"padded" not in opening.to_bytes() and opening.body_size == 30


@pytest.mark.parametrize("said", [b"false", b"1", b'"yes"', b"null"])
def test_padded_is_said_in_one_way(said: bytes) -> None:
    raw = opened([manifest_of(mark(9, []))], Plan("sieve")).to_bytes()
    other = raw.replace(b'"padded":true', b'"padded":' + said)
    other = other[:6] + (len(other) - 10).to_bytes(4, "big") + other[10:]
    with pytest.raises(MalformedOpening):
        OpeningReader().feed(other)


SECRET = mark(3000, [(1000, 2000)])


def receiving() -> tuple[Receiver, int]:
    """A receiver of one document, its plain chunk held; and how much padding it expects."""
    opening = opened([manifest_of(SECRET)], Plan("secure-only"))
    return Receiver(opening.load, opening.attempt), opening.secure[0].padding


def test_padding_is_counted_and_never_written() -> None:
    core, padding = receiving()
    assert padding
    commands = [*core.handle(SecureBytes(bytes(2900))), *core.handle(SecureBytes(bytes(100 + padding)))]
    written = [command for command in commands if isinstance(command, WriteClassified | WritePlain)]
    assert written == commands and sum(len(command.data) for command in written) == 3000
    assert core.secure_held == (3000 + padding,)
    assert AnswerVerified() in core.handle(SecureEnded())


def test_no_more_padding_is_taken_than_is_due() -> None:
    core, padding = receiving()
    core.handle(SecureBytes(bytes(3000 + padding)))
    with pytest.raises(RemoteProtocolError):
        core.handle(SecureBytes(b"\0"))
    assert core.over


@pytest.mark.parametrize("short", [0, 1, "all"])
def test_a_document_is_whole_without_its_padding(short: int | str) -> None:
    """Else a link that breaks often could never carry it. Not before the body has ended: when would tell its size."""
    core, padding = receiving()
    assert core.handle(SecureBytes(bytes(3000 + padding - (padding if short == "all" else int(short)))))
    assert not core.verified and core.lacks_only_padding
    assert AnswerVerified() in core.handle(SecureEnded())


def test_a_document_that_lacks_a_byte_is_not_whole() -> None:
    core, _ = receiving()
    core.handle(SecureBytes(bytes(2999)))
    assert not core.lacks_only_padding
    [discard] = core.handle(SecureEnded())
    assert isinstance(discard, Discard)
