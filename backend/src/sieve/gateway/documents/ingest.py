"""Taking a document in: its bytes stream from the author's request into two blobs, and a row makes it exist.

The law: all or nothing. Sieving, sealing and hashing happen on the way, piece by piece, in bounded memory; no clear
classified byte reaches a file. Whatever goes wrong before the row is committed leaves neither row nor file.
"""

import asyncio
import functools
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, Protocol, TypeAlias

from blake3 import blake3
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.channel.manifest import MAX_MEDIA_TYPE
from sieve.channel.names import clean_name
from sieve.core.document import MAX_SPANS, Segment, Spans
from sieve.core.errors import MarkupError, SpanError
from sieve.core.markup import MarkupFault, MarkupParser
from sieve.core.separate import Separator
from sieve.formats.text.separation import TextReader, is_text
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import GatewayError
from sieve.gateway.stored_document import StoredDocument, tail
from sieve.store.blob_file import Bytes
from sieve.store.blobs import BlobRef, BlobStore, PlainWriter, SealedWriter
from sieve.store.database import Database
from sieve.store.models import Document, new_id
from sieve.store.queries import documents as document_queries
from sieve.store.segment_tags import PlainSum

PIECE = 256 * 1024
"""What is sieved at a time: the event loop is never held for longer than this takes."""


class Place(NamedTuple):
    """The draft that a document is a save of, and which."""

    draft_id: str
    revision: int


Placing: TypeAlias = Callable[[AsyncSession], Awaitable[Place]]
"""Asked in the transaction that adds a document where it belongs. What it raises undoes everything."""


class DocumentTooLarge(GatewayError):
    """More bytes than this gateway takes."""


class BadMediaType(GatewayError):
    """The media type is none, or does not fit how the document is given."""


class _Sieve(Protocol):
    """Content in, segments out; `close` is told how much content there was."""

    def feed(self, piece: bytes) -> Sequence[Segment]: ...

    def close(self, size: int) -> Sequence[Segment] | None: ...


class _MarkedSieve:
    """The sieve of a marked text: it finds the spans itself."""

    def __init__(self) -> None:
        self._parser = MarkupParser()
        self.feed = self._parser.feed

    def close(self, size: int) -> Sequence[Segment]:
        return self._parser.close()

    @property
    def spans(self) -> Spans:
        return self._parser.spans


class _Streams:
    """The two streams of a document on their way to their blobs. `of_draft`: its author may yet mark what is plain, so
    that both are sealed."""

    def __init__(self, blobs: BlobStore, document_id: str, *, of_draft: bool) -> None:
        self._blobs, self._owner = blobs, document_id
        new = blobs.new_sealed if of_draft else blobs.new_plain
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
        return self._hashes[0].digest().hex()

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
        """How many the first so many bytes of each stream hold. Reads them again."""
        pieces = chain(self._written_plain(plain), self._sealed.written(classified))
        return sum(piece.count(b"\n") for piece in pieces)

    def _written_plain(self, end: int) -> Iterator[bytes]:
        if isinstance(self._plain, SealedWriter):
            return self._plain.written(end)
        read = self._plain.read
        return (read(start, min(start + PIECE, end)) for start in range(0, end, PIECE))

    def finish(self, spans: Spans, marks: bytes) -> tuple[BlobRef, BlobRef]:
        """Both blobs, on the disk with their names; and a third one of the marks, if there are any, which `marks_ref`
        names. Blocks for as long as the disk takes.
        """
        self._sealed.write(tail(self._hashes[1].digest(), spans))
        if isinstance(self._plain, PlainWriter):
            self._plain.sync()
        if marks:
            self._marks = self._blobs.new_sealed(owner=self._owner, purpose="marks")
            self._marks.write(marks)
            self.marks_ref = self._marks.finish()
        refs = self._finish_plain(), self._sealed.finish()
        self._blobs.sync_folder()
        return refs

    def _finish_plain(self) -> BlobRef:
        if isinstance(self._plain, SealedWriter):
            return self._plain.finish()
        return self._plain.ref(self.plain_size, self._plain_sum.tags() if self._plain_sum else None)

    def discard(self) -> None:
        self._plain.discard()
        self._sealed.discard()
        if self._marks is not None:
            self._marks.discard()


class AsFile(NamedTuple):
    """What a file is: its format and media type, and for the marks that it comes with, how many and which, in JSON."""

    format: str
    media_type: str
    number: int = 0
    marks: bytes = b""


