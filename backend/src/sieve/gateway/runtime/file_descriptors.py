"""The limit of open files of the process, and the share of it for each listener's connections."""

import resource
from typing import Final

WANTED: Final = 65_536
"""Enough for all connections and files. The hard limit of some systems is so high that its tables cost memory."""
MAX_CONNECTIONS: Final = 1000
"""Connections of the web listener, and of the secure listener, if the limit allows."""


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
    """How many connections each of the two listeners keeps: half of the descriptors remain for files and peers."""
    return min(MAX_CONNECTIONS, limit // 4)
