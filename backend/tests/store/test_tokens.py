"""API tokens: known by their hash, and good until they expire, are revoked, or their owner is disabled."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.queries import people, tokens
from store_rows import a_user


async def test_a_token_is_its_owners_until_it_expires(session: AsyncSession) -> None:
    anna = await a_user(session)
    row = await tokens.add(session, user_id=anna.id, token="secret", label="laptop", now_ns=1, expires_at_ns=10)
    found = await tokens.owner(session, "secret", 9)
    assert found is not None
    assert (found[0].id, found[1].id) == (row.id, anna.id)
    assert await tokens.owner(session, "secret", 10) is None
    assert await tokens.owner(session, "Secret", 9) is None


async def test_revoked_or_its_owner_disabled_it_is_nobodys(session: AsyncSession) -> None:
    anna, bob = await a_user(session), await a_user(session, "bob")
    row = await tokens.add(session, user_id=anna.id, token="one", label="a", now_ns=1)
    other = await tokens.add(session, user_id=anna.id, token="two", label="b", now_ns=2)
    assert not await tokens.revoke(session, bob.id, row.id, 3)
    assert await tokens.revoke(session, anna.id, row.id, 3)
    assert not await tokens.revoke(session, anna.id, row.id, 4)
    assert await tokens.owner(session, "one", 5) is None
    assert await tokens.of_user(session, anna.id) == [other]
    await tokens.note_used(session, other.id, 7)
    assert other.last_used_at_ns == 7
    await people.change(session, anna.id, disabled_at_ns=8)
    assert await tokens.owner(session, "two", 9) is None


async def test_the_token_itself_is_kept_nowhere(session: AsyncSession) -> None:
    anna = await a_user(session)
    await tokens.add(session, user_id=anna.id, token="planted-token", label="x", now_ns=1)
    rows = (await session.execute(text("SELECT * FROM tokens"))).all()
    assert "planted-token" not in str(rows)
