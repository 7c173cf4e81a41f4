"""The targets: for each a bound that must hold and a better one to aim at, judged by medians of one run; beside it the
times of raw copies of the same bytes (the floor) and of nginx.

A target finds its figure in the extracted rows. The figure is None if it was not measured, and the verdict is None if
only a part of it was.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from benchmarks.cases import MODES, PROPORTIONS, SIZES_MB, Case, case
from benchmarks.intervals import Figure
from benchmarks.thesis.wireless import floor_ms, protected

Extracted = Mapping[str, Any]
CPU_TARGETS: Final = {10: 0.7, 100: 0.6}
"""The most processor time of sieve, as a part of secure-only's, by size in MB; `benchmarks.sizes` measures both."""


@dataclass(frozen=True, slots=True)
class Measured:
    """`ci95`: half the width of the interval, if it has one. `ours_ms`, `floor_ms`, `reference_ms`: the times that the
    value compares; None if there are none. `n`: how many samples, the fewest of what is compared. `is_whole`: every
    part of it was measured. `note`: what else people should know."""

    value: float
    ci95: float | None = None
    ours_ms: float | None = None
    floor_ms: float | None = None
    reference_ms: float | None = None
    n: int | None = None
    is_whole: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """`at_least`: whether more is better; else at most. `bound` must hold, `aim` is hoped for."""

    name: str
    unit: str
    at_least: bool
    bound: float
    aim: float
    measure: Callable[[Extracted], Measured | None]

    def judge(self, extracted: Extracted) -> dict[str, Any]:
        """Ours beside the target; `holds` and `aim_holds` are None where not all of it was measured. `is_decided`: the
        bound lies outside the interval."""
        found = self.measure(extracted)
        judged: dict[str, Any] = {
            "name": self.name,
            "unit": self.unit,
            "asked": "at least" if self.at_least else "at most",
            "bound": self.bound,
            "aim": self.aim,
            "measured": None,
            "holds": None,
            "aim_holds": None,
            "is_decided": None,
            "n": None,
            "note": "",
        }
        behind = ("ci95", "ours_ms", "floor_ms", "reference_ms")
        if found is None:
            return judged | dict.fromkeys(behind)
        judged |= {"measured": round(found.value, 3), "n": found.n, "note": found.note}
        if found.is_whole:
            judged |= {"holds": self._keeps(found.value, self.bound), "aim_holds": self._keeps(found.value, self.aim)}
            # Whether another run may be expected to say the same.
            if found.ci95 is not None:
                judged |= {"is_decided": abs(found.value - self.bound) > found.ci95}
        return judged | {name: _rounded(getattr(found, name)) for name in behind}

    def _keeps(self, value: float, bound: float) -> bool:
        return value >= bound if self.at_least else value <= bound


def _improvement(x: int, p: float) -> Callable[[Extracted], Measured | None]:
    """(secure-only - sieve) / secure-only of the response, in per cent; beside it that of what is stored."""

    def measure(extracted: Extracted) -> Measured | None:
        ours = _times(extracted, _base(x, p, "sieve"))
        base = _times(extracted, _base(x, p, "secure-only"))
        found = _ratio(ours, base)
        if found is None or ours is None or base is None:
            return None
        half = None if found[1] is None else 100 * found[1]
        floor = _copy_ms(extracted, x, p)
        stored = [_times(extracted, _base(x, p, mode), "stored_ms") for mode in MODES]
        gain = _ratio(*stored)
        note = f"{100 * (1 - gain[0]):.1f} % on what is stored, to the receipt" if gain else ""
        return Measured(100 * (1 - found[0]), half, ours.median, floor, base.median, min(ours.n, base.n), note=note)

    return measure


def _against_nginx(mode: str) -> Callable[[Extracted], Measured | None]:
    def measure(extracted: Extracted) -> Measured | None:
        ours = _times(extracted, _base(10, 0.1, mode))
        theirs = _figure(extracted["references"].get("nginx_tls_put_ms"))
        found = _ratio(ours, theirs)
        if found is None or ours is None or theirs is None:
            return None
        floor = _copy_ms(extracted, 10, 1.0 if mode == "secure-only" else 0.1)
        return Measured(*found, ours.median, floor, theirs.median, min(ours.n, theirs.n))

    return measure


