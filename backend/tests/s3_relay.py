"""A relay before an S3 server: it counts requests, and can hold them back, be cut, or answer by itself."""

import re
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Self

_REQUEST: Final = re.compile(rb"(?:^|\n)(GET|PUT|POST|HEAD|DELETE) (/\S*) HTTP/1\.1\r")


class S3Relay:
    """Use it in a `with` block. A request is its method and path, and `if-none-match` if it has that header."""

    def __init__(self, endpoint: str) -> None:
        host, _, port = endpoint.removeprefix("http://").partition(":")
        self._server = (host, int(port))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self.requests: list[str] = []
        self.hold: Callable[[str], object] = lambda request: None
        """Called with each request, which goes on when it returns."""
        self.cut_at: Callable[[str], bool] = lambda request: False
        """Whether a request breaks its connection."""
        self.answer: Callable[[str], str | None] = lambda request: None
        """The status and the code in answer to a request, such as `507 InsufficientStorage`."""

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for each in list(self._open):
            self._end(each)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._server)
                self._open |= {client, server}
                threading.Thread(target=self._up, args=(client, server), daemon=True).start()
                threading.Thread(target=self._down, args=(server, client), daemon=True).start()

    def _up(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := client.recv(65536):
                for method, path in _REQUEST.findall(data):
                    request = f"{method.decode()} {path.decode()}"
                    if b"if-none-match" in data.lower():
                        request += " if-none-match"
                    self.requests.append(request)
                    self.hold(request)
                    if self.cut_at(request):
                        raise OSError("cut")
                    if (says := self.answer(request)) is not None:
                        status, _, code = says.partition(" ")
                        body = f"<Error><Code>{code}</Code></Error>"
                        head = f"HTTP/1.1 {status} X\r\nETag: x\r\nContent-Length: {len(body)}\r\nConnection: close"
                        client.sendall(f"{head}\r\n\r\n{body}".encode())
                        raise OSError("answered")
                server.sendall(data)
        self._end(client)
        self._end(server)

    def _down(self, server: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while data := server.recv(65536):
                client.sendall(data)
        self._end(client)
        self._end(server)

    def _end(self, each: socket.socket) -> None:
        self._open.discard(each)
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
        each.close()
