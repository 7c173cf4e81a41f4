"""The import of transfers that ended before there were timing records: as if their records had been made live."""

from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import delete, select, update

from gateway.two_gateways import Node, Pair, document, until
from sieve.gateway.clock import now_ns
from sieve.gateway.telemetry import timing_import
from sieve.gateway.telemetry.timing_causes import TimingCause
from sieve.gateway.telemetry.timing_import import TimingImport, cause_of_sentence
from sieve.store.models import TimingRecord
from sieve.store.models.timings import TimingState
from sieve.store.queries import timing_marks, timing_rollups

Values = dict[str, Any]


async def records(node: Node) -> Sequence[Values]:
    """Every record, without what is random."""
    async with node.database.read() as session:
        rows = (
            await session.scalars(select(TimingRecord).order_by(TimingRecord.transfer_id, TimingRecord.at_ns))
        ).all()
    columns = [column.key for column in TimingRecord.__table__.columns if column.key not in ("id", "sample")]
    return [{name: getattr(row, name) for name in columns} for row in rows]


async def forget(node: Node, *, kept: Sequence[str] = ()) -> None:
    """Makes the database one from before this version: it has no records but those of `kept` transfers."""
    async with node.database.write() as session:
        await session.execute(delete(TimingRecord).where(TimingRecord.transfer_id.not_in(kept)))
        await session.execute(update(TimingState).values(imported_to="", import_done=False))


async def imported(node: Node) -> int:
    """Imports all; the number of steps that found something."""
    woken: list[int] = []
    job, steps = TimingImport(node.database, lambda: woken.append(1)), 0
    while await job.step():
        steps += 1
    return steps


async def test_imported_records_are_those_that_were_made_live(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    alpha, bravo = pair.alpha, pair.bravo
    first = await pair.delivers(document(), "sieve")
    await pair.delivers(document(), "secure-only")
    await bravo.stop()
    waiting = await pair.send(document())
    await alpha.tried(waiting)
    await bravo.start()
    assert (await alpha.ended(waiting)).state == "delivered"
    await bravo.stop()
    cancelled, failed = [await pair.send(document()) for _ in range(2)]
    await alpha.tried(cancelled)
    await alpha.tried(failed)
    await alpha.transfer_queue.cancel(pair.anna, cancelled)
    await alpha.peers.remove("bravo", by="root")

    async def over() -> bool:
        return ((await alpha.row(cancelled)).state, (await alpha.row(failed)).state) == ("cancelled", "failed")

    await until(over)
    await bravo.start()
    live = {node.name: await records(node) for node in (alpha, bravo)}
    assert {each["outcome"] for each in live["alpha"]} == {"delivered", "retry", "failed", "cancelled"}

    # Versions without records stored when a document was committed.
    async with bravo.database.write() as session:
        for each in live["bravo"]:
            committed = each["attempt"], "committed", "", now_ns()
            await timing_marks.add(session, each["transfer_id"], "receiver", [committed])
    monkeypatch.setattr(timing_import, "AT_ONCE", 2)
    for node, kept in ((alpha, [first]), (bravo, [])):
        await forget(node, kept=kept)
        assert await imported(node) >= 2
        assert await imported(node) == 0
        async with node.database.read() as session:
            assert (await timing_rollups.state(session)).import_done
    ended_in_queue = {cancelled, failed}
    assert _comparable(await records(alpha), ended_in_queue) == _comparable(live["alpha"], ended_in_queue)
    for now, before in zip(await records(bravo), live["bravo"], strict=True):
        # The receiver kept neither suite nor key exchange nor the batch, and the commit counts to its end.
        assert (now["suite"], now["key_exchange"], now["batch"]) == ("", None, 1)
        assert now["storing_us"] >= before["storing_us"] and now["stored_us"] >= before["stored_us"]
        unknown = ("suite", "key_exchange", "batch", "storing_us", "stored_us")
        assert {k: v for k, v in now.items() if k not in unknown} == {
            k: v for k, v in before.items() if k not in unknown
        }


def _comparable(found: Sequence[Values], ended_in_queue: set[str]) -> list[Values]:
    """Nobody wrote down when a transfer ended in the queue."""
    unknown = {"at_ns"}
    kept = [
        {k: v for k, v in each.items() if each["transfer_id"] not in ended_in_queue or k not in unknown}
        for each in found
    ]
    return sorted(kept, key=lambda each: (each["transfer_id"], each["attempt"], each["outcome"]))


async def test_a_new_database_has_nothing_to_import(pair: Pair) -> None:
    job = TimingImport(pair.alpha.database, lambda: None)
    assert not await job.step()
    async with pair.alpha.database.read() as session:
        assert (await timing_rollups.state(session)).import_done


async def test_what_ends_during_the_import_is_recorded_once(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing_import, "AT_ONCE", 1)
    for _ in range(2):
        await pair.delivers(document())
    await forget(pair.alpha)
    job = TimingImport(pair.alpha.database, lambda: None)
    assert await job.step()
    later = await pair.delivers(document())
    while await job.step():
        pass
    found = [each["transfer_id"] for each in await records(pair.alpha)]
    assert len(found) == len(set(found)) == 3
    assert later in found


def test_sentences_show_their_causes() -> None:
    for sentence, cause in {
        "bravo cannot be reached: All connection attempts failed": TimingCause.UNREACHABLE,
        "bravo does not answer: no connection within 10 s": TimingCause.UNREACHABLE,
        "bravo stopped answering": TimingCause.LINK_BROKE,
        "bravo refused: the transfer's attempt is not the latest": TimingCause.PEER_REFUSED,
        "bravo has no room: its disk is full; an admin of bravo must make room": TimingCause.PEER_FULL,
        "nobody named eve can receive at bravo": TimingCause.UNKNOWN_RECIPIENT,
        "the deadline has passed by this gateway's clock, which reads now; last: bravo cannot be reached": (
            TimingCause.DEADLINE
        ),
        "something new": TimingCause.OTHER,
    }.items():
        assert cause_of_sentence(sentence) is cause
