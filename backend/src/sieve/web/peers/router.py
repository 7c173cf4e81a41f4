"""Peer gateways. Admins pair; everyone may list peers and get their receipt keys."""

import time
from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Query

from sieve.channel.attempt import Mode, Plan
from sieve.core.sentence import Sentence, sentence_of
from sieve.gateway.errors import Conflict, NotFound, PairingError
from sieve.gateway.outbound.fitted_plan import fit
from sieve.gateway.outbound.planner.choice import Wish
from sieve.gateway.outbound.planner.costs import Work
from sieve.gateway.peering import invitation as invitations
from sieve.gateway.peering.peers import Peer
from sieve.web.access import Admin, Author, Person
from sieve.web.api_router import api_router
from sieve.web.errors import MalformedRequest
from sieve.web.peers.schemas import (
    CodeGiven,
    CodeShown,
    DirectoryShown,
    InvitationGiven,
    InvitationShown,
    PeerContactShown,
    PeerContactsShown,
    PeerShown,
    PeerTested,
    PlanAsked,
    PlanEstimate,
    ReceiptKeyShown,
    RenewalGiven,
)
from sieve.web.services import Given
from sieve.web.session.recent_confirmation import ConfirmedAdmin

router = api_router("/peers", tag="peers")
contacts = api_router("/peer-contacts", tag="peers")


def _found(peer: Peer | None) -> Peer:
    if peer is None:
        raise NotFound(Sentence("no-such-peer", "there is no peer of that name"))
    return peer


def _named(name: str, person: Person, services: Given) -> Peer:
    return _found(services.peers.paired(name))


def _destination(name: str, person: Person, services: Given) -> Peer:
    return _found(services.peers.by_name(name))


Named = Annotated[Peer, Depends(_named)]
"""The peer in the path."""
Destination = Annotated[Peer, Depends(_destination)]
"""The gateway in the path, a peer or this one."""


@router.get("")
async def listed(person: Person, services: Given) -> list[PeerShown]:
    """All peers, by name."""
    return [PeerShown.of(peer) for peer in services.peers.all()]


@contacts.get("", name="contacts")
async def in_contact(admin: Admin, services: Given) -> PeerContactsShown:
    """When each peer was last in contact, how fast it answers, and until when certificates are valid."""
    peers = [PeerContactShown.of(peer, services.contacts.of(peer.id)) for peer in services.peers.all()]
    return PeerContactsShown(own_certificate_until=services.identity.expires_at, peers=peers)


@router.get("/invitation")
async def ours(admin: Admin, services: Given) -> InvitationShown:
    """This gateway's invitation, for the other admin."""
    return InvitationShown(invitation=services.peers.ours.to_text())


@router.post("", status_code=201)
async def invite_in(given: InvitationGiven, admin: Admin, services: Given) -> CodeShown:
    """Accepts another gateway's invitation. It becomes a peer when the code of its admin is confirmed."""
    invitation = _parse(given.invitation)
    return CodeShown(name=invitation.name, code=await services.peers.invite_in(invitation, by=admin.name))


@router.get("/{name}")
async def one(peer: Destination) -> PeerShown:
    """One peer, or this gateway."""
    return PeerShown.of(peer)


@router.get("/{name}/code")
async def code(admin: Admin, peer: Named, services: Given) -> CodeShown:
    """This gateway's code, for the peer's admin."""
    return CodeShown(name=peer.name, code=await services.peers.code(peer.name))


@router.post("/{name}/confirm")
async def confirm(given: CodeGiven, admin: ConfirmedAdmin, peer: Named, services: Given) -> PeerShown:
    """Activates a peer, with the code that the other admin reads out."""
    await services.peers.confirm(peer.name, given.code, by=admin.name)
    return PeerShown.of(_again(services, peer.name))


@router.post("/{name}/renewal-code")
async def renewal_code(given: InvitationGiven, admin: Admin, peer: Named, services: Given) -> CodeShown:
    """This gateway's code for a peer's new invitation. Changes nothing."""
    return CodeShown(name=peer.name, code=await services.peers.renewal_code(peer.name, _parse(given.invitation)))


