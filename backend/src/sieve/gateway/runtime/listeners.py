"""The listeners in front of the apps: bound sockets, limits for connections, and the peer's certificate.

uvicorn limits neither silent connections nor the size of a request's head, and puts no peer certificate into the scope.
`QuietServer` counts connections (`acceptor`, `connection_slots`), `GuardedProtocol` limits heads and what follows a
response, `SecureProtocol` adds the certificate and the TLS connection.
"""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, cast

import uvicorn
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.server import ServerState

from sieve import addresses
from sieve.gateway.errors import StartError
from sieve.gateway.runtime.acceptor import Acceptor
from sieve.gateway.runtime.connection_slots import Slot, Slots
from sieve.gateway.runtime.file_descriptors import MAX_CONNECTIONS

MAX_HEAD_BYTES = 16 * 1024
_AROUND_A_HEADER: Final = len(": \r\n")
PEER_CERTIFICATE = "sieve.peer_certificate"
"""Key of the scope under which the peer's certificate (DER) is stored."""
TLS_CONNECTION = "sieve.tls_connection"
"""Key of the scope under which the connection's `ssl.SSLObject` is stored."""


def bind(address: str) -> socket.socket:
    """A listening socket on `host:port`; port 0 takes a free one.

    Raises:
        StartError: the address cannot be used.
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


@dataclass(frozen=True, slots=True)
class Guarding:
    """The limits of a listener: seconds for a TLS handshake, for a request's head, and for the rest of a body after the
    response. `peer_of`: the id of the peer with a certificate (DER), if any. `is_our_host`: whether the listener serves
    a Host header, in lower case.
    """

    handshake_s: float = 10.0
    head_deadline_s: float = 10.0
    drain_s: float = 300.0
    peer_of: Callable[[bytes], str | None] = lambda _certificate: None
    is_our_host: Callable[[str], bool] = lambda _host: True


class _Unfit(Exception):
    """A request's head is refused; the text is the response. httptools stops parsing."""

    def __init__(self, status: int, says: str) -> None:
        super().__init__(says)
        self.status = status


