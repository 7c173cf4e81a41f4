"""UTF-8 is verified as Python's own decoder does it, and a fault is placed as people count."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import cuts, modest, text_documents
from sieve.core.document import Document, Spans
from sieve.core.errors import NotUtf8, SpanError
from sieve.core.position import LazyPosition, Position
from sieve.core.utf8 import SpanEdgeCheck, Utf8Check

ALMOST_TEXT = st.lists(
    st.sampled_from([b"\n", b"a", b"\xc3", b"\xa9", b"\xe6\xbc", b"\xf0\x9f", b"\x98\x80", b"\xff", b"\xed\xa0\x80"])
    | st.text(max_size=3).map(str.encode),
    max_size=8,
).map(b"".join)


def first_fault(text: bytes) -> Position | None:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        good = text[: error.start].decode()
        return Position(good.count("\n") + 1, len(good) - good.rfind("\n"))
    return None


def told_fault(fed: list[bytes]) -> Position | None:
    check = Utf8Check()
    try:
        for piece in fed:
            check.feed(piece)
        check.close()
    except NotUtf8 as error:
        assert error.__cause__ is None and error.__context__ is None, "they would hold the text"
        return Position(error.line, error.column)
    return None


@modest
@given(st.data(), ALMOST_TEXT)
def test_the_first_fault_is_reported_whatever_the_pieces(data: st.DataObject, text: bytes) -> None:
    assert told_fault(data.draw(cuts(text))) == first_fault(text)


@modest
@given(st.data(), st.text())
def test_places_count_code_points_whatever_the_pieces(data: st.DataObject, text: str) -> None:
    place, spot = Position(), LazyPosition()
    for piece in data.draw(cuts(text.encode())):
        place, spot = place.after(piece), spot.after(piece)
    assert (
        place
        == spot.position(lambda plain, classified: 0)
        == Position(text.count("\n") + 1, len(text) - text.rfind("\n"))
    )


def test_a_fault_beyond_the_first_block() -> None:
    long = b"\n" * 3_000_000 + "é".encode() * 10 + b"\xff"
    assert told_fault([long]) == Position(3_000_001, 11)


def check_edges(text: bytes, spans: Spans, fed: list[bytes]) -> None:
    check = SpanEdgeCheck(spans)
    for piece in fed:
        check.feed(piece)


@modest
@given(st.data(), text_documents())
def test_spans_on_code_points_pass(data: st.DataObject, document: Document) -> None:
    check_edges(document.content, document.spans, data.draw(cuts(document.content)))


@pytest.mark.parametrize("at", [1, 3, 4, 6, 7, 8])
def test_spans_inside_code_points_do_not(at: int) -> None:
    text = "é漢😀".encode()
    for fed in ([text], [text[i : i + 1] for i in range(len(text))]):
        with pytest.raises(SpanError, match="span 1 begins inside a character; move it to one of its ends"):
            check_edges(text, Spans.of([(at, 9)]), fed)
        with pytest.raises(SpanError, match="span 2 ends inside a character"):
            check_edges(text, Spans.of([(0, 0), (0, at)]), fed)
