"""The outbox against a model of it, told in plain Python: any story of rival workers ends alike."""

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from databases import url
from sieve.store.database_from_url import database_from_url
from sieve.store.models import Document, Peer, Transfer, User
from sieve.store.queries import attempt_outcomes, claiming, outbox, peers
from sieve.store.queries.attempt_outcomes import Ended
from store_rows import a_document, a_peer, a_transfer, a_user, claim_next, settle

LEASE = 30


@dataclass
class Expected:
    """What a transfer should be."""

    peer: str
    created: int
    next_try: int
    state: str = "queued"
    attempt: int = 0
    token: str | None = None
    lease_until: int = 0
    cancel_requested: bool = False


@dataclass
class ExpectedPeer:
    """What a peer should be."""

    state: str = "active"
    failures: int = 0
    open_until: int | None = None


@dataclass
class World:
    """The model: told in plain Python, apart from the SQL."""

    now: int = 1
    transfers: dict[str, Expected] = field(default_factory=dict)
    peers: dict[str, ExpectedPeer] = field(default_factory=dict)

    def due(self, transfer_id: str) -> int | None:
        transfer = self.transfers[transfer_id]
        peer = self.peers[transfer.peer]
        if peer.state != "active" or transfer.state not in ("queued", "sending"):
            return None
        due = transfer.next_try if transfer.state == "queued" else transfer.lease_until
        if peer.open_until is None:
            return due
        rivals = [
            other.lease_until
            for other_id, other in self.transfers.items()
            if other_id != transfer_id and other.peer == transfer.peer and other.state == "sending"
        ]
        return max(due, peer.open_until, *rivals, 0)

    def holder(self, transfer_id: str, token: str) -> bool:
        return self.transfers[transfer_id].token == token


