"""The outbox: whose turn it is, and that two never hold one transfer."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from databases import url, writing_connection
from sieve.store.database import Database
from sieve.store.database_from_url import database_from_url
from sieve.store.models import Document, Peer, Transfer, User
from sieve.store.queries import attempt_outcomes, claiming, clock_corrections, outbox, peers
from sieve.store.queries.attempt_outcomes import Ended
from store_rows import a_document, a_peer, a_transfer, a_user, claim_due, claim_next, settle

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


async def claimed_id(session: AsyncSession, now_ns: int, lease_ns: int, token: str) -> str | None:
    claimed = await claim_next(session, now_ns, lease_ns, token)
    return None if claimed is None else claimed.id


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


async def test_a_retry_comes_at_its_time_and_keeps_its_reason(session: AsyncSession, cast: Cast) -> None:
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
    assert await attempt_outcomes.renew(session, "slow", 999) == set()
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
    assert await attempt_outcomes.renew(session, "t1", 100) == {made.id}
    assert await claiming.next_due_ns(session) == 100
    assert await claim_next(session, 99, LEASE, "t2") is None
    assert await claim_next(session, 100, LEASE, "t2") is not None


async def test_a_clock_is_followed_without_a_longer_lease_for_holders_that_may_be_gone(
    session: AsyncSession, cast: Cast
) -> None:
    gone, ours, ahead = [await queued(session, cast) for _ in range(3)]
    for each, token, now_ns in ((gone, "gone", 1), (ours, "ours", 1), (ahead, "ahead", 10**9)):
        await claiming.claim(session, [each.id], now_ns=now_ns, lease_ns=LEASE, token=token)
    # A replica that starts, again and again, holds nothing yet.
    for now_ns in (10, 20, 25):
        await clock_corrections.fit(session, now_ns=now_ns, retry_ns=1, breaker_ns=1, lease_ns=LEASE, held=())
    await clock_corrections.fit(session, now_ns=30, retry_ns=1, breaker_ns=1, lease_ns=LEASE, held=["ours", "another"])
    for each in (gone, ours, ahead):
        await session.refresh(each)
    assert [each.lease_until_ns for each in (gone, ours, ahead)] == [31, 60, 40]


async def test_after_a_crash_the_lock_holder_continues_at_once(session: AsyncSession, cast: Cast) -> None:
    made = await queued(session, cast)
    await claim_next(session, 1, 10**9, "before the crash")
    assert len(await claiming.release_all_leases(session)) == 1
    again = await claim_next(session, 2, LEASE, "after it")
    assert again is not None
    assert again.attempt == 2
    assert await attempt_outcomes.renew(session, "before the crash", 99) == set()
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
    await attempt_outcomes.breaker_failed(session, cast.peer.id, now_ns=2, after=1, open_ns=1000)
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
        await attempt_outcomes.breaker_failed(session, cast.peer.id, now_ns=10, after=3, open_ns=90)
        breaker = await attempt_outcomes.breaker(session, cast.peer.id)
        assert breaker is not None
        assert (breaker.failures, breaker.open_until_ns) == (failures, None)
    await attempt_outcomes.breaker_failed(session, cast.peer.id, now_ns=10, after=3, open_ns=90)
    assert await claimed_id(session, 10, 1000, "t1") == elsewhere.id
    assert await claim_next(session, 99, LEASE, "t2") is None
    assert await claiming.next_due_ns(session) == 100
    assert await claimed_id(session, 100, LEASE, "trying") == first.id
    assert await claim_next(session, 101, LEASE, "t3") is None
    assert await claiming.next_due_ns(session) == 130
    await attempt_outcomes.breaker_succeeded(session, cast.peer.id)
    assert await claimed_id(session, 102, LEASE, "t4") == second.id
    assert await attempt_outcomes.breaker(session, cast.peer.id) is None


async def test_how_many_wait_for_a_peer_that_is_tried_again_does_not_hold_everybody_up(
    database: Database, session: AsyncSession, cast: Cast
) -> None:
    """It runs on the event loop: twice as many may take twice as long, not four times."""
    await attempt_outcomes.breaker_failed(session, cast.peer.id, now_ns=1, after=1, open_ns=1)
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
    writing_connection(database).set_progress_handler(stepped, 10)
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
    writing_connection(database).set_progress_handler(stepped, 1)
    few = await look()
    for now in range(30, 330):
        await queued(session, cast, now_ns=now)
    assert await look() < 1.5 * few


async def test_a_failed_try_opens_the_breaker_again(session: AsyncSession, cast: Cast) -> None:
    made = await queued(session, cast)
    for _ in range(3):
        await attempt_outcomes.breaker_failed(session, cast.peer.id, now_ns=10, after=3, open_ns=90)
    await claim_next(session, 100, LEASE, "trying")
    await settle(session, "trying", Ended.again(made.id, "down", 105), 101)
    await attempt_outcomes.breaker_failed(session, cast.peer.id, now_ns=101, after=3, open_ns=90)
    assert await claiming.next_due_ns(session) == 191


async def test_transfers_to_a_peer_that_is_not_active_wait(session: AsyncSession, cast: Cast) -> None:
    new = await a_peer(session, "delta", confirmed=False)
    made = await a_transfer(session, cast.document, cast.author, new)
    assert await claim_next(session, 5, LEASE, "t1") is None
    assert await claiming.next_due_ns(session) is None
    await peers.confirm(session, new.id, 6)
    assert await claimed_id(session, 6, LEASE, "t1") == made.id


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
    await attempt_outcomes.breaker_failed(session, cast.peer.id, now_ns=5, after=1, open_ns=10)
    claimed = await claim_due(session, now_ns=20, lease_ns=LEASE, token="t1", most=9)
    assert {row.id for row in claimed} == {made[1].id, *(other.id for other in others)}
    assert await claim_due(session, now_ns=21, lease_ns=LEASE, token="t2", most=9) == []
    await attempt_outcomes.breaker_succeeded(session, cast.peer.id)
    claimed = await claim_due(session, now_ns=22, lease_ns=LEASE, token="t3", most=9)
    assert {row.id for row in claimed} == {made[0].id, made[2].id}


async def test_what_is_due_has_the_bytes_that_travel(session: AsyncSession, cast: Cast) -> None:
    """Redacted edition and marks are the tail of the classified stream, and who receives it counts them."""
    for redacted_size, marks_size, now in ((None, None, 1), (7, None, 2), (7, 1024, 3)):
        await queued(session, cast, now_ns=now, redacted_size=redacted_size, marks_size=marks_size)
    found = await claiming.due(session, now_ns=5, most=3)
    assert [(each.size, each.classified_size) for each in found] == [(20, 10), (27, 17), (1051, 1041)]


async def test_what_there_is_to_send(session: AsyncSession, cast: Cast) -> None:
    made = await queued(session, cast)
    whole = await outbox.by_id(session, made.id)
    assert whole is not None
    document = whole.document
    blobs = (document.plain_blob.ref, document.sealed_blob.ref, whole.manifest_blob.ref)
    wanted = (made.id, False, None, 20, 10, document.sieve_ns, *blobs, None, None)
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
    rival = database_from_url(url(tmp_path / "sieve.db"))
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
