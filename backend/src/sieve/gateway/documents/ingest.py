"""Ingest: streams a document from an author's request into blobs; the caller then writes the row.

Invariant: all or nothing. The bytes are sieved, sealed and hashed piece by piece as they arrive, in bounded memory; no
clear classified byte reaches a file. A staged document whose row is not written removes its blobs; after a crash, the
next start removes them.
"""

import asyncio
import functools
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, Protocol, Self

from blake3 import blake3
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.channel.manifest import MAX_MEDIA_TYPE
from sieve.channel.safe_names import clean_name
from sieve.core.document import MAX_SPANS, Segment, Spans
from sieve.core.errors import MarkupError, SpanError
from sieve.core.markup import MarkupFault, MarkupParser
from sieve.core.separate import Separator
from sieve.formats.registry import MEDIA_TYPES
from sieve.formats.text.separation import TextReader, is_text
from sieve.gateway.clock import now_ns
from sieve.gateway.documents.in_thread import in_thread
from sieve.gateway.errors import GatewayError
from sieve.gateway.stored_document import StoredDocument, tail
from sieve.store.blob_file import Bytes
from sieve.store.blobs import BlobRef, BlobStore, PlainWriter, SealedWriter
from sieve.store.database import Database
from sieve.store.models import Document, new_id
from sieve.store.queries import documents as document_queries
from sieve.store.segment_tags import PlainSum

OCTETS: Final = "application/octet-stream"
PIECE = 256 * 1024
"""Bytes to sieve at a time: the longest that the event loop is blocked."""


class DocumentTooLarge(GatewayError):
    """The document has more bytes than this gateway accepts."""


class BadMediaType(GatewayError):
    """The media type is malformed, or does not fit the form of the document."""


class _Sieve(Protocol):
    """Turns content into segments; `close` takes the size of the whole content."""

    @property
    def spans(self) -> Spans: ...

    def feed(self, piece: bytes) -> Sequence[Segment]: ...

    def close(self, size: int) -> Sequence[Segment] | None: ...


class _MarkedSieve:
    """The sieve of marked text, which finds the spans in the text."""

    def __init__(self) -> None:
        self._parser = MarkupParser()
        self.feed = self._parser.feed

    def close(self, size: int) -> Sequence[Segment]:
        return self._parser.close()

    @property
    def spans(self) -> Spans:
        return self._parser.spans


class _Streams:
    """Writes the two streams of a document to blobs. `draft`: both are sealed, because the author may still mark plain
    bytes."""

    def __init__(self, blobs: BlobStore, document_id: str, *, draft: bool) -> None:
        self._blobs, self._owner = blobs, document_id
        new = blobs.new_sealed if draft else blobs.new_plain
        self._plain: PlainWriter | SealedWriter = new(owner=document_id, purpose="document")
        try:
            self._sealed = blobs.new_sealed(owner=document_id, purpose="document")
        except BaseException:
            self._plain.discard()
            raise
        self._plain_sum = PlainSum(self._plain.tag_key) if isinstance(self._plain, PlainWriter) else None
        self._hashes = self._plain_sum or blake3(), blake3()
        self._marks: SealedWriter | None = None
        self.marks_ref: BlobRef | None = None
        self.plain_size = self.classified_size = 0

    @property
    def size(self) -> int:
        return self.plain_size + self.classified_size

    @property
    def plain_digest(self) -> str:
        """For the row: empty if the plain stream is sealed, because its digest would confirm a guess of it."""
        return "" if isinstance(self._plain, SealedWriter) else self._hashes[0].digest().hex()

    def add(self, plain: Bytes, classified: Bytes) -> None:
        """Appends to both streams."""
        if plain:
            self._hashes[0].update(plain)
            if isinstance(self._plain, SealedWriter):
                self._plain.write(plain)
            else:
                self._plain.write_at(self.plain_size, [plain])
            self.plain_size += len(plain)
        if classified:
            self._hashes[1].update(classified)
            self._sealed.write(classified)
            self.classified_size += len(classified)

    def line_feeds(self, plain: int, classified: int) -> int:
        """The number of line feeds in the first bytes of each stream. Reads them again."""
        pieces = chain(self._written_plain(plain), self._sealed.written(classified))
        return sum(piece.count(b"\n") for piece in pieces)

    def _written_plain(self, end: int) -> Iterator[bytes]:
        if isinstance(self._plain, SealedWriter):
            return self._plain.written(end)
        read = self._plain.read
        return (read(start, min(start + PIECE, end)) for start in range(0, end, PIECE))

    def finish(self, spans: Spans, marks: bytes) -> tuple[BlobRef, BlobRef]:
        """Syncs and returns the plain and the sealed blob. `marks_ref` names the blob of the marks, if there are any.
        Blocks for as long as the disk takes. An error removes all of them.
        """
        try:
            self._sealed.write(tail(self._hashes[1].digest(), spans))
            if marks:
                self._marks = self._blobs.new_sealed(owner=self._owner, purpose="marks")
                self._marks.write(marks)
                self.marks_ref = self._marks.finish()
            refs = self._finish_plain(), self._sealed.finish()
            self._blobs.sync_names()
        except BaseException:
            self.discard()
            raise
        return refs

    def _finish_plain(self) -> BlobRef:
        if isinstance(self._plain, SealedWriter):
            self._plain.write(self._hashes[0].digest())
            return self._plain.finish()
        return self._plain.finish(self.plain_size, self._plain_sum.tags() if self._plain_sum else None)

    def discard(self) -> None:
        self._plain.discard()
        self._sealed.discard()
        if self._marks is not None:
            self._marks.discard()


