"""The worker's HTTP: `GET /SIZE` answers with a document of that many bytes. Nothing else is served."""

from functools import cache
from typing import Final

MAX_HEAD: Final = 8192
MAX_DOCUMENT: Final = 10_000_000
_LINE: Final = b"A document of the laboratory, which protects nobody.\n"


@cache
def document(size: int) -> bytes:
    """The document of this size, in bytes."""
    return (_LINE * (size // len(_LINE) + 1))[:size]


class Requests:
    """The requests of one connection."""

    def __init__(self) -> None:
        self._buffered = b""
        self.is_over = False
        """The connection ends after the last answer."""

    def receive(self, data: bytes) -> list[bytes]:
        """The answers to the requests that are complete now."""
        self._buffered += data
        answers = []
        while not self.is_over and b"\r\n\r\n" in self._buffered:
            head, self._buffered = self._buffered.split(b"\r\n\r\n", 1)
            answers.append(self._answer(head))
        if not self.is_over and len(self._buffered) > MAX_HEAD:
            answers.append(self._refusal(b"431 Request Header Fields Too Large"))
        return answers

    def _answer(self, head: bytes) -> bytes:
        line, *fields = head.split(b"\r\n")
        method, _, rest = line.partition(b" ")
        path, _, version = rest.partition(b" ")
        named = {name.strip().lower(): value.strip().lower() for name, _, value in (f.partition(b":") for f in fields)}
        if version not in (b"HTTP/1.1", b"HTTP/1.0"):
            return self._refusal(b"505 HTTP Version Not Supported")
        # A body would be read as the next request.
        if method != b"GET" or b"transfer-encoding" in named or named.get(b"content-length", b"0") != b"0":
            return self._refusal(b"405 Method Not Allowed")
        size = path[1:]
        if not (path[:1] == b"/" and size.isdigit() and len(size) < 9 and int(size) <= MAX_DOCUMENT):
            return self._refusal(b"404 Not Found")
        self.is_over = named.get(b"connection") == b"close" or version == b"HTTP/1.0"
        return _message(b"200 OK", document(int(size)), self.is_over)

    def _refusal(self, status: bytes) -> bytes:
        self.is_over = True
        return _message(status, b"", True)


def _message(status: bytes, body: bytes, is_last: bool) -> bytes:
    connection = b"close" if is_last else b"keep-alive"
    return b"HTTP/1.1 %b\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: %b\r\n\r\n%b" % (
        status,
        len(body),
        connection,
        body,
    )
