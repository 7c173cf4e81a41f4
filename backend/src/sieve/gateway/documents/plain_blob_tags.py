"""Background task that adds tags to plain blobs from versions that stored none.

A blob without tags is compared with its digest as a whole before any of it is read (`store.plain_blob`): reads are
checked either way, but take longer. A blob that does not match its digest changed on the disk; it gets no tags, and
cannot be read until it is restored.
"""

import asyncio
import logging
import time
from dataclasses import dataclass
from typing import Final

from sieve.store.blobs import BlobDamaged, BlobStore
from sieve.store.database import Database
from sieve.store.queries import blobs as queries

log = logging.getLogger(__name__)

AGAIN_S: Final = 24 * 3600.0
AT_ONCE: Final = 100
"""Rows in one query."""


@dataclass(slots=True)
class PlainBlobTagger:
    """Tags one blob at a time, and pauses for as long as each took."""

    database: Database
    blobs: BlobStore

    async def run(self) -> None:
        """Tags all blobs, until cancelled. Retries once a day those that did not match their digest."""
        while True:
            try:
                tagged = await self.tag_all()
                if tagged:
                    log.info("added tags to %d plain files of an earlier version", tagged)
            except Exception as error:
                # The database may be busy or its disk fail; an error here would stop the gateway.
                log.warning("cannot tag plain files now: %s", error)
            await asyncio.sleep(AGAIN_S)

    async def tag_all(self) -> int:
        """Tags all blobs without tags that match their digests; returns their number."""
        tagged, after = 0, ""
        while True:
            async with self.database.browse() as session:
                found = await queries.untagged(session, after, limit=AT_ONCE)
            if not found:
                return tagged
            for each in found:
                after = each.ref.id
                began_ns = time.monotonic_ns()
                tagged += await self._tag(each)
                await asyncio.sleep((time.monotonic_ns() - began_ns) / 1e9)

    async def _tag(self, untagged: queries.Untagged) -> bool:
        try:
            ref = await asyncio.to_thread(self.blobs.tag, untagged.ref, untagged.plain_digest)
        except BlobDamaged as damaged:
            async with self.database.browse() as session:
                if await queries.is_untagged(session, untagged.ref.id):
                    log.error(
                        "document %s changed on the disk before its file had tags: %s",
                        untagged.document_id,
                        damaged.for_log,
                    )
            return False
        except OSError as error:  # of this file only: go on with the others
            log.warning("cannot read the plain file of document %s now: %s", untagged.document_id, error.strerror)
            return False
        async with self.database.write() as session:
            return await queries.add_tags(session, ref)
