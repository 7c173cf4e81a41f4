"""What shows that this machine's clock is right, although it is far from what is expected (ADR 64).

A clock that is ahead would delete for good what is not due yet, and a gateway that was off for long cannot tell that
its clock is right. So such a clock is *unconfirmed* until one of these happens:

- it is near the expected time again: somebody set it;
- a paired gateway, which does not doubt its own clock, says the same time in its hello;
- the gateway has run for `RUN_NS`, over restarts, and no peer has said another time meanwhile.

Invariant: what is noted as believed never comes from an unconfirmed clock. So no restart ends the doubt.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from sieve.core.utc import utc
from sieve.gateway.clock import NS_PER_S, Clock
from sieve.gateway.errors import PeerRefused, PeerUnreachable, WrongPeer
from sieve.gateway.peering.links import Links
from sieve.gateway.peering.peers import Peer, Peers
from sieve.gateway.periodic_jobs import repeat
from sieve.store.database import Database
from sieve.store.queries import clock_notes

log = logging.getLogger(__name__)

DAY_NS: Final = 24 * 3600 * NS_PER_S
PACE_S: Final = 60.0
NOTE_NS: Final = 3600 * NS_PER_S
"""How often the time is noted while the clock is believed."""
AGREES_NS: Final = 3600 * NS_PER_S
"""Two clocks that differ by no more than this, and the round trip, agree: what matters is whether it is days."""
MAX_NS: Final = 2**63 - 1
RUN_NS: Final = 7 * DAY_NS
"""How long a gateway runs until it believes a clock that no peer confirms."""
ASK_S: Final = 10.0
STOP_S: Final = 1.0
"""How long the gateway waits at its end for the last note."""


@dataclass(slots=True)
class ClockTrust:
    """`is_leader`: of several replicas, one asks and notes; the others follow what it noted."""

    database: Database
    clock: Clock
    peers: Peers
    links: Links
    is_leader: Callable[[], bool] = lambda: True
    contradicted: set[str] = field(default_factory=set)
    """The names of the peers whose clocks disagree."""
    _noted_ns: int | None = None
    """When it was last noted that the clock is believed, by the monotonic clock; None if the next note is due."""

    async def load(self) -> None:
        """Continues from what an earlier run noted."""
        async with self.database.read() as session:
            note = await clock_notes.latest(session)
        if note is None:
            return
        was_believed = self.clock.unconfirmed_ns is None
        self.clock.begin(note.believed_at_ns, note.unconfirmed_ns)
        if was_believed and self.problem is not None:
            log.warning("%s", self.problem)

    async def run(self) -> None:
        """Looks every `PACE_S`, until cancelled."""
        await repeat(self.look, PACE_S, "note what the clock reads")

    async def look(self) -> None:
        """Asks the peers if the clock is unconfirmed, and notes what is due."""
        if not self.is_leader():
            await self.load()
            return
        if self.clock.unconfirmed_ns is not None:
            paired = [peer for peer in self.peers.all() if peer.active]
            self.contradicted &= {peer.name for peer in paired}
            await asyncio.gather(*(self._ask(peer) for peer in paired))
            self._believe_after_long()
            self._noted_ns = None
        else:
            self.contradicted.clear()
        if self._noted_ns is None or time.monotonic_ns() - self._noted_ns >= NOTE_NS:
            await self._note()

    async def close(self) -> None:
        """Notes the time once more, for `STOP_S` at most."""
        if self.is_leader():
            with suppress(Exception):  # nothing depends on it: the last note is an hour old at most
                async with asyncio.timeout(STOP_S):
                    await self._note()

    @property
    def problem(self) -> str | None:
        """What is wrong with the clock; None if it is believed. It names no peer, because anyone may ask `/readyz`."""
        if self.clock.unconfirmed_ns is None:
            return None
        now_ns = self.clock.now_ns()
        by_ns = now_ns - self.clock.expected_ns
        differing = "; a peer's clock disagrees: set the one that is wrong" if self.contradicted else ""
        return (
            f"this machine's clock reads {utc(now_ns)}, {abs(by_ns) / DAY_NS:.1f} days "
            f"{'later' if by_ns > 0 else 'earlier'} than expected; until a peer's clock confirms it, or the gateway "
            f"has run for {RUN_NS // DAY_NS} days, nothing is deleted for its age, and no transfer fails for its "
            f"deadline{differing}"
        )

    async def _ask(self, peer: Peer) -> None:
        """Asks a peer for its time. One that says none, or cannot be asked, leaves everything as it is."""
        began_ns = time.monotonic_ns()
        try:
            async with asyncio.timeout(ASK_S):
                said = await self.links.to(peer).ask("GET", "/v1/hello")
        except (PeerUnreachable, PeerRefused, WrongPeer, TimeoutError):
            return
        took_ns, theirs_ns = time.monotonic_ns() - began_ns, said.get("now_ns")
        if self.clock.unconfirmed_ns is None:
            return
        if type(theirs_ns) is not int or not 0 <= theirs_ns <= MAX_NS:
            self.contradicted.discard(peer.name)
            return
        ahead_ns = theirs_ns - self.clock.now_ns()
        if -AGREES_NS - took_ns <= ahead_ns <= AGREES_NS:
            self.clock.confirm()
            self.contradicted.clear()
            log.info("the clock of %s confirms this machine's, which reads %s", peer.name, utc(self.clock.now_ns()))
            return
        is_new = peer.name not in self.contradicted
        self.contradicted.add(peer.name)
        self.clock.contradict()
        if is_new:
            log.warning("%s (the clock of %s reads %s)", self.problem, peer.name, utc(theirs_ns))

    def _believe_after_long(self) -> None:
        unconfirmed_ns = self.clock.unconfirmed_ns
        if unconfirmed_ns is not None and unconfirmed_ns >= RUN_NS:
            self.clock.confirm()
            log.warning(
                "no peer confirmed this machine's clock in %d days; it is believed from now on, and reads %s",
                RUN_NS // DAY_NS,
                utc(self.clock.now_ns()),
            )

    async def _note(self) -> None:
        async with self.database.write() as session:
            unconfirmed_ns = self.clock.unconfirmed_ns
            await clock_notes.put(session, self.clock.expected_ns, unconfirmed_ns)
        self._noted_ns = time.monotonic_ns() if unconfirmed_ns is None else None
