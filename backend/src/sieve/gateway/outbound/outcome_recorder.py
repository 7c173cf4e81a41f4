"""Stores the outcomes of an attempt in one transaction, which it repeats until it succeeds.

Invariant: an outcome is published only after it is in the database. An outcome is ignored if another claim holds the
transfer by then.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import NS_PER_S
from sieve.gateway.outbound.attempt_runner import AttemptResults
from sieve.gateway.outbound.claims import Claim
from sieve.gateway.outbound.dependencies import Dependencies
from sieve.gateway.outbound.outcomes import Cancelled, Delivered, Outcome, PermanentFailure, Result, Retry
from sieve.gateway.outbound.unreachable_peers import UnreachablePeers
from sieve.gateway.outbound.worker_settings import WorkerSettings
from sieve.gateway.peering.peers import PEER_REMOVED
from sieve.gateway.telemetry.progress import Progress
from sieve.gateway.telemetry.timing_causes import TimingCause
from sieve.gateway.telemetry.timing_marks import TimingMarks
from sieve.gateway.telemetry.timing_record import SentAttempt, of_sent
from sieve.store.models import Transfer
from sieve.store.queries import attempt_outcomes, peer_costs, peers, timing_records
from sieve.store.queries import timing_marks as mark_queries
from sieve.store.queries.attempt_outcomes import Ended
from sieve.store.queries.timing_records import SentTransfer, TimingValues

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OutcomeRecorder:
    """`draw` gives a number in [0, 1). `unreachable`: hears whether peers could be reached."""

    deps: Dependencies
    draw: Callable[[], float]
    settings: WorkerSettings
    unreachable: UnreachablePeers | None = None

    async def record(self, claim: Claim, found: AttemptResults, *, lease_s: float) -> None:
        """Stores the outcomes of an attempt. If that fails, it tries again every `poll_s` while the lease lasts; after
        that another claim repeats the attempt.
        """
        if not found.results:
            return
        results = list(found.results.values())
        waits_s = [each.wait_s(self.settings, self.draw) for each in results]
        loop = asyncio.get_running_loop()
        until = loop.time() + lease_s
        while True:
            try:
                await self._write(claim, results, waits_s, found.learned)
                return
            except Exception as error:  # the database may be busy or its disk full
                if loop.time() >= until:
                    raise
                log.warning("transfer %s: its outcome cannot be stored just now: %s", claim.names, error)
                await asyncio.sleep(self.settings.poll_s)

    async def _write(
        self, claim: Claim, results: Sequence[Result], waits_s: Sequence[float], learned: str | None
    ) -> None:
        async with self.deps.database.write() as session:
            # Read in the transaction: if the clock is set, the stored waits are fitted to it after this.
            now = self.deps.clock.now_ns()
            results = await _without_vain_retries(session, claim.peer_id, results)
            ended = [_ended(each, now, wait_s) for each, wait_s in zip(results, waits_s, strict=True)]
            held = await attempt_outcomes.record(session, claim.token, ended, now)
            marks = [_marks(each) for each in results if each.transfer.id in held]
            await mark_queries.add_all(session, "sender", marks)
            timings = await _timings(session, [each for each in results if each.transfer.id in held], now)
            await timing_records.add_all(session, timings)
            await self._record_peer(session, claim.peer_id, results, now)
            if learned is not None:
                await peer_costs.keep(session, claim.peer_id, learned, now)
        self.deps.timings_ended(timings)
        self._notice(claim.peer_id, results)
        for each, end in zip(results, ended, strict=True):
            self._publish(each.transfer, end, is_ours=end.transfer_id in held)

    async def _record_peer(self, session: AsyncSession, peer_id: str, results: Sequence[Result], now: int) -> None:
        """Counts the attempt for the peer's breaker, once for all transfers that went together."""
        # A peer that holds more than before could be reached.
        if any(
            isinstance(each.outcome, Retry) and each.outcome.unreachable and each.peer_holds is None for each in results
        ):
            open_ns = int(self.settings.breaker_s * NS_PER_S)
            await attempt_outcomes.breaker_failed(
                session, peer_id, now_ns=now, after=self.settings.breaker_after, open_ns=open_ns
            )
        elif any(isinstance(each.outcome, Retry | Delivered) for each in results):
            await attempt_outcomes.breaker_succeeded(session, peer_id)

    def _notice(self, peer_id: str, results: Sequence[Result]) -> None:
        if self.unreachable is None:
            return
        if any(_is_unreachable(each.outcome) for each in results):
            self.unreachable.noticed(peer_id, reached=False)
        elif any(isinstance(each.outcome, Retry | Delivered) for each in results):
            self.unreachable.noticed(peer_id, reached=True)

    def _publish(self, transfer: Transfer, ended: Ended, *, is_ours: bool) -> None:
        if not is_ours:
            log.warning("transfer %s: the lease was lost; the outcome of this attempt is ignored", transfer.id)
            return
        reason = None if ended.state == "cancelled" else ended.reason
        progress = Progress(
            transfer.id,
            ended.state,
            verified=ended.state == "delivered",
            reason=reason,
            next_try_at_ns=ended.next_try_at_ns,
        )
        self.deps.bus.publish(progress, transfer.author_id)
        if reason is not None:
            log.info("transfer %s, attempt %d: %s", transfer.id, transfer.attempt, reason)


