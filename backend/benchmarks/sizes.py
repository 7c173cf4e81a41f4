"""`make bench-sizes`: compares both modes for documents of 10 MB to 1 GB, and a first transfer with later ones, and
writes docs/benchmarks/sizes.md.

A *run* starts two gateways of its own. Within it modes take turns, so that what else the machine does slows both.
"""

import argparse
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks import arrivals
from benchmarks.cases import MODES, case
from benchmarks.gateways import Gateways, two_gateways
from benchmarks.machine import described, machine
from benchmarks.rounds import shuffled
from benchmarks.targets import CPU_TARGETS
from benchmarks.written_page import print_or_write
from sieve.demo import documents

PAGE: Final = Path(__file__).parents[2] / "docs" / "benchmarks" / "sizes.md"
P: Final = 0.1
TRANSFERS: Final = {10: 10, 100: 5, 1000: 2}
"""Transfers of each mode in a run, by size in MB; one more of 10 MB comes first and does not count."""
IMPROVEMENT_TARGET: Final = 45.0
"""Per cent of the response, for every size."""
FIRST_TARGET: Final = 2.0
FIRSTS: Final = 15
"""First transfers, and warm ones, in a run."""
PATIENCE_S: Final = 120.0

HEAD: Final = f"""\
# Larger documents, and the first transfer to a peer

`make bench-sizes` writes this page. {P:.0%} of each document is classified. Both modes send the same documents over
kept-open channels, in turns; sizes are in units of 1,000,000 bytes. Improvement is that of sieve's response over
secure-only's. Processor time is that of all processes of both gateways, from the author's request to the receipt. Each
run has two gateways of its own and gives the ratio of its medians; a line has the median of the runs' ratios, and the
least and the most. *Transfers* are those of each mode. [The lower limit](plain-way.md#the-lower-limit) says why 10MB-10
does not gain more.
"""
FIRST: Final = f"""
## The first transfer to a peer

A document of {arrivals.DOCUMENT_BYTES:,} bytes, {arrivals.P:.0%} of them classified, after all connections to the peer
were cut, and over kept-open ones, in turns. The time is the total: it includes connecting, the TLS handshake and the
hello.
"""


@dataclass(slots=True)
class Run:
    """What one run measured: by size and mode, responses in ms and processor time in s; totals of first and of warm
    transfers in ms."""

    response_ms: dict[tuple[int, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    cpu_s: dict[tuple[int, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    total_ms: dict[bool, list[float]] = field(default_factory=lambda: defaultdict(list))

    def improvement(self, x: int) -> float:
        """Per cent of the response."""
        return 100 * (1 - self._ratio(self.response_ms, x))

    def cpu_ratio(self, x: int) -> float:
        return self._ratio(self.cpu_s, x)

    def first_ratio(self) -> float:
        return statistics.median(self.total_ms[False]) / statistics.median(self.total_ms[True])

    @staticmethod
    def _ratio(taken: Mapping[tuple[int, str], Sequence[float]], x: int) -> float:
        sieve, secure = (statistics.median(taken[x, mode]) for mode in MODES)
        return sieve / secure


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sizes")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--print", action="store_true", help="print the page and leave the file as it is")
    options = parser.parse_args()
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        about = machine(Path(folder))
        for number in range(options.runs):
            at = Path(folder) / str(number)
            at.mkdir()
            runs.append(measure(at))
            print(f"run {number + 1} of {options.runs}", file=sys.stderr)
    print_or_write(page(about, runs), PAGE, only_print=options.print)
    return 0


def measure(folder: Path) -> Run:
    """One run, on gateways of its own."""
    run = Run()
    with two_gateways(folder) as gateways:
        small = arrivals.upload(gateways)[0]
        uploaded = {x: gateways.upload(documents.pieces(documents.MB, P, x), f"{x} MB.txt") for x in TRANSFERS}
        for mode in MODES:
            _send(gateways, 10, mode, uploaded[10])
        for x, times in TRANSFERS.items():
            for _ in range(times):
                for mode in shuffled(MODES):
                    sample = _send(gateways, x, mode, uploaded[x])
                    run.response_ms[x, mode].append(sample["timings"]["response"])
                    run.cpu_s[x, mode].append(sum(sample["cpu_s"].values()))
                gateways.empty_inbox()
        for _ in range(FIRSTS):
            for warm in (False, True):
                of = case("first", 1, arrivals.P, "sieve", warm=warm)
                run.total_ms[warm].append(gateways.send(of, [small])["timings"]["total"])
    return run


def _send(gateways: Gateways, x: int, mode: str, document_id: str) -> dict[str, Any]:
    return gateways.send(case("sizes", x, P, mode), [document_id], PATIENCE_S)


def page(about: Mapping[str, Any], runs: Sequence[Run]) -> str:
    """The page, in Markdown."""
    return "\n".join([HEAD, described(about) + f" {len(runs)} runs.\n", *_sizes(runs), *_first(runs)]) + "\n"


def _sizes(runs: Sequence[Run]) -> Iterator[str]:
    yield "| document | transfers | secure-only | sieve | improvement | at least | | processor time | at most | |"
    yield "|---|--:|--:|--:|--:|--:|---|--:|--:|---|"
    for x, times in TRANSFERS.items():
        sieve, secure = (
            statistics.median(statistics.median(run.response_ms[x, mode]) for run in runs) for mode in MODES
        )
        gains = [run.improvement(x) for run in runs]
        cpu = [run.cpu_ratio(x) for run in runs]
        gain = f"**{statistics.median(gains):.0f} %** ({min(gains):.0f} to {max(gains):.0f})"
        most = CPU_TARGETS.get(x)
        holds = "" if most is None else _yes(statistics.median(cpu) <= most)
        yield (
            f"| {x}MB-{100 * P:.0f} | {times * len(runs)} | {secure:.1f} ms | {sieve:.1f} ms "
            f"| {gain} | {IMPROVEMENT_TARGET:.0f} % | {_yes(statistics.median(gains) >= IMPROVEMENT_TARGET)} "
            f"| **{statistics.median(cpu):.2f}** ({min(cpu):.2f} to {max(cpu):.2f}) | {most or ''} | {holds} |"
        )


def _first(runs: Sequence[Run]) -> Iterator[str]:
    yield FIRST
    yield "| first | warm | ratio | at most | |"
    yield "|--:|--:|--:|--:|---|"
    first, warm = (statistics.median(statistics.median(run.total_ms[kept]) for run in runs) for kept in (False, True))
    ratios = [run.first_ratio() for run in runs]
    value = statistics.median(ratios)
    yield (
        f"| {first:.1f} ms | {warm:.1f} ms | **{value:.2f}** ({min(ratios):.2f} to {max(ratios):.2f}) "
        f"| {FIRST_TARGET} | {_yes(value <= FIRST_TARGET)} |"
    )


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


if __name__ == "__main__":
    sys.exit(main())
