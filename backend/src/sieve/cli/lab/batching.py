"""`sieve lab batching`: batching under random arrivals, simulated, beside table 5.3 of the security-sieve thesis."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from operator import attrgetter
from typing import Annotated, Any, Final

import typer

from sieve.cli import table
from sieve.cli.api import show_json
from sieve.cli.options import Json, full_or_quick
from sieve.lab.arrivals import NEVER, BestBatch, Experiment, Summary, best_batch, linear
from sieve.lab.intervals import Mean
from sieve.lab.thesis_table import BATCH, BATCH_S, REQUESTS, SINGLE_S, Cell, compare

BATCHES: Final = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20)
RATES: Final = (0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
QUICK, FULL = 20, 200
"""Replications of each line of the table."""
SEARCHED: Final = 20
"""Replications for each batch size: the arrivals are the same, so few tell the sizes apart."""
_FIGURES: Final = attrgetter(*(field.name for field in fields(Summary)))


def batching(
    full: Annotated[
        bool,
        full_or_quick(f"has {QUICK} runs of each line, for some seconds", f"has {FULL}, for a minute"),
    ] = False,
    replications: Annotated[
        int | None, typer.Option("--replications", min=2, help="Runs of each line; more make the intervals narrower.")
    ] = None,
    rate: Annotated[
        list[float] | None,
        typer.Option("--rate", metavar="N", help="Find the best batch at this rate per second; may be repeated."),
    ] = None,
    single_ms: Annotated[
        float, typer.Option("--single-ms", metavar="MS", help="The service time of one document.")
    ] = SINGLE_S * 1e3,
    batch_ms: Annotated[
        float, typer.Option("--batch-ms", metavar="MS", help="The service time of five documents together.")
    ] = BATCH_S * 1e3,
    longest_wait_ms: Annotated[
        float | None,
        typer.Option(
            "--longest-wait", metavar="MS", min=0, help="A batch leaves after this wait, full or not; by default full."
        ),
    ] = None,
    servers: Annotated[int, typer.Option("--servers", min=1, help="Batches that are served at a time.")] = 1,
    seed: Annotated[int, typer.Option("--seed", help="Other seeds give other arrivals.")] = 1,
    as_json: Json = False,
) -> None:
    """Show table 5.3 of the thesis beside our simulation, and the best batch for a rate."""
    replications = replications or (FULL if full else QUICK)
    mean = linear(single_ms / 1e3, batch_ms / 1e3, BATCH)
    wait_s = NEVER if longest_wait_ms is None else longest_wait_ms / 1e3
    searches = {
        each: best_batch(Experiment(each, REQUESTS, min(replications, SEARCHED), seed), mean, BATCHES, wait_s, servers)
        for each in rate or RATES
    }
    cells = list(compare(replications, seed))
    if as_json:
        show_json(
            {"table": [cell_json(cell) for cell in cells], "best": [best_json(*each) for each in searches.items()]}
        )
        return
    print("Table 5.3 of the thesis, and ours with half the width of the 95% interval of the mean of five runs")
    table.show(
        ("system", "rate /s", "quantity", "printed", "ours", "note"),
        [
            (
                cell.row.system,
                f"{cell.row.rate_per_s:g}",
                cell.figure,
                cell.printed,
                f"{cell.ours.value:.3f} ± {cell.five_runs:.3f}",
                note(cell),
            )
            for cell in cells
        ],
    )
    print("\nMean turnaround in s by batch size; * is the best, - cannot keep up")
    table.show(
        ("rate /s", *map(str, BATCHES)),
        [(f"{rate_per_s:g}", *_turnarounds(found)) for rate_per_s, found in searches.items()],
    )
    print(
        "\nThe best batch of each rate: turnaround, wait in the queue and requests that wait, each ± its 95% interval"
    )
    table.show(
        ("rate /s", "batch", "mean s", "median s", "p95 s", "p99 s", "wait s", "waiting"),
        [
            (f"{rate_per_s:g}", str(found.best.batch), *map(_within, _FIGURES(found.best.summary)))
            for rate_per_s, found in searches.items()
            if found.best is not None
        ],
    )


def note(cell: Cell) -> str:
    """Why a printed figure differs from ours; empty if it does not."""
    if cell.is_inside:
        return ""
    if cell.row.is_saturated:
        return "outside: a saturated run depends on the arrivals that were drawn"
    again = cell.explained_at
    rate = f"{cell.row.own_rate_per_s:.3f}/s, the rate that the printed line implies by Little's law"
    if again is None or not cell.is_explained:
        return f"outside, also at {rate}"
    return f"outside; at {rate}, ours is {again.value:.3f}"


def cell_json(cell: Cell) -> dict[str, Any]:
    """A cell of the table for programs."""
    return {
        "system": cell.row.system,
        "rate_per_s": cell.row.rate_per_s,
        "quantity": cell.figure,
        "printed": float(cell.printed),
        "mean": cell.ours.value,
        "ci95": cell.ours.ci95,
        "ci95_of_five_runs": cell.five_runs,
        "inside": cell.is_inside,
        "own_rate_per_s": cell.row.own_rate_per_s,
        "mean_at_own_rate": None if cell.explained_at is None else cell.explained_at.value,
        "explained": cell.is_explained,
    }


def best_json(rate_per_s: float, found: BestBatch) -> dict[str, Any]:
    """A search for the best batch for programs."""
    return {
        "rate_per_s": rate_per_s,
        "best_batch": None if found.best is None else found.best.batch,
        "choices": [
            {
                "batch": choice.batch,
                "utilization": choice.utilization,
                "saturated": choice.is_saturated,
                **{name: figure["value"] for name, figure in asdict(choice.summary).items()},
                **{_ci95(name): figure["ci95"] for name, figure in asdict(choice.summary).items()},
            }
            for choice in found.choices
        ],
    }


def _ci95(name: str) -> str:
    """The name of a figure's interval, such as `mean_turnaround_ci95_s`."""
    return f"{name.removesuffix('_s')}_ci95_s" if name.endswith("_s") else f"{name}_ci95"


def _within(found: Mean) -> str:
    return f"{found.value:.3g} ± {found.ci95 or 0:.2g}"


def _turnarounds(found: BestBatch) -> Sequence[str]:
    return [
        "-" if choice.is_saturated else f"{choice.summary.mean_turnaround_s.value:.2f}{'*' * (choice is found.best)}"
        for choice in found.choices
    ]
