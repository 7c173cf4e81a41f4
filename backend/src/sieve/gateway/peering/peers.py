"""The peers of this gateway, and which connections are theirs: pins decide, on every connection and every request.

This gateway is a peer of itself, too (`Peers.own`), so that its people send to each other as to others.

An in-memory copy of the peers' rows, read again after each change. So a removed peer is out at once: the gateway
cuts its open connections, refuses its requests and fails its transfers. Replicas read the rows every `FOLLOW_S`
(`follow`), because a message of another one may be lost. Nothing is delivered without a look at the row (`inbound`).
"""

import asyncio
import logging
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlsplit

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.core.sentence import Sentence
from sieve.gateway.auditing.audit_log import Audit
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import PairingError, WrongPeer
from sieve.gateway.peering.identity import Identity, check_dates, spki_pin
from sieve.gateway.peering.invitation import Codes, Invitation, comparison_codes
from sieve.gateway.peering.tls import trust
from sieve.gateway.telemetry import ends_without_outcome
from sieve.gateway.telemetry.timing_causes import TimingCause
from sieve.gateway.telemetry.timings_ended import TimingsEnded
from sieve.store.database import Database
from sieve.store.models import Transfer
from sieve.store.queries import outbox, peer_contacts, peer_directories
from sieve.store.queries import peers as queries

log = logging.getLogger(__name__)

FOLLOW_S: Final = 5.0
"""Seconds between two readings of the rows, as between two heartbeats."""

PEER_REMOVED = Sentence(
    "peer-removed",
    "the pairing with the peer was removed; once the gateways are paired again, send the document again",
)
"""The reason of a transfer that failed because its peer was removed."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A peer as of now. `pins`: hexadecimal SHA-256 of its public keys; two during a renewal."""

    id: str
    name: str
    secure_url: str
    plain_url: str
    receipt_key: bytes
    pins: frozenset[str]
    active: bool

    @property
    def is_own(self) -> bool:
        """Whether it is this gateway itself. Nothing travels on the plain channel to it."""
        return self.id == queries.OWN_ID


