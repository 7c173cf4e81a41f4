"""What an author asks for: to send documents, and to change transfers."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from sieve.channel.attempt import MAX_CHANNELS, AnySplit, Mode, Plan
from sieve.channel.cover import MAX_NOTE
from sieve.channel.load import MAX_DOCUMENTS
from sieve.channel.manifest import MAX_RECIPIENT_BYTES, MAX_RECIPIENTS
from sieve.channel.safe_names import clean_text
from sieve.core.split import Split
from sieve.core.split.batches import BatchSplit
from sieve.gateway.auditing.audit_log import MAX_REASON
from sieve.gateway.outbound.covers import CoverRequest
from sieve.gateway.outbound.planner.choice import RequestedMode, Wish
from sieve.web.bulk import BulkChange
from sieve.web.schemas import RequestBody

MAX_DEADLINE_S = 366 * 24 * 3600.0
MAX_PEERS = 16
"""The most gateways of one send."""

Channels = Annotated[int, Field(strict=True, ge=1, le=MAX_CHANNELS)]
DocumentId = Annotated[str, Field(max_length=64)]
Login = Annotated[str, Field(min_length=1, max_length=MAX_RECIPIENT_BYTES)]
PeerName = Annotated[str, Field(max_length=63)]


class Confirm(RequestBody):
    """Allows sending although the leak check has findings: those with that digest, for that reason.

    The audit log keeps both; admins can read the reason.
    """

    findings_digest: Annotated[str, Field(max_length=64)]
    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_REASON)]


class RecipientsAt(RequestBody):
    """A peer and the recipients there, by their logins.

    `estimated_mode`: the mode that the estimate showed to the author. If that was `secure-only`, nothing goes over the
    plain channel in `mode` auto. If it is null, the gateway makes the estimate now.
    """

    peer: PeerName
    recipients: Annotated[list[Login], Field(min_length=1, max_length=MAX_RECIPIENTS)]
    estimated_mode: Mode | None = None


class HowToSend(RequestBody):
    """How to send. `deadline_s`: seconds after which the gateway gives up; its setting if null.

    `note`: text for all recipients, whether they are cleared or not. It travels over the secure channel only.
    `in_reply_to`: the id of an inbox entry of mine that the documents answer. `read_receipts`: asks the recipients'
    gateways to report when recipients open the documents. Older gateways take neither notes nor these requests: then
    the response is 409, or the transfer fails if its gateway does not answer now.

    `mode` auto: the planner chooses the faster mode, says why, and chooses each number of channels that is null. In the
    other modes, null means one channel.
    """

    mode: RequestedMode = "auto"
    deadline_s: Annotated[float, Field(gt=0, le=MAX_DEADLINE_S, allow_inf_nan=False)] | None = None
    confirm: Confirm | None = None
    secure_channels: Channels | None = None
    plain_channels: Channels | None = None
    split: AnySplit = "range"
    note: Annotated[str, Field(max_length=MAX_NOTE), AfterValidator(clean_text)] | None = None
    in_reply_to: Annotated[str, Field(max_length=64)] | None = None
    read_receipts: bool | None = None

    @model_validator(mode="after")
    def _is_a_plan(self) -> Self:
        if self.split != "range" and self.mode == "auto":
            raise ValueError(f"the planner splits by range; name the mode for split {self.split}")
        _ = self.plan
        return self

    @property
    def plan(self) -> Plan:
        """The requested plan; the planner may change what `wish` leaves to it."""
        mode: Mode = "sieve" if self.mode == "auto" else self.mode
        return Plan(mode, self.secure_channels or 1, self.plain_channels or 1, self.split)

    @property
    def cover(self) -> CoverRequest:
        """What the author adds for the recipients."""
        return CoverRequest(self.note or "", self.in_reply_to, self.read_receipts or False)

    @property
    def wish(self) -> Wish | None:
        """What the planner may choose; None if nothing."""
        return Wish("auto", self.secure_channels, self.plain_channels) if self.mode == "auto" else None


class ToOnePeer(HowToSend, RecipientsAt):
    """Where to send, to whom (logins there), and how."""


class TransferAsked(ToOnePeer):
    """What to send, and how.

    `split`: how a stream is split among its channels. `es` and `ss` are for research: an observer of several plain
    channels learns where classified text was cut out.
    """

    document_id: DocumentId
    split: Split = "range"


class BatchAsked(ToOnePeer):
    """Several documents to send together, each in its own transfer; `confirm` covers the findings of all.

    `split`: how the streams of all are split among their channels. `bfs`, `bes` and `bss` are for research: an observer
    of several plain channels learns how long each document's plain stream is, or where classified text was cut out.
    """

    document_ids: Annotated[list[DocumentId], Field(min_length=2, max_length=MAX_DOCUMENTS)]
    split: BatchSplit = "range"

    @model_validator(mode="after")
    def _names_each_once(self) -> Self:
        if len(set(self.document_ids)) < len(self.document_ids):
            raise ValueError("a document is named twice; name each once")
        return self


class SendToSeveral(HowToSend):
    """One or several documents, and for whom, at one or several gateways; `confirm` covers the findings of all."""

    document_ids: Annotated[list[DocumentId], Field(min_length=1, max_length=MAX_DOCUMENTS)]
    to: Annotated[list[RecipientsAt], Field(min_length=1, max_length=MAX_PEERS)]
    split: Literal["range"] = "range"

    @model_validator(mode="after")
    def _names_each_once(self) -> Self:
        if len(set(self.document_ids)) < len(self.document_ids):
            raise ValueError("a document is named twice; name each once")
        if len({each.peer for each in self.to}) < len(self.to):
            raise ValueError("a gateway is named twice; name each once, with all recipients there")
        return self


class TransfersChange(BulkChange):
    """A change of several transfers of mine."""

    change: Literal["cancel", "retry"]