def _auto(extracted: Extracted) -> Measured | None:
    """The worst of all x and P, each by as much as its interval leaves: the highest of thirty equal ones is noise.
    Judged where all were measured."""
    found: list[tuple[float, Measured]] = []
    for x in SIZES_MB:
        for p in PROPORTIONS:
            ours = _times(extracted, _base(x, p, "auto"))
            modes = {mode: _times(extracted, _base(x, p, mode)) for mode in MODES}
            known = {mode: time for mode, time in modes.items() if time is not None}
            if ours is None or len(known) < len(MODES):
                continue
            better = min(known, key=lambda mode: known[mode].median)
            ratio = _ratio(ours, known[better])
            if ratio is None:
                continue
            n = min(ours.n, known[better].n)
            note = f"{x}MB-{p * 100:.0f}{_chosen(extracted, _base(x, p, 'auto'), better)}"
            measured = Measured(*ratio, ours.median, None, known[better].median, n, note=note)
            found.append((ratio[0] - (ratio[1] or 0.0), measured))
    if not found:
        return None
    worst = max(found, key=lambda one: one[0])[1]
    of = len(SIZES_MB) * len(PROPORTIONS)
    note = f"worst of {len(found)} of {of} points beyond its interval: {worst.note}"
    return replace(worst, is_whole=len(found) == of, note=note)


def _chosen(extracted: Extracted, auto: Case, better: str) -> str:
    row = _row(extracted, auto)
    chosen = (row["plan"] or {}).get("mode") if row is not None else None
    if chosen is None:
        return ""
    return f", where auto went {chosen}{', as the better one did' if chosen == better else f', {better} was better'}"


def _cpu(extracted: Extracted) -> Measured | None:
    ours = _times(extracted, _base(10, 0.1, "sieve"), "cpu_both_ms")
    base = _times(extracted, _base(10, 0.1, "secure-only"), "cpu_both_ms")
    found = _ratio(ours, base)
    if found is None or ours is None or base is None:
        return None
    least = _figure(extracted["references"].get("bare_exchange_cpu_ms"))
    note = f"an exchange without the product takes {least.median:.1f} ms" if least else ""
    floor = least.median if least else None
    return Measured(*found, ours.median, floor, base.median, min(ours.n, base.n), note=note)


def _plain_way(extracted: Extracted) -> Measured | None:
    ours, floor = (_figure(extracted["references"].get(name)) for name in ("plain_way_ms", "tcp_copy_ms"))
    held = _figure(extracted["references"].get("plain_way_held_ms"))
    found = _ratio(ours, floor)
    if found is None or ours is None or floor is None:
        return None
    note = f"sealed, checked and held after {held.median:.2f} ms, placed after {ours.median:.2f} ms" if held else ""
    return Measured(*found, ours.median, floor.median, n=min(ours.n, floor.n), note=note)


def _core(*names: str) -> Callable[[Extracted], Measured | None]:
    def measure(extracted: Extracted) -> Measured | None:
        parts = [part for name in names if (part := _figure(extracted["core"].get(name))) is not None]
        if len(parts) < len(names):
            return None
        took = sum(part.median for part in parts)
        return Measured(took, sum(part.ci95 or 0.0 for part in parts), took, n=min(part.n for part in parts))

    return measure


def _split_and_combine(extracted: Extracted) -> Measured | None:
    """The slowest of all splits, by medians."""
    splits = ("es", "ss", "range")
    each = {
        split: _times(extracted, case("many", 10, 0.5, "sieve", 2, split=split), "split_and_combine_ms")
        for split in splits
    }
    found = {split: time for split, time in each.items() if time is not None}
    if not found:
        return None
    slowest = max(found, key=lambda split: found[split].median)
    took = found[slowest]
    missing = [split for split in splits if split not in found]
    note = f"{slowest} is the slowest" + (f"; {', '.join(missing)} not measured" if missing else "")
    return Measured(took.median, took.ci95, took.median, n=took.n, is_whole=not missing, note=note)


def _link_bound(extracted: Extracted) -> Measured | None:
    of = protected(0.1, "sieve")
    ours, floor = _times(extracted, of), floor_ms(of)
    return None if ours is None else Measured(ours.median / floor, _part(ours, floor), ours.median, floor, n=ours.n)


