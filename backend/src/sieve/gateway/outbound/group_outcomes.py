"""How the transfers of a group, which are sent in one attempt, ended.

Invariant: a transfer has at most one outcome; an open one has none, and is neither cancelled nor dropped.
"""

import logging
from collections.abc import Sequence

from sieve.core.sentence import Sentence
from sieve.core.utc import utc
from sieve.gateway.clock import Clock
from sieve.gateway.outbound.outcomes import Outcome, PermanentFailure, Retry, unreadable
from sieve.gateway.telemetry.timing_causes import TimingCause
from sieve.store.blobs import BlobDamaged
from sieve.store.errors import MasterKeyMissing
from sieve.store.models import Transfer

log = logging.getLogger(__name__)


class GroupOutcomes:
    """The only owner of the outcomes of these transfers."""

    def __init__(self, clock: Clock, transfers: Sequence[Transfer]) -> None:
        self._clock = clock
        self._transfers = transfers
        self._outcomes: dict[str, Outcome] = {}
        self._cancelled: set[str] = set()
        self._dropped: set[str] = set()

    @property
    def open(self) -> set[str]:
        """The transfers without an outcome that are neither cancelled nor dropped."""
        return {each.id for each in self._transfers} - self._outcomes.keys() - self._cancelled - self._dropped

    @property
    def cancelled(self) -> list[str]:
        """The cancelled transfers without an outcome, in order."""
        left = self._cancelled - self._dropped - self._outcomes.keys()
        return [each.id for each in self._transfers if each.id in left]

    def of(self, transfer_id: str) -> Outcome | None:
        """The outcome of a transfer, if it has one."""
        return self._outcomes.get(transfer_id)

    def put(self, transfer_id: str, outcome: Outcome) -> None:
        """Ends a transfer with this outcome, whatever it had before."""
        self._outcomes[transfer_id] = outcome

    def forget(self, transfer_id: str) -> None:
        """Leaves a transfer without an outcome."""
        self._outcomes.pop(transfer_id, None)

    def cancel(self, transfer_id: str) -> None:
        """Its author cancelled a transfer. What came of it is found later."""
        self._cancelled.add(transfer_id)

    def drop(self, transfer_id: str) -> None:
        """The transfer is not of this attempt any more."""
        self._dropped.add(transfer_id)

    def end(self, transfer: Transfer, outcome: Outcome) -> None:
        """Ends one transfer with this outcome, or as failed if its deadline has passed."""
        self.put(transfer.id, self.overdue(transfer) or outcome)

    def end_all(self, outcome: Outcome) -> None:
        """Ends all open transfers with this outcome, or as failed."""
        for transfer in self._transfers:
            if transfer.id in self.open:
                self.end(transfer, outcome)

    def end_unreadable(self, transfer: Transfer, damaged: BlobDamaged) -> None:
        """Ends one transfer: for good, unless only its master key is missing."""
        log.error("transfer %s cannot be read: %s", transfer.id, damaged.for_log)
        reason = unreadable(damaged)
        if isinstance(damaged, MasterKeyMissing):
            self.end(transfer, Retry(reason, TimingCause.STORED_DATA))
        else:
            self.put(transfer.id, PermanentFailure(reason, TimingCause.STORED_DATA))

    def fail_all(self, error: BaseException) -> None:
        """Ends all open transfers after a defect, so that none is without an outcome."""
        if not isinstance(error, BlobDamaged):
            names = ", ".join(each.id for each in self._transfers if each.id in self.open)
            log.error("transfer %s: the attempt failed: %s", names, type(error).__name__, exc_info=error)
        for transfer in self._transfers:
            if transfer.id in self.open:
                if isinstance(error, BlobDamaged):
                    self.end_unreadable(transfer, error)
                else:
                    reason = Sentence("gateway-failed", "this gateway failed while sending; its log says why")
                    self.put(transfer.id, Retry(reason, TimingCause.OTHER))

    def overdue(self, transfer: Transfer) -> PermanentFailure | None:
        """The failure of a transfer whose deadline has passed, by a clock that is not doubted; else None."""
        clock = self._clock
        now_ns = clock.now_ns()
        if transfer.deadline_at_ns > now_ns or clock.is_doubted:
            return None
        last = transfer.reason or Sentence("not-tried-in-time", "it could not be tried in time")
        return PermanentFailure(
            Sentence(
                "deadline-passed",
                "the deadline has passed by this gateway's clock, which reads {time}; last: {last}",
                time=utc(now_ns),
                last=last,
            ),
            TimingCause.DEADLINE,
        )
