"""A transfer as its author and admins see it."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Self, TypeAlias

from pydantic import BaseModel, Field

from sieve.gateway.outbound.planner.choice import Estimate
from sieve.gateway.telemetry.progress import ChannelKind, Progress
from sieve.gateway.telemetry.timing import Timings
from sieve.gateway.telemetry.timing_causes import TimingCause
from sieve.store.models import Attempt, Transfer
from sieve.web.schemas import SaidShown, Shown, shown_said, sizes
from sieve.web.times import shown_if
from sieve.web.transfers.waiting import Turn, waiting

Names: TypeAlias = Mapping[str, Mapping[str, str]]
"""The display names of recipients by their logins, by the peer's id; see `PeerDirectories.names`."""


class PlanShown(BaseModel):
    """How a transfer is sent: as requested, then as in its latest attempt. `note`: why it is not as requested;
    `note_said`: that sentence with its code.

    `plain_channels`: 0 in a mode that uses none. `batch`: how many documents go together, if several do. `estimate`: of
    the response, as `timings` measures it, and of how long the author waits (`expected_ms`). `cipher`: the secure
    channel's suite, by its IANA name; null until the first attempt starts. `key_exchange`: the group in which it agreed
    on its keys, by its IANA name; null before that, too, and if the gateway could not read it. `seal`: what protects
    the plain channel from changes; null if nothing went over it.
    """

    mode: str
    secure_channels: int
    plain_channels: int
    split: str
    batch: int | None
    note: str | None
    note_said: SaidShown | None
    estimate: Estimate | None
    cipher: str | None
    key_exchange: str | None
    seal: str | None

    @classmethod
    def of(cls, row: Transfer) -> "PlanShown":
        said = json.loads(row.plan) if row.plan is not None else {}
        asked = {
            "mode": row.mode,
            # 0 is what the planner has still to say.
            "secure_channels": row.secure_channels or 1,
            "plain_channels": 0 if row.mode == "secure-only" else row.plain_channels or 1,
            "split": row.split,
            "batch": row.batch_size,
            **dict.fromkeys(("note", "note_said", "estimate", "cipher", "key_exchange", "seal")),
        }
        return cls(**{name: said.get(name, value) for name, value in asked.items()})


class TransferShown(Shown):
    """`reason`: the last sentence about it, for people; `said`: the same with its code, if it has one. `receipt`:
    whether there is one. `unreachable_since`: it waits because its peer cannot be reached since then, perhaps already
    when it was sent; it goes as soon as the peer is back, also before `next_try_at`.

    `draft_id` and `revision`: the draft whose save was sent, and which save; null if there is none, or none any more.
    `recipient_names`: their display names as far as they are known, else the logins.
    `document_deleted_at`: when what was sent was deleted; it cannot be shown since then.
    `redacted_bytes`: of the redacted edition that is sent with a file; `redacted_note`: why none is. Both are null for
    a text. `timings`: in milliseconds, once it is delivered; null again once they are not kept any more.
    """

    id: str
    document_id: str
    draft_id: str | None
    revision: int | None
    name: str
    author: str
    author_name: str
    peer: str
    recipients: list[str]
    recipient_names: list[str]
    mode: str
    plan: PlanShown
    state: str
    reason: str | None
    said: SaidShown | None
    next_try_at: datetime | None
    unreachable_since: datetime | None
    attempt: int
    document_bytes: int
    classified_bytes: int
    plain_bytes: int
    redacted_bytes: int | None
    redacted_note: str | None
    document_deleted_at: datetime | None
    created_at: datetime
    deadline_at: datetime
    verified_at: datetime | None
    delivered_at: datetime | None
    receipt: bool
    identical: bool
    timings: dict[str, float] | None

    @classmethod
    def of(cls, row: Transfer, names: Names, timings: Timings | None = None, **more: Any) -> Self:
        document, waits = row.document, waiting(row)
        of_draft = document.draft_id is not None and document.deleted_at_ns is None
        return cls.from_attributes(
            row,
            draft_id=document.draft_id if of_draft else None,
            revision=document.revision if of_draft else None,
            document_deleted_at=shown_if(document.deleted_at_ns),
            name=document.name,
            author=row.author.name,
            author_name=row.author.display_name,
            peer=row.peer.name,
            recipients=list(row.recipient_names),
            recipient_names=[
                each.display_name or names.get(row.peer_id, {}).get(each.name, each.name) for each in row.recipients
            ],
            plan=PlanShown.of(row),
            reason=waits.reason,
            said=shown_said(waits.reason),
            next_try_at=shown_if(waits.next_try_at_ns),
            unreachable_since=shown_if(waits.since_ns),
            redacted_bytes=row.redacted_size,
            receipt=row.receipt is not None,
            # A transfer becomes delivered only when a receipt's signature and every digest fit what was sent.
            identical=row.state == "delivered" and row.receipt is not None,
            timings=timings.to_json() if timings else None,
            **sizes(document),
            **more,
        )