class Outbox(RuleBasedStateMachine):
    """Rival workers, time, authors and breakers in any order; after each step the database is held to the model."""

    migrated: Path
    transfers: Bundle[str] = Bundle("transfers")
    claims: Bundle[tuple[str, str]] = Bundle("claims")
    peers: Bundle[str] = Bundle("peers")

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        shutil.copyfile(self.migrated, Path(self.folder.name) / "sieve.db")
        self.database = database_from_url(url(Path(self.folder.name) / "sieve.db"))
        self.world = World()
        self.tokens = count()

    def teardown(self) -> None:
        self.runner.run(self.database.dispose())
        self.runner.close()
        self.folder.cleanup()

    def write(self, work: Callable[[AsyncSession], Awaitable[Any]]) -> Any:
        async def in_one_transaction() -> Any:
            async with self.database.write() as session:
                return await work(session)

        return self.runner.run(in_one_transaction())

    @initialize(target=peers)
    def begin(self) -> Any:
        async def rows(session: AsyncSession) -> tuple[User, Document, list[str]]:
            author = await a_user(session)
            named = [(await a_peer(session, name)).id for name in ("bravo", "charlie")]
            return author, await a_document(session, author), named

        self.author, self.document, made = self.write(rows)
        self.world.peers = {peer: ExpectedPeer() for peer in made}
        return multiple(*made)

    @rule(target=transfers, peer=peers)
    def enqueue(self, peer: str) -> str:
        async def add(session: AsyncSession) -> str:
            to = await session.get_one(Peer, peer)
            return (await a_transfer(session, self.document, self.author, to, now_ns=self.world.now)).id

        made: str = self.write(add)
        self.world.transfers[made] = Expected(peer, created=self.world.now, next_try=self.world.now)
        return made

    @rule(by=st.integers(1, 60))
    def time_passes(self, by: int) -> None:
        self.world.now += by

    @rule(target=claims, lease=st.integers(1, 40))
    def claim(self, lease: int) -> Any:
        world, token = self.world, f"token-{next(self.tokens)}"
        claimed = self.write(lambda session: claim_next(session, world.now, lease, token))
        due = [key for key in world.transfers if (when := world.due(key)) is not None and when <= world.now]
        if claimed is None:
            assert due == []
            return multiple()
        longest = min((world.transfers[key].next_try, world.transfers[key].created, key) for key in due)
        assert claimed.id == longest[2]
        transfer = world.transfers[claimed.id]
        transfer.attempt += 1
        assert claimed.attempt == transfer.attempt
        transfer.state, transfer.token, transfer.lease_until = "sending", token, world.now + lease
        return claimed.id, token

    @rule(claim=claims, lease=st.integers(1, 40))
    def renew(self, claim: tuple[str, str], lease: int) -> None:
        until = self.world.now + lease
        kept = self.write(lambda s: attempt_outcomes.renew(s, claim[1], until))
        assert kept == ({claim[0]} if self.world.holder(*claim) else set())
        if self.world.holder(*claim):
            self.world.transfers[claim[0]].lease_until = until

    @rule(claim=claims, how=st.sampled_from(["delivered", "failed", "cancelled", "queued"]), wait=st.integers(0, 50))
    def settle(self, claim: tuple[str, str], how: str, wait: int) -> None:
        now = self.world.now

        transfer_id, token = claim
        ended = {
            "delivered": Ended.delivered(transfer_id, "R"),
            "failed": Ended.failed(transfer_id, "no"),
            "cancelled": Ended.cancelled(transfer_id),
            "queued": Ended.again(transfer_id, "later", now + wait),
        }[how]
        assert self.write(lambda s: settle(s, token, ended, now)) == self.world.holder(*claim)
        if self.world.holder(*claim):
            transfer = self.world.transfers[claim[0]]
            transfer.state, transfer.token, transfer.next_try = how, None, now + wait

    @rule(transfer_id=transfers)
    def cancel(self, transfer_id: str) -> None:
        transfer = self.world.transfers[transfer_id]
        assert self.write(lambda s: outbox.cancel(s, transfer_id, self.world.now)) == (transfer.state == "queued")
        if transfer.state == "queued":
            transfer.state = "cancelled"
        elif transfer.state == "sending":
            transfer.cancel_requested = True

    @rule(transfer_id=transfers)
    def requeue(self, transfer_id: str) -> None:
        transfer, peer = self.world.transfers[transfer_id], self.world.peers[self.world.transfers[transfer_id].peer]
        can = transfer.state in ("failed", "queued")
        assert self.write(lambda s: outbox.requeue(s, transfer_id, self.world.now)) == can
        if can:
            transfer.state, transfer.next_try, transfer.cancel_requested = "queued", self.world.now, False
            if peer.open_until is not None:
                peer.open_until = min(peer.open_until, self.world.now)

    @rule(peer=peers, after=st.integers(1, 2), open_ns=st.integers(1, 30))
    def peer_fails(self, peer: str, after: int, open_ns: int) -> None:
        now = self.world.now
        self.write(lambda s: attempt_outcomes.breaker_failed(s, peer, now_ns=now, after=after, open_ns=open_ns))
        expected = self.world.peers[peer]
        expected.failures += 1
        if expected.failures >= after:
            expected.open_until = now + open_ns

    @rule(peer=peers)
    def peer_works(self, peer: str) -> None:
        self.write(lambda s: attempt_outcomes.breaker_succeeded(s, peer))
        self.world.peers[peer].failures, self.world.peers[peer].open_until = 0, None

    @precondition(lambda self: self.world.now > 200)
    @rule(peer=peers)
    def peer_is_removed(self, peer: str) -> None:
        self.write(lambda s: peers.remove(s, peer, self.world.now))
        self.world.peers[peer].state = "removed"

    @rule()
    def restart(self) -> None:
        held = [transfer for transfer in self.world.transfers.values() if transfer.state == "sending"]
        assert len(self.write(claiming.release_all_leases)) == len(held)
        for transfer in held:
            transfer.state, transfer.token = "queued", None

    @invariant()
    def the_database_agrees(self) -> None:
        async def look() -> tuple[list[Transfer], int | None, list[tuple[int, str | None]]]:
            async with self.database.read() as session:
                rows = (await session.scalars(select(Transfer))).all()
                tries = [
                    (len(found), found[-1].outcome if found else "none")
                    for row in rows
                    if (found := await outbox.attempts(session, row.id)) is not None
                ]
                return list(rows), await claiming.next_due_ns(session), tries

        rows, next_due, tries = self.runner.run(look())
        for row, (number, last) in zip(rows, tries, strict=True):
            expected = self.world.transfers[row.id]
            assert (row.state, row.attempt, row.lease_token) == (expected.state, expected.attempt, expected.token)
            assert row.cancel_requested == expected.cancel_requested
            # Each claim has its attempt, and one is open exactly while somebody holds the transfer.
            assert number == expected.attempt
            assert (last is None) == (expected.state == "sending")
        dues = [due for key in self.world.transfers if (due := self.world.due(key)) is not None]
        assert next_due == min(dues, default=None)


def test_any_story_of_rival_workers(migrated: Path) -> None:
    Outbox.migrated = migrated
    run_state_machine_as_test(
        Outbox,
        settings=settings(
            max_examples=15, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
