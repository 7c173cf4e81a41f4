"""Brings a database's tables to this version, by the steps in `migrations/versions`."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util.exc import CommandError
from sqlalchemy import Connection

from sieve.store.errors import DatabaseUnusable

FOLDER = Path(__file__).parent / "migrations"


def upgrade(connection: Connection) -> None:
    """Every step that the database lacks, in the transaction that `connection` is in.

    Raises:
        DatabaseUnusable: a newer version was here.
    """
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
