"""Combines the two streams of a document, as a sequence of ranges to read.

A run says which stream has the next bytes of the document, and where. Reading the streams in the order of the runs
gives the document, which never has to be in memory as a whole. The redacted edition uses the plain stream alone in the
same way.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from sieve.core.document import Spans
from sieve.core.errors import StreamMismatch
from sieve.core.join import join


class Run(NamedTuple):
    """Bytes `start` to `end` of the classified stream, or of the plain one."""

    classified: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Marker:
    """Replaces classified text of any length in a redacted document, since its width must not reveal the length."""


MARKER: Final = Marker()


def runs(spans: Spans, size: int, start: int = 0, end: int | None = None) -> Iterator[Run]:
    """The runs of bytes `start` to `end` of the document, in order and without empty ones.

    Raises:
        SpanError: the spans reach past `size`.
        ValueError: `start` and `end` are not a range of the document.
    """
    spans.check_within(size)
    end = size if end is None else end
    if not 0 <= start <= end <= size:
        raise ValueError("a range of the document must begin and end inside it")
    return _runs(spans, start, end)


def _runs(spans: Spans, start: int, end: int) -> Iterator[Run]:
    classified, bounds = spans.bounds_after(start)
    # The position of the next byte in the plain stream and in the classified one.
    secure_at = spans.classified_before(start)
    at, offsets = start, [start - secure_at, secure_at]
    for bound in bounds:
        stop = min(bound, end)
        if stop > at:
            offset = offsets[classified]
            offsets[classified] = offset + stop - at
            yield Run(classified, offset, offset + stop - at)
            at = stop
        if bound >= end:
            return
        classified = not classified
    if end > at:
        yield Run(False, offsets[False], offsets[False] + end - at)


def integrate(spans: Spans, size: int, secure: bytes, plain: bytes) -> bytes:
    """The content of the two streams.

    Raises:
        SpanError: the spans reach past `size`.
        StreamMismatch: the length of a stream does not match spans and size.
    """
    whole = runs(spans, size)
    _check_length("secure", secure, spans.classified_size)
    _check_length("plain", plain, size - spans.classified_size)
    streams = memoryview(plain), memoryview(secure)
    return join(streams[run.classified][run.start : run.end] for run in whole)


def redacted(spans: Spans, size: int, plain: bytes, marker: bytes) -> bytes:
    """The document with `marker` in place of its classified text; `marker` may be empty.

    Raises:
        SpanError: the spans reach past `size`.
        StreamMismatch: the length of the plain stream does not match spans and size.
    """
    whole = redacted_runs(spans, size)
    _check_length("plain", plain, size - spans.classified_size)
    view = memoryview(plain)
    return join(marker if isinstance(run, Marker) else view[run.start : run.end] for run in whole)


def redacted_runs(spans: Spans, size: int) -> Iterator[Run | Marker]:
    """The plain runs, with one marker for each run of touching spans. Empty spans count.

    Raises:
        SpanError: the spans reach past `size`.
    """
    spans.check_within(size)
    return _redacted_runs(spans, size)


def _redacted_runs(spans: Spans, size: int) -> Iterator[Run | Marker]:
    at = plain_at = 0
    row_open = False
    for start, end in spans:
        if start > at:
            yield Run(False, plain_at, plain_at + start - at)
            plain_at += start - at
            row_open = False
        if not row_open:
            yield MARKER
            row_open = True
        at = end
    if size > at:
        yield Run(False, plain_at, plain_at + size - at)


def _check_length(name: str, stream: bytes, expected: int) -> None:
    if len(stream) != expected:
        raise StreamMismatch(
            f"the {name} stream has {len(stream)} bytes, not the {expected} that belong to the document"
        )
