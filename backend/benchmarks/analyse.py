"""Step three: rows to a table for people, and results/latest.json for programs."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.targets import TARGETS

# So many columns at least, also in a pipe: a wrapped table cannot be read.
WIDTH = 150
QUIET = 0.3
"""Of each core, at the start: above it others compete with what is measured."""


def analyse(extracted: dict[str, Any], results: Path) -> Path:
    """Prints the tables, writes latest.json and returns its path."""
    latest = extracted | {"targets": [target.judge(extracted) for target in TARGETS]}
    path = results / "latest.json"
    path.write_text(json.dumps(latest, indent=1) + "\n")
    console = Console()
    console.width = max(WIDTH, console.width)
    for table in (_points(latest), _references(latest), _throughput(latest), _large(latest), _targets(latest)):
        if table.row_count:
            console.print(table)
    load, cores = latest["machine"].get("load_at_start", [0.0])[0], latest["machine"].get("cores", 1)
    if load > QUIET * cores:
        console.print(f"The machine was not quiet (load {load} on {cores} cores): take the times for rough ones.")
    missing = latest["references"].get("missing", {})
    for name, reason in missing.items():
        console.print(f"{name}: not measured: {reason}")
    return path


def _points(latest: Mapping[str, Any]) -> Table:
    table = _table(
        "Points (ms; response with its 95 % interval)",
        "point",
        "n",
        "response",
        "median",
        "sieve",
        "transfer",
        "integrate",
        "stored",
        "cpu s + r (ms)",
        "peak s + r (MiB)",
    )
    for row in latest["rows"]:
        response = row["response_ms"]
        if response is None:
            table.add_row(_point(row), "0", *[""] * 8)
            continue
        cpu, peak = row["cpu_s"], row["peak_mib"]
        table.add_row(
            _point(row),
            str(row["transfers"]),
            _with_interval(response["mean"], response["ci95"]),
            f"{response['median']:.1f}",
            f"{row['sieve_ms']:.1f}",
            f"{row['data_transfer_ms']:.1f}",
            f"{row['integrate_ms']:.1f}",
            f"{row['stored_ms']:.1f}",
            f"{1e3 * cpu['sender']:.0f} + {1e3 * cpu['receiver']:.0f}",
            f"{peak['sender']:.0f} + {peak['receiver']:.0f}" if peak else "",
        )
    return table


def _point(row: Mapping[str, Any]) -> str:
    return f"{row['x_mb']}MB-{row['p'] * 100:.0f} {row['mode']}"


def _references(latest: Mapping[str, Any]) -> Table:
    table = _table("References, 10 MB, and the core's parts (ms)", "what", "mean", "median")
    for name, found in [*latest["references"].items(), *latest["core"].items()]:
        if found is not None and name != "missing":
            table.add_row(name, _with_interval(found["mean"], found["ci95"], 3), f"{found['median']:.3f}")
    return table


def _throughput(latest: Mapping[str, Any]) -> Table:
    table = _table(
        "Small documents at rising rates", "mode", "offered /s", "delivered /s", "p50 ms", "p99 ms", "kept up"
    )
    for mode, found in latest["throughput"].items():
        for step in found["rates"]:
            table.add_row(
                mode,
                f"{step['offered_per_s']:.0f}",
                f"{step['delivered_per_s']:.1f}",
                str(step["p50_ms"]),
                str(step["p99_ms"]),
                "yes" if step["kept_up"] else "no",
            )
    return table


def _large(latest: Mapping[str, Any]) -> Table:
    table = _table("The large document: memory above idle (MiB)", "document", "sender", "receiver", "response ms")
    for row in latest["large"]:
        above = row["above_idle_mib"]
        table.add_row(_large_point(row), str(above["sender"]), str(above["receiver"]), str(row["response_ms"]))
    return table


def _large_point(row: Mapping[str, Any]) -> str:
    return f"{row['size_mb']}MB-{row['p'] * 100:.0f} {row['mode']}"


def _targets(latest: Mapping[str, Any]) -> Table:
    table = _table("Targets", "what", "asked", "aim", "measured", "holds")
    for target in latest["targets"]:
        measured = target["measured"]
        verdict = "not measured" if measured is None else "yes" if target["holds"] else "NO"
        table.add_row(
            target["name"],
            f"{target['asked']} {target['bound']:g} {target['unit']}",
            f"{target['aim']:g}",
            "" if measured is None else _with_interval(measured, target["ci95"], 2),
            "yes, and the aim" if target["aim_holds"] else verdict,
        )
    return table


def _with_interval(mean: float, ci95: float | None, digits: int = 1) -> str:
    return f"{mean:.{digits}f}" if ci95 is None else f"{mean:.{digits}f} ± {ci95:.{digits}f}"


def _table(title: str, first: str, *others: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column(first, no_wrap=True)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table
