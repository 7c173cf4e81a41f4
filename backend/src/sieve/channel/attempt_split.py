"""How an attempt splits its streams over its channels, by its plan. Both gateways compute the same split.

In `sieve`, the classified stream is split over the secure channels and the plain stream over the plain ones, each by
its own segments. In `secure-only`, the classified stream with the plain stream behind it is split, as one segment. The
streams of a batch are those of its documents, one after the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, Self

from sieve.channel.attempt import AnySplit, Plan
from sieve.channel.chunk_sizes import COMMON_CHUNK, Chunks
from sieve.channel.load import Load
from sieve.channel.manifest import Manifest
from sieve.core.split import batches, range_split, segment_bounds
from sieve.core.split.segment_bounds import Bounds
from sieve.core.split.sub_stream import SubStreams


def of_secure(load: Load, plan: Plan) -> SubStreams:
    """The sub-streams of what travels over the secure channels."""
    if plan.split == "range":
        size = load.classified_size if plan.uses_plain_channel else load.size
        return range_split.split(size, plan.secure_channels)
    if plan.uses_plain_channel:
        documents = [_classified(manifest) for manifest in load.manifests]
    else:
        documents = [segment_bounds.of_lengths([manifest.carried_size]) for manifest in load.manifests]
    return of_documents(plan.split, documents, plan.secure_channels)


@dataclass(frozen=True, slots=True)
class PlainSplit:
    """How the plain stream is split and cut into chunks. The receiver needs the same values; for a split by range these
    are three numbers.

    `lengths`: of each document's segments, for a split by segments; the opening has them, too. Only such splits limit
    the number of spans: if whole documents are assigned to channels, each is one segment.
    """

    size: int
    channels: int = 1
    split: AnySplit = "range"
    lengths: tuple[tuple[int, ...], ...] = ()
    max_chunk: int = COMMON_CHUNK

    @classmethod
    def of(cls, load: Load, plan: Plan, max_chunk: int = COMMON_CHUNK) -> Self:
        """The split of an attempt. If the plan uses no plain channel, the stream is not split and counts as one."""
        if not plan.uses_plain_channel:
            return cls(load.plain_size, max_chunk=max_chunk)
        if plan.split == "range":
            return cls(load.plain_size, plan.plain_channels, max_chunk=max_chunk)
        if plan.split == "bfs":
            bounds = (segment_bounds.of_lengths([manifest.plain_size]) for manifest in load.manifests)
        else:
            bounds = (segment_bounds.of_plain(manifest.spans, manifest.size) for manifest in load.manifests)
        lengths = tuple(tuple(end - start for start, end in pairwise(document)) for document in bounds)
        return cls(load.plain_size, plan.plain_channels, plan.split, lengths, max_chunk)

    def sub_streams(self) -> SubStreams:
        """What each channel carries."""
        if self.split == "range":
            return range_split.split(self.size, self.channels)
        documents = [segment_bounds.of_lengths(lengths) for lengths in self.lengths]
        return of_documents(self.split, documents, self.channels)

    def chunks(self) -> Chunks:
        """The chunks: each is sent and sealed by itself."""
        return Chunks(self.sub_streams(), self.max_chunk)

    def to_json(self) -> dict[str, Any]:
        """For the plain listener's process."""
        # Not `asdict`, which copies each of 65,536 segments on the event loop.
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> Self:
        """The reverse of `to_json`."""
        return cls(**said | {"lengths": tuple(map(tuple, said["lengths"]))})


def _classified(manifest: Manifest) -> Bounds:
    """The segments of a classified stream as it travels; the redacted edition and the marks are one more each."""
    bounds, end = [*segment_bounds.of_classified(manifest.spans)], manifest.classified_size
    for each in manifest.accompanying:
        end += each.size
        bounds.append(end)
    return bounds


def of_documents(split: AnySplit, documents: Sequence[Bounds], channels: int) -> SubStreams:
    """The sub-streams of the streams of documents, whose segments have these bounds.

    One document is a batch of one, for which ES equals BES and SS equals BSS.
    """
    match split:
        case "range":
            return batches.batch_range(documents, channels)
        case "bfs":
            return batches.bfs(documents, channels)
        case "es" | "bes":
            return batches.bes(documents, channels)
        case "ss" | "bss":
            return batches.bss(documents, channels)
