"""Signals between the processes that use one database: short texts, by NOTIFY and LISTEN.

Invariant: a signal is sent after the commit that it is about, so who hears it reads what was committed. None is kept:
when this connection breaks, or the sender ends, signals are lost, and `hear` is called with None once it is back.
So rows are authoritative, and a signal only says to read them soon.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final

import asyncpg

log = logging.getLogger(__name__)

CHANNEL: Final = "sieve"
MAX_BYTES: Final = 4_000
"""Of one signal: the server takes less than 8,000."""
MOST_WAITING: Final = 1_000
"""Signals that wait to be sent. With one more, "missed" replaces them: the others reload everything."""
CHECK_S: Final = 2.0
"""Seconds between two questions whether the connection still works, and how long an answer may take."""
PAUSE_S: Final = 0.2
_MISSED: Final = ""
_SEND: Final = "SELECT pg_notify($1, it) FROM unnest($2::text[]) AS it"

Hear = Callable[[str | None], None]


class PostgresSignals:
    """`connect` opens a connection of its own. `me`: names this process; it does not hear its own signals."""

    def __init__(self, connect: Callable[[], Awaitable[asyncpg.Connection]], me: str) -> None:
        self._connect, self._me = connect, me
        self._waiting: dict[str, None] = {}
        self._news = asyncio.Event()

    def send(self, signal: str) -> None:
        """Sends a signal soon, once if it waits already. Never waits, and never fails."""
        if len(signal.encode()) > MAX_BYTES or (len(self._waiting) >= MOST_WAITING and signal not in self._waiting):
            self._waiting.clear()
            signal = _MISSED
        if _MISSED not in self._waiting:
            self._waiting[signal] = None
        self._news.set()

    async def run(self, hear: Hear) -> None:
        """Calls `hear` with each signal of other processes, and with None if some may be missing, until cancelled."""
        while True:
            try:
                connection = await self._connect()
            except Exception as error:  # the server may be away: the database's own calls say so
                log.debug("signals: no connection: %s", error)
            else:
                try:
                    await self._over(connection, hear)
                except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
                    log.debug("signals: the connection broke: %s", type(error).__name__)
                finally:
                    connection.terminate()
            await asyncio.sleep(PAUSE_S)

    async def _over(self, connection: asyncpg.Connection, hear: Hear) -> None:
        def heard(_connection: Any, _pid: int, _channel: str, payload: str) -> None:
            sender, _, signal = payload.partition("\n")
            if sender != self._me:
                hear(signal if signal != _MISSED else None)

        connection.add_termination_listener(lambda _: self._news.set())
        await connection.add_listener(CHANNEL, heard)
        hear(None)
        while True:
            self._news.clear()
            waiting, self._waiting = self._waiting, {}
            try:
                async with asyncio.timeout(CHECK_S):
                    # Without signals this only asks whether the connection works.
                    await connection.execute(_SEND, CHANNEL, [f"{self._me}\n{signal}" for signal in waiting])
            except BaseException:
                # Others may have some of them already: hearing one twice does no harm.
                self._waiting = waiting | self._waiting
                raise
            try:
                async with asyncio.timeout(CHECK_S):
                    await self._news.wait()
            except TimeoutError:
                pass
