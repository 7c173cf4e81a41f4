"""Simulates requests that arrive at random, are batched, and are served first come, first served.

A batch leaves as soon as a server is free and it is full, or its oldest request has waited for the longest wait. So
with an infinite longest wait each batch is full, as in the security-sieve thesis. With a wait of 0 a free server takes
the requests that wait, up to a full batch, as the gateway's planner does.
"""

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from heapq import heapreplace
from itertools import accumulate, pairwise
from typing import Final

from sieve.lab.errors import LabError
from sieve.lab.intervals import Mean, mean_of

ServiceMean = Callable[[int], float]
"""The mean seconds that a server needs for a batch of that many requests."""
Service = Callable[[int, random.Random], float]
"""The seconds that a server needs for one batch of that many requests, drawn or not."""
NEVER: Final = math.inf
"""The longest wait of a batch that leaves only when it is full."""


def poisson_times(rate_per_s: float, requests: int, draw: random.Random) -> list[float]:
    """The seconds at which that many requests arrive, at exponential intervals."""
    _check_rate(rate_per_s)
    _check_count("a run has", "request", requests)
    return list(accumulate(draw.expovariate(rate_per_s) for _ in range(requests)))


def deterministic(mean: ServiceMean) -> Service:
    """Each batch of the same size takes the same time."""
    return lambda requests, _: mean(requests)


def exponential(mean: ServiceMean) -> Service:
    """The time of each batch is drawn from an exponential distribution."""
    return lambda requests, draw: draw.expovariate(1 / mean(requests))


def linear(single_s: float, batch_s: float, batch: int) -> ServiceMean:
    """A straight line through the time of one request and that of a batch of `batch`."""
    if batch < 2:
        raise LabError(f"a straight line needs a batch of at least 2 requests, not {batch}")
    if not (0 < single_s < math.inf and 0 < batch_s < math.inf):
        raise LabError("service times must be more than 0 s")
    return lambda requests: single_s + (requests - 1) * (batch_s - single_s) / (batch - 1)


@dataclass(frozen=True, slots=True)
class Policy:
    """How requests are batched and served."""

    batch: int = 1
    servers: int = 1
    longest_wait_s: float = NEVER

    def __post_init__(self) -> None:
        _check_count("a batch has", "request", self.batch)
        _check_count("a system has", "server", self.servers)
        if not self.longest_wait_s >= 0:
            raise LabError(f"the longest wait must be 0 s or more, not {self.longest_wait_s}")


@dataclass(frozen=True, slots=True)
class Run:
    """When each request arrived, when its batch left the queue, and when it was served; in order of arrival."""

    arrived_s: Sequence[float]
    started_s: Sequence[float]
    finished_s: Sequence[float]


def simulate(arrived_s: Sequence[float], service: Service, policy: Policy, draw: random.Random) -> Run:
    """Serves every request. The last batch leaves with the last arrival, full or not.

    `arrived_s`: at least one time, not descending.
    """
    requests = len(arrived_s)
    if not requests or any(later < earlier for earlier, later in pairwise(arrived_s)):
        raise LabError("a run needs at least one arrival, and the times of arrivals must not go back")
    free_at_s = [arrived_s[0]] * policy.servers
    started_s: list[float] = []
    finished_s: list[float] = []
    first = 0
    while first < requests:
        full_at_s = arrived_s[min(first + policy.batch, requests) - 1]
        start_s = max(free_at_s[0], min(full_at_s, arrived_s[first] + policy.longest_wait_s))
        end = first + 1
        while end < min(first + policy.batch, requests) and arrived_s[end] <= start_s:
            end += 1
        end_s = start_s + service(end - first, draw)
        heapreplace(free_at_s, end_s)
        started_s += [start_s] * (end - first)
        finished_s += [end_s] * (end - first)
        first = end
    return Run(arrived_s, started_s, finished_s)


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one run. `mean_queue_length`: of requests that wait, over time from the start until the last one is served."""

    mean_turnaround_s: float
    p50_turnaround_s: float
    p95_turnaround_s: float
    p99_turnaround_s: float
    mean_queue_delay_s: float
    mean_queue_length: float


@dataclass(frozen=True, slots=True)
class Summary:
    """The means of several runs, with their 95 % intervals."""

    mean_turnaround_s: Mean
    p50_turnaround_s: Mean
    p95_turnaround_s: Mean
    p99_turnaround_s: Mean
    mean_queue_delay_s: Mean
    mean_queue_length: Mean


def figures(run: Run) -> Figures:
    """The figures of a run that starts at 0 s."""
    turnarounds = sorted(end - start for start, end in zip(run.arrived_s, run.finished_s, strict=True))
    waited_s = math.fsum(run.started_s) - math.fsum(run.arrived_s)
    return Figures(
        math.fsum(turnarounds) / len(turnarounds),
        percentile(turnarounds, 0.5),
        percentile(turnarounds, 0.95),
        percentile(turnarounds, 0.99),
        waited_s / len(turnarounds),
        # The requests that wait, added up over time, are the waits, added up over requests.
        waited_s / max(run.finished_s),
    )


def percentile(ascending: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed."""
    return ascending[max(0, math.ceil(share * len(ascending)) - 1)]


