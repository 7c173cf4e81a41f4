"""Old timing marks go, their figures stay."""

import pytest
from sqlalchemy import select, update

from gateway.two_gateways import Node, Pair, document
from sieve.gateway.clock import Clock
from sieve.gateway.telemetry import timing_marks_retention
from sieve.gateway.telemetry.timing_import import TimingImport
from sieve.gateway.telemetry.timing_marks_retention import DAY_NS, TimingMarksRetention
from sieve.store.models import Mark


async def marked(node: Node) -> set[str]:
    """The transfers that have marks."""
    async with node.database.read() as session:
        return set(await session.scalars(select(Mark.transfer_id)))


async def age(node: Node, transfer_ids: list[str], days: int) -> None:
    async with node.database.write() as session:
        older = update(Mark).where(Mark.transfer_id.in_(transfer_ids)).values(at_ns=Mark.at_ns - days * DAY_NS)
        await session.execute(older.execution_options(synchronize_session=False))


async def removes(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """Removes old marks, once nothing speaks against it."""
    job, importing = TimingMarksRetention(node.database, 30), TimingImport(node.database, lambda: None)
    assert await job.remove() == 0, "records may still have to be made of them"
    while await importing.step():
        pass
    with monkeypatch.context() as set_lately:
        set_lately.setattr(Clock, "is_doubted", True)
        assert await job.remove() == 0
    assert await job.remove() > timing_marks_retention.AT_ONCE
    assert await job.remove() == 0


async def test_old_marks_of_transfers_that_are_over_go_and_figures_stay(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timing_marks_retention, "AT_ONCE", 7)
    alpha, bravo = pair.alpha, pair.bravo
    old, recent = [await pair.delivers(document()) for _ in range(2)]
    await age(bravo, [old], 31)
    await removes(bravo, monkeypatch)
    assert await marked(bravo) == {recent}
    await bravo.stop()
    waiting = await pair.send(document())
    await alpha.tried(waiting)
    await age(alpha, [old, waiting], 31)
    before = await alpha.transfer_queue.timings(await alpha.row(old))
    assert before is not None and before.response > 0
    await removes(alpha, monkeypatch)
    assert await marked(alpha) == {recent, waiting}
    assert await alpha.transfer_queue.timings(await alpha.row(old)) == before
