"""Step three: rows to tables for people, and results/latest.json for programs."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.cases import Case
from benchmarks.results_file import results_of

# The least width, also in a pipe: a wrapped table cannot be read.
WIDTH = 170
SHOWN = "channels"
"""The experiment whose points are printed; there are too many others: figures show them, and latest.json has them."""
QUIET = 0.3
"""Of each core, at the start: above it others compete with what is measured."""


def analyse(extracted: dict[str, Any], results: Path) -> Path:
    """Prints the tables, writes latest.json and returns its path."""
    latest = results_of(extracted)
    path = results / "latest.json"
    path.write_text(json.dumps(latest, indent=1) + "\n")
    console = Console()
    console.width = max(WIDTH, console.width)
    tables = (
        _points(extracted),
        _not_run(extracted),
        _references(latest),
        _throughput(latest),
        _large(latest),
        _targets(latest),
    )
    for table in tables:
        if table.row_count:
            console.print(table)
    for target in latest["targets"]:
        if target["note"]:
            console.print(f"{target['name']}: {target['note']}.")
    for name, reason in extracted["broke"].items():
        console.print(f"{name}: broke off: {reason}")
    further = sum(row["case"]["experiment"] != SHOWN for row in extracted["rows"])
    console.print(f"{further} points of other experiments are in {path.name} and in the figures.")
    load, cores = latest["machine"].get("load_at_start", [0.0])[0], latest["machine"].get("cores", 1)
    if load > QUIET * cores:
        console.print(f"The machine was not quiet (load {load} on {cores} cores): take the times for rough ones.")
    for name, reason in latest["references"].get("missing", {}).items():
        console.print(f"{name}: not measured: {reason}")
    for name, found in latest["throughput"].items():
        if "not_run" in found:
            console.print(f"throughput, {name}: not run: {found['not_run']}")
    return path


def _points(extracted: Mapping[str, Any]) -> Table:
    table = _table(
        "Points (ms; response and total with their 95 % intervals; n (+ left out: they needed a second attempt))",
        "point",
        "n",
        "response",
        "median",
        "total",
        "sieve",
        "transfer",
        "integrate",
        "stored",
        "cpu s + r",
        "peak s + r (MiB)",
    )
    rows = [row for row in extracted["rows"] if row["case"]["experiment"] == SHOWN]
    for row in sorted(rows, key=lambda row: _order(Case.of(row["case"]))):
        response, total, cpu, peak = row["response_ms"], row["total_ms"], row["cpu_s"], row["peak_mib"]
        case = Case.of(row["case"])
        table.add_row(
            f"{case}{_chosen(case, row['plan'])}",
            str(row["transfers"]) + (f" (+{row['again']})" if row["again"] else ""),
            _with_interval(response["mean"], response["ci95"]),
            f"{response['median']:.1f}",
            _with_interval(total["mean"], total["ci95"]),
            f"{row['sieve_ms']:.1f}",
            f"{row['data_transfer_ms']:.1f}",
            f"{row['integrate_ms']:.1f}",
            f"{row['stored_ms']['mean']:.1f}",
            f"{1e3 * cpu['sender']:.0f} + {1e3 * cpu['receiver']:.0f}",
            f"{peak['sender']:.0f} + {peak['receiver']:.0f}" if peak else "",
        )
    return table


def _chosen(case: Case, plan: Mapping[str, Any] | None) -> str:
    return f" ({plan.get('mode')})" if case.mode == "auto" and plan else ""


def _order(case: Case) -> tuple[int, float, str]:
    return case.x_mb, case.p, case.mode


def _not_run(extracted: Mapping[str, Any]) -> Table:
    """Points that have no figures; those of one experiment and reason are one line."""
    table = _table("Not run", "points", "how many", "reason")
    table.columns[-1].justify = "left"
    grouped: dict[tuple[str, str], list[Case]] = {}
    for one in extracted["not_run"]:
        case = Case.of(one["case"])
        grouped.setdefault((case.experiment, one["reason"]), []).append(case)
    for (experiment, reason), cases in grouped.items():
        more = ", ..." if len(cases) > 1 else ""
        table.add_row(f"{experiment}: {cases[0]}{more}", str(len(cases)), f"not run: {reason}")
    return table


def _references(latest: Mapping[str, Any]) -> Table:
    table = _table("References, 10 MB, and the core's parts (medians, ms)", "what", "median")
    for name, value in latest["references"].items():
        if name != "missing" and value is not None:
            table.add_row(name, f"{value:.3f}")
    for name, found in latest["core"].items():
        if found is not None:
            table.add_row(name, f"{found['median']:.3f}")
    for name, ms_per_mb in latest["calibration"].items():
        table.add_row(f"{name}, each MB", f"{ms_per_mb:.3f}")
    return table


def _throughput(latest: Mapping[str, Any]) -> Table:
    table = _table(
        "Small documents at rising rates", "mode", "offered /s", "delivered /s", "p50 ms", "p99 ms", "kept up"
    )
    for mode, found in latest["throughput"].items():
        for step in found.get("rates", ()):
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
    for mode, row in latest["large"].items():
        above = row["above_idle_mib"]
        name = f"{row['size_mb']}MB-{row['p'] * 100:.0f} {mode}"
        table.add_row(name, str(above["sender"]), str(above["receiver"]), str(row["response_ms"]))
    return table


def _targets(latest: Mapping[str, Any]) -> Table:
    """`beside`: nginx, secure-only or the better mode, whichever the target compares with."""
    table = _table("Targets", "what", "asked", "aim", "ours", "n", "ours ms", "floor ms", "beside ms", "holds")
    for target in latest["targets"]:
        measured = target["measured"]
        holds = "yes, and the aim" if target["aim_holds"] else "yes" if target["holds"] else "NO"
        if target["is_decided"] is False:
            holds += " (within the interval)"
        verdict = "not measured" if measured is None else "not decided" if target["holds"] is None else holds
        table.add_row(
            target["name"],
            f"{target['asked']} {target['bound']:g} {target['unit']}",
            f"{target['aim']:g}",
            "" if measured is None else _with_interval(measured, target["ci95"], 2),
            "" if target["n"] is None else str(target["n"]),
            *(
                "" if target[name] is None else f"{target[name]:.2f}"
                for name in ("ours_ms", "floor_ms", "reference_ms")
            ),
            verdict,
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
