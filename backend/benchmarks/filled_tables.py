"""Tables with many transfers, sent and received, made up by the database itself: not over the API, which would take
hours. The statements are the same on PostgreSQL and on SQLite; `numbers` is a list of numbers from 1.
"""

import hashlib
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import asyncpg
from sqlalchemy import Boolean

from benchmarks.timing_records import INSERT, PEERS, add_peers, batches
from sieve.gateway.telemetry.announcements import Announcements
from sieve.gateway.telemetry.timing_periods import DAY_S
from sieve.gateway.telemetry.timing_rollups import TimingRollups
from sieve.store import case_folding
from sieve.store.database import Database
from sieve.store.models import Base, User

DAYS: Final = 30
STEP: Final = 10
SHARE: Final = 1 / STEP
"""Of all transfers, those of the author and of the recipient who is asked for."""
AUTHOR: Final = f"{0:032x}"
PEOPLE: Final = 200
WAIT_FOR: Final = 20
"""Peers that transfers wait for, whatever their number: how many peers there are decides what a claim costs."""
COMMON: Final = "minutes"
RARE: Final = "needle"
AT_ONCE: Final = 200_000
_S: Final = 1_000_000_000

_PERSON: Final = f"CASE WHEN n % {STEP} = 0 THEN '{AUTHOR}' ELSE lpad(to_hex(1 + n % {PEOPLE - 1}), 32, '0') END"
# The peers of the timing records: few of them have most.
_PEER: Final = f"""lpad(to_hex(1 + CASE
    WHEN n % 100 = 1 THEN n / 100 % {WAIT_FOR}
    WHEN n % 3 = 0 THEN n % 7
    ELSE n * 7919 % {len(PEERS)} END), 32, '0')"""
_AT: Final = f"(:until_ns - (:rows - n) * (:span_ns / :rows) - {_S})"
_NAME: Final = f"""CASE WHEN n = 10 THEN 'The {RARE} of berth 10'
    WHEN n % 20 = 0 THEN 'Minutes of meeting ' || n
    ELSE 'Report about berth ' || n END || '.txt'"""
_STATE: Final = "CASE WHEN n % 100 = 1 THEN 'queued' WHEN n % 63 = 30 THEN 'failed' ELSE 'delivered' END"

STATEMENTS: Final = (
    "INSERT INTO blobs (id, kind, owner, purpose, size, created_at_ns) VALUES ('b', 'plain', 'd', 'document', 1, 0)",
    *(
        f"""INSERT INTO documents (id, owner_id, origin, name, media_type, size, classified_size, plain_digest,
            plain_blob_id, sealed_blob_id, sieve_ns, created_at_ns, before_restore, locked)
        SELECT md5('{kind}' || n), {owner}, '{origin}', {_NAME}, 'text/plain', 600 + n % 100000, n % 600, '',
            'b', 'b', 0, {_AT}, FALSE, FALSE FROM numbers"""  # noqa: S608 -- our names and numbers
        for kind, origin, owner in (("sent", "authored", _PERSON), ("received", "received", "NULL"))
    ),
    f"""INSERT INTO transfers (id, document_id, author_id, peer_id, mode, state, manifest_blob_id, manifest_digest,
        recipients_checked, attempt, fruitless_tries, deadline_at_ns, created_at_ns, delivered_at_ns, next_try_at_ns,
        cancel_requested, secure_channels, plain_channels, split, off_plain, peer_holds, read_receipts)
    SELECT md5('transfer' || n), md5('sent' || n), {_PERSON}, {_PEER}, 'auto', {_STATE}, 'b', '', TRUE,
        CASE WHEN n % 100 = 1 THEN 0 ELSE 1 END, 0, {_AT} + {DAY_S * _S}, {_AT},
        CASE WHEN {_STATE} = 'delivered' THEN {_AT} + 1000000 END, CASE WHEN n % 100 = 1 THEN {_AT} END,
        FALSE, 1, 1, 'range', FALSE, 0, FALSE FROM numbers""",  # noqa: S608 -- our names and numbers
    "INSERT INTO transfer_recipients (transfer_id, name) SELECT md5('transfer' || n), 'r' || n % 100 FROM numbers",
    f"""INSERT INTO attempts (transfer_id, number, started_at_ns, ended_at_ns, outcome)
    SELECT md5('transfer' || n), 1, {_AT}, {_AT} + 1000000, CASE WHEN n % 63 = 30 THEN 'failed' ELSE 'delivered' END
    FROM numbers WHERE n % 100 <> 1""",  # noqa: S608 -- our names and numbers
    f"""INSERT INTO received (id, peer_id, transfer_id, manifest_digest, manifest_blob_id, document_id, sender_name,
        mode, receipt, received_at_ns, deadline_at_ns, read_receipts)
    SELECT md5('taken' || n), {_PEER}, md5('theirs' || n), '', 'b', md5('received' || n), 'Sender ' || n % 1000,
        'sieve', '', {_AT}, {_AT} + {DAY_S * _S}, FALSE FROM numbers""",  # noqa: S608 -- our names and numbers
    f"""INSERT INTO inbox (id, user_id, received_id, before_clearance, locked, created_at_ns, read_at_ns)
    SELECT md5('entry' || n), {_PERSON}, md5('taken' || n), FALSE, FALSE, {_AT},
        CASE WHEN n % 3 > 0 THEN {_AT} + 5 END FROM numbers""",  # noqa: S608 -- our names and numbers
)


