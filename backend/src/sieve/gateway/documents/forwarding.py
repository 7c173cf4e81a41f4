"""Forwards received documents: makes a draft of one, with what was classified in it marked.

Invariant: the first save of the draft has the marks already. Where it is not known exactly what the author marked, more
is marked, not less (`gateway/reading/received_marks.py`). In a redacted edition the markers are marked: they show where
something was withheld, which no plain channel and no plain blob may show.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.core.document import Spans
from sieve.core.errors import NotUtf8, SpanError
from sieve.core.sentence import Sentence
from sieve.formats.tables.coverage import Coverage
from sieve.formats.text.separation import is_text
from sieve.gateway.documents.drafts import Drafts
from sieve.gateway.documents.in_thread import pieces_in_thread
from sieve.gateway.documents.ingest import Ingest, StagedDocument
from sieve.gateway.errors import Conflict
from sieve.gateway.reading.file import BYTES, TEXT, File
from sieve.gateway.reading.service import Marked, ReadingService
from sieve.gateway.stored_document import StoredDocument
from sieve.store.blobs import BlobStore
from sieve.store.models import InboxEntry
from sieve.store.queries.drafts import WholeDraft

Record: TypeAlias = Callable[[AsyncSession], Awaitable[None]]


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
        found = TEXT if self._is_text(file) else await self.reading.format_of(file)
        staged = await (self._text(file) if found == TEXT else self._file(replace(file, format=found)))
        return await self._create(staged, person_id, file.name, entry, record)

    async def forward_redacted(self, person_id: str, entry: InboxEntry, name: str, record: Record) -> WholeDraft:
        """The same with the redacted edition, as a draft of that name.

        Raises:
            As `forward`; Conflict also if there is no redacted edition.
        """
        row = entry.received.document
        if row.redacted_blob is not None:
            staged = await self._edition(File.of_edition(self.blobs, row, person_id))
        elif is_text(row.media_type):
            document = StoredDocument.of(self.blobs, row)
            markers = await document.load_markers()
            staged = await self._stage_text(document.held(document.redacted()), markers, row.media_type)
        else:
            raise Conflict(Sentence("no-redacted-edition", "this file came without a redacted edition; ask its sender"))
        return await self._create(staged, person_id, name, entry, record)

    async def _create(
        self, staged: StagedDocument, person_id: str, name: str, entry: InboxEntry, record: Record
    ) -> WholeDraft:
        origin = f"{entry.received.sender_name} at {entry.received.peer.name}"
        with staged:
            return await self.drafts.create(person_id, staged, name, forwarded_from=origin, record=record)

    def _is_text(self, file: File) -> bool:
        """Whether its author wrote it as text: a table that came with marks was a file."""
        return is_text(file.media_type) and file.document.marks_file is None

    async def _text(self, file: File) -> StagedDocument:
        return await self._stage_text(file.content(), await file.document.load_spans(), file.media_type)

    async def _stage_text(self, content: Iterator[bytes], spans: Spans, media_type: str) -> StagedDocument:
        # Another gateway may have claimed that it is text.
        media_type = media_type if is_text(media_type) else "text/plain"
        try:
            return await self.ingest.stage_with_spans(pieces_in_thread(content), spans, media_type, draft=True)
        except (NotUtf8, SpanError) as error:
            raise Conflict(
                Sentence(
                    "forward-no-marks",
                    "this text cannot be forwarded with its marks: it is not UTF-8, or a mark "
                    "begins inside a character; download it and send it as a file",
                )
            ) from error

    async def _file(self, file: File) -> StagedDocument:
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
        return await self._stage_marked(file, marked)

    async def _edition(self, file: File) -> StagedDocument:
        file = replace(file, format=await self.reading.format_of(file))
        marks = json.loads(await self.reading.withheld_marks(file)) if file.format not in (TEXT, BYTES) else []
        if not marks:
            raise Conflict(
                Sentence(
                    "forward-unknown-edition",
                    "this redacted edition does not show what it withholds; download it and send it as a file",
                )
            )
        return await self._stage_marked(file, await self.reading.mark(file, await asyncio.to_thread(_request, marks)))

    async def _stage_marked(self, file: File, marked: Marked) -> StagedDocument:
        kept = marked.kept if marked.number else b""
        staged = await self.ingest.stage_file(pieces_in_thread(file.content()), marked.spans, kept)
        staged.set_format(file.format, file.media_type, marks=marked.number)
        return staged


def _request(marks: object) -> bytes:
    """Blocking: there may be many."""
    return json.dumps({"marks": marks}).encode()
