"""What was received goes after some days, if the gateway is set so: out of every inbox, as if its reader had removed
it. Receipts and rows stay, as they always do.
"""

import asyncio
import logging
from dataclasses import dataclass, field
from typing import Final

from sieve.gateway.clock import Clock
from sieve.gateway.telemetry.announcements import Announcements
from sieve.store.blobs import BlobStore
from sieve.store.database import Database
from sieve.store.queries import inbox

log = logging.getLogger(__name__)

DAY_NS: Final = 24 * 3600 * 1_000_000_000
PACE_S: Final = 300.0
AT_ONCE: Final = 50
"""In one transaction: nobody else writes meanwhile."""


def kept_until_ns(received_at_ns: int, days: int | None) -> int | None:
    """When an entry goes; None if it stays until its reader removes it."""
    return None if days is None else received_at_ns + days * DAY_NS


def over_by_ns(at_ns: int, days: int) -> int:
    """Entries that were received then or earlier are over at `at_ns`."""
    return at_ns - days * DAY_NS


@dataclass(slots=True)
class Retention:
    """Removes what is over."""

    database: Database
    blobs: BlobStore
    announcements: Announcements
    days: int
    clock: Clock = field(default_factory=Clock)

    async def run(self) -> None:
        """Removes now and then, until cancelled."""
        while True:
            try:
                removed = await self.remove()
                if removed:
                    log.info("removed %d inbox entries that were older than %d days", removed, self.days)
            except Exception as error:
                # What is left is found again next time. The database may be busy or its disk fail, and the end of this
                # would end the gateway.
                log.warning("what is over cannot be removed just now: %s", error)
            await asyncio.sleep(PACE_S)

    async def remove(self) -> int:
        """Removes every entry that is over now, and the documents that only they had; returns how many entries.

        Nothing while the clock is doubted: what is removed does not come back.
        """
        removed = 0
        while not self.clock.is_doubted:
            now = self.clock.now_ns()
            async with self.database.write() as session:
                entries = await inbox.received_by(session, over_by_ns(now, self.days), limit=AT_ONCE)
                refs = [ref for entry in entries for ref in await inbox.delete(session, entry, now)]
            if not entries:
                break
            removed += len(entries)
            self.announcements.inbox_changed({entry.user_id for entry in entries})
            await asyncio.to_thread(self.blobs.delete_all, refs)
        return removed
