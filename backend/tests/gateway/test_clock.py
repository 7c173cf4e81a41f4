"""A clock that is wrong or that somebody sets: no transfer waits longer than one retry cap for it, none fails by it for
good, and nothing that is written by it outlives it.
"""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from gateway.gates import gate
from gateway.two_gateways import WORKER, Pair, document, paired, until
from sieve.gateway.clock import DOUBT_NS, Clock, now_ns
from sieve.gateway.peering.links import Link
from sieve.store.clock_doubt import GAP_NS
from sieve.store.models import Breaker
from sieve.store.queries import clock_corrections, one_time_links, sessions, sign_in_failures

HOUR_NS = 3600 * 10**9
DAY_NS = 24 * HOUR_NS
LIFE_S = 3600
DOCUMENT = document(2000, spans=2, spare=100)
PATIENT = replace(WORKER, retry_first_s=600, retry_cap_s=600, breaker_after=1, breaker_open_s=600)
"""Waits that no test outlives, and a breaker that opens at once."""


@dataclass
class Wall:
    """This machine's clock, and how far it is ahead."""

    ahead_ns: int = 0

    def now_ns(self) -> int:
        return now_ns() + self.ahead_ns

    def clock(self) -> Clock:
        return Clock(self.now_ns)


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
async def pair(tmp_path: Path, template: Path, wall: Wall) -> AsyncIterator[Pair]:
    alpha: dict[str, Any] = {"worker_settings": PATIENT, "clock": wall.clock}
    async with paired(tmp_path, template, alpha=alpha) as made:
        yield made


async def breaker(pair: Pair) -> Breaker | None:
    async with pair.alpha.database.read() as session:
        return await session.scalar(select(Breaker))


async def begin_again(pair: Pair) -> None:
    """Alpha starts once more, and now waits are short."""
    await pair.alpha.stop()
    pair.alpha.worker_settings = WORKER
    await pair.alpha.start()


@pytest.mark.parametrize("ahead_ns", [pytest.param(HOUR_NS, marks=pytest.mark.soak), 10 * DAY_NS], ids=["1 h", "10 d"])
async def test_ahead_at_start_and_right_at_the_next(pair: Pair, wall: Wall, ahead_ns: int) -> None:
    await pair.alpha.stop()
    await pair.bravo.stop()
    wall.ahead_ns = ahead_ns
    await pair.alpha.start()
    sent = [await pair.send(DOCUMENT) for _ in range(3)]
    await pair.alpha.tried(sent[0])
    wall.ahead_ns = 0
    await pair.bravo.start()
    await begin_again(pair)
    for transfer_id in [*sent, await pair.send(DOCUMENT)]:
        assert (await pair.alpha.ended(transfer_id)).state == "delivered"


@pytest.mark.parametrize(
    "by_ns",
    [-10 * DAY_NS, 10 * DAY_NS, *(pytest.param(by_ns, marks=pytest.mark.soak) for by_ns in (-HOUR_NS, HOUR_NS))],
)
async def test_set_while_it_runs(pair: Pair, wall: Wall, by_ns: int) -> None:
    """The transfer is neither late, whichever way the clock was set, nor failed for its deadline of a minute."""
    await pair.bravo.stop()
    transfer_id = await pair.send(DOCUMENT)
    await pair.alpha.tried(transfer_id)
    wall.ahead_ns += by_ns
    cap_ns = int(PATIENT.retry_cap_s * 10**9)

    async def waits_no_longer() -> bool:
        row, opened = await pair.alpha.row(transfer_id), await breaker(pair)
        latest_ns = wall.now_ns() + cap_ns
        assert row.state in ("queued", "sending")
        return (row.next_try_at_ns or 0) <= latest_ns and (opened is None or (opened.open_until_ns or 0) <= latest_ns)

    await until(waits_no_longer)
    pair.alpha.worker.settings = WORKER
    await pair.bravo.start()
    if by_ns < 0:  # it waits for one retry cap yet
        await pair.alpha.transfer_queue.requeue(pair.anna, transfer_id)
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"


