"""The outbox: whose turn it is, and that two never hold one transfer."""

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest
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

from sieve.store.database import Database
from sieve.store.models import Document, Peer, Transfer, User
from sieve.store.queries import claiming, outbox, peers, settling
from sieve.store.queries.settling import Ended
from store_rows import a_document, a_peer, a_transfer, a_user, claim_due, claim_next, settle, url

LEASE = 30


@dataclass
class Cast:
    """Who and what takes part."""

    author: User
    peer: Peer
    document: Document


@pytest.fixture
async def cast(session: AsyncSession) -> Cast:
    author = await a_user(session)
    return Cast(author, await a_peer(session), await a_document(session, author))


async def queued(session: AsyncSession, cast: Cast, now_ns: int = 1, **values: Any) -> Transfer:
    return await a_transfer(session, cast.document, cast.author, cast.peer, now_ns=now_ns, **values)


async def attempts(session: AsyncSession, transfer: Transfer) -> list[tuple[int, str | None, str | None]]:
    return [(row.number, row.outcome, row.reason) for row in await outbox.attempts(session, transfer.id)]


# --- stories ---------------------------------------------------------------------------------------------------------


async def test_from_queued_to_delivered(session: AsyncSession, cast: Cast) -> None:
    made = await queued(session, cast, now_ns=10)
    assert await claim_next(session, 9, LEASE, "t1") is None
    assert await claiming.next_due_ns(session) == 10
    claimed = await claim_next(session, 10, LEASE, "t1")
    assert claimed is not None
    assert (claimed.id, claimed.state, claimed.attempt, claimed.lease_until_ns) == (made.id, "sending", 1, 40)
    ended = Ended.delivered(made.id, "R", '{"commit_ns":1}').tried('{"mode":"sieve"}', 15)
    assert await settle(session, "t1", ended, 20)
    done = await outbox.owned(session, made.id, cast.author.id)
    assert done is not None
    assert (done.state, done.receipt, done.verified_at_ns, done.delivered_at_ns) == ("delivered", "R", 15, 20)
    assert (done.lease_token, done.next_try_at_ns) == (None, None)
    assert await outbox.measured(session, [made.id]) == {made.id: (5, '{"commit_ns":1}')}
    assert await attempts(session, made) == [(1, "delivered", None)]
    assert await claiming.next_due_ns(session) is None
    assert await outbox.owned(session, made.id, "somebody-else") is None


async def test_a_retry_comes_when_it_is_told_and_keeps_its_reason(session: AsyncSession, cast: Cast) -> None:
    made = await queued(session, cast)
    await claim_next(session, 1, LEASE, "t1")
    assert await settle(session, "t1", Ended.again(made.id, "bravo is down", 50), 5)
    assert await claim_next(session, 49, LEASE, "t2") is None
    again = await claim_next(session, 50, LEASE, "t2")
    assert again is not None
    assert (again.attempt, again.fruitless_tries, again.reason) == (2, 1, "bravo is down")
    assert await settle(session, "t2", Ended.failed(made.id, "nobody named bob"), 60)
    assert await attempts(session, made) == [(1, "again", "bravo is down"), (2, "failed", "nobody named bob")]
    assert await claiming.next_due_ns(session) is None


async def test_who_lost_the_lease_changes_nothing(session: AsyncSession, cast: Cast) -> None:
    made = await queued(session, cast)
    await claim_next(session, 1, LEASE, "slow")
    taken_over = await claim_next(session, 31, LEASE, "quick")
    assert taken_over is not None
    assert taken_over.attempt == 2
    assert await settling.renew(session, "slow", 999) == set()
    late: list[Callable[[], Awaitable[bool]]] = [
        lambda: settle(session, "slow", Ended.delivered(made.id, "R"), 32),
        lambda: settle(session, "slow", Ended.again(made.id, "x", 33), 32),
        lambda: settle(session, "slow", Ended.failed(made.id, "x"), 32),
        lambda: settle(session, "slow", Ended.cancelled(made.id), 32),
    ]
    for write in late:
        assert not await write()
    assert (taken_over.state, taken_over.lease_token, taken_over.lease_until_ns) == ("sending", "quick", 61)
    assert await attempts(session, made) == [(1, "lost", None), (2, None, None)]
    assert await settle(session, "quick", Ended.delivered(made.id, "R"), 33)


