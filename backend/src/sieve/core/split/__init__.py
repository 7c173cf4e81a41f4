"""How one stream is dealt to several channels, and put together again.

A *split* makes sub-streams of a stream, one for each channel. The law: a sub-stream is a row of ranges of the stream,
in the stream's order, and every byte of the stream is in exactly one. So splitting copies nothing, and who writes each
byte at the place that its sub-stream names has combined the stream.

A stream's *segments* are told by their bounds: 0, then where each one ends. `segment_bounds` makes them of a document.
"""

from typing import Final, Literal, TypeAlias, get_args

Split: TypeAlias = Literal["range", "es", "ss"]
"""Contiguous ranges (ours); even split and segment split, as the security-sieve thesis has them."""
SPLITS: Final[tuple[Split, ...]] = get_args(Split)
