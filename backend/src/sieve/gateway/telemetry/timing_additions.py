"""What timing records add to roll-ups, computed with numpy. Pure: `timing_rollups` reads records and stores sums.

A record counts in one group of each grain, in the period of each width that it ended in.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sieve.gateway.clock import NS_PER_S
from sieve.gateway.telemetry.histograms import Integers, buckets_of, encoded
from sieve.gateway.telemetry.timing_classes import batch_class, share_class, size_class
from sieve.store.models.timings import FIGURES, HISTOGRAM_FIGURES, OWN, Grain
from sieve.store.queries.peers import OWN_ID
from sieve.store.queries.timing_rollups import GRAINS, RECORD_COLUMNS, SUMS, Group

Row: TypeAlias = tuple[Any, ...]
"""The values of `timing_rollups.ROW`."""

_SQUARE: Final = SUMS.index("response_square_ms2")

_INTEGERS: Final = [name for name in SUMS if name != "response_square_ms2"]
_US_PER_MS: Final = 1000.0
_LEAST_SHOWN_US: Final = 1_000_000
"""People are shown "under a second" for anything less."""


@dataclass(frozen=True, slots=True)
class Records:
    """Records as columns. `ended_s`: when. `group`: the number in `groups` of its group of the finest grain. `sums`:
    a row of what each adds to the whole numbers among `SUMS`. `square_ms2`: the square of its response. `figures`: a
    row for each histogram, -1 if not measured.
    """

    ended_s: Integers
    groups: Sequence[Group]
    group: Integers
    sums: Integers
    square_ms2: NDArray[np.float64]
    figures: Integers

    @classmethod
    def of(cls, rows: Sequence[Sequence[Any]]) -> Self:
        """Reads rows of `RECORD_COLUMNS`."""
        columns = dict(
            zip(RECORD_COLUMNS, zip(*rows, strict=True) if rows else ((),) * len(RECORD_COLUMNS), strict=True)
        )
        groups: dict[Group, int] = {}
        group = np.array([groups.setdefault(each, len(groups)) for each in _groups(columns)], np.int64)
        response = _measured(columns["response_us"])
        timed = response >= 0
        predicted, other = _measured(columns["predicted_us"]), _measured(columns["other_us"])
        turnaround, expected = _measured(columns["turnaround_us"]), _measured(columns["expected_us"])
        known = (turnaround >= 0) & (expected >= 0)
        took, shown = np.maximum(turnaround, _LEAST_SHOWN_US), np.maximum(expected, _LEAST_SHOWN_US)
        times = {f"{figure}_us": _measured(columns[f"{figure}_us"]) for figure in FIGURES}
        adds: dict[str, Integers] = {
            "count": np.ones(len(rows), np.int64),
            "timed": timed.astype(np.int64),
            **{
                name: np.array(columns[name], np.int64)
                for name in ("clock_moved", "size", "secure_bytes", "plain_bytes")
            },
            **{name: np.where(timed, np.maximum(time, 0), 0) for name, time in times.items()},
            "predicted": (timed & (predicted >= 0)).astype(np.int64),
            "within_two": (timed & (predicted >= 0) & (2 * response >= predicted) & (response <= 2 * predicted)).astype(
                np.int64
            ),
            "other_faster": (timed & (other >= 0) & (response > other)).astype(np.int64),
            "expected": known.astype(np.int64),
            "expected_within_two": (known & (2 * took >= shown) & (took <= 2 * shown)).astype(np.int64),
            "expected_us": np.where(known, expected, 0),
            "turnaround_us": np.where(known, turnaround, 0),
        }
        return cls(
            ended_s=np.array(columns["at_ns"], np.int64) // NS_PER_S,
            groups=list(groups),
            group=group,
            sums=np.column_stack([adds[name] for name in _INTEGERS]),
            square_ms2=np.where(timed, response / _US_PER_MS, 0.0) ** 2,
            figures=np.array([np.where(timed, times[f"{figure}_us"], -1) for figure in HISTOGRAM_FIGURES], np.int64),
        )

    def __len__(self) -> int:
        return len(self.ended_s)

    def _chosen(self, which: NDArray[np.bool_]) -> Self:
        """Only some of the records."""
        return replace(
            self,
            ended_s=self.ended_s[which],
            group=self.group[which],
            sums=self.sums[which],
            square_ms2=self.square_ms2[which],
            figures=self.figures[:, which],
        )

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """All records of several."""
        groups: dict[Group, int] = {}
        numbers = [
            np.array([groups.setdefault(each, len(groups)) for each in part.groups], np.int64)[part.group]
            for part in parts
        ]
        return cls(
            ended_s=np.concatenate([part.ended_s for part in parts]),
            groups=list(groups),
            group=np.concatenate(numbers),
            sums=np.concatenate([part.sums for part in parts]),
            square_ms2=np.concatenate([part.square_ms2 for part in parts]),
            figures=np.concatenate([part.figures for part in parts], axis=1),
        )

    def all_groups(self) -> set[Group]:
        """The groups of every grain in which these records count."""
        return {group.of_grain(grain) for group in self.groups for grain in GRAINS}

    def additions(self, grain: Grain, oldest_s: Mapping[int, int], ids: Mapping[Group, int]) -> list[Row]:
        """What these records add to the roll-ups of a grain. `oldest_s`: the widths, and the start of the oldest period
        of each that is kept. `ids`: those of the groups."""
        id_of = np.array([ids[group.of_grain(grain)] for group in self.groups], np.int64)
        rows: list[Row] = []
        for width_s, oldest in oldest_s.items():
            kept = self.ended_s - self.ended_s % width_s >= oldest
            records = self if kept.all() else self._chosen(kept)
            if len(records):
                rows += records._of_width(grain, width_s, id_of)
        return rows

    def _of_width(self, grain: Grain, width_s: int, id_of: Integers) -> list[Row]:
        start, group = self.ended_s - self.ended_s % width_s, id_of[self.group]
        order = np.lexsort((group, start))
        start, group = start[order], group[order]
        firsts = _firsts(start, group)
        sums = np.add.reduceat(self.sums[order], firsts, axis=0).tolist()
        squares = np.add.reduceat(self.square_ms2[order], firsts).tolist()
        row_of = np.repeat(np.arange(len(firsts)), np.diff(firsts, append=len(order)))
        counts = [_encoded(row_of, values[order], len(firsts)) for values in self.figures]
        return [
            (width_s, grain, of_start, of_group, *numbers[:_SQUARE], square, *numbers[_SQUARE:], *histograms)
            for of_start, of_group, numbers, square, *histograms in zip(
                start[firsts].tolist(), group[firsts].tolist(), sums, squares, *counts, strict=True
            )
        ]


def _encoded(row_of: Integers, values_us: Integers, many: int) -> list[bytes]:
    """The histogram of each of `many` rows; empty if nothing was measured. `row_of` ascends."""
    found = [b""] * many
    measured = values_us >= 0
    row, bucket = row_of[measured], buckets_of(values_us[measured])
    if not len(row):
        return found
    order = np.lexsort((bucket, row))
    row, bucket = row[order], bucket[order]
    firsts = _firsts(row, bucket)
    counts = np.diff(firsts, append=len(row))
    row, bucket = row[firsts], bucket[firsts]
    stored = encoded(bucket, counts)
    pair = len(stored) // len(row)
    rows = _firsts(row, row)
    for first, last, number in zip(rows.tolist(), [*rows[1:].tolist(), len(row)], row[rows].tolist(), strict=True):
        found[number] = stored[first * pair : last * pair]
    return found


def _firsts(one: Integers, other: Integers) -> Integers:
    """Where a run of equal pairs begins."""
    changes = (one[1:] != one[:-1]) | (other[1:] != other[:-1])
    return np.flatnonzero(np.concatenate(([True], changes)))


def _measured(values: Sequence[int | None]) -> Integers:
    """-1 for None. A float64 holds microseconds exactly for 285 years."""
    found = np.array(values, np.float64)
    return np.where(np.isnan(found), -1, found).astype(np.int64)


def _groups(columns: Mapping[str, Sequence[Any]]) -> Iterator[Group]:
    """The finest group of each record."""
    return map(
        Group,
        ("full",) * len(columns["direction"]),
        map(_direction, columns["direction"], columns["peer_id"]),
        columns["outcome"],
        columns["cause"],
        columns["mode"],
        columns["peer_id"],
        map(size_class, columns["size"]),
        map(share_class, columns["classified_size"], columns["size"]),
        map(_channels, columns["secure_channels"], columns["plain_channels"]),
        columns["suite"],
        map(batch_class, columns["batch"]),
    )


def _direction(direction: str, peer_id: str) -> str:
    return OWN if direction == "received" and peer_id == OWN_ID else direction


def _channels(secure: int, plain: int) -> str:
    return f"{secure}+{plain}"