async def test_a_renewed_lease_is_not_taken(session: AsyncSession, cast: Cast) -> None:
    made = await queued(session, cast)
    await claim_next(session, 1, LEASE, "t1")
    assert await settling.renew(session, "t1", 100) == {made.id}
    assert await claiming.next_due_ns(session) == 100
    assert await claim_next(session, 99, LEASE, "t2") is None
    assert await claim_next(session, 100, LEASE, "t2") is not None


async def test_after_a_crash_the_lock_holder_goes_on_at_once(session: AsyncSession, cast: Cast) -> None:
    made = await queued(session, cast)
    await claim_next(session, 1, 10**9, "before the crash")
    assert await claiming.release_all_leases(session) == 1
    again = await claim_next(session, 2, LEASE, "after it")
    assert again is not None
    assert again.attempt == 2
    assert await settling.renew(session, "before the crash", 99) == set()
    assert await attempts(session, made) == [(1, "lost", None), (2, None, None)]


async def test_cancelling(session: AsyncSession, cast: Cast) -> None:
    made = await queued(session, cast)
    assert await outbox.cancel(session, made.id, 2)
    assert (made.state, made.reason) == ("cancelled", "cancelled by its author")
    assert not await outbox.cancel(session, made.id, 3)
    sending = await queued(session, cast)
    await claim_next(session, 4, LEASE, "t1")
    assert not await outbox.cancel(session, sending.id, 5)
    assert (sending.state, sending.cancel_requested) == ("sending", True)
    assert await settle(session, "t1", Ended.cancelled(sending.id), 6)
    assert sending.state == "cancelled"
    assert await claiming.next_due_ns(session) is None


async def test_requeueing_within_the_deadline(session: AsyncSession, cast: Cast) -> None:
    made = await queued(session, cast, deadline_at_ns=100)
    await claim_next(session, 1, LEASE, "t1")
    assert not await outbox.requeue(session, made.id, 2)
    await settle(session, "t1", Ended.failed(made.id, "refused"), 2)
    assert not await outbox.requeue(session, made.id, 100)
    assert await outbox.requeue(session, made.id, 99)
    assert (made.state, made.next_try_at_ns, made.fruitless_tries, made.reason) == ("queued", 99, 0, None)
    again = await claim_next(session, 99, LEASE, "t2")
    assert again is not None
    assert again.attempt == 2


async def test_a_waiting_transfer_is_tried_at_once_though_the_breaker_is_open(
    session: AsyncSession, cast: Cast
) -> None:
    made = await queued(session, cast)
    await claim_next(session, 1, LEASE, "t1")
    await settle(session, "t1", Ended.again(made.id, "down", 500), 2)
    await settling.breaker_failed(session, cast.peer.id, now_ns=2, after=1, open_ns=1000)
    assert await claiming.next_due_ns(session) == 1002
    assert await outbox.requeue(session, made.id, 3)
    assert await claiming.next_due_ns(session) == 3
    assert await claim_next(session, 3, LEASE, "t2") is not None


async def test_an_open_breaker_holds_back_its_peer_alone_and_then_lets_one_through(
    session: AsyncSession, cast: Cast
) -> None:
    first, second = [await queued(session, cast, now_ns=now) for now in (1, 2)]
    elsewhere = await a_transfer(session, cast.document, cast.author, await a_peer(session, "charlie"), now_ns=3)
    for failures in (1, 2):
        await settling.breaker_failed(session, cast.peer.id, now_ns=10, after=3, open_ns=90)
        breaker = await settling.breaker(session, cast.peer.id)
        assert breaker is not None
        assert (breaker.failures, breaker.open_until_ns) == (failures, None)
    await settling.breaker_failed(session, cast.peer.id, now_ns=10, after=3, open_ns=90)
    other = await claim_next(session, 10, 1000, "t1")
    assert other is elsewhere
    assert await claim_next(session, 99, LEASE, "t2") is None
    assert await claiming.next_due_ns(session) == 100
    assert await claim_next(session, 100, LEASE, "trying") is first
    assert await claim_next(session, 101, LEASE, "t3") is None
    assert await claiming.next_due_ns(session) == 130
    await settling.breaker_succeeded(session, cast.peer.id)
    assert await claim_next(session, 102, LEASE, "t4") is second
    assert await settling.breaker(session, cast.peer.id) is None


