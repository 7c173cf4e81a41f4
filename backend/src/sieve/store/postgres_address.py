"""The address of a PostgreSQL database."""

import os
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

from sieve import addresses
from sieve.store.errors import DatabaseUnusable

SCHEME: Final = "postgresql+asyncpg://"
EXAMPLE: Final = "postgresql+asyncpg://sieve:PASSWORD@db.example.org/sieve"


def name_of(address: str) -> str:
    """The database and its server, without user and password.

    Raises:
        DatabaseUnusable: it cannot be read.
    """
    try:
        parts = urlsplit(address)
        given = parse_qs(parts.query)
        database = unquote(parts.path.lstrip("/")) or given.get("dbname", [""])[0]
        server = parts.netloc.rpartition("@")[2] or given.get("host", [""])[0]
    except ValueError:
        database = server = ""
    if not database or not server:
        raise DatabaseUnusable(f"the database's address cannot be read; example: {EXAMPLE}")
    return f"{database} at {server}"


def secured(address: str) -> str:
    """The address; to another host, it verifies the server's certificate unless it says otherwise."""
    parts = urlsplit(address)
    given = parse_qs(parts.query)
    hosts = parts.netloc.rpartition("@")[2] or given.get("host", [""])[0]
    if "sslmode" in given or "PGSSLMODE" in os.environ or all(map(_is_here, hosts.split(","))):
        return address
    # Not by urlunsplit, which loses the slashes of an address without a server.
    head, mark, fragment = address.partition("#")
    return f"{head}{'&' if '?' in head else '?'}sslmode=verify-full{mark}{fragment}"


def _is_here(host: str) -> bool:
    return host.startswith("/") or addresses.is_loopback(addresses.name_in(host))
