"""PostgreSQL's index of parts of names: two indexes of trigrams, of the extension pg_trgm.

They are made at a start, by one replica, outside a transaction, so that the others go on meanwhile. The extension is
trusted: the owner of a database may create it, if the server has it. If not, there is no index.
"""

import logging
from typing import Final

import asyncpg
from sqlalchemy import Connection, text

from sieve.store.case_folding import FUNCTION
from sieve.store.name_index import HAS_NAMES, MAKING, VERSION
from sieve.store.postgres_advisory_locks import NAMES

log = logging.getLogger(__name__)

INDEXES: Final = {
    "ix_documents_name_parts": ("documents", "name"),
    "ix_received_sender_name_parts": ("received", "sender_name"),
}
"""Each with its table and column."""

_IS_THERE: Final = (
    f"SELECT count(*) = 2 FROM pg_index WHERE indisvalid AND obj_description(indexrelid, 'pg_class') = '{VERSION}' "  # noqa: S608 -- our version  # nosec B608
    "AND indexrelid IN (to_regclass('ix_documents_name_parts'), to_regclass('ix_received_sender_name_parts'))"
)
_SCHEMA: Final = """
SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
WHERE extname = 'pg_trgm'
"""
_PATIENCE_S: Final = 20
"""How long it waits for others, such as pg_dump, that have read the tables since before it began."""


def is_there(connection: Connection) -> bool:
    """Whether there is one, whole, and of this version."""
    return connection.scalar(text(_IS_THERE)) is True


def estimated(connection: Connection, index: str, like: str) -> int:
    """How many names the server believes to be like that, by its statistics; it reads none."""
    table, column = INDEXES[index]
    asked = text(f"EXPLAIN (FORMAT JSON) SELECT FROM {table} WHERE {FUNCTION}({column}) LIKE :like")  # our names  # nosec B608
    [explained] = connection.scalar(asked, {"like": like})
    rows: int = explained["Plan"]["Plan Rows"]
    return rows


async def make(connection: asyncpg.Connection, database: str) -> None:
    """Makes it unless it is there, or says in the log why it cannot. Does nothing while another replica makes it.
    `connection`: outside a transaction, and closed afterwards. `database`: its name, for people.
    """
    if not await connection.fetchval(f"SELECT pg_try_advisory_lock({NAMES})"):
        return
    try:
        if await connection.fetchval(_IS_THERE):  # another replica has just made it
            return
        await connection.execute(f"SET statement_timeout = 0; SET lock_timeout = '{_PATIENCE_S}s'")
        await connection.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        if await connection.fetchval(HAS_NAMES):
            log.info(MAKING, database)
        operators = f"{await connection.fetchval(_SCHEMA)}.gin_trgm_ops"
        for index, (table, column) in INDEXES.items():
            await connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {index}")
            await connection.execute(
                f"CREATE INDEX CONCURRENTLY {index} ON {table} USING gin ({FUNCTION}({column}) {operators})"
            )
            await connection.execute(f"COMMENT ON INDEX {index} IS '{VERSION}'")
    except asyncpg.PostgresError as error:
        log.warning(
            "searches in the database %s take longer, because it has no index of parts of names (%s); give its server "
            "the extension pg_trgm, and start the gateway again",
            database,
            error.args[0],
        )
