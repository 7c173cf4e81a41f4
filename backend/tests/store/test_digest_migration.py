"""An upgrade removes the digests of plain streams that are sealed, and keeps the others."""

import sqlite3
from pathlib import Path

from databases import url
from sieve.store.database_from_url import database_from_url
from store.test_database import upgraded_to


async def test_digests_of_sealed_streams_are_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "sieve.db"
    with sqlite3.connect(path) as old:
        upgraded_to("0057", old)
        old.execute("PRAGMA foreign_keys=OFF")
        for kind in ("plain", "sealed"):
            old.execute(
                "INSERT INTO blobs (id, kind, owner, purpose, size, created_at_ns)"
                " VALUES (?, ?, 'd', 'document', 1, 1)",
                (kind, kind),
            )
            old.execute(
                "INSERT INTO documents (id, owner_id, origin, name, media_type, size, classified_size, plain_digest,"
                " plain_blob_id, sealed_blob_id, sieve_ns, created_at_ns)"
                " VALUES (?, 'u', 'authored', 'a', 'text/plain', 1, 0, ?, ?, 'sealed', 1, 1)",
                (kind, f"of a {kind} stream", kind),
            )
    old.close()
    assert b"of a sealed stream" in path.read_bytes()
    database = database_from_url(url(path))
    await database.migrate()
    await database.dispose()
    with sqlite3.connect(path) as found:
        rows = found.execute("SELECT id, plain_digest FROM documents ORDER BY id").fetchall()
        found.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    found.close()
    assert rows == [("plain", "of a plain stream"), ("sealed", "")]
    assert not any(b"of a sealed stream" in each.read_bytes() for each in tmp_path.iterdir())
