"""When each peer was last in contact, how fast it answers and until when its certificate is valid: for admins.

Only what connections really showed counts. Memory is authoritative; a task writes changes at most once a minute. What
cannot be written waits for the next minute.
"""

import asyncio
import logging
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field, fields
from statistics import median
from typing import Final

from cryptography import x509

from sieve.channel.manifest import MAX_TIME_NS
from sieve.gateway.clock import NS_PER_S, Clock
from sieve.store.database import Database
from sieve.store.queries import peer_contacts

log = logging.getLogger(__name__)

EVERY_S: Final = 60.0
STOP_S: Final = 1.0
"""How long the gateway waits at its end for the last write."""
SAMPLES: Final = 31
"""The latest short answers of a peer, of which the median counts."""


@dataclass(slots=True)
class Contact:
    """One peer. `reached_at_ns`: it answered; `heard_at_ns`: it made a request. `latency_us`: the median of its recent
    short answers over open connections. `protocol`: the version that both gateways speak. None: not known yet.
    """

    reached_at_ns: int | None = None
    heard_at_ns: int | None = None
    certificate_until_ns: int | None = None
    latency_us: int | None = None
    protocol: int | None = None

    @property
    def seen_at_ns(self) -> int | None:
        """The last contact in either direction."""
        return max((at for at in (self.reached_at_ns, self.heard_at_ns) if at is not None), default=None)


_COLUMNS: Final = tuple(each.name for each in fields(Contact))


@dataclass(slots=True)
class PeerContacts:
    """All peers' contacts, by peer id."""

    database: Database
    clock: Clock = field(default_factory=Clock)
    _contacts: dict[str, Contact] = field(default_factory=dict)
    _answers_us: dict[str, deque[int]] = field(default_factory=dict)
    _certificates: dict[str, bytes] = field(default_factory=dict)
    """The certificate that each peer showed last, so that each is parsed once."""
    _changed: set[str] = field(default_factory=set)
    _wake: asyncio.Event = field(default_factory=asyncio.Event)

    def of(self, peer_id: str) -> Contact:
        """What is known of a peer."""
        return self._contacts.get(peer_id, Contact())

    def reached(self, peer_id: str) -> None:
        """The peer answered a request of this gateway."""
        self._noted(peer_id).reached_at_ns = self.clock.now_ns()

    def heard(self, peer_id: str, certificate: bytes) -> None:
        """The peer made a request over a connection with this certificate (DER)."""
        self._noted(peer_id).heard_at_ns = self.clock.now_ns()
        self.certificate(peer_id, certificate)

    def answered(self, peer_id: str, latency_us: int) -> None:
        """The peer gave a short answer over an open connection in this time."""
        answers = self._answers_us.setdefault(peer_id, deque(maxlen=SAMPLES))
        answers.append(latency_us)
        self._noted(peer_id).latency_us = round(median(answers))

    def certificate(self, peer_id: str, certificate: bytes) -> None:
        """The peer showed this certificate (DER), which was checked."""
        if self._certificates.get(peer_id) == certificate:
            return
        until = x509.load_der_x509_certificate(certificate).not_valid_after_utc
        self._certificates[peer_id] = certificate
        # A certificate that never expires says the end of 9999, for which rows have no room.
        self._noted(peer_id).certificate_until_ns = min(int(until.timestamp()) * NS_PER_S, MAX_TIME_NS)

    def speaks(self, peer_id: str, protocol: int) -> None:
        """Both gateways speak this version of the protocol, by the peer's hello."""
        self._noted(peer_id).protocol = protocol

    async def load(self) -> None:
        """Reads what earlier runs noted."""
        async with self.database.read() as session:
            for row in await peer_contacts.all_of_them(session):
                self._contacts[row.peer_id] = Contact(**{name: getattr(row, name) for name in _COLUMNS})

    async def run(self) -> None:
        """Writes changes, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            await self.write()
            await asyncio.sleep(EVERY_S)

    async def write(self) -> None:
        """Writes all changes; those that cannot be written now stay for the next time."""
        if not self._changed:
            return
        changed, self._changed = self._changed, set()
        try:
            async with self.database.write() as session:
                for peer_id in changed:
                    contact = self._contacts[peer_id]
                    await peer_contacts.keep(session, peer_id, {name: getattr(contact, name) for name in _COLUMNS})
        except Exception as error:  # the database may be busy, full or read-only
            log.info("when peers were in contact cannot be recorded right now: %s", error)
            self._changed |= changed
            self._wake.set()

    async def close(self) -> None:
        """Writes all changes, for `STOP_S` at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_S):
                await self.write()

    def _noted(self, peer_id: str) -> Contact:
        self._changed.add(peer_id)
        self._wake.set()
        return self._contacts.setdefault(peer_id, Contact())
