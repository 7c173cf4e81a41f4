"""The messages between gateway and reading process: a head of JSON, and parts of bytes whose sizes it gives.

    length of the head (4 bytes, big-endian) ‖ head ‖ part ‖ part ...

Invariant: neither side trusts the other. The receiver limits how much it accepts, and decodes nothing but JSON.
"""

import json
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, TypeAlias

MAX_HEAD: Final = 1024 * 1024
MAX_PARTS: Final = 64

PIECE: Final = 256 * 1024

Piece: TypeAlias = bytes | memoryview
Sink: TypeAlias = Callable[[memoryview], object]
"""Takes bytes as they arrive. The caller reuses the memory afterwards."""


class Part(NamedTuple):
    """Bytes to send: their number, and an iterable of them."""

    size: int
    pieces: Iterable[Piece]

    @classmethod
    def of(cls, data: bytes) -> "Part":
        """These bytes."""
        return cls(len(data), (data,))


class Message(NamedTuple):
    """A received message. Parts that went to a sink are empty here."""

    head: dict[str, Any]
    parts: list[bytes]


class InvalidMessage(Exception):
    """The received bytes are no message, or too large a one."""


class Disconnected(Exception):
    """The other end is gone. Errors of this end, in sources or sinks of parts, are raised as they are."""


class TimedOut(Disconnected):
    """The other end did not send or receive in time."""


class Wire:
    """One end of the pair. Blocking.

    `until`: when any call raises TimedOut, by the monotonic clock; None for never.
    """

    def __init__(self, end: socket.socket) -> None:
        self._socket = end
        self.until: float | None = None

    def idle(self, seconds: float) -> None:
        """Waits for a message to begin.

        Raises:
            Disconnected: none begins in time, or the other end is gone.
        """
        with _translated():
            self._socket.settimeout(seconds)
            self._socket.recv(1, socket.MSG_PEEK)

    def fileno(self) -> int:
        """The descriptor of this end. It can be read once a message begins, or the other end is gone."""
        return self._socket.fileno()

    def close(self) -> None:
        """Closes this end, which the other end notices."""
        self._socket.close()

    def send(self, head: dict[str, Any], parts: Sequence[Part] = ()) -> None:
        """Sends one message.

        Raises:
            Disconnected: the other end is gone, or it took too long.
            ValueError: a part is not as long as it says. Also the errors of its pieces.
        """
        encoded = json.dumps({**head, "parts": [part.size for part in parts]}).encode()
        self._send(len(encoded).to_bytes(4, "big") + encoded)
        for part in parts:
            left = part.size
            for piece in part.pieces:
                left -= len(piece)
                if left < 0:
                    break
                self._send(piece)
            if left:
                raise ValueError("a part does not have its announced length")

    def receive(self, most: int, into: Sink | None = None) -> Message:
        """The next message, whose parts have at most `most` bytes together. `into`: receives them instead of memory.

        Raises:
            Disconnected: the other end is gone, or it took too long.
            InvalidMessage: it is no message, or too large. Also the errors of `into`.
        """
        size = int.from_bytes(self._receive(4), "big")
        if size > MAX_HEAD:
            raise InvalidMessage
        try:
            head = json.loads(self._receive(size))
            sizes = head.pop("parts")
            fits = len(sizes) <= MAX_PARTS and all(type(size) is int and size >= 0 for size in sizes)
        except (ValueError, RecursionError, KeyError, AttributeError, TypeError):
            raise InvalidMessage from None
        if not fits or sum(sizes) > most:
            raise InvalidMessage
        return Message(head, [self._receive(size) if into is None else self._pass_on(size, into) for size in sizes])

    def _send(self, data: Piece) -> None:
        with _translated():
            self._socket.settimeout(self._left())
            self._socket.sendall(data)

    def _receive(self, size: int) -> bytes:
        data = bytearray(size)
        self._fill(memoryview(data))
        return bytes(data)

    def _pass_on(self, size: int, into: Sink) -> bytes:
        piece = memoryview(bytearray(min(size, PIECE)))
        for start in range(0, size, PIECE):
            filled = piece[: size - start]
            self._fill(filled)
            into(filled)
        return b""

    def _fill(self, view: memoryview) -> None:
        while view:
            with _translated():
                self._socket.settimeout(self._left())
                count = self._socket.recv_into(view)
            if not count:
                raise Disconnected
            view = view[count:]

    def _left(self) -> float | None:
        if self.until is None:
            return None
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimedOut
        return left


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise TimedOut from error
    except OSError as error:
        raise Disconnected from error
