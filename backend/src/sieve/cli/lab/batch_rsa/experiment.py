"""The whole experiment, quick or full, as one JSON object."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from sieve.cli.lab import steps
from sieve.cli.lab.batch_rsa import arithmetic, handshakes
from sieve.cli.lab.machine import machine
from sieve.cli.lab.steps import Step
from sieve.lab.batch_rsa import paper
from sieve.lab.batch_rsa.optimiser import fastest, optimal

BOUND_S: Final = 1.0
"""The bound of the mean response, as in table 1."""
RATES: Final = (1, 10, 100, 300, 1000, 2000, 4000, 8000)
POISSON: Final = ((1, 0.0), (4, 0.05), (4, 0.5), (8, 0.5))
"""Batch sizes and longest waits in seconds."""


@dataclass(frozen=True, slots=True)
class Form:
    """How much is measured. `rounds`: of each speed-up. `clients`: at each Poisson run. `requests`: of simulations."""

    name: str
    bits: Sequence[int]
    rounds: int
    rate_per_s: float
    clients: int
    requests: int


QUICK: Final = Form("quick", (512, 1024, 2048), 5, 10, 24, 2_000)
FULL: Final = Form("full", (512, 1024, 2048, 3072, 4096), 25, 12, 120, 20_000)


def run(form: Form) -> dict[str, Any]:
    """Measures; raises `Failed`."""
    measured: defaultdict[str, list[Any]] = defaultdict(list)
    about = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "form": form.name, "machine": machine()}
    for step, found in steps.run(_steps(form, measured)):
        measured[step.result] += found
    return about | measured | computed(form, measured["speedups"])


def _steps(form: Form, measured: Mapping[str, list[Any]]) -> list[Step]:
    """`measured`: what the steps before have found."""
    bits = arithmetic.TODAY_BITS
    return [
        *(
            Step(f"speed-up, {size} bits", "speedups", partial(_listed, arithmetic.speedups, size, form.rounds))
            for size in form.bits
        ),
        *(
            Step(f"the paper's form, {size} bits", "papers_form", partial(_one, size, form.rounds))
            for size in form.bits
        ),
        Step("today's handshakes", "today", lambda: arithmetic.today(measured["speedups"], form.rounds)),
        Step("real clients", "handshakes", partial(_listed, handshakes.scenarios, bits, 4)),
        *(
            Step(
                f"Poisson arrivals, batches of {batch}",
                "poisson",
                partial(_listed, handshakes.poisson, bits, batch, wait_s, form.rate_per_s, form.clients),
            )
            for batch, wait_s in POISSON
        ),
    ]


def _listed(function: Any, *arguments: Any) -> list[Any]:
    return list(function(*arguments))


def _one(bits: int, rounds: int) -> list[Any]:
    return [arithmetic.papers_form(bits, 4, rounds)]


def computed(form: Form, speedups: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What is computed: the printed figures beside ours, the points of the figures, and the best sizes today."""
    bare = [
        paper.Measured(row["bits"], row["batch"], row["speedup"], row["counted"])
        for row in speedups
        if row["form"] == "no crt"
    ]
    cited = [
        paper.shacham_and_boneh(row["speedup"])
        for row in speedups
        if (row["bits"], row["batch"], row["form"]) == (1024, 4, "crt")
    ]
    plain_ms = {row["bits"]: row["plain_ms"] for row in speedups if row["form"] == "no crt"}
    figure_3 = paper.figure_3(form.requests)
    return {
        "table_1": [asdict(each) for each in paper.table_1()],
        "sizes": [
            {"rate_per_s": rate, "bits": bits, "printed": printed, "ours": paper.algorithm_3_size(rate, bits)}
            for (rate, bits), printed in paper.TABLE_1.items()
        ],
        "table_2": [asdict(each) for each in paper.table_2()],
        "table_2_measured": [asdict(each) for each in paper.table_2_measured(bare)],
        "claims": [asdict(each) for each in (*paper.plain_rsa(plain_ms), *cited, *paper.claims())],
        "figure_2": [asdict(each) for each in paper.figure_2(form.requests)],
        "figure_3": {name: [asdict(each) for each in points] for name, points in figure_3.items()},
        "figure_4": [asdict(each) for each in paper.figure_4()],
        "optimal": [row for bits in form.bits for row in _optimal(bits, speedups)],
    }


def _optimal(bits: int, speedups: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The best sizes by rate, with the times that were measured with all precautions."""
    safe = [row for row in speedups if row["bits"] == bits and row["form"] == "safe"]
    times = {1: safe[0]["plain_ms"] / 1e3} | {row["batch"]: row["batch_ms"] / 1e3 for row in safe}
    rows = []
    for rate in RATES:
        least = optimal(rate, BOUND_S, times.__getitem__, sorted(times))
        soonest = fastest(rate, times.__getitem__, sorted(times))
        rows.append(
            {
                "bits": bits,
                "rate_per_s": rate,
                "least_work": None if least is None else asdict(least),
                "soonest": None if soonest is None else asdict(soonest),
                "plain_busy": rate * times[1],
            }
        )
    return rows
