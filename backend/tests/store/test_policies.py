"""Policies in the store: versions that stay, names that go on counting."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import PolicyVersion
from sieve.store.queries import policies


def add(session: AsyncSession, name: str, version: int, *, guard: bool = False) -> None:
    session.add(
        PolicyVersion(
            name=name,
            version=version,
            title="",
            rules=1,
            guard=guard,
            written_in="toml",
            source=b"sealed",
            changed_at_ns=1,
            changed_by="root",
        )
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["take", "advance", "delete", "late"]), max_size=15))
async def test_a_version_is_given_once_and_stays(session: AsyncSession, happens: list[str]) -> None:
    async with session.begin_nested() as undone:
        given_out, there, latest = [], False, 0
        for what in happens:
            if what == "take":
                version = await policies.take_name(session, "names")
                assert (version is None) == there
                if version is not None:
                    given_out.append(version)
                    there = True
            elif what == "advance":
                done = await policies.advance(session, "names", latest)
                assert done == (there and latest > 0)
                if done:
                    given_out.append(latest + 1)
            elif what == "late":
                assert not await policies.advance(session, "names", latest - 1)
            else:
                assert await policies.delete(session, "names", 5) == there
                there = False
            if given_out and given_out[-1] > latest:
                latest = given_out[-1]
                add(session, "names", latest)
                await session.flush()
            listed = await policies.listed(session)
            assert [(row.name, row.version) for row in listed] == ([("names", latest)] if there else [])
        assert given_out == list(range(1, latest + 1))
        for version in given_out:
            assert await policies.version_of(session, "names", version) is not None
        await undone.rollback()


async def test_the_list_is_by_name_and_of_those_that_guard_if_asked(session: AsyncSession) -> None:
    for name, guard in (("b", True), ("a", False), ("c", True)):
        await policies.take_name(session, name)
        add(session, name, 1, guard=guard)
    await session.flush()
    assert [row.name for row in await policies.listed(session)] == ["a", "b", "c"]
    assert [row.name for row in await policies.listed(session, guard=True)] == ["b", "c"]
    await policies.advance(session, "c", 1)
    add(session, "c", 2)
    await session.flush()
    assert [row.name for row in await policies.listed(session, guard=True)] == ["b"]
