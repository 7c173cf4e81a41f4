"""How an attempt splits its streams over its channels, by its plan. Both gateways compute the same split.

In `sieve` the classified stream is split over the secure channels and the plain stream over the plain ones, each by its
own segments. In `secure-only` what is split is the classified stream with the plain stream behind it, as one segment.
Of a batch the streams are those of its documents, one after the other.
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
    """How the plain stream is split and cut into chunks, as the receiver must know it: by range,
    nothing but three numbers.

    `lengths`: of each document's segments, where it is split by these; the wire tells them then, too. Of those splits
    alone the spans are bounded: where whole documents are dealt, each is one segment.
    """

    size: int
    channels: int = 1
    split: AnySplit = "range"
    lengths: tuple[tuple[int, ...], ...] = ()
    max_chunk: int = COMMON_CHUNK

    @classmethod
    def of(cls, load: Load, plan: Plan, max_chunk: int = COMMON_CHUNK) -> Self:
        """That of an attempt; of one channel where the plan uses none, for then nothing of it is split."""
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
        """What travels, and is sealed, as one."""
        return Chunks(self.sub_streams(), self.max_chunk)

    def to_json(self) -> dict[str, Any]:
        """For the plain listener's process."""
        # Not `asdict`: of 65,536 segments it copies each, on the event loop.
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> Self:
        """What `to_json` said."""
        return cls(**said | {"lengths": tuple(map(tuple, said["lengths"]))})


def _classified(manifest: Manifest) -> Bounds:
    """The segments of a classified stream as it travels; a redacted edition is one more, and so are marks."""
    bounds, end = [*segment_bounds.of_classified(manifest.spans)], manifest.classified_size
    for each in manifest.accompanying:
        end += each.size
        bounds.append(end)
    return bounds


def of_documents(split: AnySplit, documents: Sequence[Bounds], channels: int) -> SubStreams:
    """The sub-streams of documents' streams, each of segments with these bounds.

    One document is the batch of one: ES and SS are what BES and BSS are of it.
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
