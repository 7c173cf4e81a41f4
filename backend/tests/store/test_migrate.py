"""The steps of the database's schema are one chain, whatever their numbers."""

from pathlib import Path

from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from sieve.store import migrate, new_database


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
