"""Timing records for the benchmark of timings, made up from a seed, and the transfers of an outbox that fit them."""

import sqlite3
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from sieve.gateway.telemetry.timing_periods import DAY_S, HOUR_S
from sieve.gateway.telemetry.timing_rollups import TimingRollups
from sieve.store import case_folding
from sieve.store.database import Database
from sieve.store.models import Peer, TimingRecord

S: Final = 1_000_000_000
AT_ONCE: Final = 200_000
SEED: Final = 7

PEERS: Final = [f"{number:032x}" for number in range(1, 501)]
WAITING: Final = 10_000
"""Transfers in the outbox, most of them to the peers that most was sent to."""
SENT_DAYS: Final = 3
"""Of so many days, what was sent is among the transfers, too: no panel looks at older ones."""
SIZES: Final = np.array([6_000, 60_000, 600_000, 6_000_000, 60_000_000, 600_000_000])
SHARES: Final = np.array([0.0, 0.05, 0.2, 0.4, 0.7, 1.0])
CHANNELS: Final = np.array([(1, 1), (2, 2), (1, 2), (2, 1)])
SUITES: Final = np.array(["TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"])
BATCHES: Final = np.array([1, 3, 7, 15])
CAUSES: Final = np.array(["unreachable", "link-broke", "plain-channel", "peer-busy", "deadline"])
COLUMNS: Final = [column.name for column in TimingRecord.__table__.columns if column.name != "id"]

# Of names of our own columns only.
INSERT: Final = f"INSERT INTO timing_records ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608 -- our names


def batches(count: int, since_s: int, until_s: int) -> Iterator[list[tuple[Any, ...]]]:
    """Rows of `COLUMNS`, in order of time: more by day than by night, few peers send most."""
    rng = np.random.default_rng(SEED)
    hours = np.arange(since_s, until_s, HOUR_S)
    weight = 1.2 - np.cos(2 * np.pi * (hours % DAY_S) / DAY_S)
    of_hour = rng.multinomial(count, weight / weight.sum())
    number = 0
    pending: list[tuple[Any, ...]] = []
    for hour, many in zip(hours.tolist(), of_hour.tolist(), strict=True):
        pending += _of_hour(rng, hour, many, number)
        number += many
        while len(pending) >= AT_ONCE:
            yield pending[:AT_ONCE]
            del pending[:AT_ONCE]
    yield pending


