"""The sender's side of one attempt: events in, commands out.

Invariant: both streams are sent at the same time and neither waits for the other. Answers on the plain channel are
not events here; only the secure channel says what is held, verified and received. Plain chunks that will not
arrive move to the secure channel, never the other way: after three fruitless rounds, or when the receiver holds less
than a minimum rate would have brought (`plain_patience`). A secure sub-stream that is cut continues after what the
receiver holds of it. If the first one is cut, which carries the opening, the attempt ends.
Each document has exactly one outcome; the end of the attempt is the outcome of all that have none yet."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sieve.channel.attempt import Attempt
from sieve.channel.attempt_split import PlainSplit
from sieve.channel.errors import LocalProtocolError, ReceiptInvalid
from sieve.channel.load import Load
from sieve.channel.opening import Opening
from sieve.channel.plain_patience import FRUITLESS_ROUNDS, PlainPatience
from sieve.channel.receipt import verify
from sieve.channel.refusals import RefusalKind


@dataclass(frozen=True, slots=True)
class PlainRoundSent:
    """Every chunk of the round was handed to the plain channel, and answered, cut off or given up there."""


@dataclass(frozen=True, slots=True)
class HeldReported:
    """The receiver says, on the secure channel, which chunks it holds; `at_s`: when it said so, by a clock that only
    goes forward."""

    held: frozenset[int]
    at_s: float


@dataclass(frozen=True, slots=True)
class VerifiedReported:
    """Every byte is there and its seal holds, or it came over TLS. Ends the response time; promises nothing."""


@dataclass(frozen=True, slots=True)
class ReceiptArrived:
    """The text of a document's receipt. It may come at any time: a late one still counts."""

    transfer_id: str
    text: str


@dataclass(frozen=True, slots=True)
class DocumentRefused:
    """The receiver refused one document; `permanent` if trying it again cannot help."""

    transfer_id: str
    reason: str
    permanent: bool
    kind: RefusalKind = RefusalKind.REFUSED


@dataclass(frozen=True, slots=True)
class Refused:
    """The receiver refused the attempt, on the secure channel; `permanent` if trying it again cannot help."""

    reason: str
    permanent: bool
    kind: RefusalKind = RefusalKind.REFUSED


@dataclass(frozen=True, slots=True)
class SecureLost:
    """The secure channel could not be opened, broke or stalled."""

    reason: str


@dataclass(frozen=True, slots=True)
class SecureCut:
    """A secure sub-stream behind the first one was cut; how much of it arrived is for the receiver to say."""

    sub_stream: int
    reason: str


@dataclass(frozen=True, slots=True)
class SecureHeldReported:
    """How many bytes of each secure sub-stream the receiver holds; nothing if it cannot say just now."""

    held: tuple[int, ...] = ()


Event: TypeAlias = (
    PlainRoundSent
    | HeldReported
    | VerifiedReported
    | ReceiptArrived
    | DocumentRefused
    | Refused
    | SecureLost
    | SecureCut
    | SecureHeldReported
)


@dataclass(frozen=True, slots=True)
class SendSecure:
    """Send the opening and the first secure sub-stream behind it."""


@dataclass(frozen=True, slots=True)
class SendSecureOn:
    """Send another secure sub-stream from `start` to its end, over a connection of its own."""

    sub_stream: int
    start: int


@dataclass(frozen=True, slots=True)
class AskSecureHeld:
    """Ask how much of each secure sub-stream is held."""


@dataclass(frozen=True, slots=True)
class SendPlain:
    """Send these chunks, each with its seal, on the plain channel, for `Sender.round_s` at most; then say
    PlainRoundSent."""

    chunks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AskHeld:
    """Ask, on the secure channel, which chunks are held."""


@dataclass(frozen=True, slots=True)
class SendPlainSecurely:
    """Send these chunks of the plain stream on the secure channel."""

    chunks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StopPlain:
    """Nothing more is needed on the plain channel."""


@dataclass(frozen=True, slots=True)
class Deliver:
    """A document is delivered: the receipt is valid for exactly its manifest."""

    transfer_id: str
    receipt: str


