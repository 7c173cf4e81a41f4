"""Texts without the difference of cases: what a search compares. SQLite knows the cases of ASCII letters alone."""

import unicodedata
from typing import Final

from sqlalchemy import String, func
from sqlalchemy.orm import InstrumentedAttribute
from sqlalchemy.sql import ColumnElement

from sieve.store.dialect import place_of

FUNCTION: Final = "sieve_folded"
"""`folded_or_null` under the name by which a statement calls it: see `sieve.store.database`."""


def folded(text: str) -> str:
    """`text` as it is compared: cases and ways to write a letter do not count."""
    return unicodedata.normalize("NFKC", text.casefold())


def folded_or_null(text: str | None) -> str | None:
    """`folded` for a column that may be null."""
    return None if text is None else folded(text)


def in_any_case(column: ColumnElement[str] | InstrumentedAttribute[str]) -> ColumnElement[str]:
    """The column as it is compared."""
    found: ColumnElement[str] = getattr(func, FUNCTION)(column, type_=String)
    return found


def contains(column: ColumnElement[str] | InstrumentedAttribute[str], part: str) -> ColumnElement[bool]:
    """Whether the column contains `part`, ignoring case. No character of `part` is a wildcard."""
    return place_of(in_any_case(column), folded(part)) > 0
