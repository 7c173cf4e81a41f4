"""The labels of this gateway, and those of a draft's spans with the resulting banner."""

from typing import Annotated

from fastapi import Depends, Request
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool

from sieve.web.access import Author, Person
from sieve.web.api_router import api_router
from sieve.web.drafts.revision import Changed
from sieve.web.errors import MalformedRequest
from sieve.web.labels.schemas import DraftLabelled, LabelsAsked, LabelSetShown
from sieve.web.request_bodies import body_of, read_body
from sieve.web.services import Given

router = api_router(tag="labels")

MAX_BYTES = 32 * 1024 * 1024
BODY = body_of("application/json", LabelsAsked.model_json_schema())


async def _asked(request: Request) -> LabelsAsked:
    try:
        return await run_in_threadpool(
            LabelsAsked.model_validate_json, await read_body(request, MAX_BYTES, "the labels")
        )
    except ValidationError:
        # Without the input, which may be classified.
        raise MalformedRequest('body: write {"labels": ["…", null], "banner": null}') from None


@router.get("/labels")
async def labels(person: Person, services: Given) -> LabelSetShown:
    """The labels of this gateway, by rank; none if no set is chosen."""
    return LabelSetShown.of(services.draft_labels.set)


@router.get("/drafts/{draft_id}/labels")
async def of_draft(draft_id: str, author: Author, services: Given) -> DraftLabelled:
    """The labels of a draft of mine, as they are at its latest save."""
    return DraftLabelled.of(await services.draft_labels.of(author, draft_id))


@router.put("/drafts/{draft_id}/labels", openapi_extra=BODY)
async def change(
    draft_id: str,
    author: Author,
    services: Given,
    revision: Changed,
    asked: Annotated[LabelsAsked, Depends(_asked)],
) -> DraftLabelled:
    """Labels the spans of a draft of mine, or sets its banner. The revision stays; lowering needs a reason."""
    return DraftLabelled.of(await services.draft_labels.change(author, draft_id, revision, asked.as_asked()))
