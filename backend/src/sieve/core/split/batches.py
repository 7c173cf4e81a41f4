"""Splits of a batch: the streams of several documents, one after the other, as one stream.

Each takes the documents' streams as the bounds of their segments, each from 0; a document without spans is one segment.
The ranges of sub-streams are ranges of the batch's stream.
"""

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Final, Literal, TypeAlias, get_args

from sieve.core.split import even, range_split, segments
from sieve.core.split.range_split import Contiguous
from sieve.core.split.segment_bounds import Bounds, of_lengths
from sieve.core.split.sub_stream import SubStream

BatchSplit: TypeAlias = Literal["range", "bfs", "bes", "bss"]
BATCH_SPLITS: Final[tuple[BatchSplit, ...]] = get_args(BatchSplit)


def batch_range(documents: Sequence[Bounds], channels: int) -> tuple[Contiguous, ...]:
    """Contiguous parts of the batch, across documents."""
    return range_split.split(sum(bounds[-1] for bounds in documents), channels)


def bfs(documents: Sequence[Bounds], channels: int) -> tuple[SubStream, ...]:
    """Batch file split: assigns whole documents, as the segment split assigns segments."""
    return segments.split(of_lengths(bounds[-1] for bounds in documents), channels)


def bes(documents: Sequence[Bounds], channels: int) -> tuple[SubStream, ...]:
    """Batch even split: the even split of each document, one after the other.

    As that cuts every segment by itself, it is the even split of all segments.
    """
    return even.split(_all_segments(documents), channels)


def bss(documents: Sequence[Bounds], channels: int) -> tuple[SubStream, ...]:
    """Batch segment split: the segment split of each document, which starts again for each, one after the other."""
    table = list(chain.from_iterable(segments.order(bounds, channels) for bounds in documents))
    return segments.deal(_all_segments(documents), table, channels)


def _all_segments(documents: Sequence[Bounds]) -> Bounds:
    if len(documents) == 1:
        return documents[0]
    return of_lengths(end - start for bounds in documents for start, end in pairwise(bounds))
