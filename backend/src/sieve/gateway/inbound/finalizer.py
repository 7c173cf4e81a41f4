"""The last steps of complete documents: their digests, their files, and the transaction that makes them visible.

Invariant: documents that are complete at the same time share waits (a thread, a folder's sync, a commit) and nothing
else; one that fails here fails alone. Files that a committed row may name are never removed.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.channel import canonical
from sieve.channel.attempt import Plan
from sieve.channel.receipt import Receipt
from sieve.channel.refusals import RefusalKind
from sieve.gateway.clock import now_ns
from sieve.gateway.documents.covers import seal_received
from sieve.gateway.errors import PeerRefused
from sieve.gateway.inbound import abandoned_attempts
from sieve.gateway.inbound.incoming_document import IncomingDocument
from sieve.gateway.inbound.received_files import Blobs, Digests
from sieve.gateway.peering.identity import Identity
from sieve.gateway.peering.peers import Peer
from sieve.gateway.peering.tls import Negotiated
from sieve.gateway.telemetry.announcements import Announcements
from sieve.gateway.telemetry.timing_marks import TimingMarks
from sieve.gateway.telemetry.timing_record import ReceivedDocument, of_received
from sieve.gateway.telemetry.timings_ended import TimingsEnded
from sieve.store.blobs import BlobRef, BlobStore, StorageFull
from sieve.store.database import Database, DatabaseBusy
from sieve.store.errors import BlobsUnreachable
from sieve.store.parallel import in_parallel, outcome
from sieve.store.queries import inbox as inbox_queries
from sieve.store.queries import peers, timing_records
from sieve.store.queries.timing_records import TimingValues

log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Stored:
    """A document whose files are durable, and the receipt that is to be committed with it."""

    incoming: IncomingDocument
    blobs: Blobs
    manifest: BlobRef
    received_at_ns: int
    receipt: str

    @property
    def transfer_id(self) -> str:
        """Its id, which the sender chose."""
        return self.incoming.manifest.transfer_id


@dataclass(frozen=True, slots=True)
class Finalizer:
    """The last steps of one attempt's documents. `pin`: the peer's key that opened it; the receipts name it. `tls`:
    what the connection of the opening uses. `batch`: how many documents came together.
    """

    database: Database
    blobs: BlobStore
    identity: Identity
    announcements: Announcements
    name: str
    peer: Peer
    pin: str
    handle: str
    plan: Plan
    tls: Negotiated
    batch: int
    timing_marks: TimingMarks
    timings_ended: TimingsEnded
    audit_head: Callable[[], str | None]
    announced_at_ns: int
    opened_at_ns: int
    """By the wall clock, which somebody may set back meanwhile."""

    async def written(self, documents: Sequence[IncomingDocument]) -> list[IncomingDocument]:
        """Waits until no write of them is pending; returns those that were written. The others have failed."""

        def catch_up() -> list[IncomingDocument | Exception]:
            return [outcome(partial(_caught_up, incoming)) for incoming in documents]

        if not any(incoming.files.is_behind for incoming in documents):
            return list(documents)
        return list(_kept(documents, await asyncio.to_thread(catch_up)))

    async def digests(self, documents: Sequence[IncomingDocument]) -> dict[IncomingDocument, Digests]:
        """The digests of each document's files. Documents that cannot be read have failed."""

        def read() -> list[Digests | Exception]:
            return [outcome(incoming.files.digests) for incoming in documents]

        hard = any(incoming.files.must_be_read for incoming in documents)
        return _kept(documents, await asyncio.to_thread(read) if hard else read())

    async def finish(self, digests: dict[IncomingDocument, bytes]) -> list[Stored]:
        """Makes their files durable and signs their receipts. `digests`: of their classified streams. Documents that
        find no room have failed."""

        def finish() -> list[Blobs | Exception]:
            steps = [incoming.files.last_steps(digest) for incoming, digest in digests.items()]
            made = iter(in_parallel([*chain.from_iterable(steps)]))
            self.blobs.sync_names()
            return [_all_of(each, [*islice(made, len(of_it))]) for each, of_it in zip(digests, steps, strict=True)]

        refs = _kept(list(digests), await asyncio.to_thread(finish))
        at_ns = self.timing_marks.clock()
        return [
            Stored(incoming, of_it, self._manifest(incoming), at_ns, self._receipt(incoming, at_ns))
            for incoming, of_it in refs.items()
        ]

    def _manifest(self, incoming: IncomingDocument) -> BlobRef:
        head = canonical.dumps(incoming.manifest.head)
        return self.blobs.kept_in_row(head, owner=incoming.manifest.transfer_id, purpose="manifest")

    def _receipt(self, incoming: IncomingDocument, received_at_ns: int) -> str:
        return Receipt.of(
            incoming.manifest,
            sender_pin=self.pin,
            receiver=self.name,
            receiver_pin=self.identity.pin,
            announced_at_ns=self.announced_at_ns,
            received_at_ns=received_at_ns,
            audit_head=self.audit_head(),
        ).sign(self.identity.receipt_key)

    async def commit_surely(self, stored: Sequence[Stored]) -> list[Stored]:
        """Commits; returns the committed documents. The others have failed."""
        try:
            return await self.commit(stored)
        except Exception as error:
            # Did it fail before or after the commit? Only the rows tell; if reading them fails, the sweep at the next
            # start decides.
            for one in stored:
                one.incoming.must_be_kept = True
            try:
                found = await self._receipts(stored)
            except Exception as asking:
                for one in stored:
                    fail(one.incoming, asking)
                return []
            committed, left = [], []
            for one in stored:
                receipt = found.get(one.incoming.manifest.transfer_id)
                one.incoming.must_be_kept = receipt == one.receipt
                if receipt is None:
                    left.append(one)
                elif receipt == one.receipt:
                    committed.append(one)
                else:
                    one.incoming.delivered_before(receipt)
            if len(stored) > 1 and not isinstance(error, DatabaseBusy | StorageFull):
                # One of them made the others fail, such as one that was stored already: commit each alone.
                alone = await asyncio.gather(*(self.commit_surely([one]) for one in left))
                return [*committed, *chain.from_iterable(alone)]
            for one in left:
                fail(one.incoming, error)
            return committed

    async def _receipts(self, stored: Sequence[Stored]) -> dict[str, str]:
        ids = [one.incoming.manifest.transfer_id for one in stored]
        async with self.database.read() as session:
            found = await inbox_queries.stored_receipts(session, self.peer.id, ids)
        return {transfer_id: of_it.receipt for transfer_id, of_it in found.items()}

    async def commit(self, stored: Sequence[Stored]) -> list[Stored]:
        """The one transaction; returns the committed documents. Those with an unknown recipient, and those that the
        sender gave up at another replica, have failed.

        Raises:
            PeerRefused: the peer, or its key, counts no more.
        """
        if not stored:
            return []
        async with self.database.write() as session:
            # Another replica may have removed the peer, and this one not have heard of it.
            if not await peers.key_counts(session, self.peer.id, self.pin):
                raise PeerRefused(
                    "the pairing was removed, or this key of it retired", permanent=False, kind=RefusalKind.WRONG_PEER
                )
            gone = await self._abandoned(session, stored)
            wanted = [one for one in stored if one.transfer_id not in gone]
            deliveries = [self._delivery(one) for one in wanted]
            delivered = await inbox_queries.deliver(session, self.peer.id, deliveries, stored[0].received_at_ns)
            timings = [
                self._timing(one, stored[0].received_at_ns)
                for one in wanted
                if one.transfer_id not in delivered.unknown
            ]
            await timing_records.add_all(session, timings)
        self.timings_ended(timings)
        self.announcements.inbox_changed(delivered.readers)
        committed = []
        for one in stored:
            names = delivered.unknown.get(one.transfer_id)
            if one.transfer_id in gone:
                fail(one.incoming, PeerRefused(abandoned_attempts.GIVEN_UP, permanent=False))
            elif names is None:
                one.incoming.must_be_kept = True
                committed.append(one)
            else:
                fail(one.incoming, unknown_recipients(names, self.name))
        return committed

    async def _abandoned(self, session: AsyncSession, stored: Sequence[Stored]) -> set[str]:
        """The transfers of those whose sender abandoned the attempt at another replica."""
        if not self.database.is_shared:
            return set()
        return await abandoned_attempts.among(session, self.peer.id, self.handle, [one.transfer_id for one in stored])

    def _delivery(self, stored: Stored) -> inbox_queries.Delivery:
        manifest, number, cover = stored.incoming.manifest, stored.incoming.number, stored.incoming.cover
        return inbox_queries.Delivery(
            transfer_id=manifest.transfer_id,
            name=manifest.safe_name,
            media_type=manifest.media_type,
            size=manifest.size,
            classified_size=manifest.classified_size,
            plain_digest=manifest.plain_digest.hex(),
            manifest_digest=manifest.digest,
            redacted_blob=stored.blobs.redacted,
            marks_blob=stored.blobs.marks,
            cover=self._cover(stored.incoming),
            read_receipts=cover is not None and cover.read_receipts,
            in_reply_to=None if cover is None else cover.in_reply_to,
            came_in_parts=stored.incoming.recorded is not None,
            plain_blob=stored.blobs.plain,
            sealed_blob=stored.blobs.sealed,
            manifest_blob=stored.manifest,
            sender_name=manifest.safe_sender,
            mode=self.plan.mode,
            recipients=manifest.recipients,
            receipt=stored.receipt,
            deadline_at_ns=manifest.deadline_at_ns,
            marks=[(number, mark.name, mark.channel, mark.at_ns) for mark in self.timing_marks.taken],
        )

    def _cover(self, incoming: IncomingDocument) -> bytes | None:
        if incoming.cover is None:
            return None
        return seal_received(self.blobs.keys, incoming.cover, self.peer.id, incoming.manifest.transfer_id)

    def _timing(self, stored: Stored, received_at_ns: int) -> TimingValues:
        manifest = stored.incoming.manifest
        document = ReceivedDocument(
            manifest.transfer_id,
            stored.incoming.number,
            self.peer.id,
            self.plan.mode,
            manifest.size,
            manifest.classified_size,
            self.plan.secure_channels,
            self.plan.plain_channels if self.plan.uses_plain_channel else 0,
            self.tls.suite or "",
            self.tls.key_exchange,
            self.batch,
        )
        was_set_back = now_ns() < self.opened_at_ns
        return of_received(
            document, self.timing_marks, received_at_ns, self.timing_marks.clock(), clock_moved=was_set_back
        )