class AttemptShown(Shown):
    """One attempt. `outcome` is null while it is in progress."""

    number: int
    plan: dict[str, str | int | float | Estimate | None] | None
    started_at: datetime
    ended_at: datetime | None
    outcome: str | None
    reason: str | None
    said: SaidShown | None

    @classmethod
    def of(cls, row: Attempt) -> "AttemptShown":
        return cls.from_attributes(row, plan=_plan_of(row), said=shown_said(row.reason))


def _plan_of(row: Attempt) -> dict[str, Any] | None:
    said: dict[str, Any] = json.loads(row.plan) if row.plan else {}
    said.pop("note_said", None)
    return said or None


class LeftShown(BaseModel):
    """How many bytes left the gateway on the channels of each kind, in all attempts: not more than these."""

    secure: int
    plain: int

    @classmethod
    def of(cls, row: Transfer, attempts: Sequence[Attempt]) -> "LeftShown | None":
        if row.state not in ("failed", "cancelled"):
            return None
        secure = plain = 0
        for attempt in attempts:
            if attempt.secure_left is None or attempt.plain_left is None:
                return None
            secure, plain = secure + attempt.secure_left, plain + attempt.plain_left
        size, classified = row.document.size, row.document.classified_size
        return cls(
            secure=min(secure, size + (row.redacted_size or 0) + (row.marks_size or 0)),
            plain=min(plain, size - classified),
        )


class ReplyShown(BaseModel):
    """A document that another one answers: its name, and the id of its inbox entry or transfer of mine. The id is null
    if it is not there any more."""

    name: str
    id: str | None


class OpenedShown(BaseModel):
    """When a recipient (`name`: display name if known) first opened the document; null if their gateway has not
    reported that."""

    name: str
    at: datetime | None


class AnswerShown(Shown):
    """A document in my inbox that answers a transfer of mine. `id`: of the inbox entry."""

    id: str
    name: str
    sender: str
    received_at: datetime


class TransferWhole(TransferShown):
    """With its attempts. `left`: how much of the document left the gateway, if the transfer failed or was cancelled;
    null if that is not known, because an attempt was interrupted or is older than this figure. `unknown_recipients`:
    whether it failed because the peer does not know a recipient.

    `ahead`: how many documents to the same peer go first, if it waits for its turn; else null. `collecting`: whether it
    waits for others to be sent with it.

    `note`: the author's text for the recipients; only its author sees it, as long as the document is not deleted.
    `in_reply_to`: the document in my inbox that this one answers. `replies`: the documents in my inbox that answer this
    one, the first 100. `opened`: each recipient, if the author asked for
    read receipts; else null.
    """

    attempts: list[AttemptShown]
    left: LeftShown | None
    unknown_recipients: bool
    ahead: int | None
    collecting: bool
    note: str | None
    in_reply_to: ReplyShown | None
    replies: list[AnswerShown]
    opened: list[OpenedShown] | None

    @classmethod
    def whole(
        cls,
        row: Transfer,
        names: Names,
        attempts: Sequence[Attempt],
        timings: Timings | None,
        cause: str | None,
        note: str | None,
        in_reply_to: ReplyShown | None,
        replies: Sequence[AnswerShown],
        turn: Turn | None,
    ) -> Self:
        shown = cls.of(
            row,
            names,
            timings,
            attempts=[AttemptShown.of(attempt) for attempt in attempts],
            left=LeftShown.of(row, attempts),
            unknown_recipients=row.state == "failed" and cause == TimingCause.UNKNOWN_RECIPIENT,
            ahead=turn and turn.ahead,
            collecting=turn is not None and turn.collecting,
            note=note,
            in_reply_to=in_reply_to,
            replies=list(replies),
            opened=None,
        )
        if row.read_receipts:
            each_opened = zip(shown.recipient_names, row.recipients, strict=True)
            shown.opened = [OpenedShown(name=name, at=shown_if(each.opened_at_ns)) for name, each in each_opened]
        return shown


class ChannelShown(Shown):
    """How far the part of one channel is, in bytes, whichever way they went."""

    kind: ChannelKind
    number: int
    sent: int
    total: int


class ProgressShown(Shown):
    """How far a transfer is; sent and total in bytes of the channels of each kind, 0 while no attempt is under way.

    `channels`: each by itself; none while no attempt is under way.
    """

    transfer_id: str
    state: str
    secure_sent: int = 0
    secure_total: int = 0
    plain_sent: int = 0
    plain_total: int = 0
    verified: bool = False
    reason: str | None = None
    said: SaidShown | None = None
    next_try_at: datetime | None = None
    channels: list[ChannelShown] = Field(default=[])

    @classmethod
    def of(cls, progress: Progress) -> "ProgressShown":
        channels = [ChannelShown.from_attributes(channel) for channel in progress.channels]
        return cls.from_attributes(progress, channels=channels, said=shown_said(progress.reason))


class BatchShown(BaseModel):
    """The transfers of a batch, in the order of its documents in the request."""

    transfers: list[TransferShown]


class TransfersCounted(BaseModel):
    """How many transfers a list has, and the bytes of their documents together. `more`: it has more than 10,000, or
    a search looked at the first 20,000 transfers only. Then it has at least these, and `bytes` is null.
    """

    transfers: int
    bytes: int | None
    more: bool
