"""Retention: removes received documents from every inbox after some days, if the admin set that. Receipts and rows
stay.
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
"""Entries in one transaction, which blocks all other writers."""


def kept_until_ns(received_at_ns: int, days: int | None) -> int | None:
    """When an entry is removed; None if only its reader removes it."""
    return None if days is None else received_at_ns + days * DAY_NS


def expired_by_ns(at_ns: int, days: int) -> int:
    """Entries that were received at this time or earlier have expired at `at_ns`."""
    return at_ns - days * DAY_NS


@dataclass(slots=True)
class Retention:
    """Removes expired inbox entries."""

    database: Database
    blobs: BlobStore
    announcements: Announcements
    days: int
    clock: Clock = field(default_factory=Clock)

    async def run(self) -> None:
        """Removes expired entries every `PACE_S` seconds, until cancelled."""
        while True:
            try:
                removed = await self.remove()
                if removed:
                    log.info("removed %d inbox entries that were older than %d days", removed, self.days)
            except Exception as error:
                # The next round tries again. The database may be busy or its disk fail; an error here would stop the
                # gateway.
                log.warning("cannot remove expired inbox entries now: %s", error)
            await asyncio.sleep(PACE_S)

    async def remove(self) -> int:
        """Removes all expired entries, and the documents that no other entry has; returns the number of entries.

        Removes nothing while the clock is doubted, because a removal cannot be undone.
        """
        removed = 0
        while not self.clock.is_doubted:
            now = self.clock.now_ns()
            async with self.database.write() as session:
                entries = await inbox.received_by(session, expired_by_ns(now, self.days), limit=AT_ONCE)
                refs = [ref for entry in entries for ref in await inbox.delete(session, entry, now)]
            if not entries:
                break
            removed += len(entries)
            self.announcements.inbox_changed({entry.user_id for entry in entries})
            await asyncio.to_thread(self.blobs.delete_all, refs)
        return removed
