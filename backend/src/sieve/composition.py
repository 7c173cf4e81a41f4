"""The only place that wires the parts of a gateway together. It starts nothing, reads no clock and binds no address."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from ssl import SSLContext

from argon2 import PasswordHasher

from sieve import addresses, single_sign_on, tls_files
from sieve.aes_speed import aes_is_fast
from sieve.channel.plain_patience import PlainPatience
from sieve.channel.receiver import Limits
from sieve.channel.seals import fastest_first
from sieve.config import Settings
from sieve.gateway.auditing.audit_file import AuditFile
from sieve.gateway.auditing.audit_log import Audit
from sieve.gateway.auditing.chain_heads import AuditHeads
from sieve.gateway.auditing.forwarding import AuditForwarding, Receiver
from sieve.gateway.auditing.syslog_receiver import SyslogReceiver
from sieve.gateway.clock import Clock
from sieve.gateway.documents import label_sets
from sieve.gateway.documents.blob_sweep import BlobSweep
from sieve.gateway.documents.draft_labels import DraftLabels
from sieve.gateway.documents.drafts import Drafts
from sieve.gateway.documents.file_drafts import FileDrafts
from sieve.gateway.documents.ingest import Ingest
from sieve.gateway.documents.redacted_editions import RedactedEditions
from sieve.gateway.documents.spooled_copies import SpooledCopies
from sieve.gateway.inbound.attempt_registry import AttemptRegistry
from sieve.gateway.inbound.dependencies import Dependencies, ReceivingSettings
from sieve.gateway.inbound.read_receipts import ReadReceipts
from sieve.gateway.inbound.replies import Replies
from sieve.gateway.notifications.emails import Emails
from sieve.gateway.notifications.notifier import Notifier
from sieve.gateway.notifications.webhooks import Webhooks
from sieve.gateway.outbound.dependencies import Dependencies as SendingDependencies
from sieve.gateway.outbound.planner.grouping import Rules
from sieve.gateway.outbound.planning import Planning
from sieve.gateway.outbound.transfer_queue import TransferQueue
from sieve.gateway.outbound.worker import OutboxWorker
from sieve.gateway.outbound.worker_settings import PROBE_EVERY_S, WorkerSettings
from sieve.gateway.peering.clock_trust import ClockTrust
from sieve.gateway.peering.contacts import PeerContacts
from sieve.gateway.peering.directories import PeerDirectories
from sieve.gateway.peering.identity import Identity
from sieve.gateway.peering.invitation import Invitation
from sieve.gateway.peering.links import Links
from sieve.gateway.peering.peers import Peers
from sieve.gateway.peering.tls import client_context, server_context, tls_1_3_in_force
from sieve.gateway.plain.app import PlainLimits
from sieve.gateway.plain.listener import PlainListener
from sieve.gateway.reading.limits import ReadingLimits
from sieve.gateway.reading.service import ReadingService
from sieve.gateway.runtime.confinement import Confinement
from sieve.gateway.runtime.readiness import Readiness
from sieve.gateway.runtime.replicas import Replicas
from sieve.gateway.screening.leak_check import LeakCheck
from sieve.gateway.screening.leak_scanner import LeakScanner
from sieve.gateway.screening.policies import Policies
from sieve.gateway.sign_on.claims import ClaimRules
from sieve.gateway.sign_on.flows import Flows
from sieve.gateway.sign_on.provider import Client, Provider
from sieve.gateway.sign_on.service import SingleSignOn
from sieve.gateway.telemetry.announcements import Announcements
from sieve.gateway.telemetry.progress import ProgressBus
from sieve.gateway.telemetry.timing import NS_PER_MS
from sieve.gateway.telemetry.timing_rollups import TimingRollups
from sieve.gateway.telemetry.timings_ended import TimingsEnded
from sieve.store.database import Database
from sieve.store.master_keys import MasterKeys
from sieve.store.open_store import Store
from sieve.web.laboratory_runs import Laboratory
from sieve.web.last_used import LastUsed
from sieve.web.passkey_challenges import KEY_PURPOSE, Challenges
from sieve.web.passwords import Passwords
from sieve.web.services import Services
from sieve.web.storage_use import StorageUse
from sieve.web.ui import interface
from sieve.wired_gateway import Gateway


def plain_limits(settings: Settings) -> PlainLimits:
    """What the plain listener accepts."""
    return PlainLimits(
        wait_s=settings.plain_wait_s,
        waiting=settings.plain_waiting,
        min_rate=settings.min_rate_bytes_per_s,
        # Each plain channel of a transfer may have a chunk in progress.
        slots=max(settings.plain_slots_per_handle, settings.max_plain_channels),
        connections=settings.plain_connections,
        head_deadline_s=settings.header_deadline_s,
    )


def receiving_settings(settings: Settings) -> ReceivingSettings:
    """What peers may send."""
    limits = Limits(
        settings.max_document_bytes,
        settings.max_open_transfers_per_peer,
        settings.max_secure_channels,
        settings.max_plain_channels,
    )
    return ReceivingSettings(limits, quota=settings.quota_bytes_per_peer)


def worker_settings(settings: Settings) -> WorkerSettings:
    """How the outbox worker sends."""
    return WorkerSettings(
        lease_s=settings.lease_s,
        retry_first_s=settings.retry_first_s,
        retry_cap_s=settings.retry_cap_s,
        plain_patience=PlainPatience(settings.plain_timeout_s),
        probe_every_s=PROBE_EVERY_S if settings.probes else None,
        together=Rules(settings.batch_documents, settings.batch_bytes, int(settings.batch_wait_ms * NS_PER_MS)),
    )


def own_invitation(settings: Settings, identity: Identity, listeners: Mapping[str, str]) -> Invitation:
    """The invitation with which a peer's admin pairs with this gateway."""
    return Invitation(
        name=settings.name,
        secure_url=settings.secure_url or f"https://{listeners['secure']}",
        plain_url=settings.plain_url or f"http://{listeners['plain']}",
        pin=identity.pin,
        ca_der=identity.ca_der,
        receipt_key=identity.receipt_public_key,
    )


