"""The marks of a document of mine, and views of its content: of what was sent, or of a version of a draft."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Annotated, Literal

from fastapi import Query, Response

from sieve.gateway.reading.file import File
from sieve.store.models import Document
from sieve.web.access import Author
from sieve.web.api_router import api_router
from sieve.web.audited_own_reads import note_own_read
from sieve.web.documents.router import owned
from sieve.web.downloads import unless_deleted
from sieve.web.file_views.marks import marks_of
from sieve.web.file_views.routes import Look, add_views
from sieve.web.file_views.schemas import MarksShown
from sieve.web.services import Given

router = api_router("/documents/{document_id}", tag="documents")

Edition = Annotated[Literal["full", "redacted"], Query(description="`redacted`: shows the redacted edition.")]


@router.get("/marks", response_model=MarksShown)
async def marks(document_id: str, author: Author, services: Given) -> Response:
    """The marks of a document of mine."""

    async def find() -> Document:
        return await owned(services, document_id, author)

    row = await find()
    async with unless_deleted(find):
        content = await marks_of(services.reading, row, File.of(services.blobs, row))
    return Response(content, media_type="application/json")


async def _look(document_id: str, author: Author, services: Given, edition: Edition = "full") -> Look:
    async def look(read: Callable[[File], Awaitable[bytes]]) -> Response:
        row = await owned(services, document_id, author)
        async with unless_deleted(lambda: owned(services, document_id, author)):
            content = await read(replace(File.of(services.blobs, row), redacted=edition == "redacted"))
        await note_own_read(services, author, row, edition)
        return Response(content, media_type="application/json")

    return look


add_views(router, _look)
