"""What each channel of an attempt carries: its manifest's streams, split by its plan. Both ends compute it alike.

In `sieve` the classified stream is split over the secure channels and the plain stream over the plain ones, each by its
own segments. In `secure-only` what is split is the classified stream with the plain stream behind it, as one segment.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

from sieve.channel.attempt import Plan
from sieve.channel.manifest import Manifest
from sieve.core.split import Split, even, range_split, segment_bounds, segments
from sieve.core.split.segment_bounds import Bounds
from sieve.core.split.sub_stream import SubStreams


def of_secure(manifest: Manifest, plan: Plan) -> SubStreams:
    """The sub-streams of what travels over the secure channels."""
    if plan.split == "range":
        size = manifest.classified_size if plan.uses_plain_channel else manifest.size
        return range_split.split(size, plan.secure_channels)
    if plan.uses_plain_channel:
        return of_segments(plan.split, segment_bounds.of_classified(manifest.spans), plan.secure_channels)
    return of_segments(plan.split, (0, manifest.size), plan.secure_channels)


@dataclass(frozen=True, slots=True)
class PlainSplit:
    """How the plain stream is split, as whoever receives it must be told: by range, nothing but two numbers.

    `lengths`: of the segments, where it is split by these; the wire tells them then, too.
    """

    size: int
    channels: int = 1
    split: Split = "range"
    lengths: tuple[int, ...] = ()

    @classmethod
    def of(cls, manifest: Manifest, plan: Plan) -> Self:
        """That of an attempt; of one channel where the plan uses none, for then nothing of it is split."""
        if not plan.uses_plain_channel:
            return cls(manifest.plain_size)
        if plan.split == "range":
            return cls(manifest.plain_size, plan.plain_channels)
        bounds = segment_bounds.of_plain(manifest.spans, manifest.size)
        lengths = tuple(end - start for start, end in pairwise(bounds))
        return cls(manifest.plain_size, plan.plain_channels, plan.split, lengths)

    def sub_streams(self) -> SubStreams:
        """What each channel carries."""
        if self.split == "range":
            return range_split.split(self.size, self.channels)
        return of_segments(self.split, segment_bounds.of_lengths(self.lengths), self.channels)

    def to_json(self) -> dict[str, Any]:
        """For the plain listener's process."""
        return {"size": self.size, "channels": self.channels, "split": self.split, "lengths": list(self.lengths)}

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> Self:
        """What `to_json` said."""
        return cls(said["size"], said["channels"], said["split"], tuple(said["lengths"]))


def of_segments(split: Split, bounds: Bounds, channels: int) -> SubStreams:
    """The sub-streams of a stream of segments with these bounds."""
    match split:
        case "range":
            return range_split.split(bounds[-1], channels)
        case "es":
            return even.split(bounds, channels)
        case "ss":
            return segments.split(bounds, channels)
