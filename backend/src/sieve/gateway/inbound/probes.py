"""Takes probes: random bytes of a peer that measures how long both channels take. Nothing of them is stored.

Invariant: a peer has at most one probe in progress, and sends at most `BUDGET` bytes of probes in `BUDGET_S`. The
receiver draws the handle, so that a probe cannot take the place of an attempt.
"""

import asyncio
import secrets
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from sieve.channel.attempt import HANDLE_SIZE
from sieve.channel.attempt_split import PlainSplit
from sieve.channel.chunk_sizes import MAX_CHUNK
from sieve.channel.errors import RemoteProtocolError
from sieve.channel.probes import BUDGET, BUDGET_S, PROBE_S
from sieve.channel.refusals import RefusalKind
from sieve.channel.seals import COMMON_SEAL, KEY_SIZE, SealKey, SealKind
from sieve.gateway.errors import PeerRefused
from sieve.gateway.peering.peers import Peer
from sieve.gateway.plain.files import StreamPart
from sieve.gateway.plain.listener import PlainListener, PlainListenerLost


@dataclass(slots=True)
class _Probe:
    """`missing`: the plain chunks that have not arrived. `plain_ended`: none is missing, or none can arrive."""

    handle: str
    secure: int
    missing: set[int]
    chunks: int
    plain_ended: asyncio.Event = field(default_factory=asyncio.Event)
    ending: asyncio.Task[None] | None = None

    def held(self, chunk: int) -> None:
        self.missing.discard(chunk)
        if not self.missing:
            self.plain_ended.set()


@dataclass(slots=True)
class Probes:
    """The probes in progress, one for each peer. `now`: seconds, monotonic."""

    plain: PlainListener
    now: Callable[[], float] = time.monotonic
    _open: dict[str, _Probe] = field(default_factory=dict)
    _spent: dict[str, deque[tuple[float, int]]] = field(default_factory=dict)

    async def open(self, peer: Peer, secure: int, plain: int, seal: SealKind = COMMON_SEAL) -> tuple[str, bytes]:
        """Announces a probe of that many bytes on each channel; sealed by `seal`; returns its handle and
        its plain key.

        Raises:
            PeerRefused: the peer has a probe in progress, or sent enough lately; or the plain listener does not answer.
        """
        if peer.id in self._open:
            raise _busy("a probe of this gateway is in progress here")
        self._spend(peer.id, secure + plain)
        split = PlainSplit(plain, max_chunk=MAX_CHUNK)
        chunks = split.chunks().count
        probe = self._open[peer.id] = _Probe(secrets.token_hex(HANDLE_SIZE), secure, set(range(chunks)), chunks)
        key = secrets.token_bytes(KEY_SIZE)
        try:
            if plain:
                discarded = StreamPart(None, 0, plain)
                await self.plain.open(
                    probe.handle, SealKey(key, seal), [discarded], split, probe.held, probe.plain_ended.set
                )
            else:
                probe.plain_ended.set()
        except PlainListenerLost as lost:
            del self._open[peer.id]
            raise PeerRefused(str(lost), permanent=False, kind=RefusalKind.PLAIN_LISTENER) from lost
        except BaseException:
            del self._open[peer.id]
            raise
        probe.ending = asyncio.create_task(self._end_late(peer.id, probe))
        return probe.handle, key

    async def take(self, peer: Peer, handle: str, pieces: AsyncIterator[bytes]) -> None:
        """Reads the secure bytes of a probe and discards them; returns when the plain bytes are there, too.

        Raises:
            PeerRefused: there is no such probe, or its plain bytes did not arrive in time.
            RemoteProtocolError: there are more or fewer bytes than announced.
        """
        probe = self._open.get(peer.id)
        if probe is None or probe.handle != handle:
            raise PeerRefused("there is no such probe", permanent=False, kind=RefusalKind.UNKNOWN_ATTEMPT)
        try:
            async with asyncio.timeout(PROBE_S):
                arrived = 0
                async for piece in pieces:
                    arrived += len(piece)
                    if arrived > probe.secure:
                        break
                if arrived != probe.secure:
                    raise RemoteProtocolError("the probe is not as long as announced")
                await probe.plain_ended.wait()
        except TimeoutError:
            raise PeerRefused("the probe did not arrive in time", permanent=False) from None
        finally:
            await self._end(peer.id, probe)
        if probe.missing:
            raise PeerRefused("the probe did not arrive on the plain channel", permanent=False)

    def _spend(self, peer_id: str, size: int) -> None:
        now = self.now()
        spent = self._spent.setdefault(peer_id, deque())
        while spent and spent[0][0] <= now - BUDGET_S:
            spent.popleft()
        if sum(each for _, each in spent) + size > BUDGET:
            raise _busy("this gateway sent enough probes lately")
        spent.append((now, size))

    async def _end_late(self, peer_id: str, probe: _Probe) -> None:
        await asyncio.sleep(PROBE_S)
        probe.ending = None
        await self._end(peer_id, probe)

    async def _end(self, peer_id: str, probe: _Probe) -> None:
        if probe.ending is not None:
            probe.ending.cancel()
        probe.plain_ended.set()
        try:
            if probe.chunks and self.plain.is_open(probe.handle):
                with suppress(PlainListenerLost):
                    await self.plain.fence(probe.handle, probe.chunks)
        finally:
            if self._open.get(peer_id) is probe:
                del self._open[peer_id]


def _busy(detail: str) -> PeerRefused:
    return PeerRefused(detail, permanent=False, kind=RefusalKind.BUSY)
