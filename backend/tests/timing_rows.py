"""Timing records as dictionaries, made by hypothesis, and what dashboards must say of them in plain Python."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final, cast

from hypothesis import strategies as st
from sqlalchemy import Table, insert
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.telemetry import timing_classes
from sieve.gateway.telemetry.timing_queries import Totals
from sieve.store.models import TimingRecord, new_id
from sieve.store.models.timings import FIGURES
from sieve.store.queries.peers import OWN_ID
from sieve.store.queries.timing_rollups import SUMS

S: Final = 1_000_000_000
DAY: Final = 86_400
NOW_S: Final = 20_000 * DAY + 40_000
"""A time in the middle of a day."""

Values = dict[str, Any]

_SIZES: Final = st.sampled_from([0, 1, 10_000, 10_001, 500_000, 1_000_000, 2_000_000_000])
_TIMES: Final = st.none() | st.integers(0, 100) | st.integers(0, 10**8)
DIMENSIONS: Final = {
    "direction": ("sent", "received"),
    "outcome": ("delivered", "retry", "failed"),
    "mode": ("sieve", "secure-only"),
    "peer_id": ("p1", "p2", "p3", OWN_ID),
    "suite": ("", "TLS_AES_128_GCM_SHA256"),
}


@st.composite
def records(draw: st.DrawFn, ended_s: st.SearchStrategy[int]) -> Values:
    """A record that ended at a second of `ended_s`."""
    found: Values = {name: draw(st.sampled_from(values)) for name, values in DIMENSIONS.items()}
    size = draw(_SIZES)
    delivered = found["outcome"] == "delivered"
    return {
        **found,
        "at_ns": draw(ended_s) * S + draw(st.sampled_from([0, S - 1])),
        "transfer_id": new_id(),
        "attempt": 1,
        "cause": "" if delivered else draw(st.sampled_from(["unreachable", "deadline"])),
        "size": size,
        "classified_size": draw(st.sampled_from([0, size // 10, size // 2, size * 99 // 100, size])),
        "secure_bytes": draw(_SIZES),
        "plain_bytes": draw(_SIZES),
        "secure_channels": draw(st.integers(0, 2)),
        "plain_channels": draw(st.integers(0, 2)),
        "batch": draw(st.sampled_from([1, 2, 5, 10])),
        **{f"{figure}_us": draw(_TIMES) if delivered else None for figure in FIGURES},
        "waiting_us": draw(_TIMES),
        "predicted_us": draw(_TIMES),
        "other_us": draw(_TIMES),
        "turnaround_us": draw(_TIMES) if delivered else None,
        "expected_us": draw(_TIMES),
        "clock_moved": draw(st.booleans()),
        "sample": draw(st.integers(0, 5)),
    }


async def add(session: AsyncSession, added: Sequence[Values]) -> None:
    if added:
        await session.execute(insert(cast(Table, TimingRecord.__table__)), list(added))


def is_own(record: Values) -> bool:
    """Whether the gateway received this document from itself."""
    return bool(record["direction"] == "received" and record["peer_id"] == OWN_ID)


def dimensions(record: Values) -> Values:
    """What a record is divided by."""
    return {
        "direction": "own" if is_own(record) else record["direction"],
        "outcome": record["outcome"],
        "cause": record["cause"],
        "mode": record["mode"],
        "peer_id": record["peer_id"],
        "size_class": timing_classes.size_class(record["size"]),
        "share_class": timing_classes.share_class(record["classified_size"], record["size"]),
        "channels": f"{record['secure_channels']}+{record['plain_channels']}",
        "suite": record["suite"],
        "batch_class": timing_classes.batch_class(record["batch"]),
    }


def plain_totals(counted: Iterable[Values]) -> Totals:
    """The sums over records."""
    sums: dict[str, Any] = dict.fromkeys(SUMS, 0) | {"response_square_ms2": 0.0}
    for record in counted:
        for name in ("clock_moved", "size", "secure_bytes", "plain_bytes"):
            sums[name] += int(record[name])
        sums["count"] += 1
        turnaround, expected = record["turnaround_us"], record["expected_us"]
        if turnaround is not None and expected is not None:
            sums["expected"] += 1
            sums["expected_within_two"] += 0.5 <= max(turnaround, S // 1000) / max(expected, S // 1000) <= 2
            sums["expected_us"] += expected
            sums["turnaround_us"] += turnaround
        response, predicted, other = record["response_us"], record["predicted_us"], record["other_us"]
        if response is None:
            continue
        sums["timed"] += 1
        for figure in FIGURES:
            sums[f"{figure}_us"] += record[f"{figure}_us"] or 0
        sums["response_square_ms2"] += (response / 1000) ** 2
        if predicted is not None:
            sums["predicted"] += 1
            sums["within_two"] += predicted <= 2 * response and response <= 2 * predicted
        sums["other_faster"] += other is not None and response > other
    return Totals(**sums)


def times(counted: Iterable[Values], figure: str) -> list[int]:
    """The figure of the timed records that have it."""
    return [
        record[f"{figure}_us"]
        for record in counted
        if record["response_us"] is not None and record[f"{figure}_us"] is not None
    ]


def grouped(counted: Iterable[Values], by: Sequence[str], column_s: int = 0) -> dict[tuple[Any, ...], list[Values]]:
    """Records by the start of their column, and by dimensions."""
    found: dict[tuple[Any, ...], list[Values]] = defaultdict(list)
    for record in counted:
        ended_s = record["at_ns"] // S
        start = ended_s - ended_s % column_s if column_s else 0
        divided = dimensions(record)
        found[(start, *(divided[name] for name in by))].append(record)
    return found
