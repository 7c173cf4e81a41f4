"""When a replica compares the copies in its spool with the rows. What it removes: `tests/store/test_s3_storage.py`."""

import asyncio
from typing import Any

import pytest

from gateway.two_gateways import Pair, until
from gateway.ways import over
from sieve.gateway.documents import spooled_copies
from sieve.gateway.documents.spooled_copies import SpooledCopies
from sieve.store.errors import DatabaseBusy
from sieve.store.queries import blobs


@pytest.fixture
def pair(pair_over_any: Pair) -> Pair:
    return pair_over_any


@over("1+1")
async def test_it_compares_when_messages_may_be_missing_and_again_if_the_database_was_busy(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spooled_copies, "RETRY_S", 0.01)
    real, looks = blobs.ids, list[bool]()

    async def ids(session: Any) -> set[str]:
        looks.append(len(looks) > 0)
        if not looks[-1]:
            raise DatabaseBusy("the database is busy")
        return await real(session)

    monkeypatch.setattr(blobs, "ids", ids)
    copies = SpooledCopies(pair.bravo.database, pair.bravo.blobs)
    running = asyncio.create_task(copies.run())
    copies.wake()
    await until(lambda: looks == [False, True])
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
