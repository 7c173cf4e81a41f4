"""Which replica holds which transfer, and how long what a killed one held waits for its next claim and its delivery.

A trigger in the gateway's database notes who claims. Each replica says so by a setting of its connections, which
nothing but the trigger reads.
"""

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Final, NamedTuple

import asyncpg

from postgres_server import PostgresServer

WAIT_S: Final = 15.0
"""What a take-over may last in addition to the lease: a look at the queue, and a claim."""
SETTING: Final = "sieve.replica"
_LOOK_S: Final = 0.005
_NOTES: Final = """
CREATE SCHEMA chaos;
CREATE TABLE chaos.claims (
    transfer_id text, number bigint, replica int, at_ns bigint, PRIMARY KEY (transfer_id, number)
);
CREATE FUNCTION chaos.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO chaos.claims VALUES (
        new.transfer_id, new.number, current_setting('sieve.replica')::int,
        (extract(epoch FROM clock_timestamp()) * 1000000000)::bigint
    );
    RETURN NULL;
END $$;
CREATE TRIGGER noted AFTER INSERT ON attempts FOR EACH ROW EXECUTE FUNCTION chaos.note();
"""
_HELD: Final = (
    "SELECT id, attempt, replica FROM transfers JOIN chaos.claims ON (transfer_id, number) = (id, attempt) "
    "WHERE state = 'sending'"
)
_NEXT: Final = (
    "SELECT replica, at_ns, delivered_at_ns FROM chaos.claims JOIN transfers ON id = transfer_id "
    "WHERE (transfer_id, number) = ($1, $2)"
)


def address(of_database: str, number: int) -> str:
    """The database's address for that replica."""
    return f"{of_database}&{SETTING}={number}"


class Held(NamedTuple):
    """An attempt at a transfer, and the replica that makes it."""

    transfer_id: str
    number: int
    replica: int


@dataclass(frozen=True, slots=True)
class TakeOver:
    """How long after the kill a transfer was claimed again, by the killed replica itself after its start or by another
    one, and how long after the kill it was delivered; None if it was not."""

    claimed_s: float
    delivered_s: float | None
    by_another: bool


@dataclass(slots=True)
class TakeOvers:
    """Of the gateway that has the database `name`. `lease_s`: of its replicas."""

    database: PostgresServer
    name: str
    lease_s: float
    of: dict[str, list[TakeOver]] = field(default_factory=dict)
    """Of each fault that kills senders."""
    _open: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict)
    """What killed replicas held, which one it was, and when it was killed, in nanoseconds since the epoch."""

    async def begin(self) -> None:
        """From now on, claims are noted. The gateway must have its tables."""
        connection = await self.database.connect(self.name)
        await connection.execute(_NOTES)
        await connection.close()

    async def sender(self, draw: random.Random) -> int:
        """A replica that holds a transfer at this moment, once there is one."""
        connection = await self.database.connect(self.name)
        try:
            while not (held := sorted({each.replica for each in await self._held(connection)})):
                await asyncio.sleep(_LOOK_S)  # the server sends no word
            return draw.choice(held)
        finally:
            await connection.close()

    async def held(self, number: int) -> set[tuple[str, int]]:
        """The transfers that this replica holds, and their attempts."""
        connection = await self.database.connect(self.name)
        try:
            return {each[:2] for each in await self._held(connection) if each.replica == number}
        finally:
            await connection.close()

    async def _held(self, connection: asyncpg.Connection) -> list[Held]:
        """By replicas that live."""
        found = [Held(*row) for row in await connection.fetch(_HELD)]
        return [each for each in found if each[:2] not in self._open]

    async def note_kill(self, number: int, at_ns: int) -> bool:
        """Notes what a replica held that is dead now, and was killed at this time. Whether there is anything."""
        held = await self.held(number)
        self._open |= dict.fromkeys(held, (number, at_ns))
        return bool(held)

    async def check(self, fault: str) -> list[str]:
        """Notes what became of all that killed replicas held since the last check, once no transfer is open. A sentence
        for each that was taken over late, or not at all."""
        noted, self._open = self._open, {}
        broken: list[str] = []
        found = self.of.setdefault(fault, [])
        most_s = self.lease_s + WAIT_S
        connection = await self.database.connect(self.name)
        for (transfer_id, attempt), (number, killed_at_ns) in noted.items():
            rows = await connection.fetch(_NEXT, transfer_id, attempt + 1)
            if not rows:
                broken.append(f"nobody took transfer {transfer_id} over")
                continue
            [(replica, claimed_at_ns, delivered_at_ns)] = rows
            delivered_s = None if delivered_at_ns is None else (delivered_at_ns - killed_at_ns) / 1e9
            one = TakeOver((claimed_at_ns - killed_at_ns) / 1e9, delivered_s, replica != number)
            found.append(one)
            if one.claimed_s > most_s:
                broken.append(f"transfer {transfer_id} was taken over after {one.claimed_s:.0f} s")
        await connection.close()
        if not found:
            broken.append("no killed replica held a transfer")
        return broken


def cells(found: Sequence[TakeOver] | None) -> list[str]:
    """Of the table: how many there were, and median and maximum of both durations. None: the fault kills no sender."""
    if not found:
        return ["–"] * 3 if found is None else ["0", "–", "–"]
    delivered = [each.delivered_s for each in found if each.delivered_s is not None]
    durations = ([each.claimed_s for each in found], delivered)
    by_another = sum(each.by_another for each in found)
    return [
        f"{len(found):,} ({by_another:,} by another)",
        *(f"{median(each):.1f} s, {max(each):.1f} s" if each else "–" for each in durations),
    ]


def now_ns() -> int:
    """The clock of this machine, which is the server's, too."""
    return time.time_ns()
