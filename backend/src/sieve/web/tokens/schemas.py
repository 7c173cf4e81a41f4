"""API tokens as the API shows and takes them. Only a new one is shown."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from sieve.web.schemas import RequestBody, Shown

MAX_LIFE_S = 10 * 366 * 24 * 3600


class TokenAsked(RequestBody):
    """`label`: its purpose. `expires_in_s`: null if it does not expire."""

    label: Annotated[str, Field(min_length=1, max_length=100)]
    expires_in_s: Annotated[int, Field(ge=1, le=MAX_LIFE_S)] | None = None


class TokenShown(Shown):
    """A token without its text, which is not stored."""

    id: str
    label: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


class TokenMade(TokenShown):
    """A new token, with its text."""

    token: str
