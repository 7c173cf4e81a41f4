"""A PostgreSQL server, and a migrated database on it for each test.

These tests are about what a server can do that a file cannot. `make test-cluster` runs the other tests of databases on
a server, too.
"""

from collections.abc import AsyncIterator, Iterator
from itertools import count

import pytest

from postgres_server import PostgresServer
from sieve.store.database import Database
from sieve.store.database_from_url import database_from_url

_numbers = count(1)


@pytest.fixture(scope="package")
def server() -> Iterator[PostgresServer]:
    server = PostgresServer.start()
    server.make_template("template_of_tests")
    yield server
    server.stop()


@pytest.fixture
async def address(server: PostgresServer) -> str:
    name = f"sieve_{next(_numbers)}"
    await server.execute(f"CREATE DATABASE {name} TEMPLATE template_of_tests OWNER gateway")
    return server.address(name)


@pytest.fixture
async def database(address: str) -> AsyncIterator[Database]:
    database = database_from_url(address)
    yield database
    await database.dispose()
