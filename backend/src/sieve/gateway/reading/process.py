"""The reading process: no key, no database, no route; it answers one request after the other until the pair closes.

`child` starts the reading template that it is forked from, and passes one end of a socket pair. It logs nothing: a
message about a defect might quote the file, so it returns only the kind of the defect and the line of our code.
"""

import argparse
import gc
import json
import os
import socket
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Final

from sieve.core.errors import SieveError
from sieve.gateway.reading.limits import IDLE, TOO_MUCH, ReadingLimits, begin_request, confine, load_all
from sieve.gateway.reading.reader import Reader
from sieve.gateway.reading.template import serve_forks
from sieve.gateway.reading.wire import Disconnected, Part, Wire
from sieve.gateway.runtime.confinement import keep_private

MOST_RECEIVED: Final = 8 * 1024**3
"""Bytes of a request: the gateway and the memory limit allow fewer."""
IDLE_S: Final = 300.0
"""After this time without a request, the process ends and drops its file."""


def main() -> None:
    """Entry point: file descriptor and limits as arguments."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--control-fd", type=int, required=True)
    parser.add_argument("--limits", type=json.loads, required=True)
    arguments = parser.parse_args()
    limits = ReadingLimits(**arguments.limits)
    keep_private()
    load_all()
    # Otherwise the collector of each process would copy the memory that it shares with the others.
    gc.collect()
    gc.freeze()
    ours = serve_forks(socket.socket(fileno=arguments.control_fd), IDLE_S)
    control, confinement = confine(ours.detach(), limits)
    wire = Wire(socket.socket(fileno=control))
    wire.send({"is": "ready", "confinement": asdict(confinement)})
    status = IDLE
    try:
        serve(wire, limits)
    except Disconnected:
        pass  # the gateway is gone, or sent no request for a long time
    except MemoryError:
        # Any object may be incomplete now, so it answers no more requests.
        status = TOO_MUCH
    # Without freeing large objects, which takes time.
    os._exit(status)


def serve(wire: Wire, limits: ReadingLimits) -> None:
    """Answers until the other end is gone.

    Raises:
        Disconnected: it is gone, or sent no request for a long time.
        MemoryError: the memory limit is reached.
    """
    reader = Reader()
    while True:
        wire.idle(IDLE_S)
        request = wire.receive(MOST_RECEIVED)
        begin_request(limits)
        try:
            head, parts = reader.answer(request.head, request.parts)
            head = {**head, "is": "answer"}
        except SieveError as error:
            head, parts = {"is": "refused", "kind": type(error).__name__, "says": str(error)}, ()
        except MemoryError:
            raise
        except Exception as error:  # parsers may raise anything for hostile files
            head, parts = {"is": "defect", "kind": type(error).__name__, "where": _where(error)}, ()
        del request
        wire.send(head, [Part.of(part) for part in parts])


def _where(error: Exception) -> str:
    """The innermost line of our code."""
    ours = [frame for frame in traceback.extract_tb(error.__traceback__) if "sieve" in frame.filename]
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else ""


if __name__ == "__main__":
    main()
