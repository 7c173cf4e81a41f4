"""A receiver of syslog messages over TLS (RFC 5425).

The protocol has no acknowledgement. Each batch therefore has a connection of its own: the receiver must read every
message before it answers the end of the connection with its own (`close_notify`), which RFC 5425 requires of it. Some
receivers only close the connection. That counts, too, unless this one has answered properly before: then it was
stopped.
"""

import asyncio
import os
import socket
import ssl
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from sieve.gateway.auditing.forwarded_entry import ForwardedEntry, framed
from sieve.gateway.errors import ForwardingFailed

LIMIT_S: Final = 30.0
"""Seconds for one batch."""
_AT_ONCE: Final = 1 << 16


class SyslogReceiver:
    """`gateway`: this gateway's name, which messages give as their host."""

    def __init__(self, host: str, port: int, context: ssl.SSLContext, gateway: str) -> None:
        self.name = f"{host}:{port}"
        self._host, self._port, self._context, self._gateway = host, port, context, gateway
        self._answers = False
        """Whether it has answered the end of a connection with `close_notify`."""

    async def last(self) -> tuple[int, str] | None:
        """Nothing: a receiver does not say what it has."""
        return None

    async def send(self, entries: Sequence[ForwardedEntry]) -> None:
        """Sends entries; returns when the receiver has read them all.

        Raises:
            ForwardingFailed: perhaps it has not.
        """
        try:
            async with asyncio.timeout(LIMIT_S):
                await self._send(b"".join(framed(entry.syslog(self._gateway)) for entry in entries))
        except TimeoutError as error:
            raise ForwardingFailed(f"it did not take the entries within {LIMIT_S:.0f} s") from error
        except ssl.SSLCertVerificationError as error:
            raise ForwardingFailed(f"its certificate is not valid: {error.verify_message}") from error
        except ssl.SSLError as error:
            raise ForwardingFailed(f"TLS failed: {error.reason or 'the connection ended'}") from error
        except OSError as error:
            raise ForwardingFailed(f"it cannot be reached: {_reason(error)}") from error

    async def _send(self, data: bytes) -> None:
        reader, writer = await asyncio.open_connection(self._host, self._port)
        try:
            tls = _Tls(self._context, self._host, reader, writer)
            await tls.do(tls.connection.do_handshake)
            for start in range(0, len(data), _AT_ONCE):
                piece = data[start : start + _AT_ONCE]
                await tls.do(partial(tls.connection.write, piece))
            try:
                await tls.end()
            except ssl.SSLEOFError:
                if self._answers:
                    raise
            else:
                self._answers = True
        finally:
            writer.transport.abort()


def _reason(error: OSError) -> str:
    """Not asyncio's text, which names the address."""
    if isinstance(error, socket.gaierror):
        return error.strerror or "its name is not known"
    return os.strerror(error.errno) if error.errno is not None else "the connection failed"


class _Tls:
    """TLS over a pair of streams. asyncio's own does not tell whether the other end answered `close_notify`."""

    def __init__(
        self, context: ssl.SSLContext, host: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._reader, self._writer = reader, writer
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.connection = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host)

    async def do(self, operation: Callable[[], object]) -> None:
        """Repeats an operation of the connection until it has what it needs from the other end."""
        while True:
            try:
                operation()
            except ssl.SSLWantReadError:
                await self._flush()
            else:
                await self._flush()
                return
            if received := await self._reader.read(_AT_ONCE):
                self._incoming.write(received)
            else:
                self._incoming.write_eof()

    async def end(self) -> None:
        """Ends the connection and waits for the other end's `close_notify`.

        Raises:
            ssl.SSLError: another alert came, such as one that refuses our certificate, or none.
        """
        # It only sends ours, since nothing was read yet. It would take any alert for the other end's.
        with suppress(ssl.SSLWantReadError):
            self.connection.unwrap()
        await self.do(self._read_to_the_end)

    def _read_to_the_end(self) -> None:
        with suppress(ssl.SSLZeroReturnError):
            while self.connection.read(_AT_ONCE):
                pass

    async def _flush(self) -> None:
        self._writer.write(self._outgoing.read())
        await self._writer.drain()
