"""The revision that a request changes: `If-Match: "3"`; other forms of this header are refused."""

import re
from typing import Annotated, Final

from fastapi import Depends, Header, Request, Response

from sieve.web.errors import MalformedRequest, RevisionMissing

_REVISION: Final = re.compile(r'"([1-9][0-9]{0,17})"')


def _changed(
    request: Request,
    if_match: Annotated[str | None, Header(description='The revision that this changes, in quotes: "3".')] = None,
) -> int:
    if if_match is None:
        raise RevisionMissing('say which revision this changes: the header If-Match with it in quotes, such as "3"')
    found = _REVISION.fullmatch(if_match)
    if found is None or len(request.headers.getlist("if-match")) > 1:
        raise MalformedRequest('header.if-match: write the one revision that this changes, in quotes: "3"')
    return int(found[1])


Changed = Annotated[int, Depends(_changed)]
"""A route with this parameter requires the revision that it changes, in If-Match."""


def _maybe_changed(
    request: Request,
    if_match: Annotated[str | None, Header(description='The revision that must be there, in quotes: "3".')] = None,
) -> int | None:
    return None if if_match is None else _changed(request, if_match)


MaybeChanged = Annotated[int | None, Depends(_maybe_changed)]
"""A route with this parameter accepts If-Match, but does not require it."""


def note_revision(response: Response, revision: int) -> None:
    """Sets the revision as ETag, for If-Match of the next request."""
    response.headers["ETag"] = f'"{revision}"'
