"""Moves a stopped gateway's documents and database to another place: `sieve migrate-store`.

Order: the blobs, each compared with its copy; then all rows in one transaction, which is compared before it is
committed; then a note in the old database, so that no gateway starts with it by mistake. Each step can be repeated, so
an interrupted move continues with the same command. The old place keeps everything.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from blake3 import blake3
from sqlalchemy import Table, delete, func, insert, literal, select, text, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.errors import StoreMoveError
from sieve.store import blob_copies
from sieve.store.blob_copies import CopyPlace, copy_place
from sieve.store.blob_place import BlobPlace
from sieve.store.database import Database
from sieve.store.database_from_url import database_from_url
from sieve.store.migrate import newest, versions
from sieve.store.models import Blob, Partial
from sieve.store.models.base import Base
from sieve.store.open_store import Store
from sieve.store.queries import blobs as blob_queries

_AT_ONCE: Final = 500
"""Rows in one statement."""


@dataclass(frozen=True, slots=True)
class Where:
    """A database's address, and where the blobs are."""

    database_url: str
    blobs: BlobPlace


@dataclass(frozen=True, slots=True)
class Moved:
    """What a move copied. `blobs`, `blob_bytes`: without those that an earlier, interrupted move had copied. `rows`:
    None if the database stayed."""

    blobs: int
    blob_bytes: int
    rows: int | None


Copied = Callable[[int, int], None]
"""Called after each blob with how many of how many are there."""


async def move(store: Store, source: Where, target: Where, *, copied: Copied = lambda _done, _all: None) -> Moved:
    """Moves all that `store`, opened from `source`, holds. The caller holds the data folder's lock.

    Raises:
        StoreMoveError: the target is the source, or holds something else.
        StoreError, OSError: one of the two cannot be used. The source still counts.
    """
    moves_rows, moves_blobs = source.database_url != target.database_url, source.blobs != target.blobs
    if not moves_rows and not moves_blobs:
        raise StoreMoveError("database_url and blobs are what this gateway uses already; name another place")
    async with store.database.browse() as session:
        named = await blob_queries.folder_id(session)
        wanted = select(Blob.id).where(Blob.id.in_(blob_queries.needed()), Blob.content.is_(None)).order_by(Blob.id)
        blob_ids = list(await session.scalars(wanted))
        is_whole = not moves_rows or await session.run_sync(lambda of_it: versions(of_it.connection()) == [newest()])
    if named is None:
        raise StoreMoveError("the gateway has no blobs yet; start it once")
    if not is_whole:
        raise StoreMoveError(
            f"the database {store.database.name} has tables of a newer version of Security Sieve, and this version "
            "would leave a part of them behind; move it with the newer version"
        )
    count = size = 0
    if moves_blobs:
        old, new = await asyncio.to_thread(lambda: (copy_place(source.blobs), copy_place(target.blobs)))
        named = _new_id(named, new)
    async with AsyncExitStack() as held:
        # Looked at before the blobs are copied, which may take hours.
        new_database = await held.enter_async_context(_held(target.database_url)) if moves_rows else None
        is_filled = new_database is not None and await _is_filled(new_database, named)
        if moves_blobs:
            await asyncio.to_thread(_take, new, named)
            for done, blob_id in enumerate(blob_ids, start=1):
                bytes_copied = await asyncio.to_thread(blob_copies.copy_blob, blob_id, old, new)
                if bytes_copied is not None:
                    count, size = count + 1, size + bytes_copied
                copied(done, len(blob_ids))
        if new_database is None:
            async with store.database.write() as session:
                await session.execute(delete(Partial))  # their blobs stay behind; peers begin again
                await blob_queries.belong_to(session, named)
            return Moved(count, size, None)
        rows = await _move_rows(store.database, new_database, named, is_filled=is_filled)
    await leave_note(store.database)
    return Moved(count, size, rows)


async def leave_note(source: Database) -> None:
    """Notes in the old database that its data was moved."""
    async with source.write() as session:
        await blob_queries.belong_to(session, blob_queries.MOVED)


def _new_id(old: str, place: CopyPlace) -> str:
    """The same at each try, so that an interrupted move knows its own copies."""
    return blake3(f"{old} {place.address}".encode()).hexdigest()[:32]


def _take(place: CopyPlace, folder_id: str) -> None:
    theirs = place.id()
    if theirs is None and place.is_empty():
        place.name(folder_id)
    elif theirs != folder_id:
        raise StoreMoveError(f"{place.address} holds other blobs; name an empty folder or another prefix")


