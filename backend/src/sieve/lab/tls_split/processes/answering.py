"""The record phase on a socket: reads requests, sends answers, ends the connection as TLS asks."""

import asyncio
import contextlib
import socket
import time
from collections.abc import Iterator
from itertools import chain
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


class Exchange:
    """Requests and answers of one connection, without IO. `unread`: what was received before."""

    def __init__(self, records: Records, unread: bytes, row: Row) -> None:
        self.records = records
        self._row, self._requests = row, Requests()
        self.is_over = False
        """Nothing more is received; after what is in `sending`, the connection ends."""
        self.sending: Iterator[bytes | bytearray | memoryview] = self._answers(unread) if unread else iter(())
        """What must be sent, piece by piece. It must be empty before more is received."""

    def receive(self, data: bytes) -> None:
        """Takes what the client sent; empty at its end."""
        if data:
            self.sending = self._answers(data)
        else:
            self.is_over = True

    def _answers(self, data: bytes) -> Iterator[bytes | bytearray]:
        try:
            plain = self.records.receive(data)
        except RecordError as error:
            self.is_over = True
            yield self.records.refuse(error)
            return
        for each in self._requests.receive(plain):
            begun = time.perf_counter()
            out = self.records.send(each)
            self._row.sealing(time.perf_counter() - begun)
            yield out
        if self._requests.is_over or self.records.is_closed_by_peer:
            self.is_over = True
            yield self.records.close()
        elif out := self.records.send():
            yield out


def answer_at_once(client: socket.socket, exchange: Exchange) -> bool:
    """Serves a connection as far as it need not wait. Most clients have sent their request when their handshake is
    done, so the answer leaves before a task and its limits of time are made, which cost as much.

    True if the connection is over and closed, which it is after any error, too; else it needs `answer`, if only to
    wait for the client's end.
    """
    is_over = True
    try:
        is_over = _answered(client, exchange)
    except OSError:  # the client is gone
        pass
    finally:
        if is_over:
            exchange.records.forget()
            client.close()
    return is_over


def _answered(client: socket.socket, exchange: Exchange) -> bool:
    """Receives and sends what can be now; whether the connection is over."""
    try:
        is_sent = _send(client, exchange)
        if is_sent and not exchange.is_over:
            exchange.receive(client.recv(READ))
            is_sent = _send(client, exchange)
        if not is_sent or not exchange.is_over:
            return False
        client.shutdown(socket.SHUT_WR)
        return not client.recv(READ)
    except BlockingIOError:
        return False


def _send(client: socket.socket, exchange: Exchange) -> bool:
    """Sends what the kernel takes now; whether that was all."""
    for out in exchange.sending:
        try:
            sent = client.send(out)
        except BlockingIOError:
            sent = 0
        if sent < len(out):
            exchange.sending = chain((memoryview(out)[sent:],), exchange.sending)
            return False
    return True


async def answer(client: socket.socket, exchange: Exchange) -> None:
    """Serves a connection until it ends, and closes it."""
    loop = asyncio.get_running_loop()
    try:
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(IDLE_S) as deadline:
                while True:
                    for out in exchange.sending:
                        await loop.sock_sendall(client, out)
                    if exchange.is_over:
                        break
                    exchange.receive(await received(client, READ))
                    deadline.reschedule(loop.time() + IDLE_S)
                await _linger(client, deadline)
    finally:
        exchange.records.forget()
        client.close()


async def _linger(client: socket.socket, deadline: asyncio.Timeout) -> None:
    """Reads what still comes: a socket that is closed with unread bytes resets the connection, and the client loses
    what it has not read yet."""
    client.shutdown(socket.SHUT_WR)
    deadline.reschedule(asyncio.get_running_loop().time() + LINGER_S)
    while await received(client, READ):
        pass
