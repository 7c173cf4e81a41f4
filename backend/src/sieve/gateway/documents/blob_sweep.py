"""Background task that removes blobs from a bucket that no row names, such as those of a process that was killed."""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sieve.gateway.periodic_jobs import repeat
from sieve.store.database import Database
from sieve.store.queries import blobs, partials

if TYPE_CHECKING:  # only a gateway with a bucket needs the client of S3 stores
    from sieve.store.s3_sweep import S3Sweep

PACE_S: Final = 24 * 3600.0


@dataclass(slots=True)
class BlobSweep:
    """Sweeps at the start, and once a day."""

    database: Database
    objects: "S3Sweep"

    async def run(self) -> None:
        """Sweeps until cancelled."""
        await repeat(self.sweep, PACE_S, "remove blobs that no row names from the S3 store")

    async def sweep(self) -> int:
        """Notes and removes blobs that no row names; returns how many it removed.

        Raises:
            BlobsUnreachable: the store does not answer.
        """
        async with self.database.browse() as session:
            files = await blobs.files(session)
        await asyncio.to_thread(self.objects.look)
        async with self.database.browse() as session:
            known = await blobs.ids(session) | await partials.blob_ids(session)
        return await asyncio.to_thread(self.objects.settle, known, files)
