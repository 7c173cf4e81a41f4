"""The only place that builds things: one gateway, from its settings, started in order and ended in order."""

import asyncio
import json
import logging
import os
import random
import resource
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import uvloop
from argon2 import PasswordHasher

from sieve import cipher_suites
from sieve.channel.plain_patience import PlainPatience
from sieve.channel.receiver import Limits
from sieve.config import PREFIX, ConfigError, Settings
from sieve.core.errors import SieveError
from sieve.gateway.auditing.audit_log import Audit
from sieve.gateway.auditing.chain_heads import AuditHeads
from sieve.gateway.clock import Clock, now_ns
from sieve.gateway.documents import label_sets
from sieve.gateway.documents.draft_labels import DraftLabels
from sieve.gateway.documents.drafts import Drafts
from sieve.gateway.documents.file_drafts import FileDrafts
from sieve.gateway.documents.ingest import Ingest
from sieve.gateway.documents.plain_blob_tags import Tagging
from sieve.gateway.documents.redacted_editions import RedactedEditions
from sieve.gateway.documents.retention import Retention
from sieve.gateway.errors import StartError
from sieve.gateway.inbound.attempt_registry import AttemptRegistry
from sieve.gateway.inbound.dependencies import Dependencies, ReceivingSettings
from sieve.gateway.inbound.secure_app import SecureDeps, create_secure_app
from sieve.gateway.outbound.dispatch import Dispatch
from sieve.gateway.outbound.planner.grouping import Rules
from sieve.gateway.outbound.planning import Planning
from sieve.gateway.outbound.worker import OutboxWorker, WorkerSettings
from sieve.gateway.peering import openssl_config
from sieve.gateway.peering.identity import Identity
from sieve.gateway.peering.invitation import Invitation
from sieve.gateway.peering.links import Links
from sieve.gateway.peering.peers import Peers
from sieve.gateway.peering.tls import client_context, server_context
from sieve.gateway.plain.app import PlainLimits
from sieve.gateway.plain.listener import PlainListener
from sieve.gateway.reading.limits import ReadingLimits
from sieve.gateway.reading.service import ReadingService
from sieve.gateway.runtime import data_folder
from sieve.gateway.runtime import file_descriptors as descriptors
from sieve.gateway.runtime.allocator import keep_freed_memory
from sieve.gateway.runtime.confinement import keep_private
from sieve.gateway.runtime.connection_slots import Slots
from sieve.gateway.runtime.garbage_collector import freeze_startup_objects
from sieve.gateway.runtime.listeners import Guarding, SecureProtocol, address_of, bind, drop_connections, server
from sieve.gateway.runtime.readiness import Readiness
from sieve.gateway.screening.leak_check import LeakCheck
from sieve.gateway.screening.leak_scanner import LeakScanner
from sieve.gateway.screening.policies import Policies
from sieve.gateway.telemetry.announcements import Announcements
from sieve.gateway.telemetry.progress import Progress, ProgressBus
from sieve.gateway.telemetry.timing import NS_PER_MS
from sieve.store.errors import DatabaseUnwritable, DestinationFull
from sieve.store.models import Transfer
from sieve.store.opening import Store, open_store
from sieve.store.queries import claiming
from sieve.web.app import create_app
from sieve.web.passwords import Passwords
from sieve.web.services import Services
from sieve.web.ui import interface
from sieve.web.uses import Uses

log = logging.getLogger("sieve")

LISTENERS_FILE = "listeners.json"
CONNECTIONS_PER_PEER = 256
"""To the secure listener: a peer's gateway keeps 192 at most, and some of before its restart may not be over. Of one
address, too, as long as no certificate says whose they are: all of a peer's handshakes may be under way at once."""


@dataclass(frozen=True, slots=True)
class Sockets:
    """The three bound listeners."""

    web: socket.socket
    secure: socket.socket
    plain: socket.socket

    @classmethod
    def bind(cls, settings: Settings) -> "Sockets":
        """Binds all three.

        Raises:
            StartError: an address cannot be had.
        """
        return cls(bind(settings.web_bind), bind(settings.secure_bind), bind(settings.plain_bind))

    def addresses(self) -> dict[str, str]:
        """`host:port` of each."""
        return {
            "web": address_of(self.web),
            "secure": address_of(self.secure),
            "plain": address_of(self.plain),
        }


