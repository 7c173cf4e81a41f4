"""The author's marks that a manifest names, for files whose spans do not show what the author marked."""

import asyncio

from blake3 import blake3

from sieve.channel.manifest import MAX_MARKS, SentMarks
from sieve.gateway.reading.file import BYTES, TEXT
from sieve.gateway.stored_document import StoredDocument
from sieve.store.models import Document


async def marks_to_send(row: Document, document: StoredDocument) -> SentMarks | None:
    """None if the spans show everything, or if the marks are too many to be sent.

    Raises:
        BlobDamaged: they cannot be read.
    """
    if document.marks_file is None or not row.classified_size or row.format in (None, TEXT, BYTES):
        return None
    return await asyncio.to_thread(_named, document)


def _named(document: StoredDocument) -> SentMarks | None:
    marks = document.sent_marks
    return SentMarks(len(marks), blake3(marks).digest()) if 0 < len(marks) <= MAX_MARKS else None
