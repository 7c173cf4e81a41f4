"""A stored document as something to be read: where its bytes are, and what is marked in it.

`key` names the bytes: two documents of the same key have the same ones. The saves of a draft that came as a file have;
any other document is alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from sieve.formats.text.separation import is_text
from sieve.gateway.stored_document import StoredDocument
from sieve.store.blobs import BlobRef, BlobStore
from sieve.store.models import Document

TEXT: Final = "text"
BYTES: Final = "bytes"
UNKNOWN: Final = "unknown"
"""What only the bytes themselves can say."""


@dataclass(frozen=True, slots=True)
class File:
    """`format`: what it is known to be. `marks`: the blob that holds them, if it has any beside its spans; `unmarked`:
    it is known to have none. `owner`: whose it is, and so who waits when it is read. `redacted`: what
    is asked of it is asked of its redacted edition, made now. `edition`: it is itself the redacted edition that is kept
    with the document.
    """

    key: str
    name: str
    media_type: str
    format: str
    document: StoredDocument
    marks: BlobRef | None
    unmarked: bool = False
    owner: str = ""
    redacted: bool = False
    edition: bool = False

    @classmethod
    def unknown(cls, document: StoredDocument, name: str, media_type: str, owner: str) -> "File":
        """A document of which nobody knows yet what it is."""
        return cls("", name, media_type, BYTES, document, None, owner=owner)

    @classmethod
    def of(cls, blobs: BlobStore, row: Document) -> "File":
        """The document of a row that was loaded with its blobs."""
        return cls(
            key=row.id if row.format is None or row.draft_id is None else row.draft_id,
            name=row.name,
            media_type=row.media_type,
            format=format_of(row),
            document=StoredDocument.of(blobs, row),
            marks=row.marks_blob.ref if row.marks_blob is not None else None,
            unmarked=row.marks == 0,
            owner=row.owner_id or "",
        )

    @classmethod
    def of_edition(cls, blobs: BlobStore, row: Document, reader: str) -> "File":
        """The redacted edition of a row that was loaded with its blobs and has one. What it is, its bytes say: it may
        come from elsewhere."""
        document = StoredDocument.of(blobs, row)
        key = f"edition/{row.id}"
        return cls(key, row.name, row.media_type, UNKNOWN, document, None, unmarked=True, owner=reader, edition=True)

    def unsaid(self) -> "File":
        """The same bytes with their spans, of which nobody says what they are."""
        return replace(self, key=f"unsaid/{self.key}", format=UNKNOWN, marks=None, unmarked=False)

    @property
    def size(self) -> int:
        """Bytes."""
        return self.document.redacted_size if self.edition else self.document.size

    def content(self) -> Iterator[bytes]:
        """The bytes, in pieces; whole, though the document be deleted while they are read. Blocking."""
        document = self.document
        return document.held(document.redacted_edition() if self.edition else document.full())

    def kept_marks(self) -> bytes | None:
        """The marks as they are kept, in JSON; None if the spans are all there is. Blocking."""
        if self.marks is None:
            return b"[]" if self.unmarked else None
        return self.document.blobs.open_sealed(self.marks).read(0, self.marks.size)


def format_of(row: Document) -> str:
    """The format of a document: what it was read as, or else text or bytes, by its media type."""
    return row.format or (TEXT if is_text(row.media_type) else BYTES)