Recognising: TypeAlias = Callable[[StoredDocument], Awaitable[AsFile]]
"""Asked what a file is, once all of it is stored and before it is there. What it raises undoes everything."""


class Ingest:
    """Takes documents in. Their authors are the caller's to check."""

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

    async def marked(
        self,
        pieces: AsyncIterator[bytes],
        *,
        owner_id: str,
        name: str,
        media_type: str,
        placing: Placing | None = None,
    ) -> Document:
        """The document that a marked text writes; a save of a draft, if `placing` is given.

        Raises:
            BadMediaType: it is not one of text.
            MarkupError: the text is not well-formed; says line and column.
            DocumentTooLarge, DestinationFull, DatabaseBusy: it cannot be kept.
        """
        check_media_type(media_type)
        if not is_text(media_type):
            raise BadMediaType(
                "only text can be given as marked text; name its media type, such as text/plain, or give spans"
            )
        sieve = _MarkedSieve()
        return await self._take(pieces, sieve, lambda: sieve.spans, owner_id, name, media_type, placing)

    async def with_spans(
        self,
        pieces: AsyncIterator[bytes],
        spans: Spans,
        *,
        owner_id: str,
        name: str,
        media_type: str,
        placing: Placing | None = None,
    ) -> Document:
        """The document whose bytes these are, and whose classified ones `spans` says. Tags in it are text.

        Raises:
            BadMediaType: it is none.
            NotUtf8, SpanError: the media type is one of text, and the bytes or the spans are not; or the spans do not
                lie within the document.
            DocumentTooLarge, DestinationFull, DatabaseBusy: it cannot be kept.
        """
        check_media_type(media_type)
        if len(spans) > MAX_SPANS:
            raise SpanError(f"{len(spans)} spans are more than the {MAX_SPANS} that a document may have")
        sieve = TextReader(spans) if is_text(media_type) else Separator(spans)
        return await self._take(pieces, sieve, lambda: spans, owner_id, name, media_type, placing)

    async def file(
        self,
        pieces: AsyncIterator[bytes],
        recognise: Recognising,
        *,
        owner_id: str,
        name: str,
        placing: Placing | None = None,
    ) -> Document:
        """The file whose bytes these are, to be marked; nothing of it is classified yet.

        Raises:
            DocumentTooLarge, DestinationFull, DatabaseBusy: it cannot be kept. Besides, what `recognise` raises.
        """
        sieve = Separator(Spans.EMPTY)
        return await self._take(
            pieces, sieve, lambda: Spans.EMPTY, owner_id, name, "", placing, AsFile("", ""), recognise
        )

    async def marked_file(
        self,
        pieces: AsyncIterator[bytes],
        spans: Spans,
        known: AsFile,
        *,
        owner_id: str,
        name: str,
        placing: Placing | None = None,
    ) -> Document:
        """The file whose bytes these are, with its marks; `spans` are what these come to.

        Raises:
            SpanError: there are too many, or they do not lie within the file.
            DocumentTooLarge, DestinationFull, DatabaseBusy: it cannot be kept.
        """
        if len(spans) > MAX_SPANS:
            raise SpanError(f"{len(spans)} spans are more than the {MAX_SPANS} that a document may have")
        return await self._take(pieces, Separator(spans), lambda: spans, owner_id, name, "", placing, known)

    async def _take(
        self,
        pieces: AsyncIterator[bytes],
        sieve: _Sieve,
        spans: Callable[[], Spans],
        owner_id: str,
        name: str,
        media_type: str,
        placing: Placing | None,
        known: AsFile | None = None,
        recognise: Recognising | None = None,
    ) -> Document:
        document_id = new_id()
        streams = _Streams(self._blobs, document_id, of_draft=placing is not None)
        try:
            sieve_ns = await self._sieve(pieces, sieve, streams)
        except MarkupFault as fault:
            raise await asyncio.to_thread(_told, fault, streams) from None
        except BaseException:
            streams.discard()
            raise
        committing = False
        try:
            plain, sealed = await _finished(streams, spans(), known.marks if known else b"")
            if recognise is not None:
                known = await _recognised(streams, recognise, self._stored(plain, sealed, streams))
            async with self._database.write() as session:
                place = await placing(session) if placing is not None else None
                row = await document_queries.add(
                    session,
                    document_id=document_id,
                    owner_id=owner_id,
                    origin="authored",
                    name=clean_name(name),
                    media_type=known.media_type if known else media_type,
                    size=streams.size,
                    classified_size=streams.classified_size,
                    plain_digest=streams.plain_digest,
                    plain_blob=plain,
                    sealed_blob=sealed,
                    sieve_ns=sieve_ns,
                    now_ns=now_ns(),
                    draft_id=place.draft_id if place else None,
                    revision=place.revision if place else None,
                    format_name=known.format if known else None,
                    marks=known.number if known else None,
                    marks_blob=streams.marks_ref,
                )
                committing = True
        except Exception:
            # Neither once the commit has begun, nor for a cancellation: the row may be there by then. If it is not,
            # the files go at the next start.
            if not committing:
                streams.discard()
            raise
        return row

    def _stored(self, plain: BlobRef, sealed: BlobRef, streams: _Streams) -> StoredDocument:
        return StoredDocument(self._blobs, plain, sealed, streams.size, streams.classified_size)

    async def _sieve(self, pieces: AsyncIterator[bytes], sieve: _Sieve, streams: _Streams) -> int:
        """Sends every piece to its stream; returns how long the sieve itself took."""
        given = sieve_ns = 0
        async for arrived in pieces:
            for start in range(0, len(arrived), PIECE):
                piece = arrived[start : start + PIECE]
                given += len(piece)
                if given > self._max_given:
                    raise self._too_large()
                began_ns = self._stopwatch_ns()
                plain, classified = _joined(sieve.feed(piece))
                sieve_ns += self._stopwatch_ns() - began_ns
                self._add(streams, plain, classified)
        began_ns = self._stopwatch_ns()
        plain, classified = _joined(sieve.close(given) or ())
        sieve_ns += self._stopwatch_ns() - began_ns
        self._add(streams, plain, classified)
        return sieve_ns

    def _add(self, streams: _Streams, plain: Bytes, classified: Bytes) -> None:
        if streams.size + len(plain) + len(classified) > self._max_document_bytes:
            raise self._too_large()
        streams.add(plain, classified)

    @property
    def _max_given(self) -> int:
        # Marked text is longer than its content by its tags, and only the content counts; but there is an end to it.
        return 2 * self._max_document_bytes + 8 * MAX_SPANS

    def _too_large(self) -> DocumentTooLarge:
        return DocumentTooLarge(
            f"the document is larger than the {self._max_document_bytes} bytes that this gateway takes"
        )