@dataclass(frozen=True, slots=True)
class TryAgain:
    """This attempt is over for that document, or with None for all that are left; another may succeed.

    `kind`: that of the refusal, None if the receiver did not refuse. `off_plain`: the next one must not use the plain
    channel, which failed in this one. `disk_full`: the receiver's disk is full, so the next one fails, too, until
    somebody makes room.
    """

    reason: str
    transfer_id: str | None = None
    off_plain: bool = False
    disk_full: bool = False
    kind: RefusalKind | None = None

    @classmethod
    def after(cls, refused: "DocumentRefused | Refused", transfer_id: str | None = None) -> "TryAgain":
        """The consequence of a refusal that is not final."""
        off_plain, disk_full = refused.kind is RefusalKind.PLAIN_LISTENER, refused.kind is RefusalKind.FULL
        return cls(refused.reason, transfer_id, off_plain, disk_full, refused.kind)


@dataclass(frozen=True, slots=True)
class GiveUp:
    """No attempt can succeed, at that document, or with None at all that are left. `kind`: that of the refusal."""

    reason: str
    transfer_id: str | None = None
    kind: RefusalKind = RefusalKind.REFUSED


Command: TypeAlias = (
    SendSecure
    | SendSecureOn
    | AskSecureHeld
    | SendPlain
    | AskHeld
    | SendPlainSecurely
    | StopPlain
    | Deliver
    | TryAgain
    | GiveUp
)


@dataclass(frozen=True, slots=True)
class Trust:
    """Whom a receipt must come from and name: both gateways' pins, and the receiver's receipt key (32 raw bytes)."""

    sender_pin: str
    receiver_pins: frozenset[str]
    receipt_key: bytes


