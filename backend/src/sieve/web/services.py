"""The parts of a gateway that the web application uses. `composition` builds them once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, cast

from fastapi import Depends, Request
from starlette.types import ASGIApp

from sieve.config import Settings
from sieve.gateway.auditing.audit_log import Audit
from sieve.gateway.auditing.chain_heads import AuditHeads
from sieve.gateway.auditing.forwarding import AuditForwarding
from sieve.gateway.documents.draft_labels import DraftLabels
from sieve.gateway.documents.drafts import Drafts
from sieve.gateway.documents.file_drafts import FileDrafts
from sieve.gateway.documents.ingest import Ingest
from sieve.gateway.inbound.partials import Partials
from sieve.gateway.inbound.read_receipts import ReadReceipts
from sieve.gateway.inbound.replies import Replies
from sieve.gateway.notifications.notifier import Notifier
from sieve.gateway.outbound.planning import Planning
from sieve.gateway.outbound.transfer_queue import TransferQueue
from sieve.gateway.peering.clock_trust import ClockTrust
from sieve.gateway.peering.contacts import PeerContacts
from sieve.gateway.peering.directories import PeerDirectories
from sieve.gateway.peering.identity import Identity
from sieve.gateway.peering.links import Links
from sieve.gateway.peering.peers import Peers
from sieve.gateway.reading.service import ReadingService
from sieve.gateway.runtime.confinement import Confinement
from sieve.gateway.runtime.readiness import Readiness
from sieve.gateway.screening.leak_check import LeakCheck
from sieve.gateway.screening.leak_scanner import LeakScanner
from sieve.gateway.screening.policies import Policies
from sieve.gateway.sign_on.service import SingleSignOn
from sieve.gateway.telemetry.announcements import Announcements
from sieve.gateway.telemetry.progress import ProgressBus
from sieve.gateway.telemetry.timing_rollups import TimingRollups
from sieve.gateway.telemetry.timings_ended import TimingsEnded
from sieve.store.blobs import BlobStore
from sieve.store.database import Database
from sieve.web.laboratory_runs import Laboratory
from sieve.web.last_used import LastUsed
from sieve.web.metrics import Metrics
from sieve.web.passkey_challenges import Challenges
from sieve.web.passwords import Passwords
from sieve.web.recent_reads import RecentReads
from sieve.web.request_limits import UPLOAD, Pace
from sieve.web.storage_use import StorageUse


@dataclass(frozen=True, slots=True)
class Services:
    """`listeners`: `host:port` of web, secure and plain, as they are bound. `ping_s`: seconds between pings in event
    streams. `web_connections`: how many the web listener keeps.
    `confinement`: what the kernel enforces for this process; None if `main` did not start it. `plain_confinement`: what
    it enforces on the plain listener. `sso`: None without an OpenID Connect provider. `laboratory`: None if the setting
    is off.
    """

    settings: Settings
    database: Database
    blobs: BlobStore
    peers: Peers
    links: Links
    directories: PeerDirectories
    contacts: PeerContacts
    clock_trust: ClockTrust
    transfer_queue: TransferQueue
    progress: ProgressBus
    announcements: Announcements
    timing_rollups: TimingRollups
    timings_ended: TimingsEnded
    ingest: Ingest
    drafts: Drafts
    reading: ReadingService
    file_drafts: FileDrafts
    policies: Policies
    scanner: LeakScanner
    leak_check: LeakCheck
    draft_labels: DraftLabels
    audit: Audit
    audit_heads: AuditHeads
    notifier: Notifier
    partials: Partials
    read_receipts: ReadReceipts
    replies: Replies
    identity: Identity
    listeners: Mapping[str, str]
    passwords: Passwords
    readiness: Readiness
    last_used: LastUsed
    planning: Planning
    ui: ASGIApp
    web_connections: int
    confinement: Confinement | None
    plain_confinement: Callable[[], Confinement | None]
    storage: StorageUse
    challenges: Challenges
    sso: SingleSignOn | None = None
    laboratory: Laboratory | None = None
    audit_forwarding: Sequence[AuditForwarding] = ()
    metrics: Metrics = field(default_factory=Metrics)
    recent_reads: RecentReads = field(default_factory=RecentReads)
    ping_s: float = 20.0
    upload_pace: Pace = UPLOAD


# A coroutine, like every dependency: FastAPI would call a plain function in a thread.
async def _services(request: Request) -> Services:
    return cast(Services, request.app.state.services)


Given = Annotated[Services, Depends(_services)]
"""For routes that use the gateway's parts."""
