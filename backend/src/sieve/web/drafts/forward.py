"""Forwarding: a draft of a received document, which its recipient then sends as any other."""

from fastapi import APIRouter

from sieve.gateway.documents.forwarding import Forwarding
from sieve.gateway.errors import NotAllowed
from sieve.web.access import Recipient
from sieve.web.downloads import unless_deleted
from sieve.web.drafts.schemas import DraftShown
from sieve.web.inbox.reads import note_read
from sieve.web.inbox.router import entry_of
from sieve.web.services import Given

router = APIRouter(prefix="/inbox/{transfer_id}/forward", tags=["inbox"])


@router.post("", status_code=201)
async def forward(transfer_id: str, reader: Recipient, services: Given) -> DraftShown:
    """Makes a draft of mine from a document that I received, with its marks. For cleared recipients who are authors."""
    entry = await entry_of(services, reader, transfer_id)
    if not reader.cleared:
        raise NotAllowed("only cleared recipients can forward a document; ask its sender to send it on")
    if not reader.is_author:
        raise NotAllowed("only authors can forward a document; ask an admin for the author role")
    forwarding = Forwarding(services.drafts, services.ingest, services.reading, services.blobs)
    async with unless_deleted(lambda: entry_of(services, reader, transfer_id)):
        draft = await forwarding.forward(reader.id, entry)
    await note_read(services, reader, entry, "marked")
    return DraftShown.of(draft)
