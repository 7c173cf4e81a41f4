"""The web application behind a real server, and a client that listens to its events."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import httpx

from sieve.demo import NO_TLS
from sieve.gateway.runtime.listeners import QuietServer, address_of, bind, server
from web_world import World

PATIENCE_S = 10.0


@dataclass
class Listener:
    """One open stream. `heard`: every event so far, each with its kind and its data."""

    response: httpx.Response
    heard: list[tuple[str, Any]] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lines = self.response.aiter_lines()

    async def next(self) -> tuple[str, Any] | None:
        """The next event; None at the stream's end."""
        kind = ""
        async with asyncio.timeout(PATIENCE_S):
            async for line in self._lines:
                if line.startswith("event: "):
                    kind = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    self.raw.append(f"{kind} {line}")
                    self.heard.append((kind, json.loads(line.removeprefix("data: "))))
                    return self.heard[-1]
        return None

    async def until(self, wanted: str) -> Any:
        """The data of the next event of that kind."""
        while (event := await self.next()) is not None:
            if event[0] == wanted:
                return event[1]
        raise AssertionError(f"the stream ended without {wanted}")

    async def to_the_end(self) -> list[tuple[str, Any]]:
        """Everything that was heard, pings aside, once the stream is over."""
        while await self.next() is not None:
            pass
        return [event for event in self.heard if event[0] != "ping"]


@dataclass
class Served:
    """A running server."""

    world: World
    http: QuietServer
    url: str
    serving: asyncio.Task[None]

    @asynccontextmanager
    async def listening(
        self, who: str | None, path: str = "/events", headers: dict[str, str] | None = None
    ) -> AsyncIterator[Listener]:
        """Somebody who listens: by their token, or by whatever `headers` show."""
        if who is not None:
            headers = {"Authorization": f"Bearer {self.world.tokens[who]}"}
        async with (
            httpx.AsyncClient(
                base_url=self.url, headers=headers, trust_env=False, timeout=PATIENCE_S, verify=NO_TLS
            ) as api,
            api.stream("GET", path) as response,
        ):
            assert response.status_code == 200
            assert response.headers["content-type"].startswith("text/event-stream")
            yield Listener(response)

    async def settle(self) -> None:
        """Ends every stream once it has taken all that was announced: what it makes of that, it still tells."""
        watchers = [watcher for of_one in self.world.services.announcements.watchers.values() for watcher in of_one]
        async with asyncio.timeout(PATIENCE_S):
            while any(watcher.waits for watcher in watchers):
                await asyncio.sleep(0.001)
        for watcher in watchers:
            watcher.close()

    async def stop(self) -> None:
        """Ends it as a gateway does."""
        self.world.services.announcements.close()
        self.world.services.progress.close()
        self.http.should_exit = True
        await self.serving


@asynccontextmanager
async def served(world: World, ping_s: float = 20.0) -> AsyncIterator[Served]:
    """The world's application behind the gateway's own server, on a free port."""
    world.app.state.services = replace(world.services, ping_s=ping_s)
    sock = bind("127.0.0.1:0")
    http = server(world.app)
    serving = asyncio.create_task(http.serve(sockets=[sock]))
    there = Served(world, http, f"http://{address_of(sock)}/api/v1", serving)
    try:
        yield there
    finally:
        await there.stop()