async def _is_filled(target: Database, named: str) -> bool:
    """Whether an earlier move of the same blobs filled it.

    Raises:
        StoreMoveError: it holds something else.
    """
    async with target.browse() as session:
        theirs, filled = await blob_queries.folder_id(session), await _first_filled(session)
    if filled is not None and theirs != named:
        raise StoreMoveError(f"the database {target.name} holds rows ({filled}); name an empty one")
    return filled is not None


async def _move_rows(source: Database, target: Database, named: str, *, is_filled: bool) -> int:
    # Nothing reads the old database while the copy is compared: with many rows that takes minutes, and PostgreSQL ends
    # a transaction that is idle for one.
    if is_filled:  # an earlier move ended between its last two steps
        async with source.browse() as reading:
            sums = [await _sum(table, reading) for table in tables()]
        async with target.browse() as session:
            await compare(sums, session, target)
    else:
        async with target.write() as writing:
            async with source.browse() as reading:
                sums = [await _copy(table, reading, writing) for table in tables()]
            await _set_sequences(writing)
            await blob_queries.belong_to(writing, named)
            await compare(sums, writing, target)
    return sum(count for count, _ in sums)


@asynccontextmanager
async def _held(url: str) -> AsyncIterator[Database]:
    database = database_from_url(url)
    try:
        await database.hold("a command")
        await database.migrate()
        yield database
    finally:
        await database.dispose()


def tables() -> list[Table]:
    """Each table after those that it refers to. Partials stay behind; the blobs' place is a new one."""
    left = {"partials", "blob_folder"}
    return [table for table in Base.metadata.sorted_tables if table.name not in left]


async def _first_filled(session: AsyncSession) -> str | None:
    """A table that has rows. A migration may leave rows of its own, which are no gateway's data."""
    for name in ("users", "peers", "documents", "audit_entries"):
        table = Base.metadata.tables[name]
        if await session.scalar(select(func.count()).select_from(select(table.c[0]).limit(1).subquery())):
            return name
    return None


Sum = tuple[int, int]
"""How many rows, and the sum of their digests: the order does not matter."""


async def _copy(table: Table, reading: AsyncSession, writing: AsyncSession) -> Sum:
    await writing.execute(delete(table))
    total: Sum = 0, 0
    async for rows in _pages(table, reading):
        total = _added(total, rows)
        await writing.execute(insert(table), [dict(row) for row in rows])
    return total


async def _sum(table: Table, session: AsyncSession) -> Sum:
    total: Sum = 0, 0
    async for rows in _pages(table, session):
        total = _added(total, rows)
    return total


async def _pages(table: Table, session: AsyncSession) -> AsyncIterator[list[Any]]:
    key = tuple_(*table.primary_key)
    page = select(table).order_by(*table.primary_key).limit(_AT_ONCE)
    rows = (await session.execute(page)).mappings().all()
    while rows:
        yield list(rows)
        last = [rows[-1][column.name] for column in table.primary_key]
        rows = (await session.execute(page.where(key > tuple_(*map(literal, last))))).mappings().all()


def _added(total: Sum, rows: list[Any]) -> Sum:
    count, digests = total
    for row in rows:
        digests += int.from_bytes(blake3(repr(sorted(row.items())).encode()).digest())
    return count + len(rows), digests % (1 << 256)


async def compare(sums: list[Sum], session: AsyncSession, target: Database) -> None:
    await session.flush()
    for table, expected in zip(tables(), sums, strict=True):
        if await _sum(table, session) != expected:
            raise StoreMoveError(
                f"the table {table.name} in the database {target.name} differs from what was copied; name an empty "
                "database"
            )


async def _set_sequences(session: AsyncSession) -> None:
    """On PostgreSQL, rows with numbers of their own do not move the sequence that gives the next one."""
    if session.get_bind().dialect.name != "postgresql":
        return
    for table in tables():
        column = table.autoincrement_column
        if column is None:
            continue
        last = await session.scalar(select(func.max(column)))
        sequence = await session.scalar(
            text("SELECT pg_get_serial_sequence(:table, :column)"), {"table": table.name, "column": column.name}
        )
        if last is not None and sequence is not None:
            await session.execute(text("SELECT setval(:sequence, :last)"), {"sequence": sequence, "last": last})
