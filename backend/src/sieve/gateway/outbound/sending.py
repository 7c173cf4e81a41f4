"""The sender's IO: sends a load of documents once, driven by the pure `channel.sender`.

`plain_lanes` sends on the plain channels, `secure_streams` on the secure ones.

Invariant: each of several documents has its own outcome. One that cannot be read, or is cancelled, costs the others
nothing but the time of its bytes.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from typing import Any, Final

from sieve.channel import sender
from sieve.channel.attempt import Attempt
from sieve.channel.chunk_sizes import from_ranges
from sieve.channel.load import Load
from sieve.channel.plain_patience import PlainPatience
from sieve.channel.refusals import RefusalKind
from sieve.core.sentence import sentence_of
from sieve.gateway.errors import PeerRefused, PeerUnreachable, UnreadableNow, WrongPeer
from sieve.gateway.outbound.load_progress import BytesLeft, LoadProgress
from sieve.gateway.outbound.outcomes import Delivered, Outcome, PermanentFailure, Retry, cause_of_refusal, unreadable
from sieve.gateway.outbound.plain_lanes import Lanes
from sieve.gateway.outbound.secure_streams import SecureStreams
from sieve.gateway.outbound.stored_load import Fault, StoredLoad
from sieve.gateway.peering.links import Link
from sieve.gateway.peering.peer_errors import refusal, translated
from sieve.gateway.peering.tls import Negotiated
from sieve.gateway.stored_document import StoredDocument
from sieve.gateway.telemetry.progress import Progress
from sieve.gateway.telemetry.timing import ReceiverDurations, read_durations
from sieve.gateway.telemetry.timing_causes import TimingCause
from sieve.gateway.telemetry.timing_marks import PLAIN, SECURE, TimingMarks, plain_channel, secure_channel
from sieve.store.blobs import BlobDamaged
from sieve.store.errors import MasterKeyMissing

log = logging.getLogger(__name__)

# While the plain channel is slow, the peer gets a request this often: otherwise it may stop waiting.
BEAT_S = 15.0
# After a round the receiver usually has every byte: it gets this long to say so before it is asked.
ASK_AFTER_S = 0.1
# An attempt without progress for this long ends: a peer could claim forever that it is working.
STALL_S = 300.0
# How long to wait at the end for the answer to the chunk in progress, so that its connection can be kept.
LAST_ANSWER_S = 0.5
# Refusals of what the hello allowed: the peer runs another version by now, or has other limits.
_NOT_AS_GREETED: Final = frozenset({RefusalKind.PROTOCOL, RefusalKind.TOO_MANY_CHANNELS})


class Sending:
    """`run` it once. `receipts_ns`: when each receipt arrived. `misfits`: the transfers that the peer refused for good
    although its hello allowed them. `disputed`: those whose plain stream, the peer says, is not the announced one.
    `verified`: whether the peer has every byte.
    """

    def __init__(
        self,
        load: Load,
        attempt: Attempt,
        documents: Sequence[StoredDocument],
        link: Link,
        trust: sender.Trust,
        timing_marks: TimingMarks,
        publish: Callable[[Progress], None],
        patience: PlainPatience,
        stall_s: float = STALL_S,
    ) -> None:
        """`documents` are the load's, in its order.

        Raises:
            BadManifest: they are too much for one attempt.
        """
        self._load, self._attempt = load, attempt
        self._link, self._timing_marks = link, timing_marks
        self._stall_s = stall_s
        self._last_news = asyncio.get_running_loop().time()
        self._core = sender.Sender(load, attempt, trust, patience)
        _ = self._core.opening.head  # raises if it is too long
        self.events: asyncio.Queue[sender.Event] = asyncio.Queue()
        """What happened, for the core."""
        self._tasks: set[asyncio.Task[None]] = set()
        # Set when the peer has every byte, and when the attempt is over.
        self._all_there = asyncio.Event()
        self._outcomes: dict[str, Outcome] = {}
        self._durations: dict[str, ReceiverDurations | None] = {}
        self._unreachable = self.verified = self._is_over = False
        # Documents that cannot be read here, and why all ended, if that is this gateway's fault.
        self._unreadable_here: set[str] = set()
        self._fault: TimingCause | None = None
        self.misfits: set[str] = set()
        self.disputed: set[str] = set()
        self.receipts_ns: dict[str, int] = {}
        core = self._core
        self._stored = StoredLoad(load, documents, core.secure, core.secure_layout, core.chunks, self._unreadable)
        self._progress = LoadProgress(core, publish, uses_plain_channel=attempt.plan.uses_plain_channel)
        self._secure = SecureStreams(
            link,
            attempt,
            core.opening,
            core.secure,
            self._stored,
            timing_marks,
            self._progress.leaving_secure,
            self._secure_sent,
        )
        self._lanes = Lanes(
            link,
            attempt,
            core.chunks,
            timing_marks,
            self._stored.chunk,
            self._progress.leaving_chunk,
            self._plain_sent,
            connect_s=patience.wait_s,
            round_s=core.round_s,
        )

    def has_arrived(self, transfer_id: str) -> bool:
        """Whether the peer has every byte of that transfer, so that it can no longer be cancelled."""
        return (self.verified and transfer_id in self.left) or isinstance(self._outcomes.get(transfer_id), Delivered)

    def left_of(self, transfer_id: str) -> BytesLeft:
        """How many bytes of that transfer left this gateway, once the attempt is over."""
        return self._progress.left(transfer_id)

    @property
    def tls(self) -> Negotiated:
        """What the connection of the opening uses; nothing until the peer answers on it."""
        return self._secure.tls

    @property
    def moved(self) -> bool:
        """Whether plain chunks moved to the secure channel: the times of such an attempt are of no plan."""
        return self._core.moved

    @property
    def outcomes(self) -> Mapping[str, Outcome]:
        """The outcomes so far, by transfer."""
        return self._outcomes

    @property
    def left(self) -> Sequence[str]:
        """The transfers without an outcome."""
        return self._core.left

    async def run(self) -> Mapping[str, Outcome]:
        """Sends all documents; returns their outcomes."""
        self._progress.begin()
        try:
            self._do(self._core.start())
            while not self._core.ended:
                self._do(self._core.handle(await self._next_event()))
            return self._outcomes
        finally:
            self._is_over = self._lanes.stopped = True
            self._all_there.set()
            try:
                # A cancelled attempt does not wait: it must send no more bytes.
                if self._core.ended and self._tasks:
                    await asyncio.wait(self._tasks, timeout=LAST_ANSWER_S)
            finally:
                for task in self._tasks:
                    task.cancel()
                await asyncio.gather(*self._tasks, return_exceptions=True)

    def give_up(self, transfer_id: str) -> None:
        """Sends nothing more of one of several documents. The caller asks later whether the peer delivered it."""
        if self._is_over or transfer_id not in self.left:
            return
        self._stored.withhold(transfer_id)
        self._begin(self._drop(transfer_id, "given up", permanent=True))

    def _unreadable(self, transfer_id: str, fault: Fault) -> None:
        _log_unreadable(transfer_id, fault)
        self._unreadable_here.add(transfer_id)
        self._begin(self._drop(transfer_id, _reason(fault), permanent=_is_final(fault)))

    async def _drop(self, transfer_id: str, reason: str, *, permanent: bool) -> None:
        # Our own reason first: the peer's would only be that it was asked to give up.
        self.events.put_nowait(sender.DocumentRefused(transfer_id, reason, permanent))
        with suppress(PeerRefused, PeerUnreachable, WrongPeer):  # an error that ends the attempt arrives with `send`
            await self._secure.ask("DELETE", f"?transfer={transfer_id}")

    async def _next_event(self) -> sender.Event:
        """The next event; without progress for too long, that the channel is lost."""
        while True:
            stalls_at = self._last_news + self._stall_s
            with suppress(TimeoutError):
                async with asyncio.timeout_at(stalls_at):
                    return await self.events.get()
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
                    self._begin(self.ask_held())
                case sender.SendPlainSecurely(chunks):
                    self._begin(self._send_plain_securely(chunks))
                case sender.StopPlain():
                    self._lanes.stopped = True
                case sender.Deliver(transfer_id, receipt):
                    self._end(transfer_id, Delivered(receipt, self._durations.get(transfer_id), self.moved))
                case sender.TryAgain(reason, transfer_id, off_plain, disk_full):
                    cause = self._cause(command)
                    self._end(transfer_id, Retry(reason, cause, self._unreachable, off_plain, disk_full))
                case sender.GiveUp(reason, transfer_id):
                    self._end(transfer_id, PermanentFailure(reason, self._cause(command)))

    def _cause(self, ended: sender.TryAgain | sender.GiveUp) -> TimingCause:
        """Why documents end, for counting: this gateway's fault, what the peer said, or the channel that failed."""
        if self._fault is not None:
            return self._fault
        if ended.transfer_id in self._unreadable_here:
            return TimingCause.STORED_DATA
        if ended.kind is not None:
            return cause_of_refusal(ended.kind)
        if isinstance(ended, sender.TryAgain) and ended.off_plain:
            return TimingCause.PLAIN_CHANNEL
        was_up = self._timing_marks.first("first-byte", SECURE) is not None
        return TimingCause.LINK_BROKE if was_up else TimingCause.UNREACHABLE

    def _end(self, transfer_id: str | None, outcome: Outcome) -> None:
        """Ends that document, or all that are left."""
        for each in self._load.transfer_ids if transfer_id is None else [transfer_id]:
            self._outcomes.setdefault(each, outcome)
            self._progress.ended(each)
        self._news()

    def _begin(self, work: Any) -> None:
        task: asyncio.Task[None] = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            # A defect, a damaged blob, a failing disk: the attempt ends instead of hanging, and the log says where.
            if isinstance(error, BlobDamaged | UnreadableNow):
                _log_unreadable(self._load.transfer_ids[0], error)
                self._fault = TimingCause.STORED_DATA
                self.events.put_nowait(sender.Refused(_reason(error), _is_final(error)))
            else:
                log.error("sending failed: %s", type(error).__name__, exc_info=error)
                self._fault = TimingCause.OTHER
                self.events.put_nowait(sender.SecureLost("this gateway failed while sending; its log says why"))

    def _refused(self, refused: PeerRefused) -> None:
        """The peer refused all documents that are left."""
        self._note_misfits(refused, self.left)
        self.events.put_nowait(sender.Refused(sentence_of(refused), refused.permanent, refused.kind))

    def _note_misfits(self, refused: PeerRefused, transfer_ids: Sequence[str]) -> None:
        if refused.permanent and refused.kind in _NOT_AS_GREETED:
            self.misfits.update(transfer_ids)

    def _news(self) -> None:
        self._last_news = asyncio.get_running_loop().time()

    def _secure_sent(self, sub_stream: int, start: int, size: int) -> None:
        if self._progress.secure(sub_stream, start, start + size):
            self._news()

    def _plain_sent(self, number: int) -> None:
        # An answer on the plain channel is no progress: anybody could send it.
        self._progress.plain(number)

    # --- the secure channels ---------------------------------------------------------------------------------------

    async def _send_secure(self) -> None:
        try:
            with translated(self._link.peer.name):
                async with aclosing(self._secure.send()) as answers:
                    async for answer in answers:
                        self.hear(answer)
        except PeerRefused as refused:
            self._refused(refused)
        except (PeerUnreachable, WrongPeer) as lost:
            self._unreachable = True
            self.events.put_nowait(sender.SecureLost(str(lost)))
        else:
            self.events.put_nowait(sender.SecureLost(f"{self._link.peer.name} ended its answer without a receipt"))

    async def _send_secure_on(self, sub_stream: int, start: int) -> None:
        try:
            await self._secure.send_on(sub_stream, start)
        except (PeerRefused, PeerUnreachable, WrongPeer) as error:
            if isinstance(error, PeerRefused) and error.permanent:
                self._refused(error)
            else:
                self.events.put_nowait(sender.SecureCut(sub_stream, sentence_of(error)))

    async def _ask_secure_held(self) -> None:
        try:
            said = await self._secure.ask("GET", "")
            held = tuple(int(size) for size in said["secure"])
        except (PeerRefused, ValueError, KeyError, TypeError, OverflowError):  # the last of Infinity
            held = ()  # it cannot answer just now
        except (PeerUnreachable, WrongPeer) as lost:
            self.events.put_nowait(sender.SecureLost(str(lost)))
            return
        self.events.put_nowait(sender.SecureHeldReported(held))

    def hear(self, answer: dict[str, Any]) -> None:
        """Takes one line of the peer's answer."""
        match answer.get("is"):
            case "verified" if not self._all_there.is_set():
                self._all_there.set()
                # Also for the plain channels, whose own answers prove nothing.
                plain = self._core.chunks.plans if self._attempt.plan.uses_plain_channel else ()
                names = [secure_channel(number) for number in range(len(self._core.secure))]
                names += [plain_channel(number) for number, plan in enumerate(plain) if plan.size]
                for name in names:
                    self._timing_marks.at("acknowledged", name)
                if self._lanes.sending:
                    # Their answers may come later; what they answer is there now.
                    self._timing_marks.move("answered", PLAIN)
                self._timing_marks.at("verified-heard")
                self.verified = True
                self.events.put_nowait(sender.VerifiedReported())
                self._progress.verified()
                self._news()
            case "receipt":
                transfer_id = self._meant(answer)
                if transfer_id in self._core.left:
                    self.receipts_ns[transfer_id] = self._timing_marks.clock()
                    self._durations[transfer_id] = read_durations(answer.get("durations"))
                    self.events.put_nowait(sender.ReceiptArrived(transfer_id, str(answer.get("receipt"))))
            case "failed":
                refused = refusal(self._link.peer.name, {"detail": None, **answer})
                if (
                    refused.kind is RefusalKind.OTHER_BYTES
                    and (whose := self._meant(answer)) in self._load.transfer_ids
                ):
                    self.disputed.add(whose)
                if self._load.is_batch and "transfer" in answer:
                    transfer_id = self._meant(answer)
                    if transfer_id not in self._core.left:
                        return  # it has an outcome already, or is not of this load
                    self._note_misfits(refused, [transfer_id])
                    self.events.put_nowait(
                        sender.DocumentRefused(transfer_id, sentence_of(refused), refused.permanent, refused.kind)
                    )
                else:
                    self._refused(refused)

    def _meant(self, answer: dict[str, Any]) -> str:
        """The transfer of a line of the answer."""
        return str(answer.get("transfer")) if self._load.is_batch else self._load.transfer_ids[0]

    async def ask_held(self) -> None:
        """Asks the peer which plain chunks it holds, unless it says first that it has all."""
        # Usually the message that every byte arrived is already in transit.
        with suppress(TimeoutError):
            async with asyncio.timeout(ASK_AFTER_S):
                await self._all_there.wait()
                return
        try:
            said = await self._secure.ask("GET", "")
            held = from_ranges(said.get("held", ()), self._core.chunks.count)
        except PeerRefused:
            held = frozenset()  # it cannot answer just now
        except (PeerUnreachable, WrongPeer, ValueError, TypeError) as lost:
            self.events.put_nowait(sender.SecureLost(str(lost)))
            return
        if not held <= self._core.held:
            self._news()
        self.events.put_nowait(sender.HeldReported(held, asyncio.get_running_loop().time()))

    async def _send_plain_securely(self, chunks: Sequence[int]) -> None:
        log.warning(
            "transfer %s: %d plain chunks did not arrive on the plain channel and go over the secure one",
            ", ".join(self._load.transfer_ids),
            len(chunks),
        )
        try:
            for number in chunks:
                self._progress.leaving_chunk(number, securely=True)
                await self._secure.ask("PUT", f"/plain/{number}", self._stored.chunk(number))
                if self._progress.plain(number, securely=True):
                    self._news()
        except PeerRefused as refused:
            self._refused(refused)
        except (PeerUnreachable, WrongPeer) as lost:
            self.events.put_nowait(sender.SecureLost(str(lost)))

    # --- the plain channels ----------------------------------------------------------------------------------------

    async def _send_plain(self, chunks: Sequence[int]) -> None:
        beating = asyncio.create_task(self._beat())
        try:
            await self._lanes.round(chunks)
        finally:
            beating.cancel()
        self.events.put_nowait(sender.PlainRoundSent())

    async def _beat(self) -> None:
        """Makes requests about the attempt, only so that the peer keeps waiting."""
        while True:
            await asyncio.sleep(BEAT_S)
            with suppress(PeerRefused, PeerUnreachable, WrongPeer):
                await self._link.ask("GET", f"/v1/attempts/{self._attempt.handle}")


def _log_unreadable(transfer_id: str, fault: Fault) -> None:
    if isinstance(fault, BlobDamaged):
        log.error("transfer %s cannot be read: %s", transfer_id, fault.for_log)
    else:
        log.error("transfer %s cannot be read just now", transfer_id, exc_info=fault)


def _reason(fault: Fault) -> str:
    return unreadable(fault) if isinstance(fault, BlobDamaged) else sentence_of(fault)


def _is_final(fault: Fault) -> bool:
    return isinstance(fault, BlobDamaged) and not isinstance(fault, MasterKeyMissing)
