"""An author's documents: uploaded, stored as two streams, and shown as each reader would see them."""

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from sieve.core.sentence import Sentence
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import Conflict, NotFound
from sieve.gateway.reading.file import File
from sieve.store.models import Document, User
from sieve.store.queries import document_list
from sieve.store.queries import documents as queries
from sieve.web.access import Author
from sieve.web.api_router import api_router
from sieve.web.audited_own_reads import note_own_read
from sieve.web.documents.intake import BODY, Form, MediaType, Name, SpansHeader, stage
from sieve.web.documents.schemas import DocumentShown, RedactedShown
from sieve.web.downloads import AskedEdition, Download, download, redacted_file, unless_deleted
from sieve.web.paging import AskedPage, Page
from sieve.web.services import Given, Services

router = api_router("/documents", tag="documents")


@router.post("", status_code=201, openapi_extra=BODY)
async def create(
    author: Author,
    services: Given,
    request: Request,
    response: Response,
    form: Form,
    name: Name,
    media_type: MediaType = "text/plain",
    sieve_spans: SpansHeader = None,
) -> DocumentShown:
    """Uploads a document. The body is the document; the gateway sieves and seals it as it arrives."""
    with await stage(services.ingest, request, form, sieve_spans, media_type) as staged:
        row = await services.ingest.commit(staged, owner_id=author.id, name=name)
    response.headers["Location"] = f"/api/v1/documents/{row.id}"
    return DocumentShown.of(row)


@router.get("")
async def mine(author: Author, services: Given, asked: AskedPage) -> Page[DocumentShown]:
    """My documents, latest first. Drafts have a separate list."""
    async with services.database.browse() as session:
        rows = await document_list.page(session, author.id, after=asked.after, limit=asked.limit)
    return asked.page(rows, DocumentShown.of)


@router.get("/{document_id}")
async def one(document_id: str, author: Author, services: Given) -> DocumentShown:
    """One document of mine."""
    return DocumentShown.of(await owned(services, document_id, author))


@router.delete("/{document_id}", status_code=204)
async def delete(document_id: str, author: Author, services: Given) -> None:
    """Deletes a document of mine; deliveries stay."""
    async with services.database.write() as session:
        row = await queries.owned(session, document_id, author.id)
        if row is None:
            raise _none_such()
        if row.draft_id is not None:
            raise Conflict("this document is a save of a draft; delete the draft")
        refs = await queries.delete(session, document_id, now_ns())
        if refs is None:
            raise Conflict(
                Sentence("transfer-under-way", "a transfer of this document is not over; wait for it or cancel it")
            )
    await run_in_threadpool(services.blobs.delete_all, refs)


@router.get("/{document_id}/content", response_class=StreamingResponse)
async def content(
    document_id: str, author: Author, services: Given, edition: AskedEdition = "full"
) -> StreamingResponse:
    """A document of mine: its bytes, as marked text, as recipients without clearance see it, or with gaps."""
    row = await owned(services, document_id, author)
    if row.format is not None and edition == "redacted" and row.redacted_size is None:
        return await redacted_file(row, *await services.transfer_queue.editions.to_read(File.of(services.blobs, row)))
    return await _download(services, author, row, edition)


@router.get("/{document_id}/plain", response_class=StreamingResponse)
async def plain(document_id: str, author: Author, services: Given) -> StreamingResponse:
    """The plain stream: exactly the bytes that an eavesdropper on the plain channel sees."""
    return await _download(services, author, await owned(services, document_id, author), "plain")


@router.get("/{document_id}/classified", response_class=StreamingResponse)
async def classified(document_id: str, author: Author, services: Given) -> StreamingResponse:
    """The classified stream: the bytes of a document of mine that travel on the secure channel, in order."""
    return await _download(services, author, await owned(services, document_id, author), "classified")


@router.get("/{document_id}/redacted")
async def redacted(document_id: str, author: Author, services: Given) -> RedactedShown:
    """The redacted edition that is sent with this document to recipients without clearance. It is made now if there
    is none yet.
    """
    row = await owned(services, document_id, author)
    async with unless_deleted(lambda: owned(services, document_id, author)):
        return RedactedShown.of(await services.transfer_queue.editions.of(row))


async def _download(services: Services, author: User, row: Document, edition: Download) -> StreamingResponse:
    async with unless_deleted(lambda: owned(services, row.id, author)):
        response = await download(services.blobs, row, edition)
    await note_own_read(services, author, row, edition)
    return response


async def owned(services: Services, document_id: str, author: User) -> Document:
    """A document of this author with its blobs.

    Raises:
        NotFound: they have no such document.
    """
    async with services.database.read() as session:
        row = await queries.owned(session, document_id, author.id)
    if row is None:
        raise _none_such()
    return row


def _none_such() -> NotFound:
    return NotFound("you have no such document")
