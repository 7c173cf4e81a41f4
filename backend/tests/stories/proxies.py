"""TCP proxies for the plain channel: one that records, one that misbehaves. They run on the test's own event loop."""

import asyncio
import random
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

Pump: TypeAlias = Callable[
    [asyncio.StreamReader, asyncio.StreamWriter, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]
]


@dataclass
class Proxy:
    """A listener on a free loopback port that hands each connection to `pump` with a connection to `upstream`."""

    pump: Pump
    upstream: str = ""
    address: str = ""
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @asynccontextmanager
    async def serving(self) -> AsyncIterator["Proxy"]:
        """Listens for the block's length."""
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()
        self.address = f"{host}:{port}"
        try:
            yield self
        finally:
            server.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        up_writer = None
        try:
            host, _, port = self.upstream.rpartition(":")
            up_reader, up_writer = await asyncio.open_connection(host, int(port))
            await self.pump(reader, writer, up_reader, up_writer)
        except OSError:
            pass  # either side may leave at any time
        finally:
            for end in (writer, up_writer):
                if end is not None:
                    end.close()


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, note: Callable[[bytes], None]) -> None:
    """Passes bytes on as they come, noting each piece."""
    while piece := await reader.read(65536):
        note(piece)
        writer.write(piece)
        await writer.drain()
    writer.write_eof()


@dataclass
class Recording:
    """What passed in each direction, by connection, in pieces as they were read."""

    sent: list[list[bytes]] = field(default_factory=list)
    answered: list[list[bytes]] = field(default_factory=list)

    def everything(self) -> bytes:
        return b"".join(piece for side in (self.sent, self.answered) for pieces in side for piece in pieces)

    def requests(self) -> Iterator[tuple[bytes, bytes]]:
        """Each request of each connection, by the handle of its attempt."""
        for pieces in self.sent:
            before, *found = re.split(rb"(?=PUT /[0-9a-f]{32}/)", b"".join(pieces))
            if before:
                raise AssertionError("a connection began with something else than a chunk")
            for request in found:
                yield request[5:37], request

    async def pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        up_reader: asyncio.StreamReader,
        up_writer: asyncio.StreamWriter,
    ) -> None:
        sent: list[bytes] = []
        answered: list[bytes] = []
        self.sent.append(sent)
        self.answered.append(answered)
        await asyncio.gather(copy(reader, up_writer, sent.append), copy(up_reader, writer, answered.append))


@dataclass
class Hostile:
    """Somebody on the plain channel's path who flips, cuts, repeats, reorders, delays and answers falsely.

    `draw` decides, seeded, for each piece; `calm` passes everything untouched.
    """

    draw: random.Random
    calm: bool = True
    actions: dict[str, int] = field(default_factory=dict)

    def _did(self, action: str) -> None:
        self.actions[action] = self.actions.get(action, 0) + 1

    async def pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        up_reader: asyncio.StreamReader,
        up_writer: asyncio.StreamWriter,
    ) -> None:
        answers = asyncio.create_task(copy(up_reader, writer, lambda _: None))
        try:
            held_back: bytes | None = None
            while piece := await reader.read(65536):
                action = "pass" if self.calm else self._choose()
                if action != "pass":
                    self._did(action)
                if action == "flip":
                    changed = bytearray(piece)
                    changed[self.draw.randrange(len(changed))] ^= 1 << self.draw.randrange(8)
                    piece = bytes(changed)
                elif action == "cut":
                    up_writer.write(piece[: self.draw.randrange(len(piece))])
                    return
                elif action == "repeat":
                    up_writer.write(piece)
                elif action == "reorder" and held_back is None:
                    held_back = piece
                    continue
                elif action == "answer":
                    # An answer that the receiver never gave, and the chunk is swallowed.
                    writer.write(b"HTTP/1.1 204 No Content\r\nset-cookie: a=b\r\ncontent-length: 0\r\n\r\n")
                    continue
                elif action == "redirect":
                    writer.write(
                        b"HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"
                    )
                    continue
                elif action == "nonsense":
                    writer.write(self.draw.randbytes(200))
                    return
                elif action == "swallow":
                    continue
                elif action == "delay":
                    # Part of the network that is played, not a wait for something to happen.
                    await asyncio.sleep(self.draw.random() * 0.1)
                up_writer.write(piece)
                if held_back is not None:
                    up_writer.write(held_back)
                    held_back = None
                await up_writer.drain()
        finally:
            answers.cancel()
            await asyncio.gather(answers, return_exceptions=True)

    def _choose(self) -> str:
        actions = ("flip", "cut", "repeat", "reorder", "delay", "answer", "redirect", "nonsense", "swallow")
        return self.draw.choice(actions) if self.draw.random() < 0.4 else "pass"


@dataclass
class Cutting:
    """A link that breaks: all its connections are cut whenever so many bytes more went up since the last cut.

    `sent` counts what came from the sender, by both channels, however far it got.
    """

    every: int
    cuts_left: int = 1_000_000
    sent: int = 0
    cuts: int = 0
    since: int = 0
    _under_way: set[asyncio.StreamWriter] = field(default_factory=set)

    async def pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        up_reader: asyncio.StreamReader,
        up_writer: asyncio.StreamWriter,
    ) -> None:
        both = {writer, up_writer}
        self._under_way |= both
        try:
            await asyncio.gather(copy(reader, up_writer, self._note), copy(up_reader, writer, lambda _: None))
        finally:
            self._under_way -= both

    def _note(self, piece: bytes) -> None:
        self.sent += len(piece)
        self.since += len(piece)
        if self.since >= self.every and self.cuts < self.cuts_left:
            self.cut()

    def cut(self) -> None:
        """Breaks the link now; who connects again finds it whole."""
        self.cuts += 1
        self.since = 0
        for writer in self._under_way:
            writer.transport.abort()
