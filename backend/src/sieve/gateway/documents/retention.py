"""Retention: removes what was in the trash for some days and, if the admin set that, received documents from every
inbox. Receipts and rows stay.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import Clock
from sieve.gateway.periodic_jobs import repeat
from sieve.gateway.telemetry.announcements import Announcements
from sieve.store.blob_ref import BlobRef
from sieve.store.blobs import BlobStore
from sieve.store.database import Database
from sieve.store.models import InboxEntry
from sieve.store.queries import drafts, inbox

log = logging.getLogger(__name__)

DAY_NS: Final = 24 * 3600 * 1_000_000_000
PACE_S: Final = 300.0
AT_ONCE: Final = 50
"""Entries in one transaction, which blocks all other writers."""


class Removed(NamedTuple):
    """Rows that a transaction removed: how many, the blobs whose files go, and whose lists changed."""

    rows: int
    refs: Sequence[BlobRef]
    readers: AbstractSet[str] = frozenset()
    drafts: Sequence[tuple[str, str]] = ()
    """Owner and id of each draft."""


Removal = Callable[[AsyncSession, int], Awaitable[Removed]]
"""Removes the next `AT_ONCE` rows at most that have expired by now, in nanoseconds."""


def kept_until_ns(received_at_ns: int, days: int | None, trashed_until_ns: int | None = None) -> int | None:
    """When an entry is removed; None if only its reader removes it.

    `trashed_until_ns`: when the trash lets go of it, if it is there.
    """
    until_ns = None if days is None else received_at_ns + days * DAY_NS
    return min((end for end in (until_ns, trashed_until_ns) if end is not None), default=None)


def trashed_until_ns(trashed_at_ns: int | None, days: int) -> int | None:
    """When the trash lets go of an entry or a draft; None if it is not in the trash."""
    return None if trashed_at_ns is None else trashed_at_ns + days * DAY_NS


def expired_by_ns(at_ns: int, days: int) -> int:
    """Entries that were received, or deleted, at this time or earlier have expired at `at_ns`."""
    return at_ns - days * DAY_NS


@dataclass(slots=True)
class Retention:
    """Removes expired inbox entries and drafts. `days`: how long received documents stay; None for as long as their
    readers want. `deleted_days`: how long the trash keeps something."""

    database: Database
    blobs: BlobStore
    announcements: Announcements
    days: int | None
    clock: Clock = field(default_factory=Clock)
    deleted_days: int = 30

    async def run(self) -> None:
        """Removes what has expired every `PACE_S` seconds, until cancelled."""
        await repeat(self._remove, PACE_S, "remove expired inbox entries and drafts")

    async def _remove(self) -> None:
        if removed := await self.remove():
            log.info("removed %d expired inbox entries and drafts", removed)

    async def remove(self) -> int:
        """Removes all expired entries, the documents that no other entry has, and expired drafts; returns how many.

        Removes nothing while the clock is doubted, because a removal cannot be undone.
        """
        removals = [self._trashed_entries, self._trashed_drafts]
        if self.days is not None:
            removals.append(self._received)
        return sum([await self._all(removal) for removal in removals])

    async def _all(self, removal: Removal) -> int:
        total = 0
        while not self.clock.is_doubted:
            async with self.database.write() as session:
                removed = await removal(session, self.clock.now_ns())
            if not removed.rows:
                break
            total += removed.rows
            self.announcements.inbox_changed(removed.readers)
            for owner_id, draft_id in removed.drafts:
                self.announcements.draft_changed(owner_id, draft_id)
            await asyncio.to_thread(self.blobs.delete_all, removed.refs)
        return total

    async def _received(self, session: AsyncSession, now_ns: int) -> Removed:
        by_ns = expired_by_ns(now_ns, self.days or 0)
        return await _entries(session, await inbox.received_by(session, by_ns, limit=AT_ONCE), now_ns)

    async def _trashed_entries(self, session: AsyncSession, now_ns: int) -> Removed:
        by_ns = expired_by_ns(now_ns, self.deleted_days)
        return await _entries(session, await inbox.trashed_by(session, by_ns, limit=AT_ONCE), now_ns)

    async def _trashed_drafts(self, session: AsyncSession, now_ns: int) -> Removed:
        found = await drafts.trashed_by(session, expired_by_ns(now_ns, self.deleted_days), limit=AT_ONCE)
        whose = [(draft.owner_id, draft.id) for draft in found]
        refs = [ref for _, draft_id in whose for ref in await drafts.delete_draft(session, draft_id, now_ns) or ()]
        return Removed(len(whose), refs, drafts=whose)


async def _entries(session: AsyncSession, entries: Sequence[InboxEntry], now_ns: int) -> Removed:
    refs = [ref for entry in entries for ref in await inbox.delete(session, entry, now_ns)]
    return Removed(len(entries), refs, {entry.user_id for entry in entries})
