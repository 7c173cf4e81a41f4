"""What the figures are held to: for each target a bound that must hold and a better one that is aimed at.

A target finds its figure in the extracted rows; one that was not measured says None, and why.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.intervals import Figure, ratio

Extracted = Mapping[str, Any]
Measured = tuple[float, float | None]
"""A figure and half the width of its 95 % interval, if it has one."""


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
        """Ours beside the target; `holds` and `aim_holds` are None where nothing was measured."""
        measured = self.measure(extracted)
        value = None if measured is None else measured[0]
        return {
            "name": self.name,
            "unit": self.unit,
            "asked": "at least" if self.at_least else "at most",
            "bound": self.bound,
            "aim": self.aim,
            "measured": None if value is None else round(value, 3),
            "ci95": None if measured is None or measured[1] is None else round(measured[1], 3),
            "holds": None if value is None else self._keeps(value, self.bound),
            "aim_holds": None if value is None else self._keeps(value, self.aim),
        }

    def _keeps(self, value: float, bound: float) -> bool:
        return value >= bound if self.at_least else value <= bound


def _improvement(x: int, p: float) -> Callable[[Extracted], Measured | None]:
    """(secure-only - sieve) / secure-only of the response, in per cent."""

    def measure(extracted: Extracted) -> Measured | None:
        found = _ratio(_row_figure(extracted, x, p, "sieve"), _row_figure(extracted, x, p, "secure-only"))
        return None if found is None else (100 * (1 - found[0]), None if found[1] is None else 100 * found[1])

    return measure


def _against_nginx(extracted: Extracted) -> Measured | None:
    return _ratio(
        _row_figure(extracted, 10, 0.1, "secure-only"), _figure(extracted["references"].get("nginx_tls_put_ms"))
    )


def _cpu(extracted: Extracted) -> Measured | None:
    return _ratio(
        _row_figure(extracted, 10, 0.1, "sieve", "cpu_both_s"),
        _row_figure(extracted, 10, 0.1, "secure-only", "cpu_both_s"),
    )


def _plain_way(extracted: Extracted) -> Measured | None:
    references = extracted["references"]
    return _ratio(_figure(references.get("plain_way_ms")), _figure(references.get("tcp_copy_ms")))


def _separate_and_integrate(extracted: Extracted) -> Measured | None:
    parts = [_figure(extracted["core"].get(name)) for name in ("separate_ms", "integrate_ms")]
    known = [part for part in parts if part is not None]
    return (sum(part.mean for part in known), sum(part.ci95 or 0.0 for part in known)) if len(known) == 2 else None


def _parse(extracted: Extracted) -> Measured | None:
    found = _figure(extracted["core"].get("parse_ms"))
    return None if found is None else (found.mean, found.ci95)


def _throughput(extracted: Extracted) -> Measured | None:
    found = extracted["throughput"].get("sieve")
    return None if found is None else (found["documents_per_s"], None)


def _large(extracted: Extracted) -> Measured | None:
    above = [value for row in extracted["large"] for value in row["above_idle_mib"].values()]
    return (max(above), None) if above else None


TARGETS = (
    Target("secure-only 10MB-10 / nginx TLS PUT", "times", False, 1.25, 1.0, _against_nginx),
    Target("improvement of sieve over secure-only, 10MB-10", "%", True, 45, 67, _improvement(10, 0.1)),
    Target("improvement of sieve over secure-only, 1MB-10", "%", True, 30, 60, _improvement(1, 0.1)),
    Target("improvement of sieve over secure-only, 10MB-50", "%", True, 20, 40, _improvement(10, 0.5)),
    Target("improvement of sieve over secure-only, 10MB-90", "%", True, 0, 7, _improvement(10, 0.9)),
    Target("processor time of sieve / secure-only, 10MB-10", "times", False, 0.6, 0.45, _cpu),
    Target("plain way alone / raw TCP copy, 10 MB", "times", False, 2.5, 1.5, _plain_way),
    Target("separate and integrate 10 MB by known spans", "ms", False, 1, 0.2, _separate_and_integrate),
    Target("parse 10 MB of marked text", "ms", False, 6, 3, _parse),
    Target("documents of 10 KB-50, accepted to receipted", "/s", True, 100, 300, _throughput),
    Target("memory above idle for 1 GB, each gateway", "MiB", False, 128, 64, _large),
)


def _row_figure(extracted: Extracted, x: int, p: float, mode: str, field: str = "response_ms") -> Figure | None:
    """Of the point with one channel of each kind that the mode uses, and nothing else special."""
    wanted = {"x_mb": x, "p": p, "mode": mode, "secure": 1, "plain": 0 if mode == "secure-only" else 1}
    unused = ("split", "batch", "link", "ap_ms_per_mb")
    for row in extracted["rows"]:
        if all(row[key] == value for key, value in wanted.items()) and all(row[key] is None for key in unused):
            return _figure(row.get(field))
    return None


def _figure(found: Mapping[str, Any] | None) -> Figure | None:
    return None if found is None else Figure(found["mean"], found["ci95"], found["median"], 0)


def _ratio(above: Figure | None, below: Figure | None) -> Measured | None:
    return None if above is None or below is None or not below.mean else ratio(above, below)
