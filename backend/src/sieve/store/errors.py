"""Errors of the store.

SieveError
└── StoreError
    ├── MasterKeyError         the master keys cannot be used; one line says what to fix
    ├── BlobDamaged            a stored file is missing, cut, changed, or was never ours
    │   └── MasterKeyMissing   it is whole, but its master key is not here; also a MasterKeyError
    ├── BlobsUnusable          the blob folder or bucket cannot be used, or belongs to another database
    ├── StorageFull        there is no room left, in the blobs' folder or for the database
    ├── DatabaseBusy           another process held the database for too long; trying again helps
    │   └── DatabaseUnreachable  its server cannot be reached, or takes no connection at the moment
    ├── TextUnstorable         a text has a character that the database cannot hold
    ├── DatabaseUnwritable     the database can be read, and not written
    └── DatabaseUnusable       the database cannot be opened, or is not of this version
        └── DatabaseTaken      another gateway uses it
            └── ReplicaEnded   the other replicas ended this one

BlobsUnreachable, an OSError: the store of blobs does not answer at the moment, as a disk that fails

None of them holds a byte of a document, a key, or a parameter of a statement.
"""

import errno
from typing import Final

from sieve.core.errors import SieveError

FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""What the system says of a full disk."""
TAKES_NOTHING: Final = FULL | {errno.EROFS, errno.EIO}
"""And of one that is read-only, or fails. None of these is a defect of the program."""


class StoreError(SieveError):
    """Root of the store's errors."""


class MasterKeyError(StoreError):
    """The master keys cannot be read, made, or do not include the one that is needed."""


class BlobDamaged(StoreError):
    """A stored file is not what was written. `where`: which file of which document, for the log, if known."""

    def __init__(self, says: str, where: str | None = None) -> None:
        super().__init__(says)
        self.where = where

    @property
    def for_log(self) -> str:
        """The sentence, and which file to restore."""
        return str(self) if self.where is None else f"{self} ({self.where})"


class MasterKeyMissing(MasterKeyError, BlobDamaged):
    """A stored file cannot be read without its master key. It can be read once the key is back, so waiting transfers
    must not fail permanently because of it."""


class BlobsUnusable(StoreError):
    """The blob folder or the bucket cannot be read or written, or does not belong to the database."""


class StorageFull(StoreError):
    """The disk has no room left."""


class DatabaseBusy(StoreError):
    """Another process locked the database for longer than we wait."""


class DatabaseUnreachable(DatabaseBusy):
    """The database's server cannot be reached, or takes no connection, at the moment."""


class TextUnstorable(StoreError):
    """A text has a character that the database cannot hold."""


class DatabaseUnwritable(StoreError):
    """The database can be read, and not written."""


class DatabaseUnusable(StoreError):
    """The database cannot be used by this version of the program."""


class DatabaseTaken(DatabaseUnusable):
    """Another gateway uses the database."""


class ReplicaEnded(DatabaseTaken):
    """The other replicas ended this one because it was stopped or cut off. It must be started again."""


class BlobsUnreachable(OSError):
    """The store of blobs cannot be reached, or does not do what was asked, at the moment; trying again may help. An
    `OSError`, because everything that reads and writes blobs treats it as a disk that fails just now.
    """

    def __init__(self, says: str) -> None:
        super().__init__(errno.EIO, says)

    def __str__(self) -> str:
        return str(self.strerror)
