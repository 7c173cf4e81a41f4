"""Fuzzes what reads files, marks, policies, what strangers and peers send, and the laboratory's messages, guided by
coverage: `make fuzz FUZZ_ARGS="pdf plain --seconds 600"`.

Each target runs in a process of its own, with a limit on memory and on the time of one input. What brings one down is
kept in `.cache/fuzz`, as is the corpus that it grew; put a small one into `tests/fuzzed/TARGET` with the fix.
Ends with 1 if anything was found.
"""

import argparse
import importlib
import logging
import re
import resource
import subprocess
import sys
from pathlib import Path
from random import Random

_CACHE = Path(__file__).parents[2] / ".cache" / "fuzz"
_MEMORY = 3 << 30
_INPUT_S = 20
_LONGEST = 1 << 17


def main() -> int:
    """Runs the targets one after the other."""
    from fuzzing import TARGETS

    asked = argparse.ArgumentParser(description="Fuzz the parsers.")
    asked.add_argument("targets", nargs="*", help=f"of {', '.join(TARGETS)}; all of them if none is named")
    asked.add_argument("--seconds", type=int, default=60, help="of each target")
    given = asked.parse_args()
    if unknown := set(given.targets) - TARGETS.keys():
        asked.error(f"there is no target {', '.join(sorted(unknown))}")
    failed = [target for target in given.targets or TARGETS if not _run(target, given.seconds)]
    print(f"found something: {', '.join(failed) or 'no'}")
    return int(bool(failed))


def _run(target: str, seconds: int) -> bool:
    from fuzzing import seeds

    grown, found = _CACHE / target, _CACHE / f"{target}-found"
    for folder in (grown, found):
        folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds(target)):
        (grown / f"seed-{number}").write_bytes(seed)
    limits = [f"-max_total_time={seconds}", f"-timeout={_INPUT_S}", "-rss_limit_mb=2048", f"-max_len={_LONGEST}"]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "scripts.fuzz", "--one", target, str(grown), *limits),
            *(f"-artifact_prefix={found}/", "-print_final_stats=1"),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=seconds + 300,
    )
    (_CACHE / f"{target}.log").write_text(done.stdout)
    inputs, covered = (re.findall(each, done.stdout) or ["0"] for each in (r"#(\d+)\s", r"\bcov: (\d+)"))
    outcome = "nothing found" if not done.returncode else f"see {_CACHE / target}.log"
    reached = f"{int(covered[-1]):,} branches ({int(covered[0]):,} at first)"
    print(f"{target}: {int(inputs[-1]):,} inputs, {reached}, {outcome}", flush=True)
    return done.returncode == 0


def _fuzz(target: str, options: list[str]) -> None:
    """Is one of the processes. Does not return."""
    atheris = importlib.import_module("atheris")
    # Only our own code guides the fuzzer.
    with atheris.instrument_imports(include=["sieve"]):
        fuzzing = importlib.import_module("fuzzing")
        formats = importlib.import_module("sieve.formats.registry").FORMATS
        for row in formats.values():
            for place in (row.reader, row.redactor, row.highlighter):
                if place:
                    importlib.import_module(place.partition(":")[0])
    logging.disable()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))

    def change(data: bytes, most: int, seed: int) -> bytes:
        changed: bytes = fuzzing.mutated(target, data, most, Random(seed), atheris.Mutate)
        return changed

    atheris.Setup([sys.argv[0], *options], fuzzing.TARGETS[target], custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        _fuzz(sys.argv[2], sys.argv[3:])
    sys.exit(main())
