"""Gives tags to plain blobs that were stored before there were tags, beside the gateway's other work.

Until a blob has its tags, all of it is compared with its digest before anything of it is read (`store.plain_blob`):
what is handed out meanwhile is checked, too, and only takes longer. A blob that does not fit its digest changed before
it got tags; it stays without, and cannot be read until it is restored.
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
"""Rows that are read at a time."""


@dataclass(slots=True)
class Tagging:
    """Tags one blob at a time, and rests as long as each took."""

    database: Database
    blobs: BlobStore

    async def run(self) -> None:
        """Tags what has no tags, until cancelled. Once a day it looks again at what did not fit."""
        while True:
            try:
                tagged = await self.tag_all()
                if tagged:
                    log.info("gave tags to %d plain files from before there were tags", tagged)
            except (
                Exception
            ) as error:  # the database may be busy or its disk fail; the end of this would end the gateway
                log.warning("plain files cannot be given tags just now: %s", error)
            await asyncio.sleep(AGAIN_S)

    async def tag_all(self) -> int:
        """Tags all that have none and fit their digests; returns how many."""
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
        except OSError as error:  # of this file, which must not keep the others waiting
            log.warning(
                "the plain file of document %s cannot be read just now: %s", untagged.document_id, error.strerror
            )
            return False
        async with self.database.write() as session:
            return await queries.add_tags(session, ref)
