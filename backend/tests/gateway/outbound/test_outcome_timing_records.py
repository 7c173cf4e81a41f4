"""Each outcome has one timing record: any sequence of claims, outcomes, cancellations, removals and crashes."""

import asyncio
import shutil
import tempfile
from collections import Counter
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import select

from databases import url
from sieve.gateway.auditing.audit_log import Audit
from sieve.gateway.clock import Clock
from sieve.gateway.errors import Conflict
from sieve.gateway.outbound.attempt_runner import AttemptResults
from sieve.gateway.outbound.claims import Claim
from sieve.gateway.outbound.outcome_recorder import OutcomeRecorder
from sieve.gateway.outbound.outcomes import Cancelled, Delivered, Outcome, PermanentFailure, Result, Retry
from sieve.gateway.outbound.transfer_queue import TransferQueue
from sieve.gateway.outbound.worker_settings import WorkerSettings
from sieve.gateway.peering.identity import Identity
from sieve.gateway.peering.peers import Peers
from sieve.gateway.telemetry import ends_without_outcome
from sieve.gateway.telemetry.announcements import Announcements
from sieve.gateway.telemetry.progress import ProgressBus
from sieve.gateway.telemetry.timing_causes import TimingCause
from sieve.gateway.telemetry.timing_marks import TimingMark
from sieve.gateway.telemetry.timings_ended import TimingsEnded
from sieve.store.database_from_url import database_from_url
from sieve.store.models import Attempt, Peer, TimingRecord, Transfer
from sieve.store.queries import claiming, outbox
from store_rows import a_document, a_peer, a_transfer, a_user

LEASE = 30
OUTCOMES: dict[str, Outcome] = {
    "delivered": Delivered("receipt", None),
    "retry": Retry("busy", TimingCause.PEER_BUSY),
    "failed": PermanentFailure("too large", TimingCause.PEER_REFUSED),
    "cancelled": Cancelled(),
}
Counted = tuple[str, int, str, str]


