"""Guessing: what waiting is worth, that guesses at the same time are all counted, and where a request comes from."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from sieve.store.queries import sign_in_failures
from sieve.web.errors import TooManyTries
from sieve.web.session import throttle
from sieve.web.session.throttle import ACCOUNT, NS_PER_S, SOURCE, WIDER, Limit, source_of
from web_world import World

limits = st.builds(Limit, free=st.integers(0, 100), longest_s=st.integers(1, 10**6))


@given(limits, st.integers(0, 10**9))
def test_waits_never_shrink_and_are_bounded(limit: Limit, failures: int) -> None:
    assert 0 <= limit.wait_s(failures) <= limit.wait_s(failures + 1) <= limit.longest_s


@given(limits, st.integers(0, 200))
def test_a_wait_is_nothing_then_a_second_then_twice_the_last(limit: Limit, failures: int) -> None:
    wait, then = limit.wait_s(failures), limit.wait_s(failures + 1)
    assert (wait == 0) == (failures <= limit.free)
    assert then == (min(2 * wait, limit.longest_s) if wait else int(failures >= limit.free))


def test_the_waits_of_an_account_and_of_a_source() -> None:
    assert [ACCOUNT.wait_s(failures) for failures in range(14)] == [0] * 6 + [1, 2, 4, 8, 16, 32, 60, 60]
    assert [SOURCE.wait_s(failures) for failures in (20, 21, 30, 31, 1000)] == [0, 1, 512, 900, 900]


@given(limits.filter(lambda limit: limit.longest_s >= 60), st.integers(1, 24 * 3600))
def test_guesses_in_a_time_are_few(limit: Limit, span_s: int) -> None:
    """Guessing as soon as allowed gives the first few guesses, and then one for each longest wait."""
    at_s, failures = 0, 0
    while at_s < span_s:
        failures += 1
        at_s += limit.wait_s(failures)
    assert failures <= limit.free + limit.longest_s.bit_length() + 2 + span_s // limit.longest_s


async def _guess(world: World, login: str = "anna", source: str = "10.0.0.1", now_s: int = 0) -> throttle.Guess:
    async with world.database.write() as session:
        return await throttle.count(session, login, source, now_s * NS_PER_S)


async def test_guesses_at_the_same_time_are_all_counted(world: World) -> None:
    tries = await asyncio.gather(*(_guess(world) for _ in range(30)), return_exceptions=True)
    refused = [one for one in tries if isinstance(one, TooManyTries)]
    assert len(tries) - len(refused) == ACCOUNT.free + 1
    assert {one.wait_s for one in refused} == {1}


async def test_many_accounts_of_one_source(world: World) -> None:
    for number in range(SOURCE.free + 1):
        await _guess(world, f"person{number}")
    with pytest.raises(TooManyTries):
        await _guess(world, "somebody")
    await _guess(world, "somebody", "10.0.0.2")
    await _guess(world, "somebody", now_s=1)


@pytest.mark.parametrize(
    ("limit", "network"), [(WIDER[0][1], "2001:db8:0:{:x}::/64"), (WIDER[1][1], "2001:db8:0:{:x}00::/64")]
)
async def test_a_subscriber_with_many_networks_is_one_source(world: World, limit: Limit, network: str) -> None:
    wide = 255 if limit is WIDER[1][1] else limit.free
    for number in range(limit.free + 1):
        await _guess(world, f"person{number}", network.format(number % (wide + 1)))
    with pytest.raises(TooManyTries):
        await _guess(world, "somebody", network.format(7))
    await _guess(world, "somebody", "2001:db8:1::/64")


async def test_one_that_is_refused_is_not_counted(world: World) -> None:
    for _ in range(ACCOUNT.free + 1):
        await _guess(world)
    for _ in range(5):
        with pytest.raises(TooManyTries):
            await _guess(world)
    assert (await _guess(world, now_s=1)).failures == ACCOUNT.free + 2


async def test_a_right_one_forgets_the_accounts_failures_and_not_the_sources(world: World) -> None:
    for number in range(SOURCE.free):
        await _guess(world, f"person{number}")
    right = await _guess(world)
    with pytest.raises(TooManyTries):
        await _guess(world, "somebody")
    async with world.database.write() as session:
        await throttle.take_back(session, right)
    assert (await _guess(world, "somebody")).failures == SOURCE.free + 1
    with pytest.raises(TooManyTries):
        await _guess(world, "somebody")


async def test_a_right_one_does_not_lift_what_others_did_meanwhile(world: World) -> None:
    for number in range(SOURCE.free):
        await _guess(world, f"person{number}")
    right = await _guess(world, now_s=1)
    await _guess(world, "somebody", now_s=2)
    async with world.database.write() as session:
        await throttle.take_back(session, right)
    with pytest.raises(TooManyTries):
        await _guess(world, "somebody", now_s=2)


async def test_right_ones_do_not_keep_old_failures_alive(world: World) -> None:
    for number in range(SOURCE.free):
        await _guess(world, f"person{number}")
    half_a_day_s = 12 * 3600
    for now_s in (half_a_day_s, 2 * half_a_day_s - 1):
        right = await _guess(world, now_s=now_s)
        async with world.database.write() as session:
            await throttle.take_back(session, right)
    assert (await _guess(world, "somebody", now_s=2 * half_a_day_s)).failures == 1


async def test_what_was_typed_as_login_is_not_kept(world: World) -> None:
    await _guess(world, "hunter2hunter2")
    async with world.database.read() as session:
        row = await sign_in_failures.of(session, throttle.account_of("hunter2hunter2"), 1)
        session.expunge_all()
    assert row.failures == 1
    await world.database.dispose()
    stored = b"".join(path.read_bytes() for path in world.folder.glob("sieve.db*"))
    assert b"hunter2" not in stored


@pytest.mark.parametrize(
    ("host", "source"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("<script>", "unknown"),
        (None, "unknown"),
    ],
)
def test_where_a_request_comes_from(host: str | None, source: str) -> None:
    client = None if host is None else (host, 1)
    assert source_of(Request({"type": "http", "headers": [], "client": client})) == source
