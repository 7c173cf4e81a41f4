"""A copy of a database that is in use, and the files and keys that a copy needs.

`copy` holds one read transaction from its first page to its last. In WAL mode that is one state of the database, and
blocks no writer; without it SQLite would start over with each commit of another process. The copy is one file, without
a `-wal`.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy import Select, SelectBase, func, select
from sqlalchemy.dialects.sqlite import dialect

from sieve.store import blob_file
from sieve.store.errors import DatabaseBusy, DatabaseUnusable, StorageFull
from sieve.store.migrate import newest
from sieve.store.models import Blob, Document
from sieve.store.queries import keys_in_use
from sieve.store.queries.blobs import needed
from sieve.store.sealed_blob import sealed_sizes

SIDE_FILES: Final = ("-wal", "-shm", "-journal")
"""The endings of the files that SQLite keeps beside a database. Beside another database they damage it."""

BUSY_S: Final = 5.0
PAGES: Final = 4096
"""Pages copied at a time; signals are handled in between."""


@dataclass(frozen=True, slots=True)
class BlobFile:
    """A blob's file as its row describes it. `sizes`: the possible sizes; a sealed one has one of two layouts.
    `plain_digest`: BLAKE3, hexadecimal, of a document's plain blob; None for others."""

    id: str
    sizes: tuple[int, ...]
    plain_digest: str | None


@dataclass(frozen=True, slots=True)
class Contents:
    """What a database needs: files of blobs, and master keys by their ids. `schema`: its version."""

    schema: str
    blobs: tuple[BlobFile, ...]
    master_keys: tuple[str, ...]


def copy(source: Path, to: Path) -> None:
    """Copies the database `source` into the new file `to` (mode 0600), synced, and checks the copy.

    Raises:
        DatabaseUnusable: it cannot be read, or is damaged.
        DatabaseBusy: it was locked for too long.
        StorageFull: there is no room for the copy.
    """
    os.close(blob_file.create(to))
    with _reading(source), closing(_connect(source)) as live, closing(_connect(to)) as copied:
        live.execute("BEGIN")
        live.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        live.backup(copied, pages=PAGES, progress=lambda *_: None)
        live.rollback()
        copied.execute("PRAGMA journal_mode=DELETE").fetchone()
        (found,) = copied.execute("PRAGMA integrity_check(1)").fetchone()
        if found != "ok":
            raise _damaged(source, found)


def contents(path: Path) -> Contents:
    """What the database at `path` needs, as it is now.

    Raises:
        DatabaseUnusable: it cannot be read, or another version of this program made it.
        DatabaseBusy: it was locked for too long.
    """
    with _reading(path), closing(_connect(path)) as connection:
        connection.execute("BEGIN")
        _check_version(connection, path)
        rows = connection.execute(_sql(_blob_files()))
        blobs = {
            blob_id: BlobFile(blob_id, sealed_sizes(size) if kind == "sealed" else (size,), digest)
            for blob_id, kind, size, digest in rows
        }
        recorded = [key_id for (key_id,) in connection.execute("SELECT id FROM master_keys")]
        keys = [key_id for (key_id,) in connection.execute(_sql(keys_in_use.naming(recorded)))]
        return Contents(newest(), tuple(blobs.values()), tuple(sorted(keys)))


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    if row != (newest(),):
        raise DatabaseUnusable(
            f"the database {path} is of another version of this program; use that version, "
            "or start the gateway once to bring the database to this one"
        )


def _blob_files() -> Select[str, str, int, str | None]:
    return (
        select(Blob.id, Blob.kind, Blob.size, func.nullif(Document.plain_digest, ""))
        .outerjoin(Document, Document.plain_blob_id == Blob.id)
        .where(Blob.content.is_(None), Blob.id.in_(needed()))
        .order_by(Blob.id)
    )


def _sql(statement: SelectBase) -> str:
    return str(statement.compile(dialect=dialect(), compile_kwargs={"literal_binds": True}))


def _connect(path: Path) -> sqlite3.Connection:
    """Never makes a database. Not read-only: SQLite may have to recover what a killed gateway left in the `-wal`."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=BUSY_S, isolation_level=None)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Raises our errors for SQLite's."""
    if not path.exists():
        raise DatabaseUnusable(f"there is no database at {path}; check SIEVE_DATA_DIR and SIEVE_DATABASE_URL")
    try:
        yield
    except sqlite3.Error as error:
        if _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise DatabaseBusy(f"the database {path} is locked by another process; try again") from error
        if _code(error) == sqlite3.SQLITE_FULL:
            raise StorageFull("the disk is full; free some space") from error
        if _code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise _damaged(path, str(error)) from error
        raise DatabaseUnusable(f"the database {path} cannot be used: {error}") from error


def _damaged(path: Path, found: str) -> DatabaseUnusable:
    return DatabaseUnusable(f"the database {path} is damaged ({found}); restore it from an earlier backup")


def _code(error: sqlite3.Error) -> int:
    """Without the details in its upper bytes; 0 if it is the module's own."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
