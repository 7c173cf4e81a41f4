"""The reading process: no key, no database, no route; it answers one request after the other until the pair closes.

Started by `child`, which passes one end of a socket pair. It says nothing but answers, and logs nothing: what it could
say of a defect might quote the file, so only the defect's kind and the line of ours where it came up go back.
"""

import argparse
import json
import os
import socket
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from sieve.core.errors import SieveError
from sieve.gateway.reading.limits import (
    IDLE,
    TOO_MUCH,
    ReadingLimits,
    begin_request,
    confine,
    load_all,
)
from sieve.gateway.reading.reader import Reader
from sieve.gateway.reading.wire import Broken, Part, Wire

MOST_RECEIVED: Final = 8 * 1024**3
"""Bytes of a request: the gateway bounds them, and memory does."""
IDLE_S: Final = 300.0
"""A process that nobody asks so long ends, and the file that it holds with it."""


def main() -> None:
    """Entry point: file descriptor and limits as arguments."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--control-fd", type=int, required=True)
    parser.add_argument("--limits", type=json.loads, required=True)
    arguments = parser.parse_args()
    limits = ReadingLimits(**arguments.limits)
    load_all()
    control, confinement = confine(arguments.control_fd, limits)
    wire = Wire(socket.socket(fileno=control))
    wire.send({"is": "ready", "confinement": asdict(confinement)})
    status = IDLE
    try:
        serve(wire, limits)
    except Broken:
        pass  # the gateway is gone, or had nothing to ask for long
    except MemoryError:
        # Whatever could not be had may be missing somewhere: nothing is answered after this.
        status = TOO_MUCH
    # Without clearing up, which takes time for what is large.
    os._exit(status)


def serve(wire: Wire, limits: ReadingLimits) -> None:
    """Answers until the other end is gone.

    Raises:
        Broken: it is, or was silent for long.
        MemoryError: there is no more.
    """
    reader = Reader()
    while True:
        wire.idle(IDLE_S)
        asked = wire.receive(MOST_RECEIVED)
        begin_request(limits)
        try:
            head, parts = reader.answer(asked.head, asked.parts)
            told: dict[str, Any] = {**head, "is": "answer"}
        except SieveError as error:
            told, parts = {"is": "refused", "kind": type(error).__name__, "says": str(error)}, ()
        except MemoryError:
            raise
        except Exception as error:  # what parses hostile files may raise anything
            told, parts = {"is": "defect", "kind": type(error).__name__, "where": _where(error)}, ()
        del asked
        wire.send(told, [Part.of(part) for part in parts])


def _where(error: Exception) -> str:
    """The innermost line of ours."""
    ours = [frame for frame in traceback.extract_tb(error.__traceback__) if "sieve" in frame.filename]
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else ""


if __name__ == "__main__":
    main()
