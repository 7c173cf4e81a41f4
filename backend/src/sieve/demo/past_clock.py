"""Runs a module with a clock that is set back: `python -m sieve.demo.past_clock FILE MODULE ARGUMENT...`

For the demo's history: a gateway sends real transfers, and its clock says that they were sent days ago. `FILE` holds by
how much the clock is set back, and another process changes that while the gateway is idle. Both clocks of
`gateway.clock` move together, as if the time between had passed. TLS checks certificates by the machine's own clock.
"""

import mmap
import runpy
import struct
import sys
import time
from pathlib import Path
from typing import Final

_FORMAT: Final = struct.Struct("<q")


def set_back(file: Path, by_ns: int) -> None:
    """Sets the clock of the processes that run with `file` back by `by_ns`, from the machine's time."""
    if not file.exists():
        file.write_bytes(_FORMAT.pack(by_ns))
        return
    # In place, because the processes have mapped this file.
    with file.open("r+b") as out:
        out.write(_FORMAT.pack(by_ns))


def _follow(file: Path) -> None:
    """Sets this process's clocks back by what `file` holds, now and later."""
    with file.open("rb") as opened:
        behind = mmap.mmap(opened.fileno(), _FORMAT.size, access=mmap.ACCESS_READ)
    wall, monotonic = time.time_ns, time.monotonic_ns
    # The monotonic clock is not set back, because it may have started with the machine, minutes ago.
    (at_start,) = _FORMAT.unpack_from(behind)
    time.time_ns = lambda: wall() - _FORMAT.unpack_from(behind)[0]
    time.monotonic_ns = lambda: monotonic() + at_start - _FORMAT.unpack_from(behind)[0]


def main() -> None:
    """Entry point. It imports nothing of the gateway before the clocks are set: `gateway.clock` keeps a reference."""
    file, module, *arguments = sys.argv[1:]
    _follow(Path(file))
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
