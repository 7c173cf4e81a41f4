"""A document as its author sees it."""

from datetime import datetime

from pydantic import BaseModel

from sieve.channel.manifest import RedactedEdition
from sieve.gateway.reading.file import format_of
from sieve.store.models import Document
from sieve.web.file_views.schemas import FileFormat
from sieve.web.schemas import Shown, sizes


class DocumentShown(Shown):
    """Sizes in bytes. `plain_digest`: hexadecimal BLAKE3 of what travels in the clear; null if that is stored
    sealed, as drafts are. `draft_id` and `revision`: the draft that it is a version of, and which; `marks`: how many
    there are, if it came as a file.
    """

    id: str
    draft_id: str | None
    revision: int | None
    name: str
    media_type: str
    format: FileFormat
    marks: int | None
    document_bytes: int
    classified_bytes: int
    plain_bytes: int
    plain_digest: str | None
    sieve_ms: float
    created_at: datetime

    @classmethod
    def of(cls, row: Document) -> "DocumentShown":
        return cls.from_attributes(
            row,
            format=format_of(row),
            plain_digest=row.plain_digest or None,
            sieve_ms=row.sieve_ns / 1_000_000,
            **sizes(row),
        )


class RedactedShown(BaseModel):
    """The redacted edition of a file: its size, or in `note` why it has none. Both are null for a text, whose redacted
    edition follows from its plain part.
    """

    redacted_bytes: int | None
    note: str | None

    @classmethod
    def of(cls, found: RedactedEdition | str | None) -> "RedactedShown":
        if isinstance(found, RedactedEdition):
            return cls(redacted_bytes=found.size, note=None)
        return cls(redacted_bytes=None, note=found)