async def _without_vain_retries(session: AsyncSession, peer_id: str, results: Sequence[Result]) -> Sequence[Result]:
    """The results; a retry ends instead if its peer was removed or its author cancelled it.

    Both are read in the transaction that records the outcome: a removal or a cancellation after it finds the transfer
    queued.
    """
    retries = [each.transfer.id for each in results if isinstance(each.outcome, Retry)]
    if not retries:
        return results
    if (await peers.by_id(session, peer_id)).state == "removed":
        ends: Mapping[str, Outcome] = dict.fromkeys(retries, PermanentFailure(PEER_REMOVED, TimingCause.PEER_REMOVED))
    else:
        ends = dict.fromkeys(await attempt_outcomes.to_be_cancelled(session, retries), Cancelled())
    return [replace(each, outcome=ends.get(each.transfer.id, each.outcome)) for each in results]


def _is_unreachable(outcome: Outcome) -> bool:
    """Whether the peer could not be reached at all. A link that breaks is another matter: a greeting would pass."""
    return isinstance(outcome, Retry) and outcome.cause is TimingCause.UNREACHABLE


def _ended(result: Result, now: int, wait_s: float) -> Ended:
    transfer = result.transfer
    match result.outcome:
        case Delivered(receipt, durations, _):
            ended = Ended.delivered(transfer.id, receipt, json.dumps(asdict(durations)) if durations else None)
        case Retry(reason, off_plain=off_plain):
            next_ns = now + int(wait_s * NS_PER_S)
            if now < transfer.deadline_at_ns:
                # One more attempt at the deadline gives the last reason.
                next_ns = min(next_ns, transfer.deadline_at_ns)
            unreachable = _is_unreachable(result.outcome)
            ended = Ended.again(transfer.id, reason, next_ns, off_plain=off_plain, unreachable=unreachable)
        case PermanentFailure(reason):
            ended = Ended.failed(transfer.id, reason)
        case Cancelled():
            ended = Ended.cancelled(transfer.id)
    plan = json.dumps(result.plan) if result.plan is not None else None
    ended = ended.tried(plan, TimingMarks(taken=list(result.timing_marks)).first("verified-heard"))
    if result.left is not None:
        ended = replace(ended, secure_left=result.left.secure, plain_left=result.left.plain)
    return ended.further(result.peer_holds) if result.peer_holds is not None else ended


async def _timings(session: AsyncSession, results: Sequence[Result], now: int) -> Sequence[TimingValues]:
    """The timing record of each result."""
    transfers = await timing_records.sent(session, [each.transfer.id for each in results])
    return [_timing(each, transfers[each.transfer.id], now) for each in results]


def _timing(result: Result, transfer: SentTransfer, now: int) -> TimingValues:
    attempt = SentAttempt(result.transfer.attempt, TimingMarks(taken=[*result.timing_marks]), result.plan)
    match result.outcome:
        case Delivered(_, durations, off_plain):
            heard = replace(attempt, durations=durations)
            return of_sent(transfer, heard, "delivered", TimingCause.PLAIN_CHANNEL if off_plain else "", now)
        case Retry(_, cause):
            return of_sent(transfer, attempt, "retry", cause, now)
        case PermanentFailure(_, cause):
            return of_sent(transfer, attempt, "failed", cause, now)
        case Cancelled():
            return of_sent(transfer, attempt, "cancelled", TimingCause.CANCELLED, now)


def _marks(result: Result) -> mark_queries.MarksOf:
    number = result.transfer.attempt
    return result.transfer.id, [(number, mark.name, mark.channel, mark.at_ns) for mark in result.timing_marks]
