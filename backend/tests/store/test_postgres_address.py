"""The address of a PostgreSQL database: over a network, the gateway verifies the server's certificate."""

import pytest

from sieve.store.postgres_address import secured

HERE = [
    "sieve:pw@localhost/sieve",
    "sieve:pw@LOCALHOST:5432/sieve",
    "sieve@127.0.0.1/sieve",
    "sieve@127.8.9.10:5432,localhost/sieve",
    "sieve@[::1]:5432/sieve",
    "/sieve?host=/run/postgresql",
    "/sieve?host=localhost",
]
ELSEWHERE = [
    "sieve:pw@db.example.org/sieve",
    "sieve@db.example.org:5432/sieve?application_name=x",
    "sieve@localhost.example.org/sieve",
    "sieve@127.example.org/sieve",
    "sieve@localhost,db.example.org/sieve",
    "sieve@[2001:db8::1]:5432/sieve",
    "/sieve?host=db.example.org",
]


@pytest.fixture(autouse=True)
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGSSLMODE", raising=False)


@pytest.mark.parametrize("rest", HERE)
def test_on_this_machine_the_address_stays(rest: str) -> None:
    address = f"postgresql+asyncpg://{rest}"
    assert secured(address) == address


@pytest.mark.parametrize("rest", ELSEWHERE)
def test_to_another_host_the_certificate_is_verified(rest: str) -> None:
    address = f"postgresql+asyncpg://{rest}"
    assert secured(address).startswith(address)
    assert secured(address).endswith("sslmode=verify-full")


def test_what_the_admin_chose_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = "postgresql+asyncpg://sieve@db.example.org/sieve?sslmode=require"
    assert secured(chosen) == chosen
    monkeypatch.setenv("PGSSLMODE", "require")
    assert (
        secured("postgresql+asyncpg://sieve@db.example.org/sieve") == "postgresql+asyncpg://sieve@db.example.org/sieve"
    )
