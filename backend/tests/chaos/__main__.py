"""`make chaos`: plays the trials, prints what came of them as a table, and exits with 1 if a promise was broken."""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

from chaos.run import HEAD, Counts, play


def main() -> int:
    parser = argparse.ArgumentParser(prog="make chaos CHAOS_ARGS=", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="what the faults follow from (default 1)")
    parser.add_argument(
        "--kills", type=int, default=100, help="SIGKILLs in all, first at each named step (default 100)"
    )
    parser.add_argument("--receipts", type=int, default=100, help="receipts to cut (default 100)")
    parser.add_argument("--tamperings", type=int, default=1000, help="changes of plain bytes (default 1000)")
    parser.add_argument(
        "--others", type=int, default=6, help="stops, wrong clocks, restores and full disks, each (default 6)"
    )
    asked = parser.parse_args()
    counts = Counts(asked.kills, asked.receipts, asked.tamperings, asked.others)
    began = time.monotonic()
    print(f"seed {asked.seed}\n\n{HEAD}", flush=True)
    with tempfile.TemporaryDirectory(prefix="sieve-chaos-") as folder:
        broken = asyncio.run(play(Path(folder), asked.seed, counts, lambda line: print(line, flush=True)))
    print(f"\n{time.monotonic() - began:.0f} s", flush=True)
    for sentence in broken:
        print(f"make chaos: {sentence}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
