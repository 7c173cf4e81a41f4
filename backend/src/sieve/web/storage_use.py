"""Counts what the gateway stores, at most once in `FRESH_S`, however many admins look."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from sieve.config import Settings
from sieve.gateway.clock import NS_PER_S, Clock
from sieve.gateway.documents import retention
from sieve.store.blob_folder import BlobFolder, Quarantined
from sieve.store.database import Database
from sieve.store.models import Mark, TimingRecord
from sieve.store.queries import storage_use
from sieve.store.queries.storage_use import DocumentsUse, Expiry, Kept

FRESH_S: Final = 300
LOW: Final = 0.05
DAY_NS: Final = 24 * 3600 * NS_PER_S


Held: TypeAlias = Literal["database", "documents", "spool"]


@dataclass(slots=True)
class Disk:
    """A disk that holds data of the gateway. `is_low`: less than a twentieth or less than the largest document is free;
    of a disk on which that would be more than half, less than half.
    """

    holds: list[Held]
    total_bytes: int
    free_bytes: int
    is_low: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """What was counted at one time. `free_bytes`: in the database's files. `timing_records`, `timing_marks`: how
    many."""

    at_ns: int
    documents: Sequence[DocumentsUse]
    database_bytes: int
    free_bytes: int
    timing_records: int
    timing_marks: int
    audit_entries: int
    quarantine: Quarantined
    received: Kept
    deleted: Kept
    records: Kept
    oldest_mark_ns: int | None
    oldest_entry_ns: int | None


@dataclass(slots=True)
class StorageUse:
    """Measures on request, and remembers the result for `FRESH_S` seconds."""

    settings: Settings
    database: Database
    clock: Clock
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _measured: Measured | None = None

    async def measured(self) -> Measured:
        """What is stored now, or was some minutes ago."""
        async with self._turn:
            now_ns = self.clock.now_ns()
            known = self._measured
            if known is None or not 0 <= now_ns - known.at_ns < FRESH_S * NS_PER_S:
                known = self._measured = await self._measure(now_ns)
            return known

    def disks(self) -> list[Disk]:
        """The disks with the gateway's data, each once."""
        held: Held = "documents" if self.settings.bucket is None else "spool"
        holds = [(held, self.settings.blobs_path)]
        if self.database.folder is not None:  # the disk of a server is its own
            holds.insert(0, ("database", self.database.folder))
        found: dict[int, Disk] = {}
        for what, folder in holds:
            if not folder.exists():  # not mounted any more
                continue
            disk = os.statvfs(folder)
            total, free = disk.f_blocks * disk.f_frsize, disk.f_bavail * disk.f_frsize
            is_low = free < max(total * LOW, min(self.settings.max_document_bytes, total // 2))
            new = Disk(holds=[], total_bytes=total, free_bytes=free, is_low=is_low)
            found.setdefault(folder.stat().st_dev, new).holds.append(what)
        return list(found.values())

    async def _measure(self, now_ns: int) -> Measured:
        settings = self.settings
        days, next_run_ns = settings.retention_days, int(retention.PACE_S) * NS_PER_S
        # Timing records are removed by whole days.
        today_ns = now_ns - now_ns % DAY_NS - 1
        quarantine = await asyncio.to_thread(BlobFolder(settings.blobs_path).quarantined)  # a spool has none
        size, free = await self.database.bytes_used()
        async with self.database.browse() as session:
            entries, oldest_entry_ns = await storage_use.audit_entries(session)
            return Measured(
                at_ns=now_ns,
                documents=await storage_use.documents(session),
                database_bytes=size,
                free_bytes=free,
                timing_records=await storage_use.numbered(session, TimingRecord.id),
                timing_marks=await storage_use.numbered(session, Mark.id),
                audit_entries=entries,
                quarantine=quarantine,
                received=await storage_use.received(
                    session, None if days is None else _expiry(now_ns, days, next_run_ns)
                ),
                deleted=await storage_use.trash(session, _expiry(now_ns, settings.deleted_days, next_run_ns)),
                records=await storage_use.timing_records(session, _expiry(today_ns, settings.timing_records_days)),
                oldest_mark_ns=await storage_use.oldest_timing_mark_ns(session),
                oldest_entry_ns=oldest_entry_ns,
            )


def _expiry(now_ns: int, days: int, next_run_ns: int = 0) -> Expiry:
    """What is kept for that many days. `next_run_ns`: the time until the next run."""
    kept_ns = days * DAY_NS
    return Expiry(now_ns + next_run_ns - kept_ns, now_ns + DAY_NS - kept_ns)
