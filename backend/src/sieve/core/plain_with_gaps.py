"""The gaps of a document: its plain stream as a document, with an empty span for each run of touching spans.

Invariant: the result depends only on the plain stream and the positions of the runs in it. It shows nothing of the
length of a run, the number of its spans or their contents.
"""

from collections.abc import Iterator

from sieve.core.document import Spans
from sieve.core.integrate import Run, redacted_runs


def gaps(spans: Spans, size: int) -> Spans:
    """The empty spans of the plain stream of a document with these `spans` and this `size`.

    >>> list(gaps(Spans.of([(2, 5), (5, 7), (9, 9)]), 10))
    [Span(start=2, end=2), Span(start=4, end=4)]

    Raises:
        SpanError: the spans reach past `size`.
    """
    return Spans(_bounds(spans, size))


def marker_spans(spans: Spans, size: int, width: int) -> Spans:
    """The spans of the markers, each of `width` bytes, in the redacted edition of such a document.

    >>> list(marker_spans(Spans.of([(2, 5), (5, 7), (9, 9)]), 10, 3))
    [Span(start=2, end=5), Span(start=7, end=10)]

    Raises:
        SpanError: the spans reach past `size`.
    """
    return Spans(bound + width * ((number + 1) // 2) for number, bound in enumerate(_bounds(spans, size)))


def _bounds(spans: Spans, size: int) -> Iterator[int]:
    at = 0
    for run in redacted_runs(spans, size):
        if isinstance(run, Run):
            at = run.end
        else:
            yield at
            yield at
