"""Measures Poisson arrivals on two real gateways, beside a simulation of the very same arrivals.

Each mode and way of batching gets the same arrivals. Service times are measured one batch at a time. The simulation
draws from them, and for batches of other sizes takes the demand that `sieve.lab.demand` fits to them.
"""

import asyncio
import math
import os
import random
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from itertools import count
from pathlib import Path
from typing import Any, Final, Literal

import httpx

from sieve import demo
from sieve.channel.attempt import MODES, Mode
from sieve.cli.errors import Failed
from sieve.cli.lab import open_loop
from sieve.cli.lab.open_loop import Due, Sent
from sieve.cli.lab.own_gateways import OwnGateways, own_gateways
from sieve.demo import documents
from sieve.lab.arrivals import (
    NEVER,
    Figures,
    Policy,
    Run,
    Summary,
    figures,
    poisson_times,
    simulate,
    summary,
)
from sieve.lab.demand import DemandModel, MeasuredService, Work, fit_demand
from sieve.lab.intervals import Mean, mean_of
from sieve.lab.not_enough_data import NotEnoughData
from sieve.lab.queueing import BETTER_BY, MOST_SERVERS

Batching = Literal["full", "planner"]
"""Who batches: the client, which waits for a full batch as the thesis did, or the gateway's planner, which takes what
waits."""
BATCHES: Final = (1, 2, 5, 10)
LOADS: Final = (0.25, 0.5, 1.0, 1.5)
SECONDS: Final = 10.0
SERVICES: Final = 12
PLANNER_DOCUMENTS, PLANNER_BYTES = 32, 4_000_000
"""What the planner sends together at most, by default (`config.py`)."""
UPLOADED: Final = 32
_ALONE = {"SIEVE_BATCH_DOCUMENTS": "1"}
REPLICATIONS: Final = 20
"""Simulations of each step, on the same arrivals, with other draws of the service times."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured. `loads`: arrival rates as multiples of the rate at which one server is busy all the time with
    single documents by sieve. `services`: batches of each size whose service time is measured.
    """

    size_bytes: int = 1_000_000
    share: float = 0.5
    batches: Sequence[int] = BATCHES
    loads: Sequence[float] = LOADS
    seconds: float = SECONDS
    services: int = SERVICES
    seed: int = 1

    def requests(self, rate_per_s: float) -> int:
        """As many as arrive in the time, and at least four of the largest batches; all batches of a run are full."""
        whole = max(self.batches)
        return whole * max(4, round(rate_per_s * self.seconds / whole))


QUICK: Final = Plan(batches=(1, 5), loads=(0.5, 1.0), seconds=3.0, services=6)
FULL: Final = Plan()


@dataclass(frozen=True, slots=True)
class ServiceTimes:
    """The measured service times of batches of one size."""

    mode: Mode
    batch: int
    ms: Sequence[float]


@dataclass(frozen=True, slots=True)
class Ran:
    """`run`: of the documents that were delivered. `per_attempt`: how many of them one attempt carried in the mean."""

    run: Run
    not_delivered: int
    per_attempt: float


@dataclass(frozen=True, slots=True)
class Step:
    """One rate in one mode and way of batching. The queue of a real gateway is not measured: those figures are 0."""

    mode: Mode
    batching: Batching
    batch: int
    rate_per_s: float
    arrived_s: Sequence[float]
    measured: Figures
    not_delivered: int
    per_attempt: float


@dataclass(frozen=True, slots=True)
class Measured:
    """Everything that was measured. `load_at_start`: of the machine, over a minute."""

    plan: Plan
    load_at_start: float
    services: Sequence[ServiceTimes]
    steps: Sequence[Step]


class MeasuredPair:
    """Two running gateways, and the documents that alpha's author sends."""

    def __init__(self, own: OwnGateways, plan: Plan) -> None:
        self._own = own
        text = documents.marked(plan.size_bytes, plan.share)
        self._documents = [own.upload(f"lab-{number}.txt", text) for number in range(UPLOADED)]
        self._next = count()

    @property
    def _address(self) -> str:
        return self._own.alpha.listeners["web"]

    def run(self, mode: Mode, batch: int, arrived_s: Sequence[float]) -> Ran:
        """Sends a document for each arrival, in full batches, and waits until no transfer is in progress."""
        groups = [arrived_s[first : first + batch] for first in range(0, len(arrived_s), batch)]
        due = [Due(group[-1], self._request(mode, len(group))) for group in groups]
        sent = asyncio.run(open_loop.send(self._address, due))
        arrivals = dict(arrivals_of(sent, groups))
        if not arrivals:
            raise Failed(f"alpha accepted none of {len(due)} requests: {sent.refusal}")
        delivered = open_loop.delivered(self._own.author, arrivals)
        for transfer_id in delivered:
            # Else a long run fills the disk.
            self._own.recipient.delete(f"/inbox/{transfer_id}").raise_for_status()
        if not delivered:
            raise Failed(f"none of {len(arrivals)} documents was delivered within {open_loop.DRAIN_S:.0f} s")
        ended = sorted((arrivals[each], done.at_s - sent.began_s) for each, done in delivered.items())
        arrived = [start for start, _ in ended]
        # A real gateway does not say when a document left the queue.
        run = Run(arrived, arrived, [end for _, end in ended])
        per_attempt = len(ended) / sum(1 / done.together for done in delivered.values())
        return Ran(run, len(arrived_s) - len(ended), per_attempt)

    def _request(self, mode: Mode, batch: int) -> bytes:
        chosen = [self._documents[next(self._next) % UPLOADED] for _ in range(batch)]
        body: dict[str, Any] = {"peer": "bravo", "recipients": [demo.RECIPIENT], "mode": mode}
        body |= {"document_id": chosen[0]} if batch == 1 else {"document_ids": chosen}
        path = "/transfers" if batch == 1 else "/batches"
        return open_loop.request(self._address, self._own.author_token, path, body)


