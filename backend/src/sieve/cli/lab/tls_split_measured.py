"""Measures the designs of `lab.tls_split` as the thesis did: many clients at a time, of which half do a full handshake
and half resume a session. If there are several cores, clients and servers share none."""

import contextlib
import os
import ssl
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from sieve.cli.lab.machine import machine
from sieve.cli.lab.steps import Step, run
from sieve.cli.lab.tls_split_clients import Burst, ClientProcesses, Times, context_for, one_after_the_other
from sieve.lab.tls_split.comparison import AIM_KB
from sieve.lab.tls_split.processes import core_dumps
from sieve.lab.tls_split.processes.assignment import DESIGNS, OWN_RECORDS, Design
from sieve.lab.tls_split.processes.identity import KeyKind, make_identity
from sieve.lab.tls_split.processes.site import Site
from sieve.lab.tls_split.processes.tally import Totals

LEAST_PROCESSES: Final = 2
MEASURED: Final = (*DESIGNS, OWN_RECORDS)


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure. `alone`: requests of each kind by a single client in each round; `rounds`: how often all of it
    is measured; `longest_s`: after which no further run begins; the rest is then not measured. `gentle`: without cores
    of its own, and not before other work.
    """

    clients: Sequence[int]
    sizes_kb: Sequence[int]
    rounds: int
    alone: int = 20
    key: KeyKind = "rsa"
    longest_s: float = 780.0
    gentle: bool = False


QUICK: Final = Plan((100,), (200, 2, 20), rounds=5, longest_s=45.0)
FULL: Final = Plan(tuple(range(100, 1000, 100)), (200, 2, 20, 6, 10), rounds=5, longest_s=840.0)


def measure(plan: Plan) -> dict[str, Any]:
    """All figures, in milliseconds and as JSON.

    `clients` of 0 are a single one, of whose times the 10th percentile counts, not the mean.

    A bar shows on a terminal how far it is.
    """
    begun = time.monotonic()
    described = machine()
    cells: list[dict[str, Any]] = []
    with ExitStack() as stack:
        stack.enter_context(core_dumps.forbidden())
        identity, certificate = make_identity(plan.key)
        server_cores = () if plan.gentle else stack.enter_context(_own_core())
        sites = {design: stack.enter_context(Site(design, identity, cores=server_cores)) for design in MEASURED}
        processes = max(LEAST_PROCESSES, len(os.sched_getaffinity(0)))
        clients = stack.enter_context(ClientProcesses(certificate.decode(), processes))
        context = context_for(certificate.decode())
        for site in sites.values():
            one_after_the_other(site.port, 2000, context, 2, Times())
        (server,) = sites["one-process"].pids("one-process")
        is_preferred = os.getpriority(os.PRIO_PROCESS, server) < 0
        for _, found in run(_steps(plan, sites, clients, context)):
            cells += found
            if time.monotonic() - begun > plan.longest_s:
                break
    return {
        "machine": described,
        "plan": asdict(plan),
        "pinned": bool(server_cores),
        "preferred": is_preferred,
        "client_processes": processes,
        "took_s": round(time.monotonic() - begun, 1),
        "cells": cells,
    }


def _steps(plan: Plan, sites: dict[Design, Site], clients: ClientProcesses, context: ssl.SSLContext) -> list[Step]:
    steps: list[Step] = []
    for number in range(plan.rounds):
        name = f"round {number + 1} of {plan.rounds}"
        for size in plan.sizes_kb:
            alone = partial(_alone, number, sites, context, size, plan.alone)
            steps.append(Step(f"{name}: 1 client, {size} KB", "cells", alone))
        for count in plan.clients:
            for size in plan.sizes_kb:
                # Each begins with another design, so that none always meets the machine as another one left it.
                designs = _turned(MEASURED if size == AIM_KB else DESIGNS, len(steps))
                together = partial(_all_together, number, designs, sites, clients, size, count)
                steps.append(Step(f"{name}: {count} clients, {size} KB", "cells", together))
    return steps


@contextlib.contextmanager
def _own_core() -> Iterator[Sequence[int]]:
    """The core of all server processes; this process uses the others meanwhile. Empty if there is only one."""
    cores = os.sched_getaffinity(0)
    if len(cores) < 2:
        yield ()
        return
    os.sched_setaffinity(0, cores - {min(cores)})
    _prefer_this_session(-10)
    try:
        yield (min(cores),)
    finally:
        _prefer_this_session(0)
        os.sched_setaffinity(0, cores)


def _prefer_this_session(nice: int) -> None:
    """Else the wait of clients for a processor is measured, too. Only if it is allowed, and not before all others."""
    with contextlib.suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(nice))


def _turned(designs: Sequence[Design], by: int) -> list[Design]:
    by %= len(designs)
    return [*designs[by:], *designs[:by]]


def _alone(
    number: int, sites: dict[Design, Site], context: ssl.SSLContext, size_kb: int, requests: int
) -> list[dict[str, Any]]:
    """One client, which asks the designs in turn: what else the machine does then slows all of them alike."""
    times = {design: Times() for design in sites}
    before = {design: _counted(site) for design, site in sites.items()}
    for _ in range(requests):
        for design, site in sites.items():
            one_after_the_other(site.port, size_kb * 1000, context, 2, times[design])
    return [
        _cell(number, design, 0, size_kb, times[design], site, before[design], _fast) for design, site in sites.items()
    ]


def _fast(times: Sequence[float]) -> float:
    """The 10th percentile: other work on the machine only makes requests slower."""
    return statistics.quantiles(times, n=10, method="inclusive")[0]


def _all_together(
    number: int,
    designs: Sequence[Design],
    sites: dict[Design, Site],
    clients: ClientProcesses,
    size_kb: int,
    count: int,
) -> list[dict[str, Any]]:
    found = []
    for design in designs:
        clients.prepare(Burst(sites[design].port, size_kb * 1000, count))
        before = _counted(sites[design])
        times = clients.go()
        found.append(_cell(number, design, count, size_kb, times, sites[design], before, statistics.fmean))
    return found


def _counted(site: Site) -> tuple[Totals, dict[str, float]]:
    return site.totals(), site.processor_s()


def _cell(
    number: int,
    design: Design,
    clients: int,
    size_kb: int,
    times: Times,
    site: Site,
    before: tuple[Totals, dict[str, float]],
    average: Callable[[Sequence[float]], float],
) -> dict[str, Any]:
    counted = site.totals().since(before[0])
    worked = {role: seconds - before[1].get(role, 0.0) for role, seconds in site.processor_s().items()}
    served = len(times.initiation_s) + len(times.resumption_s)
    initiation, resumption = (
        average(each) if len(each) > 1 else each[0] if each else None
        for each in (times.initiation_s, times.resumption_s)
    )
    return {
        "round": number,
        "design": design,
        "clients": clients,
        "size_kb": size_kb,
        "initiation_ms": _ms(initiation),
        "resumption_ms": _ms(resumption),
        # Of a client of the thesis: an initiation and two resumptions.
        "total_ms": None if initiation is None or resumption is None else _ms(initiation + 2 * resumption),
        "handshake_ms": _ms(counted.full_s / counted.full) if counted.full else None,
        "resumed_handshake_ms": _ms(counted.resumed_s / counted.resumed) if counted.resumed else None,
        "record_ms": _ms(counted.sealing_s / counted.sealings) if counted.sealings else None,
        "processor_ms": _ms(sum(worked.values()) / served) if served else None,
        "processor_by_role_ms": {role: _ms(seconds / served) if served else 0.0 for role, seconds in worked.items()},
        "served": served,
        "failed": times.failed,
        "not_resumed": times.not_resumed,
    }


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds * 1000, 4)
