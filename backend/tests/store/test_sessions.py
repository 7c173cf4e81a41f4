"""Sessions: found by the hash of a cookie's value until they are idle, old or ended, or their person is disabled."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import Session, User
from sieve.store.queries import people, sessions
from sieve.store.queries.sessions import NS_PER_S
from store_rows import a_user

IDLE_S = 10.5
IDLE_NS = int(IDLE_S * NS_PER_S)
LIFE_S = 100.0
LIFE_NS = int(LIFE_S * NS_PER_S)


async def add(session: AsyncSession, user: User, value: str, now_ns: int) -> Session:
    return await sessions.add(session, user_id=user.id, value=value, now_ns=now_ns, life_s=LIFE_S)


async def is_valid(session: AsyncSession, value: str, now_ns: int) -> bool:
    return await sessions.owner(session, value, now_ns, IDLE_S) is not None


async def test_a_session_counts_until_it_is_idle(session: AsyncSession) -> None:
    anna = await a_user(session)
    row = await add(session, anna, "value", 1)
    assert await sessions.owner(session, "value", IDLE_NS, IDLE_S) == (row, anna)
    assert not await is_valid(session, "value", IDLE_NS + 1)
    assert not await is_valid(session, "Value", 2)
    await sessions.note_used(session, row.id, IDLE_NS)
    assert await is_valid(session, "value", IDLE_NS + 1)


async def test_a_busy_session_ends_with_its_life(session: AsyncSession) -> None:
    row = await add(session, await a_user(session), "value", 0)
    for second in range(0, int(LIFE_S), 6):
        await sessions.note_used(session, row.id, second * NS_PER_S)
    assert await is_valid(session, "value", LIFE_NS - 1)
    assert not await is_valid(session, "value", LIFE_NS)


async def test_a_session_of_a_disabled_person_does_not_count(session: AsyncSession) -> None:
    anna = await a_user(session)
    await add(session, anna, "value", 1)
    await people.change(session, anna.id, disabled_at_ns=2)
    assert not await is_valid(session, "value", 3)


async def test_ending_one_all_or_all_others(session: AsyncSession) -> None:
    anna, bob = await a_user(session), await a_user(session, "bob")

    async def valid() -> set[str]:
        return {value for value in ("a1", "a2", "a3", "b1") if await is_valid(session, value, 2)}

    for value in ("a1", "a2", "a3"):
        await add(session, anna, value, 1)
    await add(session, bob, "b1", 1)
    await sessions.end(session, "a1")
    assert await valid() == {"a2", "a3", "b1"}
    await sessions.end_all(session, anna.id, but="a3")
    assert await valid() == {"a3", "b1"}
    await sessions.end_all(session, anna.id, but="b1")
    assert await valid() == {"b1"}


async def test_sweep_removes_ended_sessions_and_no_row_has_a_value(session: AsyncSession) -> None:
    anna = await a_user(session)
    await add(session, anna, "idle", 1)
    await add(session, anna, "planted-value", IDLE_NS)
    await sessions.sweep(session, IDLE_NS + 1, IDLE_S)
    [row] = (await session.execute(text("SELECT * FROM sessions"))).all()
    assert "planted-value" not in str(row)
    assert await is_valid(session, "planted-value", IDLE_NS + 1)
