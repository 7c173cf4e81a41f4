"""Adds the timing records of transfers that ended before this gateway's version made records.

It walks the transfers and the received documents by their ids, in small transactions, and continues after a restart
where it stopped. What has a record already is left alone: an outcome and its record are stored together, so an outcome
without a record never gets one later.

Some columns are not known any more: of received documents the suite, the key exchange and the batch; of failures the
cause, except as far as the sentence that the attempt left shows it; and when a transfer ended that was cancelled, or
lost its peer, while it was queued. Its record has the time of its last attempt, or of its acceptance.
"""

import asyncio
import json
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

from sieve.gateway.telemetry.timing import read_durations
from sieve.gateway.telemetry.timing_causes import TimingCause
from sieve.gateway.telemetry.timing_marks import TimingMark, TimingMarkName, TimingMarks
from sieve.gateway.telemetry.timing_record import ReceivedDocument, SentAttempt, of_received, of_sent
from sieve.store.database import Database
from sieve.store.models.timings import TimingOutcome
from sieve.store.queries import timing_import, timing_records, timing_rollups
from sieve.store.queries.timing_import import MarkRow, ReceivedRow, Recorded, SentAttemptRow
from sieve.store.queries.timing_records import SentTransfer, TimingValues

log = logging.getLogger(__name__)

AT_ONCE: Final = 100
"""Transfers in one transaction, which blocks all other writers."""
PACE_S: Final = 0.05
PATIENCE_S: Final = 60.0

_OUTCOMES: Final[Mapping[str, TimingOutcome]] = {
    "delivered": "delivered",
    "again": "retry",
    "lost": "retry",
    "failed": "failed",
    "cancelled": "cancelled",
}
_SENTENCES: Final = (
    ("the deadline has passed by this gateway's clock", TimingCause.DEADLINE),
    ("the pairing with the peer was removed", TimingCause.PEER_REMOVED),
    ("the stored document cannot be read", TimingCause.STORED_DATA),
    ("nobody named ", TimingCause.UNKNOWN_RECIPIENT),
    (" has no room: ", TimingCause.PEER_FULL),
    (" cannot be reached", TimingCause.UNREACHABLE),
    (" does not answer", TimingCause.UNREACHABLE),
    ("no secure channel to ", TimingCause.UNREACHABLE),
    (" stopped answering", TimingCause.LINK_BROKE),
    (" cut the secure connection", TimingCause.LINK_BROKE),
    ("the connection to ", TimingCause.LINK_BROKE),
    (" made no progress for ", TimingCause.LINK_BROKE),
    (" refused: ", TimingCause.PEER_REFUSED),
)


@dataclass(slots=True)
class TimingImport:
    """The job. Calls `wake` after it added records."""

    database: Database
    wake: Callable[[], None]

    async def run(self) -> None:
        """Imports until everything is; then waits until cancelled."""
        while True:
            pause_s = PACE_S
            try:
                if not await self.step():
                    break
            except Exception as error:
                # The next round tries again. The database may be busy or its disk fail; an error here would stop the
                # gateway.
                log.warning("cannot import the timings of older transfers now: %s", error)
                pause_s = PATIENCE_S
            await asyncio.sleep(pause_s)
        await asyncio.Event().wait()

    async def step(self) -> bool:
        """Imports the next transfers; False if there are none left."""
        async with self.database.browse() as session:
            state = await timing_rollups.state(session)
            if state.import_done:
                return False
            ids = await timing_import.next_ids(session, state.imported_to, AT_ONCE)
            sent = await timing_records.sent(session, ids)
            attempts = await timing_import.attempts(session, ids)
            ended = await timing_import.ended_states(session, ids)
            received = await timing_import.received(session, ids)
            theirs = [row.transfer_id for row in received]
            timing_marks = await timing_import.timing_marks(session, ids, "sender")
            their_marks = await timing_import.timing_marks(session, theirs, "receiver")
            there = await timing_import.recorded(session, [*sent, *theirs])
        records = [
            record
            for record in (*_sent(sent, attempts, ended, timing_marks), *_received(received, their_marks))
            if _key(record) not in there
        ]
        async with self.database.write() as session:
            if await timing_import.advance(
                session, state.imported_to, ids[-1] if ids else state.imported_to, done=not ids
            ):
                await timing_records.add_all(session, records)
        if records:
            self.wake()
        return bool(ids)


