"""What a gateway's PostgreSQL database has besides the tables of the models: three functions and a table of units.

The functions do what SQLite gets as Python functions. They are made again when this program, or its Python, has another
version of them.
"""

import sys
import unicodedata
from collections.abc import Callable
from typing import Final

from sqlalchemy import Connection, text

from sieve.store import bucket_counts, case_folding

UNITS: Final = "sieve_units"
"""A row for each process that writes, with the number of its last unit. `state`: "holds" of one that has the
gateway's lock, "beats" if it also has a heartbeat, "ended" once another one has had the lock; NULL of others. `schema`:
the last step of the version that runs there. Replicas of two versions use this table and the functions: change them
only so that the version before can go on."""

_UNITS_TABLE: Final = f"""
CREATE TABLE IF NOT EXISTS {UNITS} (
    writer text PRIMARY KEY,
    unit bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
)
"""
_COLUMNS: Final = f"ALTER TABLE {UNITS} ADD COLUMN IF NOT EXISTS state text, ADD COLUMN IF NOT EXISTS schema text"

# Both arguments are pairs of a bucket (2 bytes) and a count (4 bytes), little-endian.
_ADDED_COUNTS: Final = f"""
CREATE OR REPLACE FUNCTION {bucket_counts.FUNCTION}(one bytea, other bytea) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
SELECT CASE WHEN one = '' THEN other WHEN other = '' THEN one ELSE (
    SELECT string_agg(
        set_byte(set_byte(set_byte(set_byte(set_byte(set_byte('\\x000000000000'::bytea,
            0, bucket & 255), 1, bucket >> 8),
            2, (n & 255)::int), 3, ((n >> 8) & 255)::int), 4, ((n >> 16) & 255)::int), 5, ((n >> 24) & 255)::int),
        ''::bytea ORDER BY bucket)
    FROM (
        SELECT get_byte(b, i) + (get_byte(b, i + 1) << 8) AS bucket,
            sum(get_byte(b, i + 2) + (get_byte(b, i + 3) << 8) + (get_byte(b, i + 4) << 16)
                + (get_byte(b, i + 5)::bigint << 24))::bigint AS n
        FROM (SELECT one || other AS b) AS both_together, generate_series(0, octet_length(b) - 6, 6) AS i
        GROUP BY 1
    ) AS counted
) END
$$
"""  # noqa: S608 -- our name  # nosec B608

_LETTERS: Final = f"{case_folding.FUNCTION}_letters"
# Not STRICT, so that PostgreSQL puts it into the statement: a call for each name would make a search of ASCII names a
# hundred times slower. Of null it makes null all the same. It names the other one with its schema: PostgreSQL makes
# indexes, and pg_restore everything, without a search path.
_FOLDED: Final = f"""
CREATE OR REPLACE FUNCTION {case_folding.FUNCTION}(it text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT CASE WHEN octet_length(it) = char_length(it) THEN lower(it COLLATE "C") ELSE {{schema}}.{_LETTERS}(it) END
$$
"""


def make(connection: Connection) -> None:
    """Makes what is missing, or is of another version."""
    connection.execute(text(_UNITS_TABLE))
    connection.execute(text(_COLUMNS))
    connection.execute(text(f"DELETE FROM {UNITS} WHERE at < now() - interval '7 days'"))  # noqa: S608 -- our name  # nosec B608
    schema = connection.scalar(text("SELECT quote_ident(current_schema())"))
    wanted: tuple[tuple[str, str, Callable[[], str]], ...] = (
        (f"{bucket_counts.FUNCTION}(bytea, bytea)", "1", lambda: _ADDED_COUNTS),
        (f"{_LETTERS}(text)", f"1, Unicode {unicodedata.unidata_version}", _folded_letters),
        (f"{case_folding.FUNCTION}(text)", "3", lambda: _FOLDED.format(schema=schema)),
    )
    for called, version, statement in wanted:
        there = text("SELECT obj_description(to_regprocedure(:called), 'pg_proc')")
        if connection.scalar(there, {"called": called}) != version:
            connection.exec_driver_sql(statement())
            connection.exec_driver_sql(f"COMMENT ON FUNCTION {called} IS '{version}'")


def _folded_letters() -> str:
    """`case_folding.folded` of texts that have more than ASCII. Python's mapping of letters is written into it, so that
    nothing depends on the server's locale.
    """
    single: dict[str, str] = {}
    several: dict[str, str] = {}
    for code in range(128, sys.maxunicode + 1):
        if 0xD800 <= code < 0xE000:
            continue
        letter = chr(code)
        if (other := letter.casefold()) != letter:
            (single if len(other) == 1 else several)[letter] = other
    of_others = f"translate(it, '{''.join(single)}{_CAPITALS}', '{''.join(single.values())}{_CAPITALS.lower()}')"
    of_all = of_others
    for letter, other in several.items():
        of_all = f"replace({of_all}, '{letter}', '{other}')"
    return f"""
CREATE OR REPLACE FUNCTION {_LETTERS}(it text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
SELECT CASE
    WHEN it ~ '[{"".join(several)}]' THEN normalize({of_all}, NFKC)
    ELSE normalize({of_others}, NFKC)
END
$$
"""


_CAPITALS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
