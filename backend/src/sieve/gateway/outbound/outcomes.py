"""The outcomes of an attempt at a transfer, and how long the next attempt waits after each, such as a full disk."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from sieve.channel.refusals import RefusalKind
from sieve.core.sentence import Sentence, sentence_of
from sieve.gateway.errors import PeerRefused
from sieve.gateway.outbound.backoff import backoff_s
from sieve.gateway.outbound.load_progress import BytesLeft
from sieve.gateway.outbound.worker_settings import WorkerSettings
from sieve.gateway.telemetry.timing import ReceiverDurations
from sieve.gateway.telemetry.timing_causes import TimingCause
from sieve.gateway.telemetry.timing_marks import TimingMark
from sieve.store.errors import BlobDamaged
from sieve.store.models import Transfer


@dataclass(frozen=True, slots=True)
class Delivered:
    """The receipt is valid. `durations` is None if an earlier attempt delivered it. `off_plain`: the plain channel
    failed or was too slow, so the secure one carried the rest.
    """

    receipt: str
    durations: ReceiverDurations | None
    off_plain: bool = False


@dataclass(frozen=True, slots=True)
class Retry:
    """This attempt failed; another may succeed. `cause`: for counting. `unreachable`: the peer could not be reached at
    all. `off_plain`: the next one must not use the plain channel. `disk_full`: the peer's disk is full; the wait leaves
    time to make room.
    """

    reason: str
    cause: TimingCause
    unreachable: bool = False
    off_plain: bool = False
    disk_full: bool = False

    @classmethod
    def after(cls, refused: PeerRefused) -> "Retry":
        """After a refusal that is not final."""
        return cls(sentence_of(refused), cause_of_refusal(refused.kind), disk_full=refused.kind is RefusalKind.FULL)


@dataclass(frozen=True, slots=True)
class PermanentFailure:
    """No attempt can succeed. `cause`: for counting."""

    reason: str
    cause: TimingCause

    @classmethod
    def after(cls, refused: PeerRefused) -> "PermanentFailure":
        """After a refusal that is final."""
        return cls(sentence_of(refused), cause_of_refusal(refused.kind))


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The author cancelled the transfer."""


_CAUSES: Final = {
    RefusalKind.BUSY: TimingCause.PEER_BUSY,
    RefusalKind.EXPIRED: TimingCause.DEADLINE,
    RefusalKind.FULL: TimingCause.PEER_FULL,
    RefusalKind.PLAIN_LISTENER: TimingCause.PLAIN_CHANNEL,
    RefusalKind.UNKNOWN_RECIPIENT: TimingCause.UNKNOWN_RECIPIENT,
}


def cause_of_refusal(kind: RefusalKind) -> TimingCause:
    """The cause that a refusal of the peer counts as."""
    return _CAUSES.get(kind, TimingCause.PEER_REFUSED)


Outcome: TypeAlias = Delivered | Retry | PermanentFailure | Cancelled


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of an attempt at one transfer. `plan`: how it was sent, as JSON values, if it was. `peer_holds`: how
    many bytes the peer held when the attempt began, if more than before any earlier one. `left`: how much left this
    gateway, unless it was delivered."""

    transfer: Transfer
    outcome: Outcome
    timing_marks: Sequence[TimingMark] = ()
    plan: Mapping[str, Any] | None = None
    peer_holds: int | None = None
    left: BytesLeft | None = None

    def wait_s(self, settings: WorkerSettings, draw: Callable[[], float]) -> float:
        """Seconds until the next attempt; `draw` gives a number in [0, 1)."""
        # After an attempt that moved bytes the next one follows soon: the link breaks, but works.
        tries = 1 if self.peer_holds is not None else self.transfer.fruitless_tries + 1
        wait_s = backoff_s(tries, settings.retry_first_s, settings.retry_cap_s, draw)
        if isinstance(self.outcome, Retry) and self.outcome.disk_full:
            return max(wait_s, min(settings.full_disk_s, settings.retry_cap_s) * (1 + draw()) / 2)
        return wait_s


def unreadable(damaged: BlobDamaged) -> Sentence:
    """Why a document cannot be sent whose stored file is damaged."""
    return Sentence("stored-unreadable", "the stored document cannot be read: {why}", why=sentence_of(damaged))
