"""The leak check of stored documents: the same check as before sending, so that the author can decide first."""

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from sieve.gateway.errors import Conflict, NotFound
from sieve.web.access import Author
from sieve.web.api_router import api_router
from sieve.web.audited_own_reads import note_own_read
from sieve.web.documents.router import owned
from sieve.web.findings.schemas import DocumentChecked
from sieve.web.request_bodies import TEXT_BODY, read_body
from sieve.web.services import Given

router = api_router(tag="findings")

MAX_UNSAVED_BYTES = 8 * 1024 * 1024
"""The browser asks about texts of at most 2 MB, their tags not counted."""


@router.post("/drafts/{draft_id}/check")
async def check_draft(draft_id: str, author: Author, services: Given) -> DocumentChecked:
    """What may have been forgotten in the latest save of a draft of mine."""
    whole, report = await services.drafts.with_latest(
        author.id, draft_id, lambda save: services.leak_check.check(author.id, save.id), superseded=(NotFound, Conflict)
    )
    await note_own_read(services, author, whole.save)
    return await run_in_threadpool(DocumentChecked.of, report, whole.draft.revision, services.leak_check.rule)


@router.post("/drafts/{draft_id}/check/unsaved", openapi_extra=TEXT_BODY)
async def check_unsaved(draft_id: str, author: Author, services: Given, request: Request) -> DocumentChecked:
    """The same of the marked text that is the body, as if it were the draft's next save. Nothing of it is kept."""
    # Before the body is read: only the author of a draft makes this gateway read a text.
    if (await services.drafts.owned(author.id, draft_id)).save.format is not None:
        raise Conflict("this draft came as a file, which has no unsaved text: check the draft itself")
    body = await read_body(request, MAX_UNSAVED_BYTES, "the text")
    async with services.leak_check.unsaved(author.id, body) as text:
        _, report = await services.drafts.with_latest(
            author.id,
            draft_id,
            lambda save: services.leak_check.check_unsaved(author.id, save.id, text),
            superseded=(NotFound, Conflict),
        )
    return await run_in_threadpool(DocumentChecked.of, report, None, services.leak_check.rule)


@router.post("/documents/{document_id}/check")
async def check_document(document_id: str, author: Author, services: Given) -> DocumentChecked:
    """The same of a document of mine that is no draft, or of one save of a draft."""
    row = await owned(services, document_id, author)
    report = await services.leak_check.check(author.id, document_id)
    await note_own_read(services, author, row)
    return await run_in_threadpool(DocumentChecked.of, report, None, services.leak_check.rule)
