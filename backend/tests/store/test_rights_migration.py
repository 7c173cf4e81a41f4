"""An upgrade keeps what was locked, or arrived before clearance, and which factors are newer than a reset."""

import sqlite3
from pathlib import Path
from typing import Any

from databases import url
from sieve.store.database_from_url import database_from_url
from store.test_database import upgraded_to

CLEARED, RESET, LOCKED = 20, 30, 40
"""When the person was cleared, reset first, and locked last."""


async def test_marks_replace_times(tmp_path: Path) -> None:
    path = tmp_path / "sieve.db"
    with sqlite3.connect(path) as old:
        upgraded_to("0043", old)
        old.execute("PRAGMA foreign_keys=OFF")

        def insert(table: str, **values: Any) -> None:
            columns = {
                column: 0
                for _, column, _, not_null, default, _ in old.execute(f"PRAGMA table_info({table})")
                if not_null and default is None
            }
            columns |= values
            names, places = ", ".join(columns), ", ".join("?" * len(columns))
            old.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", list(columns.values()))  # noqa: S608

        times = {"cleared_since_ns": CLEARED, "first_reset_at_ns": RESET, "locked_before_ns": LOCKED}
        insert("users", id="u", name="u", **times)
        insert("users", id="free", name="free")
        for at in (19, 20, 39, 40):
            insert("inbox", id=at, user_id="u", received_id=at, created_at_ns=at)
            insert("drafts", id=at, owner_id="u", created_at_ns=at)
            insert("documents", id=at, owner_id="u", origin="authored", created_at_ns=at)
        insert("inbox", id="free", user_id="free", received_id=19, created_at_ns=19)
        for owner, at in (("u", 29), ("u", 30), ("free", 50)):
            insert("passkeys", id=f"{owner}{at}", user_id=owner, credential_id=f"{owner}{at}", created_at_ns=at)
            insert("recovery_codes", hash=f"{owner}{at}", user_id=owner, created_at_ns=at)
        insert("authenticator_apps", user_id="u", created_at_ns=29, confirmed_at_ns=30)
    old.close()
    database = database_from_url(url(path))
    await database.migrate()
    await database.dispose()
    with sqlite3.connect(path) as found:

        def marked(table: str, mark: str, key: str = "id") -> set[str]:
            rows = found.execute(f"SELECT {key} FROM {table} WHERE {mark}")  # noqa: S608 -- names of columns
            return {str(each) for (each,) in rows}

        assert marked("inbox", "before_clearance") == {"19"}
        for table in ("inbox", "drafts", "documents"):
            assert marked(table, "locked") == {"19", "20", "39"}, table
        assert marked("passkeys", "since_reset") == marked("recovery_codes", "since_reset", "hash") == {"u30"}
        assert marked("authenticator_apps", "since_reset", "user_id") == {"u"}
    found.close()
