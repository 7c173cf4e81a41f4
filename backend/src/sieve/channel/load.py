"""A load: the documents that one attempt carries, one or several, and the places of their streams in the load's.

A single transfer is a load of one document, and a *batch* is a load of several; there is no other difference.

Invariant: the load's streams are the documents' streams, one after the other, in the order of the manifests. So a
range of a load's stream consists of ranges of the documents' streams, in that order. A redacted edition is
the tail of its document's classified stream: bytes from the document's `classified_size` on.

An attempt with one document may resume. Then its streams are the missing parts of the document's, one gap after the
other.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from sieve.channel.attempt import Plan
from sieve.channel.cover import Cover
from sieve.channel.errors import BadManifest
from sieve.channel.held_ranges import NOTHING, Held, gaps
from sieve.channel.manifest import MAX_SIZE, Manifest
from sieve.core.document import MAX_SPANS

MAX_DOCUMENTS = 64
"""Of any load; a gateway may take fewer."""


class Part(NamedTuple):
    """Bytes `start` to `end` of the classified or the plain stream of document number `document`."""

    document: int
    classified: bool
    start: int
    end: int


class Layout:
    """Streams of documents, or their missing parts, one after the other, as one stream."""

    def __init__(self, streams: Iterable[Part]) -> None:
        """`streams`: in order; empty ones count as absent."""
        self._streams = tuple(stream for stream in streams if stream.start < stream.end)
        self._firsts = tuple(accumulate((stream.end - stream.start for stream in self._streams), initial=0))

    @property
    def size(self) -> int:
        """Bytes of all of them."""
        return self._firsts[-1]

    def parts(self, start: int, end: int) -> Iterator[Part]:
        """The parts that hold the bytes `start` to `end`, in order; none is empty. The range is within `size`."""
        number = bisect_right(self._firsts, start) - 1
        while start < end:
            first, last = self._firsts[number], self._firsts[number + 1]
            until = min(end, last)
            stream = self._streams[number]
            skipped = stream.start - first
            yield Part(stream.document, stream.classified, start + skipped, until + skipped)
            start = until
            number += 1

    def places(self) -> Iterator[tuple[Part, int, int]]:
        """Each stream or gap of one, with its start and end."""
        for number, stream in enumerate(self._streams):
            yield stream, self._firsts[number], self._firsts[number + 1]


@dataclass(frozen=True)
class Load:
    """What an attempt carries. Documents are numbered from 0, in the order of their manifests. `held`: what the
    receiver has of the only document; it is left out. `covers`: of each document; empty if the receiver takes none."""

    manifests: tuple[Manifest, ...]
    held: Held = NOTHING
    covers: tuple[Cover | None, ...] = ()

    def __post_init__(self) -> None:
        """Raises BadManifest for what no peer takes in one attempt."""
        if not 1 <= len(self.manifests) <= MAX_DOCUMENTS:
            raise BadManifest(f"one attempt carries 1 to {MAX_DOCUMENTS} documents, not {len(self.manifests)}")
        if len({manifest.transfer_id for manifest in self.manifests}) != len(self.manifests):
            raise BadManifest("a transfer is named twice in one attempt")
        if self.spans > MAX_SPANS:
            raise BadManifest(f"the documents of one attempt have at most {MAX_SPANS} spans together")
        if self.size > MAX_SIZE:
            raise BadManifest("the documents of one attempt are too large together")
        if self.covers and len(self.covers) != len(self.manifests):
            raise BadManifest("there is not one cover for each document")
        if self.held:
            if self.is_batch:
                raise BadManifest("only an attempt at one document resumes")
            [manifest] = self.manifests
            if not self.held.fits(manifest.carried_classified_size, manifest.plain_size):
                raise BadManifest("more of the document is said to be held than there is")

    def __repr__(self) -> str:
        return f"Load({', '.join(self.transfer_ids)})"

    @property
    def is_batch(self) -> bool:
        """Whether there are several documents."""
        return len(self.manifests) > 1

    @property
    def transfer_ids(self) -> tuple[str, ...]:
        """Of each document."""
        return tuple(manifest.transfer_id for manifest in self.manifests)

    def cover(self, document: int) -> Cover | None:
        """The cover of a document, if it has one."""
        return self.covers[document] if self.covers else None

    @property
    def spans(self) -> int:
        """How many spans the documents have."""
        return sum(len(manifest.spans) for manifest in self.manifests)

    @property
    def size(self) -> int:
        """Bytes of all streams, as they travel."""
        return sum(manifest.carried_size for manifest in self.manifests) - self.held.size

    @property
    def classified_size(self) -> int:
        """Bytes of all classified streams, as they travel."""
        return sum(manifest.carried_classified_size for manifest in self.manifests) - self.held.classified_size

    @property
    def plain_size(self) -> int:
        """Bytes of all plain streams, as they travel."""
        return self.size - self.classified_size

    @cached_property
    def plain(self) -> Layout:
        """The plain streams."""
        return Layout(part for number in range(len(self.manifests)) for part in self._plain(number))

    def secure(self, plan: Plan) -> Layout:
        """The streams on the secure channels: the classified ones; in secure-only, each followed by its document's
        plain stream."""
        streams: list[Part] = []
        for number, manifest in enumerate(self.manifests):
            missing = gaps(self.held.classified, manifest.carried_classified_size)
            streams += (Part(number, True, start, end) for start, end in missing)
            if not plan.uses_plain_channel:
                streams += self._plain(number)
        return Layout(streams)

    def _plain(self, number: int) -> Iterator[Part]:
        missing = gaps(self.held.plain, self.manifests[number].plain_size)
        return (Part(number, False, start, end) for start, end in missing)
