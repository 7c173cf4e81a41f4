"""Table 5.3 of the security-sieve thesis, "Batching vs. No Batching", beside our simulation of the same method.

The thesis: batches of five 1MB-50 documents, 1552 ms each, or single ones, 933 ms each; 2500 requests, Poisson
arrivals, first come, first served; the mean of five runs. So a printed figure is expected within the 95 % interval of
the mean of five of our runs. The printed interval of +-2.5 % cannot be reproduced: five such runs differ by more.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from sieve.lab.arrivals import Experiment, Policy, Summary, deterministic, linear
from sieve.lab.errors import LabError
from sieve.lab.intervals import Mean

BATCH: Final = 5
BATCH_S, SINGLE_S = 1.552, 0.933
RUNS: Final = 5
REQUESTS: Final = 2500
SERVICE_S: Final = linear(SINGLE_S, BATCH_S, BATCH)

System = Literal["batching", "no batching"]
Figure = Literal["turnaround", "queue length", "queue delay"]
FIGURES: Final[tuple[Figure, ...]] = ("turnaround", "queue length", "queue delay")


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """A line of the table for one system: arrivals per second, and the figures with the digits that are printed;
    turnaround and queue delay in seconds.
    """

    system: System
    rate_per_s: float
    figures: Mapping[Figure, str]

    @property
    def policy(self) -> Policy:
        return Policy(BATCH if self.system == "batching" else 1)

    @property
    def is_saturated(self) -> bool:
        return self.rate_per_s * SERVICE_S(self.policy.batch) >= self.policy.batch

    @property
    def own_rate_per_s(self) -> float:
        """The arrival rate that the printed queue length and queue delay imply by Little's law, L = lambda W. For a
        saturated system that is the rate of service, which says nothing about arrivals.
        """
        return float(self.figures["queue length"]) / float(self.figures["queue delay"])


_PRINTED: Final[Mapping[System, str]] = {
    "batching": """
        0.1 21.56  1.98 20.01
        0.3  8.06  1.99  6.51
        0.5  5.52  1.99  3.97
        0.7  4.42  1.99  2.87
        0.9  3.77  1.99  2.22
        1    3.53  2.01  1.98
        1.5  2.90  2.06  1.36
        2    2.67  2.23  1.12
        2.5  2.71  2.89  1.16
        3    3.64  6.16  2.09
        3.5 30.39 94.86 28.84
    """,
    "no batching": """
        0.1 0.982  0.005  0.049
        0.3 1.12   0.05   0.182
        0.5 1.35   0.21   0.421
        0.7 1.76   0.57   0.827
        0.9 3.13   1.96   2.20
        1   8.36   7.63   7.43
        1.5 350.56 374.50 349.63
    """,
}


def _rows(system: System) -> Iterator[PrintedRow]:
    for line in _PRINTED[system].strip().splitlines():
        rate, *printed = line.split()
        yield PrintedRow(system, float(rate), dict(zip(FIGURES, printed, strict=True)))


PRINTED: Final = (*_rows("batching"), *_rows("no batching"))


@dataclass(frozen=True, slots=True)
class Cell:
    """A printed figure beside ours. `explained_at`: if the printed figure is outside of our interval, ours at the
    arrival rate that the printed line itself implies.
    """

    row: PrintedRow
    figure: Figure
    ours: Mean
    explained_at: Mean | None = None

    @property
    def printed(self) -> str:
        return self.row.figures[self.figure]

    @property
    def five_runs(self) -> float:
        """Half the width of the 95 % interval of the mean of five of our runs."""
        return self.ours.half_width_of(RUNS) or 0.0

    @property
    def is_inside(self) -> bool:
        return self._holds(self.ours)

    @property
    def is_explained(self) -> bool:
        """Whether the printed figure is within the interval at the rate that its line implies."""
        return self.explained_at is not None and self._holds(self.explained_at)

    def _holds(self, mean: Mean) -> bool:
        rounding = 0.5 * 10.0 ** -len(self.printed.partition(".")[2])
        return abs(float(self.printed) - mean.value) <= (mean.half_width_of(RUNS) or 0.0) + rounding


def compare(replications: int = 200, seed: int = 1, rows: Sequence[PrintedRow] = PRINTED) -> Iterator[Cell]:
    """Every printed figure beside ours, line by line. `replications`: at least 2, for an interval."""
    if replications < 2:
        raise LabError(f"an interval needs at least 2 replications, not {replications}")
    for row in rows:
        found = _simulated(row, row.rate_per_s, replications, seed)
        cells = [Cell(row, figure, _of(found, figure)) for figure in FIGURES]
        if not row.is_saturated and not all(cell.is_inside for cell in cells):
            again = _simulated(row, row.own_rate_per_s, replications, seed)
            cells = [cell if cell.is_inside else replace(cell, explained_at=_of(again, cell.figure)) for cell in cells]
        yield from cells


def _simulated(row: PrintedRow, rate_per_s: float, replications: int, seed: int) -> Summary:
    return Experiment(rate_per_s, REQUESTS, replications, seed).summary(deterministic(SERVICE_S), row.policy)


def _of(found: Summary, figure: Figure) -> Mean:
    return {
        "turnaround": found.mean_turnaround_s,
        "queue length": found.mean_queue_length,
        "queue delay": found.mean_queue_delay_s,
    }[figure]
