"""The attempts under way, by peer and transfer: which may begin, which takes over from which, and their end in order.

The law: of one transfer at most one attempt lives. A newer one waits until nothing is left of the older, or answers
with the receipt if the older one was being committed.
"""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field

from sieve.channel import receiver
from sieve.channel.chunks import to_ranges
from sieve.channel.opening import Opening
from sieve.gateway.errors import PeerRefused
from sieve.gateway.marks import now_ns
from sieve.gateway.peers import Peer
from sieve.gateway.receiving import Deps, Receiving, unknown_recipients
from sieve.store.blobs import DestinationFull
from sieve.store.queries import inbox as inbox_queries

log = logging.getLogger(__name__)

EXPECTED_S = 2.0
"""How long a sub-stream that overtook its opening waits for it."""
EXPECTED_AT_ONCE = 64
"""How many of them, of all peers."""


@dataclass(slots=True)
class Receivings:
    """The attempts under way, by peer and transfer; and whether a new one may begin."""

    deps: Deps
    _open: dict[tuple[str, str], Receiving] = field(default_factory=dict)
    _by_handle: dict[str, Receiving] = field(default_factory=dict)
    _supervisions: dict[tuple[str, str], asyncio.Task[None]] = field(default_factory=dict)
    _settling: bool = False
    _expecting: int = 0
    _entered: asyncio.Event = field(default_factory=asyncio.Event)

    def by_handle(self, peer: Peer, handle: str) -> Receiving | None:
        """The attempt of `peer` with that handle."""
        found = self._by_handle.get(handle)
        return found if found is not None and found.peer.id == peer.id else None

    async def expected(self, peer: Peer, handle: str) -> Receiving:
        """The attempt of `peer` with that handle, begun; if need be once its opening is here.

        Raises:
            PeerRefused: its opening does not come, or it may not begin.
        """
        if self.by_handle(peer, handle) is None and self._expecting < EXPECTED_AT_ONCE:
            self._expecting += 1
            try:
                with suppress(TimeoutError):
                    async with asyncio.timeout(EXPECTED_S):
                        while self.by_handle(peer, handle) is None:
                            await self._entered.wait()
            finally:
                self._expecting -= 1
        receiving = self.by_handle(peer, handle)
        if receiving is None:
            raise PeerRefused("there is no such attempt under way", permanent=False, kind="unknown-attempt")
        await receiving.begun.wait()
        return receiving

    async def begin(self, opening: Opening, peer: Peer, pin: str) -> Receiving | str:
        """A begun attempt, or the stored receipt of a transfer that was delivered before.

        Raises:
            PeerRefused: it may not begin, with the reason.
        """
        manifest = opening.manifest
        key = (peer.id, manifest.transfer_id)
        while True:
            under_way = self._open.get(key)
            async with self.deps.database.read() as session:
                stored = await inbox_queries.stored_receipt(session, peer.id, manifest.transfer_id)
                unknown = await inbox_queries.unknown_recipients(session, manifest.recipients)
            if self._open.get(key) is under_way:
                break  # else it may have been delivered after we looked, and be gone from here since
        if self._settling:
            raise PeerRefused("this gateway is shutting down", permanent=False)
        if stored is None and unknown:
            raise unknown_recipients(unknown, self.deps.name)
        # Nothing awaits from here to where the new attempt is entered: two openings cannot both be let in.
        current = self._open.get(key)
        decision = receiver.admit(
            opening,
            receiver.Known(
                delivered_manifest_digest=stored.manifest_digest if stored else None,
                stored_receipt=stored.receipt if stored else None,
                open_attempt=current.attempt.number if current else None,
                open_manifest_digest=current.manifest.digest if current else None,
                handle_in_use=opening.attempt.handle in self._by_handle,
                open_transfers=sum(1 for peer_id, _ in self._open if peer_id == peer.id),
            ),
            self.deps.settings.limits,
            now_ns(),
        )
        if isinstance(decision, receiver.RepeatReceipt):
            return decision.receipt
        if isinstance(decision, receiver.Decline):
            raise PeerRefused(decision.reason, permanent=decision.permanent, kind=decision.kind)
        others = sum(r.manifest.size for other, r in self._open.items() if other[0] == peer.id and other != key)
        if others + manifest.size > self.deps.settings.quota:
            raise PeerRefused("this gateway's quota for transfers under way is used up", permanent=False, kind="full")
        try:
            receiving = Receiving(opening, peer, pin, self.deps)
        except DestinationFull as error:
            raise PeerRefused("destination full", permanent=False, kind="full") from error
        self._open[key] = receiving
        self._by_handle[opening.attempt.handle] = receiving
        self._entered.set()  # all that wait look whether it is theirs
        self._entered = asyncio.Event()
        older = self._supervisions.get(key)
        self._supervisions[key] = asyncio.create_task(self._supervise(key, receiving, older))
        if current is not None and not current.committing:
            current.fail("a newer attempt took over")
        try:
            receipt = await self._outcome_of(older, key) if older is not None else None
            if receipt is None:
                await receiving.begin()
        except BaseException:
            receiving.fail("this gateway could not take the transfer; its log says why")
            raise
        if receipt is not None:
            receiving.fail("an earlier attempt delivered it")
            return receipt
        return receiving

    async def _outcome_of(self, older: asyncio.Task[None], key: tuple[str, str]) -> str | None:
        """The receipt, if an older attempt was being committed; None once nothing of it is left."""
        await asyncio.wait([older])
        async with self.deps.database.read() as session:
            stored = await inbox_queries.stored_receipt(session, *key)
        return stored.receipt if stored is not None else None

    async def _supervise(self, key: tuple[str, str], receiving: Receiving, older: asyncio.Task[None] | None) -> None:
        try:
            await receiving.supervise()
        except Exception as error:  # such as a file that cannot be removed: the sweep at the next start does it
            log.error("an attempt could not be cleared away: %s", type(error).__name__, exc_info=error)
        finally:
            if older is not None:
                # Whoever waits for this attempt waits for those before it, too: one of them may be committing.
                await asyncio.wait([older])
            if self._open.get(key) is receiving:
                del self._open[key]
                del self._supervisions[key]
            self._by_handle.pop(receiving.attempt.handle, None)

    async def abandon(self, receiving: Receiving) -> None:
        """Ends an attempt that its sender gives up, unless it is being committed; returns once it is over."""
        supervision = self._supervisions.get((receiving.peer.id, receiving.manifest.transfer_id))
        if not receiving.committing:
            receiving.fail("the sender gave it up")
        if supervision is not None:
            await asyncio.wait([supervision])

    def peers_under_way(self) -> set[str]:
        """The ids of peers with an attempt under way."""
        return {peer_id for peer_id, _ in self._open}

    def drop(self, peer_id: str, reason: str) -> None:
        """Ends every attempt of a peer."""
        for (owner, _), receiving in list(self._open.items()):
            if owner == peer_id and not receiving.committing:
                receiving.fail(reason, permanent=True)

    async def settle(self) -> None:
        """Ends every attempt, lets no new one in, and returns once those that were being committed are."""
        self._settling = True
        for receiving in list(self._open.values()):
            if not receiving.committing:
                receiving.fail("this gateway is shutting down")
        if self._supervisions:
            await asyncio.wait(list(self._supervisions.values()))

    def held(self, receiving: Receiving) -> list[list[int]]:
        """The plain chunks that an attempt holds, as ranges. Who asks is still there."""
        receiving.touch()
        return to_ranges(receiving.core.held)
