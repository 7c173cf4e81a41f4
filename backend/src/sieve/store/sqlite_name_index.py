"""SQLite's index of parts of names: full-text tables of trigrams, which triggers fill.

Invariant: a transfer, a received document and their names are never changed or removed, so the triggers only add.
The index is there, and of this version, if the triggers are; otherwise a start makes all of it again. A SQLite without
FTS5 or its trigrams (before 3.34) could not even write documents with the triggers of another one: it drops them. They
are also dropped once the index turns out to be damaged: until the next start, searches read the names.

Each unit that adds names adds a segment to a table. FTS5 would merge segments within such a unit, on the event loop,
and for 200 ms now and then. So it does not, and `merge` does it in small steps, off the loop.
"""

import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection, text

from sieve.store.name_index import HAS_NAMES, MAKING, VERSION

log = logging.getLogger(__name__)

_ADDED: Final = {
    "transfers": """
INSERT INTO transfer_names (name, transfer_id, author_id)
SELECT sieve_folded(name), {row}.id, {row}.author_id FROM documents""",
    "received": """
INSERT INTO received_names (name, sender_name, received_id)
SELECT sieve_folded(name), sieve_folded({row}.sender_name), {row}.id FROM documents""",
}
"""What adds the row `row` of a table."""
TABLES: Final = {
    "transfer_names": "name, transfer_id UNINDEXED, author_id UNINDEXED",
    "received_names": "name, sender_name, received_id UNINDEXED",
}
TRIGGERS: Final = {
    f"{table}_names_added": f"CREATE TRIGGER {table}_names_added AFTER INSERT ON {table} BEGIN /* {VERSION} */ "
    f"{added.format(row='new')} WHERE documents.id = new.document_id; END"
    for table, added in _ADDED.items()
}
SETTINGS: Final = {"automerge": 0, "crisismerge": 200, "usermerge": 8}
"""Of both tables: no merges within a unit, unless a table has so many segments that searches would take long; `merge`
takes eight at once."""
STEP: Final = 16
"""Pages that `merge` writes at least, if there is so much to merge."""
MOST: Final = 256
"""Pages that it writes at most, but for the end of a trigram that many names have."""
_THERE: Final = text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")


def is_there(connection: Connection) -> bool:
    """Whether there is one, of this version."""
    return dict(_found(connection)) == TRIGGERS


def make(connection: Connection, database: str) -> None:
    """Makes it, unless it is there; in the transaction that `connection` is in. `database`: its name, for people."""
    is_possible = can_be_made(connection)
    if not (is_possible and is_there(connection)):
        for name, _ in _found(connection):
            connection.exec_driver_sql(f"DROP TRIGGER {name}")
        if not is_possible:
            log.warning("searches take longer: Python's SQLite has no FTS5 with trigrams; use SQLite 3.34 or newer")
            return
        _make(connection, database)
    for table in TABLES:
        kept = connection.exec_driver_sql(f"SELECT k, v FROM {table}_config")  # noqa: S608 -- names of TABLES  # nosec B608
        # Nothing is written without need: a gateway also starts on a full disk.
        for setting, value in SETTINGS.items() - {(name, value) for name, value in kept}:
            connection.exec_driver_sql(f"INSERT INTO {table} ({table}, rank) VALUES ('{setting}', {value})")  # noqa: S608 -- TABLES, SETTINGS  # nosec B608


def _make(connection: Connection, database: str) -> None:
    if connection.scalar(text(HAS_NAMES)):
        log.info(MAKING, database)
    for table, columns in TABLES.items():
        connection.exec_driver_sql(f"DROP TABLE IF EXISTS {table}")
        connection.exec_driver_sql(
            f"CREATE VIRTUAL TABLE {table} USING fts5({columns}, tokenize = 'trigram case_sensitive 1', columnsize = 0)"
        )
    for table, added in _ADDED.items():
        connection.exec_driver_sql(f"{added.format(row=table)} JOIN {table} ON documents.id = {table}.document_id")
    for statement in TRIGGERS.values():
        connection.exec_driver_sql(statement)


def merge(connection: sqlite3.Connection, names: int) -> None:
    """Merges some segments, if there is an index of this version, in the transaction that has added `names`. Blocking:
    some milliseconds; longer for a trigram that very many names have. A merge that fails, such as on a full disk, is
    undone, and the transaction goes on.

    Raises sqlite3.Error if SQLite has ended the transaction.
    """
    if {name: sql for name, sql in connection.execute(_THERE.text) if name in TRIGGERS} != TRIGGERS:
        return
    pages = min(max(STEP, 2 * names), MOST)
    connection.execute("SAVEPOINT merge")
    try:
        for table in TABLES:
            connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', {pages})")  # noqa: S608 -- TABLES, a number  # nosec B608
    except sqlite3.Error as error:
        if not connection.in_transaction:
            raise
        connection.execute("ROLLBACK TO merge")
        if is_damage(error):
            give_up(connection.execute)
        else:
            log.warning("searches of names may take longer: SQLite could not merge its index of names: %s", error)
    connection.execute("RELEASE merge")


def is_damage(error: BaseException | None) -> bool:
    """Whether SQLite says that a full-text table is damaged. There are no others than the index's."""
    return getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_CORRUPT_VTAB


def give_up(execute: Callable[[str], object]) -> None:
    """Drops the triggers of a damaged index, so that names are written and found without it."""
    log.error(
        "the index of parts of names in the database is damaged, so searches take longer; start the gateway again to "
        "make the index again"
    )
    for name in TRIGGERS:
        execute(f"DROP TRIGGER IF EXISTS {name}")


@contextmanager
def without_triggers(connection: Connection) -> Iterator[None]:
    """Takes the triggers away for the block, which changes tables: SQLite renames no table and drops no column while a
    trigger names a table that is not there, or that column. The block adds no transfers and no received documents.
    """
    found = _found(connection)
    for name, _ in found:
        connection.exec_driver_sql(f"DROP TRIGGER {name}")
    yield
    for _, sql in found:
        connection.exec_driver_sql(sql)


def _found(connection: Connection) -> list[tuple[str, str]]:
    """Our triggers, each with its text."""
    return [(name, sql) for name, sql in connection.execute(_THERE) if name in TRIGGERS]


def can_be_made(connection: Connection) -> bool:
    """Whether Python's SQLite has FTS5 with trigrams."""
    has_module = connection.scalar(text("SELECT count(*) FROM pragma_module_list WHERE name = 'fts5'"))
    return bool(has_module) and sqlite3.sqlite_version_info >= (3, 34)
