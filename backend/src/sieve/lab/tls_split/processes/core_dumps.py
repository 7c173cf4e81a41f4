"""A core dump would have keys in it, so no process of the experiment leaves one.

The limit is one byte, not none: that is too little for a file, and the one limit with which Linux does not start a
program either that takes core dumps from a pipe; it ignores any other one then (core(5); `do_coredump` in
fs/coredump.c). A dump that the kernel sends to a socket (from Linux 6.16 on) has no limit.
"""

import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

LIMIT: Final = 1


def forbid() -> None:
    """For this process, for good."""
    # Only root raises a limit of 0, which a gateway's own processes inherit.
    with suppress(ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (LIMIT, LIMIT))


@contextmanager
def forbidden() -> Iterator[None]:
    """For this process, for a while."""
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    with suppress(ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (LIMIT, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))
