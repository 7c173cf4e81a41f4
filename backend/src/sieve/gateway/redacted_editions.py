"""The redacted edition of a file that its author sends: made of its marks where files are read, checked there, and kept
beside the document's streams, sealed, to travel behind its classified stream.

The law: a document goes with or without. Where no edition can be made, or one does not stand its check, one sentence
says why, for the author; nothing of an edition that did not stand it is kept. A document never changes, so its edition
is made once.
"""

import asyncio
from dataclasses import dataclass
from typing import Final

from blake3 import blake3

from sieve.channel.manifest import RedactedEdition
from sieve.formats.text import is_text
from sieve.gateway.errors import Conflict
from sieve.gateway.marks import now_ns
from sieve.gateway.reading.errors import ReadingFailed, Unreadable
from sieve.gateway.reading.file import BYTES, TEXT, File
from sieve.gateway.reading.service import ReadingService
from sieve.gateway.stored_document import REDACTED
from sieve.store.blobs import BlobRef, BlobStore
from sieve.store.database import Database
from sieve.store.models import Document
from sieve.store.queries import documents as document_queries

ENOUGH_S: Final = 60.0
"""After so long no further one is made for one request."""
_WITHOUT: Final = "it goes without a redacted edition"


@dataclass(frozen=True, slots=True)
class RedactedEditions:
    """Of everybody's documents. Who may ask is the caller's to check."""

    database: Database
    blobs: BlobStore
    reading: ReadingService

    async def of(self, row: Document) -> RedactedEdition | str | None:
        """The redacted edition of a document that was loaded with its blobs; why it has none; or None for a text, whose
        edition follows from its plain stream.

        Raises:
            ReadingBusy: it cannot be made just now.
            BlobDamaged: the document is gone or damaged.
            Conflict: it went meanwhile.
        """
        if row.redacted_digest is not None:
            return _edition(row)
        if row.format is None or row.format == TEXT:
            if is_text(row.media_type):
                return None
            return f"{_WITHOUT}, for it was not brought as a file to be marked"
        if row.format == BYTES:
            return f"{_WITHOUT}, for files of this kind have none"
        try:
            made = await self.reading.redacted(File.of(self.blobs, row))
        except Unreadable:
            # What the format says names a place: that is for the preview, not to be kept.
            return f"{_WITHOUT}, for none can be made with these marks; its preview says why"
        except ReadingFailed:
            return f"{_WITHOUT}, for making one took too much"
        if not made:
            return f"{_WITHOUT}, for nothing would be in it"
        return await self._keep(row, made)

    async def _keep(self, row: Document, made: bytes) -> RedactedEdition:
        ref, digest = await asyncio.to_thread(self._written, row.id, made)
        kept = False
        try:
            async with self.database.write() as session:
                kept = await document_queries.add_redacted(session, row.id, ref, digest.hex(), now_ns())
        finally:
            if not kept:
                # Somebody was faster, or nothing was written. Where the commit itself fails a row may name the file: it
                # stays, or the next start sweeps it.
                await asyncio.to_thread(self.blobs.delete, ref)
        if kept:
            return RedactedEdition(ref.size, digest)
        async with self.database.read() as session:
            now = await document_queries.owned(session, row.id, row.owner_id or "")
        if now is None or now.redacted_digest is None:
            raise Conflict(f"{row.name} was deleted or saved anew meanwhile; look at it again and send what is there")
        return _edition(now)

    def _written(self, document_id: str, made: bytes) -> tuple[BlobRef, bytes]:
        writer = self.blobs.new_sealed(owner=document_id, purpose=REDACTED)
        try:
            writer.write(made)
            ref = writer.finish()
            self.blobs.sync_folder()
        except BaseException:
            writer.discard()
            raise
        return ref, blake3(made).digest()


def _edition(row: Document) -> RedactedEdition:
    return RedactedEdition(row.redacted_size or 0, bytes.fromhex(row.redacted_digest or ""))
