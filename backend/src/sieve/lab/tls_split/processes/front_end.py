"""The front end: the handler agent accepts connections, handlers do the handshakes and hand the connections over."""

import asyncio
import contextlib
import errno
import os
import select
import socket
import time
from pathlib import Path
from typing import Final

from sieve.lab.tls_split.errors import HandOverError
from sieve.lab.tls_split.hand_over import encode
from sieve.lab.tls_split.processes.answering import READ, Exchange, Records, answer, answer_at_once
from sieve.lab.tls_split.processes.assignment import Design
from sieve.lab.tls_split.processes.event_loop import received
from sieve.lab.tls_split.processes.handshake import Handshake, Refused, TicketKeys
from sieve.lab.tls_split.processes.openssl import ServerContext
from sieve.lab.tls_split.processes.openssl_records import OpensslRecords
from sieve.lab.tls_split.processes.queues import Sender, receive
from sieve.lab.tls_split.processes.tally import Row
from sieve.lab.tls_split.record_phase import RecordPhase
from sieve.lab.tls_split.secrets_in_memory import wipe

HANDSHAKE_S: Final = 30.0
RELAYED: Final = 64 * 1024
PAUSE_S: Final = 0.1
"""Before a process accepts again for which the system had no descriptor or buffer."""
NOTHING_LEFT: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.ETOOMANYREFS})
"""Errors of a system that has no descriptor or buffer left, or too many descriptors under way between processes."""
OF_A_CONNECTION: Final = frozenset(
    {
        errno.EAGAIN,  # another process has taken it
        *(errno.ECONNABORTED, errno.EPERM),  # the client is gone, or a firewall forbids the connection
        # Linux passes on what has happened to the new connection; accept(2) says to go on.
        *(errno.ENETDOWN, errno.EPROTO, errno.ENOPROTOOPT, errno.EHOSTDOWN, errno.ENONET, errno.EHOSTUNREACH),
        *(errno.EOPNOTSUPP, errno.ENETUNREACH),
    }
)
"""Errors of `accept` after which the next connection may be fine."""
_MESSAGE: Final = 64 * 1024


def accepted(listener: socket.socket) -> socket.socket | None:
    """The next connection of a listener that does not block; None if there is none, or it has failed already.

    Raises:
        OSError: nothing is left (`NOTHING_LEFT`), and the connection stays in the listener; or it is no listener.
    """
    try:
        return listener.accept()[0]
    except OSError as error:
        if error.errno in OF_A_CONNECTION:
            return None
        raise


def run_handler_agent(control: socket.socket, listener: socket.socket, handlers: socket.socket) -> None:
    """Hands each accepted connection to a handler; holds no key and reads no byte of a client."""
    listener.setblocking(False)
    while True:
        ready, _, _ = select.select([listener, control], [], [])
        if control in ready:
            return
        try:
            while (client := accepted(listener)) is not None:
                with client:
                    socket.send_fds(handlers, [b"\0"], [client.fileno()])
        except OSError as error:
            if error.errno not in NOTHING_LEFT:
                raise
            if select.select([control], [], [], PAUSE_S)[0]:
                return


class KeyHolder:
    """The keys of a process that does handshakes. Certificate and private key are in inherited memory without a file,
    because `ssl` takes them from files only; ticket keys come from the control socket, and again at each rotation."""

    def __init__(self, control: socket.socket, identity: int) -> None:
        self._control = control
        self.context = ServerContext(Path(f"/proc/self/fd/{identity}"))
        os.close(identity)
        self._take_ticket_keys()

    def _take_ticket_keys(self) -> None:
        received = self._control.recv(_MESSAGE)
        if not received:
            os._exit(0)
        self.ticket_keys = TicketKeys.of(received)
        self._control.send(b"\1")

    def watch(self) -> None:
        """Takes new ticket keys while the event loop runs; ends the process when the control socket closes."""
        asyncio.get_running_loop().add_reader(self._control, self._take_ticket_keys)