@dataclass(slots=True)
class Peers:
    """All peers. Calls `on_change` after each change, `on_failed` for each transfer that failed because of a removal.
    `tell`: tells the other replicas to read the peers again.

    `by`: the name of the admin who makes a change. The audit log gets it in the same transaction.
    """

    database: Database
    identity: Identity
    ours: Invitation
    contexts: tuple[ssl.SSLContext, ...]
    audit: Audit
    on_change: list[Callable[[], None]] = field(default_factory=list)
    on_failed: list[Callable[[Transfer], None]] = field(default_factory=list)
    timings_ended: TimingsEnded = field(default_factory=TimingsEnded)
    tell: Callable[[], None] = lambda: None
    own_secure_url: str | None = None
    _by_pin: dict[str, Peer] = field(default_factory=dict)
    _by_id: dict[str, Peer] = field(default_factory=dict)
    _trusted: set[bytes] = field(default_factory=set)
    _loading: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def store_own(self, session: AsyncSession, secure_url: str, *, is_alone: bool = True) -> None:
        """Stores this gateway as a peer of itself, which it reaches at `secure_url`; `load` reads it. Each replica
        reaches itself, so the row's secure address counts only for the one that stored it last.

        `is_alone`: False if other replicas run. Then this one gives the same invitation as they do, with the plain
        address of the one that started first: a pairing's codes cover it, and any replica may get the next request.
        """
        self.own_secure_url = secure_url
        common = None if is_alone else await queries.own_plain_url(session)
        if common is not None:
            if urlsplit(common).hostname != urlsplit(self.ours.plain_url).hostname:
                log.warning(
                    "SIEVE_PLAIN_URL has another host than at the replica that started first, %s; peers do not use it, "
                    "and get everything over the secure channel: set the same host, and another port",
                    common,
                )
            self.ours = replace(self.ours, plain_url=common)
        ours = self.ours
        is_free = await queries.put_own(
            session,
            name=ours.name,
            secure_url=secure_url,
            plain_url=ours.plain_url,
            ca_der=ours.ca_der,
            receipt_key=ours.receipt_key,
            pin=ours.pin,
            now_ns=now_ns(),
        )
        if not is_free:
            log.warning(
                "a peer has this gateway's name, %s; rename one of them, so that people here are found", ours.name
            )

    async def load(self) -> None:
        """Reads the peers from the database."""
        # One at a time: an older copy that arrives late would let a removed peer in again.
        async with self._loading:
            await self._load()

    async def follow(self) -> None:
        """Reads the peers every `FOLLOW_S`, and says so if they changed. Runs until it is cancelled."""
        while True:
            await asyncio.sleep(FOLLOW_S)
            try:
                async with self._loading:
                    await self._load(only_changes=True)
            except Exception as error:  # the next round tries again; an error here would end the gateway
                log.debug("the peers could not be read: %s", error)

    async def _changed(self) -> None:
        # First, because reading may fail. Then `follow` reads them.
        self.tell()
        await self.load()

    async def _load(self, *, only_changes: bool = False) -> None:
        async with self.database.read() as session:
            rows = await queries.known(session)
        by_id: dict[str, Peer] = {}
        for row, pins in rows:
            by_id[row.id] = Peer(
                id=row.id,
                name=row.name,
                secure_url=self.own_secure_url or row.secure_url if row.id == queries.OWN_ID else row.secure_url,
                plain_url=row.plain_url,
                receipt_key=row.receipt_key,
                pins=frozenset(pins),
                active=row.state == "active",
            )
            if row.ca_der not in self._trusted:
                # A certificate authority only lets a handshake finish; pins decide which peer it is.
                for context in self.contexts:
                    trust(context, row.ca_der)
                self._trusted.add(row.ca_der)
        if only_changes and by_id == self._by_id:
            return
        self._by_id = by_id
        self._by_pin = {pin: peer for peer in by_id.values() for pin in peer.pins}
        for notify in self.on_change:
            notify()

    def by_id(self, peer_id: str) -> Peer | None:
        """The peer of that id, unless removed."""
        return self._by_id.get(peer_id)

    def by_name(self, name: str) -> Peer | None:
        """The peer of that name, unless removed; it may be this gateway itself."""
        return next((peer for peer in self._by_id.values() if peer.name == name), None)

    @property
    def own(self) -> Peer | None:
        """This gateway itself; None while its row cannot be stored."""
        return self._by_id.get(queries.OWN_ID)

    def paired(self, name: str) -> Peer | None:
        """The gateway of that name that this one is paired with."""
        peer = self.by_name(name)
        return None if peer is None or peer.is_own else peer

    def all(self) -> list[Peer]:
        """Every gateway that this one is paired with, by name."""
        return sorted((peer for peer in self._by_id.values() if not peer.is_own), key=lambda peer: peer.name)

    def who(self, certificate: bytes) -> Peer:
        """The active peer whose certificate this is.

        Raises:
            WrongPeer: no active peer has that key, or the certificate has expired; safe to send to the other end.
        """
        if not certificate:
            raise WrongPeer("no client certificate was shown")
        pin = spki_pin(certificate)
        peer = self._by_pin.get(pin)
        if peer is None:
            raise WrongPeer(f"this gateway knows no peer with the key {pin[:16]}…; pair the gateways first")
        check_dates(certificate, peer.name, datetime.now(UTC))
        if not peer.active:
            raise WrongPeer(
                "the pairing is not confirmed on this side yet; its admin must confirm the code that yours reads out"
            )
        return peer

    def check(self, peer_id: str) -> Callable[[bytes], None]:
        """A check that a certificate is that peer's, for our connections to it."""

        def is_that_peer(certificate: bytes) -> None:
            peer = self._by_id.get(peer_id)
            if peer is None:
                raise WrongPeer("the peer was removed")
            pin = spki_pin(certificate) if certificate else ""
            if pin not in peer.pins:
                raise WrongPeer(
                    f"{peer.name} showed another key ({pin[:16]}…) than the one that was paired; "
                    "if it was renewed, add its new invitation, otherwise somebody may be intercepting the connection"
                )
            check_dates(certificate, peer.name, datetime.now(UTC))

        return is_that_peer

    async def invite_in(self, invitation: Invitation, *, by: str) -> str:
        """Stores the peer of `invitation`, unconfirmed; returns our code, for the other admin.

        Raises:
            PairingError: it is our own, or there is a peer of that name or key already.
        """
        if invitation.pin == self.ours.pin:
            raise PairingError(
                Sentence(
                    "invitation-own",
                    "this invitation is this gateway's own; paste the one that the other admin gave you",
                )
            )
        if invitation.name == self.ours.name:
            raise PairingError(
                Sentence(
                    "invitation-own-name",
                    "the peer has this gateway's own name, {name}; rename one of them",
                    name=invitation.name,
                )
            )
        if invitation.pin in self._by_pin:
            raise PairingError(
                Sentence(
                    "invitation-known-key",
                    "this key belongs to {peer}, who is a peer already",
                    peer=self._by_pin[invitation.pin].name,
                )
            )
        namesake = self.by_name(invitation.name)
        if namesake is not None and not namesake.active:
            raise _unconfirmed(namesake)
        if namesake is not None:
            raise PairingError(
                Sentence(
                    "invitation-known-peer",
                    "there is a peer named {peer} already; to renew its key add the invitation to that peer",
                    peer=invitation.name,
                )
            )
        codes = await asyncio.to_thread(comparison_codes, self.ours, invitation)
        async with self.database.write() as session:
            await queries.add(
                session,
                name=invitation.name,
                secure_url=invitation.secure_url,
                plain_url=invitation.plain_url,
                ca_der=invitation.ca_der,
                receipt_key=invitation.receipt_key,
                pin=invitation.pin,
                now_ns=now_ns(),
            )
            await self.audit.note(session, by, "peer-invited", invitation.name)
        await self._changed()
        return codes.ours

    async def confirm(self, name: str, code: str, *, by: str) -> None:
        """Makes the peer active. `code`: what the other admin read out.

        Raises:
            PairingError: it is not the peer's code, or there is no such peer.
        """
        peer_id, pin, codes = await self._codes(name)
        codes.check(code, name)
        async with self.database.write() as session:
            # Invariant: only a key that a compared code covers ever counts.
            if await queries.confirm(session, peer_id, now_ns()):
                await queries.retire_other_pins(session, peer_id, pin, now_ns())
            await self.audit.note(session, by, "peer-confirmed", name)
        await self._changed()

    async def code(self, name: str) -> str:
        """Our code, for the admin of a known peer.

        Raises:
            PairingError: there is no such peer.
        """
        _, _, codes = await self._codes(name)
        return codes.ours

    async def _codes(self, name: str) -> tuple[str, str, Codes]:
        """The id of a peer; the pin of its invitation, as stored; and the codes of that one and ours of today."""
        async with self.database.read() as session:
            known = next(((row, pins) for row, pins in await queries.known(session) if pins and row.name == name), None)
        if known is None:
            raise PairingError(Sentence("no-peer-named", "there is no peer named {peer}", peer=name))
        row, pins = known
        theirs = Invitation(row.name, row.secure_url, row.plain_url, pins[-1], row.ca_der, row.receipt_key)
        return row.id, theirs.pin, await asyncio.to_thread(comparison_codes, self.ours, theirs)

    async def renewal_code(self, name: str, invitation: Invitation) -> str:
        """Our code for a new invitation of a known peer. Changes nothing.

        Raises:
            PairingError: the invitation is another gateway's, the peer is not confirmed, or two keys overlap already.
        """
        self._check_renewal(name, invitation)
        codes = await asyncio.to_thread(comparison_codes, self.ours, invitation)
        return codes.ours

    async def renew(self, name: str, invitation: Invitation, code: str, *, by: str) -> None:
        """Adds the key and addresses of a new invitation of a known peer; the old key counts until it is retired.
        `code`: what the other admin read out.

        Raises:
            PairingError: the code or the invitation is not the peer's, the peer is not confirmed, or two keys overlap
                already.
        """
        peer = self._check_renewal(name, invitation)
        codes = await asyncio.to_thread(comparison_codes, self.ours, invitation)
        codes.check(code, name)
        async with self.database.write() as session:
            await queries.renew(
                session,
                peer.id,
                secure_url=invitation.secure_url,
                plain_url=invitation.plain_url,
                ca_der=invitation.ca_der,
                receipt_key=invitation.receipt_key,
                pin=invitation.pin,
                now_ns=now_ns(),
            )
            await self.audit.note(session, by, "peer-renewed", name)
        await self._changed()

    def _check_renewal(self, name: str, invitation: Invitation) -> Peer:
        peer = self.paired(name)
        if peer is None or invitation.name != name:
            raise PairingError(
                Sentence(
                    "invitation-other-peer",
                    "the invitation is of {other}, not of {peer}",
                    other=invitation.name,
                    peer=name,
                )
            )
        if not peer.active:
            raise _unconfirmed(peer)
        if invitation.pin in self._by_pin and self._by_pin[invitation.pin].id != peer.id:
            raise PairingError(
                Sentence(
                    "invitation-known-key-of", "this key belongs to {peer}", peer=self._by_pin[invitation.pin].name
                )
            )
        if len(peer.pins | {invitation.pin}) > 2:
            raise PairingError(
                Sentence("two-keys-already", "{peer} has two keys already; retire the old one first", peer=name)
            )
        return peer

    async def retire_pin(self, name: str, pin: str, *, by: str) -> None:
        """Ends one of a peer's two keys.

        Raises:
            PairingError: it is the only one, or not this peer's.
        """
        peer = self.paired(name)
        if peer is None or pin not in peer.pins:
            raise PairingError(f"{name} has no such key")
        if len(peer.pins) == 1:
            raise PairingError(
                Sentence("only-key", "this is the only key of {peer}; remove the peer instead", peer=name)
            )
        async with self.database.write() as session:
            await queries.retire_pin(session, peer.id, pin, now_ns())
            await self.audit.note(session, by, "peer-key-retired", name, {"key": pin})
        await self._changed()

    async def remove(self, name: str, *, by: str) -> None:
        """Ends the peering; delivered documents stay.

        Raises:
            PairingError: there is no such peer.
        """
        peer = self.paired(name)
        if peer is None:
            raise PairingError(Sentence("no-peer-named", "there is no peer named {peer}", peer=name))
        async with self.database.write() as session:
            now = now_ns()
            await queries.remove(session, peer.id, now)
            await peer_directories.forget(session, peer.id)
            await peer_contacts.forget(session, peer.id)
            failed = await outbox.fail_queued_to(session, peer.id, PEER_REMOVED)
            ids = [transfer.id for transfer in failed]
            timings = await ends_without_outcome.add_queued(session, ids, "failed", TimingCause.PEER_REMOVED, now)
            await self.audit.note(session, by, "peer-removed", name)
        self.timings_ended(timings)
        for notify in self.on_failed:
            for transfer in failed:
                notify(transfer)
        await self._changed()

    def id_of(self, certificate: bytes) -> str | None:
        """The peer whose certificate that is; None if it is no peer's."""
        try:
            return self.who(certificate).id
        except WrongPeer:
            return None

    def is_unwanted(self, certificate: bytes) -> bool:
        """Whether a connection of that certificate is to be cut."""
        return self.id_of(certificate) is None


def _unconfirmed(peer: Peer) -> PairingError:
    # Never a second key beside the first: nobody compared the code of that one, so it may be somebody else's.
    return PairingError(
        Sentence(
            "peer-unconfirmed",
            "the pairing with {peer} is not confirmed; remove the peer, then add the new invitation",
            peer=peer.name,
        )
    )
