"""The marks of a document, as `schemas.MarksShown` and `DraftMarksShown` describe them."""

import asyncio
import json

from sieve import marks_file
from sieve.gateway.reading.file import File
from sieve.gateway.reading.service import ReadingService
from sieve.store.models import Document


async def marks_of(reading: ReadingService, row: Document, file: File) -> bytes:
    """The marks and classified ranges of a document, in JSON."""
    found = await reading.marks(file)
    ranges = await asyncio.to_thread(lambda: marks_file.print_ranges(file.document.spans))
    sizes = {"classified_bytes": row.classified_size, "plain_bytes": row.size - row.classified_size}
    head = json.dumps(sizes if row.revision is None else {"revision": row.revision, **sizes})
    return head[:-1].encode() + b',"marks":' + found + b',"ranges":' + ranges + b"}"
