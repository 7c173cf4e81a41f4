"""A stored document: two immutable blobs, whose editions are read without holding them in memory.

The plain blob is the plain stream, in clear, at its own offsets. The sealed blob is

    classified stream ‖ its BLAKE3 digest (32 bytes) ‖ start and end of each span (2 x 8 bytes, big-endian)

so that positions, like text, are sealed at rest. The plain stream of a draft is sealed, too, because the author may
still mark plain text. Its blob is

    plain stream ‖ its BLAKE3 digest (32 bytes)

which versions up to schema 0057 wrote without the digest. Two more blobs hold the redacted edition and the marks of a
file, if it has them; they are sealed, because they reveal positions.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from blake3 import blake3

from sieve.core.document import Spans
from sieve.core.integrate import Run, redacted_runs, runs
from sieve.core.markup import MarkupPrinter
from sieve.core.plain_with_gaps import gaps, marker_spans
from sieve.formats.marker import MARKER
from sieve.gateway.sent_marks import sent_marks
from sieve.store.blobs import BlobDamaged, BlobRef, BlobStore, PlainReader, SealedReader
from sieve.store.models import Document

DIGEST_SIZE = 32
PIECE = 256 * 1024
SPANS_AT_ONCE: Final = 128 * 1024
"""Up to this many bytes, spans and digests are read on the event loop; otherwise in a thread."""
REDACTED: Final = "redacted-edition"
"""The purpose of a blob that holds a file's redacted edition."""
MARKS: Final = "marks"
"""The purpose of a blob that holds a file's marks."""
_MARKER = MARKER.encode()


def tail(classified_digest: bytes, spans: Spans) -> bytes:
    """What follows the classified stream in the sealed blob."""
    return classified_digest + spans.to_bytes()


