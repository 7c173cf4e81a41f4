"""Padding: zeros at the end of each secure sub-stream, so that an observer who counts bytes on the secure channel
learns only roughly how much is classified.

Invariant: the length of each secure request's body depends only on the number of channels, on the Padmé class of what
the document would need (`padme`), and on what the observer has seen of earlier attempts. Both gateways compute the same
length, so a receiver knows how much to expect. Splits by segments, which are for research, show a class of each
channel.

Padmé: Nikitin et al., "Reducing Metadata Leakage from Encrypted Files and Communication with PURBs", 2019.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sieve.channel.attempt import Plan
from sieve.channel.load import Load
from sieve.core.split.sub_stream import Range, SubStream

HELD_STEP: Final = 256 * 1024
"""What is held is rounded to this many bytes at least: a receiver keeps whole segments, whose number would show where
one of its files ends."""


@dataclass(frozen=True, slots=True)
class Padded:
    """A sub-stream with padding behind it. Padding belongs to no range of the stream."""

    carried: SubStream
    padding: int = 0

    @property
    def size(self) -> int:
        """How many bytes, with the padding."""
        return self.carried.size + self.padding

    def ranges(self, start: int, end: int) -> Iterator[Range]:
        """The ranges of the stream for bytes `start` to `end`; fewer bytes if some of these are padding."""
        return self.carried.ranges(start, end)

    def carries(self, start: int, end: int) -> int:
        """How many of the bytes `start` to `end` are no padding."""
        return max(0, min(end, self.carried.size) - start)


def step_of(size: int) -> int:
    """A power of two, of which the sizes around `size` are padded to multiples."""
    exponent = max(0, size.bit_length() - 1)
    return 1 << (exponent - exponent.bit_length())


def padme(size: int) -> int:
    """The size to which Padmé pads `size` bytes: less than 12 % more, and less the larger it is.

    >>> [padme(size) for size in (0, 1, 9, 1000, 100_000, 10_000_000)]
    [0, 1, 10, 1024, 100352, 10223616]
    """
    return -(-size // step_of(size)) * step_of(size)


def paddings(parts: Sequence[SubStream], load: Load, plan: Plan, opening: int) -> list[int]:
    """How much padding each secure sub-stream has behind it. `opening`: the bytes before the first one.

    With one channel, opening and stream are padded together. With several, the opening would show in the difference
    between their lengths, so each is padded by itself.
    """
    if len(parts) == 1:
        return [_left(opening, load, plan) - opening - parts[0].size]
    if plan.split == "range":
        each = -(-_left(0, load, plan) // len(parts))
        sizes = [each] * len(parts)
    else:
        sizes = [padme(part.size) for part in parts]
    sizes[0] += padme(opening) - opening
    return [size - part.size for size, part in zip(sizes, parts, strict=True)]


def _left(opening: int, load: Load, plan: Plan) -> int:
    """How long an opening and a stream are with their padding, if the attempt leaves out what is held.

    The missing part is not padded by itself: the less is missing, the more exactly its length would show the size.
    """
    missing, held = load.classified_size, load.held.classified_size
    if not plan.uses_plain_channel:
        missing, held = load.size, load.held.size
    if not missing:
        return padme(opening)
    padded = padme(opening + missing + held)
    step = max(HELD_STEP, step_of(padded))
    return padded - held // step * step
