"""A listener alone in a process that may open few files. Arguments: web or plain, and how many descriptors are free.

Prints the port, then serves on uvloop until it is ended."""

import asyncio
import logging
import os
import resource
import sys
from typing import Any

import uvloop

from sieve.gateway.plain.app import PlainApp, PlainLimits
from sieve.gateway.plain.protocol import plain_server
from sieve.gateway.runtime.listeners import bind, server


async def answer(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 404, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body"})


async def main(kind: str, free: int) -> None:
    sock = bind("127.0.0.1:0")
    plain = plain_server(PlainApp(PlainLimits(connections=1000), on_held=lambda _handle, _number: None))
    http = plain if kind == "plain" else server(answer)
    serving = asyncio.create_task(http.serve(sockets=[sock]))
    while not http.started:
        await asyncio.sleep(0)
    highest = max(int(name) for name in os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 1 + free, highest + 1 + free))
    print(sock.getsockname()[1], flush=True)
    await serving


logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(message)s")
uvloop.run(main(sys.argv[1], int(sys.argv[2])))
