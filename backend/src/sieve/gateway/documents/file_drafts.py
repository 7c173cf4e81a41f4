"""Drafts of files: the bytes of the file never change, and each save has its own marks.

Invariant: files are parsed only in a reading process. Marks must fit the file, and the format of the file says which
bytes they classify. Fewer or lower marks do not lower the banner.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeVar

from sieve.formats.registry import FORMATS, MEDIA_TYPES
from sieve.formats.text.separation import is_text
from sieve.gateway.documents.drafts import Drafts
from sieve.gateway.documents.ingest import Ingest, check_media_type
from sieve.gateway.errors import Conflict
from sieve.gateway.reading.errors import Unreadable
from sieve.gateway.reading.file import TEXT, File
from sieve.gateway.reading.service import ReadingService
from sieve.gateway.stored_document import StoredDocument
from sieve.store.blobs import BlobDamaged, BlobStore
from sieve.store.queries.drafts import WholeDraft

T = TypeVar("T")

MAX_MARKS_BYTES: Final = 64 * 1024 * 1024
"""The limit of the JSON with the marks."""
_OCTETS: Final = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class FileDrafts:
    """Drafts of files. The caller checks that the person is an author; drafts of others are not found."""

    drafts: Drafts
    ingest: Ingest
    reading: ReadingService
    blobs: BlobStore

    async def create(self, owner_id: str, pieces: AsyncIterator[bytes], *, name: str, media_type: str) -> WholeDraft:
        """Creates a draft of the file with these bytes.

        Raises:
            Unreadable: it is damaged, protected or too large, or a text, which needs another form.
            ReadingFailed, ReadingBusy: it could not be read.
            BadMediaType, DocumentTooLarge, StorageFull, DatabaseBusy: it cannot be stored.
        """
        check_media_type(media_type)
        with await self.ingest.stage_file(pieces) as staged:
            found = await self.reading.format_of(File.unknown(staged.content, name, media_type, owner_id))
            if found == TEXT:
                raise Unreadable("Text", "this is a text: bring it as marked text (form=marked), or as it is (literal)")
            # The receiver would show and redact other bytes as text if their media type said so.
            fallback = _OCTETS if is_text(media_type) else media_type
            kind = MEDIA_TYPES.get(found, fallback)
            if FORMATS[found].starts_marked:
                return await self._create_marked(owner_id, staged.content, name=name, kind=kind, format_name=found)
            staged.set_format(found, kind, marks=0)
            return await self.drafts.create(owner_id, staged, name)

    async def _create_marked(
        self, owner_id: str, content: StoredDocument, *, name: str, kind: str, format_name: str
    ) -> WholeDraft:
        """A draft that begins with the marks of its format: of a picture, which only its author can judge."""
        file = File("", name, kind, format_name, content, None, unmarked=True, owner=owner_id)
        marked = await self.reading.mark(file, await self.reading.initial_marks(file))
        with await self.ingest.stage_file(_pieces(file.content()), marked.spans, marked.kept) as staged:
            staged.set_format(format_name, kind, marks=marked.number)
            return await self.drafts.create(owner_id, staged, name)

    async def mark(self, owner_id: str, draft_id: str, revision: int, given: bytes) -> WholeDraft:
        """Saves the draft with the marks `given` in place of all earlier ones. `revision`: the one that it changes.

        Raises:
            NotFound: this person has no such draft.
            SavedMeanwhile: it is at another revision.
            Conflict: it is a text, which carries its marks itself.
            Unreadable: the marks are not well-formed, or do not fit the file.
            ReadingFailed, ReadingBusy: it could not be read.
        """
        before = (await self.drafts.at_revision(owner_id, draft_id, revision)).save
        file = File.of(self.blobs, before)
        if file.format == TEXT:
            raise Conflict("a text carries its marks itself; save it as marked text, or with its spans")
        try:
            marked = await self.reading.mark(file, given)
            banner = await self.drafts.labels.banner_to_keep(before, marked.kept)
            kept = marked.kept if marked.number else b""
            staged = await self.ingest.stage_file(_pieces(file.content()), marked.spans, kept)
        except BlobDamaged:
            await self.drafts.at_revision(owner_id, draft_id, revision)  # not damaged, but superseded
            raise
        with staged:
            staged.set_format(file.format, before.media_type, marks=marked.number)
            return await self.drafts.save(owner_id, draft_id, revision, staged, before.name, banner)

    async def ask(self, owner_id: str, draft_id: str, what: Callable[[File], Awaitable[T]]) -> tuple[WholeDraft, T]:
        """The latest save of a draft and the result of `what` for it. Tries again if the save is superseded meanwhile.

        Raises:
            NotFound: this person has no such draft. Also raises the errors of `what`.
        """
        return await self.drafts.with_latest(owner_id, draft_id, lambda save: what(File.of(self.blobs, save)))


async def _pieces(blocking: Iterator[bytes]) -> AsyncIterator[bytes]:
    while piece := await asyncio.to_thread(next, blocking, b""):
        yield piece
