"""Splits one stream over several channels, and says how to combine it again.

A *split* makes sub-streams of a stream, one for each channel. Invariant: a sub-stream is a sequence of ranges of the
stream, in the stream's order, and every byte of the stream is in exactly one sub-stream. So splitting copies nothing,
and writing each byte at the position that its sub-stream gives combines the stream.

A stream's *segments* are given by their bounds: 0, then the end of each one. `segment_bounds` computes them for a
document.
"""

from typing import Final, Literal, TypeAlias, get_args

Split: TypeAlias = Literal["range", "es", "ss"]
"""Contiguous ranges (ours); even split and segment split, as in the security-sieve thesis."""
SPLITS: Final[tuple[Split, ...]] = get_args(Split)
