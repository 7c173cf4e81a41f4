"""Escaping is a bijection, and the same whatever pieces a segment comes in."""

import re

from hypothesis import given
from hypothesis import strategies as st

from documents import cuts, modest, pieces, segment_texts, texts
from sieve.core.literal_tags import Escaper, Unescaper

REAL_TAG = re.compile(rb"<\$[SE]>")


@modest
@given(texts)
def test_escaped_text_has_no_real_tag_and_comes_back(text: str) -> None:
    escaped = Escaper().finish(text.encode())
    assert not REAL_TAG.search(escaped)
    assert Unescaper().finish(escaped) == text.encode()


@modest
@given(segment_texts)
def test_every_text_without_real_tags_is_the_escaped_form_of_one_text(text: str) -> None:
    assert Escaper().finish(Unescaper().finish(text.encode())) == text.encode()


@modest
@given(st.data(), texts, texts)
def test_pieces_do_not_matter_and_segments_do(data: st.DataObject, first: str, second: str) -> None:
    for kind in (Escaper, Unescaper):
        rewriter = kind()
        for text in (first.encode(), second.encode()):
            *fed, last = data.draw(cuts(text))
            assert b"".join(map(rewriter.feed, fed)) + rewriter.finish(last) == kind().finish(text)


@modest
@given(st.integers(0, 12), st.sampled_from(["", "S", "E", "S>", "E>", "S>>", "X", "<$S>", "S<$E>"]))
def test_tags_cut_between_all_bytes(dollars: int, end: str) -> None:
    text = ("<" + "$" * dollars + end).encode()
    for kind in (Escaper, Unescaper):
        rewriter = kind()
        fed = pieces(text, range(1, len(text)))
        assert b"".join(map(rewriter.feed, fed)) + rewriter.finish() == kind().finish(text)


def test_a_row_of_dollars_leaves_as_it_comes() -> None:
    for kind, gained in ((Escaper, 1), (Unescaper, -1)):
        rewriter = kind()
        sent = len(rewriter.feed(b"<"))
        for _ in range(5):
            leaving = len(rewriter.feed(b"$" * 100_000))
            assert 99_990 < leaving < 100_010
            sent += leaving
        assert sent + len(rewriter.finish(b"S>")) == 500_003 + gained
