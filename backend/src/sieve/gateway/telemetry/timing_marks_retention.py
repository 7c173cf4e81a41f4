"""Removes the timing marks of transfers that are over, after some days. Their timing records keep the figures."""

import logging
from dataclasses import dataclass, field
from typing import Final

from sieve.gateway.clock import NS_PER_S, Clock
from sieve.gateway.periodic_jobs import repeat
from sieve.store.database import Database
from sieve.store.queries import timing_marks, timing_rollups

log = logging.getLogger(__name__)

DAY_NS: Final = 24 * 3600 * NS_PER_S
PACE_S: Final = 3600.0
AT_ONCE: Final = 1000
"""Marks in one transaction, which blocks all other writers."""


@dataclass(slots=True)
class TimingMarksRetention:
    """The job. `days`: how long marks are kept."""

    database: Database
    days: int
    clock: Clock = field(default_factory=Clock)

    async def run(self) -> None:
        """Removes old marks every `PACE_S` seconds, until cancelled."""
        await repeat(self.remove, PACE_S, "remove old timing marks")

    async def remove(self) -> int:
        """Removes all old marks; returns how many.

        Removes none while older transfers are still imported, because their records are made of marks, and none while
        the clock is doubted, because a removal cannot be undone.
        """
        async with self.database.browse() as session:
            if not (await timing_rollups.state(session)).import_done:
                return 0
        removed = at_id = 0
        while not self.clock.is_doubted:
            before_ns = self.clock.now_ns() - self.days * DAY_NS
            async with self.database.browse() as session:
                found = await timing_marks.next_stretch(session, at_id, AT_ONCE)
            # Ids and times go up together, except that the marks of one attempt are stored when it ends.
            if found is None or found.oldest_ns >= before_ns:
                break
            async with self.database.write() as session:
                removed += await timing_marks.remove_old(session, at_id, found.last_id, before_ns)
            at_id = found.last_id
        if removed:
            log.info("removed %d timing marks that were older than %d days", removed, self.days)
        return removed
