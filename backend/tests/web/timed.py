"""A gateway with records of three hours, and what the timings of these records must be, in plain Python."""

import csv
import io
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import httpx
import pytest

import databases
from databases import url
from sieve.gateway.clock import NS_PER_S, now_ns
from sieve.gateway.telemetry.announcements import Announcements
from sieve.gateway.telemetry.timing_rollups import TimingRollups
from sieve.store.database_from_url import database_from_url
from sieve.store.models.timings import FIGURES
from sieve.store.queries import peers
from store_rows import a_peer
from timing_rows import Values, add, is_own
from web_world import Ground, World

HOURS: Final = 3
MB: Final = 1_000_000
LONG_NAME: Final = "p" * 63
FORMULA: Final = "=1+1"
BUSY: Final = "busy"
HERE: Final = "here"
"""The gateway itself."""
REUSED: Final = "peer-00"
"""The name of a removed peer and of another one."""
PEERS: Final = (BUSY, LONG_NAME, FORMULA, *(f"peer-{number:02}" for number in range(21)))
SUITE: Final = "TLS_AES_128_GCM_SHA256"
PERCENTILES: Final = (50, 95, 99)


@dataclass(frozen=True)
class Timed:
    """A gateway with records of three hours, and these records. Time is to the minute, so that ranges are exact."""

    world: World
    begin_s: int
    rows: Sequence[Values]
    ids: Mapping[str, list[str]]
    """The ids of all peers that have or had a name."""

    def within(self, first_minute: int, last_minute: int) -> dict[str, str]:
        edges = (self.begin_s + 60 * minute for minute in (first_minute, last_minute))
        return dict(zip(("since", "until"), (iso(edge) for edge in edges), strict=True))

    @property
    def whole(self) -> dict[str, str]:
        return self.within(0, 60 * HOURS)

    async def get(self, path: str, **asked: Any) -> httpx.Response:
        async with self.world.client("root") as api:
            return await api.get(f"/timings/{path}", params={**self.whole, **asked})

    async def json(self, path: str, **asked: Any) -> Any:
        answer = await self.get(path, **asked)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def csv(self, path: str, **asked: Any) -> list[dict[str, str]]:
        answer = await self.get(path, **asked, format="csv")
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"] == "text/csv; charset=utf-8"
        assert 'attachment; filename="timings-' in answer.headers["content-disposition"]
        return [*csv.DictReader(io.StringIO(answer.text, newline=""), strict=True)]


def iso(at_s: float) -> str:
    return datetime.fromtimestamp(at_s, UTC).isoformat().replace("+00:00", "Z")


def made(chance: random.Random, peer_id: str, at_s: float) -> Values:
    outcome = chance.choices(["delivered", "retry", "failed", "cancelled"], [20, 2, 1, 1])[0]
    size = chance.choice([4_000, 70_000, 800_000, 800_000, 5_000_000])
    classified = round(size * chance.choice([0, 0.1, 0.5, 0.5, 0.9, 1]))
    mode = chance.choice(["sieve", "secure-only"])
    delivered = outcome == "delivered"
    response = round(1000 * chance.lognormvariate(3 + size / 3e6, 0.3))
    return {
        "at_ns": round(at_s * NS_PER_S),
        "direction": chance.choice(["sent", "sent", "received"]),
        "transfer_id": f"{chance.getrandbits(128):032x}",
        "attempt": 1,
        "peer_id": peer_id,
        "outcome": outcome,
        "cause": "" if delivered else chance.choice(["unreachable", "unreachable", "deadline"]),
        "mode": mode,
        "size": size,
        "classified_size": classified,
        "secure_bytes": classified if mode == "sieve" else size,
        "plain_bytes": size - classified if mode == "sieve" else 0,
        "secure_channels": chance.choice([1, 1, 2]),
        "plain_channels": 1,
        "suite": chance.choice([SUITE, "TLS_AES_256_GCM_SHA384"]),
        "batch": chance.choice([1, 1, 3]),
        **{f"{figure}_us": chance.randrange(100_000) if delivered else None for figure in FIGURES},
        **({"response_us": response} if delivered else {}),
        "predicted_us": chance.choice([None, 20_000]) if delivered else None,
        "other_us": chance.choice([None, 20_000]) if delivered else None,
        "turnaround_us": chance.choice([400_000, 1_500_000, 5_000_000]) if delivered else None,
        "expected_us": chance.choice([None, 300_000, 2_000_000]),
        "clock_moved": chance.random() < 0.1,
        "sample": 0,
    }


@dataclass(frozen=True)
class Recorded:
    """A database with the records, rolled up."""

    ground: Ground
    begin_s: int
    rows: Sequence[Values]
    ids: Mapping[str, list[str]]


