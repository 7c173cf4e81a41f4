"""Drafts, which only their author sees. Each save can be sent."""

import json
from dataclasses import asdict
from typing import Annotated

from fastapi import Query, Request, Response
from starlette.responses import StreamingResponse

from sieve.core.sentence import Sentence
from sieve.gateway.documents.copies import copy_draft
from sieve.gateway.errors import Conflict, NotAllowed
from sieve.store.models import User
from sieve.store.queries.drafts import WholeDraft
from sieve.web.access import Author
from sieve.web.api_router import api_router
from sieve.web.audited_own_reads import note_own_read
from sieve.web.documents.intake import BODY, DraftForm, Form, MediaType, Name, SpansHeader, stage
from sieve.web.downloads import AskedEdition, Download, download, redacted_file
from sieve.web.drafts.revision import Changed, note_revision
from sieve.web.drafts.schemas import DraftCopied, DraftRenamed, DraftShown
from sieve.web.services import Given, Services

router = api_router("/drafts", tag="drafts")


@router.post("", status_code=201, openapi_extra=BODY)
async def create(
    author: Author,
    services: Given,
    request: Request,
    response: Response,
    form: DraftForm,
    name: Name,
    media_type: MediaType | None = None,
    sieve_spans: SpansHeader = None,
    in_reply_to: Annotated[
        str | None, Query(max_length=64, description="An inbox entry of mine; not for files.")
    ] = None,
    reply_to_login: Annotated[
        str | None, Query(max_length=200, description="Which of several people of the sender's name.")
    ] = None,
) -> DraftShown:
    """Creates a draft. The body is its first save; the gateway sieves and seals it as it arrives.

    If it answers a received document, the draft says to whom the reply goes.

    Without a media type, the gateway detects that of a `file` from its bytes and name; other forms are text/plain.
    """
    if form == "file":
        body, kind = request.stream(), media_type or "application/octet-stream"
        brought = await services.file_drafts.create(author.id, body, name=name, media_type=kind)
        return _made(brought, response)

    if in_reply_to is not None and not author.is_recipient:
        raise NotAllowed(
            Sentence(
                "reply-not-recipient", "only recipients can reply to a document; ask an admin for the recipient role"
            )
        )
    reply = None
    if in_reply_to is not None:
        reply = json.dumps(asdict(await services.replies.to(author, in_reply_to, reply_to_login)))
    with await stage(
        services.ingest, request, form, sieve_spans, "text/plain" if media_type is None else media_type, draft=True
    ) as staged:
        return _made(await services.drafts.create(author.id, staged, name, reply_to=reply), response)


@router.get("/{draft_id}")
async def one(draft_id: str, author: Author, services: Given, response: Response) -> DraftShown:
    """One draft of mine."""
    return _shown(await services.drafts.owned(author.id, draft_id), response)


@router.put("/{draft_id}", openapi_extra=BODY)
async def save(
    draft_id: str,
    author: Author,
    services: Given,
    request: Request,
    response: Response,
    revision: Changed,
    form: Form,
    name: Name | None = None,
    media_type: MediaType | None = None,
    sieve_spans: SpansHeader = None,
) -> DraftShown:
    """Saves a draft of mine: the body replaces its content. Name and media type stay unless they are given."""
    # Checked again in the transaction: this saves a client that is too late the upload.
    before = (await services.drafts.at_revision(author.id, draft_id, revision)).save
    if before.format is not None:
        raise Conflict("this draft came as a file: change its marks, or make a new draft of another file")

    media_type = before.media_type if media_type is None else media_type
    with await stage(services.ingest, request, form, sieve_spans, media_type, draft=True) as staged:
        name = before.name if name is None else name
        return _shown(await services.drafts.save(author.id, draft_id, revision, staged, name), response)


@router.patch("/{draft_id}")
async def rename(
    draft_id: str, author: Author, services: Given, response: Response, revision: Changed, asked: DraftRenamed
) -> DraftShown:
    """Renames a draft of mine. This is a save like any other."""
    return _shown(await services.drafts.rename(author.id, draft_id, revision, asked.name), response)


@router.post("/{draft_id}/copy", status_code=201)
async def copy(draft_id: str, asked: DraftCopied, author: Author, services: Given, response: Response) -> DraftShown:
    """Creates a draft with the content, the marks and the labels of a draft of mine."""
    return _made(await copy_draft(services.drafts, services.ingest, author.id, draft_id, asked.name), response)


@router.delete("/{draft_id}", status_code=204)
async def delete(
    draft_id: str,
    author: Author,
    services: Given,
    keep_sent: Annotated[bool, Query(description="Keep the sent save as a document of mine.")] = False,
    forever: Annotated[bool, Query(description="Delete it with its bytes now, instead of later.")] = False,
) -> None:
    """Deletes a draft of mine; deliveries stay. It can be restored for some days, unless it is deleted forever."""
    if keep_sent:
        await services.drafts.close(author.id, draft_id)
    elif forever:
        await services.drafts.remove(author.id, draft_id)
    else:
        await services.drafts.delete(author.id, draft_id)


@router.post("/{draft_id}/restore")
async def undelete(draft_id: str, author: Author, services: Given, response: Response) -> DraftShown:
    """Restores a deleted draft of mine."""
    await services.drafts.undelete(author.id, draft_id)
    return _shown(await services.drafts.owned(author.id, draft_id), response)


@router.get("/{draft_id}/content", response_class=StreamingResponse)
async def content(draft_id: str, author: Author, services: Given, edition: AskedEdition = "full") -> StreamingResponse:
    """A draft of mine: its bytes, as marked text, as recipients without clearance will see it, or with gaps.

    A draft that came as a file has its bytes and, if the format is known, a redacted edition in the same format.
    """
    if edition == "redacted":
        whole = await services.drafts.owned(author.id, draft_id)
        if whole.save.format is not None:
            whole, made = await services.file_drafts.ask(author.id, draft_id, services.transfer_queue.editions.to_read)
            answer = await redacted_file(whole.save, *made)
            note_revision(answer, whole.draft.revision)
            return answer

    return await _download(services, author, draft_id, edition)


@router.get("/{draft_id}/plain", response_class=StreamingResponse)
async def plain(draft_id: str, author: Author, services: Given) -> StreamingResponse:
    """The plain stream: exactly the bytes that an eavesdropper on the plain channel will see."""
    return await _download(services, author, draft_id, "plain")


@router.get("/{draft_id}/classified", response_class=StreamingResponse)
async def classified(draft_id: str, author: Author, services: Given) -> StreamingResponse:
    """The classified stream: the bytes of a draft of mine that will travel on the secure channel, in order."""
    return await _download(services, author, draft_id, "classified")


async def _download(services: Services, author: User, draft_id: str, edition: Download) -> StreamingResponse:
    whole, response = await services.drafts.with_latest(
        author.id, draft_id, lambda save: download(services.blobs, save, edition)
    )
    await note_own_read(services, author, whole.save, edition)
    note_revision(response, whole.draft.revision)
    return response


def _made(made: WholeDraft, response: Response) -> DraftShown:
    response.headers["Location"] = f"/api/v1/drafts/{made.draft.id}"
    return _shown(made, response)


def _shown(whole: WholeDraft, response: Response) -> DraftShown:
    note_revision(response, whole.draft.revision)
    return DraftShown.of(whole)
