"""Policies: admins maintain them, authors mark with them. Previews are not stored."""

from typing import Annotated

from fastapi import Query, Request, Response
from starlette.concurrency import run_in_threadpool

from sieve.gateway.screening.policies import KeptPolicy, Source
from sieve.web.access import Admin, Author, AuthorOrAdmin
from sieve.web.api_router import api_router
from sieve.web.audited_own_reads import note_own_read
from sieve.web.drafts.revision import Changed, MaybeChanged, note_revision
from sieve.web.errors import MalformedRequest
from sieve.web.policies.schemas import (
    SOURCE,
    DraftPreview,
    GivenSource,
    PolicyChecked,
    PolicyListed,
    PolicyProblem,
    PolicyShown,
    PolicyTried,
    TextPreview,
)
from sieve.web.request_bodies import TEXT_BODY, read_body
from sieve.web.services import Given

router = api_router("/policies", tag="policies")
on_drafts = api_router("/drafts", tag="policies")

MAX_TEXT_BYTES = 32 * 1024 * 1024

Version = Annotated[int | None, Query(ge=1, lt=2**31, description="An earlier one; else the latest.")]
Limit = Annotated[int, Query(ge=1, le=100_000, description="How many hits at most.")]


@router.get("")
async def listed(person: AuthorOrAdmin, services: Given) -> list[PolicyListed]:
    """All policies, by name."""
    return [PolicyListed.from_attributes(row) for row in await services.policies.listed()]


@router.post("", status_code=201, openapi_extra=SOURCE)
async def create(admin: Admin, services: Given, source: GivenSource, response: Response) -> PolicyShown:
    """Creates a policy, at version 1, or at the next version if there was a policy of that name before."""
    made = await services.policies.create(admin.name, source)
    return await _shown(made, response)


@router.post("/check", openapi_extra=SOURCE)
async def check(admin: Admin, services: Given, source: GivenSource) -> PolicyChecked:
    """Lists all problems of a policy; nothing is stored."""
    problems = await services.policies.problems(source)
    return PolicyChecked(ok=not problems, problems=[PolicyProblem.of(problem) for problem in problems])


@router.post("/preview")
async def try_out(person: AuthorOrAdmin, services: Given, tried: PolicyTried, limit: Limit = 10_000) -> TextPreview:
    """What a policy that need not be stored would mark in a text. Nothing is stored."""
    ready = await services.policies.unsaved(Source(tried.language, tried.policy))
    marks, more = await services.scanner.hits_in_text(person.id, ready, tried.text, limit)
    return await run_in_threadpool(TextPreview.of, ready.policy, marks, len(tried.text), more=more)


@router.get("/{name}")
async def one(
    name: str, person: AuthorOrAdmin, services: Given, response: Response, version: Version = None
) -> PolicyShown:
    """One policy. Every version stays available, even after the policy is deleted."""
    return await _shown(await services.policies.one(name, version), response)


@router.put("/{name}", openapi_extra=SOURCE)
async def change(
    name: str, admin: Admin, services: Given, source: GivenSource, revision: Changed, response: Response
) -> PolicyShown:
    """Makes the next version of a policy. JSON without `guard` leaves that unchanged."""
    return await _shown(await services.policies.change(admin.name, name, revision, source), response)


@router.delete("/{name}", status_code=204)
async def delete(name: str, admin: Admin, services: Given, revision: MaybeChanged) -> None:
    """Deletes a policy. Its versions stay readable, because marks name them."""
    await services.policies.delete(admin.name, name, revision)


@router.post("/{name}/preview", openapi_extra=TEXT_BODY)
async def preview(
    name: str,
    person: AuthorOrAdmin,
    services: Given,
    request: Request,
    version: Version = None,
    limit: Limit = 10_000,
) -> TextPreview:
    """What a policy would mark in the text of the body, which has no tags. Nothing is stored."""
    ready = await services.policies.ready(name, version)
    body = await read_body(request, MAX_TEXT_BYTES, "the text")
    try:
        text = body.decode()
    except UnicodeDecodeError:
        raise MalformedRequest("body: the text is not UTF-8") from None
    marks, more = await services.scanner.hits_in_text(person.id, ready, text, limit)
    return await run_in_threadpool(TextPreview.of, ready.policy, marks, len(text), more=more)


@on_drafts.post("/{draft_id}/policies/{name}/preview")
async def preview_draft(
    draft_id: str,
    name: str,
    author: Author,
    services: Given,
    response: Response,
    version: Version = None,
    limit: Limit = 10_000,
) -> DraftPreview:
    """What a policy would mark in the latest save of a draft of mine, whether or not it is marked already."""
    ready = await services.policies.ready(name, version)
    whole_draft, found = await services.file_drafts.ask(
        author.id, draft_id, lambda file: services.reading.hits(file, [ready.source], limit=limit)
    )
    await note_own_read(services, author, whole_draft.save)
    note_revision(response, whole_draft.draft.revision)
    return await run_in_threadpool(DraftPreview.of, ready.policy, found)


@on_drafts.post("/{draft_id}/policies/preview", openapi_extra=SOURCE)
async def try_out_draft(
    draft_id: str, author: Author, services: Given, source: GivenSource, response: Response, limit: Limit = 10_000
) -> DraftPreview:
    """The same for a policy that need not be stored: one that is being written, or a phrase to find."""
    ready = await services.policies.unsaved(source)
    whole_draft, found = await services.file_drafts.ask(
        author.id, draft_id, lambda file: services.reading.hits(file, [ready.source], limit=limit)
    )
    await note_own_read(services, author, whole_draft.save)
    note_revision(response, whole_draft.draft.revision)
    return await run_in_threadpool(DraftPreview.of, ready.policy, found)


async def _shown(kept: KeptPolicy, response: Response) -> PolicyShown:
    note_revision(response, kept.row.version)
    return await run_in_threadpool(PolicyShown.of, kept)
