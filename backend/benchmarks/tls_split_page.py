"""Writes docs/laboratory/tls-split.md and its figures: the thesis's tables beside ours (`make lab-tls-split-page`)."""

import argparse
import json
import math
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
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
from sieve.cli.lab.machine import described
from sieve.cli.lab.tls_split_measured import FULL, QUICK, measure
from sieve.core.errors import SieveError
from sieve.lab.tls_split.comparison import (
    AIM_KB,
    AIM_PERCENT,
    DIRECT,
    ONE,
    OWN_RECORDS,
    TABLES,
    THESIS,
    WIDE,
    Answer,
    CellVerdict,
    Measured,
    cause,
    cell_verdicts,
    counted,
    interval,
    verdicts,
)
from sieve.lab.tls_split.printed_tables import (
    CLIENTS,
    ENCRYPTION_MS,
    HANDSHAKE,
    INCREASES,
    INITIATION,
    RESUMPTION,
    SIZES_KB,
    TOTAL,
    TOTAL_IMPROVEMENTS,
    Printed,
    checks,
    increase_percent,
)

PAGE, FOLDER, RAW = "tls-split.md", "tls-split", "tls-split.json"
DESIGNS = (ONE, THESIS, DIRECT)
CELL_RULE = (
    "A printed cell has two times, of one process and of the split design. What we compare is by how many percent the "
    f"second one is longer. It *follows* if the printed percentage is within the 95 % interval of our rounds. An "
    f"interval of more than ± {WIDE:g} decides nothing. Times in seconds are compared above, table by table."
)
SHARES = (
    "**What the records cost, and what the hand-over costs**: processor time of one process with OpenSSL's records, of "
    "one process with the worker's, and of direct routing, in ms; and by how many percent the second one is more "
    f"than the first, and the third than the second. With many clients only at {AIM_KB} KB."
)
SHORT: Mapping[Answer, str] = {
    "follows": "follows",
    "does not follow": "does not follow",
    "differs on today's machines": "differs",
    "not decided": "not decided",
    "not measured": "not measured",
}
TEXT = Path(__file__).with_name("tls_split_page.md")
"""What the page says before its tables."""


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tls_split_page")
    parser.add_argument("--quick", action="store_true", help="measure for a minute only")
    parser.add_argument("--measured", type=Path, help="do not measure: read what an earlier run wrote")
    parser.add_argument("--into", type=Path, default=RESULTS, help="the folder for the page and its figures")
    asked = parser.parse_args()
    # Servers must not outlive a terminated run.
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    try:
        if asked.measured:
            found = json.loads(asked.measured.read_text())
        else:
            # The kind of key decides how much a handshake costs, so two sizes are measured with the other kind, too.
            other = replace(QUICK, sizes_kb=(200, 2), key="ecdsa", longest_s=60.0)
            found = {
                "at": datetime.now(UTC).strftime("%d %B %Y").lstrip("0"),
                "commit": machine(RESULTS.parent)["commit"],
                **measure(QUICK if asked.quick else FULL),
                "ecdsa": measure(other),
            }
            RESULTS.mkdir(parents=True, exist_ok=True)
            (RESULTS / RAW).write_text(json.dumps(found, indent=1))
    except (SieveError, OSError, ValueError) as error:
        print(f"lab-tls-split-page: {error}", file=sys.stderr)
        return 1
    print(write(found, asked.into))
    return 0


def write(found: Mapping[str, Any], into: Path) -> Path:
    """Writes the page and its figures; returns the page."""
    measured, figures = Measured(found), into / FOLDER
    figures.mkdir(parents=True, exist_ok=True)
    for name, draw in DRAWN.items():
        (figures / f"{name}.svg").write_bytes(_drawn(draw, measured))
    page = into / PAGE
    page.write_text("\n".join([TEXT.read_text().rstrip(), "", *_page(found, measured), ""]))
    return page


