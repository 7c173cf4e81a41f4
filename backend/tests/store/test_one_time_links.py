"""One-time links: good once, for a week, and only the last one of a person."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.queries import one_time_links as links
from sieve.store.queries import people
from sieve.store.queries.one_time_links import LIFE_NS
from store_rows import a_user


async def test_a_link_is_good_once(session: AsyncSession) -> None:
    anna = await a_user(session)
    await links.add(session, user_id=anna.id, code="code", now_ns=1, made_by_id="root")
    assert await links.owner(session, "code", 2) == anna
    assert await links.owner(session, "Code", 2) is None
    assert await links.use(session, "code", 3) == (anna, "root")
    assert await links.use(session, "code", 4) is None
    assert await links.owner(session, "code", 4) is None


async def test_a_link_is_good_for_a_week(session: AsyncSession) -> None:
    anna = await a_user(session)
    row = await links.add(session, user_id=anna.id, code="code", now_ns=1)
    assert row.expires_at_ns == LIFE_NS + 1
    assert await links.owner(session, "code", LIFE_NS) == anna
    assert await links.owner(session, "code", LIFE_NS + 1) is None
    assert await links.use(session, "code", LIFE_NS + 1) is None


async def test_a_new_link_replaces_the_persons_earlier_ones(session: AsyncSession) -> None:
    anna, bob = await a_user(session), await a_user(session, "bob")
    await links.add(session, user_id=anna.id, code="first", now_ns=1)
    await links.add(session, user_id=bob.id, code="bobs", now_ns=1)
    await links.add(session, user_id=anna.id, code="second", now_ns=2)
    assert await links.use(session, "first", 3) is None
    assert await links.owner(session, "bobs", 3) == bob
    assert await links.owner(session, "second", 3) == anna
    await links.end_all(session, anna.id)
    assert await links.owner(session, "second", 3) is None


async def test_a_disabled_persons_link_is_nobodys(session: AsyncSession) -> None:
    anna = await a_user(session)
    await links.add(session, user_id=anna.id, code="code", now_ns=1)
    await people.change(session, anna.id, disabled_at_ns=2)
    assert await links.owner(session, "code", 3) is None
    assert await links.use(session, "code", 3) is None


async def test_old_links_are_removed_and_the_code_kept_nowhere(session: AsyncSession) -> None:
    anna, bob = await a_user(session), await a_user(session, "bob")
    await links.add(session, user_id=anna.id, code="planted-code", now_ns=1)
    await links.use(session, "planted-code", 2)
    rows = (await session.execute(text("SELECT * FROM one_time_links"))).all()
    assert len(rows) == 1 and "planted-code" not in str(rows)
    await links.add(session, user_id=bob.id, code="bobs", now_ns=LIFE_NS + 1)
    assert len((await session.execute(text("SELECT * FROM one_time_links"))).all()) == 1
