"""The values of timing records: what one attempt that ended, or one received document, took. Pure.

Every time is of this host's clock: a receiver's durations are its own. Only the wait before an attempt is a difference
of two readings of the wall clock, which may have been set back between them. `store.models.timings.TimingRecord`
describes the columns.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, cast

from sieve.channel.attempt import Mode
from sieve.gateway.telemetry.timing import ReceiverDurations, receiver_durations, timings
from sieve.gateway.telemetry.timing_causes import TimingCause
from sieve.gateway.telemetry.timing_marks import TimingMark, TimingMarkName, TimingMarks
from sieve.store.models.timings import FIGURES, TimingOutcome
from sieve.store.queries.timing_records import SentTransfer, TimingValues

_NOT_MEASURED: Final = dict.fromkeys(f"{figure}_us" for figure in FIGURES)
_US_PER_MS: Final = 1000
_NS_PER_US: Final = 1000
_CHOSEN_BY_ESTIMATE: Final = ("faster", "measuring")
"""Reasons of `gateway.outbound.planner.choice`: the planner took the mode that it predicted to be faster."""
_LONGEST_US: Final = 30 * 24 * 3600 * 1_000_000
"""Longer times count as this: a peer reports some of them, and sums must fit into 64 bits."""


@dataclass(frozen=True, slots=True)
class SentAttempt:
    """One attempt at a transfer. `number`: the attempts until then. `plan`: how it was sent, as JSON values, if it was.
    `durations`: what the receiver measured, if this attempt brought the receipt."""

    number: int
    timing_marks: TimingMarks
    plan: Mapping[str, Any] | None = None
    durations: ReceiverDurations | None = None


@dataclass(frozen=True, slots=True)
class ReceivedDocument:
    """A received document. `number`: of its attempt. `suite`: the secure channel's, by its IANA name, empty if unknown.
    `key_exchange`: the group of its key exchange, likewise, None if unknown. `batch`: how many documents came together.
    """

    transfer_id: str
    number: int
    peer_id: str
    mode: Mode
    size: int
    classified_size: int
    secure_channels: int
    plain_channels: int
    suite: str
    key_exchange: str | None
    batch: int


def of_sent(
    transfer: SentTransfer, attempt: SentAttempt, outcome: TimingOutcome, cause: TimingCause | Literal[""], at_ns: int
) -> TimingValues:
    """The record of an attempt that ended at `at_ns`, or of a transfer that ended without one (no marks)."""
    plan = attempt.plan or {}
    claimed_ns = attempt.timing_marks.first("claimed")
    times: dict[str, int | None] = dict(_NOT_MEASURED)
    clock_moved = min(at_ns, at_ns if claimed_ns is None else claimed_ns) < transfer.created_at_ns
    if claimed_ns is not None:
        times["waiting_us"] = max(0, claimed_ns - transfer.created_at_ns) // _NS_PER_US
    if attempt.durations is not None:
        mode: Mode = "secure-only" if plan.get("mode") == "secure-only" else "sieve"
        connected = [TimingMark(cast(TimingMarkName, name), channel, at) for name, channel, at in transfer.connected]
        timing_marks = TimingMarks(attempt.timing_marks.clock, [*connected, *attempt.timing_marks.taken])
        found = timings(timing_marks, mode, transfer.sieve_ns, attempt.durations)
        times |= {f"{name}_us": _us(ms) for name, ms in asdict(found).items()}
        storing_ns = attempt.durations.verify_ns + attempt.durations.commit_ns
        times["storing_us"] = min(_LONGEST_US, storing_ns // _NS_PER_US)
    estimate = plan.get("estimate")
    estimate = estimate if isinstance(estimate, Mapping) else {}
    # A mode that the author asked for says nothing about how well the planner chooses.
    judged = estimate if estimate.get("reason") in _CHOSEN_BY_ESTIMATE else {}
    return {
        "at_ns": at_ns,
        "direction": "sent",
        "transfer_id": transfer.id,
        "attempt": attempt.number,
        "peer_id": transfer.peer_id,
        "outcome": outcome,
        "cause": cause,
        "mode": plan.get("mode", transfer.mode),
        **_sizes(transfer.size, transfer.classified_size, plan.get("mode")),
        "secure_channels": plan.get("secure_channels", 0),
        "plain_channels": plan.get("plain_channels", 0),
        "suite": plan.get("cipher") or "",
        "key_exchange": plan.get("key_exchange"),
        "batch": plan.get("batch") or 1,
        **times,
        "predicted_us": _us(judged.get("predicted_ms")),
        "other_us": _us(judged.get("other_ms")),
        "turnaround_us": _turnaround_us(transfer, attempt, at_ns)
        if outcome == "delivered" and not clock_moved
        else None,
        "expected_us": _us(transfer.expected_ms),
        "clock_moved": clock_moved,
    }


def of_received(
    document: ReceivedDocument, timing_marks: TimingMarks, at_ns: int, stored_ns: int, *, clock_moved: bool = False
) -> TimingValues:
    """The record of a document that was received at `at_ns`. `stored_ns`: now, by the clock of its marks, which is
    never set back. `clock_moved`: the wall clock was set back since the opening."""
    announced_ns = timing_marks.first("announced")
    times: dict[str, int | None] = dict(_NOT_MEASURED)
    if announced_ns is not None:
        times |= _receivers_times(document.mode, timing_marks, announced_ns, stored_ns)
    return {
        "at_ns": at_ns,
        "direction": "received",
        "transfer_id": document.transfer_id,
        "attempt": document.number,
        "peer_id": document.peer_id,
        "outcome": "delivered",
        "cause": "",
        "mode": document.mode,
        **_sizes(document.size, document.classified_size, document.mode),
        "secure_channels": document.secure_channels,
        "plain_channels": document.plain_channels,
        "suite": document.suite,
        "key_exchange": document.key_exchange,
        "batch": document.batch,
        **times,
        "predicted_us": None,
        "other_us": None,
        "turnaround_us": None,
        "expected_us": None,
        "clock_moved": clock_moved,
    }


def _turnaround_us(transfer: SentTransfer, attempt: SentAttempt, at_ns: int) -> int:
    # A receipt that a later question brought has no mark.
    heard_ns = attempt.timing_marks.first("receipt-heard") or at_ns
    return min(_LONGEST_US, max(0, heard_ns - transfer.created_at_ns) // _NS_PER_US)


def _receivers_times(mode: Mode, timing_marks: TimingMarks, announced_ns: int, stored_ns: int) -> Mapping[str, int]:
    durations = receiver_durations(
        TimingMarks(timing_marks.clock, [*timing_marks.taken, TimingMark("committed", "", stored_ns)])
    )
    transfer_ns = max(0, (timing_marks.last("verified") or announced_ns) - announced_ns)
    integrate_ns = 0 if mode == "secure-only" else durations.integrate_ns
    response_us = (transfer_ns + durations.combine_ns + integrate_ns) // _NS_PER_US
    return {
        "data_transfer_us": transfer_ns // _NS_PER_US,
        "combine_us": durations.combine_ns // _NS_PER_US,
        "integrate_us": durations.integrate_ns // _NS_PER_US,
        "storing_us": (durations.verify_ns + durations.commit_ns) // _NS_PER_US,
        "response_us": response_us,
        "total_us": response_us,
        "stored_us": max(0, stored_ns - announced_ns) // _NS_PER_US,
    }


def _sizes(size: int, classified_size: int, mode: str | None) -> Mapping[str, int]:
    """Sizes of a document. Without a mode nothing was planned for any channel."""
    secure = {"sieve": classified_size, "secure-only": size}.get(mode or "", 0)
    plain = size - classified_size if mode == "sieve" else 0
    return {"size": size, "classified_size": classified_size, "secure_bytes": secure, "plain_bytes": plain}


def _us(ms: float | None) -> int | None:
    return None if ms is None else round(min(_LONGEST_US, ms * _US_PER_MS))
