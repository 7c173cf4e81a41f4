"""The sender's IO: one attempt at one transfer, driven by the pure `channel.sender`.

What the plain channels get is in `lanes`; the secure ones get the opening with the first sub-stream behind it, and the
other sub-streams, each over a connection of its own.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
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
from sieve.gateway.errors import PeerRefused, PeerUnreachable, WrongPeer
from sieve.gateway.lanes import Lanes
from sieve.gateway.links import Link
from sieve.gateway.marks import SECURE, Marks, secure_channel
from sieve.gateway.progress import ChannelProgress, Progress
from sieve.gateway.stored_document import PIECE, StoredDocument, gathered
from sieve.gateway.timing import ReceiverDurations
from sieve.gateway.tls import suite_of
from sieve.gateway.traces import channel_trace
from sieve.store.blobs import BlobDamaged

log = logging.getLogger(__name__)

# A chunk that is swallowed takes longer to be given up than the peer waits for a sign of life: it gets one this often.
BEAT_S = 15.0
# While the opening is on its way the peer does not know the attempt yet.
OPENING_POLL_S = 0.05
# A round that was answered has mostly arrived: so long its receiver is given to say so by itself.
ASK_AFTER_S = 0.1
# An attempt that moves nothing for so long is given up: a peer may say for ever that it is going on.
STALL_S = 300.0
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
        self._stall_s = stall_s
        self._last_news = asyncio.get_running_loop().time()
        self._core = sender.Sender(manifest, attempt, trust)
        self._events: asyncio.Queue[sender.Event] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()
        # Set when the peer has every byte, and when the attempt is over.
        self._all_there = asyncio.Event()
        self._outcome: Outcome | None = None
        self._durations: ReceiverDurations | None = None
        self._unreachable = False
        self.cipher: str | None = None
        """The suite of the secure channel, by its IANA name; None until the peer answers on it."""
        self._lanes = Lanes(
            link, attempt, self._core.chunks, marks, self._chunk, self._plain_sent, timeout_s=plain_timeout_s
        )
        self._progress = self._at_nought()

    def _at_nought(self) -> Progress:
        secure = [ChannelProgress("secure", k, 0, part.size) for k, part in enumerate(self._core.secure)]
        plans = self._core.chunks.plans if self._attempt.plan.uses_plain_channel else ()
        plain = [ChannelProgress("plain", k, 0, plan.size) for k, plan in enumerate(plans)]
        return Progress(
            self._manifest.transfer_id,
            "sending",
            secure_total=sum(channel.total for channel in secure),
            plain_total=sum(channel.total for channel in plain),
            channels=(*secure, *plain),
        )

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
            self._lanes.stopped = True
            self._all_there.set()
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
                case sender.SendSecureOn(sub_stream, start):
                    self._begin(self._send_secure_on(sub_stream, start))
                case sender.AskSecureHeld():
                    self._begin(self._ask_secure_held())
                case sender.SendPlain(chunks):
                    self._begin(self._send_plain(chunks))
                case sender.AskHeld():
                    self._begin(self._ask_held())
                case sender.SendPlainSecurely(chunks):
                    self._begin(self._send_plain_securely(chunks))
                case sender.StopPlain():
                    self._lanes.stopped = True
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

    def _news(self) -> None:
        self._last_news = asyncio.get_running_loop().time()

    def _secure_sent(self, sub_stream: int, size: int) -> None:
        self._news()
        self._progress = self._progress.carried(sub_stream, size)
        self._publish(self._progress)

    def _plain_sent(self, number: int) -> None:
        place = self._core.chunks.place(number)
        self._news()
        self._progress = self._progress.carried(len(self._core.secure) + place.sub_stream, place.length)
        self._publish(self._progress)

    # --- the secure channels ---------------------------------------------------------------------------------------

    async def _send_secure(self) -> None:
        opening = Opening(self._manifest, self._attempt)
        head = opening.to_bytes()
        try:
            async with self._link.stream(
                "POST",
                "/v1/transfers",
                self._opening_body(head),
                len(head) + self._core.secure[0].size,
                channel_trace(self._marks, SECURE),
            ) as response:
                self.cipher = suite_of(response.extensions["network_stream"].get_extra_info("ssl_object"))
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

    async def _opening_body(self, head: bytes) -> AsyncIterator[bytes]:
        """The opening, and with it the first bytes of the first sub-stream; then the rest of that."""
        pieces = self._secure_pieces(0, 0)
        first = next(pieces, b"")
        yield head + first
        self._secure_sent(0, len(first))
        for piece in pieces:
            yield piece
            self._secure_sent(0, len(piece))

    async def _sub_stream_body(self, sub_stream: int, start: int) -> AsyncIterator[bytes]:
        for piece in self._secure_pieces(sub_stream, start):
            yield piece
            self._secure_sent(sub_stream, len(piece))

    def _secure_pieces(self, sub_stream: int, start: int) -> Iterator[bytes]:
        """A secure sub-stream from `start` on: classified bytes, and in secure-only the plain ones behind them."""
        document, border = self._document, self._manifest.classified_size
        part = self._core.secure[sub_stream]
        return gathered(
            document.read_classified(at, until) if at < border else document.read_plain(at - border, until - border)
            for first, last in part.ranges(start, part.size)
            for at, until in _pieces(first, last, border)
        )

    async def _send_secure_on(self, sub_stream: int, start: int) -> None:
        """A sub-stream behind the first one. It may overtake the opening: the peer lets it wait, then we ask again."""
        path = f"/v1/attempts/{self._attempt.handle}/secure/{sub_stream}?from={start}"
        length = self._core.secure[sub_stream].size - start
        trace = channel_trace(self._marks, secure_channel(sub_stream))
        while True:
            try:
                async with self._link.stream(
                    "PUT", path, self._sub_stream_body(sub_stream, start), length, trace
                ) as response:
                    async for _ in response.aiter_raw():
                        pass
                return
            except PeerRefused as refused:
                if refused.permanent:
                    self._events.put_nowait(sender.Refused(str(refused), permanent=True))
                    return
                if refused.kind != "unknown-attempt":
                    self._events.put_nowait(sender.SecureCut(sub_stream, str(refused)))
                    return
            except (PeerUnreachable, WrongPeer) as lost:
                self._events.put_nowait(sender.SecureCut(sub_stream, str(lost)))
                return
            await asyncio.sleep(OPENING_POLL_S)

    async def _ask_secure_held(self) -> None:
        try:
            said = await self._about_attempt("GET", "")
            held = tuple(int(size) for size in said["secure"])
        except (PeerRefused, ValueError, KeyError, TypeError):
            held = ()  # it cannot say just now
        except (PeerUnreachable, WrongPeer) as lost:
            self._events.put_nowait(sender.SecureLost(str(lost)))
            return
        self._events.put_nowait(sender.SecureHeldReported(held))

    def _hear(self, answer: dict[str, Any]) -> None:
        match answer.get("is"):
            case "verified" if not self._progress.verified:
                self._all_there.set()
                # By the secure channel's word also the plain ones: what comes back there counts for nothing.
                for channel in self._progress.channels:
                    if channel.total or channel.kind == "secure":
                        self._marks.at("acknowledged", f"{channel.kind}-{channel.number}")
                self._marks.at("verified-heard")
                self._events.put_nowait(sender.VerifiedReported())
                self._progress = replace(self._progress, verified=True)
                self._news()
                self._publish(self._progress)
            case "receipt":
                self._marks.at("receipt-heard")
                self._durations = read_durations(answer.get("durations"))
                self._events.put_nowait(sender.ReceiptArrived(str(answer.get("receipt"))))
            case "failed":
                reason = f"{self._link.peer.name}: {clean_line(str(answer.get('detail')))}"
                self._events.put_nowait(sender.Refused(reason, bool(answer.get("permanent"))))

    async def _ask_held(self) -> None:
        # Mostly the word that everything is there is under way already.
        with suppress(TimeoutError):
            async with asyncio.timeout(ASK_AFTER_S):
                await self._all_there.wait()
                return
        try:
            said = await self._about_attempt("GET", "")
            held = from_ranges(said.get("held", ()), self._core.chunks.count)
        except PeerRefused:
            held = frozenset()  # it cannot say just now
        except (PeerUnreachable, WrongPeer, ValueError, TypeError) as lost:
            self._events.put_nowait(sender.SecureLost(str(lost)))
            return
        if not held <= self._core.held:
            self._news()
        self._events.put_nowait(sender.HeldReported(held))

    async def _send_plain_securely(self, chunks: Sequence[int]) -> None:
        log.warning(
            "transfer %s: %d plain chunks did not arrive on the plain channel and go over the secure one",
            self._manifest.transfer_id,
            len(chunks),
        )
        try:
            for number in chunks:
                await self._about_attempt("PUT", f"/plain/{number}", self._chunk(number))
                self._plain_sent(number)
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

    # --- the plain channels ----------------------------------------------------------------------------------------

    async def _send_plain(self, chunks: Sequence[int]) -> None:
        beating = asyncio.create_task(self._beat())
        try:
            await self._lanes.round(chunks)
        finally:
            beating.cancel()
        self._events.put_nowait(sender.PlainRoundSent())

    def _chunk(self, number: int) -> bytes:
        """The bytes of a plain chunk; of one piece of the plain stream, unless it is split by its segments."""
        pieces = [self._document.read_plain(start, end) for start, end in self._core.chunks.ranges(number)]
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    async def _beat(self) -> None:
        """Asks after the attempt now and then, only so that the peer hears of us."""
        while True:
            await asyncio.sleep(BEAT_S)
            with suppress(PeerRefused, PeerUnreachable, WrongPeer):
                await self._link.ask("GET", f"/v1/attempts/{self._attempt.handle}")


def _pieces(first: int, last: int, border: int) -> Iterator[tuple[int, int]]:
    """Bytes `first` to `last` in pieces; none reaches over a multiple of `PIECE` or over `border`."""
    while first < last:
        until = min(last, (first // PIECE + 1) * PIECE, border if first < border else last)
        yield first, until
        first = until


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
