"""Opens a gateway's data: the database, the blobs and the master keys, checked against each other first.

Invariant: a start destroys nothing. A database and blobs that do not belong together, or a master key that is missing,
stop it; what no row names is not deleted by one start alone (ADR 21).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.blob_place import BlobPlace, Bucket
from sieve.store.blob_storage import BlobStorage
from sieve.store.blobs import BlobStore
from sieve.store.clock_doubt import is_far
from sieve.store.database import Database
from sieve.store.database_from_url import database_from_url
from sieve.store.errors import BlobsUnreachable, BlobsUnusable, DatabaseTaken, DatabaseUnusable, MasterKeyMissing
from sieve.store.folder_at_start import FolderAtStart
from sieve.store.key_source import KeySource
from sieve.store.master_keys import MasterKeys
from sieve.store.models import Peer, new_id
from sieve.store.queries import blobs as blob_queries
from sieve.store.queries import clock_notes, keys_in_use, partials
from sieve.store.queries.peers import OWN_ID

if TYPE_CHECKING:  # only a gateway with a bucket needs the client of S3 stores
    from sieve.store.s3_sweep import S3Sweep

_SAME_KEYS: Final = "all replicas need the same master keys"


@dataclass(frozen=True, slots=True)
class Store:
    """A gateway's data, ready to use. `sweep`: removes what no row names while the gateway runs; None if each start
    does that."""

    database: Database
    keys: MasterKeys
    blobs: BlobStore
    sweep: "S3Sweep | None" = None

    async def close(self) -> None:
        """Closes the database, and waits a moment for blobs that are being removed."""
        self.blobs.close()
        await self.database.dispose()


@dataclass(frozen=True, slots=True)
class Holder:
    """Who opens a store: a gateway's name, and its public key for receipts."""

    name: str
    receipt_key: bytes


class BlobsAtStart(Protocol):
    """The blobs, before anything else uses them. Everything here may block and raise OSError."""

    @property
    def storage(self) -> BlobStorage:
        """The same blobs, for later."""

    @property
    def sweep(self) -> "S3Sweep | None":
        """See `Store`."""

    @property
    def name_for_people(self) -> str:
        """What and where they are."""

    @property
    def remedy(self) -> str:
        """What to do if they cannot be used."""

    def id(self) -> str | None:
        """Their id, which the database names that they belong to; None if they have none."""

    def name(self, folder_id: str) -> None:
        """Gives them that id, durably."""

    def check_no_database(self, database: Database) -> None:
        """Checks that nothing is stored: there is no database yet.

        Raises:
            BlobsUnusable: something is.
        """

    async def check_fit(self, database: Database, named: str | None, known: set[str]) -> None:
        """Checks that they belong to this database. `named`: the id that it names. `known`: the blobs that it names.

        Raises:
            BlobsUnusable: they belong to another one, or are not there.
        """

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
        """Takes away what no row names, and logs what is missing. `files`: the known ones that must be there.
        `partials`: the blobs that are resumed. `all_of_them`: also if it is much.
        `is_clock_far`: `now_ns` may be wrong, and nothing is deleted for its age."""


async def open_store(
    database_url: str,
    blobs: BlobPlace,
    master_keys: KeySource,
    holder: Holder | None,
    *,
    now_ns: int,
    adopt_blobs: bool = False,
) -> Store:
    """Opens the store, or creates one. The caller holds the data folder's lock; until the store is closed, no
    other gateway can use it, except replicas of this one (`Database.let_others_join`) if both database and blobs are on
    servers. `holder`: None for a command.

    `adopt_blobs`: the blobs belong to this database from now on, and all that no row names go, also if they are many:
    files to quarantine, objects with the sweeps.

    Raises:
        DatabaseUnusable: the database cannot be opened, or a newer version wrote it.
        DatabaseTaken: another gateway uses the database, or it is another gateway's.
        BlobsUnusable: they cannot be read or written, or belong to another database.
        BlobsUnreachable: the S3 store does not answer now, or refuses.
        MasterKeyMissing: rows name a master key that the file does not hold, or other replicas use another one.
        MasterKeyError: the master key file, or the command that prints the keys, cannot be used.
    """
    database = database_from_url(database_url)
    try:
        # Replicas of a gateway need their blobs in one place.
        shared = holder is not None and isinstance(blobs, Bucket)
        await database.hold("a command" if holder is None else f"the gateway {holder.name}", shared=shared)
        at_start = _at_start(blobs)
        return await _opened(database, at_start, master_keys, holder, now_ns=now_ns, adopt_blobs=adopt_blobs)
    except BaseException:
        await database.dispose()
        raise


