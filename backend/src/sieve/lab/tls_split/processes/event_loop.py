"""The event loop of each process: uvloop, as in a gateway."""

import asyncio
import socket
from collections.abc import Coroutine
from typing import Any

import uvloop


def run(main: Coroutine[Any, Any, None]) -> None:
    """Runs to the end."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main)


async def received(connection: socket.socket, size: int) -> bytes:
    """What has come, of at most `size` bytes; waits if nothing has. Empty at the end.

    uvloop's own `sock_recv` waits in any case, which costs six system calls.
    """
    try:
        return connection.recv(size)
    except BlockingIOError:
        return await asyncio.get_running_loop().sock_recv(connection, size)
