"""The timings of a delivered transfer: of its record, or of its marks until the record is imported."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import cast

from sieve.channel.attempt import Mode
from sieve.gateway.telemetry.timing import ReceiverDurations, Timings, read_durations, timings
from sieve.gateway.telemetry.timing_marks import TimingMark, TimingMarkName, TimingMarks
from sieve.store.database import Database
from sieve.store.models import Mark as MarkRow
from sieve.store.models import TimingRecord, Transfer
from sieve.store.queries import outbox, timing_records
from sieve.store.queries import timing_marks as mark_queries


async def timings_of(database: Database, transfers: Sequence[Transfer]) -> Mapping[str, Timings]:
    """The timings of the last attempts of the delivered ones, by their ids, as long as they are kept."""
    delivered = {transfer.id: _mode_of(transfer) for transfer in transfers if transfer.state == "delivered"}
    if not delivered:
        return {}
    async with database.browse() as session:
        records = await timing_records.of_delivered(session, delivered)
        found = {id_: _recorded(record) for id_, record in records.items()}
        if rest := delivered.keys() - found.keys():
            taken = await mark_queries.of_last_attempts(session, rest)
            measured = await outbox.measured(session, taken)
            found |= {id_: _figures(delivered[id_], timing_marks, measured[id_]) for id_, timing_marks in taken.items()}
    return found


def _mode_of(transfer: Transfer) -> Mode:
    """The mode of the last attempt, or else the requested one."""
    mode = json.loads(transfer.plan)["mode"] if transfer.plan else transfer.mode
    return "secure-only" if mode == "secure-only" else "sieve"


def _recorded(record: TimingRecord) -> Timings:
    """The timings of a record. All are 0 if the receipt came after the attempt that delivered it."""
    return Timings(**{each.name: (getattr(record, f"{each.name}_us") or 0) / 1000 for each in fields(Timings)})


def _figures(mode: Mode, taken: Sequence[MarkRow], measured: outbox.Measured) -> Timings:
    """The timings of a delivered transfer that has no record yet, of its timing marks."""
    timing_marks = TimingMarks(
        taken=[TimingMark(cast(TimingMarkName, row.name), row.channel, row.at_ns) for row in taken]
    )
    said = measured.receiver_durations
    durations = read_durations(json.loads(said)) if said else None
    return timings(timing_marks, mode, measured.sieve_ns, durations or ReceiverDurations(0, 0, 0, 0))
