"""Text with spans beside it is verified as it is sieved."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import cuts, modest, text_documents
from sieve.core.document import Document, Spans
from sieve.core.errors import NotUtf8, SpanError, StreamMismatch
from sieve.core.separate import separate
from sieve.formats.text.separation import TextReader, is_text


@modest
@given(st.data(), text_documents())
def test_text_is_sieved_in_any_pieces(data: st.DataObject, document: Document) -> None:
    reader = TextReader(document.spans)
    segments = [segment for piece in data.draw(cuts(document.content)) for segment in reader.feed(piece)]
    reader.close(document.size)
    for classified, stream in zip((True, False), separate(document), strict=True):
        assert b"".join(segment.data for segment in segments if segment.classified is classified) == stream


def test_tags_are_text_here() -> None:
    text = b"<$E> and <$S>"
    assert [bytes(segment.data) for segment in TextReader().feed(text)] == [text]


def test_what_is_not_text_is_refused() -> None:
    with pytest.raises(NotUtf8) as caught:
        TextReader().feed(b"one\ntw\xff")
    assert (caught.value.line, caught.value.column) == (2, 3)
    reader = TextReader()
    reader.feed(b"\xf0\x9f")
    with pytest.raises(NotUtf8):
        reader.close(2)


def test_spans_must_fit_the_text() -> None:
    with pytest.raises(SpanError, match="inside a character"):
        TextReader(Spans.of([(1, 2)])).feed("é".encode())
    reader = TextReader(Spans.of([(1, 3)]))
    reader.feed(b"ab")
    with pytest.raises(StreamMismatch):
        reader.close(3)
    with pytest.raises(SpanError, match="past the end"):
        reader.close(2)


@pytest.mark.parametrize(
    "media_type",
    [
        *("text/plain", "TEXT/Markdown", "text/csv; header=present", "text/plain; charset=utf-8"),
        *('text/html;charset="UTF-8"', "text/plain; charset=us-ascii", "application/json", "image/svg+xml"),
    ],
)
def test_text_types(media_type: str) -> None:
    assert is_text(media_type)


@pytest.mark.parametrize(
    "media_type",
    ["", "application/pdf", "application/octet-stream", "image/png", "text/plain; charset=iso-8859-1", "texts"],
)
def test_other_types(media_type: str) -> None:
    assert not is_text(media_type)
