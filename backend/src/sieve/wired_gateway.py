"""One gateway: what it does at its start and its end, its two servers, and how its parts hear of changes elsewhere.

`composition` wires it.
"""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from functools import partial
from ssl import SSLContext
from typing import Any

from sieve.channel.seals import SealKind
from sieve.gateway.documents.blob_sweep import BlobSweep
from sieve.gateway.documents.spooled_copies import SpooledCopies
from sieve.gateway.inbound.attempt_registry import AttemptRegistry
from sieve.gateway.inbound.secure_app import SecureDeps, create_secure_app
from sieve.gateway.outbound.worker import OutboxWorker
from sieve.gateway.plain.listener import PlainListener
from sieve.gateway.runtime.connection_slots import Slots
from sieve.gateway.runtime.listeners import Guarding, QuietServer, SecureProtocol, drop_connections, server
from sieve.gateway.runtime.replicas import Replicas
from sieve.gateway.telemetry import ends_without_outcome
from sieve.gateway.telemetry.progress import Progress
from sieve.store.errors import DatabaseUnwritable, StorageFull
from sieve.store.models import Transfer
from sieve.store.queries import claiming
from sieve.web.app import create_app
from sieve.web.services import Services

log = logging.getLogger("sieve")

CONNECTIONS_PER_PEER = 256
"""Connections to the secure listener. A peer's gateway keeps at most 192, and some from before its restart may still be
open. An address without a known certificate has the same limit: all handshakes of a peer may run at once."""


