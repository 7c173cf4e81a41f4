"""A plain listener that runs on the test's own loop, so that a test sees into it."""

import asyncio
from collections.abc import Callable, Sequence

from sieve.channel.attempt_split import PlainSplit
from sieve.channel.seals import SealKey
from sieve.gateway.plain.app import Fenced, PlainApp
from sieve.gateway.plain.files import Openable, StreamPart, open_parts
from sieve.gateway.plain.listener import PlainListener, PlainListenerLost
from sieve.gateway.plain.protocol import plain_server


class InProcess(PlainListener):
    """A plain listener without a process of its own: the same app behind the same server, on the test's loop."""

    async def run(self) -> None:
        self.app = PlainApp(self.limits, self._held)
        self.http = plain_server(self.app)
        self.callbacks: dict[str, tuple[Callable[[int], None], Callable[[], None]]] = {}
        self.dead = False
        self._closing: list[asyncio.Task[Fenced]] = []
        self._ready.set()
        await self.http.serve(sockets=[self.listening])

    async def open(
        self,
        handle: str,
        plain_key: SealKey,
        parts: Sequence[StreamPart[Openable]],
        split: PlainSplit,
        on_held: Callable[[int], None],
        on_lost: Callable[[], None],
    ) -> None:
        await self._ready.wait()
        if self.dead:
            raise PlainListenerLost("the plain listener ended")
        self.callbacks[handle] = (on_held, on_lost)
        self.app.open(handle, plain_key, open_parts(parts), split)

    async def fence(self, handle: str, count: int) -> Fenced:
        if self.callbacks.pop(handle, None) is None:
            raise PlainListenerLost("the plain listener does not know the transfer any more")
        return await self.app.close(handle)

    async def written(self, handle: str, count: int) -> frozenset[int]:
        return await self.app.written(handle)

    async def drop(self, handle: str, file: int) -> None:
        await self.app.drop(handle, file)

    def is_open(self, handle: str) -> bool:
        return handle in self.callbacks

    def die(self) -> None:
        """As if the process had been killed, and none came after it."""
        self.dead = True
        lost, self.callbacks = self.callbacks, {}
        for handle, (_, on_lost) in lost.items():
            self._closing.append(asyncio.create_task(self.app.close(handle)))
            on_lost()

    def _held(self, handle: str, index: int) -> None:
        if handle in self.callbacks:
            self.callbacks[handle][0](index)
