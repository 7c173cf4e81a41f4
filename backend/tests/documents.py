"""Documents, marked texts and cuts for property tests: short, and full of what markup could trip over."""

import re
from collections.abc import Sequence

from hypothesis import settings
from hypothesis import strategies as st

from examples import examples
from sieve.core.document import Document, Segment
from sieve.core.markup import MarkupFault, MarkupParser

modest = settings(max_examples=examples(60), deadline=None)

_TROUBLE = [
    *("<", "$", "$$", "S", "E", ">", "S>", "<$", "<$S", "<$S>", "<$E>", "<$$S>", "<$$$E>", "<$$$$$$S>"),
    *("\n", "\r\n", "\r", "\0", "\ufeff", "e\u0301", "é", "漢", "😀", "\u2028", "a", " "),
]

texts = st.lists(st.sampled_from(_TROUBLE) | st.text(max_size=3), max_size=12).map("".join)
"""Any text, most often with tags, halves of tags and characters of every width."""

segment_texts = texts.map(lambda text: re.sub(r"<\$([SE]>)", r"<$$\1", text))
"""Text that may be between two tags of a marked text."""


@st.composite
def text_documents(draw: st.DrawFn) -> Document:
    """UTF-8 content with spans on code points: empty, touching, at the ends, anywhere."""
    text = draw(texts)
    edges = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    bounds = [len(text[:edge].encode()) for edge in edges]
    return Document(text.encode(), zip(bounds[::2], bounds[1::2], strict=False))


@st.composite
def byte_documents(draw: st.DrawFn) -> Document:
    """Any bytes with any spans."""
    content = draw(st.binary(max_size=60))
    bounds = sorted(draw(st.lists(st.integers(0, len(content)), max_size=12)))
    return Document(content, zip(bounds[::2], bounds[1::2], strict=False))


@st.composite
def marked_texts(draw: st.DrawFn) -> bytes:
    """Well-formed marked text, made without the printer."""
    first, *others = draw(st.lists(segment_texts, min_size=1, max_size=5))
    spans = [f"<$S>{draw(segment_texts)}<$E>{plain}" for plain in others]
    return (first + "".join(spans)).encode()


@st.composite
def cuts(draw: st.DrawFn, data: bytes) -> list[bytes]:
    """`data` in pieces of any lengths, some of them empty."""
    edges = sorted(draw(st.lists(st.integers(0, len(data)), max_size=8)))
    return pieces(data, edges)


def pieces(data: bytes, edges: Sequence[int]) -> list[bytes]:
    """`data` cut at `edges`."""
    return [data[start:end] for start, end in zip([0, *edges], [*edges, len(data)], strict=True)]


def parse_pieces(fed: list[bytes]) -> Document:
    """The document that these pieces of a marked text write; raises the MarkupError that is expected."""
    parser = MarkupParser()
    segments: list[Segment] = []
    try:
        for piece in fed:
            segments += parser.feed(piece)
        segments += parser.close()
    except MarkupFault as fault:
        assert fault.__cause__ is None and fault.__context__ is None, "they would hold the text"
        streams = [b"".join(data for classified, data in segments if classified is which) for which in (False, True)]

        def line_feeds(plain: int, classified: int) -> int:
            assert plain <= len(streams[0]) and classified <= len(streams[1]), "it was not given out"
            return streams[0][:plain].count(b"\n") + streams[1][:classified].count(b"\n")

        raise fault.located(line_feeds) from None
    assert all(segment.data for segment in segments)
    at = 0
    for segment in segments:
        end = at + len(segment.data)
        assert segment.classified == any(start <= at and end <= stop for start, stop in parser.spans)
        at = end
    return Document(b"".join(segment.data for segment in segments), parser.spans)
