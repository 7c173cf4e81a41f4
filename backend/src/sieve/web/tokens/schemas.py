"""API tokens as the API shows and takes them. Only a new one is shown."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from sieve.web.schemas import RequestBody, Shown

MAX_LIFE_S = 10 * 366 * 24 * 3600


class TokenAsked(RequestBody):
    """`label`: what it is for. `expires_in_s`: never if null."""

    label: Annotated[str, Field(min_length=1, max_length=100)]
    expires_in_s: Annotated[int, Field(ge=1, le=MAX_LIFE_S)] | None = None


class TokenShown(Shown):
    """A token by its label; the token itself is kept nowhere."""

    id: str
    label: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


class TokenMade(TokenShown):
    """With the token, this once."""

    token: str
