"""People as a CSV file: what `GET /people/export` writes and `POST /people/import` reads.

The first row names the columns, in any order and case. The separator is a comma or, as Excel writes it in many
countries, a semicolon. The text is UTF-8 with or without a byte order mark.
"""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from sieve.store.models import User
from sieve.web.csv_cells import cell, text_of
from sieve.web.errors import MalformedRequest

COLUMNS: Final = ("login", "name", "unit", "mail", "roles", "cleared", "disabled")
MAX_BYTES: Final = 1_000_000
MAX_ROWS: Final = 10_000
ROLES: Final = ("author", "recipient", "admin")
_WORDS: Final = re.compile(r"[\s,;+|]+")
_YES_OR_NO: Final = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False, "": False}


class CsvRow(NamedTuple):
    """A row of the file. `line`: where it begins, from 1. `cells`: by column; only those that the file has."""

    line: int
    cells: Mapping[str, str]
    fault: str | None = None


def cells_of(person: User) -> dict[str, str]:
    """A person's cells: the canonical form, in which two accounts are compared."""
    return {
        "login": person.name,
        "name": person.display_name,
        "unit": person.unit or "",
        "mail": person.email or "",
        "roles": " ".join(role for role in ROLES if getattr(person, f"is_{role}")),
        "cleared": "yes" if person.cleared else "no",
        "disabled": "yes" if person.disabled_at_ns is not None else "no",
    }


def written(people: Iterable[User]) -> bytes:
    """The file of these people. It begins with a byte order mark, without which Excel guesses another encoding."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    writer.writerows([cell(value) for value in cells_of(person).values()] for person in people)
    return out.getvalue().encode("utf-8-sig")


def read(body: bytes) -> Sequence[CsvRow]:
    """The rows of a file; empty ones are left out.

    Raises:
        MalformedRequest: the file as a whole cannot be used.
    """
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise MalformedRequest("the file is not UTF-8; save it as “CSV UTF-8” and try again") from None
    # The newline argument: a quoted cell may contain line ends, which stay as they are.
    lines = io.StringIO(text, newline="")
    semicolons = lines.readline()
    delimiter = ";" if semicolons.count(";") > semicolons.count(",") else ","
    lines.seek(0)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    rows: list[CsvRow] = []
    try:
        columns = _columns(next(reader, []))
        line = reader.line_num + 1
        for cells in reader:
            if any(text.strip() for text in cells):
                rows.append(_row(line, columns, cells))
            if len(rows) > MAX_ROWS:
                raise MalformedRequest(f"the file has more than {MAX_ROWS:,} people; divide it")
            line = reader.line_num + 1
    except csv.Error as error:
        raise MalformedRequest(f"line {reader.line_num} is not CSV: {error}") from None
    if not rows:
        raise MalformedRequest("the file has no people: there is no row below the column names")
    return rows


def roles_of(text: str) -> Mapping[str, bool]:
    """Which roles a cell names. Raises ValueError if it names something else."""
    named = set(_WORDS.split(text.strip().lower())) - {""}
    if unknown := named - set(ROLES):
        raise ValueError(f"“{min(unknown)[:40]}” is not a role; the roles are author, recipient and admin")
    return {role: role in named for role in ROLES}


def yes_or_no(text: str) -> bool:
    """Raises ValueError if it is neither."""
    try:
        return _YES_OR_NO[text.strip().lower()]
    except KeyError:
        raise ValueError("write yes or no") from None


def _columns(heading: Sequence[str]) -> Sequence[str]:
    columns = [name.strip().lower() for name in heading]
    while columns and not columns[-1]:
        columns.pop()
    known = ", ".join(COLUMNS)
    for name in columns:
        if "password" in name:
            raise MalformedRequest(
                "the file has a column of passwords; remove it: new people set their own with a one-time link"
            )
        if name not in COLUMNS:
            raise MalformedRequest(f"“{name[:40]}” is not a column; the columns are {known}")
        if columns.count(name) > 1:
            raise MalformedRequest(f"the column {name} is there twice")
    if "login" not in columns:
        raise MalformedRequest(f"the first row names no column login; the columns are {known}")
    return columns


def _row(line: int, columns: Sequence[str], cells: Sequence[str]) -> CsvRow:
    found = {name: text_of(text.strip()) for name, text in zip(columns, cells, strict=False)}
    if len(cells) < len(columns) or any(text.strip() for text in cells[len(columns) :]):
        return CsvRow(line, found, f"it has {len(cells)} cells, but the first row names {len(columns)} columns")
    return CsvRow(line, found)
