"""What sending needs of the gateway."""

from dataclasses import dataclass, field

from sieve.channel.plain_patience import PlainPatience
from sieve.gateway.clock import Clock
from sieve.gateway.outbound.planning import Planning
from sieve.gateway.peering.links import Links
from sieve.gateway.peering.peers import Peers
from sieve.gateway.telemetry.progress import ProgressBus
from sieve.gateway.telemetry.timings_ended import TimingsEnded
from sieve.store.blobs import BlobStore
from sieve.store.database import Database


@dataclass(frozen=True, slots=True)
class Dependencies:
    """`late_s`: how long to ask a peer whether it delivered a transfer that was cancelled. `pads`: whether to pad what
    goes over the secure channel, if the peer takes it."""

    database: Database
    blobs: BlobStore
    peers: Peers
    links: Links
    bus: ProgressBus
    our_pin: str
    planning: Planning
    plain_patience: PlainPatience
    late_s: float
    clock: Clock
    timings_ended: TimingsEnded = field(default_factory=TimingsEnded)
    pads: bool = True
