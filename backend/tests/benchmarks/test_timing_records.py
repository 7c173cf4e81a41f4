"""The database that `make bench-timings` measures."""

import shutil
from pathlib import Path

from benchmarks.timing_records import WAITING, fill

from databases import url
from sieve.gateway.clock import now_ns
from sieve.gateway.telemetry.announcements import Announcements
from sieve.gateway.telemetry.timing_periods import DAY_S, HOUR_S
from sieve.gateway.telemetry.timing_rollups import TimingRollups
from sieve.store.database_from_url import database_from_url
from sieve.store.queries import queue_state, timing_rollups


async def test_a_database_has_rolled_up_records_and_transfers_that_wait(migrated: Path, tmp_path: Path) -> None:
    path = tmp_path / "timings.db"
    shutil.copyfile(migrated, path)
    database = database_from_url(url(path))
    until_s = now_ns() // 1_000_000_000 // HOUR_S * HOUR_S
    filled = await fill(database, TimingRollups(database, Announcements(), 90), 50, until_s - DAY_S, until_s)
    async with database.browse() as session:
        assert filled.records == await timing_rollups.last_record_id(session) == 50
        assert (await timing_rollups.state(session)).rolled_up_id == 50
        assert (await queue_state.depth(session)).queued == WAITING
    await database.dispose()
