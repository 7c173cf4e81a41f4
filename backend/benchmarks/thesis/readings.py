"""How a figure's values are read from the rows: a time of a case, an improvement between two, the best of several.

Invariant: a reading names its cases, and those cases are what is measured; nothing is measured that no figure reads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from benchmarks.cases import Case
from benchmarks.thesis import estimates
from benchmarks.thesis.estimates import Error, Estimate

Rows = Mapping[Case, Mapping[str, Any]]
LEAST = 4
"""By fewer transfers nothing is decided: their errors are not known."""


class Reading(Protocol):
    """A value of ours."""

    @property
    def cases(self) -> tuple[Case, ...]: ...

    def read(self, rows: Rows) -> Estimate | None:
        """None while a case of it was not measured."""


@dataclass(frozen=True, slots=True)
class Time:
    """A trimmed mean of a case, in milliseconds. `field`: response, total, stored, split, combine, or the last two
    together, split_and_combine."""

    case: Case
    field: str = "response"

    @property
    def cases(self) -> tuple[Case, ...]:
        return (self.case,)

    def read(self, rows: Rows) -> Estimate | None:
        row = rows.get(self.case)
        if row is None:
            return None
        found = row["trimmed_ms"][self.field]
        if found["error"] is None or row["transfers"] < LEAST:
            return Estimate(found["mean"], None)
        return Estimate(found["mean"], {(self.case, self.field): Error(found["error"], found["degrees"])})


@dataclass(frozen=True, slots=True)
class _OfTimes:
    """One time of several, of those that were measured."""

    times: tuple[Time, ...]

    @property
    def cases(self) -> tuple[Case, ...]:
        return tuple(time.case for time in self.times)

    def _measured(self, rows: Rows) -> Sequence[Estimate]:
        return [read for time in self.times if (read := time.read(rows)) is not None]


@dataclass(frozen=True, slots=True)
class Best(_OfTimes):
    """The shortest of them."""

    def read(self, rows: Rows) -> Estimate | None:
        return min(self._measured(rows), key=lambda read: read.value, default=None)


@dataclass(frozen=True, slots=True)
class Mean(_OfTimes):
    """Their mean; the cases do the same."""

    def read(self, rows: Rows) -> Estimate | None:
        found = self._measured(rows)
        return estimates.mean(found) if found else None


@dataclass(frozen=True, slots=True)
class Improvement:
    """(secure-only - sieve) / secure-only, in per cent."""

    secure_only: Reading
    sieve: Reading

    @property
    def cases(self) -> tuple[Case, ...]:
        return (*self.secure_only.cases, *self.sieve.cases)

    def read(self, rows: Rows) -> Estimate | None:
        base, ours = self.secure_only.read(rows), self.sieve.read(rows)
        return None if base is None or ours is None or not base.value else estimates.saved(base, ours)


def deciding(reading: Reading, rows: Rows) -> tuple[Case, ...]:
    """The cases of which more transfers would tell more about the value: of the shortest of several times, the two that
    are shortest so far."""
    match reading:
        case Improvement():
            return (*deciding(reading.secure_only, rows), *deciding(reading.sieve, rows))
        case Best():
            found = [(read.value, time.case) for time in reading.times if (read := time.read(rows)) is not None]
            return tuple(case for _, case in sorted(found, key=lambda one: one[0])[:2])
        case _:
            return reading.cases


@dataclass(frozen=True, slots=True)
class Known:
    """What needs no measuring."""

    value: float
    cases: tuple[Case, ...] = ()

    def read(self, rows: Rows) -> Estimate | None:
        return estimates.known(self.value)
