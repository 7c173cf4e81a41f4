"""Drafts of files: the bytes of the file never change, and each save has its own marks.

Invariant: files are parsed only in a reading process. Marks must fit the file, and the format of the file says which
bytes they classify. Fewer or lower marks do not lower the banner.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from sieve.formats.registry import FORMATS
from sieve.gateway.documents.drafts import Drafts
from sieve.gateway.documents.in_thread import pieces_in_thread
from sieve.gateway.documents.ingest import Ingest, StagedDocument, check_media_type
from sieve.gateway.errors import Conflict
from sieve.gateway.reading.errors import Unreadable
from sieve.gateway.reading.file import TEXT, File
from sieve.gateway.reading.service import ReadingService
from sieve.store.blobs import BlobDamaged, BlobStore
from sieve.store.queries.drafts import WholeDraft

T = TypeVar("T")

MAX_MARKS_BYTES: Final = 64 * 1024 * 1024
"""The limit of the JSON with the marks."""


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
            staged.set_format(found, media_type, marks=0)
            if not FORMATS[found].starts_marked:
                return await self.drafts.create(owner_id, staged, name)
            file = File("", name, staged.media_type, found, staged.content, None, unmarked=True, owner=owner_id)
            with await self._stage_marked(file) as marked:
                return await self.drafts.create(owner_id, marked, name)

    async def _stage_marked(self, file: File) -> StagedDocument:
        """`file` with the marks with which its format begins: of a picture, which only its author can judge."""
        marked = await self.reading.mark(file, await self.reading.initial_marks(file))
        staged = await self.ingest.stage_file(pieces_in_thread(file.content()), marked.spans, marked.kept)
        staged.set_format(file.format, file.media_type, marks=marked.number)
        return staged

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
            staged = await self.ingest.stage_file(pieces_in_thread(file.content()), marked.spans, kept)
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
