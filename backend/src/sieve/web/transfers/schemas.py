"""A transfer as its author and admins see it, and what an author asks for."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from sieve.channel.attempt import Mode
from sieve.channel.manifest import MAX_RECIPIENT_BYTES, MAX_RECIPIENTS
from sieve.gateway.progress import Progress
from sieve.gateway.timing import Timings
from sieve.store.models import Attempt, Transfer
from sieve.web.times import shown, shown_if

MAX_DEADLINE_S = 366 * 24 * 3600.0

Login = Annotated[str, Field(min_length=1, max_length=MAX_RECIPIENT_BYTES)]


class TransferAsked(BaseModel):
    """What to send, where, to whom (logins there), and how. `deadline_s`: the gateway's setting if null."""

    model_config = ConfigDict(extra="forbid")

    document_id: Annotated[str, Field(max_length=64)]
    peer: Annotated[str, Field(max_length=63)]
    recipients: Annotated[list[Login], Field(min_length=1, max_length=MAX_RECIPIENTS)]
    mode: Mode = "sieve"
    deadline_s: Annotated[float, Field(gt=0, le=MAX_DEADLINE_S, allow_inf_nan=False)] | None = None


class TransferShown(BaseModel):
    """`reason`: the last sentence about it, for people. `receipt`: whether there is one.

    `draft_id` and `revision`: the draft whose save was sent, and which save; null if there is none, or none any more.
    `timings`: in milliseconds, once it is delivered.
    """

    id: str
    document_id: str
    draft_id: str | None
    revision: int | None
    name: str
    author: str
    peer: str
    recipients: list[str]
    mode: str
    state: str
    reason: str | None
    next_try_at: datetime | None
    attempt: int
    document_bytes: int
    classified_bytes: int
    plain_bytes: int
    created_at: datetime
    deadline_at: datetime
    verified_at: datetime | None
    delivered_at: datetime | None
    receipt: bool
    identical: bool
    timings: dict[str, float] | None

    @classmethod
    def of(cls, row: Transfer, timings: Timings | None = None) -> "TransferShown":
        document = row.document
        of_draft = document.draft_id is not None and document.deleted_at_ns is None
        return cls(
            id=row.id,
            document_id=row.document_id,
            draft_id=document.draft_id if of_draft else None,
            revision=document.revision if of_draft else None,
            name=document.name,
            author=row.author.name,
            peer=row.peer.name,
            recipients=list(row.recipient_names),
            mode=row.mode,
            state=row.state,
            reason=row.reason,
            next_try_at=shown_if(row.next_try_at_ns) if row.state == "queued" else None,
            attempt=row.attempt,
            document_bytes=document.size,
            classified_bytes=document.classified_size,
            plain_bytes=document.size - document.classified_size,
            created_at=shown(row.created_at_ns),
            deadline_at=shown(row.deadline_at_ns),
            verified_at=shown_if(row.verified_at_ns),
            delivered_at=shown_if(row.delivered_at_ns),
            receipt=row.receipt is not None,
            # A transfer becomes delivered only when a receipt's signature and every digest fit what was sent.
            identical=row.state == "delivered" and row.receipt is not None,
            timings=timings.to_json() if timings else None,
        )


class AttemptShown(BaseModel):
    """One try. `outcome` is null while it is under way."""

    number: int
    plan: dict[str, str | int] | None
    started_at: datetime
    ended_at: datetime | None
    outcome: str | None
    reason: str | None

    @classmethod
    def of(cls, row: Attempt) -> "AttemptShown":
        return cls(
            number=row.number,
            plan=json.loads(row.plan) if row.plan else None,
            started_at=shown(row.started_at_ns),
            ended_at=shown_if(row.ended_at_ns),
            outcome=row.outcome,
            reason=row.reason,
        )


class TransferWhole(TransferShown):
    """With its tries."""

    attempts: list[AttemptShown]

    @classmethod
    def whole(cls, row: Transfer, attempts: Sequence[Attempt], timings: Timings | None) -> "TransferWhole":
        return cls(
            **TransferShown.of(row, timings).model_dump(),
            attempts=[AttemptShown.of(attempt) for attempt in attempts],
        )


class ProgressShown(BaseModel):
    """How far a transfer is; sent and total in bytes of each channel, 0 while no attempt is under way."""

    transfer_id: str
    state: str
    secure_sent: int = 0
    secure_total: int = 0
    plain_sent: int = 0
    plain_total: int = 0
    verified: bool = False
    reason: str | None = None
    next_try_at: datetime | None = None

    @classmethod
    def of(cls, progress: Progress) -> "ProgressShown":
        return cls(
            transfer_id=progress.transfer_id,
            state=progress.state,
            secure_sent=progress.secure_sent,
            secure_total=progress.secure_total,
            plain_sent=progress.plain_sent,
            plain_total=progress.plain_total,
            verified=progress.verified,
            reason=progress.reason,
            next_try_at=shown_if(progress.next_try_at_ns),
        )