async def test_how_many_wait_for_a_peer_that_is_tried_again_does_not_hold_everybody_up(
    database: Database, session: AsyncSession, cast: Cast
) -> None:
    """It runs on the event loop: twice as many may take twice as long, not four times."""
    await settling.breaker_failed(session, cast.peer.id, now_ns=1, after=1, open_ns=1)
    steps = 0

    def stepped() -> int:
        nonlocal steps
        steps += 1
        return 0

    async def trying(token: str) -> int:
        nonlocal steps
        steps = 0
        claimed = await claim_next(session, 1000, LEASE, token)
        assert claimed is not None
        await settle(session, token, Ended.again(claimed.id, "down", 1), 1000)
        return steps

    for now in range(100):
        await queued(session, cast, now_ns=now)
    database._writer.connection.set_progress_handler(stepped, 10)
    few = await trying("t1")
    for now in range(100, 200):
        await queued(session, cast, now_ns=now)
    assert await trying("t2") < 3 * few


async def test_looking_for_what_is_due_costs_no_more_however_long_the_backlog_is(
    database: Database, session: AsyncSession, cast: Cast
) -> None:
    steps = 0

    def stepped() -> int:
        nonlocal steps
        steps += 1
        return 0

    async def look() -> int:
        nonlocal steps
        steps = 0
        assert await claiming.next_due_ns(session) == 0
        assert len(await claiming.due(session, now_ns=1000, most=20)) == 20
        return steps

    for now in range(30):
        await queued(session, cast, now_ns=now)
    database._writer.connection.set_progress_handler(stepped, 1)
    few = await look()
    for now in range(30, 330):
        await queued(session, cast, now_ns=now)
    assert await look() < 1.5 * few


async def test_a_failed_try_opens_the_breaker_again(session: AsyncSession, cast: Cast) -> None:
    made = await queued(session, cast)
    for _ in range(3):
        await settling.breaker_failed(session, cast.peer.id, now_ns=10, after=3, open_ns=90)
    await claim_next(session, 100, LEASE, "trying")
    await settle(session, "trying", Ended.again(made.id, "down", 105), 101)
    await settling.breaker_failed(session, cast.peer.id, now_ns=101, after=3, open_ns=90)
    assert await claiming.next_due_ns(session) == 191


async def test_transfers_to_a_peer_that_is_not_active_wait(session: AsyncSession, cast: Cast) -> None:
    new = await a_peer(session, "delta", confirmed=False)
    made = await a_transfer(session, cast.document, cast.author, new)
    assert await claim_next(session, 5, LEASE, "t1") is None
    assert await claiming.next_due_ns(session) is None
    await peers.confirm(session, new.id, 6)
    assert await claim_next(session, 6, LEASE, "t1") is made


async def test_many_are_claimed_at_once_the_longest_due_first(session: AsyncSession, cast: Cast) -> None:
    made = [await queued(session, cast, now_ns=now) for now in (3, 1, 2, 9)]
    claimed = await claim_due(session, now_ns=5, lease_ns=LEASE, token="t1", most=2)
    assert {row.id for row in claimed} == {made[1].id, made[2].id}
    assert [row.attempt for row in claimed] == [1, 1]
    claimed = await claim_due(session, now_ns=5, lease_ns=LEASE, token="t2", most=2)
    assert [row.id for row in claimed] == [made[0].id]
    assert await claim_due(session, now_ns=5, lease_ns=LEASE, token="t3", most=2) == []
    assert await attempts(session, made[1]) == [(1, None, None)]


