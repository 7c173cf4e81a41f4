"""The benchmark as a command: `python -m benchmarks`, in the folder `backend`."""

import argparse
import signal
import sys
from dataclasses import replace
from pathlib import Path

from benchmarks import samples
from benchmarks.analyse import analyse
from benchmarks.cases import FULL, SHORT, Form, channels
from benchmarks.copies import FloorMissing
from benchmarks.extract import extract, write
from benchmarks.gateways import TransferFailed
from benchmarks.run import SECTIONS, run
from sieve.demo import DemoError

RESULTS = Path(__file__).parent / "results"


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measures two gateways on this machine.")
    parser.add_argument("step", nargs="?", choices=("all", "run", "extract", "analyse"), default="all")
    parser.add_argument("--full", action="store_true", help="every point, up to 500 transfers each, and 1 GB")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS, help="leave out the other sections")
    parser.add_argument("--x", nargs="+", type=int, metavar="MB", help="these sizes, in place of the form's")
    parser.add_argument("--p", nargs="+", type=float, metavar="P", help="these proportions, in place of the form's")
    parser.add_argument("--transfers", type=int, metavar="N", help="at most so many of each point")
    parser.add_argument("--seconds", type=float, metavar="S", help="at most so long for all points together")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where raw samples and results go")
    parser.add_argument(
        "--folder", type=Path, help="where the gateways keep their files; a temporary one in it is used"
    )
    parser.add_argument("--raw", type=Path, help="extract from this raw file, not from the latest")
    asked = parser.parse_args()
    # Told to end, it ends like an error would: gateways, nginx and temporary files go with it.
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    try:
        return _steps(asked)
    except (DemoError, FloorMissing, TransferFailed, OSError) as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 1


def _steps(asked: argparse.Namespace) -> int:
    raw: Path | None = asked.raw
    if asked.step in ("all", "run"):
        raw = run(_form(asked), asked.results, asked.folder, asked.only)
        print(f"raw samples: {raw}")
    if asked.step in ("all", "extract", "analyse"):
        extracted = extract(raw or samples.latest(asked.results))
        write(extracted, asked.results)
        if asked.step != "extract":
            print(f"results: {analyse(extracted, asked.results)}")
    return 0


def _form(asked: argparse.Namespace) -> Form:
    form = FULL if asked.full else SHORT
    if asked.x or asked.p:
        sizes = asked.x or sorted({case.x_mb for case in form.points})
        proportions = asked.p or sorted({case.p for case in form.points})
        form = replace(form, points=tuple(channels(sizes, proportions)))
    return replace(
        form,
        transfers=asked.transfers or form.transfers,
        seconds=asked.seconds or form.seconds,
    )


if __name__ == "__main__":
    sys.exit(main())
