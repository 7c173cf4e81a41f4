"""Gets the readers of PDFs that the tests ask beside the gateway's own: `make pdf-readers`.

Where CI may install packages, it must have them all. Elsewhere the tests ask those that are installed, and this says
which ones they do not.
"""

import os
import subprocess
import sys
from shutil import which
from typing import Final

from scripts.producers import MUTOOL, POPPLER, QPDF, Program

PROGRAMS: Final = (POPPLER, QPDF, MUTOOL)
STRICT: Final = ("-o", "APT::Update::Error-Mode=any")
"""Without it, an update succeeds although no mirror answers."""


def main() -> int:
    """Ends with 1 if the packages can be had, but do not bring a program that starts."""
    absent, apt = _absent(), which("apt-get")
    if absent and "CI" in os.environ and os.geteuid() == 0 and apt and _run(apt, "update", *STRICT):
        _run(apt, "install", "-y", "--no-install-recommends", *(program.package for program in absent))
        if absent := _absent():
            print(f"make: {_names(absent)} could not be installed: apt-get's lines above say why", file=sys.stderr)
            return 1
    if absent:
        packages = " ".join(program.package for program in absent)
        print(
            f"make: no test reads redacted PDFs with {_names(absent)}; on Debian: apt-get install {packages}",
            file=sys.stderr,
        )
    return 0


def _absent() -> list[Program]:
    return [program for program in PROGRAMS if not program.is_here]


def _names(programs: list[Program]) -> str:
    return ", ".join(program.name for program in programs)


def _run(apt: str, *arguments: str) -> bool:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run([apt, "-qq", *arguments], env=environment, stdout=subprocess.DEVNULL).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
