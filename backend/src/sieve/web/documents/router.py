"""An author's own documents: given as they are, stored as two streams, shown as each reader would see them."""

import asyncio
from collections.abc import Iterator
from typing import Annotated, Literal

from fastapi import APIRouter, Header, Query, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from sieve.gateway.errors import Conflict, NotFound
from sieve.gateway.marks import now_ns
from sieve.gateway.outgoing import stored_document
from sieve.gateway.stored_document import StoredDocument
from sieve.store.models import Document, User
from sieve.store.queries import documents as queries
from sieve.store.queries import pages
from sieve.web.deps import Author
from sieve.web.documents import spans as span_texts
from sieve.web.documents.schemas import DocumentShown
from sieve.web.editions import PIECE, attachment, require_text
from sieve.web.paging import AskedPage, Page
from sieve.web.services import Given, Services

router = APIRouter(prefix="/documents", tags=["documents"])

_BODY = {"requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {"type": "string"}}}}}


@router.post("", status_code=201, openapi_extra=_BODY)
async def create(
    author: Author,
    services: Given,
    request: Request,
    response: Response,
    form: Annotated[
        Literal["marked", "literal", "framed"],
        Query(
            description="What the body is. marked: text with <$S> and <$E> around what is classified. literal: the "
            "document's bytes, with spans in the header Sieve-Spans. framed: one line, a JSON array of "
            "[start, end] pairs, then the document's bytes."
        ),
    ],
    name: Annotated[str, Query(max_length=1000, description="It travels in clear to nobody, but counts as plain.")],
    media_type: Annotated[str, Query(max_length=200)] = "text/plain",
    sieve_spans: Annotated[str | None, Header(description="Of a literal body: 0-5,10-20, start-end in bytes.")] = None,
) -> DocumentShown:
    """Takes a document in. The body is the document; it is sieved and sealed as it arrives."""
    about = {"owner_id": author.id, "name": name, "media_type": media_type}
    match form:
        case "marked":
            row = await services.ingest.marked(request.stream(), **about)
        case "literal":
            row = await services.ingest.with_spans(request.stream(), span_texts.in_header(sieve_spans), **about)
        case "framed":
            line, rest = await span_texts.framed(request.stream())
            spans = await asyncio.to_thread(span_texts.in_line, line)
            del line
            row = await services.ingest.with_spans(rest, spans, **about)
    response.headers["Location"] = f"/api/v1/documents/{row.id}"
    return DocumentShown.of(row)


@router.get("")
async def mine(author: Author, services: Given, asked: AskedPage) -> Page[DocumentShown]:
    """My documents, the latest first."""
    async with services.database.read() as session:
        rows = await pages.documents(session, author.id, after=asked.after, limit=asked.limit)
    return asked.page(rows, DocumentShown.of)


@router.get("/{document_id}")
async def one(document_id: str, author: Author, services: Given) -> DocumentShown:
    """One document of mine."""
    row, _ = await _owned(services, document_id, author)
    return DocumentShown.of(row)


@router.delete("/{document_id}", status_code=204)
async def delete(document_id: str, author: Author, services: Given) -> None:
    """Removes a document of mine and its bytes; what was delivered stays delivered."""
    async with services.database.write() as session:
        if await queries.owned(session, document_id, author.id) is None:
            raise _none_such()
        refs = await queries.delete(session, document_id, now_ns())
        if refs is None:
            raise Conflict("a transfer of this document is not over; wait for it or cancel it")
    for ref in refs:
        await run_in_threadpool(services.blobs.delete, ref)


@router.get("/{document_id}/content", response_class=StreamingResponse)
async def content(
    document_id: str, author: Author, services: Given, edition: Literal["full", "marked", "redacted"] = "full"
) -> StreamingResponse:
    """A document of mine: its bytes, as marked text, or as the uncleared will see it."""
    row, document = await _owned(services, document_id, author)
    require_text(row.media_type, edition)
    pieces = {"full": document.full, "marked": document.marked, "redacted": document.redacted}[edition]()
    size = row.size if edition == "full" else None
    return await attachment(pieces, name=row.name, media_type=row.media_type, size=size)


@router.get("/{document_id}/plain", response_class=StreamingResponse)
async def plain(document_id: str, author: Author, services: Given) -> StreamingResponse:
    """The plain stream: exactly the bytes that an eavesdropper on the plain channel sees."""
    row, document = await _owned(services, document_id, author)
    return await attachment(_plain(document), name=row.name, media_type=row.media_type, size=document.plain_size)


def _plain(document: StoredDocument) -> Iterator[bytes]:
    for start in range(0, document.plain_size, PIECE):
        yield document.read_plain(start, min(start + PIECE, document.plain_size))


async def _owned(services: Services, document_id: str, author: User) -> tuple[Document, StoredDocument]:
    async with services.database.read() as session:
        row = await queries.owned(session, document_id, author.id)
        if row is None:
            raise _none_such()
        return row, await stored_document(session, services.blobs, row)


def _none_such() -> NotFound:
    return NotFound("there is no such document of yours")
