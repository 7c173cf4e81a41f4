"""The figures of docs/laboratory/batch-rsa.md."""

from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.style import context

from benchmarks.svg_figures import COOL, INK, MARKERS, METADATA, STYLE, WARM, smaller
from sieve.lab.batch_rsa.model import PRINTED_RSA_S
from sieve.lab.batch_rsa.optimiser import algorithm_3
from sieve.lab.batch_rsa.paper import BITS, OTHER_BOUND_S, OTHER_CAPS, PRINTED_BOUND_S, TABLE_1

Found = Mapping[str, Any]


def _figure(
    width: float, height: float, columns: int, draw: Callable[[list[Axes]], None], share: bool = False
) -> bytes:
    with context(STYLE):
        canvas = Canvas(figsize=(width, height), facecolor="white", layout="constrained")
        draw(list(canvas.subplots(1, columns, squeeze=False, sharey=share)[0]))
        out = BytesIO()
        canvas.savefig(out, format="svg", metadata=METADATA)
        return smaller(out.getvalue().decode()).encode()


def _named(axes: Axes, title: str, x: str, y: str) -> None:
    axes.set_title(title, fontsize=9, loc="left", color=INK)
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def speedup(found: Found) -> bytes:
    """Table 2: one graph for each size of the key."""
    sizes = list(dict.fromkeys(row["bits"] for row in found["speedups"]))

    def draw(places: list[Axes]) -> None:
        for axes, bits in zip(places, sizes, strict=True):
            rows = {
                form: [row for row in found["speedups"] if (row["bits"], row["form"]) == (bits, form)]
                for form in ("no crt", "crt")
            }
            bare = rows["no crt"]
            axes.plot(*_points(bare, "formula"), "--", color=WARM[1], label="equation 1")
            real = [row for row in bare if row["printed_real"] is not None]
            axes.plot(*_points(real, "printed_real"), "D", color=WARM[0], label="measured there", markersize=5)
            axes.plot(*_points(bare, "speedup"), "o-", color=COOL[0], label="ours, without CRT", markersize=4)
            axes.plot(*_points(rows["crt"], "speedup"), "s-", color=COOL[1], label="ours, with CRT", markersize=4)
            _named(axes, f"{bits} bits", "batch size b", "speed-up" if axes is places[0] else "")
        # Below the first graph; the others have the same lines.
        places[0].legend(loc="upper left", fontsize=7)

    return _figure(max(9.0, 2.5 * len(sizes)), 3.4, len(sizes), draw, share=True)


def _points(rows: list[Mapping[str, Any]], name: str) -> tuple[list[float], list[float]]:
    return [row["batch"] for row in rows], [row[name] for row in rows]


def batch_size(_found: Found) -> bytes:
    """Table 1."""
    rates = sorted({rate for rate, _ in TABLE_1})

    def draw(places: list[Axes]) -> None:
        for axes, bits in zip(places, BITS, strict=True):
            rsa_s = PRINTED_RSA_S[bits]
            ours = [algorithm_3(rate, PRINTED_BOUND_S, bits, rsa_s).batch or 0 for rate in rates]
            fits = [algorithm_3(rate, OTHER_BOUND_S, bits, rsa_s, cap=OTHER_CAPS[bits]).batch or 0 for rate in rates]
            axes.plot(rates, [TABLE_1[rate, bits] for rate in rates], "D", color=WARM[0], label="printed")
            axes.plot(rates, ours, "o-", color=COOL[0], markersize=4, label="algorithm 3, TRT = 1 s")
            label = "TRT = 2 s and other caps"
            axes.plot(rates, fits, "s--", color=COOL[1], markersize=3, label=label)
            _named(axes, f"{bits} bits", "requests a second λ", "batch size b (1: plain)" if axes is places[0] else "")
        places[-1].legend(loc="upper right", fontsize=7)

    return _figure(9, 3.2, 3, draw, share=True)


def figure_2(found: Found) -> bytes:
    """Response by batch size."""

    def draw(places: list[Axes]) -> None:
        rates = list(dict.fromkeys(row["rate_per_s"] for row in found["figure_2"]))
        for rate, colour, marker in zip(rates, (WARM[0], WARM[1], COOL[0], COOL[1], COOL[2]), MARKERS, strict=False):
            rows = [row for row in found["figure_2"] if row["rate_per_s"] == rate]
            _both(places[0], rows, "batch", colour, marker, f"λ = {rate:g}")
        _named(places[0], "solid: the paper's RRT; dashed: simulated mean", "batch size b", "response, ms")
        places[0].legend()

    return _figure(7, 3.6, 1, draw)


def figure_3(found: Found) -> bytes:
    """Response by rate."""

    def draw(places: list[Axes]) -> None:
        looks = {"table 1": (WARM[0], "o", "sizes of table 1"), "four": (COOL[0], "s", "always 4")}
        for name, (colour, marker, label) in looks.items():
            _both(places[0], found["figure_3"][name], "rate_per_s", colour, marker, label)
        places[0].axhline(1000, color="#9aa3ab", linewidth=0.8)
        title = "solid: the paper's RRT; dashed: simulated mean; the line is TRT"
        _named(places[0], title, "requests a second λ", "response, ms")
        places[0].legend()

    return _figure(7, 3.6, 1, draw)


def _both(axes: Axes, rows: list[Mapping[str, Any]], x: str, colour: str, marker: str, label: str) -> None:
    stable = [row for row in rows if row["simulated_s"] is not None]
    axes.plot(
        [row[x] for row in rows],
        [1e3 * row["paper_s"] for row in rows],
        marker + "-",
        color=colour,
        markersize=4,
        label=label,
    )
    axes.plot([row[x] for row in stable], [1e3 * row["simulated_s"] for row in stable], "--", color=colour, alpha=0.7)


def figure_4(found: Found) -> bytes:
    """Gain over plain RSA."""

    def draw(places: list[Axes]) -> None:
        rates = list(dict.fromkeys(row["rate_per_s"] for row in found["figure_4"]))
        titles = {"printed_way": "as printed: over RRT / b", "true": "of the mean response"}
        for axes, (name, title) in zip(places, titles.items(), strict=True):
            for rate, colour, marker in zip(rates, (WARM[1], COOL[1], COOL[0], WARM[0]), MARKERS, strict=False):
                rows = [row for row in found["figure_4"] if row["rate_per_s"] == rate]
                axes.plot(*_points(rows, name), marker + "-", color=colour, markersize=4, label=f"λ = {rate:g}")
            axes.axhline(1, color="#9aa3ab", linewidth=0.8)
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter("{x:g}")
            _named(axes, title, "batch size b", "gain" if axes is places[0] else "")
        places[1].legend(loc="upper left", bbox_to_anchor=(1, 1))

    return _figure(9, 3.4, 2, draw)


def today(found: Found) -> bytes:
    """The private operations of one handshake."""

    def draw(places: list[Axes]) -> None:
        rows = found["today"][::-1]
        colours = [WARM[1] if "by GMP" in row["what"] else COOL[0] for row in rows]
        bars = places[0].barh([row["what"] for row in rows], [row["ms"] for row in rows], color=colours)
        places[0].bar_label(bars, [f" {row['ms']:.3f}" for row in rows], fontsize=8)
        places[0].grid(visible=False, axis="y")
        _named(places[0], "", "processor time, ms", "")

    return _figure(8, 2.8, 1, draw)


FIGURES: Mapping[str, Callable[[Found], bytes]] = {
    "speedup": speedup,
    "batch-size": batch_size,
    "figure-2": figure_2,
    "figure-3": figure_3,
    "figure-4": figure_4,
    "today": today,
}