async def record(file: Path, ground: Ground) -> Recorded:
    databases.copy(ground.migrated, file)
    database = database_from_url(url(file))
    chance = random.Random(15)
    begin_s = now_ns() // NS_PER_S // 60 * 60 - 3600 * (HOURS + 1)
    ids: dict[str, list[str]] = defaultdict(list)
    async with database.write() as session:
        for name in (*PEERS, REUSED):
            if name in ids:
                await peers.remove(session, ids[name][0], now_ns())
            peer = await a_peer(session, name)
            peer.ca_der = ground.identity.ca_der  # a gateway that starts with this database reads it
            ids[name].append(peer.id)
        await peers.put_own(
            session,
            name=HERE,
            secure_url="https://here",
            plain_url="http://here",
            ca_der=ground.identity.ca_der,
            receipt_key=bytes(32),
            pin="ab" * 32,
            now_ns=1,
        )
        ids[HERE].append(peers.OWN_ID)
    every = [peer_id for of_name in ids.values() for peer_id in of_name]
    rows = [
        made(chance, chance.choice([*every, *ids[BUSY] * 3, *ids[HERE] * 2]), begin_s + 3600 * HOURS * number / 400)
        for number in range(400)
    ]
    for row in rows:
        # Its plain channel never works.
        if row["peer_id"] in ids[BUSY] and row["mode"] == "sieve" and row["outcome"] == "delivered":
            row["cause"] = "plain-channel"
    async with database.write() as session:
        await add(session, rows)
    job = TimingRollups(database, Announcements(), 90)
    while await job.roll_up():
        pass
    await database.dispose()
    databases.filled(file)
    return Recorded(replace(ground, migrated=file, inhabited=file), begin_s, rows, ids)


Keep = Callable[[Values], bool]
_FILTERS: Final[Sequence[tuple[dict[str, str], Keep]]] = (
    ({}, lambda row: True),
    ({"direction": "received"}, lambda row: row["direction"] == "received"),
    ({"direction": "sent"}, lambda row: row["direction"] == "sent"),
    ({"mode": "sieve", "outcome": "delivered"}, lambda row: row["mode"] == "sieve" and row["outcome"] == "delivered"),
    ({"size": "1MB"}, lambda row: 100_000 < row["size"] <= 1_000_000),
    (
        {"share": "50", "size": "10MB"},
        lambda row: row["size"] > MB and row["size"] < 4 * row["classified_size"] <= 2 * row["size"],
    ),
    ({"share": "0"}, lambda row: row["classified_size"] == 0),
    ({"channels": "2+1"}, lambda row: row["secure_channels"] == 2),
    ({"suite": SUITE, "batch": "2-4"}, lambda row: row["suite"] == SUITE and row["batch"] == 3),
    ({"outcome": "failed"}, lambda row: row["outcome"] == "failed"),
    ({"suite": "TLS_CHACHA20_POLY1305_SHA256"}, lambda row: False),
)


def _once(asked: Mapping[str, str], keeps: Keep) -> Keep:
    """What a gateway sent to itself counts once, unless received documents are asked for."""
    return lambda row: keeps(row) and ("direction" in asked or not is_own(row))


FILTERS: Final = [(asked, _once(asked, keeps)) for asked, keeps in _FILTERS]


def delivered(rows: Iterable[Values]) -> list[Values]:
    return [row for row in rows if row["outcome"] == "delivered"]


def percentile(values: Sequence[int], percent: float) -> float:
    return sorted(values)[max(1, math.ceil(percent / 100 * len(values))) - 1] / 1000


def headline(rows: Sequence[Values]) -> dict[str, Any]:
    count = Counter(row["outcome"] for row in rows)
    secure, plain = (sum(row[f"{kind}_bytes"] for row in delivered(rows)) for kind in ("secure", "plain"))
    found: dict[str, Any] = {
        "transfers": len(rows) - count["retry"],
        **{outcome: count[outcome] for outcome in ("delivered", "failed", "cancelled")},
        "retries": count["retry"],
        "clock_moved": sum(row["clock_moved"] for row in rows),
        "secure_bytes": secure,
        "plain_bytes": plain,
        "plain_share": round(plain / (secure + plain), 4) if secure + plain else None,
    }
    estimated = [row for row in delivered(rows) if row["expected_us"] is not None]
    found["expected"] = len(estimated)
    found["expected_within_two"] = sum(is_as_expected(row) for row in estimated)
    for figure in ("response", "total", "stored", "waiting"):
        values = [row[f"{figure}_us"] for row in delivered(rows)]
        found[figure] = {
            "count": len(values),
            "mean_ms": near(fmean(values) / 1000) if values else None,
            **{f"p{each}_ms": near(percentile(values, each), 0.02) if values else None for each in PERCENTILES},
        }
    return found


def is_as_expected(row: Values) -> bool:
    took, shown = (max(1.0, row[name] / 1e6) for name in ("turnaround_us", "expected_us"))
    return bool(shown / 2 <= took <= 2 * shown)


def near(value: float, relative: float = 1e-6) -> Any:
    # Answers are rounded to microseconds.
    return pytest.approx(value, rel=0, abs=relative * value + 0.001)
