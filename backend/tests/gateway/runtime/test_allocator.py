"""Freed memory stays with the process: the next large blocks cost no fresh pages."""

import subprocess
import sys

_COUNT = """
import resource
from sieve.gateway.runtime.allocator import keep_freed_memory
{first}
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    blocks = [bytearray(b"x") * 1048576 for _ in range(8)]
    del blocks
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
faults()
print(sum(faults() for _ in range(50)))
"""


def faults(first: str) -> int:
    """Page faults of fifty times eight blocks of 1 MiB, all freed before the next eight."""
    said = subprocess.run(
        [sys.executable, "-c", _COUNT.format(first=first)], capture_output=True, check=True, timeout=60
    )
    return int(said.stdout)


def test_what_was_freed_is_used_again() -> None:
    assert faults("keep_freed_memory()") < 50 < 50 * 100 < faults("")
