"""The secure channel's transport: httpx's own, with the peer's pin and expiry checked on every connection.

httpx cannot check who is at the other end, so a network backend of httpcore does: it checks the certificate right after
the handshake, before it sends a byte.
"""

import asyncio
import ssl
import sys
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from importlib.util import find_spec
from types import ModuleType
from typing import Any, TypeAlias, cast

import httpcore
import httpx
from httpcore._backends.auto import (
    AutoBackend,
)  # httpcore exports the base class but not the backend that it uses itself
from httpcore._utils import is_socket_readable

from sieve import addresses
from sieve.gateway.errors import WrongPeer

# One for each secure channel of every transfer in progress, and some for other requests.
MAX_CONNECTIONS_PER_PEER = 192
# Less than the 300 s for which listeners keep an idle connection: the client must close first, or a request may meet a
# connection that is just being closed.
KEEP_OPEN_S = 240.0

# How long an abandoned connection may take to be made when the transport closes.
LAST_CONNECT_S = 1.0

PinCheck = Callable[[bytes], None]
"""Gets the peer's certificate (DER); raises WrongPeer unless it is the intended peer's."""
_Admit: TypeAlias = Callable[[httpcore.AsyncNetworkStream], Awaitable[None]]


# httpcore tries to import sniffio several times for each request, to distinguish trio from asyncio. If it is not
# installed, each try searches the whole path, 0.2 ms a request; None ends the search at once.
if "sniffio" not in sys.modules and find_spec("sniffio") is None:
    cast(dict[str, ModuleType | None], sys.modules)["sniffio"] = None  # Python allows it, typeshed does not


class _SecuredStream(httpcore.AsyncNetworkStream):
    """A stream under TLS that finds its socket once. The pool asks each idle connection twice for each request whether
    the peer has closed it, and anyio takes ten times as long to find the socket as the kernel to answer."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream
        self._socket = stream.get_extra_info("socket")
        # The stream's own methods, so that nothing is between them and the pool.
        self.read, self.write = stream.read, stream.write  # type: ignore[method-assign]  # the same signatures

    async def aclose(self) -> None:
        self._socket = None  # without one, the pool takes the connection for closed
        await self._stream.aclose()

    def get_extra_info(self, info: str) -> Any:
        return is_socket_readable(self._socket) if info == "is_readable" else self._stream.get_extra_info(info)


class _CheckedStream(httpcore.AsyncNetworkStream):
    """Calls `admit` for each stream, and checks its certificate, before it carries anything."""

    def __init__(self, stream: httpcore.AsyncNetworkStream, check: PinCheck, admit: _Admit) -> None:
        self._stream, self._check, self._admit = stream, check, admit

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return await self._stream.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        try:
            stream = await self._stream.start_tls(ssl_context, server_hostname, timeout)
        except asyncio.CancelledError:
            # httpcore closes it after every other failure of a handshake.
            await self._stream.aclose()
            raise
        await self._admit(stream)
        certificate = stream.get_extra_info("ssl_object").getpeercert(binary_form=True)
        try:
            self._check(certificate or b"")
        except WrongPeer:
            await stream.aclose()
            raise
        return _SecuredStream(stream)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _CheckedBackend(httpcore.AsyncNetworkBackend):
    def __init__(self, check: PinCheck, *, loopback_only: bool) -> None:
        self._inner, self._check, self._loopback_only = AutoBackend(), check, loopback_only
        self._given_up: set[asyncio.Task[None]] = set()
        self.is_closed = False

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        connecting = asyncio.create_task(self._inner.connect_tcp(host, port, timeout, local_address, socket_options))
        try:
            stream = await asyncio.shield(connecting)
        except asyncio.CancelledError:
            # In a task: cancelled at the wrong moment, anyio would lose the connection that it has just made.
            closing = asyncio.create_task(_close(connecting))
            self._given_up.add(closing)
            closing.add_done_callback(self._given_up.discard)
            raise
        await self._admit(stream)
        if self._loopback_only and not addresses.is_loopback(stream.get_extra_info("server_addr")[0]):
            await stream.aclose()
            raise WrongPeer(
                "SIEVE_RESEARCH_TLS_CIPHERS is for gateways of one machine, and this peer is at another; unset it"
            )
        return _CheckedStream(stream, self._check, self._admit)

    async def _admit(self, stream: httpcore.AsyncNetworkStream) -> None:
        """Closes a connection that was made after the transport closed, because the pool no longer closes it.

        Raises:
            httpcore.ConnectError: the transport is closed.
        """
        if self.is_closed:
            await stream.aclose()
            raise httpcore.ConnectError("the link was closed in the meantime")

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)

    async def aclose(self) -> None:
        """Closes abandoned connections. It waits before it cancels them: see `connect_tcp`."""
        if self._given_up:
            await asyncio.wait(self._given_up, timeout=LAST_CONNECT_S)
        for closing in self._given_up:
            closing.cancel()
        await asyncio.gather(*self._given_up, return_exceptions=True)


async def _close(connecting: asyncio.Task[httpcore.AsyncNetworkStream]) -> None:
    """Closes an abandoned connection once it is made."""
    with suppress(httpcore.TimeoutException, httpcore.NetworkError):
        stream = await connecting
        await stream.aclose()


class SecureTransport(httpx.AsyncHTTPTransport):
    """HTTPS to one peer over connections that stay open. `check` gets each one's certificate before it is used."""

    def __init__(self, context: ssl.SSLContext, check: PinCheck, *, loopback_only: bool = False) -> None:
        super().__init__(verify=context, trust_env=False)
        self._backend = _CheckedBackend(check, loopback_only=loopback_only)
        # httpx passes no network backend on; its pool is otherwise made with the same arguments.
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context,
            max_connections=MAX_CONNECTIONS_PER_PEER,
            max_keepalive_connections=MAX_CONNECTIONS_PER_PEER,
            keepalive_expiry=KEEP_OPEN_S,
            network_backend=self._backend,
        )

    @property
    def has_connection(self) -> bool:
        """Whether a connection is open."""
        return any(not each.is_closed() and not each.has_expired() for each in self._pool.connections)

    async def close_idle(self) -> None:
        """Closes the connections that carry nothing just now."""
        for each in self._pool.connections:
            if each.is_idle():
                await each.aclose()

    async def aclose(self) -> None:
        """Closes every connection; none can be opened after that."""
        self._backend.is_closed = True
        await super().aclose()
        await self._backend.aclose()
