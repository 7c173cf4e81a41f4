"""An opening is read from pieces of any bounds, in bounded memory; anything else is refused in a sentence."""

import json
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channel_cases import attempts, manifest_of, manifests, modest, opening_of
from documents import cuts
from sieve.channel import canonical
from sieve.channel.errors import LocalProtocolError, MalformedOpening
from sieve.channel.load import Load
from sieve.channel.manifest import MAX_MEDIA_TYPE, MAX_NAME, MAX_RECIPIENTS, MAX_SENDER
from sieve.channel.opening import MAGIC, MAX_HEAD, Opening, OpeningReader
from sieve.channel.receipt import MAX_TEXT
from sieve.core.document import MAX_SPANS, SPAN_BYTES, Document, Spans

MIB = 1024 * 1024
MANIFEST = manifest_of(Document(b"plain secret plain", [(6, 12)]))
OPENING = opening_of(MANIFEST)
HEAD = json.loads(OPENING.to_bytes()[len(MAGIC) + 4 : -SPAN_BYTES])


def read(*pieces: bytes) -> tuple[Opening, bytes] | None:
    """What a reader makes of the pieces; fails if it is done before the last."""
    reader = OpeningReader()
    *others, last = pieces
    assert all(reader.feed(piece) is None for piece in others)
    return reader.feed(last)


def with_spans(spans: Spans) -> tuple[Opening, list[bytes]]:
    """An opening with these spans, and its bytes in pieces."""
    manifest = replace(MANIFEST, size=2 * MAX_SPANS, spans=spans)
    opening = opening_of(manifest)
    wire = opening.to_bytes()
    return opening, [wire[at : at + 65536] for at in range(0, len(wire), 65536)]


def on_the_wire(head: bytes, spans: bytes = b"") -> bytes:
    return MAGIC + len(head).to_bytes(4, "big") + head + spans


@modest
@given(st.data(), manifests(), st.binary(max_size=20))
def test_pieces_do_not_matter(data: st.DataObject, manifest: Any, following: bytes) -> None:
    opening = Opening(Load((manifest,)), data.draw(attempts(manifest)))
    reader, rest, found = OpeningReader(), b"", None
    for piece in data.draw(cuts(opening.to_bytes() + following)):
        if found is not None:
            rest += piece
        elif (read := reader.feed(piece)) is not None:
            found, rest = read
    assert found == opening
    assert rest == following


def test_byte_by_byte() -> None:
    *others, last = [bytes([byte]) for byte in OPENING.to_bytes()]
    assert read(*others, last) == (OPENING, b"")


def test_the_streams_that_follow_are_announced() -> None:
    assert OPENING.body_size == 6
    assert opening_of(MANIFEST, plan="secure-only").body_size == 18


def test_nothing_is_read_twice() -> None:
    reader = OpeningReader()
    reader.feed(OPENING.to_bytes())
    with pytest.raises(LocalProtocolError):
        reader.feed(b"more")


# --- bounds ------------------------------------------------------------------------------------------------------


def test_the_fullest_manifest_fits_into_an_opening_and_its_receipt_into_a_line() -> None:
    worst = '"' * 198  # each takes two bytes in JSON
    manifest = replace(
        MANIFEST,
        name="\0" * MAX_NAME,
        sender="\0" * MAX_SENDER,
        media_type='"' * MAX_MEDIA_TYPE,
        recipients=tuple(f"{worst}{n:02}" for n in range(MAX_RECIPIENTS)),
    )
    opening = opening_of(manifest)
    assert read(opening.to_bytes()) == (opening, b"")
    assert 2 * len(canonical.dumps(manifest.head)) < 2 * MAX_TEXT


def test_a_million_spans_are_read_back() -> None:
    """A reader that took quadratic time would not end before the limit of a test."""
    opening, pieces = with_spans(Spans(range(2 * MAX_SPANS)))
    assert read(*pieces) == (opening, b"")


def test_a_million_spans_take_their_own_size() -> None:
    opening, pieces = with_spans(Spans(bytes(2 * MAX_SPANS)))
    tracemalloc.start()
    try:
        read_back = read(*pieces)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert read_back == (opening, b"")
    assert peak < 1.25 * SPAN_BYTES * MAX_SPANS


def test_no_piece_takes_longer_than_its_own_bytes_do() -> None:
    """Neither the last of a million spans, nor one there that is out of order: nothing goes through all again."""
    _, [*others, last] = with_spans(Spans(range(2 * MAX_SPANS)))
    for zero_at in (None, len(last) % 8, len(last) - SPAN_BYTES):  # a bound of the span that began before; a later one
        piece = last if zero_at is None else last[:zero_at] + bytes(8) + last[zero_at + 8 :]
        reader = OpeningReader()
        assert {reader.feed(other) for other in others} == {None}
        is_whole, lines = lines_run(partial(is_whole_with, reader, piece))
        assert is_whole == (zero_at is None)
        assert lines < 2 * len(last) // 8 + 2000


def is_whole_with(reader: OpeningReader, piece: bytes) -> bool:
    try:
        return reader.feed(piece) is not None
    except MalformedOpening:
        return False


