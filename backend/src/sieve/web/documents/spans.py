"""Spans as a request brings them: a few in a header, any number in the first line of a framed body.

Read without making an object for each number: a million spans cost 16 MB, not 200. No complaint repeats a position.
"""

import re
from array import array
from collections.abc import AsyncIterator
from typing import Final

from sieve.core.document import MAX_SPANS, Spans
from sieve.core.errors import SpanError
from sieve.web.errors import MalformedRequest

MAX_LINE: Final = 32 * 1024 * 1024

_IN_HEADER: Final = re.compile(r"\s*([0-9]{1,19})-([0-9]{1,19})\s*(,|$)")
_IN_LINE: Final = re.compile(rb"\s*\[\s*([0-9]{1,19})\s*,\s*([0-9]{1,19})\s*\]\s*(,|\]\s*$)")
_NONE_IN_LINE: Final = re.compile(rb"\s*\[\s*\]\s*")


def in_header(text: str | None) -> Spans:
    """The spans of a `Sieve-Spans` header, such as `0-5,10-20`.

    Raises:
        MalformedRequest: it is not written so.
        SpanError: they are out of order or overlap.
    """
    bounds = array("Q")
    at = 0
    while text and at < len(text):
        span = _IN_HEADER.match(text, at)
        if span is None or (span[3] and span.end() == len(text)):
            raise MalformedRequest("header.sieve-spans: write spans as 0-5,10-20, each start-end in bytes")
        bounds.extend((int(span[1]), int(span[2])))
        at = span.end()
    return Spans(bounds)


async def framed(pieces: AsyncIterator[bytes]) -> tuple[bytes, AsyncIterator[bytes]]:
    """The first line of a body, and the rest of it.

    Raises:
        MalformedRequest: there is no such line, or it is too long.
    """
    line = bytearray()
    async for piece in pieces:
        head, newline, rest = piece.partition(b"\n")
        line += head
        if len(line) > MAX_LINE:
            raise MalformedRequest(f"body: the line of spans is longer than {MAX_LINE} bytes")
        if newline:
            return bytes(line), _with_first(rest, pieces)
    raise MalformedRequest("body: a framed body begins with one line, a JSON array of spans such as [[0,5],[10,20]]")


def in_line(line: bytes) -> Spans:
    """The spans of a JSON array of pairs. Takes a second for a million.

    Raises:
        MalformedRequest: it is not written so.
        SpanError: they are out of order or overlap, or too many.
    """
    if _NONE_IN_LINE.fullmatch(line):
        return Spans.EMPTY
    bounds = array("Q")
    at = line.find(b"[") + 1
    if at == 0 or line[: at - 1].strip():
        raise _not_pairs()
    ended = False
    while not ended:
        span = _IN_LINE.match(line, at)
        if span is None:
            raise _not_pairs()
        if len(bounds) == 2 * MAX_SPANS:
            raise SpanError(f"there are more than the {MAX_SPANS} spans that a document may have")
        bounds.extend((int(span[1]), int(span[2])))
        at, ended = span.end(), span[3] != b","
    return Spans(bounds)


def _not_pairs() -> MalformedRequest:
    return MalformedRequest("body: the first line must be a JSON array of spans such as [[0,5],[10,20]]")


async def _with_first(first: bytes, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    if first:
        yield first
    async for piece in pieces:
        yield piece
