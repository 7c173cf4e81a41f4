"""A stored document as a file to read: its bytes and its marks.

`key` identifies the bytes: two documents with the same key have the same bytes, as all saves of a file's draft do.
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
"""To be determined from the bytes, for the leak check."""
CLAIMED: Final = "claimed"
"""To be determined from the bytes, the name and the media type, as the sender's gateway did."""

_UNKNOWN_KEY: Final = "unknown/"


@dataclass(frozen=True, slots=True)
class File:
    """`format`: its known format. `marks`: the blob of its marks, if it has one; `unmarked`: it has no marks. `owner`:
    the person whose turn reading it takes. `redacted`: requests are about its redacted edition, which is made now.
    `edition`: it is the redacted edition that is stored with the document.
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
        """A document whose format is not known yet."""
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
    def of_received(cls, blobs: BlobStore, row: Document, reader: str) -> "File":
        """A received document, of a row that was loaded with its blobs. `reader`: the recipient who reads it."""
        document = StoredDocument.of(blobs, row)
        return cls(f"received/{row.id}", row.name, row.media_type, CLAIMED, document, None, owner=reader)

    @classmethod
    def of_edition(cls, blobs: BlobStore, row: Document, reader: str) -> "File":
        """The redacted edition of a row that was loaded with its blobs and has one."""
        document = StoredDocument.of(blobs, row)
        key = f"edition/{row.id}"
        return cls(key, row.name, row.media_type, CLAIMED, document, None, unmarked=True, owner=reader, edition=True)

    def as_unknown(self) -> "File":
        """The same bytes and spans, without a known format."""
        return replace(self, key=f"{_UNKNOWN_KEY}{self.key}", format=UNKNOWN, marks=None, unmarked=False)

    @property
    def document_key(self) -> str | None:
        """Names the document, however its bytes are understood; None if it is not known yet."""
        return self.key.removeprefix(_UNKNOWN_KEY) or None

    @property
    def size(self) -> int:
        """Bytes."""
        return self.document.redacted_size if self.edition else self.document.size

    def content(self) -> Iterator[bytes]:
        """All bytes, in pieces, even if the document is deleted meanwhile. Blocking."""
        document = self.document
        return document.held(document.redacted_edition() if self.edition else document.full())

    def kept_marks(self) -> bytes | None:
        """The stored marks, in JSON; None if only spans are stored. Blocking."""
        if self.marks is None:
            return b"[]" if self.unmarked else None
        return self.document.blobs.open_sealed(self.marks).read(0, self.marks.size)


def format_of(row: Document) -> str:
    """The format that a document was read as, or else text or bytes, by its media type."""
    return row.format or (TEXT if is_text(row.media_type) else BYTES)
