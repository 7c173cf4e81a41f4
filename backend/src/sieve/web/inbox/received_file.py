"""Views of a received file, for reading all of it without a download, and what of it is classified.

Invariant: only cleared recipients; each request checks their clearance before any byte is read. Another gateway sent
the file, so a reading process reads it like any unknown file, in the recipient's turn.
"""

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Response

from sieve.gateway.reading.file import File
from sieve.web.access import Recipient
from sieve.web.api_router import api_router
from sieve.web.downloads import unless_deleted
from sieve.web.file_views.routes import Look, add_views
from sieve.web.inbox.clearance import require_classified
from sieve.web.inbox.reads import note_read
from sieve.web.inbox.router import entry_of
from sieve.web.inbox.schemas import ReceivedMarks
from sieve.web.services import Given

router = api_router("/inbox/{transfer_id}/full", tag="inbox")


async def _look(transfer_id: str, reader: Recipient, services: Given) -> Look:
    async def look(read: Callable[[File], Awaitable[bytes]]) -> Response:
        entry = await entry_of(services, reader, transfer_id)
        require_classified(reader, entry, "the whole document")
        async with unless_deleted(lambda: entry_of(services, reader, transfer_id)):
            content = await read(File.of_received(services.blobs, entry.received.document, reader.id))
        await note_read(services, reader, entry, "full")
        return Response(content, media_type="application/json")

    return look


@router.get("/marks", name="full_marks", response_model=ReceivedMarks)
async def marks(view: Annotated[Look, Depends(_look)], services: Given) -> Response:
    """What is classified in the file, found again from what the sender's gateway sent."""
    return await view(services.reading.received_marks)


add_views(router, _look, prefix="full_")
