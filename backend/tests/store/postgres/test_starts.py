"""What a start says if it cannot use its PostgreSQL database."""

import pytest

from postgres_server import PostgresServer
from sieve.store.database_from_url import database_from_url
from sieve.store.errors import DatabaseBusy, DatabaseUnusable, DatabaseUnwritable
from store.postgres.users import names, write


async def said(address: str) -> str:
    """The one line of a start that cannot succeed."""
    database = database_from_url(address)
    with pytest.raises((DatabaseUnusable, DatabaseBusy, DatabaseUnwritable)) as caught:
        await database.migrate()
    await database.dispose()
    line = str(caught.value)
    assert "\n" not in line and "geheim" not in line and "asyncpg" not in line.replace("postgresql+asyncpg", "")
    return line


async def test_what_a_start_says(server: PostgresServer) -> None:
    at = f"host={server.folder}&port={server.port}"
    await server.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0 OWNER gateway")
    await server.execute("CREATE DATABASE of_others")
    assert "does not exist; make it" in await said(server.address("nowhere"))
    assert "make that user its owner" in await said(server.address("of_others"))
    assert "has the encoding LATIN1" in await said(server.address("latin"))
    assert "refuses the user or the password" in await said(f"postgresql+asyncpg://nobody:geheim@/of_others?{at}")
    assert "cannot be used at the moment: No such file or directory" in await said(
        "postgresql+asyncpg://u:geheim@/d?host=/none"
    )
    assert "cannot be used at the moment: " in await said("postgresql+asyncpg://u:geheim@127.0.0.1:1/d")
    assert "sslmode" in await said("postgresql+asyncpg://u:geheim@127.0.0.1:1/d?sslmode=nonsense")
    assert "root certificate" in await said("postgresql+asyncpg://u:geheim@db.example.org/d")
    assert "cannot be read" in await said("postgresql+asyncpg://u@127.0.0.1:geheim/d")
    await server.execute("CREATE DATABASE newer TEMPLATE template_of_tests OWNER gateway")
    newer = await server.connect("newer")
    await newer.execute("UPDATE alembic_version SET version_num = '9999'")
    await newer.close()
    assert "was written by a newer version of Security Sieve (its schema is 9999" in await said(server.address("newer"))
    theirs = await server.connect("of_others")
    await theirs.execute("ALTER DATABASE of_others OWNER TO gateway")
    await theirs.execute("CREATE TABLE songs (title text)")
    await theirs.close()
    assert "belongs to another program" in await said(server.address("of_others"))


async def test_a_server_without_free_connections_says_so(server: PostgresServer, address: str) -> None:
    await server.execute("ALTER ROLE gateway CONNECTION LIMIT 0")
    assert "its server has no connection left: raise max_connections there" in await said(address)
    await server.execute("ALTER ROLE gateway CONNECTION LIMIT -1")


async def test_a_read_only_server_says_so(server: PostgresServer, address: str) -> None:
    await server.execute(
        f"ALTER DATABASE {address.split('/')[3].partition('?')[0]} SET default_transaction_read_only = on"
    )
    database = database_from_url(address)
    with pytest.raises(DatabaseUnwritable, match="its server is read-only"):
        await write(database, "anna")
    assert await names(database) == []
    await database.dispose()


async def test_a_standby_says_so(server: PostgresServer, address: str) -> None:
    with server.as_standby():
        line = await said(address)
    assert "is on a server that only follows another (a standby, in recovery); set SIEVE_DATABASE_URL to the" in line
    database = database_from_url(address)
    await database.migrate()
    await database.dispose()
