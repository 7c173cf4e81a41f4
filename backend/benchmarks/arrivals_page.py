"""`make bench-arrivals`: writes docs/benchmarks/arrivals.md and its figures.

The simulated part is the same each time. The measured part runs `sieve lab arrivals`, or reads what it printed.
"""

import argparse
import json
import math
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.style import context

from benchmarks.__main__ import RESULTS
from benchmarks.machine import machine
from benchmarks.svg_figures import COOL, METADATA, STYLE, WARM, smaller
from sieve.cli.errors import CommandError
from sieve.cli.lab.batching import note
from sieve.cli.lab.measured import SECONDS, SERVICES, Plan, measure, to_json
from sieve.lab.arrivals import NEVER, Experiment, Policy, Summary, best_batch, deterministic
from sieve.lab.thesis_table import FIGURES, REQUESTS, SERVICE_S, Cell, compare

PAGE, FOLDER, RAW = "arrivals.md", "arrivals", "arrivals.json"
REPLICATIONS, SEARCHED, SEED = 200, 20, 1
RATES = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 4.8)
BATCHES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20)
MOST = BATCHES[-1]
GROUPED = 1.1
"""Documents in an attempt, from which on the planner formed groups."""
WAITS_S = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, NEVER)

HEAD = """\
# Documents that arrive at random

What batching does to documents that arrive at random: simulated as in section 5.4.4 of the security-sieve thesis, and
measured on two real gateways. `make bench-arrivals` writes this page. `sieve lab batching` prints the simulation,
`sieve lab arrivals` measures.

*Turnaround* runs from a document's arrival until it is delivered. A *full batch* leaves when its last document has
arrived. *Saturated* means that documents arrive faster than they can be sent, so that the queue grows without end.

## Simulated: table 5.3 of the thesis

2,500 documents with Poisson arrivals, first come, first served, one server with constant service times: 933 ms for one
document, 1,552 ms for a batch of five. Ours is the mean of {replications} runs from an empty system. The thesis made
five runs a line, so its figures must lie in the 95 % interval of the mean of five of our runs, which follows ±. The
thesis gives ±2.5 % for all of them; five runs cannot give that near saturation.
"""


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.arrivals_page")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long documents arrive at each rate")
    parser.add_argument("--services", type=int, default=SERVICES, help="batches of each size that are sent alone")
    parser.add_argument("--measured", type=Path, help="do not measure: read what an earlier run wrote")
    parser.add_argument("--into", type=Path, default=RESULTS, help="the folder for the page and its figures")
    asked = parser.parse_args()
    # Gateways and temporary files must not outlive a terminated run.
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    try:
        if asked.measured:
            found = json.loads(asked.measured.read_text())
        else:
            plan = Plan(seconds=asked.seconds, services=asked.services)
            found = {
                "at": datetime.now(UTC).strftime("%d %B %Y").lstrip("0"),
                "machine": machine(RESULTS.parent),
                **to_json(measure(plan, lambda text: print(text, file=sys.stderr, flush=True))),
            }
            RESULTS.mkdir(parents=True, exist_ok=True)
            (RESULTS / RAW).write_text(json.dumps(found, indent=1))
    except (CommandError, OSError, ValueError) as error:
        print(f"bench-arrivals: {error}", file=sys.stderr)
        return 1
    print(write(found, asked.into))
    return 0


def write(found: Mapping[str, Any], into: Path) -> Path:
    """Writes the page and its figures; returns the page."""
    cells = list(compare(REPLICATIONS, SEED))
    figures = into / FOLDER
    figures.mkdir(parents=True, exist_ok=True)
    (figures / "simulated.svg").write_bytes(draw_simulated(cells))
    (figures / "measured.svg").write_bytes(draw_measured(found))
    page = into / PAGE
    page.write_text("\n".join([*_table(cells), "", *_best(), "", *_measured(found), ""]))
    return page


def _table(cells: Sequence[Cell]) -> Iterator[str]:
    yield HEAD.format(replications=REPLICATIONS)
    yield "![The simulation runs through the points that the thesis prints](arrivals/simulated.svg)"
    for system, title in (("batching", "Batches of five"), ("no batching", "One by one")):
        ours = [cell for cell in cells if cell.row.system == system]
        yield ""
        yield f"**{title}**: means, printed and ours; times in seconds."
        yield ""
        yield "| arrivals a second | " + " | ".join(f"{name}, printed | ours" for name in FIGURES) + " |"
        yield "|--:|" + "--:|" * 2 * len(FIGURES)
        for first in range(0, len(ours), len(FIGURES)):
            row = ours[first : first + len(FIGURES)]
            yield (
                f"| {row[0].row.rate_per_s:g} | " + " | ".join(f"{cell.printed} | {_ours(cell)}" for cell in row) + " |"
            )
    inside = sum(cell.is_inside for cell in cells)
    yield ""
    yield f"{inside} of {len(cells)} printed figures are within the interval. The others are bold:"
    yield ""
    for cell in cells:
        if not cell.is_inside:
            yield f"- {cell.row.system}, {cell.row.rate_per_s:g} a second, {cell.figure}: {note(cell)}."