@dataclass(slots=True)
class StagedDocument:
    """A document whose blobs are on the disk and synced, but which has no row yet.

    Use it in a `with` block, in which `add` writes the row: without that, the end of the block removes the blobs.
    """

    id: str
    content: StoredDocument
    media_type: str
    _streams: _Streams
    _sieve_ns: int
    _format: str | None = None
    _marks: int | None = None
    _row_may_exist: bool = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._row_may_exist:
            self._streams.discard()

    def set_format(self, name: str, media_type: str, *, marks: int) -> None:
        """Makes it a file of this format, with that many marks; without this it is a text or bytes with spans.

        `media_type`: counts only if the format has none of its own, and is never one of text: the receiver would show
        and redact other bytes as text.
        """
        fallback = OCTETS if is_text(media_type) else media_type
        self._format, self.media_type, self._marks = name, MEDIA_TYPES.get(name, fallback), marks

    async def add(
        self,
        session: AsyncSession,
        *,
        owner_id: str,
        name: str,
        draft_id: str | None = None,
        revision: int | None = None,
    ) -> Document:
        """Writes the row: the last step of the caller's transaction, because from here on the blobs stay. The caller
        checks the owner, and for a draft its revision.
        """
        # If the commit fails or is cancelled, the row may exist. If it does not, the next start removes the files.
        self._row_may_exist = True
        try:
            return await document_queries.add(
                session,
                document_id=self.id,
                owner_id=owner_id,
                origin="authored",
                name=clean_name(name),
                media_type=self.media_type,
                size=self._streams.size,
                classified_size=self._streams.classified_size,
                plain_digest=self._streams.plain_digest,
                plain_blob=self.content.plain,
                sealed_blob=self.content.sealed,
                sieve_ns=self._sieve_ns,
                now_ns=now_ns(),
                draft_id=draft_id,
                revision=revision,
                format_name=self._format,
                marks=self._marks,
                marks_blob=self._streams.marks_ref,
            )
        except Exception:  # the database refused the row, so the blobs are not needed
            self._row_may_exist = False
            raise