def _key(record: TimingValues) -> Recorded:
    return Recorded(*(record[name] for name in Recorded._fields))


def _sent(
    transfers: Mapping[str, SentTransfer],
    attempts: Iterable[SentAttemptRow],
    ended: Mapping[str, str],
    timing_marks: Iterable[MarkRow],
) -> Iterator[TimingValues]:
    """The records of all attempts that ended, and of transfers that ended in the queue."""
    of_transfer: dict[str, list[SentAttemptRow]] = defaultdict(list)
    for attempt in attempts:
        of_transfer[attempt.transfer_id].append(attempt)
    taken: dict[tuple[str, int], list[TimingMark]] = defaultdict(list)
    for mark in timing_marks:
        taken[mark.transfer_id, mark.attempt].append(_mark(mark))
    for transfer in transfers.values():
        theirs = of_transfer[transfer.id]
        at_ns = transfer.created_at_ns
        for number, attempt in enumerate(theirs):
            if attempt.outcome is None:
                continue
            at_ns = attempt.ended_at_ns or _found_lost_ns(theirs, number)
            yield _of_attempt(transfer, attempt, taken[transfer.id, attempt.number], at_ns)
        state = ended.get(transfer.id)
        if state is not None and not (theirs and theirs[-1].outcome == state):
            cause = TimingCause.CANCELLED if state == "cancelled" else TimingCause.PEER_REMOVED
            in_queue = SentAttempt(transfer.attempts, TimingMarks())
            yield of_sent(transfer, in_queue, _OUTCOMES[state], cause, at_ns)


def _found_lost_ns(attempts: Sequence[SentAttemptRow], number: int) -> int:
    """When a lost attempt was found to be lost: when the next one began, if there was one."""
    return attempts[min(number + 1, len(attempts) - 1)].started_at_ns


def _of_attempt(transfer: SentTransfer, row: SentAttemptRow, taken: Sequence[TimingMark], at_ns: int) -> TimingValues:
    timing_marks = TimingMarks(taken=[*taken])
    if row.outcome == "lost":
        timing_marks.at("claimed", at_ns=row.started_at_ns)
    attempt = SentAttempt(
        row.number,
        timing_marks,
        json.loads(row.plan) if row.plan else None,
        read_durations(json.loads(row.durations)) if row.durations else None,
    )
    return of_sent(transfer, attempt, _OUTCOMES[row.outcome or "lost"], _cause(row), at_ns)


def _cause(row: SentAttemptRow) -> TimingCause | Literal[""]:
    match row.outcome:
        case "delivered":
            return ""
        case "cancelled":
            return TimingCause.CANCELLED
        case "lost":
            return TimingCause.INTERRUPTED
        case _:
            return cause_of_sentence(row.reason or "")


def cause_of_sentence(reason: str) -> TimingCause:
    """The cause that a sentence about a failed attempt shows; `OTHER` if it shows none."""
    return next((cause for words, cause in _SENTENCES if words in reason), TimingCause.OTHER)


def _received(rows: Iterable[ReceivedRow], timing_marks: Iterable[MarkRow]) -> Iterator[TimingValues]:
    of_transfer: dict[str, list[MarkRow]] = defaultdict(list)
    for mark in timing_marks:
        of_transfer[mark.transfer_id].append(mark)
    for row in rows:
        theirs = of_transfer[row.transfer_id]
        taken = TimingMarks(taken=[_mark(mark) for mark in theirs])
        used = {mark.channel for mark in theirs if mark.name == "first-byte"}
        document = ReceivedDocument(
            row.transfer_id,
            max((mark.attempt for mark in theirs), default=0),
            row.peer_id,
            "secure-only" if row.mode == "secure-only" else "sieve",
            row.size,
            row.classified_size,
            max(1, sum(channel.startswith("secure") for channel in used)),
            sum(channel.startswith("plain") for channel in used),
            "",
            None,
            1,
        )
        yield of_received(document, taken, row.received_at_ns, taken.last("committed") or row.received_at_ns)


def _mark(row: MarkRow) -> TimingMark:
    return TimingMark(cast(TimingMarkName, row.name), row.channel, row.at_ns)
