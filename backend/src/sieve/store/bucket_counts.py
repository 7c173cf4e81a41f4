"""Counts by bucket as bytes: how a stored histogram looks, and how two of them add up.

Pairs of little-endian unsigned integers, a bucket (2 bytes) and a count (4 bytes), in the order of buckets. Readers add
up the counts of a bucket that occurs more than once. So joined histograms are the histogram of all.
"""

import struct
from typing import Final

FUNCTION: Final = "sieve_added_counts"
"""`added` under the name by which a statement calls it: see `sieve.store.database`."""

PAIR_BYTES: Final = 6
PAIRS: Final = struct.Struct("<HI")


def added(one: bytes, other: bytes) -> bytes:
    """The counts of both, each bucket once."""
    if not one or not other:
        return one or other
    counts = dict(PAIRS.iter_unpack(one))
    for bucket, count in PAIRS.iter_unpack(other):
        counts[bucket] = counts.get(bucket, 0) + count
    flat = [number for pair in sorted(counts.items()) for number in pair]
    return struct.pack("<" + "HI" * len(counts), *flat)
