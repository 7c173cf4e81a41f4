"""What has been received of a document that is on its way: its blobs as they are written, and their digests. Two are
its streams; of a file a third is its redacted edition, the tail of the classified stream as it travels.

Invariant: no byte is hashed twice. What comes in order is hashed on the way, here or by the plain listener; only what
came out of order, or in an earlier attempt, is read again.

What is written of a large document can be kept when its attempt breaks off (`partials`): whole sealed segments, and
whatever was written of the plain stream.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from sieve.channel.held import NOTHING, Held, Range, largest, merged
from sieve.channel.manifest import Manifest
from sieve.channel.seals import Piece
from sieve.core.document import SPAN_BYTES
from sieve.gateway.inbound.in_order_digest import InOrderDigest
from sieve.gateway.inbound.partials import WORTH_IT, Kept
from sieve.gateway.plain.files import AROUND_FROM, Openable, StreamPart, Sum
from sieve.gateway.plain.write_behind import GatheredFile, WriteBehind
from sieve.gateway.stored_document import DIGEST_SIZE, REDACTED, tail
from sieve.store.blobs import BlobRef, BlobStore, PlainWriter, ScatteredWriter
from sieve.store.segment_tags import PlainSum


class Digests(NamedTuple):
    """BLAKE3 of each stream, and of the redacted edition if there is one."""

    classified: bytes
    plain: bytes
    redacted: bytes | None


class ReceivedFiles:
    """The files of one document. End them with all of `last_steps`, `keep` what is there, or `discard` them."""

    def __init__(
        self, manifest: Manifest, blobs: BlobStore, writes: WriteBehind, near: str = "", kept: Kept | None = None
    ) -> None:
        """`near`: the id of a blob that will be stored together with these. `kept`: what an earlier attempt left.

        Raises:
            DestinationFull: there is not even room for the files.
            BlobDamaged: what was kept cannot be written on.
        """
        self._manifest, self._blobs, self._writes = manifest, blobs, writes
        owner, edition, size = manifest.transfer_id, manifest.redacted, manifest.classified_size
        self.resumed = kept is not None
        """Whether some of it came in an earlier attempt."""
        held = kept.held if kept is not None else NOTHING
        self._plain = (
            blobs.new_plain(owner=owner, purpose="document", near=near)
            if kept is None
            else blobs.resume_plain(kept.plain)
        )
        self._all: list[PlainWriter | ScatteredWriter] = [self._plain]
        self._redacted: ScatteredWriter | None = None
        self._redacted_digest = InOrderDigest(edition.size if edition is not None else 0)

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
            if edition is not None:
                whole = [(max(start - size, 0), end - size) for start, end in held.classified if end > size]
                self._redacted = sealed(REDACTED, edition.size, kept.redacted if kept is not None else None, whole)
        except BaseException:
            for file in self._all:
                file.close() if kept is not None else file.discard()
            raise
        # Of the plain stream, all that is written here or by the plain listener, but for what is written behind.
        self._plain_written: list[Range] = [*held.plain]
        self._written_behind = 0
        self._classified_digest = InOrderDigest(manifest.classified_size)
        self._plain_sum = PlainSum(self._plain.tag_key)
        self._plain_digest = InOrderDigest(manifest.plain_size, self._plain_sum)
        # What comes of the plain stream over a secure channel, from the stream's start on.
        self._gathered: GatheredFile | None = None
        self.listeners_sum: Sum | None = None
        """Of the plain stream, where the plain listener received all of it."""

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
        return self._manifest.carried_size >= WORTH_IT

    def plain_is_written(self, start: int, end: int) -> None:
        """The plain listener has written these bytes of the plain stream."""
        self._plain_written.append((start, end))

    def written(self) -> Kept:
        """What is written so far, though perhaps not on the disk: `sync` comes next."""
        size = self._manifest.classified_size
        classified = self._sealed.whole if self._sealed.begun is not None else []
        redacted = self._redacted if self._redacted is not None and self._redacted.begun is not None else None
        if redacted is not None:
            classified = [*classified, *((start + size, end + size) for start, end in redacted.whole)]
        self._plain_written = merged(self._plain_written)
        plain = [*self._plain_written, (0, self._written_behind)]
        return Kept(
            self._plain.begun(self._manifest.plain_size),
            self._sealed.begun,
            redacted.begun if redacted is not None else None,
            Held(largest(classified), largest(plain)),
        )

    def sync(self) -> None:
        """What `written` said is on the disk when this returns. Blocking; more may be written meanwhile.

        Raises:
            OSError: it cannot be synced.
        """
        for file in self._all:
            file.sync()
        self._blobs.sync_names()

    def keep(self) -> Kept:
        """Ends the writing, whatever is missing; what is on the disk then. Blocking.

        Raises:
            DestinationFull, OSError: what was behind cannot be written, or not be synced; then `discard` them.
        """
        self.catch_up()
        kept = self.written()
        self.sync()
        for file in self._all:
            file.close()
        return kept

    @property
    def held(self) -> int:
        """How many sealed segments are held in memory, not being whole."""
        return self._sealed.held + (self._redacted.held if self._redacted is not None else 0)

    def reserve(self) -> None:
        """Makes sure that everything finds room. Blocking.

        Raises:
            DestinationFull: it does not.
        """
        self._plain.reserve(self._manifest.plain_size)
        self._sealed.reserve()
        if self._redacted is not None:
            self._redacted.reserve()

    def write_classified(self, offset: int, data: Piece) -> None:
        """Into the classified stream as it travels, sealed; a redacted edition is its tail."""
        end = self._manifest.classified_size
        if self._redacted is None or offset + len(data) <= end:
            self._classified_digest.update(offset, data)
            self._sealed.write_at(offset, data)
        elif offset >= end:
            self._redacted_digest.update(offset - end, data)
            self._redacted.write_at(offset - end, data)
        else:
            view = memoryview(data)
            self.write_classified(offset, view[: end - offset])
            self.write_classified(end, view[end - offset :])

    def write_plain(self, offset: int, data: Piece) -> None:
        """Into the plain stream. What comes in order is written behind, where that is worth it.

        Raises:
            DestinationFull: there is no room.
        """
        if offset == 0 and self._gathered is None and not self.resumed and self._manifest.plain_size >= AROUND_FROM:
            with suppress(OSError):  # too many files are open: then it goes the other way
                self._gathered = GatheredFile(self._plain.open_direct(around=True), self._writes, self._put_behind)
        if self._gathered is not None:
            # Hashed by the thread that writes it; of the rest, which is out of order, nothing is hashed on the way.
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
        """By the thread that writes behind, in order from the start on."""
        self._plain_digest.update(offset, data)
        self._written_behind = offset + len(data)

    @property
    def must_be_read(self) -> bool:
        """Whether some of it must be read again for its digests."""
        sealed = self._classified_digest.missing or self._redacted_digest.missing
        return bool(sealed or (self.listeners_sum is None and self._plain_digest.missing))

    @property
    def is_behind(self) -> bool:
        """Whether some of it is written behind."""
        return self._gathered is not None

    def catch_up(self) -> None:
        """Returns once nothing is behind. Blocking.

        Raises:
            DestinationFull, OSError: it could not be written.
        """
        if self._gathered is not None:
            self._gathered.finish()

    def digests(self) -> Digests:
        """Those of what is whole; nothing is behind. Blocking, if it must be read again.

        Raises:
            BlobDamaged: it cannot be read.
        """
        classified = self._classified_digest.digest(self._sealed.read)
        listeners = self.listeners_sum
        plain = listeners.digest if listeners is not None else self._plain_digest.digest(self._plain.read)
        redacted = None if self._redacted is None else self._redacted_digest.digest(self._redacted.read)
        return Digests(classified, plain, redacted)

    def last_steps(self, classified_digest: bytes) -> list[Callable[[], BlobRef]]:
        """What makes the plain blob, the sealed one, and that of the redacted edition if there is one, each in any
        thread: on the disk when it returns, but for its name (`BlobStore.sync_names`). Blocking; raises
        DestinationFull where there is no room.
        """
        steps: list[Callable[[], BlobRef]] = [self._finish_plain, partial(self._finish_sealed, classified_digest)]
        return steps if self._redacted is None else [*steps, self._redacted.finish]

    def _finish_plain(self) -> BlobRef:
        tags = self.listeners_sum.tags if self.listeners_sum is not None else self._plain_sum.tags()
        return self._plain.finish(self._manifest.plain_size, tags)

    def _finish_sealed(self, classified_digest: bytes) -> BlobRef:
        self._sealed.write_at(self._manifest.classified_size, tail(classified_digest, self._manifest.spans))
        return self._sealed.finish()

    def discard(self) -> None:
        """Removes them all; not once a row names them."""
        if self._gathered is not None:
            self._gathered.discard()
        for file in self._all:
            file.discard()
