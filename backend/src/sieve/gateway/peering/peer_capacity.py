"""How much a peer accepts at a time, by its hello."""

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from sieve.channel.load import MAX_DOCUMENTS
from sieve.channel.manifest import MAX_SIZE


class PeerCapacity(NamedTuple):
    """`together`: the documents of one attempt. `documents`, `size`: the documents in progress, and their bytes."""

    together: int = MAX_DOCUMENTS
    documents: int = MAX_DOCUMENTS
    size: int = MAX_SIZE

    def at_once(self, sizes: Sequence[int], beside: "UnderWay | None" = None) -> int:
        """How many of the first documents of these `sizes` (bytes) may start beside those in progress.

        If none is in progress, the first may always start: the peer itself says why it refuses a document.
        """
        documents, size = beside or UnderWay()
        fit = sum(
            documents + 1 + at <= self.documents and size + end <= self.size for at, end in enumerate(accumulate(sizes))
        )
        return fit if documents else max(1, fit)


class UnderWay(NamedTuple):
    """Documents in progress to a peer, and their bytes."""

    documents: int = 0
    size: int = 0
