"""The database: one transaction for each piece of work, all of it or nothing.

    async with database.read() as session: ...      one snapshot, for what is found by a key
    async with database.browse() as session: ...    one snapshot, for lists and searches
    async with database.write() as session: ...     one unit; on the disk when the block has ended, or undone

There is one writer at a time: what a block of `write` reads stays true until it ends. `database_from_url` returns the
database that an address names: `sqlite_database`, a file (the default), or `postgres_database`, a server. Models,
queries and migrations are the same for both; `dialect` has what they write differently.
"""

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.errors import DatabaseBusy, DatabaseUnusable
from sieve.store.migrate import check_usable, is_usable, versions

__all__ = ["Database", "DatabaseBusy", "DatabaseUnusable"]


class Meeting(Protocol):
    """What a replica tells the others, and hears from them."""

    def joined(self) -> None:
        """From now on it hears the others; earlier messages may be missing."""

    def heard(self, message: str) -> None:
        """Another replica sent this."""

    def leads(self, leads: bool) -> None:
        """Whether this replica leads now; at most one does."""

    async def messages(self, timeout_s: float) -> Sequence[str]:
        """What to send, of at most 7,000 bytes each; nothing if there is nothing after that time."""


class Database(ABC):
    """Opens nothing before its first use. `dispose` closes it."""

    name: str
    """The database, for people: its file, or its name and server. Without a password."""
    folder: Path | None = None
    """The folder of its file; None of a server."""
    is_shared: bool = False
    """Whether several replicas of the gateway may use it at once."""
    is_alone: bool = True
    """Whether no other replica used it when this process began to hold it."""

    @abstractmethod
    async def exists(self) -> bool:
        """Whether there is one, with or without tables of this version. Makes none.

        Raises:
            DatabaseUnusable: it cannot be asked.
        """

    async def hold(self, holder: str, *, shared: bool = False) -> None:  # noqa: B027 -- a file needs none: the data folder's lock does
        """Makes it refuse other gateways as long as this process uses it. `holder`: this one, for people. `shared`: it
        accepts other replicas of this gateway, if it is on a server.

        Raises:
            DatabaseTaken: another gateway uses it.
            DatabaseUnusable, DatabaseBusy: it cannot be used.
        """

    async def watch(self) -> None:
        """Runs until it is cancelled, or another gateway has the database after all.

        Raises:
            DatabaseTaken: another gateway uses it. This one must end.
        """
        await asyncio.Event().wait()

    async def let_others_join(self) -> None:  # noqa: B027 -- a file has no replicas
        """Lets other replicas use it, too. Until then, a replica that began alone stays alone."""

    async def meet(self, meeting: Meeting) -> None:
        """Carries messages between this replica and the others, and says whether it leads, until it is cancelled."""
        meeting.leads(True)
        await asyncio.Event().wait()

    def now_ns(self) -> int:
        """The wall clock by which all that use the database agree, in nanoseconds since the epoch."""
        return time.time_ns()

    @abstractmethod
    def read(self) -> AbstractAsyncContextManager[AsyncSession]:
        """A session on one snapshot; writing through it fails. What it loaded stays readable afterwards.

        The event loop may wait for it, so use it only for rows that an index finds. For anything else use `browse`.

        Raises:
            DatabaseBusy: every reading connection was in use for too long, or the server cannot be reached.
        """

    @abstractmethod
    def browse(self) -> AbstractAsyncContextManager[AsyncSession]:
        """The same for queries over many rows; the event loop never waits.

        Raises:
            DatabaseBusy: every browsing connection was in use for too long, or the server cannot be reached.
        """

    @abstractmethod
    def write(self) -> AbstractAsyncContextManager[AsyncSession]:
        """A session in a unit of the one writing transaction: all of the block or nothing. It is on the disk when this
        has ended.

        Keep it short, without anything slow or remote inside: no other unit writes meanwhile.

        Raises:
            DatabaseBusy: others wrote for too long, or the server cannot be reached; nothing was done.
            StorageFull: the disk is full; nothing was done.
            DatabaseUnwritable: the disk is read-only, or fails; nothing was done.
        """

    @abstractmethod
    async def migrate(self) -> None:
        """Brings the tables to this version, in one transaction; makes them if there are none. Beside replicas that use
        them, only if those can go on.

        Raises:
            DatabaseUnusable: it cannot be opened, is damaged, is not a gateway's, a newer version wrote it that does
                not let this one use it, or replicas use it that the upgrade would break.
            DatabaseBusy: others use it just now.
        """

    async def has_usable_tables(self) -> bool:
        """Whether this version can use its tables.

        Raises:
            DatabaseUnusable: there is no database, or it is damaged.
        """
        self._check_exists(await self.exists())
        async with self.browse() as session:
            return await session.run_sync(lambda of_it: is_usable(of_it.connection(), versions(of_it.connection())))

    async def check(self) -> None:
        """Checks that it has tables that this version can use.

        Raises:
            DatabaseUnusable: there is none, or another version of this program made it.
        """
        self._check_exists(await self.exists())
        async with self.browse() as session:
            await session.run_sync(lambda of_it: check_usable(of_it.connection(), self.name))

    def _check_exists(self, exists: bool) -> None:
        if not exists:
            raise DatabaseUnusable(f"there is no database at {self.name}; check SIEVE_DATA_DIR and SIEVE_DATABASE_URL")

    @abstractmethod
    async def bytes_used(self) -> tuple[int, int]:
        """The bytes that it takes on its disk, and those of them that are free for new rows."""

    @abstractmethod
    async def dispose(self) -> None:
        """Closes every connection."""
