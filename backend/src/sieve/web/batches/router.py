"""Sending several documents together. What becomes of each is its own transfer's story."""

from fastapi import APIRouter

from sieve.web.deps import Author
from sieve.web.services import Given
from sieve.web.transfers.schemas import BatchAsked, BatchShown, TransferShown
from sieve.web.transfers.sending import send_all

router = APIRouter(prefix="/batches", tags=["batches"])


@router.post("", status_code=202)
async def send(asked: BatchAsked, author: Author, services: Given) -> BatchShown:
    """Sends documents of mine together: all of them, or none and the reason names those that keep the others here. Once
    this answers, the gateway will deliver each or say why it could not.

    If the leak guard has findings, the answer is 409 with `kind` "open-findings", how many there are in all, the
    `documents` that have some, and the `digest` that a confirmation names: the SHA-256 over the digests of all of them.
    """
    queued = await send_all(asked.document_ids, asked, author, services)
    return BatchShown(transfers=[TransferShown.of(row) for row in queued])
