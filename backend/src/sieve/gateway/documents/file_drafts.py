"""Drafts that came as a file: its bytes stay as they are, and each save of the draft is the same file, marked anew.

The law: a file is read in a process of its own, before it is taken in and whenever something is asked of it. Marks
count only as far as they fit the file; what bytes they come to is for the file's format to say, never for who marks.
Marks that say less than those before them leave the banner where it was.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.formats.registry import MEDIA_TYPES
from sieve.formats.text.separation import is_text
from sieve.gateway.auditing.audit_log import Witness
from sieve.gateway.documents.draft_labels import DraftLabels
from sieve.gateway.documents.drafts import Drafts
from sieve.gateway.documents.ingest import AsFile, Ingest, Place, Placing, check_media_type
from sieve.gateway.errors import Conflict
from sieve.gateway.reading.errors import Unreadable
from sieve.gateway.reading.file import TEXT, File
from sieve.gateway.reading.service import Marked, ReadingService
from sieve.gateway.stored_document import StoredDocument
from sieve.store.blobs import BlobDamaged, BlobStore
from sieve.store.models import Document
from sieve.store.queries.drafts import WholeDraft

T = TypeVar("T")

MAX_MARKS_BYTES: Final = 64 * 1024 * 1024
"""Of the JSON that brings marks."""
_OCTETS: Final = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class FileDrafts:
    """Everybody's. Who may ask is the caller's to check; other people's are not there."""

    drafts: Drafts
    ingest: Ingest
    reading: ReadingService
    blobs: BlobStore
    labels: DraftLabels

    async def create(self, owner_id: str, pieces: AsyncIterator[bytes], *, name: str, media_type: str) -> WholeDraft:
        """A new draft of the file whose bytes these are.

        Raises:
            Unreadable: it is damaged, protected, too much, or a text, which is brought in another way.
            ReadingFailed, ReadingBusy: it could not be read.
            BadMediaType, DocumentTooLarge, DestinationFull, DatabaseBusy: it cannot be taken in.
        """
        check_media_type(media_type)

        async def recognise(stored: StoredDocument) -> AsFile:
            found = await self.reading.format_of(File.unknown(stored, name, media_type, owner_id))
            if found == TEXT:
                raise Unreadable("Text", "this is a text: bring it as marked text (form=marked), or as it is (literal)")
            # Bytes that are called text would be shown as such, and redacted, where they arrive.
            return AsFile(found, MEDIA_TYPES.get(found, _OCTETS if is_text(media_type) else media_type))

        async def take(placing: Placing) -> Document:
            return await self.ingest.file(pieces, recognise, owner_id=owner_id, name=name, placing=placing)

        return await self.drafts.create(owner_id, take)

    async def mark(self, owner_id: str, draft_id: str, revision: int, given: bytes) -> WholeDraft:
        """The draft with one more save, which has the marks `given`, and no others; `revision` is what it changes.

        Raises:
            NotFound: there is no such draft of this person.
            SavedMeanwhile: it is at another revision.
            Conflict: it is a text, which carries its marks itself.
            Unreadable: the marks are not well-formed, or do not fit the file.
            ReadingFailed, ReadingBusy: it could not be read.
        """
        before = (await self.drafts.at_revision(owner_id, draft_id, revision)).save
        file = File.of(self.blobs, before)
        if file.format == TEXT:
            raise Conflict("a text carries its marks itself; save it as marked text, or with its spans")

        async def read() -> tuple[Marked, Witness]:
            marked = await self.reading.mark(file, given)
            return marked, await self.labels.keeping_banner(before, marked.kept)

        marked, keep_banner = await self._read(owner_id, draft_id, before, read)

        async def take(placing: Placing) -> Document:
            async def place(session: AsyncSession) -> Place:
                placed = await placing(session)
                await keep_banner(session)
                return placed

            return await self.ingest.marked_file(
                _pieces(file.content()),
                marked.spans,
                AsFile(file.format, before.media_type, marked.number, marked.kept if marked.number else b""),
                owner_id=owner_id,
                name=before.name,
                placing=place,
            )

        return await self._read(
            owner_id, draft_id, before, lambda: self.drafts.save(owner_id, draft_id, revision, take)
        )

    async def ask(self, owner_id: str, draft_id: str, what: Callable[[File], Awaitable[T]]) -> tuple[WholeDraft, T]:
        """The latest save of a draft and what `what` finds in it, though another takes its place meanwhile.

        Raises:
            NotFound: there is no such draft of this person. Besides, what `what` raises.
        """
        while True:
            whole = await self.drafts.owned(owner_id, draft_id)
            try:
                return whole, await what(File.of(self.blobs, whole.save))
            except BlobDamaged:
                # Gone between our look at the rows and at the files, if there is a newer save; else a damage.
                if (await self.drafts.owned(owner_id, draft_id)).save.id == whole.save.id:
                    raise

    async def _read(self, owner_id: str, draft_id: str, before: Document, reads: Callable[[], Awaitable[T]]) -> T:
        """What `reads` gives, which reads the save `before`; if that is gone, the error is that it was superseded."""
        try:
            return await reads()
        except BlobDamaged:
            await self.drafts.at_revision(owner_id, draft_id, before.revision or 0)
            raise


async def _pieces(blocking: Iterator[bytes]) -> AsyncIterator[bytes]:
    while piece := await asyncio.to_thread(next, blocking, b""):
        yield piece
