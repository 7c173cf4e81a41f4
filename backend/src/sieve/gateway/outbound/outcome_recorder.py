"""Writing down how claimed transfers ended: all of a group in one transaction, if need be again and again.

The law: nobody hears how a transfer ended before it stands in the database; and what an attempt found is left out if
another holds the transfer by then.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import NS_PER_S, Clock
from sieve.gateway.outbound.backoff import backoff_s
from sieve.gateway.outbound.claims import Claim, Group
from sieve.gateway.outbound.outcomes import Cancelled, Delivered, PermanentFailure, Retry
from sieve.gateway.peering.peers import PEER_REMOVED, Peers
from sieve.gateway.telemetry.progress import Progress, ProgressBus
from sieve.gateway.telemetry.timing_marks import TimingMarks
from sieve.store.database import Database
from sieve.store.queries import marks as mark_queries
from sieve.store.queries import peer_costs, settling
from sieve.store.queries.settling import Ended

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Patience:
    """Times in seconds. `retry_first_s`, `retry_cap_s`: of the waits between attempts. `full_disk_s`: the wait for a
    peer whose disk is full is at least half of it, but never more than `retry_cap_s`. After `breaker_after` failures in
    a row to reach a peer nothing is sent to it for `breaker_open_s`, or for `retry_cap_s` if that is shorter.
    """

    retry_first_s: float
    retry_cap_s: float
    full_disk_s: float
    breaker_after: int
    breaker_open_s: float

    @property
    def open_s(self) -> float:
        """How long a breaker stays open."""
        return min(self.breaker_open_s, self.retry_cap_s)


@dataclass(frozen=True, slots=True)
class OutcomeRecorder:
    """`draw` gives a number in [0, 1)."""

    database: Database
    peers: Peers
    bus: ProgressBus
    draw: Callable[[], float]
    clock: Clock

    async def settle(self, group: Group, patience: Patience, *, lease_s: float, again_s: float) -> None:
        """Writes down what ended and is not written yet. What cannot be stored is tried anew every `again_s` while the
        lease lasts: losing it costs one more claim.
        """
        claims = [claim for claim in group.claims if claim.outcome and not claim.lost and not claim.settled]
        if not claims:
            return
        if self.peers.by_id(group.peer_id) is None:
            for claim in claims:
                if isinstance(claim.outcome, Retry):
                    claim.outcome = PermanentFailure(PEER_REMOVED)
        waits_s = [self._wait_s(claim, patience) for claim in claims]
        loop = asyncio.get_running_loop()
        until = loop.time() + lease_s
        while True:
            try:
                await self._write(group, claims, waits_s, patience)
                return
            except Exception as error:  # the database may be busy or its disk full
                if loop.time() >= until:
                    raise
                log.warning("transfer %s: how it went cannot be stored just now: %s", group.names, error)
                await asyncio.sleep(again_s)

    def _wait_s(self, claim: Claim, patience: Patience) -> float:
        # An attempt that brought something is followed soon: its link breaks, but it carries.
        tries = 1 if claim.is_further else claim.transfer.fruitless_tries + 1
        wait_s = backoff_s(tries, patience.retry_first_s, patience.retry_cap_s, self.draw)
        if isinstance(claim.outcome, Retry) and claim.outcome.disk_full:
            return max(wait_s, min(patience.full_disk_s, patience.retry_cap_s) * (1 + self.draw()) / 2)
        return wait_s

    async def _write(self, group: Group, claims: Sequence[Claim], waits_s: Sequence[float], patience: Patience) -> None:
        async with self.database.write() as session:
            # In the transaction: if somebody sets the clock, the waits are fitted to it afterwards.
            now = self.clock.now_ns()
            again = [claim.transfer.id for claim in claims if isinstance(claim.outcome, Retry)]
            unwanted = await settling.to_be_cancelled(session, again) if again else set()
            for claim in claims:
                if claim.transfer.id in unwanted:
                    claim.outcome = Cancelled()
            nexts_ns = [now + int(wait_s * NS_PER_S) for wait_s in waits_s]
            ended = [_ended(claim, next_ns, now) for claim, next_ns in zip(claims, nexts_ns, strict=True)]
            held = await settling.settle(session, group.token, ended, now)
            ours = [claim for claim in claims if claim.transfer.id in held]
            await mark_queries.add_all(session, "sender", [_marks(claim, group) for claim in ours])
            await self._of_peer(session, group, claims, patience, now)
        for claim, each in zip(claims, ended, strict=True):
            claim.settled = True
            self._tell(claim, each, is_ours=each.transfer_id in held)

    async def _of_peer(
        self, session: AsyncSession, group: Group, claims: Sequence[Claim], patience: Patience, now: int
    ) -> None:
        """What follows for other transfers to this peer. However many went together, an attempt counts once."""
        outcomes = [claim.outcome for claim in claims]
        # Who could be reached so far that more is held than before is no peer to be left alone.
        if any(isinstance(one.outcome, Retry) and one.outcome.unreachable and not one.is_further for one in claims):
            open_ns = int(patience.open_s * NS_PER_S)
            await settling.breaker_failed(
                session, group.peer_id, now_ns=now, after=patience.breaker_after, open_ns=open_ns
            )
        elif any(isinstance(outcome, Retry | Delivered) for outcome in outcomes):
            await settling.breaker_succeeded(session, group.peer_id)
        if group.believed is not None:
            await peer_costs.keep(session, group.peer_id, group.believed, now)

    def _tell(self, claim: Claim, ended: Ended, *, is_ours: bool) -> None:
        transfer = claim.transfer
        if not is_ours:
            log.warning("transfer %s: the lease was lost; what this attempt found is left out", transfer.id)
            return
        delivered = ended.state == "delivered"
        reason = None if ended.state == "cancelled" else ended.reason
        told = Progress(
            transfer.id, ended.state, verified=delivered, reason=reason, next_try_at_ns=ended.next_try_at_ns
        )
        self.bus.publish(told, transfer.author_id)
        if reason is not None:
            log.info("transfer %s, attempt %d: %s", transfer.id, transfer.attempt, reason)


def _ended(claim: Claim, next_ns: int, now: int) -> Ended:
    transfer = claim.transfer
    match claim.outcome:
        case Delivered(receipt, durations):
            ended = Ended.delivered(transfer.id, receipt, json.dumps(asdict(durations)) if durations else None)
        case Retry(reason, off_plain=off_plain):
            if now < transfer.deadline_at_ns:
                # One more try right at the deadline tells the last reason.
                next_ns = min(next_ns, transfer.deadline_at_ns)
            ended = Ended.again(transfer.id, reason, next_ns, off_plain=off_plain)
        case PermanentFailure(reason):
            ended = Ended.failed(transfer.id, reason)
        case Cancelled():
            ended = Ended.cancelled(transfer.id)
        case None:
            raise ValueError(f"transfer {transfer.id} has not ended")
    facts = {"cipher": claim.cipher} | ({"held_before": claim.left_out} if claim.left_out else {})
    plan = json.dumps(claim.plan.to_json() | facts) if claim.plan is not None else None
    ended = ended.tried(plan, TimingMarks(taken=list(claim.marks)).first("verified-heard"))
    return ended.further(claim.held.size) if claim.held is not None and claim.is_further else ended


def _marks(claim: Claim, group: Group) -> mark_queries.MarksOf:
    taken = claim.marks or group.marks.taken
    number = claim.transfer.attempt
    return claim.transfer.id, [(number, mark.name, mark.channel, mark.at_ns) for mark in taken]
