"""A start makes no garbage worth looking for; from then on it is looked for, among what is new."""

import subprocess
import sys

_START = """
import gc
gc.disable()
from sieve.gateway.runtime.garbage_collector import freeze_startup_objects
libraries = [[] for _ in range(1000)]
freeze_startup_objects()
print(gc.isenabled(), gc.get_freeze_count() >= 1000)
"""


def test_what_a_start_made_is_left_out_and_all_else_is_looked_at() -> None:
    said = subprocess.run([sys.executable, "-c", _START], capture_output=True, check=True, timeout=60)
    assert said.stdout.split() == [b"True", b"True"]
