"""Rolls up timing records in the background: sums and histograms by period and group.

    records ──▶ Records (numpy, in a thread) ──▶ roll-ups and `rolled_up_id`, in one transaction

Invariant: a roll-up is the sum over the records up to `rolled_up_id` in its period and group. Each transaction keeps it
so, whatever stops the gateway; only roll-ups of periods that are not kept any more are missing. It relies on ids that
become visible in order: with a database of several writers, the job must not pass a record that is not committed yet.
"""

import asyncio
import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import product
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import NS_PER_S, Clock
from sieve.gateway.telemetry.announcements import Announcements
from sieve.gateway.telemetry.timing_periods import DAY_S, HOUR_S, MINUTE_S, removed_before_s
from sieve.store.database import Database
from sieve.store.errors import DatabaseBusy
from sieve.store.models.timings import Grain
from sieve.store.queries import accepted_counts, people, queue_state, timing_rollups
from sieve.store.queries.timing_rollups import GRAINS, WIDTHS, Group

# numpy takes 0.2 s to import, and no gateway needs it to start.
if TYPE_CHECKING:
    from sieve.gateway.telemetry.timing_additions import Records, Row

log = logging.getLogger(__name__)

T = TypeVar("T")

PACE_S: Final = 2.0
"""Seconds between two runs, at least."""
BUSY: Final = 100
BUSY_PACE_S: Final = 10.0
"""Seconds between two runs after one with at least `BUSY` records: the more records in a run, the less each costs."""
PATIENCE_S: Final = 60.0
"""Seconds until the next run if nothing wakes the job, or after an error."""
PRUNING_S: Final = 3600.0
COUNTED_AGAIN_S: Final = 3 * HOUR_S
FEW: Final = 20
"""Records that are read on the event loop: so few take less time than asking a thread."""
RECORDS_AT_ONCE: Final = 1000
"""Records in one transaction, which blocks all other writers."""
REMOVED_AT_ONCE: Final = 1000
ROWS_AT_ONCE: Final = 150
GROUPS_AT_ONCE: Final = 25
"""Rows in one statement. Statements that write run on the event loop: others get their turns between them."""
MOST_IDS: Final = 200_000
"""Ids of groups that are remembered."""


