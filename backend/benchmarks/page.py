"""The page of the thesis's experiments: for each figure and table its values beside ours, and which of its conclusions
hold. It is written from the rows, with the claims of `benchmarks.thesis`, so that page and figures cannot differ."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.cases import Case
from benchmarks.extract import looks
from benchmarks.svg_figures import draw_figure
from benchmarks.thesis.estimates import Estimate
from benchmarks.thesis.exhibits import EXHIBITS
from benchmarks.thesis.figures import Exhibit, Panel, Series
from benchmarks.thesis.readings import Rows

PAGE = "thesis.md"
FOLDER = "thesis"
HEAD = """\
# The thesis's experiments, today

*The security sieve* was a thesis of 2011: Java, two Core 2 Duo, 100 Mbit/s Ethernet, 3DES, RSA with 1024 bits. Its
chapter 5 and appendices hold the experiments below. Here they are again on two of our gateways: which of their results
hold today, which do not, and why. [Another page](arrivals.md) has those with a stream of arrivals (section 5.4.4).

This page and its figures are written by `make bench-figures` from what `make bench-full` or `make bench` measured last.

**How to read it.** *Improvement* is (secure-only - sieve) / secure-only. *Response* runs from the first byte sent to
the peer's word that every byte is there and right, with sieve and integrate; *total* adds the setting up of new
channels. Responses are taken over kept-open channels, as gateways work, unless a figure says otherwise; totals over new
ones, as the thesis did. Secure-only sends every byte of a size in the same way whatever P is, so one channel's
improvements compare with the mean over documents with P = 0.1, 0.5 and 0.9. A value of the thesis is given only where
its text or tables print it; its curves are pictures, and nothing is read off them. *n* is the number of transfers
behind a value. Values are means without the fastest and the slowest fifth of a point's transfers, so that a few which
something else held up do not move them. Bars are 95 % confidence intervals. The sieve's time is taken when a document
is uploaded, so intervals count as many of it as there were uploads, not transfers.

**When a claim holds.** Each claim comes down to a number over all of its points: by how much its curves fall or grow
(straight lines through their points, on average over the curves), or by how much one way is better than the other, on
average over the points. A claim about "every x" comes down to one number for each x, on average over the curves; a
claim about the best, to one for each rival. Only a difference of more than 3 % (of improvements, 3 points) counts,
because runs differ by as much.

- "holds": each of these numbers is above 3 %. It is true on average; it is not shown for each single point.
- "does not hold": one of these numbers is below 3 %: there is no such difference, or it goes the other way. Or a single
  point, or a single step of a curve, is against the claim by more than 3 %.
- "not decided": the transfers leave both open, or some points have fewer than 4. Beside the claim is how many times the
  transfers would decide it, if the values stay as they are.

If a claim is not true in this sense, it is said to hold in at most 5 of 100 runs; if it is true, also at each single
point, it is said not to hold in at most 5 of 100. So of 48 claims two or three may be wrong by chance if all lie near
the limit, and fewer if they do not. A run of the form `full` looks twice on its way which claims are decided, and from
then on measures only the points of the others. The 5 of 100 are shared out among the looks (1, 1 and 3), so that
looking more often does not make errors more likely. Numbers beside a claim are bounds of that kind. "at 2 of 5 points"
means that the others were not measured.