@dataclass
class StoredDocument:
    """Reads one document. Blocking; call from a thread or in pieces."""

    blobs: BlobStore
    plain: BlobRef
    sealed: BlobRef
    size: int
    classified_size: int
    redacted_file: BlobRef | None = None
    """The redacted edition, received with the document or made when it was sent."""
    plain_digest: bytes | None = None
    """BLAKE3 of a plain stream that is stored in clear. If its blob has no tags, its bytes are compared with this."""
    marks_file: BlobRef | None = None
    """The author's marks in a file: as the author's gateway stores them, or as they were received."""

    @classmethod
    def of(cls, blobs: BlobStore, row: Document) -> "StoredDocument":
        """The document of a row that was loaded with its blobs."""
        return cls(
            blobs=blobs,
            plain=row.plain_blob.ref,
            sealed=row.sealed_blob.ref,
            size=row.size,
            classified_size=row.classified_size,
            redacted_file=row.redacted_blob.ref if row.redacted_blob is not None else None,
            plain_digest=bytes.fromhex(row.plain_digest) or None,
            marks_file=row.marks_blob.ref if row.marks_blob is not None else None,
        )

    @property
    def plain_size(self) -> int:
        return self.size - self.classified_size

    @cached_property
    def _sealed_reader(self) -> SealedReader:
        return self.blobs.open_sealed(self.sealed)

    @cached_property
    def classified_digest(self) -> bytes:
        """BLAKE3 digest of the classified stream, without a key: never show it."""
        return self._sealed_reader.read(self.classified_size, self.classified_size + DIGEST_SIZE)

    @cached_property
    def spans(self) -> Spans:
        """The positions of the classified spans."""
        return Spans.from_bytes(self._sealed_reader.read(self.classified_size + DIGEST_SIZE, self.sealed.size))

    async def load_spans(self) -> Spans:
        """The same, and the digest, read in a thread if there are many or reading waits for a network.

        Raises:
            BlobDamaged: they cannot be read.
        """
        if self.sealed.size - self.classified_size > SPANS_AT_ONCE or self.blobs.is_remote:
            return await asyncio.to_thread(lambda: (self.classified_digest, self.spans)[1])
        return self.spans

    @cached_property
    def _plain_reader(self) -> PlainReader | SealedReader:
        if self.plain.kind == "plain":
            return self.blobs.open_plain(self.plain, self.plain_digest)
        return self.blobs.open_sealed(self.plain)

    def read_plain(self, start: int, end: int) -> bytes:
        """Bytes of the plain stream."""
        return self._plain_reader.read(start, end)

    def read_plain_digest(self) -> bytes:
        """BLAKE3 digest of the plain stream, without a key: if the stream is sealed, store it only sealed.

        Raises:
            BlobDamaged: it cannot be read.
        """
        if self.plain_digest is not None:
            return self.plain_digest
        if self.plain.size > self.plain_size:
            return self._plain_reader.read(self.plain_size, self.plain.size)
        digest = blake3()
        for piece in self.plain_stream():
            digest.update(piece)
        return digest.digest()

    async def load_plain_digest(self) -> bytes:
        """The same, read in a thread if the stream is large or reading waits for a network."""
        if self.plain_digest is None and (self.plain.size > SPANS_AT_ONCE or self.blobs.is_remote):
            return await asyncio.to_thread(self.read_plain_digest)
        return self.read_plain_digest()

    @property
    def has_no_tags(self) -> bool:
        """Whether the plain blob is older than tags and has none yet."""
        return self.plain.kind == "plain" and self.plain.tags is None

    def check_plain(self, end: int) -> None:
        """Reads the plain stream up to `end` at most.

        Raises:
            BlobDamaged: it was changed since it was stored.
        """
        for start in range(0, min(end, self.plain_size), PIECE):
            self.read_plain(start, min(start + PIECE, self.plain_size))

    @property
    def redacted_size(self) -> int:
        """Bytes of the redacted edition; 0 if there is none."""
        return self.redacted_file.size if self.redacted_file is not None else 0

    @cached_property
    def _redacted_reader(self) -> SealedReader:
        if self.redacted_file is None:
            raise BlobDamaged("it has no redacted edition any more")
        return self.blobs.open_sealed(self.redacted_file)

    def _read_redacted(self, start: int, end: int) -> bytes:
        return self._redacted_reader.read(start, end)

    def marks(self) -> bytes:
        """The marks as they are stored; empty if there are none."""
        return b"" if self.marks_file is None else self.blobs.open_sealed(self.marks_file).read(0, self.marks_file.size)

    @cached_property
    def sent_marks(self) -> bytes:
        """The author's marks as they are sent; empty if there are none."""
        marks = self.marks()
        return sent_marks(marks) if marks else b""

    def read_classified(self, start: int, end: int) -> bytes:
        """Bytes of the classified stream, followed by the redacted edition and by the marks, as they are sent."""
        size, marks_from = self.classified_size, self.classified_size + self.redacted_size
        if end <= size:
            return self._sealed_reader.read(start, end)
        found = self._sealed_reader.read(start, size) if start < size else b""
        if size < marks_from and start < marks_from:
            found += self._read_redacted(max(start, size) - size, min(end, marks_from) - size)
        if end > marks_from:
            found += self.sent_marks[max(start, marks_from) - marks_from : end - marks_from]
        return found

    def full(self) -> Iterator[bytes]:
        """The document as the author sent it, in pieces."""
        return gathered(piece for run in runs(self.spans, self.size) for piece in self._pieces(run))

    def marked(self) -> Iterator[bytes]:
        """The document as marked text, in pieces.

        Raises:
            SpanError: a span begins or ends inside a character, so it cannot be marked text.
        """
        printer = MarkupPrinter(self.spans, self.size)
        for piece in self.full():
            yield printer.feed(piece)
        yield printer.close()

    def redacted(self) -> Iterator[bytes]:
        """The plain stream with one marker of constant width for each run of touching spans, in pieces."""
        return gathered(
            piece
            for run in redacted_runs(self.spans, self.size)
            for piece in (self._pieces(run) if isinstance(run, Run) else (_MARKER,))
        )

    async def load_markers(self) -> Spans:
        """The spans of the markers in the redacted edition of a text.

        Raises:
            BlobDamaged: the document's spans cannot be read.
        """
        return await asyncio.to_thread(lambda: marker_spans(self.spans, self.size, len(_MARKER)))

    def gaps(self) -> Iterator[bytes]:
        """The plain stream as marked text with one empty span for each run of touching spans, in pieces.

        Raises:
            NotUtf8, SpanError: the plain stream is not text, or a run starts inside a character.
        """
        printer = MarkupPrinter(gaps(self.spans, self.size), self.plain_size)
        # The pieces depend only on the plain stream's size, so they reveal nothing either.
        for piece in self.plain_stream():
            yield printer.feed(piece)
        yield printer.close()

    def plain_stream(self) -> Iterator[bytes]:
        """The plain stream, in pieces."""
        return _in_pieces(self.read_plain, 0, self.plain_size)

    def classified_stream(self) -> Iterator[bytes]:
        """The classified stream, in pieces."""
        return _in_pieces(self.read_classified, 0, self.classified_size)

    def redacted_edition(self) -> Iterator[bytes]:
        """The redacted edition of a file, in pieces."""
        return _in_pieces(self._read_redacted, 0, self.redacted_size)

    def held(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """All these pieces of this document, even if it is deleted while they are read.

        Raises:
            BlobDamaged: it has been deleted already.
        """
        others = [ref for ref in (self.redacted_file, self.marks_file) if ref is not None]
        with self.blobs.held(self.plain, self.sealed, *others):
            yield from pieces

    def _pieces(self, run: Run) -> Iterator[bytes]:
        read = self.read_classified if run.classified else self.read_plain
        return _in_pieces(read, run.start, run.end)


def _in_pieces(read: Callable[[int, int], bytes], start: int, end: int) -> Iterator[bytes]:
    for at in range(start, end, PIECE):
        yield read(at, min(at + PIECE, end))


def blocks(pieces: Iterable[bytes], size: int = PIECE) -> Iterator[bytes]:
    """The same bytes in blocks of exactly `size`, except for the last: where the pieces began does not show in them."""
    waiting: list[bytes | memoryview] = []
    missing = size
    for piece in pieces:
        rest = memoryview(piece)
        while len(rest) >= missing:
            # What is a block already is not copied.
            yield b"".join([*waiting, rest[:missing]]) if waiting or len(piece) != size else piece
            rest, waiting, missing = rest[missing:], [], size
        if rest:
            waiting.append(rest)
            missing -= len(rest)
    if waiting:
        yield b"".join(waiting)


def gathered(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces of about `PIECE`, so that a document of many spans does not need many small writes."""
    waiting: list[bytes] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= PIECE:
            yield b"".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)
