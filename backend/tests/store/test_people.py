"""People: a login is one person whatever its case, and the disabled receive nothing."""

import pytest
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.database import Database
from sieve.store.queries import people
from store_rows import a_user


async def test_a_login_is_found_whatever_its_case(session: AsyncSession) -> None:
    anna = await people.add(session, name="Anna", display_name="Anna B.", now_ns=1)
    assert anna.name == "anna"
    assert await people.by_name(session, "ANNA") is anna
    assert await people.by_id(session, anna.id) is anna
    assert await people.by_name(session, "bob") is None
    assert (anna.is_author, anna.is_recipient, anna.is_admin, anna.cleared) == (False,) * 4


async def test_a_login_is_one_persons(database: Database) -> None:
    with pytest.raises(IntegrityError):
        async with database.write() as session:
            await a_user(session, "anna")
            await a_user(session, "ANNA")


async def test_who_can_receive(session: AsyncSession) -> None:
    for name in ("zoe", "anna", "gone"):
        await a_user(session, name)
    await people.add(session, name="author", display_name="A", is_author=True, now_ns=1)
    gone = await people.by_name(session, "gone")
    assert gone is not None
    assert await people.change(session, gone.id, disabled_at_ns=5)
    assert [user.name for user in await people.recipients(session)] == ["anna", "zoe"]
    assert [user.name for user in await people.recipients(session, ["ZOE", "gone", "author", "nobody"])] == ["zoe"]
    assert await people.recipients(session, []) == []
    assert [user.name for user in await people.everybody(session)] == ["anna", "author", "gone", "zoe"]


async def test_whether_there_is_an_admin(session: AsyncSession) -> None:
    assert not await people.any_admin(session)
    admin = await people.add(session, name="root", display_name="R", is_admin=True, now_ns=1)
    assert await people.any_admin(session)
    assert await people.change(session, admin.id, disabled_at_ns=2)
    assert not await people.any_admin(session)
    assert not await people.change(session, "nobody", cleared=True)
