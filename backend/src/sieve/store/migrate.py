"""Brings a database's tables to this version, by the steps in `migrations/versions`.

A database that is up to date is only asked: no start of a gateway loads and runs Alembic for nothing. Nor does
that of a new gateway with SQLite: see `new_database`.

A step that is an *expansion* says so (`is_expansion = True`): the version before it can go on with the tables. An
upgrade by expansions alone notes in the database from which version it came. That version may go on, and be started
again; an earlier one may not. So replicas of two versions that follow each other share a database while one replaces
the other (ADR 65).
"""

import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from sqlalchemy import Connection, delete, insert, inspect, select, text

from sieve.store import sqlite_name_index
from sieve.store.errors import DatabaseUnusable
from sieve.store.models.schema import SchemaNote

FOLDER = Path(__file__).parent / "migrations"
_FOLLOWS = re.compile(r'^down_revision\b.*= "(\w+)"$', re.MULTILINE)
_EXPANDS = re.compile(r"^is_expansion\b.*= True\b", re.MULTILINE)

Beside: TypeAlias = Callable[[Connection, str], None]
"""Prepares an upgrade from a version beside replicas that go on, or raises why it cannot be."""


@dataclass(frozen=True, slots=True)
class Step:
    """`follows`: the step before it."""

    number: str
    follows: str | None
    is_expansion: bool


def newest() -> str:
    """This version's last step: the one that none follows. Numbers do not say the order."""
    known = _steps()
    [last] = known.keys() - {step.follows for step in known.values()}
    return last


def upgrade(connection: Connection, name: str, *, beside: Beside | None = None) -> None:
    """Brings the tables to this version, in the transaction that `connection` is in. Those of the version after this
    one stay as they are, if that lets this one use them. `name`: the database, for people. `beside`: replicas use it,
    too.

    Raises:
        DatabaseUnusable: a newer version wrote it, or another program did, or replicas use it that this upgrade would
            break.
    """
    found = versions(connection)
    if is_usable(connection, found):
        return
    check_not_newer(found, name)
    expands = bool(found) and all(step.is_expansion for step in _steps_after(found[0]))
    if beside is not None:
        if not expands:
            raise DatabaseUnusable(
                f"replicas of an earlier version use the database {name} (its schema is {', '.join(found)}, this "
                f"version has {newest()}), and would stop working once this version has changed the database; stop all "
                "of them, then start this one"
            )
        beside(connection, found[0])
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
        connection.execute(delete(SchemaNote))
        if expands:
            connection.execute(insert(SchemaNote), {"id": 1, "oldest": found[0]})


def run_steps(connection: Connection) -> None:
    """Every step that the database lacks, by Alembic, in the transaction that `connection` is in."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    # ConfigParser reads % as the start of a variable.
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    with sqlite_name_index.without_triggers(connection) if connection.dialect.name == "sqlite" else nullcontext():
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


def is_usable(connection: Connection, found: Sequence[str]) -> bool:
    """Whether this version can work with tables that have the steps `found`: its own, or those of the version after it,
    which noted so.
    """
    if found == [newest()]:
        return True
    if not set(found) - steps() or not inspect(connection).has_table(SchemaNote.__tablename__):
        return False
    return connection.scalar(select(SchemaNote.oldest)) in steps()


def check_usable(connection: Connection, name: str) -> None:
    """Checks that this version can work with the tables of the database `name`.

    Raises:
        DatabaseUnusable: it cannot.
    """
    if is_usable(connection, found := versions(connection)):
        return
    check_not_newer(found, name)
    raise DatabaseUnusable(
        f"the database {name} is of another version of this program; use that version, or start the gateway once to "
        "bring the database to this one"
    )


def steps() -> set[str]:
    """This version's steps."""
    return {*_steps()}


def _steps() -> dict[str, Step]:
    """Read, not imported: most starts need no Alembic."""
    found = {}
    for path in (FOLDER / "versions").glob("[0-9]*_*.py"):
        written, number = path.read_text(), path.name.partition("_")[0]
        follows = _FOLLOWS.search(written)
        found[number] = Step(number, follows and follows[1], says_expansion(written))
    return found


def says_expansion(written: str) -> bool:
    """Whether a step, as it is written, says that it is an expansion."""
    return _EXPANDS.search(written) is not None


def _steps_after(number: str) -> list[Step]:
    """The newest first."""
    known, found = _steps(), []
    step = known[newest()]
    while step.number != number:
        found.append(step)
        step = known[str(step.follows)]
    return found


def versions(connection: Connection) -> list[str]:
    """What Alembic noted in the database; nothing in a new one."""
    if not inspect(connection).has_table("alembic_version"):
        return []
    return list(connection.scalars(text("SELECT version_num FROM alembic_version")))
