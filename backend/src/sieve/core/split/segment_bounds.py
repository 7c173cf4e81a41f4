"""The segments of a document's two streams, by their bounds: 0, then the end of each segment in its stream.

The classified stream's segments are the spans, the plain stream's the text between them. Empty segments are left out:
they would use up a channel's turn.
"""

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from operator import sub
from typing import TypeAlias

from sieve.core.document import Spans

Bounds: TypeAlias = Sequence[int]


def of_lengths(lengths: Iterable[int]) -> Bounds:
    """The bounds of segments of these lengths, one after the other.

    >>> list(of_lengths([50, 30, 100]))
    [0, 50, 80, 180]
    """
    return array("Q", accumulate(lengths, initial=0))


def of_classified(spans: Spans) -> Bounds:
    """The bounds of the classified stream."""
    bounds = list(spans.bounds())
    return of_lengths(filter(None, map(sub, bounds[1::2], bounds[::2])))


def of_plain(spans: Spans, size: int) -> Bounds:
    """The bounds of the plain stream of a document with these `spans` and this `size`.

    Raises:
        SpanError: the spans reach past `size`.
    """
    spans.check_within(size)
    bounds = list(spans.bounds())
    return of_lengths(filter(None, map(sub, chain(bounds[::2], [size]), chain([0], bounds[1::2]))))