def _page(found: Mapping[str, Any], measured: Measured) -> Iterator[str]:
    yield from ("## The arithmetic of the thesis", "", "| table | from | |", "|---|---|---|")
    for check in checks():
        says = "follows" if check.follows else f"**does not follow, because {check.because}**"
        yield f"| {check.table} | {check.of} | {says} |"
    yield from ("", "Table 6.5, percent:", "")
    yield from _table(
        ("", *(f"{size} KB" for size in SIZES_KB)),
        (
            row
            for printed in (INITIATION, RESUMPTION)
            for row in (
                (f"{printed.title}, printed (page 47)", *(f"{each:.1f}" for each in INCREASES[printed.name])),
                (f"from {printed.name} (page {printed.page})", *(f"{_true(pair):.1f}" for pair in printed.averages)),
            )
        ),
    )
    yield from ("", "## Measured", "", _machine(found, measured), "", *_notes(measured))
    yield from ("", "## What holds", "", "| the thesis says | today | ours |", "|---|---|---|")
    for verdict in verdicts(measured):
        yield f"| {verdict.says} (page {verdict.page}) | {verdict.answer} | {verdict.ours} |"
    yield from ("", "**The tables cell by cell.** " + CELL_RULE, "", "| table | its 45 cells |", "|---|---|")
    for printed, figure in TABLES:
        cells = counted(cell_verdicts(measured, printed, figure))
        yield f"| {printed.name}, {printed.title.lower()} (page {printed.page}) | {cells} |"
    yield from ("", f"Cells differ because {cause(measured)}.")
    yield from ("", "## Handshakes (tables 6.1 and A.1)", "", "Milliseconds, means over all numbers of clients:", "")
    yield from _beside_means(measured, "handshake_ms", [HANDSHAKE.averages[at] for at in range(len(SIZES_KB))], 1000)
    yield from ("", *_cells(measured, HANDSHAKE, "handshake_ms"))
    yield from ("", "One client at a time, means of ours; a full handshake, and a resumed one:", "")
    yield from _table(
        ("size", *(f"{design}, {kind}" for design in DESIGNS for kind in ("full", "resumed"))),
        (
            (
                f"{size} KB",
                *(
                    _number(measured.value(design, figure, size, 0), 2)
                    for design in DESIGNS
                    for figure in ("handshake_ms", "resumed_handshake_ms")
                ),
            )
            for size in measured.sizes_kb
        ),
    )
    yield from ("", "## Encryption (table 6.2, figure 6.1)", "", "Milliseconds to make one answer into records:", "")
    yield from _records(measured)
    yield from ("", f"![Encryption time by size of the document, thesis and ours]({FOLDER}/records.svg)", "")
    yield from ("## Total processing (tables 6.3 and 6.4, figure 6.2)", "")
    yield "Seconds for a client's three requests; in brackets, by how many percent the split design is faster:"
    yield from ("", *_totals(measured), "", *_cells(measured, TOTAL, "total_ms"), "")
    yield f"![Total time by number of clients, thesis and ours]({FOLDER}/total.svg)"
    yield from ("", "## Initiation and resumption (tables 6.5, B.1, C.1, figure 6.3)", "")
    for printed, figure in ((INITIATION, "initiation_ms"), (RESUMPTION, "resumption_ms")):
        yield f"**{printed.title}**, seconds, means over all numbers of clients, and percent more than in one process:"
        yield from ("", *_beside_means(measured, figure, printed.averages, 1, scale=1e-3), "")
        yield from (*_cells(measured, printed, figure), "")
    yield "**One client at a time**, milliseconds, 10th percentiles, and in brackets percent more than in one process:"
    heads = [f"{kind}: {design}" for kind in ("initiation", "resumption") for design in DESIGNS]
    yield from ("", *_table(("size", *heads), (_alone(measured, size) for size in measured.sizes_kb)), "")
    yield from (f"![Session initiation beside session resumption, thesis and ours]({FOLDER}/sessions.svg)", "")
    yield "**Processor time** for one request, milliseconds, and in brackets percent more than in one process:"
    yield from ("", *_processor(measured), "")
    yield "The same by the role of the process, direct routing, one client at a time and many:"
    yield from ("", *_roles(measured), "")
    yield from (SHARES, "", *_shares(measured), "")
    yield f"![Percent more than in one process, thesis and ours]({FOLDER}/increase.svg)"
    if "ecdsa" in found:
        yield from ("", "With an ECDSA key (P-256) instead of RSA-2048:", "", *_processor(Measured(found["ecdsa"])))


def _machine(found: Mapping[str, Any], measured: Measured) -> str:
    served, failed, not_resumed = measured.failures()
    pinned = "All servers had one core, the clients the others." if found["pinned"] else "There is one core for all."
    pinned += f" Clients were in {found['client_processes']} processes."
    if not found["preferred"]:
        pinned += " Servers had no priority over other work, which favours designs of several processes."
    return (
        f"On {found['at']}, commit {found['commit']}: {described(found['machine'])}. {pinned} "
        f"{found['plan']['key'].upper()} key, TLS 1.3. {served:,} requests in {found['took_s']:.0f} s: "
        f"{failed} failed, {not_resumed} resumptions became full handshakes."
    )


