"""A figure of the thesis as SVG: what it prints on the left, ours on the right, (a) above (b).

It has a white card, so that it can be read on a dark page, too. Warm colours belong to the secure channel, cool ones to
the plain channel or to today's cipher. Letters stay text, which keeps the files small.
"""

import re
from collections.abc import Sequence
from io import BytesIO
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.style import context

from benchmarks.thesis.figures import Exhibit, Panel
from benchmarks.thesis.readings import Rows

WARM = ("#b4530a", "#e0912f", "#7a2e0b", "#efc07a")
COOL = ("#1f6f78", "#63aab0", "#2e4a5e", "#a5cdd0")
MARKERS = ("o", "s", "^", "D", "v", "P")
INK, GRID = "#333a40", "#e4e7ea"
# A group of one thing, and of nothing.
_LONELY = re.compile(r"<g>\n((?:<(?:use|path) [^>]*/>|<text [^>]*>[^<]*</text>|<g [^>]*>[^<]*</g>|))\n?</g>")
FONTS = "system-ui, sans-serif"
METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))
STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    # The same input gives the same file.
    "svg.hashsalt": "security-sieve",
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": "#9aa3ab",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "grid.color": GRID,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 8,
}
WIDTH, HEIGHT = 9.0, 3.7
LONG = 16
"""Letters of a name; of longer ones two are side by side, of others three."""


def draw_figure(exhibit: Exhibit, rows: Rows) -> bytes:
    """The SVG of a figure."""
    with context(STYLE):
        panels = exhibit.panels
        both = exhibit.page > 0
        canvas = Canvas(figsize=(WIDTH, len(panels) * HEIGHT), facecolor="white", layout="constrained")
        axes = canvas.subplots(len(panels), 2 if both else 1, squeeze=False)
        for panel, places in zip(panels, axes, strict=True):
            if both:
                _thesis(places[0], panel)
            _ours(places[-1], panel, rows)
            _ticks(panel, places)
        out = BytesIO()
        canvas.savefig(out, format="svg", metadata=METADATA)
        return smaller(out.getvalue().decode()).encode()


def smaller(svg: str) -> str:
    """The same picture in fewer letters: no comments, no indentation, no names, no hundredths of a pixel."""
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<[^>]+>", lambda tag: _smaller_tag(tag[0]), svg)
    svg = svg.replace("<svg ", f'<svg font-family="{FONTS}" ', 1)
    svg = re.sub(r"\s*\n\s*", "\n", svg).replace("<g/>\n", "")
    before = ""
    while svg != before:
        before, svg = svg, _LONELY.sub(r"\1", svg)
    return svg


def _smaller_tag(tag: str) -> str:
    """Text between tags stays."""
    tag = re.sub(r"font-family: [^;\"]*; |; stroke-line(?:join: miter|cap: square)", "", tag)
    tag = re.sub(r' id="[a-zA-Z0-9.]+_\d+"| transform="rotate\(-0[^"]*"', "", tag)
    return re.sub(r"\d+\.\d{2,}", lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), tag)


def _thesis(place: Axes, panel: Panel) -> None:
    _labels(place, panel, "thesis, 2011")
    drawn = False
    for series, (colour, marker) in zip(panel.series, _looks(panel), strict=True):
        if series.printed:
            drawn = True
            xs = [printed.x for printed in series.printed]
            ys = [printed.value for printed in series.printed]
            place.plot(xs, ys, marker=marker, color=colour, linestyle=":", label=series.name, markersize=5)
    if drawn:
        _legend(place, panel)
    else:
        _note(place, "the thesis prints no value;\nits curve is a picture")


def _ours(place: Axes, panel: Panel, rows: Rows) -> None:
    _labels(place, panel, "ours")
    drawn = False
    for series, (colour, marker) in zip(panel.series, _looks(panel), strict=True):
        if found := series.read(rows):
            drawn = True
            place.errorbar(
                [x for x, _ in found],
                [read.value for _, read in found],
                yerr=[read.half or 0.0 for _, read in found],
                marker=marker,
                markersize=4,
                color=colour,
                linewidth=1.4,
                elinewidth=1,
                label=series.name,
            )
    if drawn:
        _legend(place, panel)
    else:
        _note(place, "not measured")


def _legend(place: Axes, panel: Panel) -> None:
    """Below the graph, where it covers nothing."""
    long = any(len(series.name) > LONG for series in panel.series)
    place.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2 if long else 3, columnspacing=1)


def _labels(place: Axes, panel: Panel, whose: str) -> None:
    place.set_title(" · ".join(part for part in (panel.title, whose) if part), fontsize=9, loc="left", color=INK)
    place.set_xlabel(panel.x_label)
    place.set_ylabel(panel.y_label)
    if panel.is_percentage:
        place.axhline(0, color="#9aa3ab", linewidth=0.8)


def _ticks(panel: Panel, places: Sequence[Axes]) -> None:
    """The same x on both sides; the same y, where it is a percentage."""
    xs = sorted({x for series in panel.series for x, _ in series.ours})
    for place in places:
        place.set_xticks(xs, [f"{x:g}" for x in xs])
        place.set_xlim(xs[0] - 0.05 * (xs[-1] - xs[0]), xs[-1] + 0.05 * (xs[-1] - xs[0]))
        if not panel.is_percentage:
            place.set_ylim(bottom=0)
    if panel.is_percentage:
        limits = [place.get_ylim() for place in places if place.lines[1:]]
        if limits:
            for place in places:
                place.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))


def _note(place: Axes, text: str) -> None:
    place.text(0.5, 0.5, text, transform=place.transAxes, ha="center", va="center", color="#7b858d")


def _looks(panel: Panel) -> list[tuple[str, str]]:
    """A colour and a marker for each series. Markers differ, so that nobody depends on colours."""
    counts = {True: 0, False: 0}
    looks = []
    for number, series in enumerate(panel.series):
        colours = WARM if series.secure else COOL
        looks.append((colours[counts[series.secure] % len(colours)], MARKERS[number % len(MARKERS)]))
        counts[series.secure] += 1
    return looks
