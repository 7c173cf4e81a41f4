"""Brings a database's tables to this version, by the steps in `migrations/versions`.

A database that is up to date is only asked: no start of a gateway loads and runs Alembic for nothing. Nor does
that of a new gateway with SQLite: see `new_database`.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from sieve.store.errors import DatabaseUnusable

FOLDER = Path(__file__).parent / "migrations"
_FOLLOWS = re.compile(r'^down_revision\b.*= "(\w+)"$', re.MULTILINE)


def newest() -> str:
    """This version's last step: the one that none follows. Numbers do not say the order."""
    texts = (path.read_text() for path in (FOLDER / "versions").glob("[0-9]*_*.py"))
    followed = {found[1] for each in texts if (found := _FOLLOWS.search(each))}
    [last] = steps() - followed
    return last


def upgrade(connection: Connection, name: str) -> None:
    """Brings the tables to this version, in the transaction that `connection` is in. `name`: the database, for people.

    Raises:
        DatabaseUnusable: a newer version wrote it, or another program did.
    """
    found = versions(connection)
    if found == [newest()]:
        return
    check_not_newer(found, name)
    if not found and inspect(connection).get_table_names():
        raise DatabaseUnusable(
            f"the database {name} belongs to another program; set SIEVE_DATABASE_URL to the gateway's database"
        )
    if not found and connection.dialect.name == "sqlite":
        from sieve.store.new_database import make_tables

        make_tables(connection)
        found = versions(connection)
    if found != [newest()]:
        run_steps(connection)


def run_steps(connection: Connection) -> None:
    """Every step that the database lacks, by Alembic, in the transaction that `connection` is in."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    # ConfigParser reads % as the start of a variable.
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def check_not_newer(found: Sequence[str], name: str) -> None:
    """Checks that this version knows the steps that the database `name` has.

    Raises:
        DatabaseUnusable: it does not.
    """
    for unknown in set(found) - steps():
        raise DatabaseUnusable(
            f"the database {name} was written by a newer version of Security Sieve (its schema is {unknown}, this "
            f"version has {newest()}); install that version, or restore a backup from before it"
        )


def steps() -> set[str]:
    """This version's steps."""
    return {path.name.partition("_")[0] for path in (FOLDER / "versions").glob("[0-9]*_*.py")}


def versions(connection: Connection) -> list[str]:
    """What Alembic noted in the database; nothing in a new one."""
    if not inspect(connection).has_table("alembic_version"):
        return []
    return list(connection.scalars(text("SELECT version_num FROM alembic_version")))
