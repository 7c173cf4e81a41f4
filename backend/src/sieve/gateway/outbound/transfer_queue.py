"""Queues, cancels and requeues transfers for their authors.

One transaction fixes, seals and queues the manifests of all documents, or of none. After that the worker sends them.
"""

import asyncio
import json
import secrets
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm.attributes import set_committed_value

from sieve.channel import canonical
from sieve.channel.attempt import Mode, Plan
from sieve.channel.cover import Cover
from sieve.channel.manifest import MAX_RECIPIENTS, SALT_SIZE, Manifest, RedactedEdition, keyed_classified_digest
from sieve.core.sentence import Sentence
from sieve.core.utc import utc
from sieve.gateway.auditing.audit_log import Audit
from sieve.gateway.clock import NS_PER_S, Clock
from sieve.gateway.documents.covers import seal_sent
from sieve.gateway.documents.redacted_editions import ENOUGH_S, RedactedEditions
from sieve.gateway.errors import (
    Conflict,
    NotFound,
    PeerRefused,
    PeerUnreachable,
    UnfitPlan,
    UnknownRecipient,
    WrongPeer,
    no_such_documents,
)
from sieve.gateway.outbound.addressed_peer import AddressedPeer
from sieve.gateway.outbound.covers import CoverRequest, answered, covers, require_covers
from sieve.gateway.outbound.fitted_plan import fit
from sieve.gateway.outbound.known_recipients import KnownRecipients
from sieve.gateway.outbound.marks_to_send import marks_to_send
from sieve.gateway.outbound.planner.choice import Wish
from sieve.gateway.outbound.planner.costs import Work
from sieve.gateway.outbound.planning import Planning, Preview, accepted
from sieve.gateway.outbound.transfer_timings import timings_of
from sieve.gateway.outbound.worker import OutboxWorker
from sieve.gateway.peering.directories import answers_soon
from sieve.gateway.peering.links import Links
from sieve.gateway.peering.peers import Peers
from sieve.gateway.reading.errors import ReadingBusy
from sieve.gateway.screening.leak_check import ConfirmedFindings
from sieve.gateway.stored_document import StoredDocument
from sieve.gateway.telemetry import ends_without_outcome
from sieve.gateway.telemetry.progress import Progress, ProgressBus
from sieve.gateway.telemetry.timing import Timings
from sieve.gateway.telemetry.timing_causes import TimingCause
from sieve.gateway.telemetry.timing_marks import SECURE
from sieve.gateway.telemetry.timings_ended import TimingsEnded
from sieve.gateway.telemetry.traces import connection_trace
from sieve.store.blobs import BlobDamaged, BlobStore
from sieve.store.database import Database
from sieve.store.models import Document, Transfer, User
from sieve.store.queries import claiming, outbox
from sieve.store.queries import documents as document_queries
from sieve.store.queries import peers as peer_queries
from sieve.store.queries import timing_marks as mark_queries


