"""Measures the designs of `lab.tls_split` as the thesis did: many clients at a time, each with one full handshake and
two resumed ones. Clients are threads of this process. If there are several cores, clients and servers share none."""

import contextlib
import os
import socket
import ssl
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from sieve.cli.lab.machine import machine
from sieve.cli.lab.steps import Step, run
from sieve.lab.tls_split.processes.assignment import DESIGNS, Design
from sieve.lab.tls_split.processes.identity import KeyKind, make_identity
from sieve.lab.tls_split.processes.site import Site

REQUESTS: Final = 3
"""Of a client: an initiation and two resumptions, as in the thesis."""
CLIENT_S: Final = 60.0
READ: Final = 64 * 1024
_STACK: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure. `alone`: requests of each kind by a single client; `rounds`: runs of a cell; `longest_s`: after
    which no further run begins; the rest is then not measured."""

    clients: Sequence[int]
    sizes_kb: Sequence[int]
    rounds: int = 1
    alone: int = 40
    key: KeyKind = "rsa"
    longest_s: float = 290.0


QUICK: Final = Plan((100,), (200, 2, 20), rounds=3, alone=30, longest_s=35.0)
FULL: Final = Plan((100, 300, 600, 900), (200, 2, 20, 6, 10))


@dataclass(slots=True)
class _Times:
    initiation_s: list[float] = field(default_factory=list)
    resumption_s: list[float] = field(default_factory=list)
    failed: int = 0
    not_resumed: int = 0


def measure(plan: Plan) -> dict[str, Any]:
    """All figures, in milliseconds and as JSON.

    `clients` of 0 are a single one, of whose times the 10th percentile counts, not the mean.

    A bar shows on a terminal how far it is.
    """
    begun = time.monotonic()
    described = machine()
    identity, certificate = make_identity(plan.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cadata=certificate.decode())
    cells: list[dict[str, Any]] = []
    with ExitStack() as stack:
        server_cores = stack.enter_context(_own_core())
        sites = {design: stack.enter_context(Site(design, identity, cores=server_cores)) for design in DESIGNS}
        for site in sites.values():
            _request(site.port, context, 2000, None)
        (server,) = sites["one-process"].pids("one-process")
        is_preferred = os.getpriority(os.PRIO_PROCESS, server) < 0
        for _, found in run(_steps(plan, sites, context)):
            cells += found
            if time.monotonic() - begun > plan.longest_s:
                break
    return {
        "machine": described,
        "plan": asdict(plan),
        "pinned": bool(server_cores),
        "preferred": is_preferred,
        "took_s": round(time.monotonic() - begun, 1),
        "cells": cells,
    }


def _steps(plan: Plan, sites: dict[Design, Site], context: ssl.SSLContext) -> list[Step]:
    steps = [
        Step(f"1 client, {size} KB", "cells", partial(_alone, sites, context, size, plan.alone))
        for size in plan.sizes_kb
    ]
    for clients, size in [(n, size) for _ in range(plan.rounds) for n in plan.clients for size in plan.sizes_kb]:
        # Each begins with another design, so that none always meets the machine as another one left it.
        order = _turned(DESIGNS, len(steps))
        together = partial(_all_together, order, sites, context, size, clients)
        steps.append(Step(f"{clients} clients, {size} KB", "cells", together))
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


def _alone(sites: dict[Design, Site], context: ssl.SSLContext, size_kb: int, requests: int) -> list[dict[str, Any]]:
    """One client, which asks the designs in turn: what else the machine does then slows all of them alike."""
    times = {design: _Times() for design in sites}
    before = {design: (site.totals(), site.processor_s()) for design, site in sites.items()}
    for _ in range(requests):
        for design, site in sites.items():
            _client(site.port, context, size_kb, times[design], 2)
    return [_cell(design, 0, size_kb, times[design], site, before[design], _fast) for design, site in sites.items()]


def _fast(times: Sequence[float]) -> float:
    """The 10th percentile: other work on the machine only makes requests slower."""
    return statistics.quantiles(times, n=10)[0]


def _all_together(
    designs: Sequence[Design], sites: dict[Design, Site], context: ssl.SSLContext, size_kb: int, clients: int
) -> list[dict[str, Any]]:
    return [_together(design, sites[design], context, size_kb, clients) for design in designs]


def _together(design: Design, site: Site, context: ssl.SSLContext, size_kb: int, clients: int) -> dict[str, Any]:
    times = [_Times() for _ in range(clients)]
    start = threading.Barrier(clients)

    def one(own: _Times) -> None:
        start.wait()
        _client(site.port, context, size_kb, own, REQUESTS)

    usual = threading.stack_size(_STACK)
    try:
        threads = [threading.Thread(target=one, args=(own,)) for own in times]
        before = (site.totals(), site.processor_s())
        for thread in threads:
            thread.start()
    finally:
        threading.stack_size(usual)
    for thread in threads:
        thread.join()
    together = _Times(
        [seconds for own in times for seconds in own.initiation_s],
        [seconds for own in times for seconds in own.resumption_s],
        sum(own.failed for own in times),
        sum(own.not_resumed for own in times),
    )
    return _cell(design, clients, size_kb, together, site, before, statistics.fmean)


def _client(port: int, context: ssl.SSLContext, size_kb: int, times: _Times, requests: int) -> None:
    session = None
    for number in range(requests):
        try:
            seconds, following, is_resumed = _request(port, context, size_kb * 1000, session)
        except OSError:  # TLS errors are such errors, too
            times.failed += 1
            continue
        (times.resumption_s if number else times.initiation_s).append(seconds)
        times.not_resumed += number > 0 and not is_resumed
        session = following


def _request(
    port: int, context: ssl.SSLContext, size: int, session: ssl.SSLSession | None
) -> tuple[float, ssl.SSLSession | None, bool]:
    """A connection with one request: seconds until the last byte is here, the session to resume, and whether this one
    was resumed."""
    begun = time.perf_counter()
    with (
        socket.create_connection(("127.0.0.1", port), timeout=CLIENT_S) as plain,
        context.wrap_socket(plain, server_hostname="localhost", session=session) as tls,
    ):
        tls.sendall(b"GET /%d HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % size)
        head, _, body = tls.recv(READ).partition(b"\r\n\r\n")
        received = len(body)
        while received < size:
            more = tls.recv(READ)
            if not more:
                raise ConnectionError("the answer is incomplete")
            received += len(more)
        if not head.startswith(b"HTTP/1.1 200 "):
            raise ConnectionError("the answer is not the document")
        return time.perf_counter() - begun, tls.session, bool(tls.session_reused)


def _cell(
    design: Design,
    clients: int,
    size_kb: int,
    times: _Times,
    site: Site,
    before: tuple[Any, float],
    average: Callable[[Sequence[float]], float],
) -> dict[str, Any]:
    counted = site.totals().since(before[0])
    served = len(times.initiation_s) + len(times.resumption_s)
    return {
        "design": design,
        "clients": clients,
        "size_kb": size_kb,
        "initiation_ms": _ms(average(times.initiation_s)) if times.initiation_s else None,
        "resumption_ms": _ms(average(times.resumption_s)) if times.resumption_s else None,
        "handshake_ms": _ms(counted.full_s / counted.full) if counted.full else None,
        "resumed_handshake_ms": _ms(counted.resumed_s / counted.resumed) if counted.resumed else None,
        "record_ms": _ms(counted.sealing_s / counted.sealings) if counted.sealings else None,
        "processor_ms": _ms((site.processor_s() - before[1]) / served) if served else None,
        "served": served,
        "failed": times.failed,
        "not_resumed": times.not_resumed,
    }


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 4)