def _at_start(blobs: BlobPlace) -> BlobsAtStart:
    if isinstance(blobs, Bucket):
        from sieve.store.bucket_at_start import BucketAtStart

        return BucketAtStart(blobs)
    return FolderAtStart(blobs)


async def _opened(
    database: Database, blobs: BlobsAtStart, source: KeySource, holder: Holder | None, *, now_ns: int, adopt_blobs: bool
) -> Store:
    with _usable(blobs):
        # Checked before a database is created, so that a wrong address leaves no empty database.
        if not adopt_blobs and not await database.exists():
            blobs.check_no_database(database)
        await database.migrate()
        async with database.read() as session:
            if holder is not None:
                await _check_is_ours(database, session, holder)
            resumed = await partials.blob_ids(session)
            known, files = await blob_queries.ids_and_files(session)
            named = await blob_queries.folder_id(session)
            recorded = await keys_in_use.recorded(session)
            noted = await clock_notes.latest(session)
        known |= resumed
        if named == blob_queries.MOVED and not adopt_blobs:
            raise DatabaseUnusable(
                f"sieve migrate-store moved what the database {database.name} holds; set SIEVE_DATABASE_URL and "
                "SIEVE_BLOBS to where it is now (to use the old place again, without what came later: sieve gateway "
                "--adopt-blobs)"
            )
        theirs = blobs.id()
        if not adopt_blobs:
            await blobs.check_fit(database, named, known)
        keys = await _keys(database, source, recorded)
        # Nothing needs them, or the start would be refused. Replicas that join have the same keys as this one.
        unneeded = recorded - {*keys.ids} - keys.lost if database.is_shared else set()
        folder_id = theirs or (named if named != blob_queries.MOVED else None) or new_id()
        if named != folder_id or keys.current not in recorded or unneeded:
            async with database.write() as session:
                await blob_queries.belong_to(session, folder_id)
                await keys_in_use.forget(session, unneeded)
                await keys_in_use.record(session, keys.current)
        store = BlobStore(blobs.storage, keys, rows=database.folder)
        if theirs is None:
            blobs.name(folder_id)
        is_clock_far = noted is not None and is_far(now_ns, noted.believed_at_ns)
        blobs.tidy(known, files, resumed, now_ns, all_of_them=adopt_blobs, is_clock_far=is_clock_far)
    return Store(database, keys, store, blobs.sweep)


async def _check_is_ours(database: Database, session: AsyncSession, holder: Holder) -> None:
    """Checks that the database on a server is not another gateway's. One that has only a new name, or only new keys, is
    the same; and who has another gateway's file has its data folder.
    """
    own = await session.get(Peer, OWN_ID)
    if database.folder is not None or own is None:
        return
    if own.name != holder.name and own.receipt_key != holder.receipt_key:
        raise DatabaseTaken(
            f"the database {database.name} belongs to the gateway {own.name}, and this one is {holder.name}; set "
            "SIEVE_DATABASE_URL to a database of its own (to give a gateway a new name and a new identity, start it "
            "once with only one of them changed)"
        )
    if not database.is_alone and (own.name, own.receipt_key) != (holder.name, holder.receipt_key):
        raise DatabaseTaken(
            f"replicas of the gateway {own.name} use the database {database.name}, and this one has another name or "
            "another identity; give all replicas the same SIEVE_NAME and the same identity"
        )


async def _keys(database: Database, source: KeySource, recorded: set[str]) -> MasterKeys:
    """The master keys. One is created only if no row needs another; of replicas, only by the first one ever.

    Raises:
        MasterKeyMissing, MasterKeyError: see `open_store`.
    """
    try:
        keys = source.load(recorded)
    except MasterKeyMissing as error:
        needed: set[str] = set()
        if database.is_alone:
            # Recorded is each key that was ever used. Only now read all rows, to see whether one still needs it.
            async with database.browse() as session:
                needed = await keys_in_use.needed(session, recorded)
        if database.is_shared and not needed:
            # While nothing is sealed, each replica could start with its own key, and not open what another one seals.
            raise MasterKeyMissing(f"{error}; {_SAME_KEYS}") from None
        return source.load(needed)
    if not database.is_alone and keys.current not in recorded:
        raise MasterKeyMissing(
            f"the first master key in {source} is {keys.current}, which no running replica knows; {_SAME_KEYS}, "
            "and stop all of them to change it"
        )
    return keys


@contextmanager
def _usable(blobs: BlobsAtStart) -> Iterator[None]:
    try:
        yield
    except BlobsUnreachable:  # its sentence says what to do
        raise
    except OSError as error:
        raise BlobsUnusable(f"cannot use {blobs.name_for_people}: {error.strerror}; {blobs.remedy}") from error
