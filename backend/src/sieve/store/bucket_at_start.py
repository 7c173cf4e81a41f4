"""A bucket at a start: whether it belongs to the database, and what of the spool is still needed (ADR 59)."""

from typing import Final

from sieve.store.blob_folder import BlobFolder
from sieve.store.blob_place import Bucket
from sieve.store.database import Database
from sieve.store.errors import BlobsUnusable
from sieve.store.queries import blobs as blob_queries
from sieve.store.s3_objects import S3Objects
from sieve.store.s3_storage import S3Storage
from sieve.store.s3_sweep import S3Sweep


class BucketAtStart:
    """Implements `BlobsAtStart`."""

    remedy: Final = "make it writable or set SIEVE_DATA_DIR"

    def __init__(self, bucket: Bucket) -> None:
        self._objects = S3Objects(bucket.address)
        self.storage: Final = S3Storage(self._objects, BlobFolder(bucket.spool), bucket.spool_bytes)
        self.sweep: Final = S3Sweep(self._objects)
        self.name_for_people: Final = f"the spool {bucket.spool}"
        self.name: Final = self._objects.name

    def id(self) -> str | None:
        """Asks the bucket, after a check that it can be used at all."""
        self._objects.check()
        return self._objects.folder_id()

    def check_no_database(self, database: Database) -> None:
        if self._objects.folder_id() is not None or self._holds_blobs():
            raise BlobsUnusable(self._knows_none(database))

    async def check_fit(self, database: Database, named: str | None, known: set[str]) -> None:
        """By the id. A bucket that has one belongs to the database that names it; one without must be empty, and so
        must the database be.
        """
        theirs, where = self._objects.folder_id(), self._objects.address
        if theirs is not None:
            if named is None:
                raise BlobsUnusable(self._knows_none(database))
            if named != theirs:
                raise BlobsUnusable(
                    f"the database {database.name} belongs to the blobs with the id {named}, and {where} has the id "
                    f"{theirs}; set SIEVE_DATABASE_URL and SIEVE_BLOBS to two that belong together"
                )
        elif self._holds_blobs():
            raise BlobsUnusable(
                f"{where} holds blobs but no object folder-id, which says to which database they belong; set "
                f"SIEVE_BLOBS to another prefix (if they belong to {database.name}: sieve gateway --adopt-blobs)"
            )
        else:
            async with database.browse() as session:
                missing = len(await blob_queries.files(session))
            if missing:
                raise BlobsUnusable(
                    f"{where} holds none of the {missing} blobs that the database {database.name} names; set "
                    "SIEVE_BLOBS to where they are, or restore them (if they are lost for good: sieve gateway "
                    "--adopt-blobs)"
                )

    def tidy(
        self,
        known: set[str],
        files: set[str],
        partials: set[str],
        now_ns: int,
        *,
        all_of_them: bool,
        is_clock_far: bool,
    ) -> None:
        """Only of the spool. The sweep finds what no row names in the bucket, while the gateway runs."""
        self.storage.keep_in_spool(partials)
        if all_of_them:
            self.sweep.adopt()

    def _holds_blobs(self) -> bool:
        return next(self._objects.all(), None) is not None

    def _knows_none(self, database: Database) -> str:
        where = self._objects.address
        return (
            f"the database {database.name} knows none of the blobs in {where}; set SIEVE_DATABASE_URL to the database "
            "that they belong to, restore that from a backup, or set SIEVE_BLOBS to another prefix to start without "
            "them"
        )
