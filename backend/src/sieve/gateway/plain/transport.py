"""The plain channel's end of the sender: HTTP/1.1 over kept-open TCP, with the chunks of a lane one after the other.

httpx's own transport sends a request only when the one before was answered, and its head apart from its body. Here a
lane's requests are pipelined on one connection, each in one write, without a copy of the chunk (ADR 7).

Invariant: only the number of answers counts. They pace the sender; their content is ignored, and they extend no
deadline. The caller decides how long to wait, and cancels.
"""

import asyncio
import functools
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, cast

import httptools
import httpx

# Of every transfer under way each plain channel has one.
MAX_CONNECTIONS = 128
# Less than the listener keeps an idle connection (300 s): the one who sends must let go first, or a chunk may meet a
# connection that is just being closed.
KEEP_OPEN_S = 240.0
# Of one answer; ours has about 30 bytes.
MAX_ANSWER = 16 * 1024

Trace: TypeAlias = Callable[[str, dict[str, Any]], Awaitable[None]]


class Connection(asyncio.Protocol):
    """One connection and the requests on it that wait for their answers, in order."""

    def __init__(self, freed: Callable[["Connection"], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._freed = freed
        self._answers: deque[asyncio.Future[None]] = deque()
        self._writing = asyncio.Lock()
        self._drained = asyncio.Event()
        self._drained.set()
        self._parser = httptools.HttpResponseParser(self)
        self._answer_bytes = 0
        self._idle: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport | None = None

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    @property
    def is_idle(self) -> bool:
        return not self._answers and not self._writing.locked()

    async def put(self, head: bytes, chunk: bytes, trace: Trace) -> None:
        """Sends one request; returns when something answered it. Ends the connection if it is cancelled meanwhile.

        Raises:
            httpx.WriteError, httpx.ReadError: the connection is gone.
        """
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        try:
            async with self._writing:
                if self._transport is None or self._transport.is_closing():
                    raise httpx.WriteError("the connection is closed")
                answer = self._loop.create_future()
                self._answers.append(answer)
                await trace("http11.send_request_headers.started", {})
                self._transport.writelines((head, chunk))
                await self._drained.wait()
                await trace("http11.send_request_body.complete", {})
            await answer
        except BaseException:
            # The answer to a half-sent or abandoned request would be taken for that of another.
            self.abort()
            raise
        finally:
            if self.is_idle:
                if self.is_open:
                    self._idle = self._loop.call_later(KEEP_OPEN_S, self.abort)
                self._freed(self)

    def abort(self) -> None:
        """Ends the connection at once."""
        if self._transport is not None:
            self._transport.abort()

    # --- what the loop calls ---------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        # Drained is what is gone to the last byte: the chunk's buffer is used again then.
        self._transport.set_write_buffer_limits(0)
        # Who wanted it may have been cancelled meanwhile.
        self._idle = self._loop.call_later(KEEP_OPEN_S, self.abort)

    def pause_writing(self) -> None:
        self._drained.clear()

    def resume_writing(self) -> None:
        self._drained.set()

    def data_received(self, data: bytes) -> None:
        self._answer_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self.abort()  # not our receiver
        if self._answer_bytes > MAX_ANSWER:
            self.abort()

    def connection_lost(self, _error: Exception | None) -> None:
        if self._idle is not None:
            self._idle.cancel()
        self._drained.set()
        for answer in self._answers:
            if not answer.done():
                answer.set_exception(httpx.ReadError("the connection broke"))
                answer.exception()  # its request may have been given up, so that no caller retrieves it
        self._answers.clear()
        self._freed(self)

    # --- what the parser calls -------------------------------------------------------------------------------------

    def on_message_complete(self) -> None:
        self._answer_bytes = 0
        if not self._answers:
            self.abort()  # an answer to nothing
            return
        answer = self._answers.popleft()
        if not answer.done():
            answer.set_result(None)
        if not self._parser.should_keep_alive():
            self.abort()


class PlainTransport(httpx.AsyncBaseTransport):
    """Plain HTTP to one peer. Used without a client: no cookies, no redirects.

    A request's extensions: `lane`, what its requests are pipelined by; `trace` and `timeout` as with httpx.
    """

    def __init__(self) -> None:
        self.lanes: dict[tuple[str, int, str], asyncio.Task[Connection]] = {}
        self.idle: dict[Connection, tuple[str, int]] = {}
        self.connections: set[Connection] = set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Raises httpx.ConnectError, ConnectTimeout, WriteError or ReadError."""
        trace: Trace = request.extensions["trace"]
        timeout: dict[str, float] = request.extensions["timeout"]
        host, port = request.url.host, request.url.port or 80
        lane = (host, port, request.extensions["lane"])
        connecting = self.lanes.get(lane)
        if connecting is None or (connecting.done() and not _usable(connecting)):
            connecting = self.lanes[lane] = asyncio.create_task(self._connection(host, port, timeout["connect"], trace))
            connecting.add_done_callback(functools.partial(self._set_up, lane))
        # One set-up for all that wait for it: one who is cancelled does not end it for the others.
        connection = await asyncio.shield(connecting)
        self.idle.pop(connection, None)
        lines = [f"{request.method} {request.url.raw_path.decode('ascii')} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in request.headers.items()]
        await connection.put("\r\n".join((*lines, "", "")).encode("ascii"), request.content, trace)
        return httpx.Response(200)

    async def _connection(self, host: str, port: int, connect_s: float, trace: Trace) -> Connection:
        for connection, origin in list(self.idle.items()):
            if origin == (host, port) and connection.is_open:
                del self.idle[connection]
                return connection
        if len(self.connections) >= MAX_CONNECTIONS:
            raise httpx.ConnectError("too many plain connections to this peer")
        connection = Connection(self._freed)
        await trace("connection.connect_tcp.started", {})
        try:
            async with asyncio.timeout(connect_s):
                await asyncio.get_running_loop().create_connection(lambda: connection, host, port)
        except TimeoutError:
            raise httpx.ConnectTimeout(f"no connection within {connect_s:.0f} s") from None
        except OSError as error:
            raise httpx.ConnectError(error.strerror or "the connection was refused") from error
        self.connections.add(connection)
        await trace("connection.connect_tcp.complete", {})
        return connection

    def _set_up(self, lane: tuple[str, int, str], connecting: "asyncio.Task[Connection]") -> None:
        """A set-up is over. One that failed is forgotten, also if nobody waits for it any more."""
        if not _usable(connecting) and self.lanes.get(lane) is connecting:
            del self.lanes[lane]

    def _freed(self, connection: Connection) -> None:
        """Nothing waits on it any more: another lane may have it, unless it is gone."""
        for lane, connecting in list(self.lanes.items()):
            if not connecting.done():
                continue
            if not _usable(connecting):
                del self.lanes[lane]
            elif connecting.result() is connection:
                del self.lanes[lane]
                self.idle[connection] = lane[:2]
        if not connection.is_open:
            self.idle.pop(connection, None)
            self.connections.discard(connection)

    async def aclose(self) -> None:
        """Ends every connection."""
        for task in self.lanes.values():
            task.cancel()
        await asyncio.gather(*self.lanes.values(), return_exceptions=True)
        self.lanes.clear()
        for connection in list(self.connections):
            connection.abort()


def _usable(connecting: "asyncio.Task[Connection]") -> bool:
    """Whether a set-up that is over gave a connection that is still open."""
    return not connecting.cancelled() and connecting.exception() is None and connecting.result().is_open
