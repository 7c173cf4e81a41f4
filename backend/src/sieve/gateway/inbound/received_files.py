"""The blobs of a document that is being received, and their digests: its two streams and, of a file, its redacted
edition and its marks, which are the end of the classified stream as it travels.

Invariant: no byte is hashed twice. Bytes that arrive in order are hashed on the way, here or by the plain listener;
only bytes that came out of order, or in an earlier attempt, are read again.

If an attempt breaks off, a large document keeps what was written (`partials`): whole sealed segments, and the plain
stream as far as it was written.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from sieve.channel.held_ranges import NOTHING, Held, Range, largest, merged
from sieve.channel.manifest import Manifest, SentMarks
from sieve.channel.seals import Bytes
from sieve.core.document import SPAN_BYTES
from sieve.gateway.inbound.in_order_digest import InOrderDigest
from sieve.gateway.inbound.partials import WORTH_IT, Kept
from sieve.gateway.plain.files import AROUND_FROM, Openable, StreamPart, Sum
from sieve.gateway.plain.write_behind import GatheredFile, WriteBehind
from sieve.gateway.stored_document import DIGEST_SIZE, MARKS, REDACTED, tail
from sieve.store.blobs import BlobRef, BlobStore, PlainWriter, ScatteredWriter
from sieve.store.segment_tags import PlainSum


class Digests(NamedTuple):
    """BLAKE3 of each stream, and of what accompanies them, in the order of `Manifest.accompanying`."""

    classified: bytes
    plain: bytes
    accompanying: Sequence[bytes]


class Blobs(NamedTuple):
    """A document's blobs; `redacted` and `marks` only if it has them."""

    plain: BlobRef
    sealed: BlobRef
    redacted: BlobRef | None
    marks: BlobRef | None


@dataclass(slots=True)
class _Accompanying:
    """What travels behind the classified stream, from `start` to `end` of it."""

    start: int
    end: int
    writer: ScatteredWriter
    digest: InOrderDigest