def emails(settings: Settings) -> Emails | None:
    """The e-mails of this gateway; None if it has no mail server."""
    if settings.smtp_url is None or settings.smtp_from is None or settings.web_url is None:
        return None
    server = addresses.mail_server(settings.smtp_url.get_secret_value())
    return Emails(
        server, settings.smtp_from, settings.name, settings.web_url, with_names=settings.notifications_name_documents
    )


def audit_forwarding(settings: Settings, database: Database, audit: Audit, clock: Clock) -> Sequence[AuditForwarding]:
    """The jobs that forward the audit log."""
    receivers: dict[str, Receiver] = {}
    if settings.audit_syslog is not None:
        host, port = addresses.bind(settings.audit_syslog)
        context = tls_files.client_context(
            settings.audit_syslog_ca, settings.audit_syslog_certificate, settings.audit_syslog_key
        )
        receivers["syslog"] = SyslogReceiver(host, port, context, settings.name)
    if settings.audit_file is not None:
        receivers["file"] = AuditFile(settings.audit_file)
    return [
        AuditForwarding(kind, database, audit, receiver, settings.name, settings.audit_forward_reasons, clock)
        for kind, receiver in receivers.items()
    ]


def sign_on(settings: Settings, keys: MasterKeys) -> SingleSignOn | None:
    """Single sign-on; None without an OpenID Connect provider."""
    if settings.oidc_issuer is None or settings.oidc_client_id is None:
        return None
    client = Client(
        settings.oidc_issuer,
        settings.oidc_client_id,
        settings.oidc_secret,
        settings.oidc_scopes,
        settings.oidc_algorithms.split(","),
        settings.oidc_clock_skew_s,
    )
    rules = ClaimRules(
        settings.oidc_login_claim,
        settings.oidc_name_claim,
        settings.oidc_rights_claim,
        None if settings.oidc_rights is None else single_sign_on.rights(settings.oidc_rights),
        frozenset(value.strip() for value in (settings.oidc_second_factor or "").split(",")) - {""},
    )
    return SingleSignOn(settings.oidc_name, Provider(client), Flows(keys), rules, settings.oidc_new_accounts)


