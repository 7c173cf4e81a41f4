"""Spans in a header and in a line of JSON: valid ones are read, everything else is refused."""

import json
from collections.abc import AsyncIterator, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.core.document import Spans
from sieve.core.errors import SpanError
from sieve.web.documents.spans import framed, in_header, in_line
from sieve.web.errors import MalformedRequest

bounds = st.lists(st.integers(0, 2**62), max_size=20).map(lambda found: sorted(found)[: len(found) // 2 * 2])


@st.composite
def spans(draw: st.DrawFn) -> Spans:
    return Spans(draw(bounds))


@given(spans(), st.sampled_from([",", ", ", " , "]))
def test_a_header_is_read_back(given_spans: Spans, comma: str) -> None:
    assert in_header(comma.join(f"{start}-{end}" for start, end in given_spans)) == given_spans


@given(spans(), st.sampled_from([(",", ":"), (", ", ": ")]), st.sampled_from([b"", b" ", b"\r"]))
def test_a_line_is_read_back(given_spans: Spans, separators: tuple[str, str], end: bytes) -> None:
    line = json.dumps([list(span) for span in given_spans], separators=separators).encode() + end
    assert in_line(line) == given_spans


@given(st.text(alphabet="[]0123456789,- x", max_size=12))
def test_a_line_is_read_only_if_json_would_read_the_same(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        expected = None
    try:
        found = in_line(text.encode())
    except (MalformedRequest, SpanError):
        return
    # Where numbers begin with zeros we are more patient than JSON.
    if expected is not None:
        assert [list(span) for span in found] == expected


def test_no_header_means_no_spans() -> None:
    assert in_header(None) == in_header("") == Spans.EMPTY


@pytest.mark.parametrize(
    "text", ["1", "1-", "-1", "1-2,", ",", "1-2;3-4", "1--2", "a-b", "1-2 3-4", "99999999999999999999-1"]
)
def test_what_is_no_header_is_refused(text: str) -> None:
    with pytest.raises(MalformedRequest):
        in_header(text)


@pytest.mark.parametrize(
    "line",
    [b"", b"{}", b"[[1]]", b"[[1,2,3]]", b"[[1,2]", b"[[1,2]]]", b"[1,2]", b"x[[1,2]]", b"[[1,2],]", b"[[-1,2]]"],
)
def test_what_is_no_line_is_refused_without_repeating_it(line: bytes) -> None:
    with pytest.raises(MalformedRequest, match=r"must be a JSON array of spans such as \[\[0,5\],\[10,20\]\]$"):
        in_line(line)


def test_out_of_order_is_a_fault_of_the_spans() -> None:
    with pytest.raises(SpanError):
        in_header("5-6,1-2")
    with pytest.raises(SpanError):
        in_line(b"[[5,6],[1,2]]")


async def _arriving(pieces: Iterable[bytes]) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


@given(st.binary(max_size=20), st.integers(1, 5))
async def test_a_frame_is_a_line_and_the_rest(rest: bytes, cut: int) -> None:
    body = b"[[1,2]]\n" + rest
    line, pieces = await framed(_arriving(body[at : at + cut] for at in range(0, len(body), cut)))
    assert line == b"[[1,2]]"
    assert b"".join([piece async for piece in pieces]) == rest


async def test_a_frame_without_a_line_is_refused() -> None:
    with pytest.raises(MalformedRequest, match="begins with one line"):
        await framed(_arriving([b"[[1,2]]"]))


async def test_a_line_without_end_is_ended() -> None:
    with pytest.raises(MalformedRequest, match="longer than"):
        await framed(_arriving(b"[" * 2**20 for _ in range(100)))
