"""The sieve sends every byte to its stream, in order, and copies none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import byte_documents, cuts, modest
from sieve.core.document import Document, Spans
from sieve.core.errors import SpanError, StreamMismatch
from sieve.core.separate import Separator, separate


@modest
@given(byte_documents())
def test_streams_are_what_is_in_and_between_the_spans(document: Document) -> None:
    inside = {at for start, end in document.spans for at in range(start, end)}
    secure, plain = separate(document)
    assert secure == bytes(byte for at, byte in enumerate(document.content) if at in inside)
    assert plain == bytes(byte for at, byte in enumerate(document.content) if at not in inside)


@modest
@given(st.data(), byte_documents())
def test_pieces_do_not_matter(data: st.DataObject, document: Document) -> None:
    separator = Separator(document.spans)
    segments = [segment for piece in data.draw(cuts(document.content)) for segment in separator.feed(piece)]
    separator.close(document.size)
    assert all(len(segment.data) for segment in segments)
    assert b"".join(data for _, data in segments) == document.content
    assert b"".join(data for classified, data in segments if classified) == separate(document).secure


def test_segments_are_views_of_the_piece() -> None:
    piece = bytearray(b"one two three")
    segments = Separator(Spans.of([(4, 7)])).feed(piece)
    assert [segment.classified for segment in segments] == [False, True, False]
    assert all(isinstance(segment.data, memoryview) and segment.data.obj is piece for segment in segments)


def test_the_end_must_be_where_it_was_announced() -> None:
    separator = Separator(Spans.of([(0, 1), (2, 4)]))
    separator.feed(b"abc")
    with pytest.raises(StreamMismatch, match="has 3 bytes, not the 4"):
        separator.close(4)
    with pytest.raises(SpanError, match="span 2 of 2 reaches past the end"):
        separator.close(3)


def test_no_representation_reveals_content() -> None:
    assert repr(separate(Document(b"secret", [(0, 4)]))) == "<Separated: 4 bytes secure, 2 plain>"
