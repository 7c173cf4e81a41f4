"""Measures both channels to a peer with probes: random bytes that are no document, and that the peer discards.

Invariant: no byte of a probe comes from a document. Probes are sent only while nothing else is, and only to peers whose
channels were not measured lately.
"""

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Final

from sieve.channel.attempt import Attempt, Plan
from sieve.channel.attempt_split import PlainSplit
from sieve.channel.chunk_sizes import MAX_CHUNK
from sieve.channel.probes import MAX_PROBE, PROBE_S
from sieve.channel.seals import COMMON_SEAL, KEY_SIZE, SealKey, SealKind
from sieve.gateway.clock import Clock
from sieve.gateway.errors import PeerRefused, PeerUnreachable, WrongPeer
from sieve.gateway.outbound.plain_lanes import Lanes
from sieve.gateway.outbound.planner.costs import Way, Work
from sieve.gateway.outbound.planning import Planning
from sieve.gateway.peering.links import Link, Links
from sieve.gateway.peering.peers import Peer, Peers
from sieve.gateway.telemetry.timing import NS_PER_MS
from sieve.gateway.telemetry.timing_marks import SECURE, TimingMarks
from sieve.gateway.telemetry.traces import channel_trace
from sieve.store.database import Database
from sieve.store.queries import peer_costs

log = logging.getLogger(__name__)

_SMALL: Final = 2048
SIZES: Final = (
    # Opens the channels; not learned from.
    (_SMALL, _SMALL),
    # Secure and plain bytes: small ones tell the fixed costs of each mode, large ones the rates.
    (_SMALL, 0),
    (MAX_PROBE, 0),
    (_SMALL, _SMALL),
    (MAX_PROBE // 2, MAX_PROBE // 2),
    (MAX_PROBE // 32, MAX_PROBE),
)


ANSWER_S: Final = 2 * PROBE_S
"""How long the secure part of a probe may take with its answer. The peer ends it after `PROBE_S`."""


@dataclass(slots=True)
class Probing:
    """`is_idle`: whether this gateway sends nothing just now. `every_s`: how often to look for a peer to probe."""

    database: Database
    peers: Peers
    links: Links
    planning: Planning
    clock: Clock
    is_idle: Callable[[], bool]
    every_s: float

    async def run(self) -> None:
        """Looks from time to time for peers whose channels were not measured lately, and probes them."""
        while True:
            await asyncio.sleep(self.every_s)
            for peer in self.peers.all():
                if not peer.active or not self.is_idle():
                    continue
                try:
                    if await self.planning.is_probe_due(self.database, peer.id, time.monotonic_ns()):
                        await self.probe(peer)
                except Exception as error:  # the database may be busy; a defect must not end the probes
                    log.warning("probing %s failed: %s", peer.name, error)

    async def probe(self, peer: Peer) -> None:
        """Sends the probes to one peer, as long as nothing else is sent, and learns from them."""
        link = self.links.to(peer)
        learned: str | None = None
        try:
            hello = await link.hello()
            if not hello.probes:
                return
            kind = link.seal_for(hello)
            for number, (secure, plain) in enumerate(SIZES):
                if not self.is_idle():
                    break
                ms = await _response_ms(link, secure, plain, kind)
                if number and self.is_idle():
                    work = Work(secure, plain) if plain else Work(secure // 2, secure - secure // 2)
                    way = Way("sieve" if plain else "secure-only")
                    learned = self.planning.learn_probe(peer.id, work, way, ms, time.monotonic_ns())
        except (PeerUnreachable, PeerRefused, WrongPeer) as refused:
            log.info("%s was not probed: %s", peer.name, refused)
        if learned is not None:
            async with self.database.write() as session:
                await peer_costs.keep(session, peer.id, learned, self.clock.now_ns())


async def _response_ms(link: Link, secure: int, plain: int, kind: SealKind) -> float:
    """How long a probe takes from its first byte until the peer has it. `kind`: the seal of its plain chunks.

    Raises:
        PeerUnreachable, PeerRefused, WrongPeer: see `peer_errors`; also if the peer's answer is invalid.
    """
    asked = {"secure": secure, "plain": plain} | ({"seal": kind} if kind != COMMON_SEAL else {})
    said = await link.ask("POST", "/v1/probes", json=asked)
    try:
        handle, key = str(said["handle"]), bytes.fromhex(said["plain_key"])
        attempt = Attempt(handle, SealKey(key, kind), Plan("sieve"), (1,), MAX_CHUNK)
        if len(key) != KEY_SIZE or not handle.isalnum():
            raise ValueError
    except (KeyError, TypeError, ValueError) as error:
        raise PeerRefused(f"{link.peer.name} sent an invalid response", permanent=False) from error
    timing_marks, chunks, noise = TimingMarks(), PlainSplit(plain, max_chunk=MAX_CHUNK).chunks(), os.urandom(plain)

    def read(number: int) -> bytes:
        place = chunks.place(number)
        return noise[place.start : place.end]

    async def body() -> AsyncIterator[bytes]:
        left = secure
        while left:
            piece = os.urandom(min(left, 64 * 1024))
            left -= len(piece)
            yield piece

    lanes = Lanes(link, attempt, chunks, timing_marks, read, _ignore, _ignore, connect_s=PROBE_S, round_s=PROBE_S)
    sending = asyncio.create_task(lanes.round(range(chunks.count))) if plain else None
    try:
        async with (
            asyncio.timeout(ANSWER_S),
            link.stream("PUT", f"/v1/probes/{handle}", body(), secure, channel_trace(timing_marks, SECURE)) as answer,
        ):
            async for _ in answer.aiter_raw():
                pass
        ended_ns = timing_marks.clock()
    except TimeoutError:
        raise PeerRefused(f"{link.peer.name} did not end the probe in time", permanent=False) from None
    finally:
        if sending is not None:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
    return (ended_ns - (timing_marks.first("first-byte") or ended_ns)) / NS_PER_MS


def _ignore(_: int) -> None:
    """Nobody watches a probe's progress."""