class Sender:
    """One attempt's state. Each document ends with exactly one of Deliver, TryAgain, GiveUp; later events command
    nothing of it."""

    def __init__(self, load: Load, attempt: Attempt, trust: Trust, patience: PlainPatience | None = None) -> None:
        """Raises BadManifest, see `Opening.head`."""
        self.load, self._trust = load, trust
        self._patience = patience or PlainPatience()
        self.opening = Opening(load, attempt)
        self.secure = self.opening.secure
        self.secure_layout = load.secure(attempt.plan)
        self.chunks = PlainSplit.of(load, attempt.plan, attempt.max_chunk).chunks()
        self._largest_chunk = max((plan.chunk_size for plan in self.chunks.plans), default=0)
        self.held: frozenset[int] = frozenset()
        self._held_bytes = 0
        # When the receiver first reported missing chunks: from then on rounds count against that report.
        self._missing_since_s: float | None = None
        self.verified = False
        self._left = {manifest.transfer_id: manifest for manifest in load.manifests}
        self._started = False
        self._fruitless = 0
        # For secure sub-streams: why each was cut, where it last continued, and how often in a row without progress.
        self._cut: dict[int, str] = {}
        self._sent_from = [0] * len(self.secure)
        self._in_vain = [0] * len(self.secure)
        # Final: chunks that moved to the secure channel, or were never meant for the plain one, stay there.
        self._off_plain = not attempt.plan.uses_plain_channel

    @property
    def round_s(self) -> float:
        """How long a round on the plain channel may last, in seconds."""
        return self._patience.round_s(self._largest_chunk)

    @property
    def moved(self) -> bool:
        """Whether plain chunks went over to the secure channel."""
        return self._off_plain and self._missing_since_s is not None

    @property
    def ended(self) -> bool:
        """Whether each document has its end."""
        return not self._left

    @property
    def left(self) -> tuple[str, ...]:
        """The transfers that have no end yet."""
        return tuple(self._left)

    def start(self) -> Sequence[Command]:
        """Begins: all sub-streams at once."""
        if self._started:
            raise LocalProtocolError("an attempt starts once")
        self._started = True
        commands: list[Command] = [SendSecure()]
        commands += [SendSecureOn(number, 0) for number, part in enumerate(self.secure) if number and part.size]
        if not self._off_plain and self.chunks.count:
            commands.append(SendPlain(tuple(range(self.chunks.count))))
        return commands

    def handle(self, event: Event) -> Sequence[Command]:
        """The commands that follow from `event`."""
        if self.ended:
            return []
        match event:
            case PlainRoundSent():
                return [] if self.verified or self._off_plain else [AskHeld()]
            case HeldReported(held, at_s):
                return self._next_round(held, at_s)
            case VerifiedReported():
                self.verified = True
                return [StopPlain()]
            case ReceiptArrived(transfer_id, text):
                return self._receipt(transfer_id, text)
            case DocumentRefused(transfer_id, reason, permanent, kind):
                again = TryAgain.after(event, transfer_id)
                return self._end_one(transfer_id, GiveUp(reason, transfer_id, kind) if permanent else again)
            case Refused(reason, permanent, kind):
                # An error of a batch need not be an error of each of its documents.
                is_final = permanent and not self.load.is_batch
                return self._end(GiveUp(reason, kind=kind) if is_final else TryAgain.after(event))
            case SecureLost(reason):
                return self._end(self._lost(reason))
            case SecureCut(sub_stream, reason):
                if self.verified:
                    return []
                self._cut[sub_stream] = reason
                return [AskSecureHeld()]
            case SecureHeldReported(held):
                return self._send_on(held)

    def _send_on(self, held: tuple[int, ...]) -> Sequence[Command]:
        """Continues a sub-stream where it was cut. After three times without progress, the attempt is over."""
        cut, self._cut = self._cut, {}
        if self.verified:
            return []
        commands: list[Command] = []
        for number, reason in cut.items():
            size, before = self.secure[number].size, self._sent_from[number]
            # Invented numbers of a receiver must not count as progress.
            start = held[number] if len(held) == len(self.secure) and 0 <= held[number] <= size else before
            if start == size:
                continue
            self._in_vain[number] = self._in_vain[number] + 1 if start <= before else 0
            if self._in_vain[number] >= FRUITLESS_ROUNDS:
                return self._end(self._lost(reason))
            self._sent_from[number] = start
            commands.append(SendSecureOn(number, start))
        return commands

    def _lost(self, reason: str) -> TryAgain:
        """The attempt is over. If plain chunks were missing by the receiver's word, that may be why it was too long."""
        is_behind = self._missing_since_s is not None and not self.verified and len(self.held) < self.chunks.count
        return TryAgain(reason, off_plain=is_behind)

    def _next_round(self, held: frozenset[int], at_s: float) -> Sequence[Command]:
        if self.verified or self._off_plain:
            return []
        # Only chunks that exist: a peer's invented ones must not count as progress.
        came = frozenset(index for index in held - self.held if 0 <= index < self.chunks.count)
        self.held |= came
        self._held_bytes += sum(self.chunks.length(index) for index in came)
        missing = tuple(index for index in range(self.chunks.count) if index not in self.held)
        if not missing:
            return []
        self._fruitless = 0 if came else self._fruitless + 1
        if self._missing_since_s is None:
            self._missing_since_s = at_s
        # A round begins only if it can end within the granted time.
        until_s = self._missing_since_s + self._patience.granted_s(self._largest_chunk, self._held_bytes)
        if self._fruitless < FRUITLESS_ROUNDS and at_s + self.round_s <= until_s:
            return [SendPlain(missing)]
        self._off_plain = True
        return [StopPlain(), SendPlainSecurely(missing)]

    def _receipt(self, transfer_id: str, text: str) -> Sequence[Command]:
        manifest = self._left.get(transfer_id)
        if manifest is None:
            return []  # it has its end already, or the peer made it up
        try:
            receipt = verify(text, self._trust.receipt_key)
            if receipt.receiver_pin not in self._trust.receiver_pins:
                raise ReceiptInvalid("the receipt names a gateway that is not the receiver")
            receipt.check(manifest, sender_pin=self._trust.sender_pin, receiver_pin=receipt.receiver_pin)
        except ReceiptInvalid as error:
            reason = f"the receiver answered with a receipt that does not count: {error}"
            return self._end_one(transfer_id, TryAgain(reason, transfer_id, kind=RefusalKind.PROTOCOL))
        return self._end_one(transfer_id, Deliver(transfer_id, text))

    def _end_one(self, transfer_id: str, command: Command) -> Sequence[Command]:
        if self._left.pop(transfer_id, None) is None:
            return []
        return [command] if self._left else [StopPlain(), command]

    def _end(self, command: Command) -> Sequence[Command]:
        self._left.clear()
        return [StopPlain(), command]
