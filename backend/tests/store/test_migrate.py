"""The steps of the database's schema are one chain, whatever their numbers."""

from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, select, text

from next_versions import CONTRACTION, EXPANSION, following, version
from sieve.store import migrate, new_database
from sieve.store.database import Database
from sieve.store.errors import DatabaseUnusable
from sieve.store.models import SchemaNote
from sieve.store.queries import people
from store_rows import a_user


def test_the_newest_step_is_the_one_that_alembic_ends_with() -> None:
    found = ScriptDirectory(str(migrate.FOLDER))
    assert found.get_current_head() == migrate.newest()
    assert {step.revision for step in found.walk_revisions()} == migrate.steps()


def test_a_new_database_is_as_the_steps_make_it(tmp_path: Path) -> None:
    """If this fails: make schema."""
    stepped, made = (create_engine(f"sqlite:///{tmp_path / name}.db") for name in ("stepped", "made"))
    with stepped.begin() as by_steps, made.begin() as at_once:
        migrate.run_steps(by_steps)
        new_database.make_tables(at_once)
        wanted = new_database.statements(by_steps)
        assert new_database.statements(at_once) == wanted
        assert [sql for sql in wanted if "alembic_version" in sql and sql.startswith("INSERT")]
    for engine in (stepped, made):
        engine.dispose()


NEWER = "was written by a newer version of Security Sieve"


async def the_oldest(database: Database) -> str | None:
    async with database.read() as session:
        return await session.scalar(select(SchemaNote.oldest))


async def test_the_version_before_an_expansion_can_use_the_database(database: Database, tmp_path: Path) -> None:
    ours, theirs = migrate.FOLDER, following(tmp_path / "next", EXPANSION)
    with version(theirs):
        await database.migrate()
        await database.check()
    assert await the_oldest(database) == migrate.newest()
    for folder in (ours, theirs, ours):
        with version(folder):
            await database.migrate()
            await database.check()
            async with database.write() as session:
                await a_user(session, folder.parent.name + folder.name + str(len(await people.everybody(session))))
    async with database.read() as session:
        assert len(await people.everybody(session)) == 3
        assert await session.scalar(text("SELECT version_num FROM alembic_version")) == "9001"


async def test_the_version_before_several_expansions_at_once_can_too(database: Database, tmp_path: Path) -> None:
    with version(following(tmp_path / "next", EXPANSION, EXPANSION)):
        await database.migrate()
    await database.migrate()
    assert await the_oldest(database) == migrate.newest()


@pytest.mark.parametrize("steps", [[CONTRACTION], [EXPANSION, CONTRACTION], [CONTRACTION, EXPANSION]])
async def test_after_any_other_step_no_earlier_version_can(
    database: Database, tmp_path: Path, steps: list[str]
) -> None:
    with version(following(tmp_path / "next", *steps)):
        await database.migrate()
    for looks in (database.migrate, database.check):
        with pytest.raises(DatabaseUnusable, match=f"{NEWER} .its schema is 900"):
            await looks()


@pytest.mark.parametrize("last", [EXPANSION, CONTRACTION])
async def test_a_version_two_upgrades_back_cannot(database: Database, tmp_path: Path, last: str) -> None:
    """Each may rely on what the version before it writes."""
    for number, steps in enumerate([(EXPANSION,), (EXPANSION, last)]):
        with version(following(tmp_path / f"{number}", *steps)):
            await database.migrate()
    with pytest.raises(DatabaseUnusable, match=f"{NEWER} .its schema is 9002"):
        await database.migrate()