class ReceivedFiles:
    """The blobs of one document. End them with all of `last_steps`, with `keep` or with `discard`."""

    def __init__(
        self, manifest: Manifest, blobs: BlobStore, writes: WriteBehind, near: str = "", kept: Kept | None = None
    ) -> None:
        """`near`: the id of a blob that will be stored together with these. `kept`: the partial of an earlier attempt.

        Raises:
            StorageFull: there is not even room for empty files.
            BlobDamaged: a kept blob cannot be resumed.
        """
        self.manifest, self._blobs, self._writes = manifest, blobs, writes
        owner, size = manifest.transfer_id, manifest.classified_size
        self.resumed = kept is not None
        """Whether a part of it came in an earlier attempt."""
        held = kept.held if kept is not None else NOTHING
        self._plain = (
            blobs.new_plain(owner=owner, purpose="document", near=near)
            if kept is None
            else blobs.resume_plain(kept.plain)
        )
        self._all: list[PlainWriter | ScatteredWriter] = [self._plain]
        self._accompanying: list[_Accompanying] = []

        def sealed(purpose: str, size: int, begun: BlobRef | None, whole: list[Range]) -> ScatteredWriter:
            writer = (
                blobs.new_scattered(owner=owner, purpose=purpose, size=size, near=self.id)
                if begun is None
                else blobs.resume_scattered(begun, whole)
            )
            self._all.append(writer)
            return writer

        try:
            whole = [(start, min(end, size)) for start, end in held.classified if start < size]
            room = size + DIGEST_SIZE + len(manifest.spans) * SPAN_BYTES
            self._sealed = sealed("document", room, kept.sealed if kept is not None else None, whole)
            at = size
            for each in manifest.accompanying:
                purpose, until = (MARKS if isinstance(each, SentMarks) else REDACTED), at + each.size
                begun = None if kept is None else kept.marks if purpose == MARKS else kept.redacted
                clipped = [(max(start, at) - at, min(end, until) - at) for start, end in held.classified]
                writer = sealed(purpose, each.size, begun, [(start, end) for start, end in clipped if start < end])
                self._accompanying.append(_Accompanying(at, until, writer, InOrderDigest(each.size)))
                at = until
        except BaseException:
            for file in self._all:
                file.close() if kept is not None else file.discard()
            raise
        # Ranges of the plain stream that are written, here or by the plain listener, except by `_gathered`.
        self._plain_written: list[Range] = [*held.plain]
        self._written_behind = 0
        self._classified_digest = InOrderDigest(manifest.classified_size)
        self._plain_sum = PlainSum(self._plain.tag_key)
        self._plain_digest = InOrderDigest(manifest.plain_size, self._plain_sum)
        # The plain stream from its start on, where it comes over a secure channel.
        self._gathered: GatheredFile | None = None
        self.listeners_sum: Sum | None = None
        """The digest and tags of the plain stream, if the plain listener received all of it."""

    @property
    def id(self) -> str:
        """One of its blobs' ids."""
        return self._plain.id

    def plain_part(self, start: int, end: int, at: int) -> StreamPart[Openable]:
        """Where the plain listener writes the bytes `start` to `end` of its handle's stream: here, from `at` on."""
        # Nobody uses the tags of a gap.
        return StreamPart(self._plain, start, end, "" if self.resumed else self._plain.tag_key.hex(), at)

    @property
    def is_worth_keeping(self) -> bool:
        """Whether a part of the document is kept when its attempt breaks off."""
        return self.manifest.carried_size >= WORTH_IT

    def plain_is_written(self, start: int, end: int) -> None:
        """The plain listener has written these bytes of the plain stream."""
        self._plain_written.append((start, end))

    def written(self) -> Kept:
        """What is written so far, but perhaps not durable: call `sync` next."""
        classified = [*self._sealed.whole] if self._sealed.begun is not None else []
        for each in self._accompanying:
            if each.writer.begun is not None:
                classified += ((start + each.start, end + each.start) for start, end in each.writer.whole)
        redacted, marks = self._by_name([each.writer.begun for each in self._accompanying])
        self._plain_written = merged(self._plain_written)
        plain = [*self._plain_written, (0, self._written_behind)]
        return Kept(
            self._plain.begun(self.manifest.plain_size),
            self._sealed.begun,
            redacted,
            Held(largest(classified), largest(plain)),
            marks,
        )

    def sync(self) -> None:
        """Makes durable what `written` returned. Blocking; other threads may write meanwhile.

        Raises:
            OSError: it cannot be made durable.
        """
        for file in self._all:
            file.sync()
        self._blobs.sync_names()

    def keep(self) -> Kept:
        """Ends the writing of an incomplete document; returns what is durable. Blocking.

        Raises:
            StorageFull, OSError: it cannot be written or synced; then call `discard`.
        """
        self.catch_up()
        kept = self.written()
        self.sync()
        for file in self._all:
            file.close()
        return kept

    @property
    def held(self) -> int:
        """How many incomplete segments are in memory."""
        return self._sealed.held + sum(each.writer.held for each in self._accompanying)

    def reserve(self) -> None:
        """Reserves space for all of it. Blocking.

        Raises:
            StorageFull: there is not enough.
        """
        self._plain.reserve(self.manifest.plain_size)
        self._sealed.reserve()
        for each in self._accompanying:
            each.writer.reserve()

    def write_classified(self, offset: int, data: Bytes) -> None:
        """Seals bytes of the classified stream as it travels; what accompanies the document is its end."""
        size, end = self.manifest.classified_size, offset + len(data)
        if end <= size or not self._accompanying:
            self._classified_digest.update(offset, data)
            self._sealed.write_at(offset, data)
            return
        view = memoryview(data)
        if offset < size:
            self.write_classified(offset, view[: size - offset])
        for each in self._accompanying:
            start, stop = max(offset, each.start), min(end, each.end)
            if start < stop:
                piece = view[start - offset : stop - offset]
                each.digest.update(start - each.start, piece)
                each.writer.write_at(start - each.start, piece)

    def write_plain(self, offset: int, data: Bytes) -> None:
        """Writes bytes of the plain stream. A thread writes those that come in order, if there are enough of them.

        Raises:
            StorageFull: there is no room.
        """
        if offset == 0 and self._gathered is None and not self.resumed and self.manifest.plain_size >= AROUND_FROM:
            with suppress(OSError):  # too many files are open: write it here
                self._gathered = GatheredFile(self._plain.open_direct(around=True), self._writes, self._put_behind)
        if self._gathered is not None:
            # The thread that writes it hashes it, too. Bytes out of order are hashed later.
            if offset == self._gathered.end:
                self._gathered.append(data)
                return
        else:
            self._plain_digest.update(offset, data)
        self._plain.write_at(offset, [data])
        start, end = offset, offset + len(data)
        if self._plain_written and self._plain_written[-1][1] == start:  # mostly it follows what came last
            start = self._plain_written.pop()[0]
        self._plain_written.append((start, end))

    def _put_behind(self, offset: int, data: memoryview) -> None:
        """Called by the writing thread, in order from the start on."""
        self._plain_digest.update(offset, data)
        self._written_behind = offset + len(data)

    @property
    def must_be_read(self) -> bool:
        """Whether some of it must be read again for its digests."""
        sealed = self._classified_digest.missing or any(each.digest.missing for each in self._accompanying)
        return bool(sealed or (self.listeners_sum is None and self._plain_digest.missing))

    @property
    def is_behind(self) -> bool:
        """Whether a thread writes some of it."""
        return self._gathered is not None

    def catch_up(self) -> None:
        """Waits until the thread has written everything. Blocking.

        Raises:
            StorageFull, OSError: it could not be written.
        """
        if self._gathered is not None:
            self._gathered.finish()

    def digests(self) -> Digests:
        """The digests of the complete streams, after `catch_up`. Blocking, if some of it must be read again.

        Raises:
            BlobDamaged: it cannot be read.
        """
        classified = self._classified_digest.digest(self._sealed.read)
        listeners = self.listeners_sum
        plain = listeners.digest if listeners is not None else self._plain_digest.digest(self._plain.read)
        return Digests(classified, plain, [each.digest.digest(each.writer.read) for each in self._accompanying])

    def last_steps(self, classified_digest: bytes) -> list[Callable[[], BlobRef]]:
        """The steps that finish the plain blob, the sealed one and those of what accompanies the document. Each may
        run in any thread; its blob is durable when it returns, except for its name (`BlobStore.sync_names`). Blocking;
        raises StorageFull if there is no room.
        """
        steps: list[Callable[[], BlobRef]] = [self._finish_plain, partial(self._finish_sealed, classified_digest)]
        return [*steps, *(each.writer.finish for each in self._accompanying)]

    def blobs(self, made: Sequence[BlobRef]) -> Blobs:
        """The results of `last_steps`, in their order."""
        plain, sealed, *others = made
        return Blobs(plain, sealed, *self._by_name(others))

    def _by_name(self, accompanying: Iterable[BlobRef | None]) -> tuple[BlobRef | None, BlobRef | None]:
        """The blobs of the redacted edition and of the marks, of those in the order of `Manifest.accompanying`."""
        rest = iter(accompanying)
        redacted = next(rest) if self.manifest.redacted is not None else None
        return redacted, next(rest) if self.manifest.marks is not None else None

    def _finish_plain(self) -> BlobRef:
        tags = self.listeners_sum.tags if self.listeners_sum is not None else self._plain_sum.tags()
        return self._plain.finish(self.manifest.plain_size, tags)

    def _finish_sealed(self, classified_digest: bytes) -> BlobRef:
        self._sealed.write_at(self.manifest.classified_size, tail(classified_digest, self.manifest.spans))
        return self._sealed.finish()

    def discard(self) -> None:
        """Removes them all. Never call it once a row names them."""
        if self._gathered is not None:
            self._gathered.discard()
        for file in self._all:
            file.discard()
