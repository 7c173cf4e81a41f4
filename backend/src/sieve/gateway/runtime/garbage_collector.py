"""Makes Python's garbage collector skip objects that live as long as the process.

A gateway keeps the objects that it made at start, some 200,000 of its libraries, until it ends. If each full collection
scans them, it blocks the event loop for 50 ms and more; without them, a collection takes less than one. Each request
makes and drops thousands of objects, and nearly all of them are freed without the collector. While a gateway starts,
the collector is off (`sieve.cli.gateway`).
"""

import gc
from typing import Final

# Objects allocated and not yet freed; Python's default is 700.
_YOUNG: Final = 10_000


def freeze_startup_objects() -> None:
    """From now on the collector scans only new objects, and less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG)
    gc.enable()
