"""What statements write differently for SQLite and for PostgreSQL. Everything else is the same for both."""

from typing import Any, Final

from sqlalchemy import BigInteger, Boolean, Integer, LargeBinary, String, func
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import ColumnElement
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from sieve.store import bucket_counts

__all__ = ["added_counts", "greatest", "insert", "is_bytes", "is_number", "joined", "place_of", "text_of", "texts_of"]

# `insert` with ON CONFLICT: both compile PostgreSQL's.

WHOLE_NUMBER: Final = Integer().with_variant(BigInteger(), "postgresql")
"""The type of a number: any integer of 64 bits. SQLite has only one type of integers."""


class greatest(FunctionElement[int]):  # noqa: N801 -- read as a function
    """The greatest of several numbers. None if one of them is in SQLite; without those that are in PostgreSQL."""

    inherit_cache = True
    type = BigInteger()


class joined(FunctionElement[bytes]):  # noqa: N801 -- read as a function
    """Aggregate: the values of all rows, one after the other, in any order."""

    inherit_cache = True
    type = LargeBinary()


class text_of(FunctionElement[str]):  # noqa: N801 -- read as a function
    """Bytes of ASCII as a text."""

    inherit_cache = True
    type = String()


class texts_of(FunctionElement[str]):  # noqa: N801 -- read as a function
    """A subquery: the texts of a JSON list. However long the list is, it is one parameter."""

    inherit_cache = True
    type = String()


class place_of(FunctionElement[int]):  # noqa: N801 -- read as a function
    """Where the second text begins in the first one, from 1; 0 if it does not occur."""

    inherit_cache = True
    type = Integer()


class is_number(FunctionElement[bool]):  # noqa: N801 -- read as a function
    """Whether a column of whole numbers has one: SQLite stores values of any type."""

    inherit_cache = True
    type = Boolean()


class is_bytes(FunctionElement[bool]):  # noqa: N801 -- read as a function
    """Whether a column of bytes has some: SQLite stores values of any type."""

    inherit_cache = True
    type = Boolean()


_FORMS: Final[dict[type[FunctionElement[Any]], tuple[str, str]]] = {
    greatest: ("max({})", "greatest({})"),
    joined: ("CAST(group_concat({}, '') AS BLOB)", "string_agg({}, ''::bytea)"),
    text_of: ("CAST({} AS VARCHAR)", "convert_from({}, 'LATIN1')"),
    texts_of: ("(SELECT value FROM json_each({}))", "(SELECT json_array_elements_text(CAST({} AS json)))"),
    place_of: ("instr({})", "strpos({})"),
    is_number: ("(typeof({}) = 'integer')", "({} IS NOT NULL)"),
    is_bytes: ("(typeof({}) = 'blob')", "({} IS NOT NULL)"),
}
"""How SQLite and PostgreSQL write each."""


def _written(form: str) -> Any:
    def write(element: FunctionElement[Any], compiler: SQLCompiler, **options: Any) -> str:
        return form.format(", ".join(compiler.process(clause, **options) for clause in element.clauses))

    return write


for _element, (_sqlite, _postgresql) in _FORMS.items():
    compiles(_element, "sqlite")(_written(_sqlite))
    compiles(_element, "postgresql")(_written(_postgresql))


def added_counts(one: ColumnElement[bytes], other: ColumnElement[bytes]) -> ColumnElement[bytes]:
    """Two histograms added up."""
    called: ColumnElement[bytes] = getattr(func, bucket_counts.FUNCTION)(one, other, type_=LargeBinary)
    return called
