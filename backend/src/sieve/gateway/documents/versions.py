"""Versions of drafts: the saves that are kept, so that an author can look at one and bring it back.

Kept are the latest save and each one that was sent, as long as the draft; of the others the last of each minute for an
hour, the last of each hour for a day and the last of each day for 30 days, but of one draft not more than
`MOST_BYTES`. The save that a person replaced by an earlier one is kept for the 30 days, too.

Minutes, hours and days count from the draft's creation, so a save never depends on when the others are looked at.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import NS_PER_S, Clock
from sieve.gateway.periodic_jobs import repeat
from sieve.store.blobs import BlobStore
from sieve.store.database import Database
from sieve.store.queries import drafts as draft_queries
from sieve.store.queries import versions as queries
from sieve.store.queries.versions import SupersededSave

MINUTE_NS: Final = 60 * NS_PER_S
HOUR_NS: Final = 60 * MINUTE_NS
DAY_NS: Final = 24 * HOUR_NS
KEPT_DAYS: Final = 30
MOST_BYTES: Final = 256 * 1024 * 1024
"""Of all superseded saves of one draft that were never sent."""
PACE_S: Final = 300.0
AT_ONCE: Final = 50
"""Drafts that are looked at between two transactions."""


def minute_start_ns(created_at_ns: int, now_ns: int) -> int:
    """The begin of the current minute of a draft, of which only the last save is kept."""
    return now_ns - (now_ns - created_at_ns) % MINUTE_NS


def not_kept(saves: Sequence[SupersededSave], created_at_ns: int, now_ns: int) -> list[str]:
    """The ids of the superseded saves that are not kept at `now_ns`. `saves`: all of a draft, the latest first."""
    gone: list[str] = []
    seen: set[tuple[int, int]] = set()
    size = 0
    for save in saves:
        age_ns = now_ns - save.created_at_ns
        period_ns = MINUTE_NS if age_ns < HOUR_NS else HOUR_NS if age_ns < DAY_NS else DAY_NS
        period = (period_ns, (save.created_at_ns - created_at_ns) // period_ns)
        is_last = save.before_restore or period not in seen
        if not is_last or age_ns >= KEPT_DAYS * DAY_NS or size + save.size > MOST_BYTES:
            gone.append(save.id)
            continue
        if not save.before_restore:
            seen.add(period)
        size += save.size
    return gone


@dataclass(slots=True)
class VersionRetention:
    """Removes the versions that are not kept any more."""

    database: Database
    blobs: BlobStore
    clock: Clock = field(default_factory=Clock)

    async def run(self) -> None:
        """Removes them every `PACE_S` seconds, until cancelled."""
        await repeat(self.remove, PACE_S, "remove earlier versions of drafts")

    async def remove(self) -> int:
        """Removes what is not kept; returns the number of versions. Removes nothing while the clock is doubted, because
        a removal cannot be undone.
        """
        removed, after = 0, ""
        while not self.clock.is_doubted:
            async with self.database.browse() as session:
                draft_ids = await queries.drafts_with_superseded(session, after=after, limit=AT_ONCE)
                gone = {draft_id: await self._not_kept(session, draft_id) for draft_id in draft_ids}
            if not draft_ids:
                break
            after = draft_ids[-1]
            gone = {draft_id: ids for draft_id, ids in gone.items() if ids}
            if not gone:
                continue
            async with self.database.write() as session:
                refs = [ref for draft_id, ids in gone.items() for ref in await queries.drop(session, draft_id, ids)]
            await asyncio.to_thread(self.blobs.delete_all, refs)
            removed += sum(map(len, gone.values()))
        return removed

    async def _not_kept(self, session: AsyncSession, draft_id: str) -> list[str]:
        draft = await draft_queries.by_id(session, draft_id)
        if draft is None:
            return []
        return not_kept(await queries.superseded(session, draft), draft.created_at_ns, self.clock.now_ns())
