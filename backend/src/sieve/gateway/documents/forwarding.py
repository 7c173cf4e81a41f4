"""Forwards received documents: makes a draft of one, with what was classified in it marked.

Invariant: the first save of the draft has the marks already. Where it is not known exactly what the author marked, more
is marked, not less (`gateway/reading/received_marks.py`).
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from typing import Final

from sieve.core.errors import NotUtf8, SpanError
from sieve.formats.registry import MEDIA_TYPES
from sieve.formats.tables.coverage import Coverage
from sieve.formats.text.separation import is_text
from sieve.gateway.documents.drafts import Drafts
from sieve.gateway.documents.ingest import Ingest
from sieve.gateway.errors import Conflict
from sieve.gateway.reading.file import TEXT, File
from sieve.gateway.reading.service import ReadingService
from sieve.store.blobs import BlobStore
from sieve.store.models import InboxEntry
from sieve.store.queries.drafts import WholeDraft

_OCTETS: Final = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class Forwarding:
    """The caller checks that the person is a cleared recipient of the entry, and an author."""

    drafts: Drafts
    ingest: Ingest
    reading: ReadingService
    blobs: BlobStore

    async def forward(self, person_id: str, entry: InboxEntry) -> WholeDraft:
        """A new draft of this person with the document of `entry`, which was loaded with its blobs.

        Raises:
            Conflict: what is classified in it cannot be marked.
            Unreadable, ReadingFailed, ReadingBusy: the file cannot be read.
            BlobDamaged: the document is gone or damaged.
            DocumentTooLarge, DestinationFull, DatabaseBusy: it cannot be stored.
        """
        received = entry.received
        file = File.of_received(self.blobs, received.document, person_id)
        origin = f"{received.sender_name} at {received.peer.name}"
        found = TEXT if self._is_text(file) else await self.reading.format_of(file)
        if found == TEXT:
            return await self._text(person_id, file, origin)
        return await self._file(person_id, replace(file, format=found), origin)

    def _is_text(self, file: File) -> bool:
        """Whether its author wrote it as text: a table that came with marks was a file."""
        return is_text(file.media_type) and file.document.marks_file is None

    async def _text(self, person_id: str, file: File, origin: str) -> WholeDraft:
        spans = await file.document.load_spans()
        # Another gateway may have claimed that it is text.
        media_type = file.media_type if is_text(file.media_type) else "text/plain"
        try:
            staged = await self.ingest.stage_with_spans(_pieces(file.content()), spans, media_type, draft=True)
        except (NotUtf8, SpanError) as error:
            raise Conflict(
                "this text cannot be forwarded with its marks: it is not UTF-8, or a mark begins inside a character; "
                "download it and send it as a file"
            ) from error
        with staged:
            return await self.drafts.create(person_id, staged, file.name, forwarded_from=origin)

    async def _file(self, person_id: str, file: File, origin: str) -> WholeDraft:
        marks = json.loads(await self.reading.received_marks(file))["marks"]
        marked = await self.reading.mark(file, await asyncio.to_thread(_request, marks))
        classified, came = Coverage(marked.spans), await file.document.load_spans()
        if not all(start == end or classified.covers(start, end) for start, end in came):
            raise Conflict("it is not known what is classified in this file; download it, mark it and send it as new")
        kept = marked.kept if marked.number else b""
        with await self.ingest.stage_file(_pieces(file.content()), marked.spans, kept) as staged:
            fallback = _OCTETS if is_text(file.media_type) else file.media_type
            staged.set_format(file.format, MEDIA_TYPES.get(file.format, fallback), marks=marked.number)
            return await self.drafts.create(person_id, staged, file.name, forwarded_from=origin)


def _request(marks: object) -> bytes:
    """Blocking: there may be many."""
    return json.dumps({"marks": marks}).encode()


async def _pieces(blocking: Iterator[bytes]) -> AsyncIterator[bytes]:
    while piece := await asyncio.to_thread(next, blocking, b""):
        yield piece
