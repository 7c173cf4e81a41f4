"""The classes into which timings divide sizes, shares and batches.

A class is a number in roll-ups and a name for people and in addresses. Sizes are decimal, as in the thesis.
"""

from bisect import bisect_left
from collections.abc import Sequence
from math import inf
from typing import Final

SIZE_CLASSES: Final = ("10KB", "100KB", "1MB", "10MB", "100MB", "1GB", "more")
"""Documents of up to that size, and larger than the class before."""
_SIZE_LIMITS: Final = (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000)

SHARE_CLASSES: Final = ("0", "10", "25", "50", "75", "90", "99", "100")
"""Up to that percentage classified, and more than the class before. `0`: nothing is classified, `100`: everything is,
`99`: over 90 %, but not everything."""
_SHARE_LIMITS: Final = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9)

BATCH_CLASSES: Final = ("1", "2-4", "5-9", "10+")
"""So many documents in one attempt."""
_BATCH_LIMITS: Final = (1, 4, 9)


def size_class(size: int) -> int:
    """The class of a document of `size` bytes."""
    return bisect_left(_SIZE_LIMITS, size)


def share_class(classified: int, size: int) -> int:
    """The class of a document with `classified` of `size` bytes classified; of an empty one, that of 0 %."""
    if classified <= 0 or size <= 0:
        return 0
    if classified >= size:
        return len(SHARE_CLASSES) - 1
    return bisect_left(_SHARE_LIMITS, classified / size)


def share_classes(classified: Sequence[int], sizes: Sequence[int]) -> list[int]:
    """The same of many documents."""
    # numpy takes 0.2 s to import, and no gateway needs it to start.
    import numpy as np

    parts, wholes = np.array(classified, np.int64), np.array(sizes, np.int64)
    found = np.searchsorted(_SHARE_LIMITS, parts / np.maximum(wholes, 1))
    found[parts >= wholes] = len(SHARE_CLASSES) - 1
    found[(parts <= 0) | (wholes <= 0)] = 0
    numbers: list[int] = found.tolist()
    return numbers


def batch_class(documents: int) -> int:
    """The class of an attempt with that many documents."""
    return bisect_left(_BATCH_LIMITS, documents)


def size_limits(size_class: int) -> tuple[float, float]:
    """A document is of that class if its size is over the first limit and up to the second."""
    return _limits(_SIZE_LIMITS, size_class)


def share_limits(share_class: int) -> tuple[float, float]:
    """The same for the share of classified bytes of a document; only for those between 0 % and 100 %."""
    return _limits((*_SHARE_LIMITS, inf), share_class)


def batch_limits(batch_class: int) -> tuple[float, float]:
    """The same for the number of documents in an attempt."""
    return _limits(_BATCH_LIMITS, batch_class)


def _limits(limits: tuple[float, ...], number: int) -> tuple[float, float]:
    every = (-inf, *limits, inf)
    return every[number], every[number + 1]
