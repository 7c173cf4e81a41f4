"""`make bench-start`: measures the start of a gateway, of the demo and of the command, and writes
docs/benchmarks/starts.md.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import psutil

from benchmarks.machine import described, machine
from benchmarks.written_page import print_or_write
from sieve import demo

PAGE: Final = Path(__file__).parents[2] / "docs" / "benchmarks" / "starts.md"
HEAD: Final = """\
# Starts

`make bench-start` writes this page: medians of new processes, measured in turn. A gateway has data already, and is
ready when `/readyz` says so. The demo, which `make demo` runs once all is set up, makes certificates, starts two
gateways with new data at the same time, and runs five commands. `backend/tests/test_imports.py` limits what a start
loads.
"""
REST: Final = """
**Where the time of a start goes**, by `python -X importtime` with Python 3.11.7: 1.33 of 1.55 s are the imports of
1,851 modules. SQLAlchemy takes 0.20 s of them, FastAPI and Starlette 0.09, Pydantic 0.07, other libraries 0.37. Our
own 631 modules take 0.60 s: models and queries of the store 0.14, settings 0.04, and none of the others more than
0.03. What a start does not need is imported later: lxml, pikepdf, pdfium, alembic if nothing is to be migrated,
matplotlib, and the routes that peers call. What is left is needed before the first request, and no single module is
worth removing.

**The demo** takes 7.6 s of processor time: two gateways with new data at the same time, certificates and five commands.
On two processors that is at least 3.8 s by the clock; the rest is one waiting for the other.
"""
TARGET_S: Final = {"gateway ready": 1.2, "sieve demo once": 5.0, "sieve --help": 0.25}
"""By the clock."""
FREE = dict.fromkeys(("web", "secure", "plain"), "127.0.0.1:0")


class Taken(NamedTuple):
    """Seconds. `processor`: of the process, and of its children that have ended."""

    processor: float
    wall: float


def of_command(*words: str) -> Taken:
    """Runs a command to its end."""
    began, before = time.perf_counter(), os.times()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 -- our own commands
    after = os.times()
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    return Taken(processor, time.perf_counter() - began)


def of_gateway(folder: Path) -> Taken:
    """Starts a gateway with its data in `folder`, and stops it when it is ready."""
    began = time.perf_counter()
    gateway = demo.start("alpha", folder, folder / "identities", FREE, extra={"SIEVE_LOG_LEVEL": "warning"})
    wall = time.perf_counter() - began
    used = psutil.Process(gateway.process.pid).cpu_times()
    gateway.stop()
    return Taken(used.user + used.system, wall)


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="make bench-start")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--print", action="store_true", help="print the page and leave the file as it is")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sieve-starts-") as temporary:
        folder = Path(temporary)
        about = machine(folder)
        demo.make_identities(folder / "identities", ["alpha"])
        of_gateway(folder)  # makes the data, and compiles our modules
        sample = Path(demo.__file__).parent / "sample.md"
        cases: dict[str, Callable[[], Taken]] = {
            "gateway ready": lambda: of_gateway(folder),
            "sieve demo once": lambda: of_command(
                sys.executable, "-m", "sieve.cli", "demo", "once", "--file", str(sample)
            ),
            "sieve --help": lambda: of_command(sys.executable, "-m", "sieve.cli", "--help"),
        }
        taken: dict[str, list[Taken]] = {case: [] for case in cases}
        for _ in range(options.times):
            for case, measure in cases.items():
                taken[case].append(measure())
    text = "\n".join([HEAD, described(about), "", *_table(taken), REST])
    print_or_write(text, PAGE, only_print=options.print)
    return 0


def _table(taken: Mapping[str, Sequence[Taken]]) -> Iterator[str]:
    yield "| | processor, s | wall clock, s | range | at most | |"
    yield "|---|--:|--:|--:|--:|---|"
    for case, measured in taken.items():
        processor, wall = (statistics.median(values) for values in zip(*measured, strict=True))
        walls = [each.wall for each in measured]
        spread, bound = f"{min(walls):.2f}-{max(walls):.2f}", TARGET_S[case]
        yield f"| {case} | {processor:.2f} | {wall:.2f} | {spread} | {bound} | {'yes' if wall <= bound else 'no'} |"


if __name__ == "__main__":
    sys.exit(main())
