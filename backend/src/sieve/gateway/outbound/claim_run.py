"""Runs one claim: repeats attempts until each of its transfers has an outcome, and renews the lease meanwhile.

Invariant: stopping an attempt never stops the recording of its outcomes.
"""

import asyncio
import logging
from contextlib import suppress

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import NS_PER_S
from sieve.gateway.outbound.attempt_runner import AttemptRunner
from sieve.gateway.outbound.claims import Claim
from sieve.gateway.outbound.dependencies import Dependencies
from sieve.gateway.outbound.outcome_recorder import OutcomeRecorder
from sieve.store.queries import attempt_outcomes, outbox

log = logging.getLogger(__name__)


class ClaimRun:
    """`run` it once. `lease_s`: how long the claim holds its transfers unless the lease is renewed."""

    def __init__(self, claim: Claim, deps: Dependencies, recorder: OutcomeRecorder, lease_s: float) -> None:
        self.claim = claim
        self._deps, self._recorder, self._lease_s = deps, recorder, lease_s
        # The transfers that this claim still holds and whose outcome is not recorded yet.
        self._open = {transfer.id: transfer for transfer in claim.transfers}
        self._attempt: AttemptRunner | None = None
        self._stopped = False

    async def run(self) -> None:
        """Returns when nothing is left to do, usually after one attempt."""
        may_greet_again = True
        renewing = asyncio.create_task(self._renew())
        try:
            # Again if the peer accepts fewer documents together, or must be asked for its hello again.
            while self._open and not self._stopped:
                self._attempt = AttemptRunner(
                    self._deps, list(self._open.values()), self.claim.token, may_greet_again=may_greet_again
                )
                found = await self._attempt.run()
                may_greet_again = may_greet_again and not found.greet_again
                await self._recorder.record(self.claim, found, lease_s=self._lease_s)
                for transfer_id in found.results:
                    self._open.pop(transfer_id, None)
                if found.was_cut:
                    return
        finally:
            renewing.cancel()

    def cancel(self, transfer_id: str) -> bool:
        """Cancels one of the transfers; False if the peer has every byte of it already."""
        if self._attempt is None or transfer_id not in self._open:
            return True
        return self._attempt.cancel(transfer_id)

    def stop(self) -> None:
        """Stops the attempt. The outcomes that it has by now are recorded."""
        self._stopped = True
        if self._attempt is not None:
            self._attempt.stop()

    async def _renew(self) -> None:
        lease_ns = int(self._lease_s * NS_PER_S)
        while True:
            await asyncio.sleep(self._lease_s / 3)
            with suppress(Exception):  # the database may be busy; the next renewal comes before the lease ends
                async with self._deps.database.write() as session:
                    held = await attempt_outcomes.renew(session, self.claim.token, self._deps.clock.now_ns() + lease_ns)
                    await self._cancel_wished(session, held)
                if self._attempt is not None:
                    for transfer_id in self._attempt.open - held:
                        log.warning("transfer %s: the lease was lost; another attempt holds it", transfer_id)
                        self._open.pop(transfer_id, None)
                        self._attempt.drop(transfer_id)
                if not held:
                    return

    async def _cancel_wished(self, session: AsyncSession, held: set[str]) -> None:
        """Cancels what authors cancelled at other replicas, whose messages may be lost."""
        going = held & self._attempt.open if self._attempt is not None else set()
        for transfer_id in await attempt_outcomes.to_be_cancelled(session, going):
            if not self.cancel(transfer_id):
                await outbox.withdraw_cancel(session, transfer_id)
