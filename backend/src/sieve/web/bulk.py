"""Requests that change or download several rows of a list. Drafts, inbox entries and transfers share them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Annotated, Final, Self

from pydantic import BaseModel, Field, model_validator

from sieve.formats.text.separation import is_text
from sieve.gateway.errors import Conflict, NotFound
from sieve.store.models import Document, User
from sieve.store.queries.sorting import Found
from sieve.web.archive import Included, Missing
from sieve.web.schemas import RequestBody
from sieve.web.tags import TagName

MOST_CHANGED: Final = 5000
"""Rows in one request: so many ids fit into the largest request body."""
MOST_IN_ARCHIVE: Final = 1000
AT_ONCE: Final = 50
"""Rows that one transaction changes, if each takes several statements. It blocks all other writers."""


class Ids(BaseModel):
    """The ids of the rows, in the order of the list. `more`: there may be others. It gives so many ids at most, and a
    search looks at some thousand rows for one answer.
    """

    ids: list[str]
    more: bool

    @classmethod
    def of(cls, found: Found[str]) -> Self:
        """What was found when `MOST_CHANGED` were asked for."""
        return cls(ids=list(found.rows), more=found.read_to is not None or len(found.rows) == MOST_CHANGED)


class BulkChange(RequestBody):
    """A change of several rows of mine. Those that are not there, or that it does not change, are skipped."""

    ids: Annotated[list[str], Field(max_length=MOST_CHANGED)]


class TagChange(BulkChange):
    """A change that may be one of tags: `tag` is for `tag` and `untag`."""

    change: str
    tag: TagName | None = None

    @model_validator(mode="after")
    def _has_its_tag(self) -> Self:
        if (self.tag is not None) != (self.change in ("tag", "untag")):
            raise ValueError("give a tag for tag and untag, and for nothing else")
        return self


class Changed(BaseModel):
    """The rows that were changed."""

    ids: list[str]


class BulkArchive(RequestBody):
    """Which documents."""

    ids: Annotated[list[str], Field(min_length=1, max_length=MOST_IN_ARCHIVE)]


async def change_each(ids: Sequence[str], change: Callable[[str], Awaitable[object]]) -> list[str]:
    """Changes each row in a transaction of its own, so that other writers wait for one row at most. Returns the ids of
    those that were there and could be changed.
    """
    changed: list[str] = []
    for row_id in ids:
        try:
            await change(row_id)
        except (NotFound, Conflict):
            continue
        changed.append(row_id)
    return changed


async def authored(
    ids: Sequence[str],
    signed_in: Callable[[], Awaitable[User | None]],
    find: Callable[[str], Awaitable[tuple[Document, int]]],
) -> AsyncIterator[Included | Missing]:
    """An author's documents for a zip, each once: texts with their marks, files as they are. `find`: the document of a
    row, and the time of its file; raises NotFound if it is deleted.
    """
    taken: set[str] = set()
    for row_id in ids:
        person = await signed_in()
        if person is None or not person.is_author:
            yield Missing("A document that you may no longer read.")
            continue
        try:
            document, at_ns = await find(row_id)
        except NotFound:
            yield Missing("A document that was deleted.")
            continue
        if document.id in taken:
            continue
        taken.add(document.id)
        tagged = document.format is None and is_text(document.media_type)
        yield Included(row_id, document, "marked" if tagged else "full", at_ns)
