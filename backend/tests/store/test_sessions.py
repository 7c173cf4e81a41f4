"""Sessions: known by the hash of a cookie's value, and over when idle, old, ended, or their person is disabled."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.queries import people, sessions
from sieve.store.queries.sessions import HOUR_NS, IDLE_NS, LIFE_NS
from store_rows import a_user


async def test_a_session_is_its_owners_until_it_is_idle(session: AsyncSession) -> None:
    anna = await a_user(session)
    row = await sessions.add(session, user_id=anna.id, value="value", now_ns=1)
    assert await sessions.owner(session, "value", IDLE_NS) == (row, anna)
    assert await sessions.owner(session, "value", IDLE_NS + 1) is None
    assert await sessions.owner(session, "Value", 2) is None
    await sessions.note_used(session, row.id, IDLE_NS)
    assert await sessions.owner(session, "value", IDLE_NS + 1) is not None


async def test_however_busy_it_is_over_after_a_week(session: AsyncSession) -> None:
    anna = await a_user(session)
    row = await sessions.add(session, user_id=anna.id, value="value", now_ns=0)
    for hour in range(0, 7 * 24, 6):
        await sessions.note_used(session, row.id, hour * HOUR_NS)
    assert await sessions.owner(session, "value", LIFE_NS - 1) is not None
    assert await sessions.owner(session, "value", LIFE_NS) is None


async def test_a_disabled_persons_session_is_nobodys(session: AsyncSession) -> None:
    anna = await a_user(session)
    await sessions.add(session, user_id=anna.id, value="value", now_ns=1)
    await people.change(session, anna.id, disabled_at_ns=2)
    assert await sessions.owner(session, "value", 3) is None


async def test_ending_one_all_or_all_others(session: AsyncSession) -> None:
    anna, bob = await a_user(session), await a_user(session, "bob")

    async def there() -> set[str]:
        return {value for value in ("a1", "a2", "a3", "b1") if await sessions.owner(session, value, 2)}

    for value in ("a1", "a2", "a3"):
        await sessions.add(session, user_id=anna.id, value=value, now_ns=1)
    await sessions.add(session, user_id=bob.id, value="b1", now_ns=1)
    await sessions.end(session, "a1")
    assert await there() == {"a2", "a3", "b1"}
    await sessions.end_all(session, anna.id, but="a3")
    assert await there() == {"a3", "b1"}
    await sessions.end_all(session, anna.id, but="b1")
    assert await there() == {"b1"}


async def test_what_is_over_is_swept_and_the_value_kept_nowhere(session: AsyncSession) -> None:
    anna = await a_user(session)
    await sessions.add(session, user_id=anna.id, value="idle", now_ns=1)
    await sessions.add(session, user_id=anna.id, value="planted-value", now_ns=IDLE_NS)
    await sessions.sweep(session, IDLE_NS + 1)
    [row] = (await session.execute(text("SELECT * FROM sessions"))).all()
    assert "planted-value" not in str(row)
    assert await sessions.owner(session, "planted-value", IDLE_NS + 1) is not None