class Ingest:
    """Stages documents. Each `stage` method raises DocumentTooLarge and StorageFull, and leaves no blob then."""

    def __init__(
        self,
        database: Database,
        blobs: BlobStore,
        max_document_bytes: int,
        stopwatch_ns: Callable[[], int] = time.perf_counter_ns,
    ) -> None:
        self._database, self._blobs = database, blobs
        self._max_document_bytes = max_document_bytes
        self._stopwatch_ns = stopwatch_ns

    async def commit(self, staged: StagedDocument, *, owner_id: str, name: str) -> Document:
        """Makes `staged` a document of that person. `Drafts` commits the saves of drafts.

        Raises:
            DatabaseBusy, StorageFull, DatabaseUnwritable: the row cannot be written.
        """
        async with self._database.write() as session:
            return await staged.add(session, owner_id=owner_id, name=name)

    async def stage_marked_text(
        self, pieces: AsyncIterator[bytes], media_type: str, *, draft: bool = False
    ) -> StagedDocument:
        """Stages the document that a marked text describes.

        Raises:
            BadMediaType: it is not one of text.
            MarkupError: the text is not well-formed; gives line and column.
        """
        check_media_type(media_type)
        if not is_text(media_type):
            raise BadMediaType(
                "only text can be given as marked text; name its media type, such as text/plain, or give spans"
            )
        return await self._stage(pieces, _MarkedSieve(), media_type, draft=draft)

    async def stage_with_spans(
        self, pieces: AsyncIterator[bytes], spans: Spans, media_type: str, *, draft: bool = False
    ) -> StagedDocument:
        """Stages the document with these bytes, in which `spans` are classified. Tags in it are text.

        Raises:
            BadMediaType: it is malformed.
            NotUtf8, SpanError: the media type is one of text, and the bytes or the spans are not; or the spans do not
                lie within the document.
        """
        check_media_type(media_type)
        _check_number(spans)
        sieve = TextReader(spans) if is_text(media_type) else Separator(spans)
        return await self._stage(pieces, sieve, media_type, draft=draft)

    async def stage_file(
        self, pieces: AsyncIterator[bytes], spans: Spans = Spans.EMPTY, marks: bytes = b""
    ) -> StagedDocument:
        """Stages a file for a draft; the caller sets its format, its media type and its number of marks.

        `spans`: the bytes that its marks classify. `marks`: the marks in JSON, if there are any.

        Raises:
            SpanError: there are too many spans, or they do not lie within the file.
        """
        _check_number(spans)
        return await self._stage(pieces, Separator(spans), "", draft=True, marks=marks)

    async def _stage(
        self, pieces: AsyncIterator[bytes], sieve: _Sieve, media_type: str, *, draft: bool, marks: bytes = b""
    ) -> StagedDocument:
        document_id = new_id()
        streams = _Streams(self._blobs, document_id, draft=draft)
        try:
            sieve_ns = await self._sieve(pieces, sieve, streams)
        except MarkupFault as fault:
            raise await asyncio.to_thread(_located, fault, streams) from None
        except BaseException:
            streams.discard()
            raise
        finish = functools.partial(streams.finish, sieve.spans, marks)
        plain, sealed = await in_thread(finish, lambda _: streams.discard())
        content = StoredDocument(self._blobs, plain, sealed, streams.size, streams.classified_size)
        return StagedDocument(document_id, content, media_type, streams, sieve_ns)

    async def _sieve(self, pieces: AsyncIterator[bytes], sieve: _Sieve, streams: _Streams) -> int:
        """Adds each piece to its stream; returns the time in the sieve, in nanoseconds."""
        received = sieve_ns = 0
        async for arrived in pieces:
            for start in range(0, len(arrived), PIECE):
                piece = arrived[start : start + PIECE]
                received += len(piece)
                if received > self._max_received:
                    raise self._too_large()
                began_ns = self._stopwatch_ns()
                plain, classified = _joined(sieve.feed(piece))
                sieve_ns += self._stopwatch_ns() - began_ns
                self._add(streams, plain, classified)
        began_ns = self._stopwatch_ns()
        plain, classified = _joined(sieve.close(received) or ())
        sieve_ns += self._stopwatch_ns() - began_ns
        self._add(streams, plain, classified)
        return sieve_ns

    def _add(self, streams: _Streams, plain: Bytes, classified: Bytes) -> None:
        if streams.size + len(plain) + len(classified) > self._max_document_bytes:
            raise self._too_large()
        streams.add(plain, classified)

    @property
    def _max_received(self) -> int:
        # The limit is on the content; the tags of marked text are extra, but limited, too.
        return 2 * self._max_document_bytes + 8 * MAX_SPANS

    def _too_large(self) -> DocumentTooLarge:
        return DocumentTooLarge(
            f"the document is larger than the {self._max_document_bytes} bytes that this gateway accepts"
        )


def check_media_type(media_type: str) -> None:
    """Raises BadMediaType if it is malformed: it may appear in the headers of a response."""
    fits = len(media_type) <= MAX_MEDIA_TYPE and media_type.isascii() and media_type.isprintable()
    kind, slash, rest = media_type.partition("/")
    if not (fits and kind and slash and rest.partition(";")[0].strip()):
        raise BadMediaType(f"this is no media type of at most {MAX_MEDIA_TYPE} plain characters; write text/plain")


def _check_number(spans: Spans) -> None:
    if len(spans) > MAX_SPANS:
        raise SpanError(f"{len(spans)} spans are more than the {MAX_SPANS} that a document may have")


def _located(fault: MarkupFault, streams: _Streams) -> MarkupError:
    """The error with line and column. Removes the streams."""
    try:
        return fault.located(streams.line_feeds)
    finally:
        streams.discard()


def _joined(segments: Iterable[Segment]) -> tuple[Bytes, Bytes]:
    """The plain and the classified bytes of `segments`; a single segment is not copied."""
    plain: list[Bytes] = []
    classified: list[Bytes] = []
    for segment in segments:
        (classified if segment.classified else plain).append(segment.data)
    return _one(plain), _one(classified)


def _one(parts: list[Bytes]) -> Bytes:
    return parts[0] if len(parts) == 1 else b"".join(parts)
