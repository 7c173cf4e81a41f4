"""The marks of a draft that came as a file, and views of its content.

Each response names the draft's revision in ETag.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Annotated, Final, Literal

from fastapi import Query, Request, Response

from sieve.gateway.documents.file_drafts import MAX_MARKS_BYTES
from sieve.gateway.reading.file import File
from sieve.web.access import Author
from sieve.web.api_router import api_router
from sieve.web.audited_own_reads import note_own_read
from sieve.web.drafts.revision import Changed, note_revision
from sieve.web.drafts.schemas import DraftShown, MarksGiven
from sieve.web.file_views.marks import marks_of
from sieve.web.file_views.routes import Look, add_views
from sieve.web.file_views.schemas import AllClassifiedShown, DraftMarksShown
from sieve.web.request_bodies import body_of, read_body
from sieve.web.services import Given

router = api_router("/drafts/{draft_id}", tag="drafts")

_GIVEN: Final = MarksGiven.model_json_schema(ref_template="#/components/schemas/{model}")
# Without definitions: the responses have the same ones.
MARKS: Final = body_of("application/json", {key: value for key, value in _GIVEN.items() if key != "$defs"})
"""The OpenAPI description of a body that a reading process parses."""

Edition = Annotated[
    Literal["full", "redacted"],
    Query(description="`redacted`: shows the redacted edition of the latest save."),
]


@router.put("/marks", openapi_extra=MARKS)
async def mark(
    draft_id: str, author: Author, services: Given, request: Request, response: Response, revision: Changed
) -> DraftShown:
    """Replaces all marks of a draft of mine that came as a file. This is a save like any other."""
    given = await read_body(request, MAX_MARKS_BYTES, "the list of marks")
    saved = await services.file_drafts.mark(author.id, draft_id, revision, given)
    note_revision(response, saved.draft.revision)
    return DraftShown.of(saved)


@router.get("/marks", response_model=DraftMarksShown)
async def marks(draft_id: str, author: Author, services: Given) -> Response:
    """The marks of a draft of mine."""

    draft, content = await services.drafts.with_latest(
        author.id, draft_id, lambda save: marks_of(services.reading, save, File.of(services.blobs, save))
    )
    return _json(content, draft.draft.revision)


@router.get("/why-classified", response_model=AllClassifiedShown)
async def why_classified(draft_id: str, author: Author, services: Given) -> Response:
    """What travels classified of a draft of mine that came as a file, and why, by kind, largest first."""
    draft, content = await services.file_drafts.ask(author.id, draft_id, services.reading.why_classified)
    await note_own_read(services, author, draft.save)
    return _json(content, draft.draft.revision)


async def _look(draft_id: str, author: Author, services: Given, edition: Edition = "full") -> Look:
    async def look(read: Callable[[File], Awaitable[bytes]]) -> Response:
        draft, content = await services.file_drafts.ask(
            author.id, draft_id, lambda file: read(replace(file, redacted=edition == "redacted"))
        )
        await note_own_read(services, author, draft.save, edition)
        return _json(content, draft.draft.revision)

    return look


add_views(router, _look)


def _json(content: bytes, revision: int) -> Response:
    response = Response(content, media_type="application/json")
    note_revision(response, revision)
    return response
