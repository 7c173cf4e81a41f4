"""Sending, and following transfers. Authors see their own transfers; admins see all, but cannot change them."""

import functools
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Annotated, Final

from fastapi import Depends, Query, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from sieve.core.sentence import Sentence
from sieve.gateway.clock import now_ns
from sieve.gateway.documents.covers import note_of
from sieve.gateway.documents.verification import Delivery, of_whole
from sieve.gateway.errors import NotFound
from sieve.gateway.outbound.transfer_timings import timings_of
from sieve.gateway.screening.leak_check import Confirmation
from sieve.gateway.stored_document import StoredDocument
from sieve.gateway.telemetry.timing import NS_PER_MS
from sieve.store.models import Document, Transfer, TransferState, User
from sieve.store.queries import documents, inbox, outbox, timing_records, transfer_list
from sieve.store.queries.peers import OWN_ID
from sieve.store.queries.transfer_list import Order, Sort, TransferFilter
from sieve.web.access import Author, AuthorOrAdmin, StillSignedIn
from sieve.web.api_router import api_router
from sieve.web.archive import zipped
from sieve.web.audited_own_reads import note_own_read
from sieve.web.bulk import MOST_CHANGED, BulkArchive, Changed, Ids, authored, change_each
from sieve.web.downloads import streamed_attachment
from sieve.web.paging import AskedPage, Page
from sieve.web.services import Given, Services
from sieve.web.times import kept
from sieve.web.transfers.events import progress_of
from sieve.web.transfers.requests import (
    BatchAsked,
    HowToSend,
    RecipientsAt,
    SendToSeveral,
    TransferAsked,
    TransfersChange,
)
from sieve.web.transfers.schemas import (
    AnswerShown,
    BatchShown,
    Names,
    ProgressShown,
    ReplyShown,
    TransfersCounted,
    TransferShown,
    TransferWhole,
)
from sieve.web.transfers.waiting import turn
from sieve.web.verification import VerificationShown

MOST_REPLIES = 100
router = api_router("/transfers", tag="transfers")
batches = api_router("/batches", tag="batches")
ARCHIVE_NAME: Final = "sent.zip"
sends = api_router("/sends", tag="sends")


async def _visible(transfer_id: str, person: AuthorOrAdmin, services: Given) -> Transfer:
    async with services.database.read() as session:
        row = await outbox.by_id(session, transfer_id)
    if row is None or not _may_see(person, row):
        raise NotFound(Sentence("no-such-transfer", "you have no such transfer"))
    return row


def _may_see(person: User, row: Transfer) -> bool:
    mine = person.is_author and row.author_id == person.id and not row.document.locked
    return person.is_admin or mine


Visible = Annotated[Transfer, Depends(_visible)]
"""The transfer in the path, if this person may see it."""


@router.post("", status_code=202)
async def send(asked: TransferAsked, author: Author, services: Given, response: Response) -> TransferShown:
    """Sends a document of mine. After this response, the gateway delivers it, or says why it could not.

    If the leak check has findings, the response is 409 with `kind` "open-findings", their number, and the `digest` for
    a confirmation.
    """
    [queued] = await _send([asked.document_id], [asked], asked, author, services)
    response.headers["Location"] = f"/api/v1/transfers/{queued.id}"
    [shown] = await _shown(services, [queued])
    return shown


@batches.post("", status_code=202, name="send")
async def send_batch(asked: BatchAsked, author: Author, services: Given) -> BatchShown:
    """Sends documents of mine together: all or none. If none, the reason names the documents at fault. After this
    response, the gateway delivers each document, or says why it could not.

    If the leak check has findings, the response is 409 with `kind` "open-findings", the number of all findings, the
    `documents` that have some, and the `digest` for a confirmation: the SHA-256 over the digests of all documents.
    """
    queued = await _send(asked.document_ids, [asked], asked, author, services)
    return BatchShown(transfers=await _shown(services, queued))


@sends.post("", status_code=202, name="send")
async def send_to_several(asked: SendToSeveral, author: Author, services: Given) -> BatchShown:
    """Sends documents of mine to people at one or several gateways: all or none. There is a transfer of each document
    to each gateway. After this response, the gateway delivers each, or says why it could not.

    If the leak check has findings, the response is 409 as for `POST /transfers` (one document) or `POST /batches`.
    """
    queued = await _send(asked.document_ids, asked.to, asked, author, services)
    return BatchShown(transfers=await _shown(services, queued))


