"""A page of a long list: `limit` rows, and, if there may be more, the `next` to ask for them with.

`next` names the page's last row, or the last one that was looked at. Clients pass it back unchanged and do
not build one.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import Annotated, Final, Generic, TypeVar

from fastapi import Depends, Query
from pydantic import BaseModel

from sieve.store.models import Document, Transfer
from sieve.store.queries.sorting import After, Found
from sieve.web.errors import MalformedRequest

Shown = TypeVar("Shown")
Row = TypeVar("Row", Document, Transfer)
Result = TypeVar("Result")

# A number, or base64 of a text; an id; a sign that replicas of the version before may write.
_NEXT = re.compile(r"(?:([0-9]{1,19})|~([A-Za-z0-9_-]*=*))-([0-9a-f]{32})~?")
# The key of a name of 300 characters: folded, one of them may have 33 bytes.
_MOST: Final = 14_000


class Page(BaseModel, Generic[Shown]):
    """`next`: pass it as `after` to get the next page; null on the last page. A page of a search may have fewer items
    than asked for, or none, before the last one: one answer looks at some thousand rows.
    """

    items: list[Shown]
    next: str | None


class PageRequest:
    """The requested page."""

    def __init__(
        self,
        limit: Annotated[int, Query(ge=1, le=200, description="How many at most.")] = 50,
        after: Annotated[str | None, Query(max_length=_MOST, description="`next` of the page before.")] = None,
    ) -> None:
        self.limit, self.after = limit, None if after is None else _read(after)

    def page(self, rows: Sequence[Row], show: Callable[[Row], Shown]) -> Page[Shown]:
        """The page with these rows."""
        return self.page_from(Found(rows), show, lambda row: After(row.created_at_ns, row.id))

    def page_from(
        self, found: Found[Result], show: Callable[[Result], Shown], place: Callable[[Result], After]
    ) -> Page[Shown]:
        """The page with these results. `place`: the position of one, after which the next page begins."""
        last = place(found.rows[-1]) if len(found.rows) == self.limit else found.read_to
        return Page(items=[show(one) for one in found.rows], next=_written(last) if last else None)


AskedPage = Annotated[PageRequest, Depends()]


def _written(after: After) -> str:
    key = after.key
    written = key if isinstance(key, int) else "~" + urlsafe_b64encode(key.encode()).decode()
    return f"{written}-{after.id}"


def _read(text: str) -> After:
    found = _NEXT.fullmatch(text)
    try:
        if found and found[1]:
            return After(_fitting(int(found[1])), found[3])
        if found:
            return After(urlsafe_b64decode(found[2]).decode(), found[3])
    except ValueError:
        pass
    raise MalformedRequest("query.after: this is not the `next` of a page")


def _fitting(number: int) -> int:
    if number >= 2**63:
        raise ValueError("SQLite has no such number")
    return number
