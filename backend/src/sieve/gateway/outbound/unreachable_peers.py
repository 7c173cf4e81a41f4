"""Peers that cannot be reached while transfers wait for them: notices when they are back, and makes the transfers due.

A peer is greeted with growing pauses (`GET /v1/hello`), and sooner when it makes a request itself. When it answers, its
breaker closes and the transfers that wait because it could not be reached are due.

Invariant: a peer is greeted only while something waits for it, and at most once in `first_s`, however often it calls.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from sieve.gateway.clock import Clock
from sieve.gateway.errors import PeerRefused, PeerUnreachable, WrongPeer
from sieve.gateway.peering.links import Links
from sieve.gateway.peering.peers import Peers
from sieve.store.database import Database
from sieve.store.queries import attempt_outcomes, claiming

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Away:
    """`called`: the peer made a request."""

    called: asyncio.Event
    task: asyncio.Task[None]


@dataclass(slots=True)
class UnreachablePeers:
    """`run` it while the worker runs. Calls `wake` when transfers are due. `first_s`, `cap_s`: the shortest and the
    longest pause between two greetings of a peer."""

    database: Database
    peers: Peers
    links: Links
    clock: Clock
    wake: Callable[[], None]
    first_s: float
    cap_s: float
    away: dict[str, _Away] = field(default_factory=dict)
    pauses: dict[str, float] = field(default_factory=dict)
    """The next pause of each peer. It starts over once an attempt reaches the peer, not when a greeting does: else a
    peer that answers only greetings would get attempts without a pause."""
    _is_running: bool = False

    async def run(self) -> None:
        """Greets the peers that transfers wait for, also those from before a restart."""
        self._is_running = True
        try:
            with suppress(Exception):  # the database may be busy; the next attempt finds out that a peer is away
                async with self.database.browse() as session:
                    waited_for = await claiming.unreachable_peers(session)
                for peer_id in waited_for:
                    self.add(peer_id)
            await asyncio.Event().wait()
        finally:
            self._is_running = False
            tasks = [each.task for each in self.away.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def noticed(self, peer_id: str, *, reached: bool) -> None:
        """An attempt reached the peer, or could not."""
        if reached:
            self.pauses.pop(peer_id, None)
        else:
            self.add(peer_id)

    def add(self, peer_id: str) -> None:
        """Begins to greet a peer."""
        if self._is_running and peer_id not in self.away:
            called = asyncio.Event()
            task = asyncio.create_task(self._until_back(peer_id, called))
            self.away[peer_id] = _Away(called, task)
            task.add_done_callback(lambda _: self.away.pop(peer_id, None))

    def heard(self, peer_id: str) -> None:
        """The peer made a request: it is probably back."""
        if (away := self.away.get(peer_id)) is not None:
            away.called.set()

    async def _until_back(self, peer_id: str, called: asyncio.Event) -> None:
        while True:
            pause_s = self.pauses.get(peer_id, self.first_s)
            self.pauses[peer_id] = min(2 * pause_s, self.cap_s)
            await asyncio.sleep(self.first_s)
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, pause_s - self.first_s)):
                    await called.wait()
            called.clear()
            try:
                if not await self._is_waited_for(peer_id):
                    return
                if await self._answers(peer_id):
                    await self._release(peer_id)
                    return
            except Exception as error:  # the database may be busy or its disk full: the next round tries again
                log.warning("peer %s: looking whether it is back failed: %s", peer_id, error)

    async def _is_waited_for(self, peer_id: str) -> bool:
        async with self.database.browse() as session:
            return peer_id in await claiming.unreachable_peers(session)

    async def _answers(self, peer_id: str) -> bool:
        peer = self.peers.by_id(peer_id)
        if peer is None:
            return False
        link = self.links.to(peer)
        link.forget()
        try:
            await link.hello()
        except PeerRefused:
            return True  # its own sentence is for the transfer
        except (PeerUnreachable, WrongPeer):
            return False
        return True

    async def _release(self, peer_id: str) -> None:
        async with self.database.write() as session:
            await attempt_outcomes.breaker_succeeded(session, peer_id)
            released = await claiming.release_unreachable(session, peer_id, self.clock.now_ns())
        log.info("peer %s is back: %d transfers go now", peer_id, released)
        self.wake()