class Gateway:
    """Everything that runs in the main process. `run` it once."""

    def __init__(self, settings: Settings, identity: Identity, sockets: Sockets, store: Store, lock_fd: int) -> None:
        self.settings = settings
        self._clock = Clock()
        self._sockets = sockets
        self._listeners = self._sockets.addresses()
        self.database, keys, self.blobs = store.database, store.keys, store.blobs
        suites = settings.tls_suites
        client, serving = client_context(identity, suites), server_context(identity, suites)
        ours = Invitation(
            name=settings.name,
            secure_url=settings.secure_url or f"https://{self._listeners['secure']}",
            plain_url=settings.plain_url or f"http://{self._listeners['plain']}",
            pin=identity.pin,
            ca_der=identity.ca_der,
            receipt_key=identity.receipt_public_key,
        )
        self.peers = Peers(self.database, identity, ours, (client, serving))
        # Suites for measuring must not reach beyond this machine, by neither end.
        self.links = Links(self.peers, client, loopback_only=settings.research_tls_ciphers)
        self.announcements = Announcements()
        self.bus = ProgressBus(self.announcements)
        self.plain = PlainListener(
            self._sockets.plain,
            PlainLimits(
                wait_s=settings.plain_wait_s,
                waiting=settings.plain_waiting,
                min_rate=settings.min_rate_bytes_per_s,
                # Each plain channel of a transfer may have a chunk under way.
                slots=max(settings.plain_slots_per_handle, settings.max_plain_channels),
                connections=settings.plain_connections,
                head_deadline_s=settings.header_deadline_s,
            ),
            lock_fd,
        )
        self.audit_heads = AuditHeads(self.database, identity.receipt_key, identity.earlier_receipt_keys)
        self.receivings = AttemptRegistry(
            Dependencies(
                database=self.database,
                blobs=self.blobs,
                plain=self.plain,
                identity=identity,
                name=settings.name,
                settings=ReceivingSettings(
                    limits=Limits(
                        settings.max_document_bytes,
                        settings.max_open_transfers_per_peer,
                        settings.max_secure_channels,
                        settings.max_plain_channels,
                    ),
                    quota=settings.quota_bytes_per_peer,
                ),
                announcements=self.announcements,
                audit_head=lambda: self.audit_heads.current,
                clock=self._clock,
            )
        )
        planning = Planning()
        self.worker = OutboxWorker(
            database=self.database,
            blobs=self.blobs,
            peers=self.peers,
            links=self.links,
            bus=self.bus,
            our_pin=identity.pin,
            settings=WorkerSettings(
                lease_s=settings.lease_s,
                retry_first_s=settings.retry_first_s,
                retry_cap_s=settings.retry_cap_s,
                plain_patience=PlainPatience(settings.plain_timeout_s),
                together=Rules(settings.batch_documents, settings.batch_bytes, int(settings.batch_wait_ms * NS_PER_MS)),
            ),
            draw=random.SystemRandom().random,
            planning=planning,
            clock=self._clock,
        )
        self.reading = ReadingService(
            ReadingLimits(settings.reading_memory_bytes, settings.reading_timeout_s),
            processes=settings.reading_processes,
            max_bytes=settings.max_reading_bytes,
        )
        dispatch = Dispatch(
            self.database,
            self.blobs,
            self.peers,
            self.links,
            self.worker,
            self.bus,
            settings.deadline_s,
            RedactedEditions(self.database, self.blobs, self.reading),
            clock=self._clock,
        )
        secure_app = create_secure_app(
            SecureDeps(
                database=self.database,
                peers=self.peers,
                receivings=self.receivings,
                name=settings.name,
                plain_url=ours.plain_url,
                max_document_bytes=settings.max_document_bytes,
            )
        )
        ingest = Ingest(self.database, self.blobs, settings.max_document_bytes)
        drafts = Drafts(self.database, self.blobs, self.announcements)
        audit, looking = Audit(keys), LeakScanner(self.blobs, self.reading)
        policies = Policies(self.database, keys, audit)
        draft_labels = DraftLabels(self.database, self.blobs, keys, audit, label_sets.load(settings.labels))
        connections = descriptors.connections(descriptors.raise_limit())
        share = connections // 2
        of_peer = min(CONNECTIONS_PER_PEER, share)
        self._uses = Uses(self.database)
        web_app = create_app(
            Services(
                settings=settings,
                database=self.database,
                blobs=self.blobs,
                peers=self.peers,
                links=self.links,
                dispatch=dispatch,
                progress=self.bus,
                announcements=self.announcements,
                ingest=ingest,
                drafts=drafts,
                reading=self.reading,
                file_drafts=FileDrafts(drafts, ingest, self.reading, self.blobs, draft_labels),
                policies=policies,
                looking=looking,
                leak_check=LeakCheck(self.database, policies, looking, audit, settings.open_findings),
                draft_labels=draft_labels,
                audit=audit,
                audit_heads=self.audit_heads,
                identity=identity,
                planning=planning,
                listeners=self._listeners,
                passwords=Passwords(PasswordHasher()),
                readiness=Readiness(self.database, self.blobs),
                uses=self._uses,
                ui=interface(settings.ui_path),
                web_connections=connections,
                plain_confinement=lambda: self.plain.confinement,
            )
        )
        self._web = server(
            web_app,
            guarding=Guarding(head_deadline_s=settings.header_deadline_s, is_our_host=settings.is_our_host),
            places=Slots(connections, share, is_exempt=settings.is_trusted_proxy),
            trusted_proxy=settings.trusted_proxy,
        )
        self._secure = server(
            secure_app,
            protocol=SecureProtocol,
            guarding=Guarding(
                handshake_s=settings.header_deadline_s,
                head_deadline_s=settings.header_deadline_s,
                peer_of=self.peers.id_of,
            ),
            places=Slots(connections, of_peer, per_peer=of_peer),
            name="secure",
            context=serving,
        )
        self._background: set[asyncio.Task[None]] = set()

    async def run(self, stopped: asyncio.Event) -> None:
        """Serves until `stopped` is set, then ends in order."""
        await self._open()
        working = [asyncio.create_task(self.plain.run()), asyncio.create_task(self.worker.run())]
        working.append(asyncio.create_task(self.audit_heads.run()))
        working.append(asyncio.create_task(Tagging(self.database, self.blobs).run()))
        working.append(asyncio.create_task(self.receivings.deps.partials.run(self._is_peer)))
        if self.settings.retention_days is not None:
            retention = Retention(
                self.database, self.blobs, self.announcements, self.settings.retention_days, self._clock
            )
            working.append(asyncio.create_task(retention.run()))
        serving = [
            asyncio.create_task(self._secure.serve(sockets=[self._sockets.secure])),
            asyncio.create_task(self._web.serve(sockets=[self._sockets.web])),
        ]
        try:
            freeze_startup_objects()
            self._announce()
            stopping = asyncio.create_task(stopped.wait())
            # Whatever ends by itself ends the gateway: half a gateway would accept what it cannot carry.
            await asyncio.wait([stopping, *working, *serving], return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()
        finally:
            await self._close(working, serving)

    async def _open(self) -> None:
        try:
            async with self.database.write() as session:
                # We hold the data folder's lock, so nobody else is carrying these.
                await claiming.release_all_leases(session)
        except (DestinationFull, DatabaseUnwritable) as error:
            # What is stored can be read all the same, and leases end by themselves.
            log.warning("nothing can be stored just now: %s", error)
        self.peers.on_change.append(self._peers_changed)
        self.peers.on_failed.append(self._peer_lost)
        await self.peers.load()
        await self.receivings.deps.partials.load()

    def _announce(self) -> None:
        path = Path(self.settings.data_dir) / LISTENERS_FILE
        with _only_warned(path):
            path.write_text(json.dumps({"name": self.settings.name, **self._listeners}))
        log.info("%s: web %s, secure %s, plain %s", self.settings.name, *self._listeners.values())

    def _peers_changed(self) -> None:
        drop_connections(self._secure.server_state, self.peers.is_unwanted)
        for peer_id in self.receivings.peers_under_way():
            if self.peers.by_id(peer_id) is None:
                self.receivings.drop(peer_id, "the pairing was removed")
        for work in (self.links.drop_stale(), self.receivings.deps.partials.purge(self._is_peer)):
            task = asyncio.get_running_loop().create_task(work)
            self._background.add(task)
            task.add_done_callback(self._background.discard)

    def _is_peer(self, peer_id: str) -> bool:
        return self.peers.by_id(peer_id) is not None

    def _peer_lost(self, failed: Transfer) -> None:
        self.bus.publish(Progress(failed.id, "failed", reason=failed.reason), failed.author_id)

    async def _close(self, working: list[asyncio.Task[None]], serving: list[asyncio.Task[None]]) -> None:
        path = Path(self.settings.data_dir) / LISTENERS_FILE
        with _only_warned(path):
            path.unlink(missing_ok=True)
        # Open streams would keep the server from ending until it loses its patience.
        self.announcements.close()
        self.bus.close()
        self._web.should_exit = self._secure.should_exit = True
        # Nor does anybody wait for what is still being read.
        await self.reading.close()
        await self.receivings.settle()
        for task in working:
            task.cancel()
        results = await asyncio.gather(*working, *serving, return_exceptions=True)
        await self.links.aclose()
        await self._uses.close()
        await self.database.dispose()
        for result in results:
            if isinstance(result, Exception):
                raise result


@contextmanager
def _only_warned(path: Path) -> Iterator[None]:
    """For a file that is a convenience: the gateway works without it."""
    try:
        yield
    except OSError as error:
        log.warning("%s cannot be changed: %s", path, error.strerror)


async def _run(settings: Settings, lock_fd: int, *, adopt_blobs: bool) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    identity, sockets = Identity.load(settings.identity_path), Sockets.bind(settings)
    store = await open_store(
        settings.database, settings.blobs_path, settings.master_key_path, now_ns=now_ns(), adopt_blobs=adopt_blobs
    )
    await Gateway(settings, identity, sockets, store, lock_fd).run(stopped)


def _start_again(environment: Mapping[str, str]) -> None:
    """This very command once more, in this process's place: same pid, same streams, another environment."""
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)


