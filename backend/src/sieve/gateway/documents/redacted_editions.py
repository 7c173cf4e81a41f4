"""Redacted editions of files that authors send. A reading process makes each from the marks and checks it; it is stored
sealed, and sent after the classified stream.

Invariant: a document is sent with or without its edition. If none can be made, or one fails its check, a sentence tells
the author why, and nothing of the edition is stored. A document never changes, so its edition is made once. It is never
completely in memory. Its digest would confirm a guess of the withheld text: only manifests contain it, and it is
computed again each time.
"""

import asyncio
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from blake3 import blake3

from sieve.channel.manifest import RedactedEdition
from sieve.core.sentence import Sentence
from sieve.formats.text.separation import is_text
from sieve.gateway.clock import now_ns
from sieve.gateway.documents.in_thread import in_thread
from sieve.gateway.errors import Conflict
from sieve.gateway.reading.errors import ReadingFailed, Unreadable
from sieve.gateway.reading.file import BYTES, TEXT, File
from sieve.gateway.reading.service import ReadingService
from sieve.gateway.stored_document import PIECE, REDACTED, StoredDocument
from sieve.store.blobs import BlobRef, BlobStore, SealedWriter
from sieve.store.database import Database
from sieve.store.models import Document
from sieve.store.queries import documents as document_queries

ENOUGH_S: Final = 60.0
"""After this time, no further edition is made for one request."""
_WITHOUT: Final = "it is sent without a redacted edition"


@dataclass(frozen=True, slots=True)
class RedactedEditions:
    """Makes and stores redacted editions. The caller checks permissions."""

    database: Database
    blobs: BlobStore
    reading: ReadingService

    async def of(self, row: Document) -> RedactedEdition | str | None:
        """The redacted edition of a document that was loaded with its blobs; a sentence that says why it has none; or
        None for a text, whose edition follows from its plain stream.

        Raises:
            ReadingBusy: it cannot be made now.
            BlobDamaged: the document is gone or damaged.
            StorageFull: there is no room for it.
            Conflict: the document was deleted or superseded meanwhile.
        """
        if row.redacted_blob is not None:
            return await asyncio.to_thread(self._kept, row)
        if row.format is None or row.format == TEXT:
            if is_text(row.media_type):
                return None
            return f"{_WITHOUT}, because the gateway does not read its content"
        if row.format == BYTES:
            return f"{_WITHOUT}, because files of this kind have none"
        try:
            made = await self._made(File.of(self.blobs, row), owner=row.id)
        except Unreadable:
            # The error names an address in the file: the preview shows it, but it is not stored.
            return f"{_WITHOUT}, because none can be made with these marks; its preview says why"
        except ReadingFailed:
            return f"{_WITHOUT}, because making one took too much time or memory"
        if not made.size:
            await asyncio.to_thread(self.blobs.delete, made)
            return f"{_WITHOUT}, because it would be empty"
        return await self._keep(row, made)

    async def to_read(self, file: File) -> tuple[int, Iterator[bytes]]:
        """A temporary redacted edition: its size in bytes, and an iterator of its pieces, which blocks. It is deleted
        when the iterator ends or is closed.

        Raises:
            Unreadable, ReadingFailed, ReadingBusy: see `ReadingService.redacted`.
            BlobDamaged: the document is gone or damaged.
            StorageFull: there is no room for it.
        """
        return await self._passed(await self._made(file, owner=file.key))

    async def highlighted_to_read(self, file: File) -> tuple[int, Iterator[bytes]]:
        """The same for a received file with its classified content highlighted.

        Raises:
            As `to_read`.
        """
        return await self._passed(await self._made(file, owner=file.key, highlighted=True))

    async def _passed(self, made: BlobRef) -> tuple[int, Iterator[bytes]]:
        pieces = self._passing(made)
        next(pieces)  # starts it: the `finally` of a generator that never started does not run, and the file would stay
        return made.size, pieces

    def _passing(self, made: BlobRef) -> Iterator[bytes]:
        """One empty piece, and then the pieces."""
        try:
            yield b""
            reader = self.blobs.open_sealed(made)
            for start in range(0, made.size, PIECE):
                yield reader.read(start, min(start + PIECE, made.size))
        finally:
            self.blobs.delete(made)

    async def _made(self, file: File, *, owner: str, highlighted: bool = False) -> BlobRef:
        """Makes a redacted edition, or a highlighted one: a file on the disk that no row names yet."""
        begun = functools.partial(self.blobs.new_sealed, owner=owner, purpose=REDACTED)
        writer = await in_thread(begun, SealedWriter.discard)
        try:
            make = self.reading.highlighted if highlighted else self.reading.redacted
            await make(file, writer.write)
        except BaseException:
            writer.discard()  # safe after a cancellation, too: `redacted` ends only when the reading has
            raise
        return await in_thread(functools.partial(self._finished, writer), self.blobs.delete)

    def _finished(self, writer: SealedWriter) -> BlobRef:
        try:
            ref = writer.finish()
            self.blobs.sync_names()
        except BaseException:
            writer.discard()
            raise
        return ref

    async def _keep(self, row: Document, made: BlobRef) -> RedactedEdition:
        kept = False
        try:
            async with self.database.write() as session:
                kept = await document_queries.add_redacted(session, row.id, made, now_ns())
        finally:
            if not kept:
                # Another request was faster, or nothing was written. If the commit fails, a row may name the file,
                # and it stays; if not, the next start removes it.
                await asyncio.to_thread(self.blobs.delete, made)
        async with self.database.read() as session:
            now = await document_queries.owned(session, row.id, row.owner_id or "")
        if now is None or now.redacted_blob is None:
            raise Conflict(
                Sentence(
                    "document-changed-meanwhile",
                    "{name} was deleted or saved again in the meantime; review it again, then send it",
                    name=row.name,
                )
            )
        return await asyncio.to_thread(self._kept, now)

    def _kept(self, row: Document) -> RedactedEdition:
        document, digest, size = StoredDocument.of(self.blobs, row), blake3(), 0
        for piece in document.held(document.redacted_edition()):
            digest.update(piece)
            size += len(piece)
        return RedactedEdition(size, digest.digest())
