"""The gateway's hold on its plain listener: a child process that is announced handles and tells which chunks it
holds.

The law: while a handle is open there, that process alone writes its plain stream; after `fence` it writes nothing
more of it, and says what it held. If it dies, every open handle is told so, and a new one is started on the same
socket."""

import asyncio
import contextlib
import json
import logging
import socket
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from sieve.channel.chunks import from_ranges
from sieve.gateway.plain_app import PlainLimits

log = logging.getLogger(__name__)

ANSWER_S = 10.0
RESTART_AFTER_S = 0.2


class PlainListenerLost(Exception):
    """The plain listener died or does not answer; the attempt cannot go on there."""


@dataclass(slots=True)
class _Handle:
    on_held: Callable[[int], None]
    on_lost: Callable[[], None]
    answer: asyncio.Future[dict[str, Any]] | None = None


@dataclass(slots=True)
class PlainListener:
    """Owns the child process; `run` keeps it alive until cancelled."""

    listening: socket.socket
    limits: PlainLimits
    lock_fd: int
    """The data folder's lock; the child holds it too, so that no other gateway starts before both are gone."""
    _handles: dict[str, _Handle] = field(default_factory=dict)
    _writer: asyncio.StreamWriter | None = None
    _ready: asyncio.Event = field(default_factory=asyncio.Event)
    pid: int | None = None

    async def run(self) -> None:
        """Starts the process, again whenever it ends."""
        while True:
            await self._run_once()
            log.error("the plain listener ended; starting it again")
            # A child that dies at once must not be restarted in a tight loop.
            await asyncio.sleep(RESTART_AFTER_S)

    async def open(
        self,
        handle: str,
        plain_key: bytes,
        path: str,
        size: int,
        on_held: Callable[[int], None],
        on_lost: Callable[[], None],
    ) -> None:
        """Announces `handle`; from then on `on_held(chunk)` is called for each chunk that came to be held.

        Raises:
            PlainListenerLost: it died, does not answer, or cannot open the file.
        """
        self._handles[handle] = _Handle(on_held, on_lost)
        try:
            answer = await self._ask(
                {"do": "open", "handle": handle, "plain_key": plain_key.hex(), "path": path, "size": size}
            )
        except PlainListenerLost:
            self._handles.pop(handle, None)
            raise
        if answer["is"] != "opened":
            self._handles.pop(handle, None)
            raise PlainListenerLost(f"the plain listener cannot take the transfer: {answer.get('reason')}")

    async def fence(self, handle: str, count: int) -> frozenset[int]:
        """Ends `handle` there; the chunks, of `count`, that it held. Nothing is written by it any more.

        Raises:
            PlainListenerLost: it died or does not answer.
        """
        if handle not in self._handles:
            raise PlainListenerLost("the plain listener does not know the transfer any more")
        try:
            answer = await self._ask({"do": "fence", "handle": handle})
            return from_ranges(answer["held"], count)
        finally:
            self._handles.pop(handle, None)

    def is_open(self, handle: str) -> bool:
        """Whether `handle` is announced."""
        return handle in self._handles

    async def _ask(self, message: dict[str, Any]) -> dict[str, Any]:
        try:
            async with asyncio.timeout(ANSWER_S):
                await self._ready.wait()
                known = self._handles.get(message["handle"])
                if known is None or self._writer is None:
                    raise PlainListenerLost("the plain listener ended")
                known.answer = asyncio.get_running_loop().create_future()
                self._writer.write(json.dumps(message).encode() + b"\n")
                return await known.answer
        except TimeoutError as error:
            raise PlainListenerLost("the plain listener does not answer") from error

    async def _run_once(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "sieve.gateway.plain_process",
                f"--listen-fd={self.listening.fileno()}",
                f"--control-fd={theirs.fileno()}",
                f"--limits={json.dumps(asdict(self.limits))}",
                pass_fds=(self.listening.fileno(), theirs.fileno(), self.lock_fd),
                stdin=asyncio.subprocess.DEVNULL,
                # Its own session: a terminal's interrupt ends the gateway, which then ends it in good order.
                start_new_session=True,
            )
        self.pid = process.pid
        reader, self._writer = await asyncio.open_connection(sock=ours, limit=16 * 1024 * 1024)
        self._ready.set()
        try:
            while line := await reader.readline():
                self._hear(json.loads(line))
        finally:
            self._ready.clear()
            self._writer.close()
            self._writer = None
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            lost, self._handles = self._handles, {}
            for handle in lost.values():
                if handle.answer is not None and not handle.answer.done():
                    handle.answer.set_exception(PlainListenerLost("the plain listener ended"))
                handle.on_lost()

    def _hear(self, message: dict[str, Any]) -> None:
        known = self._handles.get(message["handle"])
        if known is None:
            return
        if message["is"] == "held":
            known.on_held(message["chunk"])
        elif known.answer is not None and not known.answer.done():
            known.answer.set_result(message)
