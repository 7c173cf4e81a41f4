"""One writer at a time, and one commit for many: group commit.

    turn, turn, turn ... COMMIT, synced ... each waiting caller gets its result

Callers wait for their turn to write, first come, first served. Each turn is a *unit*: a separate savepoint, which is
rolled back alone if it fails. Units that arrive during other writes, or during a commit, share the next commit.

Invariant: no caller gets a result before the commit that holds its unit is on the disk. This includes a failure,
because it may depend on what an earlier unit wrote.
"""

import asyncio
import sqlite3
from collections import deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from typing import Final, TypeVar

from sieve.store.errors import DatabaseBusy, StoreError

MOST: Final = 64
"""The most units that share a commit, so that the first one does not wait forever."""

T = TypeVar("T")


class _Turn:
    """One unit: futures for its beginning, its end, and the commit of its group."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.begins: asyncio.Future[None] = loop.create_future()
        self.ended: asyncio.Future[None] = loop.create_future()
        self.committed: asyncio.Future[None] = loop.create_future()
        self.failure: BaseException | None = None


class Writer:
    """Turns on one connection."""

    def __init__(
        self,
        connect: Callable[[], sqlite3.Connection],
        busy_s: float,
        before_commit: Callable[[sqlite3.Connection], None] | None = None,
    ) -> None:
        """`connect` opens the connection, once, in a thread; the connection must not wait for locks. `busy_s` limits
        the wait for a turn, and for a writer of another process. `before_commit` does what the commit's units have left
        to do, in the thread, too."""
        self._connect, self._busy_s, self._before_commit = connect, busy_s, before_commit
        self._connection: sqlite3.Connection | None = None
        self._waiting: deque[_Turn] = deque()
        self._leading: asyncio.Task[None] | None = None
        self._locked_out = False
        # A separate pool: in the loop's pool a commit would wait behind other blocking work.
        self._thread = ThreadPoolExecutor(1, "sieve-writer")

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection, which the first turn opens."""
        if self._connection is None:
            raise ValueError("nothing was written yet, so there is no connection to write with")
        return self._connection

    @property
    def waiting(self) -> int:
        """How many units wait for their turn."""
        return len(self._waiting)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """The block is a unit, alone on the connection; its transaction is durable when the block has ended.

        Raises:
            DatabaseBusy: others wrote for too long; nothing was done.
            StoreError, sqlite3.Error: the commit failed; nothing was done.
        """
        loop = asyncio.get_running_loop()
        turn = _Turn(loop)
        self._waiting.append(turn)
        if self._leading is None or self._leading.done():
            self._leading = loop.create_task(self._lead())
        try:
            await self._begun(turn)
            try:
                yield
            except BaseException as error:
                turn.failure = error
                raise
        except asyncio.CancelledError:
            raise
        except BaseException:
            if turn.failure is not None:
                turn.ended.set_result(None)
                await asyncio.shield(turn.committed)
            raise
        else:
            turn.ended.set_result(None)
            await asyncio.shield(turn.committed)
        finally:
            # If it was cancelled, its turn is over, and nobody awaits its commit.
            turn.begins.cancel()
            if not turn.ended.done():
                turn.ended.set_result(None)

    async def _begun(self, turn: _Turn) -> None:
        try:
            async with asyncio.timeout(self._busy_s):
                await turn.begins
        except TimeoutError:
            if self._locked_out:
                raise DatabaseBusy("the database is locked by another process; try again") from None
            raise DatabaseBusy("the database is busy: others have held it for too long; try again") from None

    async def _lead(self) -> None:
        """Gives waiting units their turns, and commits; ends when none waits."""
        while self._waiting:
            group: list[_Turn] = []
            culprit: _Turn | None = None
            failure: Exception | None = None
            first = self._waiting[0]
            try:
                await self._begin()
                while self._waiting and len(group) < MOST:
                    turn = self._waiting.popleft()
                    if turn.begins.done():
                        continue  # the caller has given up
                    turn.begins.set_result(None)
                    group.append(turn)
                    await turn.ended
                    if not self.connection.in_transaction:
                        # SQLite rolled everything back, as it does when the disk is full.
                        culprit = turn
                        raise turn.failure if isinstance(turn.failure, StoreError) else _undone()
                if group:
                    await self.in_thread(self._commit)
                else:
                    self.connection.rollback()
            except Exception as error:  # any error: no unit may wait forever
                failure = error
                self._undo()
                if not group:
                    self._refuse(first, error)
            for turn in group:
                if failure is None or turn is culprit:
                    turn.committed.set_result(None)
                else:
                    turn.committed.set_exception(failure)
                    turn.committed.exception()  # a cancelled caller does not retrieve it

    def _commit(self) -> None:
        if self._before_commit is not None:
            self._before_commit(self.connection)
        self.connection.commit()

    def _refuse(self, first: "_Turn", error: Exception) -> None:
        """Fails the unit that was next when the transaction could not begin. Units that came later get another try."""
        if self._waiting and self._waiting[0] is first:
            self._waiting.popleft()
            if not first.begins.done():
                first.begins.set_exception(error)

    async def _begin(self) -> None:
        if self._connection is None:
            self._connection = await self.in_thread(self._connect)
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            # Another process is writing: wait for it in the thread, so that the loop is free.
            # It stays so until a transaction begins: a unit may give up just when this wait ends, too.
            self._locked_out = True
            await self.in_thread(self.begin_patiently)
        self._locked_out = False

    def begin_patiently(self) -> None:
        """Begins a transaction, and waits for writers of other processes. Blocking."""
        self.connection.execute(f"PRAGMA busy_timeout = {int(self._busy_s * 1000)}")
        try:
            self.connection.execute("BEGIN IMMEDIATE")
        finally:
            self.connection.execute("PRAGMA busy_timeout = 0")

    def _undo(self) -> None:
        with suppress(sqlite3.Error):
            if self._connection is not None and self._connection.in_transaction:
                self._connection.rollback()

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Runs what waits for the disk in the writer's own thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def close(self) -> None:
        """Closes the connection after the current turns."""
        if self._leading is not None:
            await asyncio.wait([self._leading])
        if self._connection is not None:
            await self.in_thread(self._connection.close)
            self._connection = None
        self._thread.shutdown()


def _undone() -> DatabaseBusy:
    return DatabaseBusy("the database undid what was being written together; try again")
