"""The inbox. Only a transfer's recipients see it; each request checks their clearance."""

from collections.abc import Sequence
from typing import Annotated, Literal

from fastapi import Query, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from sieve.core.sentence import Sentence
from sieve.gateway.clock import now_ns
from sieve.gateway.documents.verification import Delivery, of_plain_part, of_whole
from sieve.gateway.errors import Conflict, NotAllowed, NotFound
from sieve.gateway.reading.file import File
from sieve.gateway.stored_document import StoredDocument
from sieve.store.blob_ref import BlobRef
from sieve.store.models import InboxEntry, User
from sieve.store.queries import blobs as blob_queries
from sieve.store.queries import inbox as queries
from sieve.web.access import Recipient
from sieve.web.api_router import api_router
from sieve.web.downloads import AskedEdition, download, highlighted_file, unless_deleted
from sieve.web.inbox.clearance import may_read_classified, require_classified
from sieve.web.inbox.cover import entry_whole
from sieve.web.inbox.reads import note_read
from sieve.web.inbox.schemas import EntryWhole, ReceiptExcerpt
from sieve.web.services import Given, Services
from sieve.web.times import shown
from sieve.web.verification import VerificationShown

router = api_router("/inbox", tag="inbox")

LOCKED = Sentence(
    "locked-forever",
    "this arrived before your account was reset; you can delete it forever once a second admin agrees",
)


@router.get("/{transfer_id}")
async def one(transfer_id: str, reader: Recipient, services: Given) -> EntryWhole:
    """One transfer to me, by its id or the entry's, with its author's note."""
    return await entry_whole(services, await entry_of(services, reader, transfer_id), reader)


@router.get("/{transfer_id}/content", response_class=StreamingResponse)
async def content(
    transfer_id: str, reader: Recipient, services: Given, edition: Literal[AskedEdition, "highlighted"] = "full"
) -> StreamingResponse:
    """The document: complete or as marked text for cleared recipients, and with markers for its classified parts.

    The redacted edition of a file is the file that its sender's gateway made, if it was sent. gaps is for viewers: the
    plain text as marked text, with an empty span where content is withheld. highlighted is the office document, PDF,
    page or e-mail with its classified content highlighted.
    """
    entry = await entry_of(services, reader, transfer_id)
    document = entry.received.document
    if edition in ("full", "marked", "highlighted"):
        require_classified(reader, entry, f"the {edition} edition")
    async with unless_deleted(lambda: entry_of(services, reader, transfer_id)):
        if edition == "highlighted":
            file = File.of_received(services.blobs, document, reader.id)
            made = await services.transfer_queue.editions.highlighted_to_read(file)
            response = await highlighted_file(document, *made)
        else:
            response = await download(services.blobs, document, edition)
    await note_read(services, reader, entry, "redacted" if edition == "gaps" else edition)
    return response


@router.get("/{transfer_id}/receipt", response_model=None)
async def receipt(transfer_id: str, reader: Recipient, services: Given) -> Response | ReceiptExcerpt:
    """The receipt that this gateway signed, byte for byte, for cleared recipients; an excerpt for others."""
    entry = await entry_of(services, reader, transfer_id)
    received = entry.received
    if may_read_classified(reader, entry):
        return Response(received.receipt, media_type="application/json")
    return ReceiptExcerpt(
        transfer_id=received.transfer_id,
        plain_digest=received.document.plain_digest,
        received_at=shown(received.received_at_ns),
    )


@router.get("/{transfer_id}/verification")
async def verification(transfer_id: str, reader: Recipient, services: Given) -> VerificationShown:
    """Checks that the receipt and the stored document match; without clearance, only the plain part."""
    async with services.database.read() as session:
        entry = _only(await queries.find(session, reader.id, transfer_id))
        received = entry.received
        manifest = await blob_queries.ref(session, received.manifest_blob_id)
    key, earlier = services.identity.receipt_public_key, services.identity.earlier_receipt_public_keys
    delivery = Delivery(received.transfer_id, received.receipt, services.settings.name, key, earlier)
    document = StoredDocument.of(services.blobs, received.document)
    check = of_whole if may_read_classified(reader, entry) else of_plain_part
    found = await run_in_threadpool(check, delivery, services.blobs, manifest, document)
    if not found.valid:
        await entry_of(services, reader, transfer_id)  # not damaged, if it was deleted meanwhile
    return VerificationShown.of(found)


@router.delete("/{transfer_id}", status_code=204)
async def delete(
    transfer_id: str,
    reader: Recipient,
    services: Given,
    forever: Annotated[bool, Query(description="Delete it now, instead of later.")] = False,
) -> None:
    """Deletes a transfer from my inbox. It can be restored for some days, unless it is deleted forever. What a reset
    locked cannot be deleted forever until a second admin agrees.

    The document is deleted with its last inbox entry. Entries that can be restored count.
    """
    refs: Sequence[BlobRef] = ()
    async with services.database.write() as session:
        if forever:
            entry = _only(await queries.find(session, reader.id, transfer_id, in_trash=None))
            if entry.locked:
                raise NotAllowed(LOCKED)
            refs = await queries.delete(session, entry, now_ns())
        else:
            entry = _only(await queries.find(session, reader.id, transfer_id))
            await queries.move_to_trash(session, reader.id, [entry.id], now_ns())
    services.announcements.inbox_changed([reader.id])
    await run_in_threadpool(services.blobs.delete_all, refs)


@router.post("/{transfer_id}/restore")
async def restore(transfer_id: str, reader: Recipient, services: Given) -> EntryWhole:
    """Restores a transfer that I deleted from my inbox."""
    async with services.database.write() as session:
        entry = _only(await queries.find(session, reader.id, transfer_id, in_trash=True))
        await queries.restore(session, reader.id, [entry.id])
    services.announcements.inbox_changed([reader.id])
    return await entry_whole(services, await entry_of(services, reader, entry.id), reader)


async def entry_of(services: Services, reader: User, transfer_id: str) -> InboxEntry:
    """The entry with that id or transfer id, loaded with its document's blobs.

    Raises:
        NotFound, Conflict: there is none, or more than one.
    """
    async with services.database.read() as session:
        return _only(await queries.find(session, reader.id, transfer_id))


def _only(found: Sequence[InboxEntry]) -> InboxEntry:
    if not found:
        raise NotFound(Sentence("no-such-entry", "there is no such transfer in your inbox"))
    if len(found) > 1:
        # Senders choose transfer ids.
        raise Conflict("two peers sent you a transfer of this id; name one by the entry's id, which the inbox lists")
    return found[0]