class Handler:
    """Does handshakes. `back_end`: the queue to the workers; None: this process answers itself (one process)."""

    def __init__(self, keys: KeyHolder, row: Row, design: Design, back_end: socket.socket | None) -> None:
        self._keys, self._row, self._design = keys, row, design
        self._back_end = Sender(back_end) if back_end else None
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, connections: socket.socket) -> None:
        """Serves what comes: accepted connections from the agent's queue, or a listener's own."""
        self._keys.watch()
        loop = asyncio.get_running_loop()
        connections.setblocking(False)
        if connections.family == socket.AF_UNIX:
            loop.add_reader(connections, self._receive, connections, bytearray(1))
        else:
            loop.add_reader(connections, self._accept, connections)
        await loop.create_future()

    def _accept(self, listener: socket.socket) -> None:
        try:
            client = accepted(listener)
        except OSError as error:
            if error.errno not in NOTHING_LEFT:
                raise
            # The listener would call again at once.
            loop = asyncio.get_running_loop()
            loop.remove_reader(listener)
            loop.call_later(PAUSE_S, loop.add_reader, listener, self._accept, listener)
            return
        if client is not None:
            client.setblocking(False)
            self._start(client)

    def _receive(self, connections: socket.socket, buffer: bytearray) -> None:
        # The system closes a connection for which this process has no descriptor free.
        with contextlib.suppress(HandOverError):
            if found := receive(connections, buffer):
                self._start(found[1])

    def _start(self, client: socket.socket) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(client))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError, TimeoutError, HandOverError, Refused):
            handshake = Handshake(self._keys.context, self._keys.ticket_keys)
            begun = time.perf_counter()
            try:
                async with asyncio.timeout(HANDSHAKE_S):
                    if not await self._shake_hands(client, handshake):
                        return
            finally:
                if not handshake.is_done:
                    handshake.forget()
            self._row.handshake(handshake.is_resumed, time.perf_counter() - begun)
            if self._design == "own-records":
                state = handshake.hand_over()
                await self._answer(client, RecordPhase(state), state.unread)
            elif self._back_end is None:
                await self._answer(client, OpensslRecords(handshake), bytes(handshake.unread))
            elif self._design == "direct":
                await self._hand_over(handshake, client)
            else:
                await self._relay(handshake, client)

    async def _answer(self, client: socket.socket, records: Records, unread: bytes) -> None:
        exchange = Exchange(records, unread, self._row)
        if not answer_at_once(client, exchange):
            await answer(client, exchange)

    async def _shake_hands(self, client: socket.socket, handshake: Handshake) -> bool:
        loop = asyncio.get_running_loop()
        while not handshake.is_done:
            data = await received(client, READ)
            if not data:
                return False
            try:
                out = handshake.receive(data)
            except Refused as refused:
                await loop.sock_sendall(client, refused.answer)
                return False
            if out:
                await loop.sock_sendall(client, out)
        return True

    async def _hand_over(self, handshake: Handshake, connection: socket.socket) -> None:
        assert self._back_end  # noqa: S101 -- `_serve` asks
        state = handshake.hand_over()
        message = encode(state)
        state.wipe()
        try:
            await self._back_end.send(message, connection, HANDSHAKE_S)
        finally:
            wipe(message)

    async def _relay(self, handshake: Handshake, client: socket.socket) -> None:
        """The thesis's design: the worker gets one end of a pair of sockets, and this process copies."""
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.setblocking(False)
            await self._hand_over(handshake, theirs)
            theirs.close()
            upwards = asyncio.create_task(_copy(client, ours))
            try:
                await _copy(ours, client)
            finally:
                upwards.cancel()
                await asyncio.gather(upwards, return_exceptions=True)


async def _copy(source: socket.socket, sink: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    try:
        while data := await received(source, RELAYED):
            await loop.sock_sendall(sink, data)
    finally:
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)
