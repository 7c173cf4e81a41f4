"""Peers as the API shows them. What is shown to everybody here is what any peer's admin would tell them."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from sieve.gateway.invitation import MAX_TEXT
from sieve.gateway.peers import Peer


class PeerShown(BaseModel):
    """`pins` and `receipt_key` in hexadecimal. `state`: unconfirmed until an admin has compared the code, or active."""

    name: str
    state: str
    secure_url: str
    plain_url: str
    pins: list[str]
    receipt_key: str

    @classmethod
    def of(cls, peer: Peer) -> "PeerShown":
        return cls(
            name=peer.name,
            state="active" if peer.active else "unconfirmed",
            secure_url=peer.secure_url,
            plain_url=peer.plain_url,
            pins=sorted(peer.pins),
            receipt_key=peer.receipt_key.hex(),
        )


class InvitationGiven(BaseModel):
    """The text that the other gateway's admin gave."""

    model_config = ConfigDict(extra="forbid")

    invitation: Annotated[str, Field(max_length=MAX_TEXT)]


class InvitationShown(BaseModel):
    """The text to give to the other gateway's admin; nothing in it is secret."""

    invitation: str


class CodeShown(BaseModel):
    """The code that both admins compare, by voice: it is the same on both sides, or somebody stands between."""

    name: str
    code: str


class RenewalGiven(InvitationGiven):
    """A peer's new invitation, and the code that its admin sees for it."""

    code: Annotated[str, Field(max_length=100)]


class CodeGiven(BaseModel):
    """The code that the other admin sees."""

    model_config = ConfigDict(extra="forbid")

    code: Annotated[str, Field(max_length=100)]


class PeerTested(BaseModel):
    """The peer answered on the secure channel. `latency_ms`: from question to answer, handshake included if need be."""

    name: str
    latency_ms: float
    versions: list[int]
    max_document_bytes: int


class RecipientShown(BaseModel):
    """Somebody who can receive at the peer."""

    name: str
    display_name: str
    cleared: bool


class ReceiptKeyShown(BaseModel):
    """The Ed25519 key that checks this peer's receipts, in hexadecimal."""

    name: str
    receipt_key: str
