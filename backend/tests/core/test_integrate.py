"""Integrating undoes the sieve, from any place to any other; redacting never touches the secure stream."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import byte_documents, modest
from sieve.core.document import Document, Spans
from sieve.core.errors import SpanError, StreamMismatch
from sieve.core.integrate import MARKER, Run, integrate, redacted, redacted_runs, runs
from sieve.core.separate import separate


@modest
@given(byte_documents())
def test_integrate_undoes_separate(document: Document) -> None:
    secure, plain = separate(document)
    assert integrate(document.spans, document.size, secure, plain) == document.content


@modest
@given(st.data(), byte_documents())
def test_runs_give_any_part_of_the_document(data: st.DataObject, document: Document) -> None:
    start = data.draw(st.integers(0, document.size))
    end = data.draw(st.integers(start, document.size))
    secure, plain = separate(document)
    part = list(runs(document.spans, document.size, start, end))
    assert all(run.start < run.end for run in part)
    assert (
        b"".join((secure if run.classified else plain)[run.start : run.end] for run in part)
        == (document.content[start:end])
    )


def test_a_hundred_thousand_spans() -> None:
    document = Document(b"abcdefghij" * 100_000, [(at, at + 5) for at in range(3, 1_000_000 - 5, 10)])
    assert len(document.spans) == 100_000
    secure, plain = separate(document)
    assert integrate(document.spans, document.size, secure, plain) == document.content
    assert redacted(document.spans, document.size, plain, b"") == plain


@modest
@given(byte_documents())
def test_a_redacted_document_has_one_marker_for_each_row_of_touching_spans(document: Document) -> None:
    rows: list[list[int]] = []
    for start, end in document.spans:
        if rows and rows[-1][1] == start:
            rows[-1][1] = end
        else:
            rows.append([start, end])
    expected, at = b"", 0
    for start, end in rows:
        expected += document.content[at:start] + b"[#]"
        at = end
    expected += document.content[at:]
    plain = separate(document).plain
    assert redacted(document.spans, document.size, plain, b"[#]") == expected
    assert redacted(document.spans, document.size, plain, b"") == plain


def test_runs_in_the_order_of_the_document() -> None:
    spans = Spans.of([(2, 4), (4, 4), (4, 5), (7, 7)])
    assert list(runs(spans, 8)) == [
        Run(False, 0, 2),
        Run(True, 0, 2),
        Run(True, 2, 3),
        Run(False, 2, 4),
        Run(False, 4, 5),
    ]
    assert list(redacted_runs(spans, 8)) == [Run(False, 0, 2), MARKER, Run(False, 2, 4), MARKER, Run(False, 4, 5)]
    assert list(redacted_runs(Spans.of([(0, 0), (0, 0)]), 0)) == [MARKER]


def test_streams_of_another_length_are_refused() -> None:
    spans = Spans.of([(1, 3)])
    with pytest.raises(StreamMismatch, match="secure stream has 1 bytes, not the 2"):
        integrate(spans, 4, b"x", b"ab")
    with pytest.raises(StreamMismatch, match="plain stream has 3 bytes, not the 2"):
        integrate(spans, 4, b"xy", b"abc")
    with pytest.raises(StreamMismatch, match="plain stream has 1 bytes, not the 2"):
        redacted(spans, 4, b"a", b"[#]")


def test_spans_and_ranges_outside_are_refused_before_the_first_run() -> None:
    spans = Spans.of([(1, 3)])
    with pytest.raises(SpanError):
        runs(spans, 2)
    with pytest.raises(SpanError):
        redacted_runs(spans, 2)
    for start, end in ((-1, 2), (2, 1), (0, 5)):
        with pytest.raises(ValueError, match="range of the document"):
            runs(spans, 4, start, end)