def _notes(measured: Measured) -> Iterator[str]:
    clients = ", ".join(map(str, measured.loads)) or "one"
    form = "The full form" if len(measured.loads) > 1 else "**The quick form, which leaves most cells out**"
    yield f"{form}, {len(measured.rounds)} rounds. Clients at a time: {clients}; - was not measured."
    yield ""
    yield (
        "Where each table and figure is in the thesis: its tables name their pages above; table 6.4 is on page 45, and "
        f"figures 6.1, 6.2 and 6.3 on pages 42, 46 and 48. Their counterparts are `{FOLDER}/records.svg`, `total.svg` "
        "and `increase.svg`; `sessions.svg` draws the averages of tables B.1 and C.1. "
        "`DRAWN` in `tls_split_page.py` names what draws each."
    )


def _cells(measured: Measured, printed: Printed, figure: str) -> Iterator[str]:
    """The table by clients and size, in percent, each cell with its verdict."""
    found = {(each.clients, each.size_kb): each for each in cell_verdicts(measured, printed, figure)}
    yield f"Table {printed.name} cell by cell: percent more than in one process, printed / ours"
    yield ""
    yield from _table(
        ("clients", *(f"{size} KB" for size in SIZES_KB)),
        ((str(clients), *(_cell(found[clients, size]) for size in SIZES_KB)) for clients in CLIENTS),
    )


def _cell(cell: CellVerdict) -> str:
    ours = interval(cell.ours).replace(" %", "") if cell.ours else "-"
    return f"{cell.printed:+.1f} / {ours}: {SHORT[cell.answer]}"


def _roles(measured: Measured) -> Iterator[str]:
    roles = list(measured.roles(DIRECT, measured.sizes_kb[0], 0))
    return _table(
        ("size", *(f"{kind}: {role}" for kind in ("1 client", "many") for role in roles)),
        (
            (f"{size} KB", *(_number(found.get(role), 2) for found in (alone, many) for role in roles))
            for size in measured.sizes_kb
            for alone, many in [(measured.roles(DIRECT, size, 0), measured.roles(DIRECT, size))]
        ),
    )


def _shares(measured: Measured) -> Iterator[str]:
    heads = ("one process", "with the worker's records", "direct", "by the records", "by the hand-over")
    rows = []
    for size in measured.sizes_kb:
        for name, loads in (("1", [0]), ("many", measured.loads)):
            times = [measured.value(design, "processor_ms", size, *loads) for design in (ONE, OWN_RECORDS, DIRECT)]
            if loads and None not in times:
                records = _more(measured, OWN_RECORDS, "processor_ms", size, *loads)
                hand_over = _more(measured, DIRECT, "processor_ms", size, *loads, base=OWN_RECORDS)
                rows.append((f"{size} KB", name, *(_number(each, 2) for each in times), records, hand_over))
    return _table(("size", "clients", *heads), rows)


def _beside_means(
    measured: Measured, figure: str, printed: Sequence[tuple[float, float]], factor: float, scale: float = 1.0
) -> Iterator[str]:
    digits = 3 if scale < 1 else 1
    return _table(
        ("size", "thesis: one", "split", "%", "ours: one", "through the handler", "%", "direct", "%"),
        (
            (
                f"{size} KB",
                *(f"{each * factor:.{3 if factor == 1 else 0}f}" for each in pair),
                f"{_true(pair):+.1f}",
                _number(_scaled(measured.value(ONE, figure, size), scale), digits),
                *(
                    text
                    for design in (THESIS, DIRECT)
                    for text in (
                        _number(_scaled(measured.value(design, figure, size), scale), digits),
                        _more(measured, design, figure, size),
                    )
                ),
            )
            for size, pair in zip(SIZES_KB, printed, strict=True)
        ),
    )


def _processor(measured: Measured) -> Iterator[str]:
    heads = [f"{name}{design}" for name in ("1 client: ", "many: ") for design in DESIGNS]
    return _table(
        ("size", *heads),
        (
            (f"{size} KB", *(_work(measured, design, size, *loads) for loads in ((0,), ()) for design in DESIGNS))
            for size in measured.sizes_kb
        ),
    )


def _alone(measured: Measured, size: int) -> Sequence[str]:
    cells = [f"{size} KB"]
    for figure in ("initiation_ms", "resumption_ms"):
        for design in DESIGNS:
            text = _number(measured.value(design, figure, size, 0), 2)
            cells.append(text if design == ONE else f"{text} ({_more(measured, design, figure, size, 0)})")
    return cells