def _ours(cell: Cell) -> str:
    digits = 3 if cell.ours.value < 1 else 2
    text = f"{cell.ours.value:.{digits}f} ± {cell.five_runs:.{digits}f}"
    return text if cell.is_inside else f"**{text}**"


def _best() -> Iterator[str]:
    yield f"""\
## Simulated: the best batch

The service time of a batch of b is a straight line through those of one document and of five. Mean turnaround in
seconds, {SEARCHED} runs with the same arrivals for each column; bold is the best of a line, - is saturated.

**Full batches** of b documents:

| arrivals a second | {" | ".join(f"b = {batch}" for batch in BATCHES)} |
|--:|{"--:|" * len(BATCHES)}"""
    for rate in RATES:
        found = best_batch(_experiment(rate), SERVICE_S, BATCHES)
        yield _line(rate, [None if each.is_saturated else each.summary for each in found.choices])
    yield f"""
**Batches that leave after a longest wait**, full or not, of at most {MOST} documents. After a wait of 0 a free server
takes the documents that wait:

| arrivals a second | {" | ".join("full" if wait == NEVER else f"{wait:g} s" for wait in WAITS_S)} |
|--:|{"--:|" * len(WAITS_S)}"""
    for rate in RATES:
        yield _line(rate, [_experiment(rate).summary(deterministic(SERVICE_S), Policy(MOST, 1, w)) for w in WAITS_S])
    planner = "[planner](../planner.md#together)"
    yield f"""
So a fixed batch size is a bad rule: each rate has another best size, a size that is too small saturates, and one that
is too large makes documents wait for others. To take the documents that wait, without a wait for more, needs no
knowledge of the rate, and no column is better at any rate. The gateway's {planner} does that."""


def _experiment(rate_per_s: float) -> Experiment:
    return Experiment(rate_per_s, REQUESTS, SEARCHED, SEED)


def _line(rate_per_s: float, found: Sequence[Summary | None]) -> str:
    means = [math.inf if each is None else each.mean_turnaround_s.value for each in found]
    best = f"{min(means):.2f}"
    cells = [
        "-" if mean == math.inf else f"**{mean:.2f}**" if f"{mean:.2f}" == best else f"{mean:.2f}" for mean in means
    ]
    return f"| {rate_per_s:g} | " + " | ".join(cells) + " |"


def _measured(found: Mapping[str, Any]) -> Iterator[str]:
    where = found["machine"]
    yield f"""\
## Measured: two gateways

Documents of {found["size_bytes"]:,} bytes, {found["classified_share"]:.0%} of them classified, on {found["at"]}:
{where["cores"]} cores of {where["cpu"]}, {where["system"]}, Python {where["python"]}, commit {where["commit"]}.
Both gateways and the client ran on this machine. Its load was {found["load_at_start"]} before the gateways started.
A load above 0.5 is other work, which makes times longer and scatters them. There is one run per line, of documents that
arrive for about {found["seconds"]:g} s. Lines have no confidence intervals, because the documents of a run are not
independent.

Each mode and way of batching got the same arrivals at the same times. *Full* batches are formed by the client, and the
planner's batching is switched off (`SIEVE_BATCH_DOCUMENTS=1`). *Planner* means that the client sends each document at
once, and the gateway decides; the number is how many documents an attempt carried in the mean. The simulation gets the
very same arrivals. It draws service times from those of batches that were sent one at a time:

| mode | documents in a batch | mean, ms | 95 % | n |
|---|--:|--:|--:|--:|"""
    for each in found["services"]:
        yield f"| {each['mode']} | {each['batch']} | {each['mean_ms']:.1f} | ± {each['ci95_ms']:.1f} | {each['n']} |"
    yield """
A gateway works on several batches at a time, up to 16, so the simulation is made with one server and with the number of
servers that fits best. Real servers share processors and a disk: near saturation each batch takes longer than alone,
which the simulation does not know.

| mode | servers | error of the mean turnaround | with one server |
|---|--:|--:|--:|"""
    for each in found["fitted"]:
        one = each["error_percent_one_server"]
        yield f"| {each['mode']} | {each['servers']} | {each['error_percent']:.0f} % | {one:.0f} % |"
    yield """
![Mean turnaround by arrival rate, measured and simulated](arrivals/measured.svg)

Turnaround in milliseconds; bold is the shortest mean at that rate and mode:

| arrivals a second | mode | batches | documents | mean | p95 | simulated mean | p95 | mean with one server |
|--:|---|---|--:|--:|--:|--:|--:|--:|"""
    for step in found["steps"]:
        rivals = [each for each in found["steps"] if _key(each) == _key(step)]
        best = min(rivals, key=lambda each: float(each["measured"]["mean_ms"]))
        mean, p95 = _two(step["measured"])
        late = f" ({step['not_delivered']} not delivered)" if step["not_delivered"] else ""
        cells = (
            f"{step['rate_per_s']:g}",
            step["mode"],
            _batches(step),
            f"{step['requests']}{late}",
            f"**{mean}**" if step is best else mean,
            p95,
            *_two(step["simulated"]),
            _two(step["simulated_one_server"])[0],
        )
        yield f"| {' | '.join(cells)} |"
    keys = list(dict.fromkeys(map(_key, found["steps"])))
    firsts = sum(
        min((s for s in found["steps"] if _key(s) == key), key=lambda s: float(s["measured"]["mean_ms"]))["batching"]
        == "planner"
        for key in keys
    )
    yield f"""
The planner's batching had the shortest mean turnaround at {firsts} of {len(keys)} rates and modes."""
    most = max((step["documents_per_attempt"] for step in found["steps"] if step["batching"] == "planner"), default=1.0)
    if most < GROUPED:
        yield """\
It formed hardly any groups in this run, so these lines are of single documents, like *full, 1*: what differs between
the two is other work on the machine, and the run says nothing about the planner's groups."""