class GuardedProtocol(HttpToolsProtocol):
    """Closes connections with late or long request heads, refuses heads without exactly one valid Host, and closes
    connections whose client continues to send after the response.
    """

    slot: Slot

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # uvicorn passes only its configuration to protocols; `server` added this to it.
        self._guarding: Guarding = self.config.guarding  # type: ignore[attr-defined]
        self.slot.close = transport.abort
        self._unread_bytes = self._head_bytes = 0
        self._refused: _Unfit | None = None
        self._head_timer: asyncio.TimerHandle | None = None
        self.drain_timer: asyncio.TimerHandle | None = None
        """Runs while the rest of a body is discarded."""
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self.slot.leave()
        self._head_arrived()
        self._drained()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        # Everything except bodies counts: heads, trailers and chunk extensions, which uvicorn does not limit either.
        # Bytes after the end of a head or body in the same piece do not count; that is one piece at most.
        self._unread_bytes += len(data)
        super().data_received(data)
        if self._unread_bytes > MAX_HEAD_BYTES:
            self.transport.abort()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head_bytes = 0
        if self._head_timer is None:
            self._await_head()

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        self._head_bytes += len(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        self._head_bytes += len(name) + len(value) + _AROUND_A_HEADER

    def on_headers_complete(self) -> None:
        self._check_head()
        self._unread_bytes = 0
        self._head_arrived()
        super().on_headers_complete()
        # Closing it directly would cut off the response for a client that is still sending.
        self.cycle.transport = cast(asyncio.Transport, _ClosingGently(self, self.transport))

    def _check_head(self) -> None:
        hosts = [value for name, value in self.headers if name == b"host"]
        if self._head_bytes > MAX_HEAD_BYTES:
            self._refused = _Unfit(431, "the request's head is too large")
        elif len(hosts) > 1 or (not hosts and self.parser.get_http_version() != "1.0"):
            self._refused = _Unfit(400, "a request has one Host header")
        elif hosts and not self._guarding.is_our_host(hosts[0].decode("latin-1").lower()):
            self._refused = _Unfit(421, "this gateway does not serve that host; see SIEVE_ALLOWED_HOSTS")
        if self._refused is not None:
            raise self._refused

    def send_400_response(self, msg: str) -> None:
        if self._refused is None:
            super().send_400_response(msg)
            return
        text = str(self._refused).encode()
        head = STATUS_LINE[self._refused.status] + b"content-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
        self.transport.write(head + b"content-length: %d\r\n\r\n" % len(text) + text)
        self.transport.close()

    def on_body(self, body: bytes) -> None:
        self._unread_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unread_bytes = 0
        if self.drain_timer is not None and not self.cycle.keep_alive:
            self.transport.close()
        self._drained()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.slot.idle(True)
        # The response came before the end of the body. The rest is read and discarded, so that the response arrives.
        # Each byte of it extends an idle connection, so it needs a separate deadline.
        if self.cycle.response_complete and self.cycle.more_body and self.cycle.keep_alive:
            self.drain(self._guarding.drain_s)

    def drain(self, within_s: float) -> None:
        """Discards the rest of the body, for `within_s` at most."""
        self._drained()
        self.flow.resume_reading()
        self.drain_timer = self.loop.call_later(within_s, self.transport.abort)

    def end_gently(self) -> None:
        """Closes the connection once its client has the response. Closing a socket with unread bytes would reset the
        connection, and the response might be lost (RFC 9112, 9.6), so the rest of the body is read.
        """
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.drain(self._guarding.head_deadline_s)

    def shutdown(self) -> None:
        # On an idle connection, the TLS close would wait for a reply from the client's pool. Nothing is lost here.
        idle = self.cycle is None or self.cycle.response_complete
        if idle and not self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            super().shutdown()

    def _await_head(self) -> None:
        self.slot.idle(True)
        self._head_timer = self.loop.call_later(self._guarding.head_deadline_s, self.transport.abort)

    def _head_arrived(self) -> None:
        self.slot.idle(False)
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _drained(self) -> None:
        if self.drain_timer is not None:
            self.drain_timer.cancel()
            self.drain_timer = None


class _ClosingGently:
    """The transport for a response: `close` waits for an unfinished body."""

    def __init__(self, protocol: GuardedProtocol, transport: asyncio.Transport) -> None:
        self._protocol, self._transport, self._cycle = protocol, transport, protocol.cycle
        self.write, self.is_closing = transport.write, transport.is_closing

    def close(self) -> None:
        if not (self._cycle.response_complete and self._cycle.more_body):
            self._transport.close()
        elif not self._transport.is_closing():
            self._protocol.end_gently()


class SecureProtocol(GuardedProtocol):
    """Puts the TLS connection and the peer's certificate into the scope of each request, and lets the gateway close a
    peer's connections.
    """

    certificate: bytes = b""
    tls: ssl.SSLObject | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.tls = transport.get_extra_info("ssl_object")
        self.certificate = self.tls.getpeercert(binary_form=True) or b"" if self.tls else b""
        super().connection_made(transport)
        peer = self._guarding.peer_of(self.certificate)
        if peer is not None and not self.slot.settle(peer):
            transport.abort()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        cast("dict[str, object]", self.scope).update({PEER_CERTIFICATE: self.certificate, TLS_CONNECTION: self.tls})


class QuietServer(uvicorn.Server):
    """uvicorn with an `Acceptor` for each socket and without signal handlers: several servers share one process, and
    `main` decides when they end.
    """

    def __init__(self, config: Config, slots: Slots, name: str, handshake_s: float) -> None:
        super().__init__(config)
        self.slots, self._name, self._handshake_s = slots, name, handshake_s

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accepts from `sockets`, which are bound and listen."""
        config = self.config
        protocol = cast(Callable[..., asyncio.BaseProtocol], config.http_protocol_class)

        def make() -> asyncio.BaseProtocol:
            return protocol(config=config, server_state=self.server_state, app_state={})

        # uvicorn only calls `close` and `wait_closed` of its servers.
        self.servers = [
            cast(
                asyncio.base_events.Server,
                Acceptor(sock, self.slots, make, name=self._name, context=config.ssl, handshake_s=self._handshake_s),
            )
            for sock in sockets or []
        ]
        self.started = True


def server(
    app: Callable[..., Any],
    *,
    protocol: Callable[..., asyncio.BaseProtocol] = GuardedProtocol,
    guarding: Guarding = Guarding(),
    slots: Slots | None = None,
    name: str = "web",
    context: ssl.SSLContext | None = None,
    keep_alive_s: int = 300,
    trusted_proxy: str | None = None,
) -> QuietServer:
    """A uvicorn server for `app`; run it with `serve(sockets=[...])`. Logs no requests, because paths may hold handles.

    `slots`: for its connections. `name`: of the listener in the log. `trusted_proxy`: addresses and networks, with
    commas, whose forwarded client address and scheme are trusted; none if None.
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
        # Set explicitly, because by default uvicorn trusts this machine and FORWARDED_ALLOW_IPS.
        proxy_headers=trusted_proxy is not None,
        forwarded_allow_ips=trusted_proxy or "",
        ssl_context_factory=(lambda _config, _default: context) if context else None,
    )
    config.guarding = guarding  # type: ignore[attr-defined]  # see connection_made
    return QuietServer(config, slots or Slots(MAX_CONNECTIONS, MAX_CONNECTIONS), name, guarding.handshake_s)


def drop_connections(state: ServerState, unwanted: Callable[[bytes], bool]) -> int:
    """Closes every open connection whose peer certificate is `unwanted`; returns how many."""
    dropped = 0
    for connection in list(state.connections):
        if isinstance(connection, SecureProtocol) and unwanted(connection.certificate):
            connection.transport.abort()
            dropped += 1
    return dropped
