"""The replicas of one gateway on a PostgreSQL database: their messages, the one that leads, and those that stopped.

Each replica has one connection for this. Messages travel by LISTEN and NOTIFY. The leader has an advisory lock, for as
long as its connection lasts.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

import asyncpg
from sqlalchemy import Connection, CursorResult, text

from sieve.store.database import Database, Meeting
from sieve.store.errors import DatabaseUnusable, StoreError
from sieve.store.migrate import newest
from sieve.store.postgres_advisory_locks import LEADER
from sieve.store.postgres_errors import OF_DRIVER, of_driver
from sieve.store.postgres_objects import UNITS

if TYPE_CHECKING:
    from asyncpg.pool import PoolConnectionProxy

log = logging.getLogger(__name__)

CHANNEL: Final = "sieve"
LOOK_S: Final = 1.0
"""Seconds between two tries to lead, and between two looks whether the connection is still there."""
ANSWER_S: Final = 5.0
PAUSE_S: Final = 0.5
PACE_S: Final = 0.02
"""Seconds between two notices: messages of that time travel together."""

_LEAD: Final = f"SELECT pg_try_advisory_lock({LEADER})"
_TELL: Final = "SELECT pg_notify($1, message) FROM unnest($2::text[]) AS message"
_OTHERS: Final = text(f"SELECT writer, unit FROM {UNITS} WHERE state = 'beats' AND writer <> :writer")  # noqa: S608 -- our names  # nosec B608
_END: Final = text(f"UPDATE {UNITS} SET state = 'ended' WHERE writer = :writer AND unit = :unit AND state <> 'ended'")  # noqa: S608 -- our names  # nosec B608
_CUT: Final = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = :writer "
    "OR application_name LIKE :writer || ' %'"
)
_EARLIER: Final = (
    f"FROM {UNITS} WHERE state IN ('holds', 'beats') AND writer <> :writer AND schema IS DISTINCT FROM :schema"
)
_CONNECTED_EARLIER: Final = text(
    f"SELECT coalesce(schema, 'unknown') {_EARLIER} AND EXISTS (SELECT FROM pg_stat_activity "  # noqa: S608 -- our names  # nosec B608
    "WHERE application_name = writer OR application_name LIKE writer || ' %') LIMIT 1"
)
_END_EARLIER: Final = text(
    f"UPDATE {UNITS} SET state = 'ended' WHERE writer IN (SELECT writer {_EARLIER})"  # noqa: S608 -- our names  # nosec B608
)


def check_upgradable(connection: Connection, database: str, writer: str, schema: str) -> None:
    """Checks that all other replicas are of the version with `schema`, which goes on beside `writer`, a replica of the
    version after it. Earlier ones that have no connection just now are ended: they write nothing more.

    Raises:
        DatabaseUnusable: there is an earlier one.
    """
    ours = {"writer": writer, "schema": schema}
    if (earlier := connection.scalar(_CONNECTED_EARLIER, ours)) is not None:
        raise DatabaseUnusable(
            f"a replica of an older version (schema {earlier}) still uses the database {database} (its schema is "
            f"{schema}, this version has {newest()}); bring all replicas to the version with {schema}, then start this "
            "one"
        )
    connection.execute(_END_EARLIER, ours)


class PostgresReplicas:
    """`connect` opens a connection under a name; `holds_as` is this replica's name there."""

    def __init__(self, name: str, connect: Callable[[str], Awaitable[asyncpg.Connection]], holds_as: str) -> None:
        self._name, self._connect, self._holds_as = name, connect, holds_as
        self._unsent: Sequence[str] = ()
        self._is_joined = True

    async def run(self, meeting: Meeting) -> None:
        """Runs until it is cancelled, over a new connection whenever one breaks."""
        while True:
            try:
                connection = await self._connect(self._holds_as)
                try:
                    await self._talk(connection, meeting)
                finally:
                    meeting.leads(False)
                    connection.terminate()
            except (StoreError, *OF_DRIVER) as error:
                if self._is_joined:
                    log.warning("no contact with the other replicas: %s", of_driver(error, self._name) or error)
                self._is_joined = False
            await asyncio.sleep(PAUSE_S)

    async def _talk(self, connection: asyncpg.Connection, meeting: Meeting) -> None:
        ours = connection.get_server_pid()

        def heard(_: "asyncpg.Connection | PoolConnectionProxy", pid: int, __: str, message: object) -> None:
            if pid != ours:
                meeting.heard(str(message))

        await connection.add_listener(CHANNEL, heard)
        self._is_joined = True
        meeting.joined()
        leads = False
        while True:
            if not leads and (leads := bool(await connection.fetchval(_LEAD, timeout=ANSWER_S))):
                log.info("this replica leads now")
                meeting.leads(True)
            if not self._unsent:
                self._unsent = await meeting.messages(LOOK_S)
            # Without messages, the question still shows whether the connection is there.
            await connection.fetch(_TELL, CHANNEL, list(self._unsent), timeout=ANSWER_S)
            self._unsent = ()
            await asyncio.sleep(PACE_S)


@dataclass(slots=True)
class Others:
    """The heartbeats of the other replicas, as `writer` sees them. No wall clock decides who has stopped. One that has
    no heartbeat yet is still starting: it may take long, and holds nothing that others wait for."""

    writer: str
    _seen: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The last unit of each, and how many looks in a row found it."""

    def forget(self) -> None:
        """Starts over: while the database could not be asked, none of them could write."""
        self._seen.clear()

    async def look(self, database: Database, most: float) -> None:
        """Looks once. Ends each replica that wrote nothing since more than `most` looks: it will write nothing more.

        Raises:
            StoreError: the database cannot be asked.
        """
        async with database.read() as session:
            found = [(writer, unit) for writer, unit in await session.execute(_OTHERS, {"writer": self.writer})]
        before, self._seen = self._seen, {}
        for writer, unit in found:
            last, looks = before.get(writer, (unit, -1))
            self._seen[writer] = unit, looks + 1 if unit == last else 0
            if self._seen[writer][1] > most:
                await self._end(database, writer, unit)

    async def _end(self, database: Database, writer: str, unit: int) -> None:
        # Its locks end with its connections. One that writes again in this moment is left alone.
        async with database.read() as session:
            await session.execute(_CUT, {"writer": writer})
        async with database.write() as session:
            ended = await session.execute(_END, {"writer": writer, "unit": unit})
        if cast(CursorResult[Any], ended).rowcount:
            log.warning(
                "another replica (%s) has stopped, or was cut off: it was ended, and others do its work", writer
            )
