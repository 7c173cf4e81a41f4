"""Bytes and spans as a text with marks: every character once, in its place, and none that a span touches unmarked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.core.document import Spans
from sieve.marking.marked_text import marked_text


@st.composite
def spans_in(draw: st.DrawFn, size: int) -> list[tuple[int, int]]:
    bounds = sorted(draw(st.sets(st.integers(0, size), max_size=8)))
    return list(zip(bounds[::2], bounds[1::2], strict=False))


@given(st.data(), st.sampled_from(["utf-8", "utf-16-le", "cp1252"]))
def test_spans_may_cut_characters(data: st.DataObject, encoding: str) -> None:
    content = data.draw(st.one_of(st.binary(max_size=40), st.text(max_size=20).map(str.encode)))
    spans = data.draw(spans_in(len(content)))
    unit, marks = marked_text(content, spans, encoding)
    assert unit.text == content.decode(encoding, "replace")
    assert len(marks) == len(spans)
    assert all(0 <= (mark.start or 0) <= (mark.end or 0) <= len(unit.text) for mark in marks)


@given(st.lists(st.tuples(st.text(max_size=6), st.text(min_size=1, max_size=6)), max_size=5))
def test_spans_of_whole_characters_are_those_characters(pieces: list[tuple[str, str]]) -> None:
    content, pairs = "", []
    for plain, marked in pieces:
        start = len((content + plain).encode("utf-8", "replace"))
        content += plain + marked
        pairs.append((start, len(content.encode("utf-8", "replace"))))
    unit, marks = marked_text(content.encode("utf-8", "replace"), pairs)
    assert [unit.text[mark.start : mark.end] for mark in marks] == [
        marked.encode("utf-8", "replace").decode() for _, marked in pieces
    ]


@pytest.mark.parametrize(("start", "end"), [(0, 1), (1, 2), (1, 3)])
def test_a_character_that_is_cut_is_marked(start: int, end: int) -> None:
    _, [mark] = marked_text("é.".encode(), Spans.of([(start, end)]))
    assert (mark.start, mark.end) == (0, 1 if end < 3 else 2)
