"""The benchmark as a command: `python -m benchmarks`, in the folder `backend`."""

import argparse
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import httpx

from benchmarks import page, samples
from benchmarks.analyse import analyse
from benchmarks.cases import Case
from benchmarks.extract import extract, write
from benchmarks.forms import FULL, SHORT, WEIGHTS, Form
from benchmarks.gateways import NotTaken, TransferFailed
from benchmarks.run import SECTIONS, run
from benchmarks.thesis.exhibits import cases
from sieve.demo import DemoError

RESULTS = Path(__file__).parent / "results"


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measures two gateways on this machine.")
    parser.add_argument("step", nargs="?", choices=("all", "run", "extract", "analyse", "draw"), default="all")
    parser.add_argument(
        "--full",
        action="store_true",
        help="every point, not a few, and more transfers where claims are not decided; in three quarters of an hour",
    )
    parser.add_argument("--only", nargs="+", choices=SECTIONS, help="leave out the other sections")
    parser.add_argument("--experiments", nargs="+", choices=list(WEIGHTS), help="leave out the others' points")
    parser.add_argument("--x", nargs="+", type=int, metavar="MB", help="of these sizes only")
    parser.add_argument("--p", nargs="+", type=float, metavar="P", help="of these proportions only")
    parser.add_argument("--transfers", type=int, metavar="N", help="at most so many of each point")
    parser.add_argument("--seconds", type=float, metavar="S", help="at most so long for everything")
    parser.add_argument("--large", type=int, metavar="MB", help="the size of the large document")
    parser.add_argument(
        "--results", type=Path, help="where raw samples and results go; a run of less than its form to `partial` in it"
    )
    parser.add_argument("--into", type=Path, help="where the page and its figures go, if not to the results")
    parser.add_argument(
        "--folder", type=Path, help="where the gateways keep their files; a temporary one in it is used"
    )
    parser.add_argument("--raw", type=Path, help="extract from this raw file, not from the latest")
    asked = parser.parse_args()
    asked.results = asked.results or results_of(asked)
    # On SIGTERM it exits as after an error, so that it stops gateways and nginx and removes links and temporary files.
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda number, _frame: sys.exit(128 + number))
    try:
        return _steps(asked)
    except (DemoError, NotTaken, TransferFailed, httpx.HTTPError, OSError) as error:
        print(f"benchmarks: {error or type(error).__name__}", file=sys.stderr)
        return 1


def results_of(asked: argparse.Namespace) -> Path:
    """A run that leaves something out does not replace the results of a full or short run."""
    less = (asked.only, asked.experiments, asked.x, asked.p, asked.transfers, asked.seconds, asked.large)
    return RESULTS / "partial" if any(less) else RESULTS


def _steps(asked: argparse.Namespace) -> int:
    raw: Path | None = asked.raw
    if asked.step in ("all", "run"):
        raw = run(_form(asked), _cases(asked), asked.results, asked.folder, asked.only or SECTIONS)
        print(f"raw samples: {raw}")
    if asked.step == "run":
        return 0
    # Always from the raw samples: rows of an earlier version may lack what tables and figures read now.
    extracted = extract(raw or samples.latest(asked.results), cases())
    write(extracted, asked.results)
    if asked.step in ("all", "analyse"):
        print(f"results: {analyse(extracted, asked.results)}")
    if asked.step in ("all", "analyse", "draw"):
        print(f"figures: {page.write(extracted, asked.into or asked.results)}")
    return 0


def _cases(asked: argparse.Namespace) -> Sequence[Case]:
    return [case for case in cases() if not asked.experiments or case.experiment in asked.experiments]


def _form(asked: argparse.Namespace) -> Form:
    form = FULL if asked.full else SHORT
    return replace(
        form,
        sizes_mb=frozenset(asked.x or form.sizes_mb),
        proportions=frozenset(asked.p or form.proportions),
        transfers=asked.transfers or form.transfers,
        least=min(asked.transfers or form.least, form.least),
        ends_after_s=asked.seconds or form.ends_after_s,
        large_mb=asked.large or form.large_mb,
    )


if __name__ == "__main__":
    sys.exit(main())
