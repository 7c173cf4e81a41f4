"""Makes Python's garbage collector skip objects that live as long as the process.

What a gateway has made by the time it listens, some 200,000 objects of its libraries, it keeps until it ends. Looked at
again at each full collection they hold the event loop for 50 ms and more; left out, a collection takes less than one.
And each request makes and drops thousands of objects, nearly all of which go without any collector. While a gateway
starts it does not look at all (`sieve.cli.gateway`).
"""

import gc
from typing import Final

# Objects made and not yet gone: 700 is Python's own figure.
_YOUNG: Final = 10_000


def freeze_startup_objects() -> None:
    """From now on only what is made from now on is looked at, less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG)
    gc.enable()
