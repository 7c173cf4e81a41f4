"""Lets no test process wait until the disk has what was written: only a loss of power would make a difference.

Tests of the web API and of two gateways waited some twenty times each, for milliseconds. Gateways in processes of their
own do wait.
"""

import os
import sqlite3
from typing import Final
from unittest import mock

from sieve.store import sqlite_database

GATEWAYS_SET_UP: Final = sqlite_database.set_up
"""How a gateway sets up a connection to SQLite."""


def skip() -> None:
    """From now on, what is written stays with the operating system, which a killed process does not change."""

    def set_up(connection: sqlite3.Connection) -> None:
        GATEWAYS_SET_UP(connection)
        connection.execute("PRAGMA synchronous=OFF")

    mock.patch.object(sqlite_database, "set_up", set_up).start()
    # A descriptor that is not open is still an error.
    mock.patch.object(os, "fsync", lambda file: os.fstat(file if isinstance(file, int) else file.fileno())).start()
