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
from sieve.store.blobs import BlobStore
from sieve.store.database import Database


@dataclass(frozen=True, slots=True)
class ReceivingSettings:
    """`stall_s`: an attempt of which nothing is heard for so long is dropped. `opening_s`: an opening must be whole by
    then. `beat_s`: a sender that waits for an answer hears this often that it is waited on. `quota` bounds a peer's
    bytes under way.
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
    """Where the audit log ends, as it was signed last, if there is anything in it."""
    clock: Clock = field(default_factory=Clock)
    partials: Partials = field(init=False)
    """What is kept of attempts that broke off."""

    def __post_init__(self) -> None:
        self.partials = Partials(self.database, self.blobs, self.clock)
