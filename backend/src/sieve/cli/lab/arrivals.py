"""`sieve lab arrivals`: the same Poisson arrivals on two real gateways and in the simulation."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

import typer

from sieve.cli import table
from sieve.cli.api import show_json
from sieve.cli.errors import BadInput
from sieve.cli.options import Json, full_or_quick


def arrivals(
    full: Annotated[
        bool,
        full_or_quick("measures two batch sizes at two loads, for a minute", "measures four of each, for some minutes"),
    ] = False,
    size: Annotated[
        int, typer.Option("--size", metavar="BYTES", min=100, help="The size of each document.")
    ] = 1_000_000,
    share: Annotated[
        float, typer.Option("--share", metavar="P", min=0, max=1, help="The part of it that is classified.")
    ] = 0.5,
    batch: Annotated[
        list[int] | None,
        typer.Option(
            "--batch",
            metavar="N",
            min=1,
            help="Documents in a batch; may be repeated; by default 1, 2, 5, 10 (quick: 1, 5).",
        ),
    ] = None,
    load: Annotated[
        list[float] | None,
        typer.Option(
            "--load",
            metavar="X",
            help="An arrival rate, as a multiple of the rate that keeps one server busy with single documents; may be "
            "repeated; by default 0.25, 0.5, 1 and 1.5 (quick: 0.5 and 1).",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", min=0.1, help="How long documents arrive at each rate; by default 10 (quick: 3)."),
    ] = None,
    services: Annotated[
        int | None,
        typer.Option("--services", min=4, help="Batches of each size that are sent alone; by default 12 (quick: 6)."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Other seeds give other arrivals.")] = 1,
    as_json: Json = False,
) -> None:
    """Measure random arrivals on two gateways that this command starts, beside the simulation."""
    # Imported here, so that other commands start without the demonstration.
    from sieve.cli.lab.measured import FULL, QUICK, UPLOADED, measure, to_json

    form = FULL if full else QUICK
    given = replace(
        form,
        size_bytes=size,
        share=share,
        batches=tuple(batch or form.batches),
        loads=tuple(load or form.loads),
        seconds=seconds or form.seconds,
        services=services or form.services,
        seed=seed,
    )
    if max(given.batches) > UPLOADED:
        raise BadInput(f"--batch must be at most {UPLOADED}, not {max(given.batches)}")
    if not all(each > 0 for each in given.loads):
        raise BadInput("--load must be more than 0")
    found = to_json(measure(given, _say))
    if as_json:
        show_json(found)
    else:
        _print(found)


def _say(text: str) -> None:
    if sys.stderr.isatty():
        print(text, file=sys.stderr)


def _print(found: Mapping[str, Any]) -> None:
    print("Service times of one batch at a time")
    table.show(
        ("mode", "batch", "mean ms", "95%", "n"),
        [
            (each["mode"], str(each["batch"]), f"{each['mean_ms']:.1f}", f"± {each['ci95_ms']:.1f}", str(each["n"]))
            for each in found["services"]
        ],
    )
    print("\nThe number of servers with which the simulation fits best, and its error; and that of one server")
    table.show(
        ("mode", "servers", "error", "one server"),
        [
            (each["mode"], str(each["servers"]), f"{each['error_percent']}%", f"{each['error_percent_one_server']}%")
            for each in found["fitted"]
        ],
    )
    print("\nTurnaround in ms: measured, simulated, simulated with one server")
    table.show(
        ("rate /s", "mode", "batches", "documents", "mean", "p95", "simulated", "p95", "one server", "not delivered"),
        [
            (
                f"{step['rate_per_s']:g}",
                step["mode"],
                f"planner's {step['documents_per_attempt']:.1f}"
                if step["batching"] == "planner"
                else str(step["batch"]),
                str(step["requests"]),
                *_two(step["measured"]),
                *_two(step["simulated"]),
                _two(step["simulated_one_server"])[0],
                str(step["not_delivered"] or ""),
            )
            for step in found["steps"]
        ],
    )


def _two(turnaround: Mapping[str, float] | None) -> tuple[str, str]:
    """The mean and the 95th percentile."""
    return (f"{turnaround['mean_ms']:.0f}", f"{turnaround['p95_ms']:.0f}") if turnaround else ("-", "-")