def _work(measured: Measured, design: str, size: int, *loads: int) -> str:
    value = _number(measured.value(design, "processor_ms", size, *loads), 2)
    return value if design == ONE else f"{value} ({_more(measured, design, 'processor_ms', size, *loads)})"


def _records(measured: Measured) -> Iterator[str]:
    loads = [0, *measured.loads]
    return _table(
        (
            "size",
            *(f"thesis: {load or 'idle'}" for load in ENCRYPTION_MS[2]),
            *(f"ours: {load or 'idle'}" for load in loads),
            "idle, one process (OpenSSL)",
        ),
        (
            (
                f"{size} KB",
                *ENCRYPTION_MS[size].values(),
                *(_number(measured.value(DIRECT, "record_ms", size, load), 3) for load in loads),
                _number(measured.value(ONE, "record_ms", size, 0), 3),
            )
            for size in SIZES_KB
        ),
    )


def _totals(measured: Measured) -> Iterator[str]:
    def ours(size: int, clients: int) -> str:
        one, two, three = (_total_s(measured, design, size, clients) for design in DESIGNS)
        if one is None or two is None or three is None:
            return "-"
        return f"{one:.2f} / {two:.2f} ({-_true((one, two)):+.0f}) / {three:.2f} ({-_true((one, three)):+.0f})"

    return _table(
        ("clients", *(f"{size} KB, {whose}" for size in SIZES_KB for whose in ("thesis", "ours"))),
        (
            (
                str(clients),
                *(
                    text
                    for size in SIZES_KB
                    for text in (
                        "{:.1f} / {:.1f} ({:+})".format(
                            *(each / 1000 for each in TOTAL.cells[clients, size]), TOTAL_IMPROVEMENTS[clients, size]
                        ),
                        ours(size, clients),
                    )
                ),
            )
            for clients in CLIENTS
        ),
    )


def _total_s(measured: Measured, design: str, size: int, clients: int) -> float | None:
    """Of one client's three requests."""
    return _scaled(measured.value(design, "total_ms", size, clients), 1e-3)


def _true(pair: tuple[float, float]) -> float:
    return increase_percent(*pair)


def _more(measured: Measured, design: str, figure: str, size: int, *loads: int, base: str = ONE) -> str:
    mean = measured.overhead(design, figure, size, *loads, base=base)
    return interval(mean).replace(" %", "") if mean else "-"


def _scaled(value: float | None, scale: float) -> float | None:
    return None if value is None else value * scale


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heading)} |"
    yield "|---|" + "--:|" * (len(heading) - 1)
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _drawn(draw: Any, measured: Measured) -> bytes:
    with context(STYLE):
        canvas = Canvas(figsize=(9, 3.9), facecolor="white", layout="constrained")
        left, right = canvas.subplots(1, 2)
        draw(left, right, measured)
        for axes, whose in ((left, "thesis, 2006"), (right, "ours")):
            axes.set_title(whose, fontsize=9, loc="left")
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, columnspacing=1)
        out = BytesIO()
        canvas.savefig(out, format="svg", metadata=METADATA)
        return smaller(out.getvalue().decode()).encode()


def _draw_records(left: Axes, right: Axes, measured: Measured) -> None:
    """Figure 6.1."""
    looks = list(zip((*COOL, *WARM), "os^DvP", strict=False))
    for load, (colour, marker) in zip(ENCRYPTION_MS[2], looks, strict=False):
        # "<1" is no figure.
        ys = [None if "<" in ENCRYPTION_MS[size][load] else float(ENCRYPTION_MS[size][load]) for size in SIZES_KB]
        _line(left, SIZES_KB, ys, f"{marker}:", colour, f"{load} handlers" if load else "idle")
    loads = (0, *measured.loads)
    printed = [load for load in loads if load in ENCRYPTION_MS[2]]
    # More lines than these would have no colours left; a quick form may have measured other loads than the thesis.
    for load, (colour, marker) in zip(printed if len(printed) > 1 else loads, looks, strict=False):
        _line(right, measured.sizes_kb, [measured.value(DIRECT, "record_ms", size, load) for size in measured.sizes_kb],
              f"{marker}-", colour, f"{load} clients" if load else "idle")  # fmt: skip
    for axes in (left, right):
        axes.set(yscale="log", ylabel="encryption, ms")
        # Whole powers of ten, because only these have numbers.
        least, most = (math.log10(limit) for limit in axes.get_ylim())
        axes.set_ylim(10 ** math.floor(least), 10 ** math.ceil(most))
        _sizes(axes)


