"""Brings a database's tables to this version, by the steps in `migrations/versions`.

A database that is up to date is only asked: no start of a gateway loads and runs Alembic for nothing.
"""

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from sieve.store.errors import DatabaseUnusable

FOLDER = Path(__file__).parent / "migrations"


def newest() -> str:
    """This version's last step: files are named by their number, and each step follows the one before."""
    return max(path.name.partition("_")[0] for path in (FOLDER / "versions").glob("[0-9]*_*.py"))


def upgrade(connection: Connection) -> None:
    """Every step that the database lacks, in the transaction that `connection` is in.

    Raises:
        DatabaseUnusable: a newer version was here.
    """
    if _versions(connection) == [newest()]:
        return
    from alembic import command
    from alembic.config import Config
    from alembic.util.exc import CommandError

    config = Config()
    # ConfigParser reads % as the start of a variable.
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise DatabaseUnusable(
            f"the database was made by another version of this program ({error}); start that version or a newer one"
        ) from error


def _versions(connection: Connection) -> list[str]:
    """What Alembic noted in the database; nothing in a new one."""
    if not inspect(connection).has_table("alembic_version"):
        return []
    return list(connection.scalars(text("SELECT version_num FROM alembic_version")))
