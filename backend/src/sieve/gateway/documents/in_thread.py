"""Blocking work in threads: a function whose result is removed if the caller is cancelled, and pieces of a file."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TypeVar

T = TypeVar("T")


async def in_thread(make: Callable[[], T], remove: Callable[[T], None]) -> T:
    """The result of `make`. A thread cannot be stopped: after a cancellation, `remove` gets its result.

    Raises: as `make` does, which must leave nothing behind then.
    """
    making = asyncio.get_running_loop().run_in_executor(None, make)
    try:
        return await asyncio.shield(making)
    except asyncio.CancelledError:

        def remove_result(made: "asyncio.Future[T]") -> None:
            if not made.cancelled() and made.exception() is None:
                remove(made.result())

        making.add_done_callback(remove_result)
        raise


async def pieces_in_thread(blocking: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The pieces of `blocking`, none of which is empty; each is read in a thread."""
    while piece := await asyncio.to_thread(next, blocking, b""):
        yield piece