def _key(step: Mapping[str, Any]) -> tuple[str, float]:
    return step["mode"], step["rate_per_s"]


def _name(step: Mapping[str, Any]) -> str:
    return "planner" if step["batching"] == "planner" else f"full, {step['batch']}"


def _batches(step: Mapping[str, Any]) -> str:
    return f"planner, {step['documents_per_attempt']:.1f}" if step["batching"] == "planner" else _name(step)


def _two(turnaround: Mapping[str, float] | None) -> tuple[str, str]:
    return (f"{turnaround['mean_ms']:.0f}", f"{turnaround['p95_ms']:.0f}") if turnaround else ("-", "-")


def draw_simulated(cells: Sequence[Cell]) -> bytes:
    """Mean turnaround of table 5.3, printed and ours."""
    with context(STYLE):
        canvas = Canvas(figsize=(7, 3.6), facecolor="white", layout="constrained")
        axes = canvas.subplots()
        for system, colour, marker in (("batching", WARM[0], "o"), ("no batching", COOL[0], "s")):
            ours = [cell for cell in cells if cell.row.system == system and cell.figure == "turnaround"]
            rates = [cell.row.rate_per_s for cell in ours]
            means = [cell.ours.value for cell in ours]
            low = [cell.ours.value - cell.five_runs for cell in ours]
            high = [cell.ours.value + cell.five_runs for cell in ours]
            name = "batches of five" if system == "batching" else "one by one"
            axes.fill_between(rates, low, high, color=colour, alpha=0.2, linewidth=0)
            axes.plot(rates, means, color=colour, label=f"{name}, simulated")
            printed = [float(cell.printed) for cell in ours]
            axes.plot(rates, printed, marker, color=colour, fillstyle="none", label=f"{name}, printed")
        _finish(axes, "mean turnaround, s")
        return _svg(canvas)


def draw_measured(found: Mapping[str, Any]) -> bytes:
    """Mean turnaround on two gateways: measured solid, simulated dashed."""
    modes = list(dict.fromkeys(step["mode"] for step in found["steps"]))
    with context(STYLE):
        canvas = Canvas(figsize=(9, 3.8), facecolor="white", layout="constrained")
        for axes, mode in zip(canvas.subplots(1, len(modes), squeeze=False, sharey=True)[0], modes, strict=True):
            steps = [step for step in found["steps"] if step["mode"] == mode]
            names = list(dict.fromkeys(map(_name, steps)))
            for name, colour, marker in zip(names, (*COOL, WARM[0], WARM[1]), "os^DvP", strict=False):
                ours = [step for step in steps if _name(step) == name]
                rates = [step["rate_per_s"] for step in ours]
                axes.plot(rates, [step["measured"]["mean_ms"] for step in ours], marker + "-", color=colour, label=name)
                known = [step for step in ours if step["simulated"]]
                axes.plot(
                    [step["rate_per_s"] for step in known],
                    [step["simulated"]["mean_ms"] for step in known],
                    "--",
                    color=colour,
                    alpha=0.7,
                )
            axes.set_title(f"{mode}: measured, and dashed simulated", fontsize=9)
            _finish(axes, "mean turnaround, ms" if mode == modes[0] else "")
        return _svg(canvas)


def _finish(axes: Axes, label: str) -> None:
    axes.set_yscale("log")
    axes.set_xlabel("arrivals a second")
    axes.set_ylabel(label)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.legend()


def _svg(canvas: Canvas) -> bytes:
    out = BytesIO()
    canvas.savefig(out, format="svg", metadata=METADATA)
    return smaller(out.getvalue().decode()).encode()


if __name__ == "__main__":
    sys.exit(main())
