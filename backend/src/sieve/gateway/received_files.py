"""What has been received of a document that is on its way: its two blobs as they are written, and their digests.

The law: no byte is hashed twice. What comes in order is hashed on the way, here or by the plain listener; only what
came out of order is read again.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from sieve.channel import canonical
from sieve.channel.manifest import Manifest
from sieve.channel.seals import Piece
from sieve.core.document import SPAN_BYTES
from sieve.gateway.in_order import InOrderDigest
from sieve.gateway.plain_files import AROUND_FROM
from sieve.gateway.stored_document import DIGEST_SIZE, tail
from sieve.gateway.writes_behind import GatheredFile, WritesBehind
from sieve.store.blobs import BlobRef, BlobStore, PlainWriter, ScatteredWriter, SealedWriter


class ReceivedFiles:
    """The files of one document. End them with all of `last_steps`, or `discard` them."""

    def __init__(self, manifest: Manifest, blobs: BlobStore, writes: WritesBehind, near: str = "") -> None:
        """`near`: the id of a blob that will be stored together with these.

        Raises:
            DestinationFull: there is not even room for the files.
        """
        self._manifest, self._blobs, self._writes = manifest, blobs, writes
        self._plain = blobs.new_plain(owner=manifest.transfer_id, purpose="document", near=near)
        self._all: list[PlainWriter | SealedWriter | ScatteredWriter] = [self._plain]
        size = manifest.classified_size + DIGEST_SIZE + len(manifest.spans) * SPAN_BYTES
        try:
            self._sealed = blobs.new_scattered(owner=manifest.transfer_id, purpose="document", size=size, near=self.id)
        except BaseException:
            self._plain.discard()
            raise
        self._all.append(self._sealed)
        self._classified_digest = InOrderDigest(manifest.classified_size)
        self._plain_digest = InOrderDigest(manifest.plain_size)
        # What comes of the plain stream over a secure channel, from the stream's start on.
        self._gathered: GatheredFile | None = None
        self.listeners_digest: bytes | None = None
        """Of the plain stream, where the plain listener received all of it."""

    @property
    def id(self) -> str:
        """One of its blobs' ids."""
        return self._plain.path.name

    @property
    def plain_path(self) -> str:
        """Where the plain listener puts what it receives."""
        return str(self._plain.path)

    @property
    def held(self) -> int:
        """How many sealed segments are held in memory, not being whole."""
        return self._sealed.held

    def reserve(self) -> None:
        """Makes sure that everything finds room. Blocking.

        Raises:
            DestinationFull: it does not.
        """
        self._plain.reserve(self._manifest.plain_size)
        self._sealed.reserve()

    def write_classified(self, offset: int, data: Piece) -> None:
        """Into the classified stream, sealed."""
        self._classified_digest.update(offset, data)
        self._sealed.write_at(offset, data)

    def write_plain(self, offset: int, data: Piece) -> None:
        """Into the plain stream. What comes in order is written behind, where that is worth it.

        Raises:
            DestinationFull: there is no room.
        """
        if offset == 0 and self._gathered is None and self._manifest.plain_size >= AROUND_FROM:
            with suppress(OSError):  # too many files are open: then it goes the other way
                self._gathered = GatheredFile(self.plain_path, self._writes, self._plain_digest.update)
        if self._gathered is not None:
            # Hashed by the thread that writes it; of the rest, which is out of order, nothing is hashed on the way.
            if offset == self._gathered.end:
                self._gathered.append(data)
                return
        else:
            self._plain_digest.update(offset, data)
        self._plain.write_at(offset, [data])

    @property
    def must_be_read(self) -> bool:
        """Whether some of it must be read again for its digests."""
        return bool(self._classified_digest.missing or (self.listeners_digest is None and self._plain_digest.missing))

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

    def digests(self) -> tuple[bytes, bytes]:
        """BLAKE3 of the classified and of the plain stream, which are whole; nothing is behind. Blocking, if it must be
        read again.

        Raises:
            BlobDamaged: it cannot be read.
        """
        classified = self._classified_digest.digest(self._sealed.read)
        return classified, self.listeners_digest or self._plain_digest.digest(self._plain.read)

    def last_steps(self, classified_digest: bytes) -> tuple[Callable[[], BlobRef], ...]:
        """What makes the plain blob, the sealed one, and one with the manifest, each in any thread: on the disk when it
        returns, but for its name (`BlobStore.sync_folder`). Blocking; raises DestinationFull where there is no room.
        """
        return self._finish_plain, partial(self._finish_sealed, classified_digest), self._finish_manifest

    def _finish_plain(self) -> BlobRef:
        self._plain.sync()
        return self._plain.ref(self._manifest.plain_size)

    def _finish_sealed(self, classified_digest: bytes) -> BlobRef:
        self._sealed.write_at(self._manifest.classified_size, tail(classified_digest, self._manifest.spans))
        return self._sealed.finish()

    def _finish_manifest(self) -> BlobRef:
        writer = self._blobs.new_sealed(owner=self._manifest.transfer_id, purpose="manifest", near=self.id)
        self._all.append(writer)
        writer.write(canonical.dumps(self._manifest.head))
        return writer.finish()

    def discard(self) -> None:
        """Removes them all; not once a row names them."""
        if self._gathered is not None:
            self._gathered.discard()
        for file in self._all:
            file.discard()
