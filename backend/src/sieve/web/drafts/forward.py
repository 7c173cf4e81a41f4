"""Forwarding: a draft of a received document, which its recipient then sends as any other."""

from functools import partial
from typing import Annotated, Literal

from fastapi import Query

from sieve.core.sentence import Sentence
from sieve.gateway.documents.forwarding import Forwarding
from sieve.gateway.errors import NotAllowed
from sieve.web.access import Recipient
from sieve.web.api_router import api_router
from sieve.web.downloads import file_name, unless_deleted
from sieve.web.drafts.schemas import DraftShown
from sieve.web.inbox.clearance import require_classified
from sieve.web.inbox.reads import record_forward
from sieve.web.inbox.router import entry_of
from sieve.web.services import Given

router = api_router("/inbox/{transfer_id}/forward", tag="inbox")


@router.post("", status_code=201)
async def forward(
    transfer_id: str,
    reader: Recipient,
    services: Given,
    edition: Annotated[
        Literal["marked", "redacted"], Query(description="redacted: what recipients without clearance may read.")
    ] = "marked",
) -> DraftShown:
    """Makes a draft of mine from a document that I received, with its marks. For recipients who are authors, and
    cleared unless the edition is redacted.
    """
    entry = await entry_of(services, reader, transfer_id)
    if edition == "marked" and not reader.cleared:
        raise NotAllowed(
            Sentence(
                "forward-not-cleared",
                "only cleared recipients can forward a document; forward its redacted edition instead",
            )
        )
    if edition == "marked":
        require_classified(reader, entry, "a forward with its marks")
    if not reader.is_author:
        raise NotAllowed(
            Sentence("forward-not-author", "only authors can forward a document; ask an admin for the author role")
        )
    forwarding = Forwarding(services.drafts, services.ingest, services.reading, services.blobs)
    record = partial(record_forward, services=services, reader=reader, entry=entry, edition=edition)
    async with unless_deleted(lambda: entry_of(services, reader, transfer_id)):
        if edition == "redacted":
            name = file_name(entry.received.document.name, "redacted")
            draft = await forwarding.forward_redacted(reader.id, entry, name, record)
        else:
            draft = await forwarding.forward(reader.id, entry, record)
    services.announcements.inbox_changed([reader.id])
    services.read_receipts.wake()
    return DraftShown.of(draft)