TIMINGS: Final = ("groups", "rollups", "records", "state", "accepted_hours", "accepted_minutes")
"""The tables of timings, which the gateway's own code sums."""


async def fill_file(database: Database, path: Path, rows: int, until_s: int) -> None:
    """Fills SQLite's migrated database in that file. `until_s`: the end of the rows."""
    await _add_peers_and_people(database)
    connection = _opened(path)
    connection.execute("CREATE TEMPORARY TABLE numbers (n INTEGER)")
    connection.executemany("INSERT INTO numbers VALUES (?)", ((n,) for n in range(1, rows + 1)))
    for statement in statements(rows, until_s):
        connection.execute(statement)
    connection.commit()
    rollups = TimingRollups(database, Announcements(), 90, records_at_once=AT_ONCE)
    for records in batches(rows, until_s - DAYS * DAY_S, until_s):
        connection.executemany(INSERT, records)
        connection.commit()
        await rollups.roll_up()
    await rollups.count_accepted()
    # Filling has left a log as long as the file, which a gateway never has; reading in it is slow.
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    connection.close()


async def fill_like(database: Database, server: asyncpg.Connection, path: Path, rows: int, until_s: int) -> None:
    """Fills a migrated database on a server in the same way. `server`: a connection there as the superuser. The timings
    are copied from the file: summing them takes ten times as long on a server."""
    await _add_peers_and_people(database)
    await server.execute("SET session_replication_role = replica")  # keys between tables are not looked at
    await server.execute(f"CREATE TEMPORARY TABLE numbers AS SELECT generate_series(1, {rows}::bigint) AS n")
    for statement in statements(rows, until_s):
        await server.execute(statement)
    connection = sqlite3.connect(path)
    for name in TIMINGS:
        table = Base.metadata.tables[f"timing_{name}"]
        columns = [column.name for column in table.columns]
        are_flags = [isinstance(column.type, Boolean) for column in table.columns]
        # Of our own names only.
        found = connection.execute(f"SELECT {', '.join(columns)} FROM {table.name}")  # noqa: S608 -- our names and numbers
        await server.execute(f"DELETE FROM {table.name}")  # noqa: S608 -- our names and numbers
        await server.copy_records_to_table(
            table.name,
            records=(
                [bool(value) if is_flag else value for value, is_flag in zip(row, are_flags, strict=True)]
                for row in found
            ),
            columns=columns,
        )
    connection.close()
    await server.execute("VACUUM ANALYZE")  # as the server does by itself after some time


def _opened(path: Path) -> sqlite3.Connection:
    """With the functions of PostgreSQL that the statements use."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA cache_size = -1000000")
    connection.create_function("md5", 1, lambda of: hashlib.md5(str(of).encode()).hexdigest())  # noqa: S324 -- makes ids, protects nothing
    connection.create_function("to_hex", 1, lambda number: f"{number:x}")
    connection.create_function("lpad", 3, str.rjust)
    connection.create_function(case_folding.FUNCTION, 1, case_folding.folded_or_null, deterministic=True)
    return connection


async def _add_peers_and_people(database: Database) -> None:
    await add_peers(database)
    async with database.write() as session:
        session.add_all(_people())


def _people() -> list[User]:
    return [
        User(
            id=f"{number:032x}",
            name=f"person-{number}",
            display_name=f"Person {number}",
            is_author=True,
            is_recipient=True,
            is_admin=False,
            cleared=True,
            created_at_ns=1,
        )
        for number in range(PEOPLE)
    ]


def statements(rows: int, until_s: int) -> Iterator[str]:
    """What fills all tables but those of timings, from a table `numbers`."""
    given = {":until_ns": until_s * _S, ":rows": rows, ":span_ns": DAYS * DAY_S * _S}
    for statement in STATEMENTS:
        yield re.sub(r":\w+_ns|:rows", lambda found: str(given[found[0]]), statement)