class Ends(RuleBasedStateMachine):
    """`expected` counts transfer, attempt, outcome and cause."""

    template: Path
    transfers: Bundle[str] = Bundle("transfers")
    claims: Bundle[Claim] = Bundle("claims")

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        shutil.copyfile(self.template, Path(self.folder.name) / "sieve.db")
        self.database = database_from_url(url(Path(self.folder.name) / "sieve.db"))
        self.now, self.tokens = 1000, count()
        self.clock = Clock(wall=lambda: self.now, monotonic=lambda: self.now)
        self.expected: Counter[Counted] = Counter()
        self.published: Counter[Counted] = Counter()
        ended = TimingsEnded([self.publish])
        audit = cast(Audit, SimpleNamespace(note=self.note))
        self.peers = Peers(self.database, cast(Identity, None), cast(Any, None), (), audit, timings_ended=ended)
        bus = ProgressBus(Announcements())
        parts: Any = SimpleNamespace(
            database=self.database, clock=self.clock, bus=bus, peers=self.peers, timings_ended=ended
        )
        self.recorder = OutcomeRecorder(parts, lambda: 0.5, WorkerSettings(retry_first_s=1e-9, retry_cap_s=1e-8))
        none: Any = None
        worker: Any = SimpleNamespace(cancel=lambda _: True, wake=lambda: None)
        self.queue = TransferQueue(
            self.database,
            none,
            self.peers,
            none,
            worker,
            bus,
            1.0,
            none,
            none,
            audit,
            clock=self.clock,
            timings_ended=ended,
        )

    async def note(self, *_: object) -> None:
        """Keeps no audit log."""

    def publish(self, records: Any) -> None:
        self.published.update((r["transfer_id"], r["attempt"], r["outcome"], r["cause"]) for r in records)

    def teardown(self) -> None:
        self.runner.run(self.database.dispose())
        self.runner.close()
        self.folder.cleanup()

    @initialize(target=transfers)
    def begin(self) -> Any:
        async def rows() -> list[str]:
            async with self.database.write() as session:
                self.author = await a_user(session)
                document = await a_document(session, self.author)
                made = []
                for name in ("bravo", "charlie"):
                    peer = await a_peer(session, name)
                    made += [(await a_transfer(session, document, self.author, peer)).id for _ in range(2)]
            await self.peers.load()
            return made

        return multiple(*self.runner.run(rows()))

    @rule(by=st.integers(1, 40))
    def time_passes(self, by: int) -> None:
        self.now += by

    @rule(target=claims, most=st.integers(1, 3))
    def claim(self, most: int) -> Any:
        async def claim() -> tuple[claiming.Claimed, Any]:
            async with self.database.write() as session:
                found = await claiming.due(session, now_ns=self.now, most=most)
                ids = [each.id for each in found if each.peer_id == found[0].peer_id]
                token = f"token-{next(self.tokens)}"
                claimed = await claiming.claim(session, ids, now_ns=self.now, lease_ns=LEASE, token=token)
                self.publish(await ends_without_outcome.add_lost(session, claimed.lost, self.now))
            return claimed, token

        claimed, token = self.runner.run(claim())
        self.lose(claimed.lost)
        return Claim(claimed.transfers, token, 1) if claimed.transfers else multiple()

    def lose(self, lost: Any) -> None:
        self.expected.update((each.transfer_id, each.number, "retry", "interrupted") for each in lost)

    @rule(claim=claims, how=st.lists(st.sampled_from(sorted(OUTCOMES)), min_size=3, max_size=3))
    def attempt_ends(self, claim: Claim, how: list[str]) -> None:
        """Also of a claim that lost its lease, and again."""

        async def end() -> dict[str, Transfer]:
            async with self.database.read() as session:
                before = {row.id: row for row in (await session.scalars(select(Transfer))).all()}
            results = {
                each.id: Result(each, OUTCOMES[name], [TimingMark("claimed", "", self.now)])
                for each, name in zip(claim.transfers, how, strict=False)
            }
            await self.recorder.record(claim, AttemptResults(results), lease_s=0.0)
            return before

        before = self.runner.run(end())
        for each, name in zip(claim.transfers, how, strict=False):
            row = before[each.id]
            if row.lease_token != claim.token:
                continue
            outcome = OUTCOMES[name]
            if isinstance(outcome, Retry) and self.peers.by_id(row.peer_id) is None:
                outcome, name = PermanentFailure("gone", TimingCause.PEER_REMOVED), "failed"
            elif isinstance(outcome, Retry) and row.cancel_requested:
                outcome, name = Cancelled(), "cancelled"
            cause = "cancelled" if isinstance(outcome, Cancelled) else getattr(outcome, "cause", "")
            self.expected[each.id, row.attempt, name, cause] += 1

    @rule(transfer_id=transfers)
    def cancel(self, transfer_id: str) -> None:
        row = self.row(transfer_id)
        if row.state in ("queued", "sending"):
            self.runner.run(self.queue.cancel(self.author, transfer_id))
        else:
            with pytest.raises(Conflict):
                self.runner.run(self.queue.cancel(self.author, transfer_id))
        if row.state == "queued":
            self.expected[transfer_id, row.attempt, "cancelled", "cancelled"] += 1

    def row(self, transfer_id: str) -> Transfer:
        async def look() -> Transfer:
            async with self.database.read() as session:
                return await session.get_one(Transfer, transfer_id)

        return self.runner.run(look())

    @rule(transfer_id=transfers)
    def requeue(self, transfer_id: str) -> None:
        async def requeue() -> None:
            async with self.database.write() as session:
                await outbox.requeue(session, transfer_id, self.now)

        self.runner.run(requeue())

    @rule(name=st.sampled_from(["bravo", "charlie"]))
    def peer_is_removed(self, name: str) -> None:
        peer = self.peers.by_name(name)
        if self.now < 1100 or peer is None:
            return

        async def remove() -> list[Transfer]:
            async with self.database.read() as session:
                waiting = select(Transfer).where(Transfer.peer_id == peer.id, Transfer.state == "queued")
                failing = list((await session.scalars(waiting)).all())
            await self.peers.remove(name, by="admin")
            return failing

        for row in self.runner.run(remove()):
            self.expected[row.id, row.attempt, "failed", "peer-removed"] += 1

    @rule()
    def crash(self) -> None:
        async def restart() -> Any:
            async with self.database.write() as session:
                lost = await claiming.release_all_leases(session)
                self.publish(await ends_without_outcome.add_lost(session, lost, self.now))
            return lost

        self.lose(self.runner.run(restart()))

    @invariant()
    def each_outcome_has_one_record(self) -> None:
        async def look() -> tuple[Any, Any, Any]:
            async with self.database.read() as session:
                records = (await session.scalars(select(TimingRecord))).all()
                attempts = (await session.scalars(select(Attempt).where(Attempt.outcome.is_not(None)))).all()
                return records, attempts, set(await session.scalars(select(Peer.id)))

        records, attempts, peers = self.runner.run(look())
        found = Counter((each.transfer_id, each.attempt, each.outcome, each.cause) for each in records)
        assert found == self.expected == self.published
        names = {"again": "retry", "lost": "retry"}
        ended = Counter((each.transfer_id, each.number, names.get(each.outcome, each.outcome)) for each in attempts)
        assert not ended - Counter(key[:3] for key in found.elements())
        for record in records:
            assert (record.direction, record.size, record.classified_size) == ("sent", 20, 10)
            assert record.peer_id in peers and record.at_ns >= 1000 and record.sample >= 0
            assert record.waiting_us is None or record.waiting_us >= 0


def test_each_outcome_has_one_record(template: Path) -> None:
    Ends.template = template
    run_state_machine_as_test(
        Ends,
        settings=settings(
            max_examples=6, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