@router.post("/{name}/renew")
async def renew(given: RenewalGiven, admin: ConfirmedAdmin, peer: Named, services: Given) -> PeerShown:
    """Adds a peer's new key and addresses, with the code that its admin reads out; the old key counts until retired."""
    await services.peers.renew(peer.name, _parse(given.invitation), given.code, by=admin.name)
    return PeerShown.of(_again(services, peer.name))


@router.delete("/{name}/pins/{pin}")
async def retire_pin(pin: str, admin: Admin, peer: Named, services: Given) -> PeerShown:
    """Retires one of a peer's two keys."""
    await services.peers.retire_pin(peer.name, pin, by=admin.name)
    return PeerShown.of(_again(services, peer.name))


@router.delete("/{name}", status_code=204)
async def remove(admin: Admin, peer: Named, services: Given) -> None:
    """Removes the peer at once; deliveries stay."""
    await services.peers.remove(peer.name, by=admin.name)


@router.post("/{name}/test")
async def test(admin: Admin, peer: Named, services: Given) -> PeerTested:
    """Requests the peer's hello on the secure channel."""
    began = time.perf_counter()
    said = await services.links.to(peer).ask("GET", "/v1/hello")
    latency_ms = round((time.perf_counter() - began) * 1000, 3)
    # Another gateway made this: a value that does not fit the schema must not cause an error here.
    versions, largest = said.get("versions"), said.get("max_document_bytes")
    return PeerTested(
        name=peer.name,
        latency_ms=latency_ms,
        versions=[version for version in versions if type(version) is int] if isinstance(versions, list) else [],
        max_document_bytes=largest if type(largest) is int else 0,
    )


@router.get("/{name}/recipients")
async def recipients(author: Author, peer: Destination, services: Given) -> DirectoryShown:
    """The recipients at a gateway, as it lists them; if it does not answer soon, as it listed them last."""
    if not peer.active:
        raise Conflict(
            Sentence(
                "pairing-not-confirmed",
                "the pairing with {peer} is not confirmed yet; ask an admin to confirm it",
                peer=peer.name,
            )
        )
    return DirectoryShown.of(await services.directories.of(peer))


@router.get("/{name}/recipients/known")
async def known_recipients(author: Author, peer: Destination, services: Given) -> DirectoryShown | None:
    """The recipients as the gateway listed them last, at once and without asking it; null if it never did."""
    known = await services.directories.known(peer)
    return None if known is None else DirectoryShown.of(known)


@router.get("/{name}/plan")
async def plan(
    author: Author, peer: Destination, services: Given, asked: Annotated[PlanAsked, Query()]
) -> PlanEstimate:
    """How a document of this size, or several together, would be sent to this peer now, how long that would take, and
    why. Sends nothing.
    """
    if not peer.active:
        raise Conflict(
            Sentence(
                "pairing-not-confirmed",
                "the pairing with {peer} is not confirmed yet; ask an admin to confirm it",
                peer=peer.name,
            )
        )
    wish = Wish("secure-only") if peer.is_own else Wish(asked.mode, asked.secure_channels, asked.plain_channels)
    # Without a hello: every peer takes one channel of each kind.
    if not peer.is_own and (hello := await services.directories.hello(peer)) is not None:
        mode: Mode = "sieve" if asked.mode == "auto" else asked.mode
        fit(Plan(mode, asked.secure_channels or 1, asked.plain_channels or 1), hello, asked.documents)
        wish = replace(wish, most_secure=hello.max_secure_channels, most_plain=hello.max_plain_channels)
    work = Work(asked.classified, asked.bytes - asked.classified, asked.documents)
    link = services.links.to(peer)
    preview = await services.planning.preview(
        services.database, peer.id, work, wish, time.monotonic_ns(), warm=link.is_warm, down=link.is_down
    )
    return PlanEstimate.of(preview, wish)


@router.get("/{name}/receipt-key")
async def receipt_key(peer: Destination) -> ReceiptKeyShown:
    """The key that verifies the receipts of this peer, or of this gateway."""
    return ReceiptKeyShown(name=peer.name, receipt_key=peer.receipt_key.hex())


def _parse(text: str) -> invitations.Invitation:
    try:
        return invitations.parse(text)
    except PairingError as error:
        raise MalformedRequest(sentence_of(error)) from error


def _again(services: Given, name: str) -> Peer:
    peer = services.peers.by_name(name)
    if peer is None:
        raise NotFound(f"the peer {name} was removed in the meantime")
    return peer