def fail(incoming: IncomingDocument, error: Exception) -> None:
    """Ends a document for that reason."""
    refused = refusal_for(error)
    incoming.fail(str(refused), permanent=refused.permanent, kind=refused.kind)


def refusal_for(error: Exception) -> PeerRefused:
    """The refusal to send for that error. An unexpected error is logged here, because the refusal does not name it."""
    match error:
        case PeerRefused():
            return error
        case StorageFull():
            return PeerRefused("its disk is full", permanent=False, kind=RefusalKind.FULL)
        case BlobsUnreachable():
            log.warning("a transfer could not be stored: %s", error)
            return PeerRefused("it cannot reach its documents' store", permanent=False, kind=RefusalKind.BUSY)
        case DatabaseBusy():
            return PeerRefused("its database is busy", permanent=False, kind=RefusalKind.BUSY)
        case _:
            log.error("a transfer could not be stored: %s", type(error).__name__, exc_info=error)
            reason = "the transfer could not be stored; see the log there"
            return PeerRefused(reason, permanent=False, kind=RefusalKind.FAILED)


def unknown_recipients(names: Sequence[str], gateway: str) -> PeerRefused:
    """The refusal of a transfer to people who cannot receive here."""
    reason = f"nobody named {', '.join(names)} can receive at {gateway}; check the name with its admin"
    return PeerRefused(reason, permanent=True, kind=RefusalKind.UNKNOWN_RECIPIENT)


def _all_of(incoming: IncomingDocument, made: Sequence[BlobRef | Exception]) -> Blobs | Exception:
    """A document's blobs; the first failure, if one of them could not be made."""
    refs = []
    for one in made:
        if isinstance(one, Exception):
            return one
        refs.append(one)
    return incoming.files.blobs(refs)


def _caught_up(incoming: IncomingDocument) -> IncomingDocument:
    incoming.files.catch_up()
    return incoming


def _kept(documents: Sequence[IncomingDocument], outcomes: Sequence[T | Exception]) -> dict[IncomingDocument, T]:
    """The outcome of each document; those whose outcome is an error have failed."""
    made: dict[IncomingDocument, T] = {}
    for incoming, found in zip(documents, outcomes, strict=True):
        if isinstance(found, Exception):
            fail(incoming, found)
        else:
            made[incoming] = found
    return made
