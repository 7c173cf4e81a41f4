"""Insertions whose text is compiled once. SQLAlchemy takes longer to prepare many values than SQLite to store them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Insert
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.dialect import dialect


def compiled_insert(statement: Insert, columns: Sequence[str]) -> str:
    """The text of an insertion of these columns, in this order."""
    compiled = statement.compile(dialect=dialect(), column_keys=columns)
    if compiled.positiontup != [*columns]:
        raise AssertionError("the statement has its values in another order")
    return str(compiled)


async def insert_rows(session: AsyncSession, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Runs a compiled insertion for each row. The driver gets the values as they are."""
    await session.run_sync(lambda on: on.connection().exec_driver_sql(statement, rows))