def arrivals_of(sent: Sent, groups: Sequence[Sequence[float]]) -> Iterator[tuple[str, float]]:
    """The id of each accepted transfer, and when its request arrived."""
    for answer, group in zip(sent.answers, groups, strict=True):
        if answer is not None:
            yield from zip(open_loop.transfer_ids(answer), group, strict=True)


def measure(plan: Plan, say: Callable[[str], None]) -> Measured:
    """Measures everything; `say` gets a line about each step.

    Raises:
        Failed: a gateway does not do what it should.
    """
    load = os.getloadavg()[0]
    services: list[ServiceTimes] = []
    steps: list[Step] = []
    try:
        with tempfile.TemporaryDirectory(prefix="sieve-lab-") as temporary:
            folder = Path(temporary)
            demo.make_identities(folder / "identities")
            # Both pairs run all the time, so that what is compared is measured within a minute.
            with (
                paired(folder / "alone", folder / "identities", _ALONE, plan) as pair,
                paired(folder / "planner", folder / "identities", {}, plan) as planner,
            ):
                say("service times")
                services += _services(pair, plan)
                for mode in MODES:
                    # The planner learns what a document costs, and batches by that.
                    planner.run(mode, 1, [0.0] * plan.services)
                for rate_per_s in _rates(plan, services):
                    for mode in MODES:
                        for batch in plan.batches:
                            say(f"{mode}, {rate_per_s:g} a second, batches of {batch}")
                            steps.append(_step(pair, plan, mode, "full", batch, rate_per_s))
                        say(f"{mode}, {rate_per_s:g} a second, batched by the planner")
                        steps.append(_step(planner, plan, mode, "planner", 1, rate_per_s))
    except (demo.DemoError, httpx.HTTPError, OSError) as error:
        raise Failed(f"the gateways cannot be measured: {error or type(error).__name__}") from error
    return Measured(plan, load, services, steps)


@contextmanager
def paired(folder: Path, identities: Path, settings: dict[str, str], plan: Plan) -> Iterator[MeasuredPair]:
    with own_gateways(folder, identities, settings) as own:
        yield MeasuredPair(own, plan)


def _services(pair: MeasuredPair, plan: Plan) -> Iterator[ServiceTimes]:
    for mode in MODES:
        for batch in plan.batches:
            pair.run(mode, batch, [0.0] * batch)  # the first opens the channels
            taken = [pair.run(mode, batch, [0.0] * batch).run for _ in range(plan.services)]
            # The batch is over when its last document is.
            yield ServiceTimes(mode, batch, [1e3 * max(run.finished_s) for run in taken])


def _rates(plan: Plan, services: Sequence[ServiceTimes]) -> list[float]:
    smallest = min(plan.batches)
    taken = next(each.ms for each in services if (each.mode, each.batch) == ("sieve", smallest))
    per_s = 1e3 * smallest / statistics.fmean(taken)
    return [float(f"{load * per_s:.2g}") for load in plan.loads]


def _step(pair: MeasuredPair, plan: Plan, mode: Mode, batching: Batching, batch: int, rate_per_s: float) -> Step:
    # The same arrivals for each mode and way of batching.
    draw = random.Random(f"{plan.seed} {rate_per_s}")  # noqa: S311 -- no secret
    arrived_s = poisson_times(rate_per_s, plan.requests(rate_per_s), draw)
    ran = pair.run(mode, batch, arrived_s)
    measured = figures(ran.run)
    return Step(mode, batching, batch, rate_per_s, arrived_s, measured, ran.not_delivered, ran.per_attempt)


@dataclass(frozen=True, slots=True)
class Fitted:
    """The simulation of one mode. `servers`: the number with the smallest error of the mean turnaround of full batches.
    `relative_rms`, `relative_rms_one_server`: that error, and that of one server.
    """

    mode: Mode
    demand: DemandModel | NotEnoughData
    servers: int
    relative_rms: float
    relative_rms_one_server: float


@dataclass(frozen=True, slots=True)
class Compared:
    """A step beside its simulation with one server and with the fitted number of servers; None if the planner formed
    batches of sizes whose service times are not known.
    """

    step: Step
    one_server: Summary | None
    servers: Summary | None


