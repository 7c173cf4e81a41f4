"""Audit entries as a file, oldest first, as CSV or JSON Lines.

Each line of JSON has what the entry's link is made of (`linked`), the link of the entry before it and its own. So a
line proves itself, and adjacent lines prove each other; `sieve audit verify --export` also compares them with the
gateway's chain.
"""

import csv
import io
import json
from collections.abc import AsyncIterator, Callable
from typing import Any, Final, Literal, TypeAlias

from sieve.store.models import AuditEntry
from sieve.store.queries import audit as queries
from sieve.store.queries.audit import AuditFilter
from sieve.web.audit.schemas import AuditEntryShown
from sieve.web.csv_cells import cell
from sieve.web.services import Services

Format: TypeAlias = Literal["csv", "jsonl"]

MEDIA_TYPES: Final[dict[Format, str]] = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}
_HEADING: Final = ("at", "actor", "action", "subject", "details", "reason", "number", "link")


async def lines(services: Services, wanted: AuditFilter, form: Format, last: int) -> AsyncIterator[bytes]:
    """The lines of the file, some at a time. `last`: the number of the last entry that may be in it."""
    if form == "csv":
        yield _csv_line(_HEADING)
    show: Callable[[Services, AuditEntry, bytes], bytes] = _of_csv if form == "csv" else _of_json
    number = 0
    while True:
        # A session for each piece: a slow client must not keep one.
        async with services.database.browse() as session:
            found = await queries.linked(session, wanted, after=number, up_to=last)
        if not found:
            return
        yield b"".join(show(services, entry, before) for entry, before in found)
        number = found[-1][0].number


def _of_json(services: Services, entry: AuditEntry, before: bytes) -> bytes:
    shown = AuditEntryShown.of(services.audit, entry).model_dump(mode="json")
    return (json.dumps({"number": entry.number} | shown | _proof(entry, before), ensure_ascii=False) + "\n").encode()


def _proof(entry: AuditEntry, before: bytes) -> dict[str, Any]:
    try:
        linked = json.loads(json.dumps(queries.linked_members(queries.columns_of(entry))))
    except (TypeError, ValueError):  # damaged: SQLite stores values of any type
        linked = None
    return {"linked": linked, "before": before.hex(), "link": _hexadecimal(entry.link)}


def _of_csv(services: Services, entry: AuditEntry, _before: bytes) -> bytes:
    shown = AuditEntryShown.of(services.audit, entry)
    details = json.dumps(shown.details, ensure_ascii=False)
    start = (shown.at, shown.actor, shown.action, shown.subject, details, shown.reason)
    return _csv_line((*start, entry.number, _hexadecimal(entry.link)))


def _csv_line(values: tuple[Any, ...]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out).writerow([cell(value) for value in values])
    return out.getvalue().encode()


def _hexadecimal(link: object) -> str | None:
    return link.hex() if type(link) is bytes else None
