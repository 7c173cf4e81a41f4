"""Compiles each SQL statement once for all databases of a test process.

SQLAlchemy keeps compiled statements for each engine, but few tests run a statement twice on their database: compiling
took a third of the processor time of the tests of two gateways.
"""

from collections.abc import Callable
from typing import Any, TypeVar
from unittest import mock

from sqlalchemy import create_engine
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.util import LRUCache

from sieve.store import postgres_database, sqlite_database

T = TypeVar("T")


class _Compiled(LRUCache[Any, Any]):
    """Every engine has its own dialect, which is part of a statement's key. Here dialects of one class are equal."""

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get((type(key[0]), *key[1:]), default)

    def __setitem__(self, key: Any, compiled: Any) -> None:
        super().__setitem__((type(key[0]), *key[1:]), compiled)


def share() -> None:
    """Makes all databases that are opened from now on share their compiled statements."""
    compiled = _Compiled(2000)

    def sharing(create: Callable[..., T]) -> Callable[..., T]:
        return lambda *where, **options: create(*where, **options, execution_options={"compiled_cache": compiled})

    mock.patch.object(sqlite_database, "create_engine", sharing(create_engine)).start()
    for module in (sqlite_database, postgres_database):
        mock.patch.object(module, "create_async_engine", sharing(create_async_engine)).start()
