"""`make bench-start`: how long a gateway, `make demo` and `sieve --help` take, in processor and in wall-clock time.

Each is a new process, measured several times in turn. A gateway has data already; it is ready when `/readyz` says so.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import psutil

from sieve import demo

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
    """Entry point: prints a table of medians."""
    parser = argparse.ArgumentParser(prog="make bench-start")
    parser.add_argument("--times", type=int, default=5)
    times: int = parser.parse_args().times
    with tempfile.TemporaryDirectory(prefix="sieve-starts-") as temporary:
        folder = Path(temporary)
        demo.make_identities(folder / "identities", ["alpha"])
        of_gateway(folder)  # makes the data, and compiles our modules
        sample = Path(demo.__file__).parent / "sample.md"
        cases: dict[str, Callable[[], Taken]] = {
            "gateway ready": lambda: of_gateway(folder),
            "make demo": lambda: of_command(sys.executable, "-m", "sieve.cli", "demo", "once", "--file", str(sample)),
            "sieve --help": lambda: of_command(sys.executable, "-m", "sieve.cli", "--help"),
        }
        taken: dict[str, list[Taken]] = {case: [] for case in cases}
        for _ in range(times):
            for case, measure in cases.items():
                taken[case].append(measure())
    print("| | processor, s | wall clock, s |\n|---|--:|--:|")
    for case, measured in taken.items():
        processor, wall = (statistics.median(values) for values in zip(*measured, strict=True))
        print(f"| {case} | {processor:.2f} | {wall:.2f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