def reading_service(settings: Settings) -> ReadingService:
    """The service that reads files in separate processes, started with the first file."""
    return ReadingService(
        ReadingLimits(settings.reading_memory_bytes, settings.reading_timeout_s),
        processes=settings.reading_processes,
        max_bytes=settings.max_reading_bytes,
    )


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts that `compose` uses instead of making them from the settings. Tests replace single parts."""

    clock: Callable[[], Clock] | None = None
    draw: Callable[[], float] = random.SystemRandom().random
    """Random numbers from 0 to 1, for backoff."""
    receiving: ReceivingSettings | None = None
    sending: WorkerSettings | None = None
    tls: tuple[SSLContext, SSLContext] | None = None
    """The contexts of connections to peers and of the secure listener."""
    links: Links | None = None
    worker: OutboxWorker | None = None
    reading: ReadingService | None = None
    password_hasher: PasswordHasher = field(default_factory=PasswordHasher)
    aes_is_fast: Callable[[], bool] = aes_is_fast


def compose(
    settings: Settings,
    identity: Identity,
    store: Store,
    listeners: Mapping[str, str],
    plain: PlainListener,
    *,
    web_connections: int,
    confinement: Confinement | None = None,
    parts: Parts | None = None,
) -> Gateway:
    """Wires a gateway.

    `listeners`: `host:port` of web, secure and plain, as they are bound. `web_connections`: how many the web listener
    keeps. `confinement`: what the kernel enforces for this process.
    """
    parts = parts or Parts()
    database, keys, blobs = store.database, store.keys, store.blobs
    clock = Clock(database.now_ns) if parts.clock is None else parts.clock()
    suites = settings.tls_suites or tls_1_3_in_force()
    seals = fastest_first(aes_is_fast=parts.aes_is_fast())
    client, serving = parts.tls or (
        client_context(identity, suites),
        server_context(identity, suites, chacha_on_request=settings.tls_suites is None),
    )
    ours = own_invitation(settings, identity, listeners)
    audit, replicas = Audit(keys), Replicas(database.is_shared)
    timings_ended = TimingsEnded()
    peers = Peers(database, identity, ours, (client, serving), audit, timings_ended=timings_ended)
    # Research cipher suites must not reach beyond this machine, at either end.
    contacts = PeerContacts(database, clock)
    links = parts.links or Links(
        peers, client, loopback_only=settings.research_tls_ciphers, contacts=contacts, seals=seals
    )
    announcements = Announcements()
    timing_rollups = TimingRollups(database, announcements, settings.timing_records_days, clock)
    timings_ended.listeners.append(lambda _: timing_rollups.wake())
    progress = ProgressBus(announcements)
    audit_heads = AuditHeads(
        database,
        identity.receipt_key,
        identity.earlier_receipt_keys,
        is_signer=lambda: replicas.is_leader or not replicas.is_shared,
    )
    attempts = AttemptRegistry(
        Dependencies(
            database=database,
            blobs=blobs,
            plain=plain,
            identity=identity,
            name=settings.name,
            settings=parts.receiving or receiving_settings(settings),
            announcements=announcements,
            audit_head=lambda: audit_heads.current,
            clock=clock,
            timings_ended=timings_ended,
        )
    )
    planning = Planning()
    sending = parts.sending or worker_settings(settings)
    worker = parts.worker or OutboxWorker(
        SendingDependencies(
            database,
            blobs,
            peers,
            links,
            progress,
            identity.pin,
            planning,
            sending.plain_patience,
            sending.late_s,
            clock,
            timings_ended,
            pads=settings.padding,
        ),
        sending,
        parts.draw,
    )
    reading = parts.reading or reading_service(settings)
    editions = RedactedEditions(database, blobs, reading)
    transfer_queue = TransferQueue(
        database,
        blobs,
        peers,
        links,
        worker,
        progress,
        settings.deadline_s,
        planning,
        editions,
        audit,
        clock=clock,
        timings_ended=timings_ended,
    )
    ingest = Ingest(database, blobs, settings.max_document_bytes)
    draft_labels = DraftLabels(database, blobs, keys, audit, label_sets.load(settings.labels))
    drafts = Drafts(database, blobs, announcements, draft_labels)
    policies, scanner = Policies(database, keys, audit), LeakScanner(blobs, reading)
    webhooks = Webhooks(settings.name, with_names=settings.notifications_name_documents)
    notifier = Notifier(database, keys, emails(settings), webhooks, clock)
    directories = PeerDirectories(database, links, clock)
    services = Services(
        settings=settings,
        database=database,
        blobs=blobs,
        peers=peers,
        links=links,
        directories=directories,
        contacts=contacts,
        clock_trust=ClockTrust(database, clock, peers, links, lambda: replicas.is_leader or not replicas.is_shared),
        transfer_queue=transfer_queue,
        progress=progress,
        announcements=announcements,
        timing_rollups=timing_rollups,
        timings_ended=timings_ended,
        ingest=ingest,
        drafts=drafts,
        reading=reading,
        file_drafts=FileDrafts(drafts, ingest, reading, blobs),
        policies=policies,
        scanner=scanner,
        leak_check=LeakCheck(database, policies, scanner, settings.open_findings),
        draft_labels=draft_labels,
        audit=audit,
        audit_heads=audit_heads,
        notifier=notifier,
        partials=attempts.deps.partials,
        read_receipts=ReadReceipts(database, peers, links, clock),
        replies=Replies(database, keys, peers, directories),
        identity=identity,
        planning=planning,
        listeners=listeners,
        passwords=Passwords(parts.password_hasher),
        readiness=Readiness(database, blobs),
        last_used=LastUsed(database),
        ui=interface(settings.ui_path),
        web_connections=web_connections,
        confinement=confinement,
        plain_confinement=lambda: plain.confinement,
        storage=StorageUse(settings, database, clock),
        challenges=Challenges(keys.derived(KEY_PURPOSE)),
        sso=sign_on(settings, keys),
        laboratory=Laboratory(clock.now_ns) if settings.laboratory else None,
        audit_forwarding=audit_forwarding(settings, database, audit, clock),
    )
    timings_ended.listeners.append(services.metrics.timings_ended)
    own_secure_url = f"https://{addresses.local(listeners['secure'])}"
    gateway = Gateway(
        services,
        plain,
        worker,
        attempts,
        serving,
        ours.plain_url,
        own_secure_url,
        seals,
        None if store.sweep is None else BlobSweep(database, store.sweep),
        SpooledCopies(database, blobs) if replicas.is_shared else None,
        replicas,
    )
    gateway.hear_replicas()
    return gateway
