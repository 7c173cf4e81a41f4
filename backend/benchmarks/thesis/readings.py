"""How a figure's values are read from the rows: a time of a case, an improvement between two, the best of several.

Invariant: a reading names its cases, and those cases are what is measured; nothing is measured that no figure reads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from benchmarks.cases import Case
from benchmarks.intervals import Figure, ratio

STEPS = ("split", "combine")
Rows = Mapping[Case, Mapping[str, Any]]
Read = tuple[float, float | None]
"""A value and half the width of its 95 % interval, if it has one."""
LEAST = 4
"""By fewer transfers nothing is decided: they have no interval."""


class Reading(Protocol):
    """A value of ours."""

    @property
    def cases(self) -> tuple[Case, ...]: ...

    def read(self, rows: Rows) -> Read | None:
        """None while a case of it was not measured."""


@dataclass(frozen=True, slots=True)
class Time:
    """A mean of a case, in milliseconds; `field`: response, total, stored, split or combine."""

    case: Case
    field: str = "response"

    @property
    def cases(self) -> tuple[Case, ...]:
        return (self.case,)

    def read(self, rows: Rows) -> Read | None:
        row = rows.get(self.case, {})
        found = row.get("steps", {}).get(self.field) if self.field in STEPS else row.get(f"{self.field}_ms")
        if found is None:
            return None
        return found["mean"], found["ci95"] if self.transfers(rows) >= LEAST else None

    def transfers(self, rows: Rows) -> int:
        """How many it was taken from."""
        return int(rows[self.case]["transfers"]) if self.case in rows else 0


@dataclass(frozen=True, slots=True)
class Improvement:
    """(secure-only - sieve) / secure-only, in per cent; each the best of the cases given for it."""

    secure_only: tuple[Case, ...]
    sieve: tuple[Case, ...]
    field: str = "response"

    @property
    def cases(self) -> tuple[Case, ...]:
        return (*self.secure_only, *self.sieve)

    def read(self, rows: Rows) -> Read | None:
        base, ours = self._best(self.secure_only, rows), self._best(self.sieve, rows)
        if base is None or ours is None or not base.mean:
            return None
        part, half = ratio(ours, base)
        return 100 * (1 - part), None if half is None else 100 * half

    def _best(self, cases: Sequence[Case], rows: Rows) -> Figure | None:
        found = [read for case in cases if (read := Time(case, self.field).read(rows)) is not None]
        if not found:
            return None
        mean, ci95 = min(found)
        return Figure(mean, ci95, mean, 0)


@dataclass(frozen=True, slots=True)
class Known:
    """What needs no measuring."""

    value: float
    cases: tuple[Case, ...] = ()

    def read(self, rows: Rows) -> Read | None:
        return self.value, 0.0


def improvement(secure_only: Case, sieve: Case, field: str = "response") -> Improvement:
    """Between two cases."""
    return Improvement((secure_only,), (sieve,), field)
