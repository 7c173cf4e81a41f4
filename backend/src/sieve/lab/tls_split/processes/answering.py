"""The record phase on a socket: reads requests, sends answers, ends the connection as TLS asks."""

import asyncio
import contextlib
import socket
import time
from typing import Final, Protocol

from sieve.lab.tls_split.answers import Requests
from sieve.lab.tls_split.errors import RecordError
from sieve.lab.tls_split.processes.event_loop import received
from sieve.lab.tls_split.processes.tally import Row

READ: Final = 16 * 1024
IDLE_S: Final = 30.0
LINGER_S: Final = 2.0


class Records(Protocol):
    """The records of one connection; `RecordPhase` says what each method does."""

    is_closed_by_peer: bool

    def receive(self, data: bytes) -> bytes: ...

    def send(self, data: bytes = b"") -> bytes | bytearray: ...

    def close(self) -> bytes | bytearray: ...

    def refuse(self, error: RecordError) -> bytes | bytearray: ...

    def forget(self) -> None: ...


async def answer(client: socket.socket, records: Records, unread: bytes, row: Row) -> None:
    """Serves one connection until it ends, and closes it. `unread`: what was received before."""
    try:
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(IDLE_S) as deadline:
                await _answer(client, records, unread, row, deadline)
                await _linger(client, deadline)
    finally:
        records.forget()
        client.close()


async def _answer(client: socket.socket, records: Records, unread: bytes, row: Row, deadline: asyncio.Timeout) -> None:
    loop, requests, data = asyncio.get_running_loop(), Requests(), unread
    while True:
        try:
            plain = records.receive(data)
        except RecordError as error:
            await loop.sock_sendall(client, records.refuse(error))
            return
        for answer in requests.receive(plain):
            begun = time.perf_counter()
            out = records.send(answer)
            row.sealing(time.perf_counter() - begun)
            await loop.sock_sendall(client, out)
        if requests.is_over or records.is_closed_by_peer:
            await loop.sock_sendall(client, records.close())
            return
        if out := records.send():
            await loop.sock_sendall(client, out)
        data = await received(client, READ)
        if not data:
            return
        deadline.reschedule(loop.time() + IDLE_S)


async def _linger(client: socket.socket, deadline: asyncio.Timeout) -> None:
    """Reads what still comes: a socket that is closed with unread bytes resets the connection, and the client loses
    what it has not read yet."""
    client.shutdown(socket.SHUT_WR)
    deadline.reschedule(asyncio.get_running_loop().time() + LINGER_S)
    while await received(client, READ):
        pass