def run(load: Callable[[], Settings], *, adopt_blobs: bool = False) -> int:
    """Runs a gateway in this process until a signal stops it; returns the exit status. If it cannot start, one line on
    stderr says why.

    `adopt_blobs`: see `open_store`.
    """
    try:
        settings = load()
        logging.basicConfig(
            level=settings.log_level.upper(),
            stream=sys.stderr,
            format=f"%(asctime)s %(levelname)s {settings.name} %(name)s: %(message)s",
        )
        for chatty in ("uvicorn", "httpx", "httpcore", "sqlalchemy", "alembic"):
            logging.getLogger(chatty).setLevel(logging.WARNING)
        openssl_config.put_in_force(
            cipher_suites.of_tls_1_3(settings.tls_suites), settings.openssl_config_path, os.environ, _start_again
        )
        for name, text in settings.warnings.items():
            log.warning("%s%s: %s", PREFIX, name.upper(), text)
        # A core dump would hold clear text.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for mechanism in keep_private().missing:
            log.warning("the kernel does not protect this process by: %s", mechanism)
        keep_freed_memory()
        lock_fd = data_folder.lock(Path(settings.data_dir))
        data_folder.check_not_half_restored(Path(settings.data_dir))
        with suppress(KeyboardInterrupt):
            uvloop.run(_run(settings, lock_fd, adopt_blobs=adopt_blobs))
    except (ConfigError, StartError, SieveError) as error:
        print(f"sieve gateway: {error}", file=sys.stderr)
        return 2
    return 0