def _of_hour(rng: np.random.Generator, hour: int, many: int, number: int) -> list[tuple[Any, ...]]:
    def pick(values: Any, weights: Sequence[float]) -> Any:
        chances = np.array(weights) / sum(weights)
        return np.asarray(values)[rng.choice(len(weights), many, p=chances)]

    outcome = pick(["delivered", "retry", "failed", "cancelled"], [98.5, 1, 0.4, 0.1])
    delivered = outcome == "delivered"
    sieve = pick([True, False], [7, 3])
    size = (pick(SIZES, [20, 30, 30, 14, 5, 1]) * rng.uniform(0.5, 1.5, many)).astype(np.int64)
    share = pick(SHARES, [5, 30, 30, 20, 10, 5])
    classified = (size * share).astype(np.int64)
    secure = np.where(sieve, classified, size)
    channels = CHANNELS[rng.choice(4, many, p=[0.85, 0.08, 0.05, 0.02])]
    waiting = rng.lognormal(9, 1.5, many).astype(np.int64)
    transfer = (2000 + (secure / 40 + (size - secure) / 110) * rng.lognormal(0, 0.4, many)).astype(np.int64)
    figures = {
        "waiting": waiting,
        "sieve": size // 600,
        "split": rng.integers(50, 400, many),
        "establishment": np.where(rng.random(many) < 0.1, rng.integers(2000, 9000, many), 0),
        "data_transfer": transfer,
        "combine": rng.integers(20, 300, many),
        "integrate": size // 900,
        "storing": 3000 + size // 400,
    }
    response = transfer + figures["split"] + figures["combine"] + np.where(sieve, size // 600 + size // 900, 0)
    figures |= {
        "response": response,
        "total": response + figures["establishment"],
        "stored": response + figures["storing"],
    }

    def measured(values: Any) -> list[int | None]:
        return [value if kept else None for value, kept in zip(values.tolist(), delivered.tolist(), strict=True)]

    columns: dict[str, Any] = {
        "at_ns": (np.sort(rng.integers(0, HOUR_S * S, many)) + hour * S).tolist(),
        "direction": pick(["sent", "received"], [6, 4]).tolist(),
        # In order, so that their index grows at its end: random ones would only make this program slower.
        "transfer_id": [f"{each:032x}" for each in range(number, number + many)],
        "attempt": [1] * many,
        "peer_id": pick(PEERS, [1 / (rank + 1) for rank in range(len(PEERS))]).tolist(),
        "outcome": outcome.tolist(),
        "cause": np.where(delivered, "", pick(CAUSES, [5, 2, 2, 1, 1])).tolist(),
        "mode": np.where(sieve, "sieve", "secure-only").tolist(),
        "size": size.tolist(),
        "classified_size": classified.tolist(),
        "secure_bytes": secure.tolist(),
        "plain_bytes": (size - secure).tolist(),
        "secure_channels": channels[:, 0].tolist(),
        "plain_channels": channels[:, 1].tolist(),
        "suite": pick(SUITES, [9, 1]).tolist(),
        "key_exchange": ["X25519"] * many,
        "batch": pick(BATCHES, [80, 12, 6, 2]).tolist(),
        **{f"{name}_us": measured(values) for name, values in figures.items()},
        "turnaround_us": measured(2 * response),
        "expected_us": measured((2 * response * rng.lognormal(0, 0.3, many)).astype(np.int64)),
        "predicted_us": measured((response * rng.lognormal(0, 0.3, many)).astype(np.int64)),
        "other_us": measured((response * rng.lognormal(0.4, 0.4, many)).astype(np.int64)),
        "clock_moved": [0] * many,
        "sample": (rng.geometric(0.5, many) - 1).tolist(),
    }
    return list(zip(*(columns[name] for name in COLUMNS), strict=True))


INSERT_TRANSFER: Final = """
INSERT INTO transfers (id, document_id, author_id, peer_id, mode, state, manifest_blob_id, manifest_digest,
    recipients_checked, attempt, fruitless_tries, deadline_at_ns, created_at_ns, delivered_at_ns, next_try_at_ns,
    cancel_requested, secure_channels, plain_channels, split, off_plain, peer_holds, read_receipts)
VALUES (?, 'd', 'u', ?, 'auto', ?, 'b', '', 1, ?, 0, ?, ?, ?, ?, 0, 1, 1, 'range', 0, 0, 0)
"""
INSERT_DOCUMENT: Final = """
INSERT INTO documents (id, origin, name, media_type, size, classified_size, plain_digest, plain_blob_id, sealed_blob_id,
    sieve_ns, created_at_ns, before_restore, locked)
VALUES ('d', 'authored', 'a', 'text/plain', 600000, 60000, '', 'b', 'b', 0, 0, 0, 0)
"""


def fill_outbox(connection: sqlite3.Connection, until_s: int) -> None:
    """Adds transfers: what was sent lately as delivered, and `WAITING` that wait. All are of one document."""
    rng = np.random.default_rng(SEED)
    chances = 1 / np.arange(1, len(PEERS) + 1)
    to = rng.choice(len(PEERS), WAITING, p=chances / chances.sum())
    now = until_s * S
    ages_ns = np.sort(rng.integers(0, HOUR_S * S, WAITING))
    connection.execute("BEGIN")
    connection.execute(INSERT_DOCUMENT)
    recent = connection.execute(
        "SELECT transfer_id, peer_id, at_ns FROM timing_records WHERE direction = 'sent' AND at_ns >= ?",
        ((until_s - SENT_DAYS * DAY_S) * S,),
    )
    connection.executemany(
        INSERT_TRANSFER,
        (
            (each, peer, "delivered", 1, at_ns + DAY_S * S, at_ns, at_ns, None)
            for each, peer, at_ns in recent.fetchall()
        ),
    )
    connection.executemany(
        INSERT_TRANSFER,
        (
            (
                f"w{number:031x}",
                PEERS[peer],
                "queued",
                0,
                now + int(rng.integers(1, 24 * HOUR_S)) * S,
                now - age,
                None,
                now,
            )
            for number, (peer, age) in enumerate(zip(to.tolist(), ages_ns.tolist(), strict=True))
        ),
    )
    connection.execute("COMMIT")


@dataclass
class Filled:
    """What it took to fill the database, in seconds of processor time."""

    records: int = 0
    inserting_s: float = 0.0
    rolling_up_s: float = 0.0


async def fill(database: Database, rollups: TimingRollups, count: int, since_s: int, until_s: int) -> Filled:
    """Inserts the records as one program would, and rolls them up as the gateway does, but more at a time."""
    filled = Filled()
    await add_peers(database)
    connection = sqlite3.connect(database.name, isolation_level=None)
    connection.execute("PRAGMA synchronous=OFF")
    # Triggers fold the names of documents for the index of names.
    connection.create_function(case_folding.FUNCTION, 1, case_folding.folded_or_null, deterministic=True)
    for rows in batches(count, since_s, until_s):
        began = time.process_time()
        connection.execute("BEGIN")
        connection.executemany(INSERT, rows)
        connection.execute("COMMIT")
        inserted = time.process_time()
        await rollups.roll_up()
        filled.records += len(rows)
        filled.inserting_s += inserted - began
        filled.rolling_up_s += time.process_time() - inserted
        print(f"{filled.records:,} records: {filled.inserting_s:.0f} s + {filled.rolling_up_s:.0f} s", flush=True)
    fill_outbox(connection, until_s)
    connection.close()
    await rollups.count_accepted()
    return filled


async def add_peers(database: Database) -> None:
    """The peer gateways that the records name."""
    async with database.write() as session:
        for number, peer_id in enumerate(PEERS, 1):
            address = f"peer-{number}.test"
            session.add(
                Peer(
                    id=peer_id,
                    name=f"peer-{number}",
                    secure_url=f"https://{address}",
                    plain_url=f"http://{address}",
                    ca_der=b"",
                    receipt_key=bytes(32),
                    state="active",
                    created_at_ns=0,
                )
            )
