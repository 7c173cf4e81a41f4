"""How a second terminal stops and starts gateways of a running demo: a socket in the demo's folder.

A connection carries one request, a line `stop NAME` or `start NAME`, and one answer, a line of JSON.
"""

import json
import os
import select
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, Self

from sieve.demo.gateways import START_S, DemoError

_NAME: Final = "demo.socket"
_REQUEST_BYTES: Final = 200
_REQUEST_S: Final = 5.0
# The demo may be sending its history, and then stops or starts a gateway.
_ANSWER_S: Final = 3 * START_S


class Control:
    """The running demo's end of the socket, to use as a context manager."""

    def __init__(self, folder: Path) -> None:
        """`folder`: the demo's, with mode 0700, so that nobody else reaches the socket.

        Raises:
            DemoError: a demo runs in this folder already.
        """
        self._folder = folder
        try:
            with _connected(folder):
                raise DemoError(f"a demo already runs in {folder}; stop it with Ctrl-C there, or name another --data")
        except (FileNotFoundError, ConnectionRefusedError):
            (folder / _NAME).unlink(missing_ok=True)
        self._socket = socket.socket(socket.AF_UNIX)
        with short_path(folder) as path:
            self._socket.bind(path)
        self._socket.listen()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        (self._folder / _NAME).unlink(missing_ok=True)

    def wait(self, seconds: float, keyboard: IO[str] | None) -> IO[str] | None:
        """Waits for a request or for a line on `keyboard`, but no longer than `seconds`; returns `keyboard` if it has
        a line.
        """
        waited: list[socket.socket | IO[str]] = [self._socket]
        if keyboard is not None:
            waited.append(keyboard)
        ready, _, _ = select.select(waited, [], [], seconds)
        return keyboard if keyboard in ready else None

    def answer(self, act: Callable[[str, str], dict[str, Any]]) -> None:
        """Answers the next request with what `act` returns for its words, if one waits."""
        if not select.select([self._socket], [], [], 0)[0]:
            return
        connection, _ = self._socket.accept()
        with connection:
            connection.settimeout(_REQUEST_S)
            try:
                with connection.makefile("rb") as lines:
                    verb, _, name = lines.readline(_REQUEST_BYTES).decode().strip().partition(" ")
                try:
                    said = act(verb, name)
                except DemoError as error:
                    said = {"error": str(error)}
                connection.sendall(json.dumps(said).encode() + b"\n")
            except (OSError, UnicodeDecodeError):
                return  # the other side has gone, or is no `sieve demo`


def ask(folder: Path, verb: str, name: str) -> dict[str, Any]:
    """Asks the demo that runs in `folder` to `stop` or `start` a gateway; returns its answer.

    Raises:
        DemoError: no demo runs there, or it refuses.
    """
    try:
        with _connected(folder) as connection:
            connection.settimeout(_ANSWER_S)
            connection.sendall(f"{verb} {name}\n".encode())
            with connection.makefile("rb") as lines:
                said: dict[str, Any] = json.loads(lines.readline())
    except (FileNotFoundError, ConnectionRefusedError):
        raise DemoError(f"no demo runs in {folder}; start it with `sieve demo`, or name its --data") from None
    except (OSError, ValueError):
        raise DemoError(f"the demo in {folder} did not answer; look at its terminal") from None
    if "error" in said:
        raise DemoError(said["error"])
    return said


@contextmanager
def _connected(folder: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as connection:
        with short_path(folder) as path:
            connection.connect(path)
        yield connection


@contextmanager
def short_path(folder: Path) -> Iterator[str]:
    """The socket's path, short enough for a socket whatever the folder's length is."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{opened}/{_NAME}"
    finally:
        os.close(opened)
