"""The gateway's client of its plain listener: a child process that receives announced handles and reports which chunks
it holds.

Invariant: while a handle is open, only that process writes its plain stream. After `fence` it writes nothing more of
it, and reports what it held. If the process dies, every open handle fails, and a new process starts on the same
socket."""

import asyncio
import contextlib
import json
import logging
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from typing import Any

from sieve.channel.attempt_split import PlainSplit
from sieve.channel.chunk_sizes import from_ranges
from sieve.channel.seals import SealKey
from sieve.gateway.plain.app import MAX_LINE, Fenced, PlainLimits
from sieve.gateway.plain.files import Openable, StreamPart, Sum, close_parts, open_parts
from sieve.gateway.runtime.child_environment import child_environment
from sieve.gateway.runtime.confinement import Confinement

log = logging.getLogger(__name__)

ANSWER_S = 10.0
# A process that dies at once is not restarted in a tight loop: each pause is twice as long as the last, up to a cap.
RESTART_AFTER_S = 0.2
RESTART_CAP_S = 5.0
STEADY_S = 10.0


class PlainListenerLost(Exception):
    """The plain listener died or does not answer; the attempt cannot go on there."""


@dataclass(slots=True)
class _Handle:
    on_held: Callable[[int], None]
    on_lost: Callable[[], None]
    answer: asyncio.Future[dict[str, Any]] | None = None
    # One question at a time, because an answer names only its handle. A late answer must not match the next question.
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)
    due: tuple[str, ...] = ()