@dataclass(slots=True)
class TimingRollups:
    """The job. `days`: how long records are kept."""

    database: Database
    announcements: Announcements
    days: int
    clock: Clock = field(default_factory=Clock)
    records_at_once: int = RECORDS_AT_ONCE
    _woken: asyncio.Event = field(default_factory=asyncio.Event)
    _ids: dict[Group, int] = field(default_factory=dict)
    _next_pruning: float = 0.0

    def wake(self) -> None:
        """There are new records."""
        self._woken.set()

    async def request_rebuild(self) -> None:
        """Lets the job compute all roll-ups again; see `rebuild`."""
        async with self.database.write() as session:
            await timing_rollups.request_rebuild(session)
        self.wake()

    async def run(self) -> None:
        """Rolls up new records, and removes what is too old, until cancelled."""
        self._ids.clear()  # another replica may have removed groups meanwhile
        while True:
            self._woken.clear()
            try:
                done = await self._once()
                await asyncio.sleep(PACE_S if done < BUSY else BUSY_PACE_S)
            except Exception as error:
                # The next round tries again. The database may be busy or its disk fail; an error here would stop the
                # gateway.
                log.warning("cannot roll up timings now: %s", error)
                await asyncio.sleep(PATIENCE_S)
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE_S):
                    await self._woken.wait()

    async def _once(self) -> int:
        """Returns how many records were new."""
        done = await self.roll_up()
        await self.rebuild()
        if done:
            await self._announce()
        now = asyncio.get_running_loop().time()
        if now >= self._next_pruning:
            await self.count_accepted()
            await self.prune()
            self._next_pruning = now + PRUNING_S
        return done

    async def _announce(self) -> None:
        async with self.database.read() as session:
            admins = await people.admin_ids(session)
        self.announcements.timings_changed(admins)

    async def roll_up(self) -> int:
        """Rolls up all records that are not yet; returns how many there were."""
        done, few = 0, min(FEW, self.records_at_once)
        while True:
            async with self.database.read() as session:
                state = await timing_rollups.state(session)
                rows = await timing_rollups.records_after(session, state.rolled_up_id, few)
            if len(rows) == few:
                async with self.database.browse() as session:
                    rows = await timing_rollups.records_after(session, state.rolled_up_id, self.records_at_once)
            if not rows:
                return done
            records = await self._read(rows)
            added = await self._additions(records, WIDTHS)
            async with self.database.write() as session:
                await _only_writer(session, state.rolled_up_id, rows[-1][0])
                await _add(session, added)
            done += len(rows)

    async def rebuild(self) -> None:
        """Computes all roll-ups again whose records are kept, if that was requested.

        It replaces the roll-ups of an hour, and then of a day, in one transaction. So they are never wrong meanwhile,
        nor if the gateway stops; then it continues with the same day at the next start.
        """
        while True:
            async with self.database.read() as session:
                state = await timing_rollups.state(session)
            from_s = state.rebuild_from_s
            if from_s is None:
                return
            async with self.database.browse() as session:
                # The first one that has records or roll-ups, of those that can be computed again.
                first_s = await timing_rollups.first_s(session, max(from_s, state.kept_from_s))
            to_s = None
            if first_s is not None:
                day_s = first_s - first_s % DAY_S
                log.info("computing the roll-ups of timings again: %s", datetime.fromtimestamp(day_s, UTC).date())
                await self._rebuild_day(day_s)
                await self.roll_up()
                to_s = day_s + DAY_S
            async with self.database.write() as session:
                await timing_rollups.rebuilt(session, from_s, to_s)
            await self._announce()

    async def _rebuild_day(self, day_s: int) -> None:
        async with self.database.browse() as session:
            up_to = (await timing_rollups.state(session)).rolled_up_id
        of_day = []
        for hour_s in range(day_s, day_s + DAY_S, HOUR_S):
            async with self.database.browse() as session:
                rows = await timing_rollups.records_between(session, hour_s, hour_s + HOUR_S, up_to)
            of_day.append(await self._read(rows))
            await self._replace(of_day[-1], WIDTHS[:-1], hour_s, hour_s + HOUR_S, up_to)
        await self._replace(await asyncio.to_thread(_joined, of_day), (DAY_S,), day_s, day_s + DAY_S, up_to)

    async def _replace(
        self, records: "Records", widths: Sequence[int], since_s: int, until_s: int, rolled_up_id: int
    ) -> None:
        """Replaces the roll-ups of these widths from `since_s` to `until_s` by those of `records`."""
        # Without records there is nothing to compute: one short transaction for all grains.
        for grains in [[grain] for grain in GRAINS] if len(records) else [[*GRAINS]]:
            added = await self._additions(records, widths, grains)
            async with self.database.write() as session:
                await _only_writer(session, rolled_up_id, rolled_up_id)
                for grain, width_s in product(grains, widths):
                    await timing_rollups.remove(session, grain, width_s, since_s, until_s)
                await _add(session, added)

    async def count_accepted(self) -> None:
        """Counts the transfers that authors sent in each minute and hour that is over, and again those of the last
        hours: the clock may have been set back. Does nothing while the clock is doubted."""
        if self.clock.is_doubted:
            return
        now_s = self.clock.now_ns() // NS_PER_S
        for width_s, kept_s in ((MINUTE_S, MINUTE_S), (HOUR_S, DAY_S)):
            async with self.database.browse() as session:
                counted_to_s = await accepted_counts.counted_to_s(session, width_s)
            if counted_to_s is None:
                return
            oldest_s = removed_before_s("base", kept_s, now_s) // DAY_S * DAY_S
            until_s = now_s - now_s % width_s
            for since_s in range(max(oldest_s, counted_to_s - COUNTED_AGAIN_S), until_s, DAY_S):
                to_s = min(until_s, since_s + DAY_S)
                async with self.database.browse() as session:
                    counts = await queue_state.accepted(session, since_s, to_s, width_s)
                async with self.database.write() as session:
                    await accepted_counts.replace(session, width_s, since_s, to_s, counts)
            async with self.database.write() as session:
                await accepted_counts.remove_before(session, width_s, oldest_s)

    async def prune(self) -> None:
        """Removes records and roll-ups that are too old, in small transactions.

        Does nothing while the clock is doubted, because a removal cannot be undone.
        """
        if self.clock.is_doubted:
            return
        now_s = self.clock.now_ns() // NS_PER_S
        for grain in GRAINS:
            for width_s in timing_rollups.widths(grain):
                await self._remove_periods(grain, width_s, removed_before_s(grain, width_s, now_s))
        before_s = now_s - self.days * DAY_S
        before_s -= before_s % DAY_S
        async with self.database.write() as session:
            # First, so that a period is never computed from a part of its records.
            await timing_rollups.keep_from(session, before_s)
        while True:
            async with self.database.write() as session:
                if not await timing_rollups.remove_records(session, before_s, REMOVED_AT_ONCE):
                    return

    async def _remove_periods(self, grain: Grain, width_s: int, before_s: int) -> None:
        while True:
            async with self.database.browse() as session:
                first = await timing_rollups.first_period_s(session, grain, width_s)
            if first is None or first >= before_s:
                return
            async with self.database.write() as session:
                await timing_rollups.remove(session, grain, width_s, first, first + width_s)

    async def _read(self, rows: Sequence[Any]) -> "Records":
        """The records, whose groups have ids from now on."""
        records, groups = await asyncio.to_thread(_records, rows)
        missing = groups - self._ids.keys()
        if len(self._ids) + len(missing) > MOST_IDS:
            self._ids.clear()
            missing = groups
        if missing:
            found: dict[Group, int] = {}
            async with self.database.write() as session:
                for part in _parts(list(missing), GROUPS_AT_ONCE):
                    found |= await timing_rollups.group_ids(session, part)
                    await asyncio.sleep(0)
            self._ids.update(found)
        return records

    async def _additions(
        self, records: "Records", widths: Sequence[int], grains: Iterable[Grain] = tuple(GRAINS)
    ) -> "Sequence[Row]":
        """What the records add to roll-ups, except to those that would be removed at once."""
        now_s = 0 if self.clock.is_doubted else self.clock.now_ns() // NS_PER_S
        oldest = {
            grain: {
                width: removed_before_s(grain, width, now_s)
                for width in widths
                if width in timing_rollups.widths(grain)
            }
            for grain in grains
        }
        return await asyncio.to_thread(
            lambda: [row for grain, of_grain in oldest.items() for row in records.additions(grain, of_grain, self._ids)]
        )


def _records(rows: Sequence[Any]) -> "tuple[Records, set[Group]]":
    from sieve.gateway.telemetry.timing_additions import Records

    records = Records.of(rows)
    return records, records.all_groups()


def _joined(parts: "Sequence[Records]") -> "Records":
    from sieve.gateway.telemetry.timing_additions import Records

    return Records.joined(parts)


async def _only_writer(session: AsyncSession, from_id: int, to_id: int) -> None:
    """Moves `rolled_up_id`.

    Raises:
        DatabaseBusy: another process moved it; nothing may be added.
    """
    if not await timing_rollups.advance(session, from_id, to_id):
        raise DatabaseBusy("another process rolls up timings of this database; try again")


async def _add(session: AsyncSession, added: "Sequence[Row]") -> None:
    for part in _parts(added, ROWS_AT_ONCE):
        await timing_rollups.add(session, part)
        await asyncio.sleep(0)


def _parts(rows: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