class Simulation:
    """Simulates the steps of a measurement."""

    def __init__(self, found: Measured) -> None:
        self._found = found
        self._services = {(each.mode, each.batch): [ms / 1e3 for ms in each.ms] for each in found.services}
        self._demands = {mode: self._demand(mode) for mode in MODES}
        self.fitted = {mode: self._fitted(mode) for mode in MODES}

    def compared(self) -> list[Compared]:
        """Every step beside its simulation."""
        return [
            Compared(step, self._simulated(step, 1), self._simulated(step, self.fitted[step.mode].servers))
            for step in self._found.steps
        ]

    def _fitted(self, mode: Mode) -> Fitted:
        steps = [step for step in self._found.steps if (step.mode, step.batching) == (mode, "full")]
        errors = [self._error(steps, servers) for servers in range(1, MOST_SERVERS + 1)]
        best = next(number for number, error in enumerate(errors, 1) if error * (1 - BETTER_BY) <= min(errors))
        return Fitted(mode, self._demands[mode], best, errors[best - 1], errors[0])

    def _error(self, steps: Sequence[Step], servers: int) -> float:
        simulated = [(step, self._simulated(step, servers)) for step in steps]
        errors = [
            each.mean_turnaround_s.value / step.measured.mean_turnaround_s - 1 for step, each in simulated if each
        ]
        return math.sqrt(statistics.fmean(error**2 for error in errors))

    def _simulated(self, step: Step, servers: int) -> Summary | None:
        plan = self._found.plan
        if step.batching == "full":
            policy = Policy(step.batch, servers, NEVER)
        else:
            together = max(1, min(PLANNER_DOCUMENTS, PLANNER_BYTES // plan.size_bytes))
            policy = Policy(together, servers, longest_wait_s=0.0)

        def service(batch: int, draw: random.Random) -> float:
            if times := self._services.get((step.mode, batch)):
                return draw.choice(times)
            demand = self._demands[step.mode]
            known = demand if isinstance(demand, NotEnoughData) else demand.demand(_work(plan, step.mode, batch))
            if isinstance(known, NotEnoughData):
                raise _Unknown
            return known.ms / 1e3

        try:
            return summary(
                figures(simulate(step.arrived_s, service, policy, random.Random(number)))  # noqa: S311 -- no secret
                for number in range(REPLICATIONS)
            )
        except _Unknown:
            return None

    def _demand(self, mode: Mode) -> DemandModel | NotEnoughData:
        rows = [
            MeasuredService(_work(self._found.plan, mode, each.batch), ms)
            for each in self._found.services
            if each.mode == mode
            for ms in each.ms
        ]
        return fit_demand(rows, mode)


class _Unknown(Exception):
    """There is no service time for a batch."""


def _work(plan: Plan, mode: Mode, batch: int) -> Work:
    return Work(mode, plan.size_bytes, plan.share, batch=batch)


def to_json(found: Measured) -> dict[str, Any]:
    """Everything for programs; times in milliseconds."""
    simulation = Simulation(found)
    plan = found.plan
    return {
        "size_bytes": plan.size_bytes,
        "classified_share": plan.share,
        "seconds": plan.seconds,
        "load_at_start": round(found.load_at_start, 2),
        "services": [
            {"mode": each.mode, "batch": each.batch, **_mean_json(mean_of(each.ms))} for each in found.services
        ],
        "fitted": [
            {
                "mode": each.mode,
                "servers": each.servers,
                "error_percent": round(100 * each.relative_rms, 1),
                "error_percent_one_server": round(100 * each.relative_rms_one_server, 1),
            }
            for each in simulation.fitted.values()
        ],
        "steps": [
            {
                "mode": each.step.mode,
                "batching": each.step.batching,
                "batch": each.step.batch,
                "rate_per_s": each.step.rate_per_s,
                "requests": len(each.step.arrived_s),
                "not_delivered": each.step.not_delivered,
                "documents_per_attempt": round(each.step.per_attempt, 2),
                "measured": _turnaround_json(each.step.measured),
                "simulated": None if each.servers is None else _turnaround_json(_means(each.servers)),
                "simulated_one_server": None if each.one_server is None else _turnaround_json(_means(each.one_server)),
            }
            for each in simulation.compared()
        ],
    }


def _mean_json(mean: Mean) -> dict[str, float | int | None]:
    ci95 = None if mean.ci95 is None else round(mean.ci95, 2)
    return {"mean_ms": round(mean.value, 2), "ci95_ms": ci95, "n": mean.n}


def _means(found: Summary) -> Figures:
    return Figures(*(getattr(found, field.name).value for field in fields(Figures)))


def _turnaround_json(found: Figures) -> dict[str, float]:
    return {
        "mean_ms": round(1e3 * found.mean_turnaround_s, 2),
        "p50_ms": round(1e3 * found.p50_turnaround_s, 2),
        "p95_ms": round(1e3 * found.p95_turnaround_s, 2),
        "p99_ms": round(1e3 * found.p99_turnaround_s, 2),
    }
