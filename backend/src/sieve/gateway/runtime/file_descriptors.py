"""How many files and connections the process may have open, and what share of them a listener's connections get."""

import resource
from typing import Final

WANTED: Final = 65_536
"""Enough for every connection and file; some systems' hard limit is so high that tables of that size cost memory."""
MAX_CONNECTIONS: Final = 1000
"""Connections that the web listener keeps, and the secure listener, where the limit allows."""


def raise_limit() -> int:
    """Raises the soft limit of open files to the hard one, or to `WANTED` if that is less; returns the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    wanted = WANTED if hard == unlimited else min(hard, WANTED)
    if soft != unlimited and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return WANTED if soft == unlimited else soft


def connections(limit: int) -> int:
    """How many connections each of the two listeners keeps: half of all descriptors stay for files and peers."""
    return min(MAX_CONNECTIONS, limit // 4)
