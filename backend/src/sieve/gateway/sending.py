"""The sender's IO: one attempt at one transfer, driven by the pure `channel.sender`.

The law: the plain channel gets bytes of the plain stream, cut by its size alone, and nothing else; each chunk is one
write of one piece of that stream. What it answers is thrown away.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import httpx

from sieve.channel import sender
from sieve.channel.attempt import Attempt
from sieve.channel.chunks import from_ranges
from sieve.channel.manifest import Manifest
from sieve.channel.names import clean_line
from sieve.channel.opening import Opening
from sieve.channel.seals import seal
from sieve.gateway.errors import PeerRefused, PeerUnreachable, WrongPeer
from sieve.gateway.links import Link
from sieve.gateway.marks import PLAIN, SECURE, Marks
from sieve.gateway.progress import Progress
from sieve.gateway.stored_document import PIECE, StoredDocument
from sieve.gateway.timing import ReceiverDurations
from sieve.store.blobs import BlobDamaged

log = logging.getLogger(__name__)

# A chunk may take this long beside; slower than that, the plain channel does not pay.
PLAIN_MIN_RATE = 16 * 1024
# After so long in a round it is asked what arrived: a channel that swallows chunks is found out however many there are.
ROUND_S = 5.0
# A chunk that is swallowed takes longer to be given up than the peer waits for a sign of life: it gets one this often.
BEAT_S = 15.0
# While the opening is on its way the peer does not know the attempt yet.
OPENING_POLL_S = 0.05
# An attempt that moves nothing for so long is given up: a peer may say for ever that it is going on.
STALL_S = 300.0
# Chunks lost one after the other before a round is given up: the channel is down, not lossy.
LOST_IN_A_ROW = 2
# Chunks of a sub-stream that are under way at a time: while one is judged the next is in the socket, one being sealed.
WINDOW = 4
# How long the answer to the chunk under way is awaited at the end, so that its connection can be kept.
LAST_ANSWER_S = 0.5
MAX_LINE = 128 * 1024


@dataclass(frozen=True, slots=True)
class Delivered:
    """The receipt holds. `durations` is None where the peer had delivered it before."""

    receipt: str
    durations: ReceiverDurations | None


@dataclass(frozen=True, slots=True)
class Again:
    """Not this time. `unreachable`: the peer could not be had at all."""

    reason: str
    unreachable: bool = False


@dataclass(frozen=True, slots=True)
class Impossible:
    """Not at any time."""

    reason: str


Outcome: TypeAlias = Delivered | Again | Impossible


class Sending:
    """One attempt. `run` it once."""

    def __init__(
        self,
        manifest: Manifest,
        attempt: Attempt,
        document: StoredDocument,
        link: Link,
        trust: sender.Trust,
        marks: Marks,
        publish: Callable[[Progress], None],
        plain_timeout_s: float,
        stall_s: float = STALL_S,
    ) -> None:
        self._manifest, self._attempt, self._document = manifest, attempt, document
        self._link, self._marks, self._publish = link, marks, publish
        self._plain_timeout_s, self._stall_s = plain_timeout_s, stall_s
        self._last_news = asyncio.get_running_loop().time()
        self._core = sender.Sender(manifest, attempt, trust)
        self._events: asyncio.Queue[sender.Event] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()
        self._stop_plain = False
        self._outcome: Outcome | None = None
        self._durations: ReceiverDurations | None = None
        self._unreachable = False
        secure_total = manifest.classified_size
        plain_total = manifest.plain_size
        if not attempt.plan.uses_plain_channel:
            secure_total, plain_total = manifest.size, 0
        self._progress = Progress(manifest.transfer_id, "sending", secure_total=secure_total, plain_total=plain_total)

    @property
    def verified(self) -> bool:
        """Whether the peer has every byte: from here on cancelling would not undo it."""
        return self._core.verified

    async def run(self) -> Outcome:
        """Carries the attempt through; returns how it ended."""
        self._publish(self._progress)
        try:
            self._do(self._core.start())
            while self._outcome is None:
                self._do(self._core.handle(await self._next_event()))
            return self._outcome
        finally:
            self._stop_plain = True
            try:
                # Who is cancelled does not wait: nothing more of the document is to leave.
                if self._outcome is not None and self._tasks:
                    await asyncio.wait(self._tasks, timeout=LAST_ANSWER_S)
            finally:
                for task in self._tasks:
                    task.cancel()
                await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _next_event(self) -> sender.Event:
        """What happens next; that nothing does is an event, too."""
        while True:
            stalls_at = self._last_news + self._stall_s
            with suppress(TimeoutError):
                async with asyncio.timeout_at(stalls_at):
                    return await self._events.get()
            if stalls_at == self._last_news + self._stall_s:
                return sender.SecureLost(f"{self._link.peer.name} made no progress for {self._stall_s:.0f} s")

    def _do(self, commands: Sequence[sender.Command]) -> None:
        for command in commands:
            match command:
                case sender.SendSecure():
                    self._begin(self._send_secure())
                case sender.SendPlain(chunks):
                    self._begin(self._send_plain(chunks))
                case sender.AskHeld():
                    self._begin(self._ask_held())
                case sender.SendPlainSecurely(chunks):
                    self._begin(self._send_plain_securely(chunks))
                case sender.StopPlain():
                    self._stop_plain = True
                case sender.Deliver(receipt):
                    self._outcome = Delivered(receipt, self._durations)
                case sender.TryAgain(reason):
                    self._outcome = Again(reason, self._unreachable)
                case sender.GiveUp(reason):
                    self._outcome = Impossible(reason)

    def _begin(self, work: Any) -> None:
        task: asyncio.Task[None] = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            # A defect or a damaged blob: the attempt ends rather than hangs, and the log says where.
            log.error("sending failed: %s", type(error).__name__, exc_info=error)
            if isinstance(error, BlobDamaged):
                self._events.put_nowait(sender.Refused(f"the stored document cannot be read: {error}", permanent=True))
            else:
                self._events.put_nowait(sender.SecureLost("this gateway failed while sending; its log says why"))

    def _show(self, *, secure: int = 0, plain: int = 0) -> None:
        now = self._progress
        self._last_news = asyncio.get_running_loop().time()
        self._progress = replace(
            now,
            secure_sent=now.secure_sent + secure,
            plain_sent=min(now.plain_total, now.plain_sent + plain),
        )
        self._publish(self._progress)

    # --- the secure channel ----------------------------------------------------------------------------------------

    async def _send_secure(self) -> None:
        opening = Opening(self._manifest, self._attempt)
        head = opening.to_bytes()
        try:
            async with self._link.stream(
                "/v1/transfers", self._secure_body(head), len(head) + opening.body_size, self._trace(SECURE)
            ) as response:
                async for line in _lines(response):
                    answer = json.loads(line)
                    if not isinstance(answer, dict):
                        raise ValueError("an answer is a JSON object")
                    self._hear(answer)
        except PeerRefused as refused:
            self._events.put_nowait(sender.Refused(str(refused), refused.permanent))
        except (PeerUnreachable, WrongPeer) as lost:
            self._unreachable = True
            self._events.put_nowait(sender.SecureLost(str(lost)))
        else:
            self._events.put_nowait(sender.SecureLost(f"{self._link.peer.name} ended its answer without a receipt"))

    async def _secure_body(self, head: bytes) -> AsyncIterator[bytes]:
        """The opening with the first classified bytes, then the rest; in secure-only the plain stream follows."""
        document, manifest = self._document, self._manifest
        piece = document.read_classified(0, min(PIECE, manifest.classified_size))
        yield head + piece
        self._show(secure=len(piece))
        for start in range(len(piece), manifest.classified_size, PIECE):
            piece = document.read_classified(start, min(start + PIECE, manifest.classified_size))
            yield piece
            self._show(secure=len(piece))
        if not self._attempt.plan.uses_plain_channel:
            for start in range(0, manifest.plain_size, PIECE):
                piece = document.read_plain(start, min(start + PIECE, manifest.plain_size))
                yield piece
                self._show(secure=len(piece))

    def _hear(self, answer: dict[str, Any]) -> None:
        match answer.get("is"):
            case "verified" if not self._progress.verified:
                self._marks.at("acknowledged", SECURE)
                if self._attempt.plan.uses_plain_channel and self._core.chunks.count:
                    # By the secure channel's word: what comes back on the plain one counts for nothing.
                    self._marks.at("acknowledged", PLAIN)
                self._marks.at("verified-heard")
                self._events.put_nowait(sender.VerifiedReported())
                self._progress = replace(self._progress, verified=True)
                self._show()
            case "receipt":
                self._marks.at("receipt-heard")
                self._durations = read_durations(answer.get("durations"))
                self._events.put_nowait(sender.ReceiptArrived(str(answer.get("receipt"))))
            case "failed":
                reason = f"{self._link.peer.name}: {clean_line(str(answer.get('detail')))}"
                self._events.put_nowait(sender.Refused(reason, bool(answer.get("permanent"))))

    async def _ask_held(self) -> None:
        try:
            said = await self._about_attempt("GET", "")
            held = from_ranges(said.get("held", ()), self._core.chunks.count)
        except PeerRefused:
            held = frozenset()  # it cannot say just now
        except (PeerUnreachable, WrongPeer, ValueError, TypeError) as lost:
            self._events.put_nowait(sender.SecureLost(str(lost)))
            return
        if not held <= self._core.held:
            self._last_news = asyncio.get_running_loop().time()
        self._events.put_nowait(sender.HeldReported(held))

    async def _send_plain_securely(self, chunks: Sequence[int]) -> None:
        log.warning(
            "transfer %s: %d plain chunks did not arrive on the plain channel and go over the secure one",
            self._manifest.transfer_id,
            len(chunks),
        )
        try:
            for index in chunks:
                start, end = self._core.chunks.bounds(index)
                await self._about_attempt("PUT", f"/plain/{index}", self._document.read_plain(start, end))
                self._show(plain=end - start)
        except PeerRefused as refused:
            self._events.put_nowait(sender.Refused(str(refused), refused.permanent))
        except (PeerUnreachable, WrongPeer) as lost:
            self._events.put_nowait(sender.SecureLost(str(lost)))

    async def _about_attempt(self, method: str, path: str, content: bytes | None = None) -> dict[str, Any]:
        """Asks about the attempt under way. The peer may not know it yet: the plain channel's rounds can be over before
        the opening has arrived. If it knows it no more, the secure stream says so and ends this.

        Raises:
            PeerUnreachable, PeerRefused, WrongPeer: see `links`.
        """
        while True:
            try:
                return await self._link.ask(method, f"/v1/attempts/{self._attempt.handle}{path}", content=content)
            except PeerRefused as refused:
                if refused.kind != "unknown-attempt":
                    raise
            await asyncio.sleep(OPENING_POLL_S)

    # --- the plain channel -----------------------------------------------------------------------------------------

    async def _send_plain(self, chunks: Sequence[int]) -> None:
        loop = asyncio.get_running_loop()
        round_ends = loop.time() + ROUND_S
        waiting = iter(chunks)
        lost_in_a_row = 0

        async def carry() -> None:
            nonlocal lost_in_a_row
            for index in waiting:  # shared: each chunk goes with whoever is free
                start, end = self._core.chunks.bounds(index)
                if await self._put_plain(index, start, end):
                    lost_in_a_row = 0
                    self._show(plain=end - start)
                else:
                    lost_in_a_row += 1
                if self._stop_plain or lost_in_a_row >= LOST_IN_A_ROW or loop.time() >= round_ends:
                    return

        carriers = [asyncio.create_task(carry()) for _ in range(min(WINDOW, len(chunks)))]
        beating = asyncio.create_task(self._beat())
        try:
            await asyncio.gather(*carriers)
        finally:
            for task in (beating, *carriers):
                task.cancel()
        self._events.put_nowait(sender.PlainRoundSent())

    async def _put_plain(self, index: int, start: int, end: int) -> bool:
        """Whether the chunk was sent, and answered by whoever was there."""
        chunk = self._document.read_plain(start, end)
        try:
            await self._link.put_plain(
                f"/{self._attempt.handle}/0/{index}",
                chunk,
                seal(self._attempt.plain_key, 0, index, [chunk]),
                self._trace(PLAIN),
                connect_s=self._plain_timeout_s,
                timeout_s=self._plain_timeout_s + len(chunk) / PLAIN_MIN_RATE,
            )
        except (httpx.TransportError, TimeoutError):
            return False
        return True

    async def _beat(self) -> None:
        """Asks after the attempt now and then, only so that the peer hears of us."""
        while True:
            await asyncio.sleep(BEAT_S)
            with suppress(PeerRefused, PeerUnreachable, WrongPeer):
                await self._link.ask("GET", f"/v1/attempts/{self._attempt.handle}")

    def _trace(self, channel: str) -> Callable[..., Any]:
        marks = self._marks

        async def trace(name: str, _info: dict[str, Any]) -> None:
            match name:
                case "connection.connect_tcp.started":
                    marks.at("connecting", channel)
                case "connection.connect_tcp.complete":
                    marks.at("connected", channel)
                case "connection.start_tls.complete":
                    marks.at("handshaken", channel)
                case "http11.send_request_headers.started":
                    if marks.first("first-byte", channel) is None:
                        marks.at("first-byte", channel)
                case "http11.send_request_body.complete":
                    marks.move("last-byte", channel)

        return trace


def connection_trace(marks: Marks, channel: str) -> Callable[..., Any]:
    """A trace that marks the set-up of a connection and nothing of what it then carries."""

    async def trace(name: str, _info: dict[str, Any]) -> None:
        match name:
            case "connection.connect_tcp.started":
                marks.at("connecting", channel)
            case "connection.connect_tcp.complete":
                marks.at("connected", channel)
            case "connection.start_tls.complete":
                marks.at("handshaken", channel)

    return trace


def read_durations(said: Any) -> ReceiverDurations | None:
    """The receiver's durations as it said them; None if it said none, or nonsense."""
    try:
        durations = ReceiverDurations(**said)
    except TypeError:
        return None
    values = (durations.combine_ns, durations.integrate_ns, durations.verify_ns, durations.commit_ns)
    return durations if all(isinstance(v, int) and 0 <= v < 2**62 for v in values) else None


async def _lines(response: httpx.Response) -> AsyncIterator[bytes]:
    """The answer's lines as they come, each of at most `MAX_LINE` bytes."""
    buffer = b""
    async for piece in response.aiter_raw():
        buffer += piece
        while (end := buffer.find(b"\n")) >= 0:
            yield buffer[:end]
            buffer = buffer[end + 1 :]
        if len(buffer) > MAX_LINE:
            raise PeerRefused("the peer's answer is too long", permanent=False)
