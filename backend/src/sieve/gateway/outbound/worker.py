"""The outbox worker: claims transfers that are due, in groups that are sent together, and runs each claim to its end.

Invariant: a claim is a lease with a token; every later write names the token and fails if another claim holds the
transfer by then. Each attempt gives each of its transfers one outcome: delivered, retry at a given time, permanent
failure with a reason, or cancelled.

The path of a transfer: `worker` claims it, `claim_run` repeats attempts, `attempt_runner` makes one, `sending` carries
the bytes, `outcome_recorder` writes down the results. `planner.grouping` decides which transfers go together.
"""

import asyncio
import functools
import logging
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from sieve.channel.load import MAX_DOCUMENTS
from sieve.gateway.clock import NS_PER_S
from sieve.gateway.outbound.claim_run import ClaimRun
from sieve.gateway.outbound.claims import Claim
from sieve.gateway.outbound.dependencies import Dependencies
from sieve.gateway.outbound.outcome_recorder import OutcomeRecorder
from sieve.gateway.outbound.planner.grouping import Groups, Offer, grouped
from sieve.gateway.outbound.probing import Probing
from sieve.gateway.outbound.unreachable_peers import UnreachablePeers
from sieve.gateway.outbound.worker_settings import WorkerSettings
from sieve.gateway.peering.peer_capacity import PeerCapacity, UnderWay
from sieve.gateway.telemetry import ends_without_outcome
from sieve.store.queries import claiming, clock_corrections
from sieve.store.queries.claiming import Due, LostAttempt

log = logging.getLogger(__name__)

AT_LEAST_S: Final = 0.01


