"""Forwards received documents: makes a draft of one, with what was classified in it marked.

Invariant: the first save of the draft has the marks already. Where it is not known exactly what the author marked, more
is marked, not less (`gateway/reading/received_marks.py`). In a redacted edition the markers are marked: they show where
something was withheld, which no plain channel and no plain blob may show.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeAlias

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.core.document import Spans
from sieve.core.errors import NotUtf8, SpanError
from sieve.core.sentence import Sentence
from sieve.formats.registry import MEDIA_TYPES
from sieve.formats.tables.coverage import Coverage
from sieve.formats.text.separation import is_text
from sieve.gateway.documents.drafts import Drafts
from sieve.gateway.documents.ingest import Ingest, StagedDocument
from sieve.gateway.errors import Conflict
from sieve.gateway.reading.file import BYTES, TEXT, File
from sieve.gateway.reading.service import Marked, ReadingService
from sieve.gateway.stored_document import StoredDocument
from sieve.store.blobs import BlobStore
from sieve.store.models import InboxEntry
from sieve.store.queries.drafts import WholeDraft

_OCTETS: Final = "application/octet-stream"


Record: TypeAlias = Callable[[AsyncSession], Awaitable[None]]
Create: TypeAlias = Callable[[StagedDocument], Awaitable[WholeDraft]]


@dataclass(frozen=True, slots=True)
class Forwarding:
    """The caller checks that the person is a recipient of the entry, cleared for `forward`, and an author.

    `record`: writes to the audit log in the transaction that adds the draft.
    """

    drafts: Drafts
    ingest: Ingest
    reading: ReadingService
    blobs: BlobStore

    async def forward(self, person_id: str, entry: InboxEntry, record: Record) -> WholeDraft:
        """A new draft of this person with the document of `entry`, which was loaded with its blobs.

        Raises:
            Conflict: what is classified in it cannot be marked.
            Unreadable, ReadingFailed, ReadingBusy: the file cannot be read.
            BlobDamaged: the document is gone or damaged.
            DocumentTooLarge, StorageFull, DatabaseBusy: it cannot be stored.
        """
        file = File.of_received(self.blobs, entry.received.document, person_id)
        create = self._create(person_id, file.name, entry, record)
        found = TEXT if self._is_text(file) else await self.reading.format_of(file)
        if found == TEXT:
            return await self._text(file, create)
        return await self._file(replace(file, format=found), create)

    async def forward_redacted(self, person_id: str, entry: InboxEntry, name: str, record: Record) -> WholeDraft:
        """The same with the redacted edition, as a draft of that name.

        Raises:
            As `forward`; Conflict also if there is no redacted edition.
        """
        row = entry.received.document
        create = self._create(person_id, name, entry, record)
        if row.redacted_blob is not None:
            return await self._edition(File.of_edition(self.blobs, row, person_id), create)
        if not is_text(row.media_type):
            raise Conflict(Sentence("no-redacted-edition", "this file came without a redacted edition; ask its sender"))
        document = StoredDocument.of(self.blobs, row)
        with await self._stage_text(
            document.held(document.redacted()), await document.load_markers(), row.media_type
        ) as staged:
            return await create(staged)

    def _create(self, person_id: str, name: str, entry: InboxEntry, record: Record) -> Create:
        origin = f"{entry.received.sender_name} at {entry.received.peer.name}"
        return partial(self.drafts.create, person_id, name=name, forwarded_from=origin, record=record)

    def _is_text(self, file: File) -> bool:
        """Whether its author wrote it as text: a table that came with marks was a file."""
        return is_text(file.media_type) and file.document.marks_file is None

    async def _text(self, file: File, create: Create) -> WholeDraft:
        spans = await file.document.load_spans()
        with await self._stage_text(file.content(), spans, file.media_type) as staged:
            return await create(staged)

    async def _stage_text(self, content: Iterator[bytes], spans: Spans, media_type: str) -> StagedDocument:
        # Another gateway may have claimed that it is text.
        media_type = media_type if is_text(media_type) else "text/plain"
        try:
            return await self.ingest.stage_with_spans(_pieces(content), spans, media_type, draft=True)
        except (NotUtf8, SpanError) as error:
            raise Conflict(
                Sentence(
                    "forward-no-marks",
                    "this text cannot be forwarded with its marks: it is not UTF-8, or a mark "
                    "begins inside a character; download it and send it as a file",
                )
            ) from error

    async def _file(self, file: File, create: Create) -> WholeDraft:
        marks = json.loads(await self.reading.received_marks(file))["marks"]
        marked = await self.reading.mark(file, await asyncio.to_thread(_request, marks))
        classified, came = Coverage(marked.spans), await file.document.load_spans()
        if not all(start == end or classified.covers(start, end) for start, end in came):
            raise Conflict(
                Sentence(
                    "forward-unknown-marks",
                    "it is not known what is classified in this file; download it, mark it and send it as new",
                )
            )
        return await self._marked(file, marked, create)

    async def _edition(self, file: File, create: Create) -> WholeDraft:
        file = replace(file, format=await self.reading.format_of(file))
        marks = json.loads(await self.reading.withheld_marks(file)) if file.format not in (TEXT, BYTES) else []
        if not marks:
            raise Conflict(
                Sentence(
                    "forward-unknown-edition",
                    "this redacted edition does not show what it withholds; download it and send it as a file",
                )
            )
        return await self._marked(file, await self.reading.mark(file, await asyncio.to_thread(_request, marks)), create)

    async def _marked(self, file: File, marked: Marked, create: Create) -> WholeDraft:
        kept = marked.kept if marked.number else b""
        with await self.ingest.stage_file(_pieces(file.content()), marked.spans, kept) as staged:
            fallback = _OCTETS if is_text(file.media_type) else file.media_type
            staged.set_format(file.format, MEDIA_TYPES.get(file.format, fallback), marks=marked.number)
            return await create(staged)


def _request(marks: object) -> bytes:
    """Blocking: there may be many."""
    return json.dumps({"marks": marks}).encode()


async def _pieces(blocking: Iterator[bytes]) -> AsyncIterator[bytes]:
    while piece := await asyncio.to_thread(next, blocking, b""):
        yield piece