def _draw_total(left: Axes, right: Axes, measured: Measured) -> None:
    """Figure 6.2, for the smallest and the largest document."""
    for size, colours in ((2, COOL), (200, WARM)):
        for at, style in ((0, "o-"), (1, "s:")):
            ys = [TOTAL.cells[clients, size][at] / 1000 for clients in CLIENTS]
            left.plot(CLIENTS, ys, style, color=colours[at], label=f"{size} KB, {'split' if at else 'one process'}")
        for design, style, colour in zip(DESIGNS, ("o-", "s:", "^--"), colours, strict=False):
            _line(right, measured.loads, [_total_s(measured, design, size, load) for load in measured.loads],
                  style, colour, f"{size} KB, {design}")  # fmt: skip
    for axes in (left, right):
        axes.set(xlabel="clients", ylabel="three requests, s")
        axes.set_ylim(bottom=0)


def _draw_sessions(left: Axes, right: Axes, measured: Measured) -> None:
    """The averages of tables B.1 and C.1; ours with one client at a time, because under load both kinds wait alike."""
    kinds = ((INITIATION, "initiation", COOL, "o"), (RESUMPTION, "resumption", WARM, "s"))
    for printed, name, colours, marker in kinds:
        for at, (split, dash) in enumerate((("one process", "-"), ("split", ":"))):
            ys = [pair[at] for pair in printed.averages]
            left.plot(SIZES_KB, ys, f"{marker}{dash}", color=colours[at], label=f"{name}, {split}")
        for design, dash, colour in zip(DESIGNS, ("-", ":", "--"), colours, strict=False):
            ours = [measured.value(design, f"{name}_ms", size, 0) for size in measured.sizes_kb]
            _line(right, measured.sizes_kb, ours, f"{marker}{dash}", colour, f"{name}, {design}")
    for axes, unit in ((left, "s"), (right, "ms")):
        axes.set_ylabel(f"one request, {unit}")
        _sizes(axes)
        axes.set_ylim(bottom=0)


def _draw_increase(left: Axes, right: Axes, measured: Measured) -> None:
    """Figure 6.3, in percent and not its logarithm, because ours may be negative."""
    for printed, pair in ((INITIATION, COOL), (RESUMPTION, WARM)):
        ys = [_true(pair) for pair in printed.averages]
        left.plot(SIZES_KB, ys, "o-", color=pair[0], label=f"{printed.title.lower()}, corrected")
        left.plot(SIZES_KB, INCREASES[printed.name], "s:", color=pair[1], label="as printed")
    # Of a single client's times other work disturbs the least; of processor time only a little.
    ours = (("initiation", "^--", "initiation, 1 client", (0,)), ("resumption", "s:", "resumption, 1 client", (0,)),
            ("processor", "o-", "processor time", ()))  # fmt: skip
    for design, colours in ((THESIS, WARM), (DIRECT, COOL)):
        for (figure, style, name, loads), colour in zip(ours, colours, strict=False):
            found = [measured.overhead(design, f"{figure}_ms", size, *loads) for size in measured.sizes_kb]
            more = [each.value if each else None for each in found]
            _line(right, measured.sizes_kb, more, style, colour, f"{design}, {name}")
    right.axhline(AIM_PERCENT, color="#9aa3ab", linewidth=0.8, linestyle="--", label=f"aim: {AIM_PERCENT:g} %")
    for axes in (left, right):
        axes.set(ylabel="more than one process, %")
        _sizes(axes)
        axes.axhline(0, color="#9aa3ab", linewidth=0.8)


DRAWN = {"records": _draw_records, "total": _draw_total, "sessions": _draw_sessions, "increase": _draw_increase}


def _sizes(axes: Axes) -> None:
    axes.set(xscale="log", xlabel="document, KB")
    axes.set_xticks(SIZES_KB, [str(size) for size in SIZES_KB], minor=False)
    axes.minorticks_off()


def _line(axes: Axes, xs: Sequence[float], ys: Sequence[float | None], style: str, colour: str, label: str) -> None:
    known = [(x, y) for x, y in zip(xs, ys, strict=True) if y is not None]
    axes.plot([x for x, _ in known], [y for _, y in known], style, color=colour, label=label)


if __name__ == "__main__":
    sys.exit(main())
