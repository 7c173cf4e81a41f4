"""The gateway's lock in a PostgreSQL database: one gateway has it alone, or its replicas share it.

It belongs to a connection, and ends with it. `postgres_database` says what it is for.
"""

import asyncio
import logging
from typing import Final

import asyncpg
from sqlalchemy import text

from sieve.store.errors import DatabaseBusy, DatabaseTaken
from sieve.store.postgres_advisory_locks import CLASS, GATEWAY, GATEWAY_OBJECT
from sieve.store.postgres_errors import connecting
from sieve.store.postgres_objects import UNITS

log = logging.getLogger(__name__)

STOPPED_S: Final = 15.0
"""A gateway that writes nothing for this long is stopped or cut off."""
LOOK_S: Final = 0.2
"""Seconds between two looks whether it writes."""
BEGINS_S: Final = 20.0
"""How long a replica waits for another one that begins."""

# Only our own names and numbers are written into the statements (S608, B608); what others chose is a parameter.
_BEAT: Final = f"SELECT unit FROM {UNITS} WHERE writer = $1 AND state = 'beats'"  # noqa: S608 -- our names  # nosec B608
_KNOWS_STATES: Final = f"""
SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('{UNITS}') AND attname = 'state')
"""  # noqa: S608 -- our names  # nosec B608
_TAKE: Final = f"SELECT pg_try_advisory_lock({GATEWAY})"
_SHARE: Final = f"SELECT pg_try_advisory_lock_shared({GATEWAY})"
LET_JOIN: Final = text(f"SELECT pg_advisory_unlock({GATEWAY})")
"""Gives up having it alone, and keeps the share."""
_HOLDER: Final = f"""
SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND classid = {CLASS} AND objid = {GATEWAY_OBJECT} AND objsubid = 2 AND granted
AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""  # noqa: S608 -- our names  # nosec B608
_END_OURS: Final = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()
"""


class GatewayLock:
    """The lock of one process. `database`: its name for people; `program`: the name of the process's connections."""

    def __init__(self, database: str, program: str, *, shared: bool) -> None:
        """`shared`: replicas of the gateway may have it, too."""
        self._database, self.program, self._shared = database, program, shared
        self.is_alone = True
        """Whether no other replica had it when this process last took it."""
        self.lets_join = False
        """Whether this process keeps no other replica out any more."""

    async def take(self, connection: asyncpg.Connection, *, may_replace: bool) -> None:
        """Takes it for this connection. `may_replace`: from a gateway that is stopped or cut off, too.

        Raises:
            DatabaseTaken: another program has it.
            DatabaseBusy: another replica has it because it is starting.
        """
        with connecting(self._database):
            if self._shared and await self._took_a_share(connection):
                return
            # An earlier connection of ours may still have it: the server has not noticed its end, or not finished it.
            if await _took(connection, self.program):
                await self._has_it_alone(connection)
                return
            program = str(await connection.fetchval(_HOLDER) or "")
            if may_replace and await _is_stopped(connection, program):
                log.warning("%s has stopped: this one takes the database %s over", _holder(program), self._database)
                if await _took(connection, program):
                    await self._has_it_alone(connection)
                    return
                program = str(await connection.fetchval(_HOLDER) or "")
            if self._shared and await connection.fetchval(_SHARE):  # it has just begun
                self.is_alone = False
                return
            is_replica = self._shared and _holder(program) == _holder(self.program)
            if is_replica and await _beats(connection, program) is None:
                raise DatabaseBusy(
                    f"another replica of {_holder(program)} is starting and has the database {self._database} alone "
                    "until it has begun; start this one again then"
                )
        raise DatabaseTaken(
            f"the database {self._database} is in use by {_holder(program)}; stop that one, or set SIEVE_DATABASE_URL "
            "to another database"
        )

    async def _took_a_share(self, connection: asyncpg.Connection) -> bool:
        """Takes it together with other replicas, or alone if there are none."""
        until = asyncio.get_running_loop().time() + BEGINS_S
        while True:
            # One that lets others join never keeps them out again: they come back at the same time.
            self.is_alone = not self.lets_join and bool(await connection.fetchval(_TAKE))
            if await connection.fetchval(_SHARE):
                return True
            if asyncio.get_running_loop().time() >= until:
                return False
            await asyncio.sleep(LOOK_S)

    async def _has_it_alone(self, connection: asyncpg.Connection) -> None:
        """A replica also needs the share that stays with it when it lets others join."""
        if self._shared:
            await connection.fetchval(_SHARE)
            if self.lets_join:
                await connection.execute(LET_JOIN.text)
        self.is_alone = not self.lets_join


async def _took(connection: asyncpg.Connection, program: str) -> bool:
    """Takes it if it is free, or becomes free when the connections of `program` are ended."""
    for pause_s in (0.0, 0.05, 0.2, 0.5, 1.0):
        await asyncio.sleep(pause_s)
        if await connection.fetchval(_TAKE):
            return True
        await connection.fetch(_END_OURS, program)
    return False


async def _beats(connection: asyncpg.Connection, program: str) -> int | None:
    """The last unit of the process that has it, if that has a heartbeat: a gateway that has begun."""
    if not await connection.fetchval(_KNOWS_STATES):
        return None
    found: int | None = await connection.fetchval(_BEAT, " ".join(program.split(" ", 2)[:2]))
    return found


async def _is_stopped(connection: asyncpg.Connection, program: str) -> bool:
    """Whether the gateway that has it wrote nothing for `STOPPED_S`, by our monotonic clock. Commands have no
    heartbeat, and are left alone."""
    first = await _beats(connection, program)
    until = asyncio.get_running_loop().time() + STOPPED_S
    while first is not None:
        if asyncio.get_running_loop().time() >= until:
            return True
        await asyncio.sleep(LOOK_S)
        if await _beats(connection, program) != first or await connection.fetchval(_HOLDER) != program:
            break
    return False


def _holder(program: str) -> str:
    """For people, of the name of a connection that has the lock."""
    ours, *holder = program.split(" ", 2)
    return holder[1] if ours == "sieve" and len(holder) == 2 else "another program"