**What is emulated, and how.** TLS has no 3DES any more. Between the gateways are two relays, one for each end of the
secure channel, that burn as much processor time for each MB as `openssl speed -evp des-ede3-cbc` takes on this
machine; TLS runs through them under AES-256-GCM, the plain channel passes them by. Each relay also copies every secure
byte once more through Python, which no cipher does; that errs in favour of the sieve, and by how much is below.
SHA-1, which the thesis's suite had beside 3DES, is not burnt, which errs against it. Additional processing (AP) is
counted on top of measured times, which is what the thesis did by sleeping. Slow links are network namespaces with a
token bucket; their rates hold for what is sent, not for what comes back. No experiment of the chapter has a delay, so
none is added.
"""


def write(extracted: Mapping[str, Any], into: Path) -> Path:
    """Writes the page and its figures into a folder; returns the page."""
    found = looks(extracted)
    figures = into / FOLDER
    figures.mkdir(parents=True, exist_ok=True)
    for exhibit in EXHIBITS:
        if not exhibit.is_table:
            (figures / exhibit.file_name).write_bytes(draw_figure(exhibit, found[-1]))
    page = into / PAGE
    page.write_text(text(extracted, found))
    return page


def text(extracted: Mapping[str, Any], found: Sequence[Rows]) -> str:
    """The page in Markdown. `found`: the rows at each early look, and at last those of the whole run."""
    reasons = {Case.of(one["case"]): one["reason"] for one in extracted["not_run"]}
    parts = [HEAD, _machine(extracted), _summary(found)]
    parts += ["\n".join(_exhibit(exhibit, found, reasons)) for exhibit in EXHIBITS]
    return "\n".join(part.rstrip() + "\n" for part in parts)


def _machine(extracted: Mapping[str, Any]) -> str:
    machine, calibrated = extracted["machine"], extracted["calibration"].get("3des")
    if not machine:
        return "**Nothing was measured yet**: `make bench-full` does, and `make bench-figures` writes this page."
    # Rows that are worked out of others were not measured again.
    measured = sum(row["transfers"] for row in extracted["rows"] if Case.of(row["case"]).is_measured)
    lines = [
        f"**Measured** on {machine['cores']} cores of {machine['cpu']}, {machine['system']}, "
        f"Python {machine['python']}, {machine['openssl']}, load {machine['load_at_start'][0]} at the start; "
        f"commit {machine['commit']}; "
        f"form `{machine['form']}`, {measured:,} transfers; {_uploads(extracted)} uploads of a document.",
    ]
    if calibrated:
        lines.append(f"3DES: {calibrated:.1f} ms for each MB on each side.")
    if relays := extracted["calibration"].get("relays"):
        lines.append(f"Both relays together, burning nothing: {relays:.1f} ms for each MB.")
    return " ".join(lines)


def _uploads(extracted: Mapping[str, Any]) -> int:
    return max((row["uploads"] for row in extracted["rows"] if row["case"]["files"] is None), default=0)


def _summary(found: Sequence[Rows]) -> str:
    lines = ["## What holds", "", "| | the thesis says | today |", "|---|---|---|"]
    for exhibit in EXHIBITS:
        for claim in exhibit.claims:
            lines.append(f"| [{exhibit.name}](#{_anchor(exhibit)}) | {claim.says} | {claim.verdict(exhibit, found)} |")
    return "\n".join(lines)


def _exhibit(exhibit: Exhibit, found: Sequence[Rows], reasons: Mapping[Case, str]) -> Iterator[str]:
    yield f"## {exhibit.name}: {exhibit.title}"
    yield ""
    said = [f"Thesis, page {exhibit.page}."] if exhibit.page else []
    yield " ".join([*said, exhibit.setting]).strip()
    yield ""
    if not exhibit.is_table:
        yield f"![{exhibit.name}: {exhibit.title}]({FOLDER}/{exhibit.file_name})"
        yield ""
    for panel in exhibit.panels:
        yield from _values(exhibit, panel, found[-1])
    said_why: set[str] = set()
    for claim in exhibit.claims:
        where = f" (page {claim.page})" if claim.page else ""
        verdict = claim.verdict(exhibit, found)
        # It is said beside the answer that it explains, and what explains several is said once.
        why = claim.why if verdict.answer is claim.explains and claim.why not in said_why else ""
        said_why.add(why)
        rests_on = f" ({verdict.rests_on})" if verdict.rests_on else ""
        yield f"- {claim.says}{where}: {verdict}{rests_on}. {why}".rstrip()
    for reason, count in _missing(exhibit, reasons).items():
        yield f"- Not run, {count} point{'s' if count > 1 else ''}: {reason}."


def _values(exhibit: Exhibit, panel: Panel, rows: Rows) -> Iterator[str]:
    """A table of a panel: thesis / ours at each x; panels of which neither is known have none."""
    xs = sorted({x for series in panel.series for x in _xs(series)})
    if not any(series.printed or series.read(rows) for series in panel.series):
        return
    heads = panel.x_label.split(";") if exhibit.is_table else [f"{x:g}" for x in xs]
    first = "" if exhibit.is_table else panel.x_label
    title = f"{panel.title}, " if panel.title else ""
    yield f"{title}{panel.y_label}: thesis / ours{_transfers(panel, rows)}"
    yield ""
    yield f"| {first} | " + " | ".join(heads) + " |"
    yield "|---" + "|--:" * len(heads) + "|"
    for series in panel.series:
        ours = dict(series.read(rows))
        printed = {one.x: one for one in series.printed}
        cells = [_cell(printed[x].value if x in printed else None, ours.get(x)) for x in xs]
        yield f"| {series.name} | " + " | ".join(cells) + " |"
    yield ""
    follow = {f"{one.value:g} from {one.follows}" for series in panel.series for one in series.printed if one.follows}
    if follow:
        yield f"Worked out of printed values: {'; '.join(sorted(follow))}."
        yield ""


def _transfers(panel: Panel, rows: Rows) -> str:
    """n, from the fewest to the most."""
    cases = {case for series in panel.series for _, reading in series.ours for case in reading.cases}
    found = sorted({rows[case]["transfers"] for case in cases if case in rows})
    if not found:
        return ""
    return f" (n = {found[0]})" if len(found) == 1 else f" (n = {found[0]} to {found[-1]})"


def _xs(series: Series) -> set[float]:
    return {x for x, _ in series.ours} | {printed.x for printed in series.printed}


def _cell(printed: float | None, ours: Estimate | None) -> str:
    if printed is None and ours is None:
        return ""
    theirs = "-" if printed is None else f"{printed:g}"
    if ours is None:
        return f"{theirs} / -"
    value, half = ours.value, ours.half
    digits = 2 if abs(value) < 10 else 1 if abs(value) < 1000 else 0
    return f"{theirs} / {value:.{digits}f}" + (f" ± {half:.{digits}f}" if half else "")


def _missing(exhibit: Exhibit, reasons: Mapping[Case, str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for case in dict.fromkeys(exhibit.cases()):
        if case in reasons:
            counts[reasons[case]] = counts.get(reasons[case], 0) + 1
    return counts


def _anchor(exhibit: Exhibit) -> str:
    """As GitHub makes it of the heading."""
    heading = f"{exhibit.name}: {exhibit.title}".lower()
    return "".join(letter for letter in heading if letter.isalnum() or letter in " -_").replace(" ", "-")
