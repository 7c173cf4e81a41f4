"""The plain listener's process: its own loop and limits, no web routes, no database, only keys of the plain channel.

Started by `listener`, which passes the listening socket and one end of each of two socket pairs. On the first
travel lines of JSON: {"do": "open" | "drop" | "fence" | "written"} in, {"is": "ready" | "opened" | "failed" | "held" |
"dropped" | "fenced" | "written"} out. On the second come the open files of each handle, before its line. When the first
closes, the process ends, so it never outlives its gateway. The process opens nothing: it gives up that right before it
listens.
"""

import argparse
import asyncio
import contextlib
import errno
import json
import logging
import os
import resource
import socket
import sys
from collections.abc import Coroutine, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any

import uvloop

from sieve.channel.attempt_split import PlainSplit
from sieve.channel.chunk_sizes import to_ranges
from sieve.channel.seals import SealKey
from sieve.gateway.plain.app import MAX_LINE, PlainApp, PlainLimits
from sieve.gateway.plain.files import MAX_DESCRIPTORS, OpenPart, close_parts
from sieve.gateway.plain.protocol import plain_server
from sieve.gateway.runtime.allocator import keep_freed_memory
from sieve.gateway.runtime.confinement import confine, refuse_io_uring
from sieve.gateway.runtime.system_calls import of_plain_listener
from sieve.store.direct_file import DirectFile

log = logging.getLogger(__name__)


async def _main(listening: socket.socket, control: socket.socket, files: socket.socket, limits: PlainLimits) -> None:
    reader, writer = await asyncio.open_connection(sock=control, limit=MAX_LINE)

    def send(message: dict[str, Any]) -> None:
        writer.write(json.dumps(message).encode() + b"\n")

    app = PlainApp(limits, on_held=lambda handle, number: send({"is": "held", "handle": handle, "chunk": number}))
    http = plain_server(app)
    # Nothing is loaded after this. Threads start with the first chunk.
    http.config.load()
    send({"is": "ready", "confinement": asdict(confine(of_plain_listener()))})
    serving = asyncio.create_task(http.serve(sockets=[listening]))
    # A process that gets announcements but does not listen is worse than none: end it, and the gateway restarts it.
    serving.add_done_callback(lambda _: os._exit(1))
    waiting: set[asyncio.Task[None]] = set()

    async def fence(handle: str) -> None:
        fenced = await app.close(handle)
        sums = [[value.hex() for value in each] if each is not None else None for each in fenced.sums]
        held = to_ranges(fenced.held)
        send({"is": "fenced", "handle": handle, "held": held, "sums": sums, "failed": fenced.failed})

    async def drop(handle: str, file: int) -> None:
        await app.drop(handle, file)
        send({"is": "dropped", "handle": handle})

    async def written(handle: str) -> None:
        send({"is": "written", "handle": handle, "held": to_ranges(await app.written(handle))})

    def by_itself(work: Coroutine[Any, Any, None]) -> None:
        """Runs it in a task, because it waits for writes, and other handles must be announced meanwhile."""
        task = asyncio.create_task(work)
        waiting.add(task)
        task.add_done_callback(waiting.discard)

    while line := await _line(reader):
        message = json.loads(line)
        handle = message["handle"]
        match message["do"]:
            case "open":
                parts: list[OpenPart] = []
                try:
                    # First of all, even if the message is invalid: the next handle's files follow.
                    parts = _received(files, message["files"])
                    split = PlainSplit.from_json(message["plain"])
                    app.open(handle, SealKey(bytes.fromhex(message["plain_key"]), message["seal"]), parts, split)
                    send({"is": "opened", "handle": handle})
                except OSError as error:
                    send({"is": "failed", "handle": handle, "reason": error.strerror or "the files did not come"})
                except Exception as error:
                    # A peer chose its content: one invalid message must not end all other handles.
                    log.error("a handle cannot be opened: %s", type(error).__name__)
                    close_parts(parts)
                    send({"is": "failed", "handle": handle, "reason": "its message is invalid"})
            case "written":
                by_itself(written(handle))
            case "drop":
                by_itself(drop(handle, message["file"]))
            case "fence":
                by_itself(fence(handle))
    # The gateway is gone: nothing here is worth keeping, and the address must be free at once.
    os._exit(0)


def _received(files: socket.socket, parts: Sequence[tuple[int, int, int, str, int]]) -> list[OpenPart]:
    """The files that came for a handle. `parts`: of each document how many descriptors it has, and the rest of its
    `OpenPart`.

    Raises:
        OSError: they did not all come.
    """
    count = sum(count for count, *_ in parts)
    descriptors: list[int] = []
    if count:
        _, descriptors, *_ = socket.recv_fds(files, 1, MAX_DESCRIPTORS, socket.MSG_DONTWAIT)
    if len(descriptors) != count:
        for fd in descriptors:
            os.close(fd)
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    coming = iter(descriptors)
    return [
        OpenPart(DirectFile(*islice(coming, of)) if of else None, start, end, tag_key, at)
        for of, start, end, tag_key, at in parts
    ]


async def _line(reader: asyncio.StreamReader) -> bytes:
    """The next line; empty once the gateway is gone."""
    try:
        return await reader.readline()
    except ConnectionError:  # the gateway died before it read every message
        return b""


def main() -> None:
    """Entry point: file descriptors and limits as arguments."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--listen-fd", type=int, required=True)
    parser.add_argument("--control-fd", type=int, required=True)
    parser.add_argument("--files-fd", type=int, required=True)
    parser.add_argument("--limits", type=json.loads, required=True)
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(levelname)s plain: %(message)s")
    logging.getLogger("uvicorn").setLevel(logging.ERROR)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    keep_freed_memory()
    refuse_io_uring()
    with contextlib.suppress(KeyboardInterrupt):
        uvloop.run(
            _main(
                socket.socket(fileno=arguments.listen_fd),
                socket.socket(fileno=arguments.control_fd),
                socket.socket(fileno=arguments.files_fd),
                PlainLimits(**arguments.limits),
            )
        )


if __name__ == "__main__":
    main()