def summary(runs: Iterable[Figures]) -> Summary:
    """The means over at least one run."""
    all_runs = list(runs)
    names = [field.name for field in fields(Figures)]
    return Summary(**{name: mean_of([getattr(run, name) for run in all_runs]) for name in names})


@dataclass(frozen=True, slots=True)
class Experiment:
    """Runs of Poisson arrivals. Run number i has the same arrivals for every policy and service."""

    rate_per_s: float
    requests: int = 2500
    replications: int = 100
    seed: int = 1

    def __post_init__(self) -> None:
        _check_rate(self.rate_per_s)
        _check_count("a run has", "request", self.requests)
        _check_count("an experiment has", "replication", self.replications)

    def summary(self, service: Service, policy: Policy) -> Summary:
        """Simulates every run."""
        return summary(self._run(number, service, policy) for number in range(self.replications))

    def _run(self, number: int, service: Service, policy: Policy) -> Figures:
        # Seeded, so that each run can be repeated; nothing secret is drawn.
        arrivals, services = random.Random(f"{self.seed} {number} arrivals"), random.Random(f"{self.seed} {number}")  # noqa: S311
        arrived_s = poisson_times(self.rate_per_s, self.requests, arrivals)
        return figures(simulate(arrived_s, service, policy, services))


@dataclass(frozen=True, slots=True)
class BatchChoice:
    """What batches of one size do at a rate. `is_saturated`: they cannot keep up, so `summary` depends on how many
    requests there were.
    """

    batch: int
    utilization: float
    summary: Summary

    @property
    def is_saturated(self) -> bool:
        return self.utilization >= 1


@dataclass(frozen=True, slots=True)
class BestBatch:
    """`best`: the batch size with the shortest mean turnaround among those that keep up; None if none does."""

    choices: Sequence[BatchChoice]
    best: BatchChoice | None


def best_batch(
    experiment: Experiment, mean: ServiceMean, batches: Sequence[int], longest_wait_s: float = NEVER, servers: int = 1
) -> BestBatch:
    """Simulates each batch size on the same arrivals, with deterministic service times."""
    choices = [
        BatchChoice(
            batch,
            experiment.rate_per_s * mean(batch) / (batch * servers),
            experiment.summary(deterministic(mean), Policy(batch, servers, longest_wait_s)),
        )
        for batch in batches
    ]
    keep_up = [choice for choice in choices if not choice.is_saturated]
    best = min(keep_up, key=lambda choice: choice.summary.mean_turnaround_s.value, default=None)
    return BestBatch(choices, best)


def _check_rate(rate_per_s: float) -> None:
    if not 0 < rate_per_s < math.inf:
        raise LabError(f"an arrival rate must be more than 0 per second, not {rate_per_s}")


def _check_count(what: str, unit: str, count: int) -> None:
    if count < 1:
        raise LabError(f"{what} at least 1 {unit}, not {count}")
