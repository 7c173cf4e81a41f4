"""What stands before the apps: bound sockets, guarded connections, and who is at the other end.

uvicorn puts no limit on connections that say nothing, nor on the size of a request's head, and no peer certificate in
the scope. `GuardedProtocol` mends the first two, `SecureProtocol` the third."""

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import Callable, Iterator
from typing import Any, cast

import uvicorn
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from sieve import addresses
from sieve.gateway.errors import StartError

log = logging.getLogger(__name__)

MAX_HEAD_BYTES = 16 * 1024
PEER_CERTIFICATE = "sieve.peer_certificate"
"""Key of the scope under which the peer's certificate (DER) stands."""


def bind(address: str) -> socket.socket:
    """A listening socket on `host:port`; port 0 takes a free one.

    Raises:
        StartError: the address cannot be had; says which and why.
    """
    try:
        # Not int(port) alone: the resolver takes 70000 for 4464.
        host, port = addresses.bind(address)
        family, kind, protocol, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        sock = socket.socket(family, kind, protocol)
    except (OSError, ValueError) as error:
        raise StartError(f"cannot listen on {address}: {error}; give an address as host:port") from error
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(where)
        sock.listen(512)
        sock.setblocking(False)
    except OSError as error:
        sock.close()
        reason = error.strerror or str(error)
        raise StartError(
            f"cannot listen on {address}: {reason}; stop what holds it or choose another address"
        ) from error
    return sock


def address_of(sock: socket.socket) -> str:
    """`host:port` of a bound socket."""
    host, port = sock.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


class GuardedProtocol(HttpToolsProtocol):
    """Cuts a connection whose request head is late or long, and turns away those over the limit.

    `max_connections`, `head_deadline_s` and `drain_s` come from the server's config object (see `server`).
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._unread_bytes = 0
        self._head_timer: asyncio.TimerHandle | None = None
        self._drain_timer: asyncio.TimerHandle | None = None
        if len(self.connections) > getattr(self.config, "max_connections", 1000):
            transport.abort()
            return
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_arrived()
        self._drained()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        # Whatever is no body counts: heads, but also trailers and the extensions of chunks, which have no limit either.
        # What a piece holds behind the end of a head or of some body is not counted; that is one piece at most.
        self._unread_bytes += len(data)
        super().data_received(data)
        if self._unread_bytes > MAX_HEAD_BYTES:
            self.transport.abort()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._head_timer is None:
            self._await_head()

    def on_headers_complete(self) -> None:
        self._unread_bytes = 0
        self._head_arrived()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unread_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unread_bytes = 0
        self._drained()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        # Answered before its body was whole. The rest is read and thrown away, so that the answer gets through; but
        # each byte of it puts off the end of an idle connection, so it needs a deadline of its own.
        if self.cycle.response_complete and self.cycle.more_body and not self.transport.is_closing():
            self._drained()
            drain_s = getattr(self.config, "drain_s", 300.0)
            self._drain_timer = self.loop.call_later(drain_s, self.transport.abort)

    def shutdown(self) -> None:
        # An idle connection of the other end's pool would keep a TLS close waiting for an answer; nothing is lost here.
        idle = self.cycle is None or self.cycle.response_complete
        if idle and not self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            super().shutdown()

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(getattr(self.config, "head_deadline_s", 10.0), self.transport.abort)

    def _head_arrived(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _drained(self) -> None:
        if self._drain_timer is not None:
            self._drain_timer.cancel()
            self._drain_timer = None


class SecureProtocol(GuardedProtocol):
    """Puts the peer's certificate into the scope of each request, and lets the gateway drop a peer's connections."""

    certificate: bytes = b""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        ssl_object = transport.get_extra_info("ssl_object")
        self.certificate = ssl_object.getpeercert(binary_form=True) or b"" if ssl_object else b""
        super().connection_made(transport)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        cast("dict[str, object]", self.scope)[PEER_CERTIFICATE] = self.certificate


class QuietServer(uvicorn.Server):
    """uvicorn without its signal handlers: several servers share one process, and `main` decides when they end."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def server(
    app: Callable[..., Any],
    *,
    protocol: Callable[..., asyncio.BaseProtocol] = GuardedProtocol,
    context: ssl.SSLContext | None = None,
    max_connections: int = 1000,
    head_deadline_s: float = 10.0,
    drain_s: float = 300.0,
    keep_alive_s: int = 300,
    trusted_proxy: str | None = None,
) -> QuietServer:
    """A uvicorn server for `app`, to be run with `serve(sockets=[...])`. Logs no requests: paths may hold handles.

    `trusted_proxy`: addresses and networks, with commas, whose word on where a request comes from, and on whether by
    https, counts; nobody's if None.
    """
    config = Config(
        app,
        http=cast(type[asyncio.Protocol], protocol),
        ws="none",
        loop="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
        date_header=False,
        timeout_keep_alive=keep_alive_s,
        timeout_graceful_shutdown=3,
        # Said, because uvicorn by itself believes whoever is on this machine, and FORWARDED_ALLOW_IPS.
        proxy_headers=trusted_proxy is not None,
        forwarded_allow_ips=trusted_proxy or "",
        ssl_context_factory=(lambda _config, _default: context) if context else None,
    )
    config.max_connections = max_connections  # type: ignore[attr-defined]
    config.head_deadline_s = head_deadline_s  # type: ignore[attr-defined]
    config.drain_s = drain_s  # type: ignore[attr-defined]
    return QuietServer(config)


def drop_connections(state: ServerState, unwanted: Callable[[bytes], bool]) -> int:
    """Cuts every open connection whose peer certificate is `unwanted`; returns how many."""
    dropped = 0
    for connection in list(state.connections):
        if isinstance(connection, SecureProtocol) and unwanted(connection.certificate):
            connection.transport.abort()
            dropped += 1
    return dropped
