"""What can go wrong with what is kept.

SieveError
└── StoreError
    ├── MasterKeyError         the master keys cannot be used; one line says what to mend
    ├── BlobDamaged            a stored file is missing, cut, changed, or was never ours
    ├── DestinationFull        there is no room left, in the blobs' folder or for the database
    ├── DatabaseBusy           somebody else held the database for too long; trying again helps
    └── DatabaseUnusable       the database cannot be opened, or is not of this version

None of them holds a byte of a document, a key, or a parameter of a statement.
"""

from sieve.core.errors import SieveError


class StoreError(SieveError):
    """Root of the store's errors."""


class MasterKeyError(StoreError):
    """The master keys cannot be read, made, or do not include the one that is needed."""


class BlobDamaged(StoreError):
    """What is stored is not what was stored."""


class DestinationFull(StoreError):
    """There is no room for it."""


class DatabaseBusy(StoreError):
    """The database was locked by somebody else for longer than we wait."""


class DatabaseUnusable(StoreError):
    """The database is not one that this program can work with."""