async def test_a_peer_that_is_tried_again_gets_one_however_many_may_be_claimed(
    session: AsyncSession, cast: Cast
) -> None:
    charlie = Cast(cast.author, await a_peer(session, "charlie"), cast.document)
    made = [await queued(session, cast, now_ns=now) for now in (2, 1, 3)]
    others = [await queued(session, charlie, now_ns=4) for _ in range(2)]
    await settling.breaker_failed(session, cast.peer.id, now_ns=5, after=1, open_ns=10)
    claimed = await claim_due(session, now_ns=20, lease_ns=LEASE, token="t1", most=9)
    assert {row.id for row in claimed} == {made[1].id, *(other.id for other in others)}
    assert await claim_due(session, now_ns=21, lease_ns=LEASE, token="t2", most=9) == []
    await settling.breaker_succeeded(session, cast.peer.id)
    claimed = await claim_due(session, now_ns=22, lease_ns=LEASE, token="t3", most=9)
    assert {row.id for row in claimed} == {made[0].id, made[2].id}


async def test_what_there_is_to_send(session: AsyncSession, cast: Cast) -> None:
    made = await queued(session, cast)
    whole = await outbox.by_id(session, made.id)
    assert whole is not None
    document = whole.document
    blobs = (document.plain_blob.ref, document.sealed_blob.ref, whole.manifest_blob.ref)
    wanted = (made.id, False, 20, 10, *blobs, document.sieve_ns)
    other = await queued(session, cast)
    found = await outbox.to_send(session, [other.id, made.id])
    assert (set(found), found[made.id]) == ({made.id, other.id}, wanted)


async def test_an_author_sees_the_latest_first(session: AsyncSession, cast: Cast) -> None:
    made = [await queued(session, cast, now_ns=now) for now in (1, 3, 2)]
    listed = await outbox.of_author(session, cast.author.id)
    assert [row.id for row in listed] == [made[1].id, made[2].id, made[0].id]
    assert [row.peer.name for row in listed] == ["bravo"] * 3
    assert listed == await outbox.of_author(session, None)
    assert await outbox.of_author(session, "somebody-else") == []


async def test_rival_workers_never_hold_one_transfer_together(database: Database, tmp_path: Path) -> None:
    """Real concurrency, over two connections: each claim is one holder's, and all transfers get done."""
    rival = Database(url(tmp_path / "sieve.db"))
    async with database.write() as session:
        author = await a_user(session)
        cast = Cast(author, await a_peer(session), await a_document(session, author))
        made = {(await queued(session, cast)).id for _ in range(20)}
    holders: list[str] = []

    async def work(over: Database, name: str) -> None:
        for turn in count():
            token = f"{name}-{turn}"
            async with over.write() as session:
                claimed = await claim_next(session, 5, LEASE, token)
            if claimed is None:
                return
            holders.append(claimed.id)
            async with over.write() as session:
                assert await settle(session, token, Ended.delivered(claimed.id, token), 6)

    await asyncio.gather(*(work(over, f"{over is rival}-{n}") for over in (database, rival) for n in range(4)))
    await rival.dispose()
    assert sorted(holders) == sorted(made)


# --- any story -------------------------------------------------------------------------------------------------------


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
        self.database = Database(url(Path(self.folder.name) / "sieve.db"))
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
        kept = self.write(lambda s: settling.renew(s, claim[1], until))
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
        self.write(lambda s: settling.breaker_failed(s, peer, now_ns=now, after=after, open_ns=open_ns))
        expected = self.world.peers[peer]
        expected.failures += 1
        if expected.failures >= after:
            expected.open_until = now + open_ns

    @rule(peer=peers)
    def peer_works(self, peer: str) -> None:
        self.write(lambda s: settling.breaker_succeeded(s, peer))
        self.world.peers[peer].failures, self.world.peers[peer].open_until = 0, None

    @precondition(lambda self: self.world.now > 200)
    @rule(peer=peers)
    def peer_is_removed(self, peer: str) -> None:
        self.write(lambda s: peers.remove(s, peer, self.world.now))
        self.world.peers[peer].state = "removed"

    @rule()
    def restart(self) -> None:
        held = [transfer for transfer in self.world.transfers.values() if transfer.state == "sending"]
        assert self.write(claiming.release_all_leases) == len(held)
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
