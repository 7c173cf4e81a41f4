"""Makes the tables of a new SQLite database at once: all steps of `migrations` would take most of a second.

`write_new_database` writes `new_sqlite.sql` from the steps. A test compares both.
"""

from pathlib import Path
from typing import Final

from sqlalchemy import Connection, text

FILE: Final = Path(__file__).with_name("new_sqlite.sql")
END: Final = ";\n"


def make_tables(connection: Connection) -> None:
    """Makes this version's tables and first rows in an empty database, in the transaction that `connection` is in."""
    for statement in FILE.read_text().split(END)[:-1]:
        connection.exec_driver_sql(statement)


def statements(connection: Connection) -> list[str]:
    """What makes the tables and rows of a SQLite database."""
    made = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY rowid"
    found = [(str(name), str(sql)) for name, sql in connection.execute(text(made))]
    rows: list[str] = []
    for name, sql in found:
        if sql.startswith("CREATE TABLE"):
            columns = [f"quote({column[1]})" for column in connection.exec_driver_sql(f'PRAGMA table_info("{name}")')]
            values = " || ', ' || ".join(columns)
            # Ruff (S608) and bandit (B608) warn of names in statements: these are of our own tables and columns, which
            # the migrations have just made.
            select = f'SELECT {values} FROM "{name}"'  # noqa: S608 -- our names  # nosec B608
            written = connection.exec_driver_sql(select).scalars()
            # SQLite's quote() wrote the values, which are the migrations' own, too.
            rows += [f'INSERT INTO "{name}" VALUES ({row})' for row in written]  # noqa: S608 -- our names  # nosec B608
    return [*(sql for _, sql in found), *rows]
