"""The figures of a transfer, from its timing marks: the times that the security-sieve thesis defines, in milliseconds.

Data transfer lasts from the first byte sent until *verified* arrives. Response adds split and combine and, except for
secure-only, sieve and integrate. Total adds the establishment of the channels. Stored is the response until the receipt
arrives, when the receiver has combined and integrated. The receiver measures its durations itself: no figure subtracts
one host's clock from another's."""

from dataclasses import asdict, dataclass
from typing import Any

from sieve.channel.attempt import Mode
from sieve.gateway.telemetry.timing_marks import TimingMarks

NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class ReceiverDurations:
    """What the receiver measured, in nanoseconds."""

    combine_ns: int
    integrate_ns: int
    verify_ns: int
    commit_ns: int


@dataclass(frozen=True, slots=True)
class Timings:
    """Milliseconds. `sieve` and `integrate` as measured, whether or not they count in `response`. `stored`: from the
    first byte sent until the receipt arrives, plus `split` and, if it counts in `response`, `sieve`."""

    sieve: float
    split: float
    establishment: float
    data_transfer: float
    combine: float
    integrate: float
    response: float
    total: float
    stored: float

    def to_json(self) -> dict[str, float]:
        return {name: round(value, 3) for name, value in asdict(self).items()}


def receiver_durations(timing_marks: TimingMarks) -> ReceiverDurations:
    """The receiver's steps from its own marks; a step that did not happen took no time."""
    return ReceiverDurations(
        combine_ns=_between(timing_marks.first("combining"), timing_marks.last("combined")),
        integrate_ns=_between(timing_marks.first("integrating"), timing_marks.last("integrated")),
        verify_ns=_between(timing_marks.first("integrated"), timing_marks.last("digests-fit")),
        commit_ns=_between(timing_marks.last("digests-fit"), timing_marks.last("committed")),
    )


def read_durations(said: Any) -> ReceiverDurations | None:
    """The durations that the receiver reported; None if they are missing or not valid."""
    try:
        durations = ReceiverDurations(**said)
    except TypeError:
        return None
    values = (durations.combine_ns, durations.integrate_ns, durations.verify_ns, durations.commit_ns)
    return durations if all(isinstance(v, int) and 0 <= v < 2**62 for v in values) else None


def timings(timing_marks: TimingMarks, mode: Mode, sieve_ns: int, receiver: ReceiverDurations) -> Timings:
    """The figures of a delivered attempt. `sieve_ns` is how long separating the document took when it was taken in."""
    split = _between(timing_marks.first("splitting"), timing_marks.last("split"))
    establishment = max(
        (
            # The first time counts: a connection that broke and was opened again is part of the transfer.
            _between(began, timing_marks.first("handshaken", channel) or timing_marks.first("connected", channel))
            for channel, began in _connecting(timing_marks).items()
        ),
        default=0,
    )
    first_byte = timing_marks.first("first-byte")
    transfer = _between(first_byte, timing_marks.first("verified-heard"))
    # In secure-only mode the document could have been sent unsieved, so these times do not count.
    sieved, integrated = (0, 0) if mode == "secure-only" else (sieve_ns, receiver.integrate_ns)
    response = split + transfer + receiver.combine_ns + sieved + integrated
    # The receipt arrives after the receiver's work, so this includes it.
    received = _between(first_byte, timing_marks.first("receipt-heard"))
    return Timings(
        sieve=sieve_ns / NS_PER_MS,
        split=split / NS_PER_MS,
        establishment=establishment / NS_PER_MS,
        data_transfer=transfer / NS_PER_MS,
        combine=receiver.combine_ns / NS_PER_MS,
        integrate=receiver.integrate_ns / NS_PER_MS,
        response=response / NS_PER_MS,
        total=(establishment + response) / NS_PER_MS,
        stored=(sieved + split + received) / NS_PER_MS,
    )


def _connecting(timing_marks: TimingMarks) -> dict[str, int]:
    """When each channel began to connect; without those over kept-alive connections."""
    began: dict[str, int] = {}
    for mark in timing_marks.taken:
        if mark.name == "connecting":
            began.setdefault(mark.channel, mark.at_ns)
    return began


def _between(start_ns: int | None, end_ns: int | None) -> int:
    return max(0, end_ns - start_ns) if start_ns is not None and end_ns is not None else 0
