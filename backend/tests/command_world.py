"""A gateway's web application on a real socket, for the `sieve` command, with its event loop in a thread."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from sieve.gateway.runtime import listeners
from sieve.store.queries import outbox
from web_world import Ground, World
from world_building import build, close

TO = ("--peer", "bravo", "--to", "berta")
MARKED = b"Meet at <$S>noon, pier 7<$E>; a literal tag is <$$S>.\r\n"
CONTENT = b"Meet at noon, pier 7; a literal tag is <$S>.\r\n"

T = TypeVar("T")
Sieve = Callable[..., tuple[int, str, str]]
"""Runs a command, as anna if no `who` is named: its status, stdout and stderr."""


class Served:
    """The gateway, whose event loop runs in a thread, and its web address."""

    def __init__(self, folder: Path, ground: Ground) -> None:
        self.folder = folder
        self.world: World
        self.url = ""
        self._made = folder, ground
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop
        self._stopped: asyncio.Event
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))

    async def _serve(self) -> None:
        self._loop, self._stopped = asyncio.get_running_loop(), asyncio.Event()
        self.world = await build(*self._made)
        sock = listeners.bind("127.0.0.1:0")
        self.url = f"http://{listeners.address_of(sock)}"
        server = listeners.server(self.world.app)
        serving = asyncio.create_task(server.serve(sockets=[sock]))
        self._ready.set()
        await self._stopped.wait()
        server.should_exit = True
        await serving
        await close(self.world)

    def __enter__(self) -> "Served":
        self._thread.start()
        assert self._ready.wait(20)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join(20)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`, done on the gateway's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(20)

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Has `work` done on the gateway's loop meanwhile."""
        asyncio.run_coroutine_threadsafe(work, self._loop)

    def deliver_what_is_queued(self) -> None:
        """Does as if bravo had what waits for it, as soon as something does."""

        async def deliver() -> None:
            await self.world.worker.awake.wait()
            async with self.world.database.read() as session:
                waiting = await outbox.of_author(session, None)
            for transfer in waiting:
                await self.world.settle_delivered(transfer.id)

        self.begin(deliver())
