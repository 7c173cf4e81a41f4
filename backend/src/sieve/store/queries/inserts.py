"""Insertions whose text is compiled once. SQLAlchemy takes longer to prepare many values than SQLite to store them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Dialect, Insert
from sqlalchemy.dialects import sqlite
from sqlalchemy.ext.asyncio import AsyncSession


class CompiledInsert:
    """An insertion of these columns, in this order."""

    def __init__(self, statement: Insert, columns: Sequence[str]) -> None:
        self._statement, self._columns = statement, [*columns]
        self._texts = {"sqlite": self._text(sqlite.dialect())}

    async def run(self, session: AsyncSession, rows: Sequence[tuple[Any, ...]]) -> None:
        """Inserts each row. The driver gets the values as they are."""
        await session.run_sync(lambda on: self._run(on.connection(), rows))

    def _run(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
        dialect = connection.dialect
        text = self._texts.get(dialect.name)
        if text is None:
            text = self._texts[dialect.name] = self._text(dialect)
        connection.exec_driver_sql(text, rows)

    def _text(self, dialect: Dialect) -> str:
        compiled = self._statement.compile(dialect=dialect, column_keys=self._columns)
        if compiled.positiontup != self._columns:
            raise AssertionError("the statement has its values in another order")
        return str(compiled)