@dataclass(slots=True)
class OutboxWorker:
    """`run` it until it is cancelled; `wake` it after a transfer was queued."""

    deps: Dependencies
    settings: WorkerSettings
    draw: Callable[[], float]
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    running: dict[ClaimRun, asyncio.Task[None]] = field(default_factory=dict)
    unreachable_peers: UnreachablePeers = field(init=False)

    def __post_init__(self) -> None:
        deps, settings = self.deps, self.settings
        self.unreachable_peers = UnreachablePeers(
            deps.database, deps.peers, deps.links, deps.clock, self.wake, settings.greet_first_s, settings.greet_cap_s
        )

    def heard(self, peer_id: str) -> None:
        """A peer made a request: transfers that wait for it may go soon."""
        self.unreachable_peers.heard(peer_id)

    def wake(self) -> None:
        """Makes the worker look for due transfers now."""
        self._wake.set()

    def cancel(self, transfer_id: str) -> bool:
        """Cancels the attempt in progress at a transfer; False if the peer has every byte already.

        If no attempt is in progress, or after a crash, the next attempt reads the cancellation in the transfer's row.
        """
        return all(run.cancel(transfer_id) for run in self.running)

    async def run(self) -> None:
        """Claims due transfers and runs the claims, `at_once` at a time."""
        beside = [asyncio.create_task(self.unreachable_peers.run())]
        if self.settings.probe_every_s is not None:
            beside.append(asyncio.create_task(self._probing(self.settings.probe_every_s).run()))
        try:
            while True:
                self._wake.clear()
                free = self.settings.at_once - len(self.running)
                self.deps.clock.look()
                if not self.deps.clock.is_followed:
                    await self._follow_clock()
                # Until the waits are fitted to the clock, they do not show which transfers are due.
                due_ns = await self._due_ns() if free > 0 and self.deps.clock.is_followed else None
                # Reading first is cheap, and does not delay writers.
                if due_ns is not None and due_ns <= self.deps.clock.now_ns():
                    claims, due_ns = await self._claim(free)
                    for claim in claims:
                        self._start(claim)
                    if claims:
                        continue
                pause_s = self.settings.poll_s
                if due_ns is not None:
                    pause_s = min(pause_s, max(AT_LEAST_S, (due_ns - self.deps.clock.now_ns()) / NS_PER_S))
                # Not wait_for: before Python 3.12 it can lose a cancellation that arrives together with the event, and
                # this would never end.
                with suppress(TimeoutError):
                    async with asyncio.timeout(pause_s):
                        await self._wake.wait()
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
            await self._stop()

    def _probing(self, every_s: float) -> Probing:
        deps = self.deps
        return Probing(
            deps.database, deps.peers, deps.links, deps.planning, deps.clock, lambda: not self.running, every_s
        )

    async def _stop(self) -> None:
        """Stops every attempt, and waits until their outcomes are stored."""
        tasks = set(self.running.values())
        for run in self.running:
            run.stop()
        try:
            if tasks:
                await asyncio.wait(tasks, timeout=self.settings.stop_s)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _ended(self, run: ClaimRun, task: asyncio.Task[None]) -> None:
        del self.running[run]
        self._wake.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("transfer %s: sending failed: %s", run.claim.names, type(error).__name__, exc_info=error)

    # --- claiming --------------------------------------------------------------------------------------------------

    async def _follow_clock(self) -> None:
        """Fits the stored waits to the clock: at the start, and each time the clock was set."""
        try:
            async with self.deps.database.write() as session:
                # If the clock is set again before this commits, the waits are fitted again.
                self.deps.clock.is_followed = True
                await clock_corrections.fit(
                    session,
                    now_ns=self.deps.clock.now_ns(),
                    retry_ns=int(self.settings.retry_cap_s * NS_PER_S),
                    breaker_ns=int(self.settings.breaker_s * NS_PER_S),
                    lease_ns=int(self.settings.lease_s * NS_PER_S),
                    held=[run.claim.token for run in self.running],
                )
        except Exception as error:  # see _due_ns
            self.deps.clock.is_followed = False
            log.warning("the waits in the outbox cannot be fitted to the clock just now: %s", error)

    async def _due_ns(self) -> int | None:
        """When the next transfer is due; None if there is none, or the database cannot be read."""
        try:
            async with self.deps.database.read() as session:
                return await claiming.next_due_ns(session)
        except Exception as error:  # the database may be busy or its disk full: look again after `poll_s`
            log.warning("the outbox cannot be read just now: %s", error)
            return None

    async def _claim(self, most: int) -> tuple[Sequence[Claim], int | None]:
        """Claims on the transfers to send now; and if there are none, when to look again."""
        lease_ns = int(self.settings.lease_s * NS_PER_S)
        # A peer never gets more at a time; and as many again to form groups with.
        horizon = 2 * MAX_DOCUMENTS
        try:
            async with self.deps.database.write() as session:
                now = self.deps.clock.now_ns()
                if not self.deps.clock.is_followed:
                    return (), None
                found = await claiming.due(session, now_ns=now, most=horizon)
                leaving = self._grouped(found, now, most)
                claims, lost = [], list[LostAttempt]()
                for positions in leaving.groups:
                    ids, token = [found[position].id for position in positions], secrets.token_hex(16)
                    claimed = await claiming.claim(session, ids, now_ns=now, lease_ns=lease_ns, token=token)
                    size = sum(found[position].size for position in positions)
                    claims.append(Claim(claimed.transfers, token, size))
                    lost += claimed.lost
                timings = await ends_without_outcome.add_lost(session, lost, now)
        except Exception as error:  # see _due_ns
            log.warning("the outbox cannot be claimed from just now: %s", error)
            # Without a pause the loop would try again at once, without end: transfers are still due.
            await asyncio.sleep(self.settings.poll_s)
            return (), None
        self.deps.timings_ended(timings)
        return claims, leaving.look_again_ns

    def _grouped(self, found: Sequence[Due], now: int, most: int) -> Groups:
        rules = self.settings.together
        under_way: dict[str, UnderWay] = {}
        for claim in (run.claim for run in self.running):
            documents, size = under_way.get(claim.peer_id, UnderWay())
            under_way[claim.peer_id] = UnderWay(documents + len(claim.transfers), size + claim.size)
        offer = Offer(
            takes=self._takes,
            pays=functools.partial(
                self.deps.planning.together, most_documents=rules.most_documents, most_bytes=rules.most_bytes
            ),
            under_way=under_way,
        )
        return grouped(found, rules, offer, now_ns=now, most=most)

    def _takes(self, peer_id: str) -> PeerCapacity:
        """How much a peer accepts at a time, as far as this gateway knows."""
        peer = self.deps.peers.by_id(peer_id)
        return PeerCapacity(together=1) if peer is None else self.deps.links.to(peer).takes

    def _start(self, claim: Claim) -> None:
        settings = self.settings
        recorder = OutcomeRecorder(self.deps, self.draw, settings, self.unreachable_peers)
        run = ClaimRun(claim, self.deps, recorder, settings.lease_s)
        task = self.running[run] = asyncio.create_task(run.run())
        task.add_done_callback(functools.partial(self._ended, run))
