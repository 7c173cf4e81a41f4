"""`sieve export`: writes a table of any SQL database as .csv, and the marks of its classified columns.

Invariant: different values are different in the file. NULL is an empty cell and the empty text a quoted one, as
PostgreSQL writes them. In a table of one column both are `""`, because an empty line would not be a row. Values are
written as the driver returns them: bytes as \\x and hexadecimal digits, dates and times in ISO 8601, lists and objects
as JSON, booleans as true and false.

A driver's error may contain a row or a password. So only the kind of the error is shown, and of connection errors the
text without the password.
"""

import csv
import datetime
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from sieve.cli.errors import BadInput, Failed
from sieve.cli.files import STANDARD_STREAM, read_source, write_target
from sieve.cli.options import Json
from sieve.cli.written_file import show_written

if TYPE_CHECKING:
    from sqlalchemy import ColumnClause, Engine, Executable

_AT_ONCE: Final = 1000
_PIECE: Final = 1 << 18
_NEEDS_QUOTES: Final = re.compile(r'[",\r\n]|^\ufeff')
_HEADING_NEEDS_QUOTES: Final = re.compile(r'[",;\t|\r\n]|^\ufeff|^sep=')
"""Characters that a reader may take for the delimiter, or for Excel's line that names it."""


def export(
    database_url: Annotated[
        str,
        typer.Option("--database-url", metavar="URL", help="The database, as an SQLAlchemy URL."),
    ],
    table: Annotated[str, typer.Option("--table", metavar="NAME", help="A table or view, or SCHEMA.NAME.")],
    classified_columns: Annotated[
        str,
        typer.Option(
            "--classified-columns",
            metavar="A,B",
            help="The classified columns; put a name with a comma in double quotes.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE.csv", help="The table file to write.")],
    marks_out: Annotated[
        Path | None,
        typer.Option(
            "--marks-out", metavar="MARKS.json", help="The marks file to write; by default FILE.csv.marks.json."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Export a table of an SQL database as a .csv file. Also write a marks file for its classified columns."""
    from sieve import marks_file
    from sieve.core.units import Mark
    from sieve.formats.tables.delimited import read_csv

    if str(out) == STANDARD_STREAM or (out.exists() and not out.is_file()):
        raise BadInput("--out must name a regular file, because the marks are made for its content")
    engine = _engine(database_url)
    try:
        names, select = _table(engine, table)
        classified = _named(classified_columns)
        for name in classified:
            if name not in names:
                raise BadInput(f"{table} has no column {name}; it has {', '.join(names)}")
        write_target(out, _csv(names, _rows(engine, select)))
    finally:
        engine.dispose()
    marks = [Mark(f"column/{name}", rule="export", reason="named by --classified-columns") for name in classified]
    try:
        data = read_source(str(out))
        spans = read_csv(data).spans(marks)
        marks_out = marks_out or out.with_name(f"{out.name}.marks.json")
        write_target(marks_out, marks_file.dump("csv", data, marks, spans))
    except BaseException:
        # Without its marks, the table would look as if nothing in it were classified.
        out.resolve().unlink(missing_ok=True)  # the file, not a link to it
        raise
    sizes = {"bytes": len(data), "classified_bytes": spans.classified_size}
    show_written(out, as_json=as_json, marks_file=str(marks_out), **sizes)


def _named(columns: str) -> list[str]:
    """The names in the option, which is a line of .csv."""
    try:
        names = next(csv.reader([columns], skipinitialspace=True, strict=True), [])
    except csv.Error:
        raise BadInput(
            'the names of --classified-columns cannot be read; write a name with a comma or a quote as "last, first"'
        ) from None
    return [name for name in map(str.strip, names) if name]


def _engine(database_url: str) -> "Engine":
    from sqlalchemy import create_engine, make_url
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError

    try:
        url = make_url(database_url)
        # A plain file can be read by its own driver; the gateway's setting names the asynchronous one.
        if url.drivername == "sqlite+aiosqlite":
            url = url.set(drivername="sqlite")
        # SQLite would create a missing file.
        if url.get_backend_name() == "sqlite" and not (url.database and Path(url.database).is_file()):
            raise BadInput("the SQLite file does not exist; write sqlite:/// and its path")
        engine = create_engine(url, hide_parameters=True)
    except (ArgumentError, ValueError) as error:
        problem = "names an unknown kind of database" if isinstance(error, NoSuchModuleError) else "cannot be read"
        raise BadInput(
            f"the URL of the database {problem}; write it as dialect://user:password@host/database"
        ) from None
    except ImportError as error:
        raise Failed(f"the driver {error.name} is not installed here; install it beside sieve") from None
    if engine.dialect.is_async:
        raise BadInput("the URL names an asynchronous driver; name another, such as postgresql+psycopg")
    return engine


def _table(engine: "Engine", name: str) -> tuple[list[str], "Executable"]:
    """The columns of the table, and the query for its rows in the order of its primary key, if it has one."""
    from sqlalchemy import column, inspect, select, table
    from sqlalchemy.exc import SQLAlchemyError

    try:
        inspector = inspect(engine)
        there = [*inspector.get_table_names(), *inspector.get_view_names()]
        schema: str | None = None
        if name not in there and "." in name:
            schema, _, name = name.partition(".")
            there = []
            if schema in inspector.get_schema_names():
                there = [*inspector.get_table_names(schema), *inspector.get_view_names(schema)]
        if name not in there:
            raise BadInput(f"the database has no table {name}; it has {', '.join(sorted(there)) or 'none'}")
        names = [found["name"] for found in inspector.get_columns(name, schema)]
        key = inspector.get_pk_constraint(name, schema)["constrained_columns"]
    except SQLAlchemyError as error:
        raise _unreachable(engine, error) from None
    # Columns without a type: otherwise SQLAlchemy rounds SQLite's decimals, and fails at invalid dates.
    columns: list[ColumnClause[Any]] = [column(name) for name in names]
    return names, select(*columns).select_from(table(name, schema=schema)).order_by(*map(column, key))


def _rows(engine: "Engine", select: "Executable") -> Iterator[Sequence[Any]]:
    from sqlalchemy.exc import SQLAlchemyError

    try:
        with engine.connect() as connection:
            yield from connection.execution_options(yield_per=_AT_ONCE).execute(select)
    except SQLAlchemyError as error:
        raise Failed(f"the rows cannot be read: the database reports {_kind(error)}") from None


def _csv(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[bytes]:
    alone = len(names) == 1
    lines = [",".join(map(_heading, names))]
    size = 0
    for row in rows:
        line = ",".join(_cell(value, alone) for value in row)
        lines.append(line)
        size += len(line)
        if size > _PIECE:
            yield _encoded(lines)
            lines, size = [], 0
    yield _encoded(lines)


def _encoded(lines: Sequence[str]) -> bytes:
    try:
        return "".join(f"{line}\r\n" for line in lines).encode()
    except UnicodeEncodeError:
        raise Failed("the table has text that is not Unicode and cannot be written as UTF-8") from None


def _heading(name: str) -> str:
    return _quoted(name) if not name or _HEADING_NEEDS_QUOTES.search(name) else name


def _cell(value: object, alone: bool) -> str:
    text = _text(value)
    if (text == "" and (value is not None or alone)) or _NEEDS_QUOTES.search(text):
        return _quoted(text)
    return text


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case bytes() | bytearray() | memoryview():
            return "\\x" + bytes(value).hex()
        case datetime.date() | datetime.time():
            return value.isoformat()
        case list() | tuple() | dict():
            return json.dumps(value, ensure_ascii=False, default=str)
        case _:
            return str(value)


def _unreachable(engine: "Engine", error: Exception) -> Failed:
    said = str(getattr(error, "orig", None) or "").strip().split("\n")[0]
    url = engine.url
    # Some drivers also take a password from the query.
    for secret in filter(None, (url.password, *url.normalized_query.get("password", ()))):
        said = said.replace(str(secret), "***")
    where = f"{url.database or ''} at {url.host}" if url.host else url.database or ""
    return Failed(f"the database {where} cannot be read: {said or _kind(error)}")


def _kind(error: Exception) -> str:
    return type(getattr(error, "orig", None) or error).__name__