@dataclass(slots=True)
class PlainListener:
    """Owns the child process; `run` keeps it alive until cancelled."""

    listening: socket.socket
    limits: PlainLimits
    lock_fd: int
    """The data folder's lock; the child holds it too, so that no other gateway starts before both are gone."""
    answer_s: float = ANSWER_S
    handles: dict[str, _Handle] = field(default_factory=dict)
    _process: asyncio.subprocess.Process | None = None
    _writer: asyncio.StreamWriter | None = None
    _files: socket.socket | None = None
    confinement: Confinement | None = None
    """What the kernel enforces on the latest process; None before that process has reported it."""
    _ready: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def pid(self) -> int | None:
        """The process that listens now; None while there is none."""
        return self._process.pid if self._process is not None else None

    async def run(self) -> None:
        """Starts the process, and restarts it whenever it ends."""
        loop = asyncio.get_running_loop()
        pause_s = RESTART_AFTER_S
        while True:
            began = loop.time()
            try:
                await self._run_once()
                log.error("the plain listener ended; starting it again")
            except OSError as error:
                log.error("the plain listener cannot be started right now: %s", error.strerror or error)
            if loop.time() - began > STEADY_S:
                pause_s = RESTART_AFTER_S
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, RESTART_CAP_S)

    async def open(
        self,
        handle: str,
        plain_key: SealKey,
        parts: Sequence[StreamPart[Openable]],
        split: PlainSplit,
        on_held: Callable[[int], None],
        on_lost: Callable[[], None],
    ) -> None:
        """Announces `handle`. From then on calls `on_held(chunk)` for each chunk that the process holds: it is
        verified, and will be written when `fence` returns. After `on_lost` none of them counts.

        Raises:
            PlainListenerLost: it died, does not answer, or cannot open a file; `on_lost` is not called then.
        """
        opening = self.handles[handle] = _Handle(on_held, _nothing)
        try:
            answer = await self._ask(
                {
                    "do": "open",
                    "handle": handle,
                    "plain_key": plain_key.secret.hex(),
                    "seal": plain_key.kind,
                    "plain": split.to_json(),
                },
                ("opened", "failed"),
                parts,
            )
            if answer["is"] != "opened":
                raise PlainListenerLost(f"the plain listener cannot take the transfer: {answer.get('reason')}")
            if self.handles.get(handle) is not opening:
                raise PlainListenerLost("the plain listener ended")
        except PlainListenerLost:
            self.handles.pop(handle, None)
            raise
        opening.on_lost = on_lost

    async def fence(self, handle: str, count: int) -> Fenced:
        """Ends `handle` there; returns what it held of `count` chunks, all of it written. It writes nothing more.

        Raises:
            PlainListenerLost: it died, or does not answer.
        """
        self._check_known(handle)
        try:
            answer = await self._ask({"do": "fence", "handle": handle}, ("fenced",))
            sums = (None if each is None else Sum(*map(bytes.fromhex, each)) for each in answer["sums"])
            return Fenced(from_ranges(answer["held"], count), tuple(sums), tuple(map(int, answer["failed"])))
        except (KeyError, ValueError, TypeError) as error:
            raise PlainListenerLost("the plain listener sent an invalid response") from error
        finally:
            self.handles.pop(handle, None)

    async def written(self, handle: str, count: int) -> frozenset[int]:
        """Those of `count` chunks that it holds now, all of them written when this returns. It continues taking chunks.

        Raises:
            PlainListenerLost: it died, or does not answer.
        """
        self._check_known(handle)
        answer = await self._ask({"do": "written", "handle": handle}, ("written",))
        try:
            return from_ranges(answer["held"], count)
        except (KeyError, ValueError, TypeError) as error:
            raise PlainListenerLost("the plain listener sent an invalid response") from error

    async def drop(self, handle: str, file: int) -> None:
        """That file, by its number in `parts`, is closed there when this returns, and what still comes for it is
        discarded.

        Raises:
            PlainListenerLost: it died, or does not answer.
        """
        self._check_known(handle)
        await self._ask({"do": "drop", "handle": handle, "file": file}, ("dropped",))

    def _check_known(self, handle: str) -> None:
        if handle not in self.handles:
            raise PlainListenerLost("the plain listener does not know the transfer any more")

    def is_open(self, handle: str) -> bool:
        """Whether `handle` is announced."""
        return handle in self.handles

    async def _ask(
        self, message: dict[str, Any], due: tuple[str, ...], parts: Sequence[StreamPart[Openable]] = ()
    ) -> dict[str, Any]:
        handle = message["handle"]
        asked = self.handles[handle]
        try:
            async with asyncio.timeout(self.answer_s), asked.asking:
                await self._ready.wait()
                if self.handles.get(handle) is not asked or self._writer is None:
                    raise PlainListenerLost("the plain listener ended")
                self._tell(self._writer, message, parts)
                asked.answer, asked.due = asyncio.get_running_loop().create_future(), due
                return await asked.answer
        except TimeoutError as error:
            # It may still write for this handle, and would make the next ones wait as long.
            self._kill()
            raise PlainListenerLost("the plain listener does not answer") from error

    def _tell(
        self, writer: asyncio.StreamWriter, message: dict[str, Any], parts: Sequence[StreamPart[Openable]]
    ) -> None:
        """Opens the files and sends them, then the line: the process itself may open nothing."""
        try:
            opened = open_parts(parts)
            try:
                descriptors = [part.file.descriptors if part.file is not None else () for part in opened]
                if parts:
                    files = [(len(of), *part[1:]) for of, part in zip(descriptors, parts, strict=True)]
                    message = {**message, "files": files}
                line = json.dumps(message).encode() + b"\n"
                if len(line) > MAX_LINE:
                    # It would end the process there, and with it all other transfers.
                    raise PlainListenerLost("a message to the plain listener is too long")
                if self._files is not None and any(descriptors):
                    socket.send_fds(self._files, [b"f"], [*chain(*descriptors)], socket.MSG_DONTWAIT)
                writer.write(line)
            finally:
                close_parts(opened)
        except OSError as error:
            raise PlainListenerLost(f"the plain listener cannot take the transfer: {error.strerror}") from error

    def _kill(self) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def _run_once(self) -> None:
        ours, theirs = socket.socketpair()
        self._files, their_files = socket.socketpair()
        try:
            with theirs, their_files:
                self._process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    "-m",
                    "sieve.gateway.plain.process",
                    f"--listen-fd={self.listening.fileno()}",
                    f"--control-fd={theirs.fileno()}",
                    f"--files-fd={their_files.fileno()}",
                    f"--limits={json.dumps(asdict(self.limits))}",
                    pass_fds=(self.listening.fileno(), theirs.fileno(), their_files.fileno(), self.lock_fd),
                    stdin=asyncio.subprocess.DEVNULL,
                    # It faces the open network.
                    env=child_environment(),
                    # A separate session: a terminal's interrupt reaches only the gateway, which then ends this process
                    # in order.
                    start_new_session=True,
                )
            reader, self._writer = await asyncio.open_connection(sock=ours, limit=MAX_LINE)
            self._ready.set()
            await self._listen(reader)
        finally:
            await self._end(ours)

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        """Reads the messages of the process until it ends."""
        try:
            while line := await reader.readline():
                self._hear(json.loads(line))
        except ConnectionError:
            pass  # it died before it read every message
        except Exception as error:  # it faces a hostile network: no message may end the gateway
            log.error("the plain listener sent an invalid message: %s", type(error).__name__, exc_info=error)

    async def _end(self, ours: socket.socket) -> None:
        self._ready.clear()
        if self._files is not None:
            self._files.close()
            self._files = None
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        else:
            ours.close()
        if self._process is not None:
            self._kill()
            await self._process.wait()
            self._process = None
        # Only now, because the callers may write to the same files.
        # Handles that this process has not heard of wait for the next process.
        lost = {handle: known for handle, known in self.handles.items() if known.answer is not None}
        for handle, known in lost.items():
            del self.handles[handle]
            if known.answer is not None and not known.answer.done():
                known.answer.set_exception(PlainListenerLost("the plain listener ended"))
            known.on_lost()

    def _hear(self, message: dict[str, Any]) -> None:
        if message["is"] == "ready":
            confinement = Confinement.from_json(message["confinement"])
            if confinement != self.confinement:
                self.confinement = confinement
                log.info("the plain listener is confined by: %s", confinement)
            return
        known = self.handles.get(message["handle"])
        if known is None:
            return
        if message["is"] == "held":
            known.on_held(message["chunk"])
        elif message["is"] in known.due and known.answer is not None and not known.answer.done():
            known.answer.set_result(message)


def _nothing() -> None:
    """Keeps an unretrieved error out of the log: the caller receives it with the answer."""
