"""`python -m sieve.demo once` and `python -m sieve.demo run`."""

import argparse
import signal
import sys
from pathlib import Path

from sieve.demo import ports
from sieve.demo.gateways import ROOT, DemoError
from sieve.demo.once import SAMPLE, once
from sieve.demo.run import run_until_interrupted

INTERRUPTED = 130


def main() -> int:
    """Entry point; returns the exit status. An error is one line."""
    parser = argparse.ArgumentParser(prog="sieve.demo")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("once", help="send one document, then stop")
    one.add_argument("--file", type=Path, default=SAMPLE)
    one.add_argument("send_options", nargs="*")
    run = commands.add_parser("run", help="run two gateways until interrupted")
    run.add_argument("--data", type=Path, default=ROOT / "data", help="the folder for their data")
    run.add_argument("--ports", default=ports.KNOWN, help=ports.HELP)
    run.add_argument(
        "--without-history", action="store_true", help="do not send the demo's transfers of the last two days first"
    )
    run.add_argument("--json", action="store_true", help="print one line of JSON instead of a table")
    arguments, more = parser.parse_known_args()
    # SIGTERM stops the gateways in the same orderly way as Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if arguments.command == "once":
            return once(arguments.file, [option for option in [*arguments.send_options, *more] if option != "--"])
        if more:
            run.error(f"unknown options: {' '.join(more)}")
        return run_until_interrupted(
            arguments.data,
            SAMPLE,
            ports.choose(arguments.ports),
            as_json=arguments.json,
            with_history=not arguments.without_history,
        )
    except (DemoError, OSError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