def _throughput(name: str) -> Callable[[Extracted], Measured | None]:
    def measure(extracted: Extracted) -> Measured | None:
        """The rate that was kept up: a burst that is delivered late does not count."""
        found = extracted["throughput"].get(name, {})
        if not found.get("rates"):
            return None
        most = max(step["offered_per_s"] for step in found["rates"])
        note = f"kept up; offered up to {most:.0f}/s, delivered up to {found['documents_per_s']:.0f}/s"
        return Measured(found["kept_up_per_s"] or 0.0, note=note)

    return measure


def _large(extracted: Extracted) -> Measured | None:
    above = [value for mode in extracted["large"].values() for value in mode["above_idle_mib"].values()]
    missing = [mode for mode in MODES if mode not in extracted["large"]]
    note = f"{', '.join(missing)} not measured" if missing else ""
    return Measured(max(above), n=1, is_whole=not missing, note=note) if above else None


TARGETS = (
    Target("secure-only 10MB-10 / nginx TLS PUT", "times", False, 1.25, 1.0, _against_nginx("secure-only")),
    Target("improvement of sieve over secure-only, 10MB-10", "%", True, 45, 67, _improvement(10, 0.1)),
    Target("improvement of sieve over secure-only, 1MB-10", "%", True, 30, 60, _improvement(1, 0.1)),
    Target("improvement of sieve over secure-only, 10MB-50", "%", True, 20, 40, _improvement(10, 0.5)),
    Target("improvement of sieve over secure-only, 10MB-90", "%", True, 0, 7, _improvement(10, 0.9)),
    Target("auto / the better mode, worst x and P", "times", False, 1.05, 1.0, _auto),
    Target("auto 10MB-10 / nginx TLS PUT", "times", False, 0.7, 0.4, _against_nginx("auto")),
    Target("processor time of sieve / secure-only, 10MB-10", "times", False, CPU_TARGETS[10], 0.45, _cpu),
    Target("plain way alone / raw TCP copy, 10 MB", "times", False, 2.5, 1.5, _plain_way),
    Target("separate and integrate 10 MB by known spans", "ms", False, 1, 0.2, _core("separate_ms", "integrate_ms")),
    Target("parse 10 MB of marked text", "ms", False, 6, 3, _core("parse_ms")),
    Target("split and combine of 10MB-50, two channels", "ms", False, 0.5, 0.1, _split_and_combine),
    Target("10 + 100 Mbit/s, 10MB-10 / its links' time", "times", False, 1.15, 1.08, _link_bound),
    Target("documents of 10 KB-50, accepted to receipted", "/s", True, 100, 300, _throughput("sieve")),
    Target("the same in batches", "/s", True, 400, 1500, _throughput("sieve in batches")),
    Target("memory above idle for 1 GB, each gateway", "MiB", False, 128, 64, _large),
)


def _base(x: int, p: float, mode: str) -> Case:
    return case("channels", x, p, mode)


def _row(extracted: Extracted, of: Case) -> Mapping[str, Any] | None:
    return next((row for row in extracted["rows"] if Case.of(row["case"]) == of), None)


def _times(extracted: Extracted, of: Case, field: str = "response_ms") -> Figure | None:
    row = _row(extracted, of)
    return None if row is None else _figure(row.get(field), row["transfers"])


def _copy_ms(extracted: Extracted, x: int, p: float) -> float | None:
    """The floor: raw copies of both streams at the same time, the classified one under TLS."""
    tcp, tls = (_figure(extracted["references"].get(name)) for name in ("tcp_copy_ms", "tls_copy_ms"))
    return None if tcp is None or tls is None else x / 10 * max(p * tls.median, (1 - p) * tcp.median)


def _figure(found: Mapping[str, Any] | None, n: int | None = None) -> Figure | None:
    """`n`: of samples, if the figure does not say."""
    return None if found is None else Figure(found["mean"], found["ci95"], found["median"], n or found.get("n", 0))


def _ratio(above: Figure | None, below: Figure | None) -> tuple[float, float | None] | None:
    """Of medians; the interval is that of the means, as a part of it."""
    if above is None or below is None or not below.median:
        return None
    value = above.median / below.median
    if above.ci95 is None or below.ci95 is None:
        return value, None
    return value, abs(value) * (above.relative**2 + below.relative**2) ** 0.5


def _part(ours: Figure, floor: float) -> float | None:
    return None if ours.ci95 is None else ours.ci95 / floor


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
