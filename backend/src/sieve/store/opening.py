"""Opens a gateway's data: the database, the blob folder and the master keys, checked against each other first.

Invariant: a start destroys nothing. A database and a blob folder that do not belong together, or a master key that is
missing, stop it; what no row names is moved to quarantine, not deleted (ADR 21).
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.blob_folder import BlobFolder, Compared
from sieve.store.blobs import BlobStore
from sieve.store.database import Database
from sieve.store.errors import BlobFolderUnusable, DatabaseTaken, MasterKeyMissing
from sieve.store.key_source import KeySource
from sieve.store.master_keys import MasterKeys
from sieve.store.models import Peer, new_id
from sieve.store.open_database import open_database
from sieve.store.queries import blobs as blob_queries
from sieve.store.queries import keys_in_use, partials
from sieve.store.queries.peers import OWN_ID

log = logging.getLogger(__name__)

FEW: Final = 256
"""The number of files that a start always moves to quarantine. A crash leaves the files of transfers in progress: this
many for two peers with 64 open transfers of two files each."""


@dataclass(frozen=True, slots=True)
class Store:
    """A gateway's data, ready to use."""

    database: Database
    keys: MasterKeys
    blobs: BlobStore


@dataclass(frozen=True, slots=True)
class Holder:
    """Who opens a store: a gateway's name, and its public key for receipts."""

    name: str
    receipt_key: bytes


async def open_store(
    database_url: str,
    blobs: Path,
    master_keys: KeySource,
    holder: Holder | None,
    *,
    now_ns: int,
    adopt_blobs: bool = False,
) -> Store:
    """Opens the store, or creates one. The caller holds the data folder's lock; until the database is disposed, no
    other gateway can use it. `holder`: None for a command.

    `adopt_blobs`: the blob folder belongs to this database from now on, and all files that no row names move to
    quarantine.

    Raises:
        DatabaseUnusable: the database cannot be opened, or a newer version wrote it.
        DatabaseTaken: another gateway uses the database, or it is another gateway's.
        BlobFolderUnusable: it cannot be read or written, or belongs to another database.
        MasterKeyMissing: rows name a master key that the file does not hold.
        MasterKeyError: the master key file, or the command that prints the keys, cannot be used.
    """
    database = open_database(database_url)
    try:
        await database.hold("a command" if holder is None else f"the gateway {holder.name}")
        return await _opened(database, BlobFolder(blobs), master_keys, holder, now_ns=now_ns, adopt_blobs=adopt_blobs)
    except BaseException:
        await database.dispose()
        raise


async def _opened(
    database: Database, folder: BlobFolder, source: KeySource, holder: Holder | None, *, now_ns: int, adopt_blobs: bool
) -> Store:
    with _usable(folder):
        # Checked before a database is created, so that a wrong address leaves no empty database.
        if not adopt_blobs and not await database.exists() and (count := folder.compared(()).found):
            raise BlobFolderUnusable(_knows_none(database, folder, count))
        await database.migrate()
        async with database.read() as session:
            if holder is not None:
                await _check_is_ours(database, session, holder)
            known = await blob_queries.ids(session) | await partials.blob_ids(session)
            named = await blob_queries.folder_id(session)
            recorded = await keys_in_use.recorded(session)
        there = folder.compared(known)
        theirs = folder.id()
        if not adopt_blobs:
            await _check_fit(database, folder, named, theirs, there)
        keys = await _keys(database, source, recorded)
        folder_id = theirs or named or new_id()
        if named != folder_id or keys.current not in recorded:
            async with database.write() as session:
                await blob_queries.belong_to(session, folder_id)
                await keys_in_use.record(session, keys.current)
        store = BlobStore(folder, keys, rows=database.folder)
        if theirs is None:
            folder.name(folder_id)
    _sweep(folder, known, there, now_ns, all_of_them=adopt_blobs)
    return Store(database, keys, store)


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


async def _check_fit(
    database: Database, folder: BlobFolder, named: str | None, theirs: str | None, there: Compared
) -> None:
    """Checks that the database belongs to this folder: by the folder's id or, if one of them has none (it is new, from
    before ids, or assembled by hand), by a file in common, unless neither has any files.
    """
    if named is not None and theirs is not None:
        if named != theirs:
            raise BlobFolderUnusable(
                f"the database {database.name} belongs to the blob folder with the id {named}, and {folder.root} has "
                f"the id {theirs}; set SIEVE_DATABASE_URL and SIEVE_BLOBS to two that belong together, or restore both "
                f"from one backup (if they do belong together, remove {folder.id_file})"
            )
    elif there.found and there.found == len(there.unknown):
        raise BlobFolderUnusable(_knows_none(database, folder, there.found))
    elif not there.found:
        async with database.browse() as session:
            missing = await blob_queries.count_files(session)
        if missing:
            raise BlobFolderUnusable(
                f"the blob folder {folder.root} holds none of the {missing} blob files that the database "
                f"{database.name} names; mount or restore that folder, or set SIEVE_BLOBS to it (if the files are lost "
                "for good: sieve gateway --adopt-blobs)"
            )


def _knows_none(database: Database, folder: BlobFolder, count: int) -> str:
    return (
        f"the database {database.name} knows none of the {count} blob files in {folder.root}; set SIEVE_DATABASE_URL "
        f"to the database that they belong to, restore that from a backup, or move {folder.root} away to "
        "start without them"
    )


async def _keys(database: Database, source: KeySource, recorded: set[str]) -> MasterKeys:
    """The master keys. One is created only if no row needs another."""
    try:
        return source.load(recorded)
    except MasterKeyMissing:
        # Recorded is each key that was ever used. Only now read all rows, to see whether one still needs it.
        async with database.browse() as session:
            needed = await keys_in_use.needed(session, recorded)
        return source.load(needed)


def _sweep(folder: BlobFolder, known: set[str], there: Compared, now_ns: int, *, all_of_them: bool) -> None:
    """Updates the quarantine. This only frees space, so no error here stops the start.

    Nor do far more unknown files than a crash leaves: they are safe where they are, and the admin may want to start
    with an older database from a backup.
    """
    found, unknown = there.found, there.unknown
    try:
        if back := folder.move_back(known):
            log.info("moved %d files back from %s: the database knows them", back, folder.quarantine)
        if removed := folder.remove_overdue(now_ns):
            log.info("removed %d files that lay in %s for 7 days and more", removed, folder.quarantine)
        if len(unknown) > FEW and len(unknown) * 10 > found and not all_of_them:
            log.warning(
                "the database does not know %d of %d files in %s; they stay where they are. Is it an older one? To "
                "move them to quarantine, start once with: sieve gateway --adopt-blobs",
                len(unknown),
                found,
                folder.root,
            )
        elif unknown:
            where = folder.move_away(unknown, now_ns)
            log.info(
                "moved %d files that the database does not know to %s; starts after 7 days remove them",
                len(unknown),
                where,
            )
    except OSError as error:
        log.warning("the blob folder %s cannot be swept: %s", folder.root, error.strerror)


@contextmanager
def _usable(folder: BlobFolder) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BlobFolderUnusable(
            f"cannot use the blob folder {folder.root}: {error.strerror}; make it writable or set SIEVE_BLOBS"
        ) from error