async def test_set_forward_it_lets_go_of_no_lease(pair: Pair, wall: Wall, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is being sent goes on, by the same attempt."""
    there, go_on = gate(monkeypatch, Link, "hello")
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    wall.ahead_ns += 10 * DAY_NS

    async def lease_began_again() -> bool:
        return ((await pair.alpha.row(transfer_id)).lease_until_ns or 0) > wall.now_ns()

    await until(lease_began_again)
    go_on.set()
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    assert (await pair.alpha.row(transfer_id)).attempt == 1


async def test_failed_by_a_clock_that_was_ahead_it_can_be_tried_again(pair: Pair, wall: Wall) -> None:
    """By less than a day, which a start does not notice."""
    await pair.bravo.stop()
    transfer_id = await pair.send(DOCUMENT)
    await pair.alpha.tried(transfer_id)
    await pair.alpha.stop()
    wall.ahead_ns = HOUR_NS
    await begin_again(pair)
    ended = await pair.alpha.ended(transfer_id)
    assert ended.state == "failed" and ended.reason is not None
    assert ended.reason.startswith("the deadline has passed by this gateway's clock, which reads ")
    wall.ahead_ns = 0
    await pair.bravo.start()
    await pair.alpha.transfer_queue.requeue(pair.anna, transfer_id)
    assert (await pair.alpha.becomes(transfer_id, lambda p: p.state == "delivered")).state == "delivered"


async def test_a_clock_that_is_days_ahead_at_the_start_fails_no_transfer(pair: Pair, wall: Wall) -> None:
    await pair.bravo.stop()
    transfer_id = await pair.send(DOCUMENT)
    await pair.alpha.tried(transfer_id)
    await pair.alpha.stop()
    wall.ahead_ns = 10 * DAY_NS
    earlier = (await pair.alpha.row(transfer_id)).attempt
    await begin_again(pair)

    async def tried_again() -> bool:
        row = await pair.alpha.row(transfer_id)
        assert row.state != "failed"
        return row.attempt > earlier and row.state == "queued"

    await until(tried_again)
    wall.ahead_ns = 0
    await begin_again(pair)
    await pair.bravo.start()
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"


# --- the clock itself -------------------------------------------------------------------------------------------------


@dataclass
class Faked:
    """Both clocks."""

    wall_ns: int = 1_700_000_000 * 10**9
    passed_ns: int = 0

    def passes(self, ns: int) -> None:
        self.wall_ns += ns
        self.passed_ns += ns


def test_a_clock_notices_that_it_was_set_and_is_doubted_for_an_hour() -> None:
    faked = Faked()
    clock = Clock(lambda: faked.wall_ns, lambda: faked.passed_ns)
    clock.is_followed = True
    faked.passes(DAY_NS)
    assert (clock.is_doubted, clock.is_followed) == (False, True)
    faked.wall_ns += 2 * 10**9  # a leap, and no reason for doubt
    assert (clock.is_doubted, clock.is_followed) == (False, False)
    clock.is_followed = True
    for by_ns in (10 * DAY_NS, -10 * DAY_NS):
        faked.wall_ns += by_ns
        assert (clock.now_ns(), clock.is_doubted, clock.is_followed) == (faked.wall_ns, True, False)
    faked.passes(DOUBT_NS - 1)
    assert clock.is_doubted
    faked.passes(1)
    assert not clock.is_doubted


def test_a_process_that_was_stopped_between_two_looks_at_its_clocks_was_not_set() -> None:
    faked = Faked()
    stops = [0, 45 * 10**9]

    def wall_ns() -> int:
        if stops:
            faked.passes(stops.pop())
        return faked.wall_ns

    clock = Clock(wall_ns, lambda: faked.passed_ns)
    clock.is_followed = True
    stops.append(45 * 10**9)
    clock.look()
    assert clock.is_followed


async def test_sign_ins_of_a_clock_that_was_ahead_end_as_if_they_were_made_now(pair: Pair) -> None:
    now, ahead = now_ns(), now_ns() + 10 * DAY_NS
    user = pair.anna.id
    async with pair.alpha.database.write() as session:
        await sessions.add(session, user_id=user, value="cookie", now_ns=ahead, life_s=LIFE_S)
        await one_time_links.add(session, user_id=user, code="code", now_ns=ahead)
        failures = await sign_in_failures.of(session, "source:192.0.2.1", ahead)
        failures.failures, failures.blocked_until_ns = 21, ahead + 10**9
    async with pair.alpha.database.write() as session:
        await clock_corrections.fit(session, now_ns=now, retry_ns=1, breaker_ns=1, lease_ns=1, held=())
    async with pair.alpha.database.write() as session:
        assert await sessions.owner(session, "cookie", now + LIFE_S * 10**9 - 1, 2 * LIFE_S) is not None
        assert await sessions.owner(session, "cookie", now + LIFE_S * 10**9, 2 * LIFE_S) is None
        assert await one_time_links.owner(session, "code", now + one_time_links.LIFE_NS) is None
        failures = await sign_in_failures.of(session, "source:192.0.2.1", now)
        assert failures.blocked_until_ns == now + 10**9


def test_a_start_far_from_what_was_noted_leaves_the_clock_unconfirmed() -> None:
    for last_ns in (100 * GAP_NS, 99 * GAP_NS, 101 * GAP_NS):
        faked = Faked(wall_ns=100 * GAP_NS)
        clock = Clock(lambda: faked.wall_ns, lambda: faked.passed_ns)  # noqa: B023 -- used in this round
        clock.begin(last_ns, None)
        assert not clock.is_doubted
        clock.begin(last_ns + (1 if last_ns > faked.wall_ns else -1), None)
        assert clock.is_doubted == (last_ns != 100 * GAP_NS)
        faked.passes(100 * GAP_NS)
        assert clock.is_doubted == (last_ns != 100 * GAP_NS), "no time alone ends that"


TWO_DAYS_NS = 2 * DAY_NS
AHEAD = st.integers(TWO_DAYS_NS, 3650 * DAY_NS)


@given(
    st.lists(
        st.tuples(st.just("passes"), st.integers(0, 30 * DAY_NS))
        | st.tuples(st.just("ahead"), AHEAD | st.just(0) | AHEAD.map(lambda ns: -ns))
        | st.tuples(st.just("off"), st.integers(0, 5 * DAY_NS)),
        max_size=20,
    )
)
def test_no_restart_and_no_time_make_it_believe_a_clock_that_is_ahead(acts: list[tuple[str, int]]) -> None:
    """Whatever happens before, unless something confirms the clock."""
    faked, ahead_ns = Faked(), 0

    def started() -> Clock:
        boot_ns = faked.passed_ns
        return Clock(lambda: faked.wall_ns + ahead_ns, lambda: faked.passed_ns - boot_ns)

    clock = started()
    for act, ns in acts:
        if act == "passes":
            faked.passes(ns)
        elif act == "ahead":
            ahead_ns = ns
        else:
            noted = clock.expected_ns, clock.unconfirmed_ns
            faked.passes(ns)
            clock = started()
            clock.begin(*noted)
        assert clock.is_doubted or ahead_ns < TWO_DAYS_NS


@given(st.lists(st.tuples(AHEAD, st.integers(0, 30 * DAY_NS), st.booleans()), max_size=5))
def test_it_is_believed_again_once_it_is_right(starts: list[tuple[int, int, bool]]) -> None:
    """`starts`: by how much it is ahead, for how long, and whether the gateway then starts once more."""
    faked, ahead_ns = Faked(), 0

    def started() -> Clock:
        return Clock(lambda: faked.wall_ns + ahead_ns, lambda: faked.passed_ns)

    clock = started()
    for by_ns, for_ns, again in starts:
        ahead_ns = by_ns
        assert clock.is_doubted
        faked.passes(for_ns)
        ahead_ns = 0
        if again:
            noted = clock.expected_ns, clock.unconfirmed_ns
            clock = started()
            clock.begin(*noted)
            assert not clock.is_doubted
        else:
            assert clock.is_doubted, "it was just set"
            faked.passes(DOUBT_NS)
            assert not clock.is_doubted


def test_nothing_but_the_clock_asks_the_wall_clock() -> None:
    """Code that measures durations uses the monotonic clock."""
    here = Path(__file__).parents[2] / "src" / "sieve"
    asking = {
        str(path.relative_to(here))
        for path in here.rglob("*.py")
        if re.search(r"\btime\.time(_ns)?\(|datetime\.now\(", path.read_text())
    }
    # Certificates are judged by dates of the library's kind; a backup and a restore are named after a date.
    certificates, names = (
        {"gateway/peering/identity.py", "gateway/peering/peers.py"},
        {"gateway/backups/backup.py", "gateway/backups/restore.py"},
    )
    # Commands run without a gateway: "the last day" is by their machine's clock, as are the events they receive.
    commands = {"cli/timings.py", "cli/table.py", "cli/lab/queueing.py", "cli/lab/open_loop.py"}
    # The demo issues certificates of its own, and runs on one machine.
    demo = {"demo/certificates.py", "demo/gateways.py"}
    # Experiments issue throw-away certificates, and say when they ran.
    laboratory = {
        "cli/lab/batch_rsa/certificates.py",
        "cli/lab/batch_rsa/experiment.py",
        "lab/tls_split/processes/identity.py",
    }
    # The S3 client's library judges by the machine's clock how long credentials may be used.
    credentials = {"store/s3_objects.py"}
    # The clock of a database that is not shared.
    database = {"store/database.py"}
    # It runs before the gateway has a clock.
    migrations = {"store/migrations/versions/0039_second_admins.py"}
    theirs = certificates | names | commands | demo | laboratory | credentials | database | migrations
    assert asking == {"gateway/clock.py"} | theirs