def _filter(
    person: AuthorOrAdmin,
    state: TransferState | None = None,
    peer: Annotated[str | None, Query(max_length=63)] = None,
    author: Annotated[str | None, Query(max_length=200, description="Their login.")] = None,
    search: Annotated[str | None, Query(max_length=200, description="Part of the document's name.")] = None,
    since: Annotated[
        datetime | None, Query(description="Accepted then or later; in UTC unless it has an offset.")
    ] = None,
) -> TransferFilter:
    author_id = None if person.is_admin else person.id
    # Only accounts that were reset pay for the condition.
    but_locked = author_id is not None and person.locked_before_ns is not None
    return TransferFilter(author_id, state, peer, author, search, None if since is None else kept(since), but_locked)


def _order(
    sort: Annotated[Sort, Query(description="time: when it was accepted.")] = "time",
    descending: Annotated[bool, Query(description="The latest, the largest or Z first.")] = True,
) -> Order:
    return Order(sort, descending)


Wanted = Annotated[TransferFilter, Depends(_filter)]
Ordered = Annotated[Order, Depends(_order)]


@router.get("")
async def listed(services: Given, wanted: Wanted, order: Ordered, asked: AskedPage) -> Page[TransferShown]:
    """My transfers, latest first; for an admin, all transfers."""
    async with services.database.browse() as session:
        found = await transfer_list.page(session, wanted, order, after=asked.after, limit=asked.limit)
    timings = await timings_of(services.database, found.rows)
    names = await _names(services, found.rows)
    return asked.page_from(
        found,
        lambda row: TransferShown.of(row, names, timings.get(row.id)),
        lambda row: transfer_list.place(row, order),
    )


@router.get("/counts")
async def counts(services: Given, wanted: Wanted) -> TransfersCounted:
    """How many transfers GET /transfers lists, and the size of their documents."""
    async with services.database.browse() as session:
        found = await transfer_list.count(session, wanted)
    return TransfersCounted(transfers=found.rows, bytes=found.bytes, more=found.more)


@router.get("/ids")
async def ids(services: Given, wanted: Wanted, order: Ordered) -> Ids:
    """The ids of the transfers that GET /transfers lists; of the first 5000 at most. A search may end earlier."""
    async with services.database.browse() as session:
        return Ids.of(await transfer_list.ids(session, wanted, order, limit=MOST_CHANGED))


@router.post("/changes", status_code=202)
async def change(asked: TransfersChange, author: Author, services: Given) -> Changed:
    """Cancels or retries transfers of mine. Those whose state does not allow it stay as they are."""
    act = services.transfer_queue.cancel if asked.change == "cancel" else services.transfer_queue.requeue
    return Changed(ids=await change_each(asked.ids, lambda transfer_id: act(author, transfer_id)))


@router.post("/archive", response_class=StreamingResponse)
async def archive(asked: BulkArchive, author: Author, services: Given, signed_in: StillSignedIn) -> StreamingResponse:
    """One zip with the documents of these transfers of mine as they were sent, each once: texts with their marks, files
    as they are. The file not-included.txt in it names those that are missing, and why.
    """

    async def find(transfer_id: str) -> tuple[Document, int]:
        async with services.database.read() as session:
            row = await outbox.owned(session, transfer_id, author.id)
            found = None if row is None else await documents.owned(session, row.document_id, author.id)
        if row is None or found is None:
            raise NotFound(Sentence("no-such-document", "you have no such document"))
        await note_own_read(services, author, found)
        return found, row.created_at_ns

    pieces = zipped(services.blobs, authored(asked.ids, signed_in, find), [])
    return streamed_attachment(pieces, name=ARCHIVE_NAME, media_type="application/zip")


@router.get("/{transfer_id}")
async def one(row: Visible, person: AuthorOrAdmin, services: Given) -> TransferWhole:
    """One transfer: its state, its attempts, and its timings once it is delivered."""
    async with services.database.read() as session:
        attempts = await outbox.attempts(session, row.id)
        cause = await timing_records.last_cause(session, row.id)
        # Admins manage transfers; what the author wrote is for the recipients. It is locked when the document is.
        mine = row.author_id == person.id and not row.document.locked
        answered = await inbox.answered_by(session, row) if mine else None
        answers = await inbox.answers_to(session, row, limit=MOST_REPLIES) if mine and person.is_recipient else []
        batch_wait_ns = int(services.settings.batch_wait_ms * NS_PER_MS)
        waits_for = await turn(session, row, batch_wait_ns=batch_wait_ns, now_ns=now_ns())
    note = note_of(services.blobs.keys, row) if mine else None
    names = await _names(services, [row])
    timings = await services.transfer_queue.timings(row)
    return TransferWhole.whole(
        row,
        names,
        attempts,
        timings,
        cause,
        note,
        answered and ReplyShown(**answered._asdict()),
        [AnswerShown.from_attributes(answer) for answer in answers],
        waits_for,
    )


