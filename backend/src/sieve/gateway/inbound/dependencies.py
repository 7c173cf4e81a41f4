"""The dependencies and limits of incoming attempts: one set for the whole gateway."""

from collections.abc import Callable
from dataclasses import dataclass, field

from sieve.channel import receiver
from sieve.gateway.clock import Clock
from sieve.gateway.inbound.partials import Partials
from sieve.gateway.peering.identity import Identity
from sieve.gateway.plain.listener import PlainListener
from sieve.gateway.plain.write_behind import WriteBehind
from sieve.gateway.telemetry.announcements import Announcements
from sieve.gateway.telemetry.timings_ended import TimingsEnded
from sieve.store.blobs import BlobStore
from sieve.store.database import Database


@dataclass(frozen=True, slots=True)
class ReceivingSettings:
    """`stall_s`: an attempt without a sign of life for this long is dropped. `opening_s`: an opening must be complete
    within this time. `beat_s`: how often a sender that waits for an answer gets a line. `quota`: the most bytes of one
    peer in progress.
    """

    limits: receiver.Limits
    quota: int
    stall_s: float = 60.0
    opening_s: float = 300.0
    beat_s: float = 15.0


@dataclass(slots=True)
class Dependencies:
    """The services that incoming attempts use."""

    database: Database
    blobs: BlobStore
    plain: PlainListener
    identity: Identity
    name: str
    settings: ReceivingSettings
    announcements: Announcements = field(default_factory=Announcements)
    writes: WriteBehind = field(default_factory=WriteBehind)
    audit_head: Callable[[], str | None] = lambda: None
    """The signed head of the audit log; None if the log is empty."""
    clock: Clock = field(default_factory=Clock)
    timings_ended: TimingsEnded = field(default_factory=TimingsEnded)
    partials: Partials = field(init=False)
    """The partials of attempts that broke off."""

    def __post_init__(self) -> None:
        self.partials = Partials(self.database, self.blobs, self.clock)
