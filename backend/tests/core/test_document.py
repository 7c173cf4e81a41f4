"""Spans keep their invariant however they are made, and never show where they are."""

import doctest
import pickle
from itertools import pairwise

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from documents import byte_documents, modest
from sieve.core import document as module
from sieve.core import markup
from sieve.core.document import MAX_SPANS, Document, Span, Spans, SpansReader
from sieve.core.errors import MarkupError, NotUtf8, SpanError

PAIRS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=5)


def in_order(pairs: list[tuple[int, int]]) -> bool:
    each = all(start <= end for start, end in pairs)
    return each and all(before[1] <= after[0] for before, after in pairwise(pairs))


@modest
@given(PAIRS)
def test_spans_are_taken_exactly_when_they_are_in_order(pairs: list[tuple[int, int]]) -> None:
    if in_order(pairs):
        assert list(Spans.of(pairs)) == pairs
    else:
        with pytest.raises(SpanError):
            Spans.of(pairs)


@modest
@given(byte_documents())
def test_spans_are_a_sequence_of_pairs(document: Document) -> None:
    spans, pairs = document.spans, list(document.spans)
    assert len(spans) == len(pairs)
    assert [spans[i] for i in range(len(spans))] == pairs
    assert list(spans[1:-1]) == pairs[1:-1]
    assert [spans[i] for i in range(-len(spans), 0)] == pairs
    assert list(reversed(spans)) == pairs[::-1]
    assert Spans.of(pairs) == spans and hash(Spans.of(pairs)) == hash(spans)
    assert Spans.of(spans) is spans
    assert list(spans.bounds()) == [bound for pair in pairs for bound in pair]
    assert all(isinstance(span, Span) for span in spans)


@modest
@given(byte_documents())
def test_binary_form_comes_back(document: Document) -> None:
    data = document.spans.to_bytes()
    assert len(data) == 16 * len(document.spans)
    assert Spans.from_bytes(data) == document.spans


@modest
@given(byte_documents(), st.lists(st.integers(0, 200)))
def test_it_is_read_in_pieces_of_any_bounds(document: Document, cuts: list[int]) -> None:
    data, reader, before = document.spans.to_bytes(), SpansReader(), 0
    for cut in (*sorted(min(cut, len(data)) for cut in cuts), len(data)):
        reader.feed(data[before:cut])
        before = cut
    spans = reader.finish()
    assert spans == document.spans
    assert (spans.classified_size, spans.digest) == (document.classified_size, blake3(data).digest())
    assert document.spans.digest == spans.digest
    assert b"".join(spans.slices()) == data


def test_a_fall_between_two_pieces_is_seen() -> None:
    reader = SpansReader()
    reader.feed(Spans.of([(0, 5)]).to_bytes())
    with pytest.raises(SpanError, match="span 2 begins before span 1 ends"):
        reader.feed(Spans.of([(4, 6)]).to_bytes())


def test_binary_form_is_big_endian() -> None:
    assert Spans.of([(1, 0x0203)]).to_bytes() == bytes(7) + b"\x01" + bytes(6) + b"\x02\x03"


@modest
@given(byte_documents(), st.integers(0, 60))
def test_what_is_classified_is_counted(document: Document, offset: int) -> None:
    inside = [any(start <= at < end for start, end in document.spans) for at in range(61)]
    assert document.spans.classified_before(offset) == sum(inside[:offset])
    assert document.spans.bounds_after(offset)[0] == inside[offset]
    assert list(document.spans.bounds_after(offset)[1]) == [b for b in document.spans.bounds() if b > offset]
    assert document.classified_size == sum(inside)
    assert document.plain_size == document.size - sum(inside)


def test_a_million_spans() -> None:
    data = b"".join(at.to_bytes(8, "big") for at in range(2_000_000))
    spans = Spans.from_bytes(data)
    assert len(spans) == spans.classified_size == 1_000_000
    assert spans.to_bytes() == data


@pytest.mark.parametrize(
    ("pairs", "sentence"),
    [
        ([(0, 2), (5, 4)], "span 2 ends before it begins"),
        ([(0, 2), (1, 4)], "span 2 begins before span 1 ends; sort the spans and join those that overlap"),
        ([(-1, 2)], "span 1 must be a pair of integers from 0 to 2^64 - 1"),
        ([(0, 1), (1, 2**64)], "span 2 must be a pair of integers from 0 to 2^64 - 1"),
        ([(0, 1.5)], "span 1 must be a pair of integers from 0 to 2^64 - 1"),
        ([(0, 1, 2)], "span 1 must be a pair of integers from 0 to 2^64 - 1"),
        ([(0,)], "span 1 must be a pair of integers from 0 to 2^64 - 1"),
        ([3], "span 1 must be a pair of integers from 0 to 2^64 - 1"),
    ],
)
def test_what_is_wrong_with_spans_is_reported_by_number(pairs: list[tuple[int, int]], sentence: str) -> None:
    with pytest.raises(SpanError) as caught:
        Spans.of(pairs)
    assert str(caught.value) == sentence


def test_bounds_must_be_pairs_of_integers() -> None:
    with pytest.raises(SpanError, match="no end"):
        Spans([1, 2, 3])
    with pytest.raises(SpanError, match="must be integers"):
        Spans([-1, 2])
    with pytest.raises(SpanError, match="16 bytes each"):
        Spans.from_bytes(bytes(17))


def test_a_document_holds_its_spans() -> None:
    assert Document(b"abc", [(0, 3), (3, 3)]).classified_size == 3
    with pytest.raises(SpanError, match="span 2 of 3 reaches past the end of the document"):
        Document(b"abc", [(0, 1), (2, 4), (5, 6)])
    with pytest.raises(SpanError, match="more than the 1000000"):
        Document(b"", Spans([0] * (2 * MAX_SPANS + 2)))


def test_equality_is_by_value() -> None:
    assert Document(b"abc", [(0, 1)]) == Document(b"abc", Spans.of([(0, 1)]))
    assert Document(b"abc", [(0, 1)]) != Document(b"abc", [(0, 2)])
    assert Document(b"abc") == Document(b"abc", Spans.EMPTY)
    assert Spans.EMPTY != []


def test_no_representation_reveals_positions_or_content() -> None:
    document = Document(b"the secret word", [(4, 10)])
    assert repr(document) == "<Document: 15 bytes, 1 spans>"
    assert repr(document.spans) == str(document.spans) == "<Spans: 1>"


def test_errors_keep_their_parts_over_a_process_border() -> None:
    error = pickle.loads(pickle.dumps(NotUtf8(3, 14)))  # noqa: S301 (our own bytes)
    assert isinstance(error, MarkupError)
    assert (error.line, error.column) == (3, 14)
    assert str(error) == "line 3, column 14: not UTF-8 from here on; save the text as UTF-8"


@pytest.mark.parametrize("documented", [module, markup])
def test_examples_in_the_documentation_hold(documented: object) -> None:
    assert doctest.testmod(documented).failed == 0  # type: ignore[arg-type]
