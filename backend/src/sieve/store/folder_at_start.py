"""The blob folder at a start: whether it belongs to the database, and its quarantine (ADR 21)."""

import logging
from pathlib import Path
from typing import Final

from sieve.store.blob_folder import BlobFolder, Compared
from sieve.store.database import Database
from sieve.store.errors import BlobsUnusable
from sieve.store.queries import blobs as blob_queries

log = logging.getLogger(__name__)

FEW: Final = 256
"""The most files that a start moves to quarantine unasked, however many there are. A crash leaves the files of
transfers in progress: this many for two peers with 64 open transfers of two files each."""


class FolderAtStart:
    """Implements `BlobsAtStart`."""

    sweep: Final = None

    def __init__(self, root: Path) -> None:
        self._folder = BlobFolder(root)
        self.storage: Final = self._folder
        self.name_for_people: Final = f"the blob folder {root}"
        self.remedy: Final = "make it writable or set SIEVE_BLOBS"
        self.id: Final = self._folder.id
        self.name: Final = self._folder.name
        self._there: Compared | None = None

    def check_no_database(self, database: Database) -> None:
        if count := self._folder.compared(()).found:
            raise BlobsUnusable(_knows_none(database, self._folder, count))

    async def check_fit(self, database: Database, named: str | None, known: set[str]) -> None:
        """By the folder's id or, if one of them has none (it is new, from before ids, or assembled by hand), by a file
        in common, unless neither has any files.
        """
        theirs, there = self.id(), self._compared(known)
        if named is not None and theirs is not None:
            if named != theirs:
                raise BlobsUnusable(
                    f"the database {database.name} belongs to the blob folder with the id {named}, and "
                    f"{self._folder.root} has the id {theirs}; set SIEVE_DATABASE_URL and SIEVE_BLOBS to two that "
                    "belong together, or restore both from one backup (if they do belong together, remove "
                    f"{self._folder.id_file})"
                )
        elif there.found and there.found == len(there.unknown):
            raise BlobsUnusable(_knows_none(database, self._folder, there.found))
        elif not there.found:
            async with database.browse() as session:
                missing = len(await blob_queries.files(session))
            if missing:
                raise BlobsUnusable(
                    f"the blob folder {self._folder.root} holds none of the {missing} blob files that the database "
                    f"{database.name} names; mount or restore that folder, or set SIEVE_BLOBS to it (if the files are "
                    "lost for good: sieve gateway --adopt-blobs)"
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
        """Updates the quarantine. This only frees space, so no error here stops the start.

        Nor do more unknown files than a crash leaves: they are safe where they are, and the admin may want to start
        with an older database from a backup.
        """
        try:
            there = self._compared(known)
            found, unknown = there.found, there.unknown
            if back := self._folder.move_back(known):
                log.info("moved %d files back from %s: the database knows them", back, self._folder.quarantine)
            missing = sorted(each for each in files - there.known if not self._folder.exists(each))
            if missing:
                log.warning(
                    "%d of %d files that the database names are missing in %s, such as %s: their documents cannot be "
                    "read; stop the gateway and restore them from a copy of the folder",
                    len(missing),
                    len(files),
                    self._folder.root,
                    missing[0],
                )
            if self._folder.kept.is_dir():
                log.warning(
                    "removed files are kept in %s; delete that folder once the backup that needs it is complete",
                    self._folder.kept,
                )
            if not is_clock_far and (removed := self._folder.remove_overdue(now_ns)):
                log.info("removed %d files that lay in %s for 7 days and more", removed, self._folder.quarantine)
            if len(unknown) > FEW and not all_of_them:
                log.warning(
                    "the database does not know %d of %d files in %s; they stay where they are. Is it an older one? To "
                    "move them to quarantine, start once with: sieve gateway --adopt-blobs",
                    len(unknown),
                    found,
                    self._folder.root,
                )
            elif unknown:
                where = self._folder.move_away(unknown, now_ns)
                log.info(
                    "moved %d files that the database does not know to %s; starts after 7 days remove them",
                    len(unknown),
                    where,
                )
        except OSError as error:
            log.warning("the blob folder %s cannot be swept: %s", self._folder.root, error.strerror)

    def _compared(self, known: set[str]) -> Compared:
        if self._there is None:
            self._there = self._folder.compared(known)
        return self._there


def _knows_none(database: Database, folder: BlobFolder, count: int) -> str:
    return (
        f"the database {database.name} knows none of the {count} blob files in {folder.root}; set SIEVE_DATABASE_URL "
        f"to the database that they belong to, restore that from a backup, or move {folder.root} away to "
        "start without them"
    )
