"""What the gateway stores and how long, for its admins. Read-only: settings are changed where the gateway starts."""

import asyncio
from datetime import datetime

from sieve.gateway.backups.folder import LastBackup
from sieve.web.access import Admin
from sieve.web.api_router import api_router
from sieve.web.services import Given
from sieve.web.storage.retention_rules import rules
from sieve.web.storage.schemas import BackupShown, DatabaseShown, DiskShown, DocumentsShown, FilesShown, StorageShown
from sieve.web.times import shown

router = api_router(tag="gateway")


@router.get("/storage")
async def storage(admin: Admin, services: Given) -> StorageShown:
    """What takes space, how much is free, and how long everything is kept. Counts are at most 5 minutes old."""
    use, settings = services.storage, services.settings
    measured = await use.measured()
    incoming = services.partials.all()
    # A slow disk must not stop the event loop.
    disks, backup = await asyncio.to_thread(lambda: (use.disks(), LastBackup.read(settings.data_dir)))
    return StorageShown(
        measured_at=shown(measured.at_ns),
        disks=[DiskShown.from_attributes(disk) for disk in disks],
        database=DatabaseShown(
            bytes=measured.database_bytes,
            free_bytes=measured.free_bytes,
            timing_records=measured.timing_records,
            timing_marks=measured.timing_marks,
            audit_entries=measured.audit_entries,
        ),
        documents=[DocumentsShown.model_validate(each._asdict()) for each in measured.documents],
        partials=FilesShown(files=len(incoming), bytes=sum(each.partial.size for each in incoming)),
        quarantine=FilesShown(files=measured.quarantine.files, bytes=measured.quarantine.bytes),
        backup=_backup(backup),
        retention=rules(settings, measured, incoming, use.clock.now_ns()),
    )


def _backup(last: LastBackup | None) -> BackupShown | None:
    if last is None:
        return None
    try:
        taken_at = datetime.fromisoformat(last.taken_at)
    except ValueError:
        return None
    return BackupShown(taken_at=taken_at, bytes=last.bytes, damaged=last.damaged)
