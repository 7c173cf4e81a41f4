"""Background task that removes copies of removed blobs from the spool. Each replica has copies of its own: the one that
removes a blob tells the others, but a message may be lost.
"""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from sieve.store.blobs import BlobStore
from sieve.store.database import Database
from sieve.store.queries import blobs as queries
from sieve.store.queries import partials

log = logging.getLogger(__name__)

PACE_S: Final = 24 * 3600.0
RETRY_S: Final = 60.0
"""Seconds until the next try if the database could not be read."""


@dataclass(slots=True)
class SpooledCopies:
    """Compares the copies with the rows once a day, and after `wake`."""

    database: Database
    blobs: BlobStore
    _wake: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self) -> None:
        """Messages of other replicas may be missing: compares soon."""
        self._wake.set()

    async def run(self) -> None:
        """Compares until cancelled."""
        pause_s = PACE_S
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await self._wake.wait()
            self._wake.clear()
            try:
                await self.compare()
                pause_s = PACE_S
            except Exception as error:  # the database may be busy
                log.warning("cannot compare the copies in the spool with the documents now: %s", error)
                pause_s = RETRY_S

    async def compare(self) -> int:
        """Removes the copies of blobs that no row names; returns how many."""
        async with self.database.browse() as session:
            known = await queries.ids(session) | await partials.blob_ids(session)
        return await asyncio.to_thread(self.blobs.forget_copies_but, known)
