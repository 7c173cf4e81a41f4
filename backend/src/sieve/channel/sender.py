"""The sender's side of one attempt: events in, commands out.

The law: both streams leave at once and neither waits for the other. Nothing that comes back on the plain channel is
an event here; what is held, verified and received is learnt from the secure channel alone. Plain chunks that will not
arrive move to the secure channel after three fruitless rounds, never the other way."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sieve.channel.attempt import Attempt
from sieve.channel.chunks import ChunkPlan
from sieve.channel.errors import LocalProtocolError, ReceiptInvalid
from sieve.channel.manifest import Manifest
from sieve.channel.receipt import verify

FRUITLESS_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class PlainRoundSent:
    """Every chunk of the round was handed to the plain channel, and answered, cut off or given up there."""


@dataclass(frozen=True, slots=True)
class HeldReported:
    """The receiver says, on the secure channel, which chunks it holds."""

    held: frozenset[int]


@dataclass(frozen=True, slots=True)
class VerifiedReported:
    """Every byte is there and its seal holds, or it came over TLS. Ends the response time; promises nothing."""


@dataclass(frozen=True, slots=True)
class ReceiptArrived:
    """The receipt's text, at any time: a late one still counts."""

    text: str


@dataclass(frozen=True, slots=True)
class Refused:
    """The receiver said no on the secure channel; `permanent` if trying again cannot help."""

    reason: str
    permanent: bool


@dataclass(frozen=True, slots=True)
class SecureLost:
    """The secure channel could not be had, broke or stalled."""

    reason: str


Event: TypeAlias = PlainRoundSent | HeldReported | VerifiedReported | ReceiptArrived | Refused | SecureLost


@dataclass(frozen=True, slots=True)
class SendSecure:
    """Send the opening and the streams that the plan puts behind it."""


@dataclass(frozen=True, slots=True)
class SendPlain:
    """Send these chunks, each with its seal, on the plain channel; then say PlainRoundSent."""

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
    """Done: the receipt holds, for this very manifest."""

    receipt: str


@dataclass(frozen=True, slots=True)
class TryAgain:
    """This attempt is over; another may succeed."""

    reason: str


@dataclass(frozen=True, slots=True)
class GiveUp:
    """No attempt can succeed."""

    reason: str


Command: TypeAlias = SendSecure | SendPlain | AskHeld | SendPlainSecurely | StopPlain | Deliver | TryAgain | GiveUp


@dataclass(frozen=True, slots=True)
class Trust:
    """Whom a receipt must come from and name: both gateways' pins, and the receiver's receipt key (32 raw bytes)."""

    sender_pin: str
    receiver_pins: frozenset[str]
    receipt_key: bytes


class Sender:
    """One attempt's state. Ends with exactly one of Deliver, TryAgain, GiveUp; later events command nothing."""

    def __init__(self, manifest: Manifest, attempt: Attempt, trust: Trust) -> None:
        self._manifest, self._trust = manifest, trust
        self.chunks = ChunkPlan(manifest.plain_size)
        self.held: frozenset[int] = frozenset()
        self.verified = False
        self.ended = False
        self._started = False
        self._fruitless = 0
        # No way back: what went to the secure channel, or was never meant for the plain one, stays off it.
        self._off_plain = not attempt.plan.uses_plain_channel

    def start(self) -> Sequence[Command]:
        """Begins: both streams at once."""
        if self._started:
            raise LocalProtocolError("an attempt starts once")
        self._started = True
        if not self._off_plain and self.chunks.count:
            return [SendSecure(), SendPlain(tuple(range(self.chunks.count)))]
        return [SendSecure()]

    def handle(self, event: Event) -> Sequence[Command]:
        """What must happen now that `event` has."""
        if self.ended:
            return []
        match event:
            case PlainRoundSent():
                return [] if self.verified or self._off_plain else [AskHeld()]
            case HeldReported(held):
                return self._next_round(held)
            case VerifiedReported():
                self.verified = True
                return [StopPlain()]
            case ReceiptArrived(text):
                return self._receipt(text)
            case Refused(reason, permanent):
                return self._end(GiveUp(reason) if permanent else TryAgain(reason))
            case SecureLost(reason):
                return self._end(TryAgain(reason))

    def _next_round(self, held: frozenset[int]) -> Sequence[Command]:
        if self.verified or self._off_plain:
            return []
        # Only chunks that there are: a peer that makes up others must not pass for one that makes progress.
        came = frozenset(index for index in held - self.held if 0 <= index < self.chunks.count)
        self.held |= came
        missing = tuple(index for index in range(self.chunks.count) if index not in self.held)
        if not missing:
            return []
        self._fruitless = 0 if came else self._fruitless + 1
        if self._fruitless < FRUITLESS_ROUNDS:
            return [SendPlain(missing)]
        self._off_plain = True
        return [StopPlain(), SendPlainSecurely(missing)]

    def _receipt(self, text: str) -> Sequence[Command]:
        try:
            receipt = verify(text, self._trust.receipt_key)
            if receipt.receiver_pin not in self._trust.receiver_pins:
                raise ReceiptInvalid("the receipt names a gateway that is not the receiver")
            receipt.check(self._manifest, sender_pin=self._trust.sender_pin, receiver_pin=receipt.receiver_pin)
        except ReceiptInvalid as error:
            return self._end(TryAgain(f"the receiver answered with a receipt that does not count: {error}"))
        return self._end(Deliver(text))

    def _end(self, command: Command) -> Sequence[Command]:
        self.ended = True
        return [StopPlain(), command]