def lines_run(work: Callable[[], bool]) -> tuple[bool, int]:
    """What `work` returns, and how many lines of Python it ran: what its time says on an idle machine."""
    count = 0

    def trace(_frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        found = work()
    finally:
        sys.settrace(before)
    return found, count


def test_no_more_is_held_than_was_announced() -> None:
    """A peer that announces a million spans costs what it sends; one that announces more is refused at once."""
    reader = OpeningReader()
    head = canonical.dumps({**HEAD, "manifest": {**MANIFEST.head, "spans": MAX_SPANS}})
    tracemalloc.start()
    try:
        assert reader.feed(on_the_wire(head)) is None
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < MIB
    with pytest.raises(MalformedOpening, match="spans"):
        read(on_the_wire(canonical.dumps({**HEAD, "manifest": {**MANIFEST.head, "spans": MAX_SPANS + 1}})))


@pytest.mark.parametrize("length", [0, MAX_HEAD + 1, 2**32 - 1])
def test_a_head_out_of_bounds_is_refused_before_it_comes(length: int) -> None:
    with pytest.raises(MalformedOpening, match="1 to 131072 bytes"):
        read(MAGIC + length.to_bytes(4, "big"))


# --- malformed ---------------------------------------------------------------------------------------------------


@modest
@given(st.binary(min_size=10, max_size=300))
def test_noise_is_refused(noise: bytes) -> None:
    with pytest.raises(MalformedOpening):
        read(noise)


@modest
@given(st.binary(min_size=1, max_size=300))
def test_noise_for_a_head_is_refused(noise: bytes) -> None:
    with pytest.raises(MalformedOpening):
        read(on_the_wire(noise))


@modest
@given(st.integers(0, 8 * len(OPENING.to_bytes()) - 1))
def test_a_flipped_bit_is_refused_or_waits_for_more_or_makes_another_opening(bit: int) -> None:
    wire = bytearray(OPENING.to_bytes())
    wire[bit // 8] ^= 1 << bit % 8
    try:
        found = read(bytes(wire))
    except MalformedOpening:
        return
    assert found is None or found[0] != OPENING


@pytest.mark.parametrize(
    "head",
    [
        json.dumps(HEAD).encode(),
        canonical.dumps(HEAD).decode().encode("utf-16"),
        canonical.dumps(HEAD) + b"\n",
        b'{"attempt":{},"attempt":{},"manifest":{}}',
        b'{"attempt":{"number":NaN},"manifest":{}}',
        b'{"attempt":{"number":1e999},"manifest":{}}',
        b'{"attempt":{"number":' + b"9" * 5000 + b'},"manifest":{}}',
        b'{"attempt":{},"manifest":{"name":"\\ud800"}}',
        b'{"attempt":{},"manifest":{"name":"\xed\xa0\x80"}}',
        b"[" * 60000,
        b'{"a":' * 12000 + b"1" + b"}" * 12000,
        b"[]",
        b"null",
        b"1",
        b'"attempt manifest"',
        b'{"manifest":{}}',
        b'{"attempt":[],"manifest":{}}',
        b'{"attempt":{},"manifest":null}',
        b'{"attempt":{},"manifest":{},"unsealed":true}',
        b'{"attempt":{},"manifest":{}}',
        b'{"attempt":{},"manifest":{"spans":-1}}',
        b'{"attempt":{},"manifest":{"spans":true}}',
        b'{"attempt":{},"manifest":{"spans":[]}}',
        b'{"attempt":{},"manifest":{"spans":0}}',
    ],
    ids=lambda head: head[:40].decode("latin-1"),
)
def test_a_head_that_is_no_head_is_refused(head: bytes) -> None:
    with pytest.raises(MalformedOpening):
        read(on_the_wire(head))


@pytest.mark.parametrize("bounds", [[12, 6], [6, 2**64 - 1], [6, 19]])
def test_spans_that_are_none_are_refused_without_telling_where_they_stand(bounds: list[int]) -> None:
    spans = b"".join(bound.to_bytes(8, "big") for bound in bounds)
    with pytest.raises(MalformedOpening) as refusal:
        read(on_the_wire(canonical.dumps(HEAD), spans))
    assert not any(ch.isdigit() for ch in str(refusal.value))


def test_manifest_and_attempt_of_different_transfers_are_refused() -> None:
    other = {**HEAD["attempt"], "transfer_id": "00" * 16}
    with pytest.raises(MalformedOpening, match="different transfers"):
        read(on_the_wire(canonical.dumps({**HEAD, "attempt": other}), MANIFEST.spans.to_bytes()))


@pytest.mark.parametrize("number", [None, True, 0, -1, 2**31 + 1, "1", []])
def test_an_attempt_without_a_number_is_refused(number: Any) -> None:
    head = {**HEAD, "attempt": {**HEAD["attempt"], "number": number}}
    with pytest.raises(MalformedOpening, match="number must be an integer"):
        read(on_the_wire(canonical.dumps(head), MANIFEST.spans.to_bytes()))
