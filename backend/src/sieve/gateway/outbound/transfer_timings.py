"""The timings of a delivered transfer: of its record, or of its marks until the record is imported."""

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import cast

from sieve.channel.attempt import Mode
from sieve.gateway.telemetry.timing import ReceiverDurations, Timings, read_durations, timings
from sieve.gateway.telemetry.timing_marks import TimingMark, TimingMarkName, TimingMarks
from sieve.store.models import Mark as MarkRow
from sieve.store.models import Transfer
from sieve.store.queries import outbox
from sieve.store.timing_models import TimingRecord


def mode_of(transfer: Transfer) -> Mode:
    """The mode of the last attempt, or else the requested one."""
    mode = json.loads(transfer.plan)["mode"] if transfer.plan else transfer.mode
    return "secure-only" if mode == "secure-only" else "sieve"


def recorded(record: TimingRecord) -> Timings:
    """The timings of a record. All are 0 if the receipt came after the attempt that delivered it."""
    return Timings(**{each.name: (getattr(record, f"{each.name}_us") or 0) / 1000 for each in fields(Timings)})


def figures(mode: Mode, taken: Sequence[MarkRow], measured: outbox.Measured) -> Timings:
    """The timings of a delivered transfer that has no record yet, of its timing marks."""
    marks = TimingMarks(taken=[TimingMark(cast(TimingMarkName, row.name), row.channel, row.at_ns) for row in taken])
    said = measured.receiver_durations
    durations = read_durations(json.loads(said)) if said else None
    return timings(marks, mode, measured.sieve_ns, durations or ReceiverDurations(0, 0, 0, 0))
