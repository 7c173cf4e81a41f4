"""Histograms of durations, with logarithmic buckets: they add up, and give percentiles within 2 %.

Bucket k holds durations over 1.04^(k-1) and up to 1.04^k microseconds; bucket 0 those up to 1. The value that
represents a bucket has the same relative error at both of its ends, at most 1.97 %.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sieve.store.bucket_counts import PAIR_BYTES

BASE: Final = 1.04
Integers: TypeAlias = NDArray[np.int64]

_PAIR: Final = np.dtype([("bucket", "<u2"), ("count", "<u4")])
_LOG_BASE: Final = float(np.log(BASE))


def buckets_of(values_us: Integers) -> Integers:
    """The bucket of each duration."""
    found: Integers = np.ceil(np.log(np.maximum(values_us, 1)) / _LOG_BASE).astype(np.int64)
    return found


def upper_edge_us(bucket: int) -> float:
    """The longest duration of a bucket."""
    return float(BASE**bucket)


def representative_us(bucket: int) -> float:
    """The duration for which a bucket counts."""
    return float(2 * BASE**bucket / (BASE + 1))


def encoded(buckets: Integers, counts: Integers) -> bytes:
    """The pairs as they are stored."""
    pairs = np.empty(len(buckets), _PAIR)
    pairs["bucket"], pairs["count"] = buckets, counts
    return pairs.tobytes()


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """How many durations are in each bucket. `buckets` ascend; no count is 0."""

    buckets: Integers
    counts: Integers

    @classmethod
    def of(cls, values_us: Iterable[int]) -> "Histogram":
        """The histogram of single durations."""
        buckets, counts = np.unique(buckets_of(np.fromiter(values_us, np.int64)), return_counts=True)
        return cls(buckets, counts.astype(np.int64))

    @classmethod
    def from_bytes(cls, stored: bytes) -> "Histogram":
        """Reads a stored histogram, or several that were joined."""
        pairs = np.frombuffer(stored, _PAIR, count=len(stored) // PAIR_BYTES)
        # A float64 counts exactly up to 2^53.
        counts = np.bincount(pairs["bucket"], weights=pairs["count"]).astype(np.int64)
        buckets = np.flatnonzero(counts)
        return cls(buckets, counts[buckets])

    def to_bytes(self) -> bytes:
        return encoded(self.buckets, self.counts)

    def __add__(self, other: "Histogram") -> "Histogram":
        size = 1 + max(self._last, other._last)
        counts = np.zeros(size, np.int64)
        counts[self.buckets] += self.counts
        counts[other.buckets] += other.counts
        buckets = np.flatnonzero(counts)
        return Histogram(buckets, counts[buckets])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Histogram):
            return NotImplemented
        return np.array_equal(self.buckets, other.buckets) and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]  # arrays can change

    @property
    def _last(self) -> int:
        return int(self.buckets[-1]) if len(self.buckets) else -1

    @property
    def count(self) -> int:
        """How many durations it holds."""
        return int(self.counts.sum())

    def percentile_us(self, percent: float) -> float | None:
        """The duration that `percent` of all do not exceed (nearest rank); None if there are none."""
        count = self.count
        if not count:
            return None
        rank = max(1, int(np.ceil(percent / 100 * count)))
        at = int(np.searchsorted(np.cumsum(self.counts), rank))
        return representative_us(int(self.buckets[at]))


EMPTY: Final = Histogram(np.empty(0, np.int64), np.empty(0, np.int64))
