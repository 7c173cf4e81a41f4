"""The steps of the database's schema are one chain, whatever their numbers."""

from alembic.script import ScriptDirectory

from sieve.store import migrate


def test_the_newest_step_is_the_one_that_alembic_ends_with() -> None:
    found = ScriptDirectory(str(migrate.FOLDER))
    assert found.get_current_head() == migrate.newest()
    assert {step.revision for step in found.walk_revisions()} == migrate.steps()