@dataclass(slots=True)
class Gateway:
    """The parts of one gateway, wired but not started. `main` runs it."""

    services: Services
    plain: PlainListener
    worker: OutboxWorker
    attempts: AttemptRegistry
    server_context: SSLContext
    plain_url: str
    """Where peers reach the plain listener."""
    own_secure_url: str
    """Where this gateway reaches its own secure listener."""
    seals: Sequence[SealKind]
    """Of plain chunks, the fastest on this machine first."""
    blob_sweep: BlobSweep | None
    """Removes blobs that no row names; None if each start does that."""
    spooled_copies: SpooledCopies | None
    """Removes copies of blobs that other replicas removed; None if there are no others."""
    replicas: Replicas
    _secure: QuietServer | None = None
    _background: set[asyncio.Task[None]] = field(default_factory=set)

    async def open(self) -> None:
        """Continues the work of an earlier run. The caller holds the data folder's lock."""
        peers = self.services.peers
        try:
            async with self.services.database.write() as session:
                # No other process has leases if this one is alone. Those of a replica that is gone expire.
                lost = await claiming.release_all_leases(session) if self.services.database.is_alone else ()
                timings = await ends_without_outcome.add_lost(
                    session, lost, self.services.transfer_queue.clock.now_ns()
                )
                await peers.store_own(session, self.own_secure_url, is_alone=self.services.database.is_alone)
            self.services.timings_ended(timings)
        except (StorageFull, DatabaseUnwritable) as error:
            # Stored documents can still be read, and leases expire.
            log.warning("nothing can be stored just now: %s", error)
        await self.services.clock_trust.load()
        peers.on_change.append(self._peers_changed)
        peers.on_failed.append(self._peer_lost)
        await peers.load()
        await self.services.contacts.load()
        await self.attempts.deps.partials.load()
        await self.services.database.let_others_join()

    def hear_replicas(self) -> None:
        """Connects the parts to those of the other replicas."""
        services, replicas = self.services, self.replicas
        announcements, queue = services.announcements, services.transfer_queue
        announcements.tell = lambda user_id, change: replicas.tell("change", user_id, *change)
        services.progress.tell = lambda progress: replicas.tell("progress", progress, about=progress["transfer_id"])
        services.peers.tell = lambda: replicas.tell("peers")
        queue.tell_cancelled = lambda transfer_id: replicas.tell("cancelled", transfer_id)
        services.timings_ended.listeners.append(lambda _: replicas.tell("timings"))
        if replicas.is_shared:
            services.blobs.tell_removed = partial(
                asyncio.get_running_loop().call_soon_threadsafe, replicas.tell, "removed"
            )
        replicas.handlers.update(
            {
                "change": announcements.told,
                "progress": services.progress.told,
                "peers": lambda: self._in_background(services.peers.load()),
                "cancelled": lambda transfer_id: self._in_background(queue.cancel_here(transfer_id)),
                "timings": services.timing_rollups.wake,
                "removed": lambda blob_id: self._in_background(
                    asyncio.to_thread(services.blobs.removed_elsewhere, blob_id)
                ),
            }
        )
        replicas.on_missed += [
            announcements.missed,
            services.timing_rollups.wake,
            lambda: self._in_background(services.peers.load()),
        ]
        if self.spooled_copies is not None:
            replicas.on_missed.append(self.spooled_copies.wake)

    def secure_server(self, connections: int) -> QuietServer:
        """The secure listener: peers, with TLS. `connections`: how many it keeps."""
        services, settings = self.services, self.services.settings
        of_peer = min(CONNECTIONS_PER_PEER, connections // 2)
        app = create_secure_app(
            SecureDeps(
                database=services.database,
                peers=services.peers,
                attempts=self.attempts,
                name=settings.name,
                plain_url=self.plain_url,
                max_document_bytes=self.attempts.deps.settings.limits.max_document_size,
                seals=self.seals,
                heard=self._heard,
            )
        )
        guarding = Guarding(
            handshake_s=settings.header_deadline_s,
            head_deadline_s=settings.header_deadline_s,
            peer_of=services.peers.id_of,
        )
        self._secure = server(
            app,
            protocol=SecureProtocol,
            guarding=guarding,
            slots=Slots(connections, of_peer, per_peer=of_peer),
            name="secure",
            context=self.server_context,
        )
        return self._secure

    def web_server(self) -> QuietServer:
        """The web listener: people and their programs."""
        services, settings = self.services, self.services.settings
        connections = services.web_connections
        return server(
            create_app(services),
            guarding=Guarding(head_deadline_s=settings.header_deadline_s, is_our_host=settings.is_our_host),
            slots=Slots(connections, connections // 2, is_exempt=settings.is_trusted_proxy),
            trusted_proxy=settings.trusted_proxy,
        )

    def is_peer(self, peer_id: str) -> bool:
        """Whether the pairing still exists."""
        return self.services.peers.by_id(peer_id) is not None

    def _heard(self, peer_id: str, certificate: bytes) -> None:
        self.services.contacts.heard(peer_id, certificate)
        self.worker.heard(peer_id)

    def _peers_changed(self) -> None:
        if self._secure is not None:
            drop_connections(self._secure.server_state, self.services.peers.is_unwanted)
        for peer_id in self.attempts.peers_under_way():
            if not self.is_peer(peer_id):
                self.attempts.drop(peer_id, "the pairing was removed")
        for work in (self.services.links.drop_stale(), self.attempts.deps.partials.purge(self.is_peer)):
            self._in_background(work)

    def _in_background(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.get_running_loop().create_task(_logged(work))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def _peer_lost(self, failed: Transfer) -> None:
        self.services.progress.publish(Progress(failed.id, "failed", reason=failed.reason), failed.author_id)

    async def aclose(self) -> None:
        """Closes connections and the database, once nothing runs."""
        await asyncio.gather(*self._background, return_exceptions=True)
        if self.services.laboratory is not None:
            await self.services.laboratory.stop()
        await self.services.links.aclose()
        await self.services.last_used.close()
        await self.services.contacts.close()
        await self.services.clock_trust.close()
        await asyncio.to_thread(self.services.blobs.close)
        await self.services.database.dispose()


async def _logged(work: Coroutine[Any, Any, object]) -> None:
    try:
        await work
    except Exception as error:  # the database may be busy; nobody waits for this
        log.warning("could not follow a change: %s", error)
