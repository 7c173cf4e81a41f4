"""Views of the redacted edition that came with a file, for reading it without a download.

Invariant: the sender's gateway made the edition, and this gateway does not trust it: a reading process reads it like
any unknown file, in the recipient's turn. It reads only the edition, cleared or not, never the document.
"""

from collections.abc import Awaitable, Callable

from fastapi import Response

from sieve.gateway.errors import Conflict
from sieve.gateway.reading.file import File
from sieve.web.access import Recipient
from sieve.web.api_router import api_router
from sieve.web.downloads import unless_deleted
from sieve.web.file_views.routes import Look, add_views
from sieve.web.inbox.reads import note_read
from sieve.web.inbox.router import entry_of
from sieve.web.services import Given

router = api_router("/inbox/{transfer_id}/redacted", tag="inbox")


async def _look(transfer_id: str, reader: Recipient, services: Given) -> Look:
    async def look(read: Callable[[File], Awaitable[bytes]]) -> Response:
        entry = await entry_of(services, reader, transfer_id)
        document = entry.received.document
        if document.redacted_blob is None:
            raise Conflict("this came without a redacted edition; only files have one")
        async with unless_deleted(lambda: entry_of(services, reader, transfer_id)):
            content = await read(File.of_edition(services.blobs, document, reader.id))
        await note_read(services, reader, entry, "redacted")
        return Response(content, media_type="application/json")

    return look


add_views(router, _look)
