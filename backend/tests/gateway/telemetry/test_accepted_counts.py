"""The transfers that authors sent in each minute and hour: counted once, and the same as a plain count."""

import shutil
from collections import Counter
from pathlib import Path

from sqlalchemy import delete

from databases import url
from sieve.gateway.clock import Clock
from sieve.gateway.telemetry.announcements import Announcements
from sieve.gateway.telemetry.timing_rollups import TimingRollups
from sieve.store.database_from_url import database_from_url
from sieve.store.models import Transfer, TransferRecipient
from sieve.store.queries import accepted_counts
from store_rows import a_document, a_peer, a_transfer, a_user
from timing_rows import DAY, NOW_S, S

HOUR = 3600
AGES_S = (0, 59, 61, HOUR - 1, HOUR, 5 * HOUR + 7, 26 * HOUR, 26 * HOUR + 1, 4 * DAY, 4 * DAY + 3 * HOUR)
"""Of the transfers, in seconds before now."""


async def test_counts_and_rows_add_up_to_a_plain_count(migrated: Path, tmp_path: Path) -> None:
    path = tmp_path / "sieve.db"
    shutil.copyfile(migrated, path)
    database = database_from_url(url(path))
    times = [NOW_S - age for age in AGES_S]
    async with database.write() as session:
        author, peer = await a_user(session), await a_peer(session)
        document = await a_document(session, author)
        for at_s in times:
            await a_transfer(session, document, author, peer, now_ns=at_s * S)
    rollups = TimingRollups(database, Announcements(), 90, Clock(lambda: NOW_S * S, lambda: NOW_S * S))
    spans = [(NOW_S - 5 * DAY, NOW_S + 60), (NOW_S - 4 * DAY, NOW_S - 100), (NOW_S - 3 * HOUR + 60, NOW_S - HOUR + 120)]
    try:
        await rollups.count_accepted()
        for since_s, until_s in spans:
            for width_s in (60, 600, HOUR, 6 * HOUR, DAY):
                if width_s < HOUR and NOW_S - since_s > 4 * DAY:
                    continue  # minutes are not kept so long
                plain = Counter(at_s - at_s % width_s for at_s in times if since_s <= at_s < until_s)
                async with database.browse() as session:
                    assert await accepted_counts.accepted(session, since_s, until_s, width_s) == plain
        async with database.write() as session:
            await session.execute(delete(TransferRecipient))
            await session.execute(delete(Transfer))
        await rollups.count_accepted()
        async with database.browse() as session:
            kept = await accepted_counts.accepted(session, NOW_S - 5 * DAY, NOW_S, DAY)
            minutes = await accepted_counts.accepted(session, NOW_S - 3 * DAY, NOW_S, 60)
        # The last hours are counted again, in case the clock was set back.
        assert sum(kept.values()) == sum(age > 4 * HOUR for age in AGES_S)
        assert sum(minutes.values()) == sum(4 * HOUR < age < 3 * DAY for age in AGES_S)
    finally:
        await database.dispose()