@dataclass(slots=True)
class TransferQueue:
    """Queues, cancels and requeues transfers for their authors."""

    database: Database
    blobs: BlobStore
    peers: Peers
    links: Links
    worker: OutboxWorker
    bus: ProgressBus
    deadline_s: float
    planning: Planning
    editions: RedactedEditions
    audit: Audit
    random_bytes: Callable[[int], bytes] = secrets.token_bytes
    clock: Clock = field(default_factory=Clock)
    timings_ended: TimingsEnded = field(default_factory=TimingsEnded)
    tell_cancelled: Callable[[str], None] = lambda _: None
    """Tells the other replicas that a transfer is to be cancelled, which one of them may be sending."""
    _known: KnownRecipients = field(default_factory=KnownRecipients)

    async def send(
        self,
        author: User,
        document_ids: Sequence[str],
        to: Mapping[str, Sequence[str]],
        plan: Plan,
        deadline_s: float | None = None,
        confirmed: Sequence[ConfirmedFindings | None] = (),
        wish: Wish | None = None,
        estimated: Mapping[str, Mode | None] | None = None,
        cover: CoverRequest | None = None,
    ) -> Sequence[Transfer]:
        """Queues a transfer of each document to each peer, all or none; durable when it returns. Several documents to
        one peer are one group.

        `to`: for each peer's name, the recipients' logins there. `confirmed`: for each document the findings that the
        author confirmed, which are audited in the same transaction. `wish`: what of `plan` the planner chooses at each
        attempt. `estimated`: for each peer the mode that the estimate showed to the author; if it is missing, the
        planner makes the estimate now. If it is secure-only, the planner uses no plain channel. `cover`: what the
        author adds for the recipients.

        Raises:
            NotFound: no such document of this author, no such peer, or no such entry to reply to.
            Conflict: the pairing with the peer is not confirmed, a document was deleted or saved again meanwhile, or
                the peer does not take what the cover must say.
            UnknownRecipient: no person of that name can receive at the peer, or no recipient is named.
            UnfitPlan: the peer does not accept that many channels or that split, or there are too many spans.
            ReadingBusy: the gateway cannot make the redacted editions now, or not all of them at once.
        """
        accepted_at_ns = self.clock.now_ns()
        destinations = [
            self._destination(name, logins, plan, wish, (estimated or {}).get(name)) for name, logins in to.items()
        ]
        cover = cover or CoverRequest()
        async with self.database.read() as session:
            rows = await self._owned(session, document_ids, author)
            reply = await answered(session, author, cover.reply_to_id)
        await asyncio.gather(*(self._check_with_peer(each, len(rows), cover) for each in destinations))
        their_covers = covers(author, cover, reply, [each.at for each in destinations])
        deadline_at_ns = accepted_at_ns + int((deadline_s or self.deadline_s) * NS_PER_S)
        editions = await self._editions(author, rows)
        new = [await self._manifests(author, rows, editions, each, deadline_at_ns) for each in destinations]
        previews = [await self._preview(*each) for each in zip(destinations, new, strict=True)]
        queued: list[Transfer] = []
        async with self.database.write() as session:
            await self._check_still_there(session, rows, author)
            for destination, manifests, preview in zip(destinations, new, previews, strict=True):
                # The transfers to a peer that was removed meanwhile would wait forever.
                peer_row = await peer_queries.by_id(session, destination.peer.id)
                if peer_row.state != "active":
                    raise NotFound(f"the pairing with {peer_row.name} was removed meanwhile")
                unreachable_since_ns = None
                if destination.unreachable:
                    earlier_ns = await claiming.unreachable_since(session, peer_row.id)
                    unreachable_since_ns = accepted_at_ns if earlier_ns is None else earlier_ns
                plan, wish = destination.plan, destination.wish
                transfers = await outbox.enqueue(
                    session,
                    [
                        self._new(*each, their_covers[peer_row.id])
                        for each in zip(rows, manifests, editions, strict=True)
                    ],
                    author_id=author.id,
                    peer_id=peer_row.id,
                    mode=plan.mode if wish is None else wish.mode,
                    secure_channels=plan.secure_channels if wish is None else wish.secure_channels or 0,
                    plain_channels=plan.plain_channels if wish is None else wish.plain_channels or 0,
                    split=plan.split,
                    off_plain=wish is not None and destination.is_secure_only(preview),
                    plan=json.dumps(accepted(preview, plan.split, len(rows))),
                    recipients={name: destination.display_names.get(name) for name in destination.names},
                    recipients_checked=destination.checked,
                    deadline_at_ns=deadline_at_ns,
                    # Later than those to the peer before, so that lists keep the order.
                    now_ns=accepted_at_ns + len(queued),
                    reply_to_id=cover.reply_to_id,
                    read_receipts=cover.read_receipts,
                    unreachable_since_ns=unreachable_since_ns,
                )
                connected = [(0, mark.name, mark.channel, mark.at_ns) for mark in destination.timing_marks.taken]
                connected.append((0, "accepted", "", accepted_at_ns))
                taken = [
                    (transfer.id, [(0, "sieved", "", row.created_at_ns), *connected])
                    for transfer, row in zip(transfers, rows, strict=True)
                ]
                await mark_queries.add_all(session, "sender", taken)
                for transfer, findings in zip(transfers, confirmed, strict=bool(confirmed)):
                    if findings is not None:
                        details = {"document": transfer.document_id, "peer": peer_row.name, **findings.details}
                        await self.audit.note(
                            session, author.name, "findings-confirmed", transfer.id, details, reason=findings.reason
                        )
                for transfer, row in zip(transfers, rows, strict=True):
                    for name, related in (("document", row), ("author", author), ("peer", peer_row)):
                        set_committed_value(transfer, name, related)
                queued += transfers
        for transfer in queued:
            self.bus.publish(Progress(transfer.id, "queued"), author.id)
        self.worker.wake()
        return queued

    def _destination(
        self, peer_name: str, logins: Sequence[str], plan: Plan, wish: Wish | None, estimated: Mode | None
    ) -> AddressedPeer:
        names = tuple(dict.fromkeys(login.strip().lower() for login in logins))
        if not 1 <= len(names) <= MAX_RECIPIENTS or not all(names):
            raise UnknownRecipient(f"name 1 to {MAX_RECIPIENTS} recipients at {peer_name}")
        peer = self.peers.by_name(peer_name)
        if peer is None:
            raise NotFound(
                Sentence(
                    "peer-not-paired",
                    "there is no peer named {peer}; ask an admin to pair the gateways",
                    peer=peer_name,
                )
            )
        if not peer.active:
            raise Conflict(
                Sentence(
                    "pairing-not-confirmed",
                    "the pairing with {peer} is not confirmed yet; ask an admin to confirm it",
                    peer=peer_name,
                )
            )
        if peer.is_own:
            # Within a gateway, the plain channel would save nothing.
            plan, wish, estimated = Plan("secure-only"), None, "secure-only"
        return AddressedPeer(peer, names, plan, wish, estimated, self.links.to(peer).is_warm)

    async def _manifests(
        self,
        author: User,
        rows: Sequence[Document],
        editions: Sequence[RedactedEdition | str | None],
        destination: AddressedPeer,
        deadline_at_ns: int,
    ) -> list[Manifest]:
        """The manifests by which the documents are sent to one peer; they must fit the plan together."""
        manifests = [
            await self._manifest(
                author, row, destination.names, deadline_at_ns, None if isinstance(edition, str) else edition
            )
            for row, edition in zip(rows, editions, strict=True)
        ]
        try:
            destination.plan.check_spans(sum(len(manifest.spans) for manifest in manifests))
        except ValueError as error:
            raise UnfitPlan(str(error)) from error
        return manifests

    async def _preview(self, destination: AddressedPeer, manifests: Sequence[Manifest]) -> Preview:
        """How the planner would send the documents to one peer now."""
        peer, plan = destination.peer, destination.plan
        link = self.links.to(peer)
        self.planning.connected(peer.id, destination.timing_marks)
        wish = destination.wish or Wish(plan.mode, plan.secure_channels, plan.plain_channels)
        if (hello := link.known_hello) is not None:
            wish = replace(wish, most_secure=hello.max_secure_channels, most_plain=hello.max_plain_channels)
        if wish.mode == "auto" and destination.estimated == "secure-only":
            wish = replace(wish, off_plain=True)
        classified = sum(manifest.carried_classified_size for manifest in manifests)
        work = Work(classified, sum(manifest.plain_size for manifest in manifests), len(manifests))
        return await self.planning.preview(
            self.database, peer.id, work, wish, time.monotonic_ns(), warm=destination.warm, down=link.is_down
        )

    async def _owned(self, session: AsyncSession, document_ids: Sequence[str], author: User) -> list[Document]:
        found = await document_queries.all_owned(session, document_ids, author.id)
        missing = [each for each in document_ids if each not in found]
        if missing:
            raise no_such_documents(missing, of=len(document_ids))
        return [found[each] for each in document_ids]

    async def _editions(self, author: User, rows: Sequence[Document]) -> list[RedactedEdition | str | None]:
        """For each document: its redacted edition, or why it is sent without one, or None for a text."""
        found: list[RedactedEdition | str | None] = []
        until = time.monotonic() + ENOUGH_S
        for row in rows:
            if found and time.monotonic() >= until:
                raise ReadingBusy(
                    "making the redacted editions of these files takes too long at once; try again, for those that "
                    "were made are kept, or send fewer together"
                )
            try:
                found.append(await self.editions.of(row))
            except BlobDamaged as error:
                await self._not_there(author, row, error)
        return found

    async def _manifest(
        self,
        author: User,
        row: Document,
        names: tuple[str, ...],
        deadline_at_ns: int,
        edition: RedactedEdition | None,
    ) -> Manifest:
        document, salt = StoredDocument.of(self.blobs, row), self.random_bytes(SALT_SIZE)
        try:
            spans, classified_digest = await document.load_spans(), document.classified_digest
            plain_digest = await document.load_plain_digest()
            marks = await marks_to_send(row, document)
        except BlobDamaged as error:
            await self._not_there(author, row, error)
        return Manifest(
            transfer_id=uuid.UUID(bytes=self.random_bytes(16), version=4).hex,
            salt=salt,
            name=row.name,
            media_type=row.media_type,
            size=row.size,
            spans=spans,
            classified_digest=keyed_classified_digest(salt, classified_digest),
            plain_digest=plain_digest,
            recipients=names,
            sender=author.display_name,
            deadline_at_ns=deadline_at_ns,
            redacted=edition,
            marks=marks,
        )

    async def _not_there(self, author: User, row: Document, error: BlobDamaged) -> NoReturn:
        """Raises Conflict if the document was deleted or saved again meanwhile, else BlobDamaged."""
        async with self.database.read() as session:
            await self._check_still_there(session, [row], author)
        raise BlobDamaged(f"{row.name}: {error}") from error

    async def _check_still_there(self, session: AsyncSession, rows: Sequence[Document], author: User) -> None:
        """Raises Conflict if a document was deleted, or its draft saved again, since it was looked up."""
        there = await document_queries.to_send(session, [row.id for row in rows], author.id)
        gone = [row.name for row in rows if row.id not in there]
        if gone:
            which = "the document" if len(rows) == 1 else ", ".join(gone)
            raise Conflict(
                Sentence(
                    "document-changed-meanwhile",
                    "{name} was deleted or saved again in the meantime; review it again, then send it",
                    name=which,
                )
            )

    def _new(
        self, row: Document, manifest: Manifest, edition: RedactedEdition | str | None, cover: Cover
    ) -> outbox.NewTransfer:
        head = canonical.dumps(manifest.head)
        blob = self.blobs.kept_in_row(head, owner=manifest.transfer_id, purpose="manifest")
        size, note = (None, edition) if isinstance(edition, str) else (edition.size if edition else None, None)
        marks_size = manifest.marks.size if manifest.marks is not None else None
        sealed = seal_sent(self.blobs.keys, cover, manifest.transfer_id)
        return outbox.NewTransfer(manifest.transfer_id, row.id, blob, manifest.digest, size, note, marks_size, sealed)

    async def _check_with_peer(self, destination: AddressedPeer, documents: int, cover: CoverRequest) -> None:
        """Notes whether the peer confirmed the recipients, now or recently. If it is unreachable, the first attempt
        asks it, and checks that the peer takes the cover.

        If this opens the secure channel, that is the transfer's establishment: the attempt finds the channel open.
        """
        peer, names, plan = destination.peer, destination.names, destination.plan
        try:
            link, trace = self.links.to(peer), connection_trace(destination.timing_marks, SECURE)
            async with answers_soon(peer):
                if not plan.is_single or cover.must_arrive:
                    hello = await link.hello(trace)
                    require_covers(cover, peer.name, hello)
                    fit(plan, hello, max(1, min(documents, hello.max_batch)))
                known = await self._known.known_or_ask(peer, names, lambda: link.recipients(list(names), trace))
        except PeerUnreachable:
            destination.unreachable = True
            return
        except (PeerRefused, WrongPeer):
            return
        unknown = [name for name in names if name not in known]
        if unknown:
            raise UnknownRecipient(
                Sentence(
                    "nobody-of-that-name",
                    "nobody named {names} can receive at {peer}",
                    names=", ".join(unknown),
                    peer=peer.name,
                )
            )
        destination.checked, destination.display_names = True, known

    async def cancel(self, author: User, transfer_id: str) -> None:
        """Cancels a transfer that the peer does not have yet.

        Raises:
            NotFound: no such transfer of this author.
            Conflict: it is over, or the peer has every byte.
        """
        async with self.database.write() as session:
            transfer = await outbox.owned(session, transfer_id, author.id)
            if transfer is None:
                raise NotFound(Sentence("no-such-transfer", "you have no such transfer"))
            state = transfer.state
            now = self.clock.now_ns()
            cancelled = await outbox.cancel(session, transfer_id, now)
            timings = (
                await ends_without_outcome.add_queued(session, [transfer_id], "cancelled", TimingCause.CANCELLED, now)
                if cancelled
                else []
            )
        self.timings_ended(timings)
        if cancelled:
            self.bus.publish(Progress(transfer_id, "cancelled"), author.id)
        elif state != "sending":
            raise Conflict(f"the transfer is {state}; it cannot be cancelled any more")
        elif not await self.cancel_here(transfer_id):
            raise Conflict(
                Sentence(
                    "cancel-too-late", "the peer has every byte already; the transfer cannot be cancelled any more"
                )
            )
        else:
            self.tell_cancelled(transfer_id)

    async def cancel_here(self, transfer_id: str) -> bool:
        """Ends the attempt that this process makes at a transfer whose row says that it is to be cancelled; False if
        the peer has every byte of it, which the row says then."""
        if self.worker.cancel(transfer_id):
            return True
        # If the link breaks before the receipt, the next attempt must ask for it, and not end as cancelled.
        async with self.database.write() as session:
            await outbox.withdraw_cancel(session, transfer_id)
        return False

    async def requeue(self, author: User, transfer_id: str) -> None:
        """Retries a failed transfer within its deadline, or a waiting one at once.

        Raises:
            NotFound: no such transfer of this author.
            Conflict: it is neither failed nor waiting, its deadline, which its manifest names, has passed, or its
                document was deleted.
        """
        now = self.clock.now_ns()
        async with self.database.write() as session:
            transfer = await outbox.owned(session, transfer_id, author.id)
            if transfer is None:
                raise NotFound(Sentence("no-such-transfer", "you have no such transfer"))
            if transfer.deadline_at_ns <= now:
                raise Conflict(
                    "the transfer's deadline has passed by this gateway's clock, which reads "
                    f"{utc(now)}; send the document again"
                )
            if transfer.document.deleted_at_ns is not None:
                raise Conflict(
                    Sentence(
                        "requeue-no-document",
                        "the document of this transfer was deleted; there is nothing left to send",
                    )
                )
            if not await outbox.requeue(session, transfer_id, now):
                raise Conflict(f"the transfer is {transfer.state}; only a failed or waiting one can be tried again")
        self.bus.publish(Progress(transfer_id, "queued"), author.id)
        self.worker.wake()

    async def timings(self, transfer: Transfer) -> Timings | None:
        """The timings of a delivered transfer's last attempt; None for any other, and once they are not kept."""
        return (await timings_of(self.database, [transfer])).get(transfer.id)