def check_media_type(media_type: str) -> None:
    """Raises BadMediaType for what is none: it may end up in a header of an answer."""
    fits = len(media_type) <= MAX_MEDIA_TYPE and media_type.isascii() and media_type.isprintable()
    kind, slash, rest = media_type.partition("/")
    if not (fits and kind and slash and rest.partition(";")[0].strip()):
        raise BadMediaType(f"this is no media type of at most {MAX_MEDIA_TYPE} plain characters; write text/plain")


async def _recognised(streams: _Streams, recognise: Recognising, stored: StoredDocument) -> AsFile:
    try:
        return await recognise(stored)
    except asyncio.CancelledError:
        streams.discard()  # nobody writes there any more, and there is no row
        raise


def _told(fault: MarkupFault, streams: _Streams) -> MarkupError:
    """What is wrong with the text, and where. Nothing is left of it."""
    try:
        return fault.located(streams.line_feeds)
    finally:
        streams.discard()


async def _finished(streams: _Streams, spans: Spans, marks: bytes) -> tuple[BlobRef, BlobRef]:
    finishing = asyncio.get_running_loop().run_in_executor(None, streams.finish, spans, marks)
    try:
        return await asyncio.shield(finishing)
    except asyncio.CancelledError:
        # The thread cannot be stopped, and a file must not be closed under it: its number may be another's by then.
        finishing.add_done_callback(functools.partial(_discard_finished, streams))
        raise


def _discard_finished(streams: _Streams, finishing: "asyncio.Future[object]") -> None:
    if not finishing.cancelled():
        finishing.exception()  # nobody waits for it any more
    streams.discard()


def _joined(segments: Iterable[Segment]) -> tuple[Bytes, Bytes]:
    """The plain and the classified bytes of `segments`; not copied where they lie together."""
    plain: list[Bytes] = []
    classified: list[Bytes] = []
    for segment in segments:
        (classified if segment.classified else plain).append(segment.data)
    return _one(plain), _one(classified)


def _one(parts: list[Bytes]) -> Bytes:
    return parts[0] if len(parts) == 1 else b"".join(parts)
