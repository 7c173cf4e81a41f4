"""Updates rows on a condition, in one statement, so that nothing can change between the check and the update.

Rows that the session has loaded are reloaded: SQLAlchemy's own ways to bring them up to date leave out columns that
were not set when a row was made.
"""

from typing import Any, Final

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm.util import identity_key
from sqlalchemy.sql import ColumnElement

from sieve.store.models import Base

RELOADED: Final = {"synchronize_session": False, "populate_existing": True}


async def update_where(session: AsyncSession, table: type[Base], *which: ColumnElement[bool], **values: Any) -> int:
    """Sets `values` in the rows for which all of `which` holds; returns how many there were."""
    statement = update(table).where(*which).values(**values).returning(table).execution_options(**RELOADED)
    return len((await session.scalars(statement)).all())


async def reload_row(session: AsyncSession, table: type[Base], key: str) -> None:
    """Reloads a row that was changed outside the session, if the session has loaded it."""
    loaded = session.sync_session.identity_map.get(identity_key(table, key))
    if loaded is not None:
        await session.refresh(loaded)
