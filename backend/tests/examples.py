"""How many examples a test of a property tries: fewer in `make test`, more in `make soak`."""

import os
from typing import Final

TIMES: Final = int(os.environ.get("SIEVE_EXAMPLES", "1"))


def examples(number: int) -> int:
    """`number`, or SIEVE_EXAMPLES times as many."""
    return number * TIMES
