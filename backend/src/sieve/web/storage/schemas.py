"""What the gateway stores and how long, as its admins see it: totals, never names or content."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel

from sieve.web.schemas import Shown

RetentionKind = Literal[
    "received", "deleted", "versions", "partials", "quarantine", "timing-records", "timing-marks", "sessions", "audit"
]


class DiskShown(Shown):
    """A disk that holds data of the gateway. `holds`: which. `is_low`: less than a twentieth or less than the largest
    document is free."""

    holds: list[Literal["database", "documents", "spool"]]
    total_bytes: int
    free_bytes: int
    is_low: bool


class DocumentsShown(BaseModel):
    """The stored documents of one origin, saved versions among them. `sealed_bytes`: classified content and redacted
    editions."""

    origin: Literal["authored", "received"]
    documents: int
    plain_bytes: int
    sealed_bytes: int


class FilesShown(BaseModel):
    """Files and their bytes."""

    files: int
    bytes: int


class DatabaseShown(BaseModel):
    """The database file with what waits to be written into it. `free_bytes`: free for new rows. The counts of rows are
    about right."""

    bytes: int
    free_bytes: int
    timing_records: int
    timing_marks: int
    audit_entries: int


class BackupShown(BaseModel):
    """The last backup. `damaged`: how many files of documents were missing or changed."""

    taken_at: datetime
    bytes: int
    damaged: int


class RetentionShown(BaseModel):
    """How long something is kept. `kept_s`: null: forever. `setting`: the variable that sets it; null: it is fixed.
    `oldest_at`: null if there is nothing, or that is not known. `next_run`: how many the next run removes; `next_day`:
    how many until tomorrow, these among them; null if that is not counted.
    """

    kind: RetentionKind
    kept_s: float | None
    setting: str | None
    oldest_at: datetime | None
    next_run: int | None
    next_day: int | None


class StorageShown(BaseModel):
    """`measured_at`: when documents, database rows, quarantine and retention were counted; everything else is current.
    `partials`: their bytes are reserved in full. `backup`: null if the gateway knows of none.
    """

    measured_at: datetime
    disks: list[DiskShown]
    database: DatabaseShown
    documents: list[DocumentsShown]
    partials: FilesShown
    quarantine: FilesShown
    backup: BackupShown | None
    retention: list[RetentionShown]
