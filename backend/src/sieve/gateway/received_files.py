"""What an attempt has received, on its way to being a document: its two blobs as they are written, and their digests.

The law: no byte is hashed twice. What comes in order is hashed on the way, here or by the plain listener; only what
came out of order is read again.
"""

import asyncio

from sieve.channel import canonical
from sieve.channel.manifest import Manifest
from sieve.channel.seals import Piece
from sieve.core.document import SPAN_BYTES
from sieve.gateway.in_order import InOrderDigest
from sieve.gateway.stored_document import DIGEST_SIZE, tail
from sieve.store.blobs import BlobRef, BlobStore, PlainWriter, ScatteredWriter, SealedWriter


class ReceivedFiles:
    """The files of one attempt. End them with `finish`, or `discard` them."""

    def __init__(self, manifest: Manifest, blobs: BlobStore) -> None:
        """Raises DestinationFull: there is not even room for the files."""
        self._manifest, self._blobs = manifest, blobs
        self._plain = blobs.new_plain(owner=manifest.transfer_id, purpose="document")
        self._all: list[PlainWriter | SealedWriter | ScatteredWriter] = [self._plain]
        size = manifest.classified_size + DIGEST_SIZE + len(manifest.spans) * SPAN_BYTES
        try:
            self._sealed = blobs.new_scattered(owner=manifest.transfer_id, purpose="document", size=size)
        except BaseException:
            self._plain.discard()
            raise
        self._all.append(self._sealed)
        self._classified_digest = InOrderDigest(manifest.classified_size)
        self._plain_digest = InOrderDigest(manifest.plain_size)
        self.listeners_digest: bytes | None = None
        """Of the plain stream, where the plain listener received all of it."""

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
        """Into the plain stream."""
        self._plain_digest.update(offset, data)
        self._plain.write_at(offset, [data])

    async def digests(self) -> tuple[bytes, bytes]:
        """BLAKE3 of the classified and of the plain stream, which are whole."""
        if self._classified_digest.missing or (self.listeners_digest is None and self._plain_digest.missing):
            return await asyncio.to_thread(self._digests)
        return self._digests()

    def _digests(self) -> tuple[bytes, bytes]:
        classified = self._classified_digest.digest(self._sealed.read)
        return classified, self.listeners_digest or self._plain_digest.digest(self._plain.read)

    def finish(self, classified_digest: bytes) -> tuple[BlobRef, BlobRef, BlobRef]:
        """The plain blob, the sealed one, and one with the manifest; all on the disk when this returns. Blocking."""
        manifest = self._manifest
        self._plain.sync()
        self._sealed.write_at(manifest.classified_size, tail(classified_digest, manifest.spans))
        sealed = self._sealed.finish()
        writer = self._blobs.new_sealed(owner=manifest.transfer_id, purpose="manifest")
        self._all.append(writer)
        writer.write(canonical.dumps(manifest.head))
        manifest_ref = writer.finish()
        self._blobs.sync_folder()
        return self._plain.ref(manifest.plain_size), sealed, manifest_ref

    def discard(self) -> None:
        """Removes them all; not once a row names them."""
        for file in self._all:
            file.discard()
