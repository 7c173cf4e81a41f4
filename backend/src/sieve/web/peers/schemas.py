"""Peers as the API shows them. Everything that everyone may see is public among peers."""

from datetime import datetime
from typing import Annotated, Self

from pydantic import BaseModel, Field, model_validator

from sieve.channel.attempt import MAX_CHANNELS
from sieve.channel.load import MAX_DOCUMENTS
from sieve.gateway.outbound.planner.choice import Estimate, RequestedMode, Wish
from sieve.gateway.outbound.planning import Preview
from sieve.gateway.peering.contacts import Contact
from sieve.gateway.peering.directories import Directory
from sieve.gateway.peering.invitation import MAX_TEXT
from sieve.gateway.peering.peers import Peer
from sieve.web.schemas import RequestBody, Shown
from sieve.web.times import shown_if


class PeerShown(Shown):
    """`pins` and `receipt_key` in hexadecimal. `state`: unconfirmed until an admin has compared the code, or active."""

    name: str
    state: str
    secure_url: str
    plain_url: str
    pins: list[str]
    receipt_key: str

    @classmethod
    def of(cls, peer: Peer) -> "PeerShown":
        return cls.from_attributes(
            peer,
            state="active" if peer.active else "unconfirmed",
            pins=sorted(peer.pins),
            receipt_key=peer.receipt_key.hex(),
        )


class PeerContactShown(BaseModel):
    """When a peer was last in contact, as its connections showed. `reached_at`: it answered a request of this gateway;
    `heard_at`: it made a request; `last_seen_at`: the later one. `latency_ms`: the median of its recent short answers.
    `certificate_until`: when the certificate that it showed last expires. `protocol`: the version that both gateways
    speak. What is not known yet is null.
    """

    name: str
    last_seen_at: datetime | None
    reached_at: datetime | None
    heard_at: datetime | None
    latency_ms: float | None
    certificate_until: datetime | None
    protocol: int | None

    @classmethod
    def of(cls, peer: Peer, contact: Contact) -> "PeerContactShown":
        return cls(
            name=peer.name,
            last_seen_at=shown_if(contact.seen_at_ns),
            reached_at=shown_if(contact.reached_at_ns),
            heard_at=shown_if(contact.heard_at_ns),
            latency_ms=None if contact.latency_us is None else contact.latency_us / 1000,
            certificate_until=shown_if(contact.certificate_until_ns),
            protocol=contact.protocol,
        )


class PeerContactsShown(BaseModel):
    """All peers by name, and until when this gateway's own certificate is valid."""

    own_certificate_until: datetime
    peers: list[PeerContactShown]


class InvitationGiven(RequestBody):
    """The invitation from the other gateway's admin."""

    invitation: Annotated[str, Field(max_length=MAX_TEXT)]


class InvitationShown(BaseModel):
    """The invitation for the other gateway's admin; it contains no secret."""

    invitation: str


class CodeShown(BaseModel):
    """This gateway's code, which its admin reads out to the peer's admin. The peer expects exactly this code, unless
    an invitation was changed on its way.
    """

    name: str
    code: str


class RenewalGiven(InvitationGiven):
    """A peer's new invitation, and the code that its admin reads out."""

    code: Annotated[str, Field(max_length=100)]


class CodeGiven(RequestBody):
    """The code that the other admin reads out."""

    code: Annotated[str, Field(max_length=100)]


class PeerTested(BaseModel):
    """The peer answered on the secure channel. `latency_ms`: from request to response, with a handshake if needed."""

    name: str
    latency_ms: float
    versions: list[int]
    max_document_bytes: int


class RecipientShown(Shown):
    """A person who can receive. `name`: their login. `unit`: their department, if it is known."""

    name: str
    display_name: str
    unit: str | None
    cleared: bool


class DirectoryShown(BaseModel):
    """Who can receive at the peer. `takes_notes`: whether it takes notes and requests for read receipts. `as_of`: when
    the peer said so, if it does not answer now; else null."""

    recipients: list[RecipientShown]
    takes_notes: bool
    as_of: datetime | None

    @classmethod
    def of(cls, directory: Directory) -> "DirectoryShown":
        found = [RecipientShown.from_attributes(one) for one in directory.recipients]
        return cls(recipients=found, takes_notes=directory.covers, as_of=shown_if(directory.as_of_ns))


class ReceiptKeyShown(BaseModel):
    """The Ed25519 key that verifies this peer's receipts, in hexadecimal."""

    name: str
    receipt_key: str


class PlanAsked(RequestBody):
    """What to plan: a document of `bytes` bytes, of which `classified` are classified; or `documents` documents that
    have them in all. What is null is the planner's choice."""

    bytes: Annotated[int, Field(ge=0, le=2**62)]
    classified: Annotated[int, Field(ge=0, le=2**62)]
    documents: Annotated[int, Field(ge=1, le=MAX_DOCUMENTS)] = 1
    mode: RequestedMode = "auto"
    secure_channels: Annotated[int, Field(ge=1, le=MAX_CHANNELS)] | None = None
    plain_channels: Annotated[int, Field(ge=1, le=MAX_CHANNELS)] | None = None

    @model_validator(mode="after")
    def _part_of_it(self) -> Self:
        if self.classified > self.bytes:
            raise ValueError("the classified part cannot be larger than the document")
        return self


class PlanEstimate(BaseModel):
    """What the planner would do now, and how long that should take, without the sieve's own time. `setup_ms`: the time
    to open the channels, if none is open. `most_secure`, `most_plain`: the channels that the peer accepts; 1 while it
    does not answer.
    """

    mode: str
    secure_channels: int
    plain_channels: int
    split: str
    estimate: Estimate
    setup_ms: float
    most_secure: int
    most_plain: int

    @classmethod
    def of(cls, preview: Preview, wish: Wish) -> "PlanEstimate":
        chosen, way = preview.choice, preview.choice.way
        return cls(
            mode=way.mode,
            secure_channels=way.secure_channels,
            plain_channels=way.plain_channels if way.mode == "sieve" else 0,
            split="range",
            estimate=chosen.estimate.rounded(),
            setup_ms=round(preview.setup_ms, 3),
            most_secure=wish.most_secure,
            most_plain=wish.most_plain,
        )
