"""Queues between processes that carry descriptors: pairs of Unix sockets whose messages stay whole (SOCK_SEQPACKET).

Several processes may read the same end: each message goes to one of them. The process that starts all others keeps
both ends open, so messages to a process that died wait for the next one.
"""

import asyncio
import socket
import struct
from typing import Final

from sieve.lab.tls_split.errors import HandOverError

_DESCRIPTOR: Final = struct.Struct("i")
_ANCILLARY: Final = socket.CMSG_SPACE(4 * _DESCRIPTOR.size)


def receive(queue: socket.socket, buffer: bytearray) -> tuple[memoryview, socket.socket] | None:
    """A message in the buffer, and the socket that came with it; None if there is no message now.

    Raises:
        EOFError: the queue is closed.
        HandOverError: the message is too long, or came without exactly one descriptor, which are closed.
    """
    try:
        size, ancillary, flags, _ = queue.recvmsg_into([buffer], _ANCILLARY, socket.MSG_CMSG_CLOEXEC)
    except BlockingIOError:
        return None
    sockets = []
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            whole = data[: len(data) - len(data) % _DESCRIPTOR.size]
            # Named, so that Python does not ask the kernel. Their family does not matter: nobody reads addresses.
            sockets += [
                socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, descriptor)
                for (descriptor,) in _DESCRIPTOR.iter_unpack(whole)
            ]
    if not size and not sockets:
        raise EOFError
    if flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC) or len(sockets) != 1:
        for each in sockets:
            each.close()
        raise HandOverError("a message is too long, or without its connection")
    sockets[0].setblocking(False)
    return memoryview(buffer)[:size], sockets[0]


class Sender:
    """The sending end. Waits while the queue is full."""

    def __init__(self, queue: socket.socket) -> None:
        self._queue = queue
        self._turn = asyncio.Lock()

    async def send(self, message: bytes | bytearray, connection: socket.socket, longest_s: float) -> None:
        """Sends a message and a connection, which the caller closes.

        Raises:
            TimeoutError: the queue stayed full.
        """
        if self._sent(message, connection):
            return
        async with asyncio.timeout(longest_s), self._turn:
            while not self._sent(message, connection):
                await self._writable()

    def _sent(self, message: bytes | bytearray, connection: socket.socket) -> bool:
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, _DESCRIPTOR.pack(connection.fileno()))
        try:
            self._queue.sendmsg((message,), (rights,))
        except BlockingIOError:
            return False
        return True

    async def _writable(self) -> None:
        loop = asyncio.get_running_loop()
        is_writable = asyncio.Event()
        loop.add_writer(self._queue, is_writable.set)
        try:
            await is_writable.wait()
        finally:
            loop.remove_writer(self._queue)
