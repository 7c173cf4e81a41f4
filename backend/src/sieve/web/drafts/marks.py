"""The content of a draft: its units, rows and pages, and its marks.

A separate process reads all of it, and what that says goes to the author as it is: JSON of the shape that
`file_views.schemas` describes. Every answer says in ETag of which revision it is.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Query, Request, Response

from sieve import marks_file
from sieve.gateway.documents.file_drafts import MAX_MARKS_BYTES
from sieve.gateway.reading.file import File
from sieve.store.models import User
from sieve.web.bodies import whole
from sieve.web.deps import Author
from sieve.web.drafts.revision import Changed, note_revision
from sieve.web.drafts.schemas import DraftShown
from sieve.web.file_views.routes import PICTURE, Cursor, FirstRow, MostRows, MostUnits, PageNumber, SheetName, Width
from sieve.web.file_views.schemas import MarksGiven, MarksShown, OutlineShown, RowsShown, UnitsShown, WordsShown
from sieve.web.services import Given, Services

router = APIRouter(prefix="/drafts/{draft_id}", tags=["drafts"])

_GIVEN: Final = MarksGiven.model_json_schema(ref_template="#/components/schemas/{model}")
MARKS: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        # Without its own definitions: what it refers to is in answers, too.
        "content": {"application/json": {"schema": {k: v for k, v in _GIVEN.items() if k != "$defs"}}},
    }
}
"""The OpenAPI description of a body that the reading process reads."""

Edition = Annotated[
    Literal["full", "redacted"],
    Query(description="`redacted`: of the redacted edition, which is made of what is saved and read again."),
]


@router.put("/marks", openapi_extra=MARKS)
async def mark(
    draft_id: str, author: Author, services: Given, request: Request, response: Response, revision: Changed
) -> DraftShown:
    """Marks a draft of mine that came as a file: these marks, and no others. A save like any other."""
    given = await whole(request, MAX_MARKS_BYTES, "the list of marks")
    saved = await services.file_drafts.mark(author.id, draft_id, revision, given)
    note_revision(response, saved.draft.revision)
    return DraftShown.of(saved)


@router.get("/marks", response_model=MarksShown)
async def marks(draft_id: str, author: Author, services: Given) -> Response:
    """What is marked in a draft of mine."""

    async def both(file: File) -> tuple[bytes, bytes]:
        return await services.reading.marks(file), await asyncio.to_thread(
            lambda: marks_file.print_ranges(file.document.spans)
        )

    draft, (found, ranges) = await services.file_drafts.ask(author.id, draft_id, both)
    save = draft.save
    head = (
        f'{{"revision":{draft.draft.revision},"classified_bytes":{save.classified_size},'
        f'"plain_bytes":{save.size - save.classified_size},"marks":'
    )
    return _json(head.encode() + found + b',"ranges":' + ranges + b"}", draft.draft.revision)


@router.get("/units", response_model=UnitsShown)
async def units(
    draft_id: str,
    author: Author,
    services: Given,
    after: Cursor = None,
    limit: MostUnits = 200,
    edition: Edition = "full",
) -> Response:
    """The pieces of text of a draft of mine, in reading order, hidden ones too. Fewer than `limit` if they are long."""
    return await _read(
        services, author, draft_id, edition, lambda file: services.reading.units(file, after=after, limit=limit)
    )


@router.get("/outline", response_model=OutlineShown)
async def outline(draft_id: str, author: Author, services: Given, edition: Edition = "full") -> Response:
    """What a draft of mine has: pages and their sizes in points, columns and rows, sheets."""
    return await _read(services, author, draft_id, edition, services.reading.outline)


@router.get("/rows", response_model=RowsShown)
async def rows(
    draft_id: str,
    author: Author,
    services: Given,
    first: FirstRow = 1,
    count: MostRows = 200,
    sheet: SheetName = None,
    edition: Edition = "full",
) -> Response:
    """Rows of a table, or of a sheet of a workbook, the first one if none is named. Fewer than `count` if they are
    long, none behind the last.
    """
    return await _read(
        services,
        author,
        draft_id,
        edition,
        lambda file: services.reading.rows(file, first=first, count=count, sheet=sheet),
    )


@router.get("/pages/{number}.png", response_class=Response, responses=PICTURE)
async def picture(
    draft_id: str,
    number: PageNumber,
    author: Author,
    services: Given,
    width: Width = 800,
    edition: Edition = "full",
) -> Response:
    """A page of a PDF, as a reader shows it."""
    draft, drawn = await services.file_drafts.ask(
        author.id, draft_id, _of(edition, lambda file: services.reading.picture(file, page=number, width=width))
    )
    answer = Response(drawn, media_type="image/png")
    note_revision(answer, draft.draft.revision)
    return answer


@router.get("/pages/{number}/words", response_model=WordsShown)
async def words(
    draft_id: str, number: PageNumber, author: Author, services: Given, edition: Edition = "full"
) -> Response:
    """The text of a page of a PDF, and where its words stand."""
    return await _read(services, author, draft_id, edition, lambda file: services.reading.words(file, page=number))


async def _read(
    services: Services, author: User, draft_id: str, edition: str, what: Callable[[File], Awaitable[bytes]]
) -> Response:
    draft, said = await services.file_drafts.ask(author.id, draft_id, _of(edition, what))
    return _json(said, draft.draft.revision)


def _of(edition: str, what: Callable[[File], Awaitable[bytes]]) -> Callable[[File], Awaitable[bytes]]:
    return lambda file: what(replace(file, redacted=edition == "redacted"))


def _json(said: bytes, revision: int) -> Response:
    answer = Response(said, media_type="application/json")
    note_revision(answer, revision)
    return answer