@router.get("/{transfer_id}/events", response_class=EventSourceResponse)
async def events(row: Visible, services: Given, signed_in: StillSignedIn) -> AsyncIterator[ServerSentEvent]:
    """The progress of all channels as server-sent events, until the transfer ends."""

    async def look() -> Transfer | None:
        person = await signed_in()
        async with services.database.read() as session:
            now = await outbox.with_peer(session, row.id)
        return now if person is not None and now is not None and _may_see(person, now) else None

    async for progress in progress_of(row.id, services.progress, look):
        yield ServerSentEvent(data=ProgressShown.of(progress), event="progress")


@router.post("/{transfer_id}/cancel", status_code=202)
async def cancel(transfer_id: str, author: Author, services: Given) -> TransferShown:
    """Cancels a transfer of mine that the peer does not have yet."""
    await services.transfer_queue.cancel(author, transfer_id)
    [shown] = await _shown(services, [await _owned(services, transfer_id)])
    return shown


@router.post("/{transfer_id}/requeue", status_code=202)
async def requeue(transfer_id: str, author: Author, services: Given) -> TransferShown:
    """Retries a failed transfer of mine, or a waiting one at once."""
    await services.transfer_queue.requeue(author, transfer_id)
    [shown] = await _shown(services, [await _owned(services, transfer_id)])
    return shown


@router.get("/{transfer_id}/receipt", response_class=Response)
async def receipt(row: Visible) -> Response:
    """The receipt that the peer signed, byte for byte."""
    if row.receipt is None:
        raise NotFound(f"there is no receipt yet; the transfer is {row.state}")
    return Response(row.receipt, media_type="application/json")


@router.get("/{transfer_id}/verification")
async def verification(row: Visible, services: Given) -> VerificationShown:
    """Checks again that the receipt and the stored document match."""
    if row.receipt is None:
        raise NotFound(f"there is no receipt yet; the transfer is {row.state}")
    earlier = services.identity.earlier_receipt_public_keys if row.peer_id == OWN_ID else ()
    delivery = Delivery(row.id, row.receipt, row.peer.name, row.peer.receipt_key, earlier)
    check = functools.partial(of_whole, delivery, services.blobs, row.manifest_blob.ref)
    document = None if row.document.deleted_at_ns else StoredDocument.of(services.blobs, row.document)
    found = await run_in_threadpool(check, document)
    if not found.valid and (await _owned(services, row.id)).document.deleted_at_ns:
        found = await run_in_threadpool(check, None)  # not damaged, if it was deleted while it was read
    return VerificationShown.of(found)


async def _names(services: Services, rows: Sequence[Transfer]) -> Names:
    """The names that peers say, only where a transfer has none: reading a large directory takes 10 ms."""
    unnamed = {row.peer_id for row in rows if any(each.display_name is None for each in row.recipients)}
    return await services.directories.names(unnamed) if unnamed else {}


async def _shown(services: Services, rows: Sequence[Transfer]) -> list[TransferShown]:
    names = await _names(services, rows)
    return [TransferShown.of(row, names) for row in rows]


async def _owned(services: Services, transfer_id: str) -> Transfer:
    async with services.database.read() as session:
        row = await outbox.by_id(session, transfer_id)
    assert row is not None  # noqa: S101 -- its author has just written it, and transfers are never removed
    return row


async def _send(
    document_ids: Sequence[str], to: Sequence[RecipientsAt], asked: HowToSend, author: User, services: Services
) -> Sequence[Transfer]:
    """Queues a transfer of each document to each peer, all or none, if the leak check allows it. The audit log records
    confirmed findings.
    """
    said = asked.confirm
    confirmation = None if said is None else Confirmation(said.findings_digest, said.reason)
    confirmed = await services.leak_check.require_confirmed(author, document_ids, confirmation)
    return await services.transfer_queue.send(
        author,
        document_ids,
        {each.peer: each.recipients for each in to},
        asked.plan,
        asked.deadline_s,
        confirmed,
        asked.wish,
        {each.peer: each.estimated_mode for each in to},
        asked.cover,
    )
