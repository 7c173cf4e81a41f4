"""Accepts connections from a listening socket. Each counts from its accept, and TLS handshakes have a deadline.

The event loop's servers do neither: they cannot count connections before the handshake, and with uvloop a process
without a free descriptor closes all waiting connections without logging it.
"""

import asyncio
import errno
import logging
import socket
import ssl
from collections.abc import Callable
from functools import partial
from typing import Final, Protocol, cast

from sieve.gateway.runtime.connection_slots import Slot, Slots

log = logging.getLogger(__name__)

ACCEPTS_AT_ONCE: Final = 64
"""Accepts from one socket before other work has its turn."""
PAUSE_S: Final = 0.25
"""After an accept failed because no descriptor was free. New connections wait in the kernel's queue."""
LOG_EVERY_S: Final = 60.0
_EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class SlotHolder(Protocol):
    """A protocol that leaves its slot when its connection is lost, and sets `slot.close` when it is made."""

    slot: Slot


class Acceptor:
    """`make` builds the protocol of a connection. `name`: of the listener in the log."""

    def __init__(
        self,
        listening: socket.socket,
        slots: Slots,
        make: Callable[[], asyncio.BaseProtocol],
        *,
        name: str,
        context: ssl.SSLContext | None = None,
        handshake_s: float = 10.0,
    ) -> None:
        self._listening, self._slots, self._make, self._name = listening, slots, make, name
        self._tls = {"ssl": context, "ssl_handshake_timeout": handshake_s, "ssl_shutdown_timeout": handshake_s}
        self._loop = asyncio.get_running_loop()
        # The tasks that set up connections, each with its socket until a transport owns that.
        self._beginning: dict[asyncio.Task[None], socket.socket | None] = {}
        self._paused: asyncio.TimerHandle | None = None
        self._logged_at: dict[str, float] = {}
        self._open()

    def _open(self) -> None:
        self._paused = None
        self._loop.add_reader(self._listening.fileno(), self._accept)

    def close(self) -> None:
        """Accepts no more connections, and ends the handshakes in progress."""
        self._loop.remove_reader(self._listening.fileno())
        if self._paused is not None:
            self._paused.cancel()
        for task in self._beginning:
            task.cancel()

    async def wait_closed(self) -> None:
        """Returns when all its tasks have ended."""
        await asyncio.gather(*self._beginning, return_exceptions=True)

    def _accept(self) -> None:
        for _ in range(ACCEPTS_AT_ONCE):
            try:
                connection, address = self._listening.accept()
            except OSError as error:
                if error.errno in _EXHAUSTED:
                    self._pause(error)
                return
            connection.setblocking(False)
            slot = self._slots.take(address[0])
            if slot is None:
                connection.close()
                self._log(
                    "the %s listener has all the connections that it keeps, %d; more are closed", self._slots.count
                )
                continue
            task = self._loop.create_task(self._begin(connection, slot))
            slot.close = partial(_cancel, task)
            self._beginning[task] = connection
            task.add_done_callback(self._begun)

    async def _begin(self, connection: socket.socket, slot: Slot) -> None:
        def make() -> asyncio.BaseProtocol:
            protocol = self._make()
            cast(SlotHolder, protocol).slot = slot
            return protocol

        self._beginning[cast("asyncio.Task[None]", asyncio.current_task())] = None
        begun = False
        try:
            tls = self._tls if self._tls["ssl"] is not None else {}
            # mypy cannot check options of different types in one dict.
            await self._loop.connect_accepted_socket(make, connection, **tls)  # type: ignore[arg-type]
            begun = True
        except (OSError, TimeoutError) as error:
            # Anyone can make a handshake fail, so this is only a debug line.
            log.debug("the %s listener: a connection did not begin: %s", self._name, type(error).__name__)
        finally:
            if not begun:
                slot.leave()

    def _begun(self, task: asyncio.Task[None]) -> None:
        untouched = self._beginning.pop(task)
        if untouched is not None:  # it was cancelled before it ran
            untouched.close()

    def _pause(self, error: OSError) -> None:
        self._log("the %s listener cannot accept connections: %s; raise the limit of open files", error.strerror)
        self._loop.remove_reader(self._listening.fileno())
        self._paused = self._loop.call_later(PAUSE_S, self._open)

    def _log(self, text: str, what: object) -> None:
        now = self._loop.time()
        if now - self._logged_at.get(text, -LOG_EVERY_S) >= LOG_EVERY_S:
            self._logged_at[text] = now
            log.warning(text, self._name, what)


def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
