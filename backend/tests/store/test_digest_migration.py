"""An upgrade removes the digests of plain streams that are sealed, and keeps the others."""

from pathlib import Path

from databases import by_hand, stored, url
from sieve.store.database_from_url import database_from_url
from store_rows import a_document, a_user, plain_ref, sealed_ref


async def test_digests_of_sealed_streams_are_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "sieve.db"
    database = database_from_url(url(path))
    await database.migrate()
    async with database.write() as session:
        user = await a_user(session)
        for name, ref in (("plain", plain_ref()), ("sealed", sealed_ref())):
            document = await a_document(session, user, name, refs=(ref, sealed_ref()))
            document.plain_digest = f"of a {name} stream"
    await database.dispose()
    with by_hand(path) as connection:
        connection.execute("ALTER TABLE passkeys DROP COLUMN needs_password")  # the only one that came later
        connection.execute("UPDATE alembic_version SET version_num = '0057'")
    assert b"of a sealed stream" in stored(path)

    database = database_from_url(url(path))
    await database.migrate()
    await database.dispose()
    with by_hand(path) as connection:
        rows = connection.execute("SELECT name, plain_digest FROM documents ORDER BY name")
    assert rows == [("plain", "of a plain stream"), ("sealed", "")]
    assert b"of a sealed stream" not in stored(path)
