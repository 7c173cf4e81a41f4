"""API tokens as the API shows and takes them. Only a new one is shown."""

from datetime import datetime
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from sieve.store.models import Token
from sieve.web.schemas import RequestBody, Shown

Scope: TypeAlias = Literal["send", "read", "admin"]
Days: TypeAlias = Literal[7, 30, 90, 365]
DEFAULT_DAYS: Final = 90


class TokenAsked(RequestBody):
    """`label`: its purpose. `scopes`: what it allows, of its owner's roles: "send" an author's requests, "read" a
    recipient's, "admin" an admin's; by default those of the owner's roles now.
    """

    label: Annotated[str, Field(min_length=1, max_length=100)]
    expires_in_days: Days = DEFAULT_DAYS
    scopes: Annotated[list[Scope] | None, Field(max_length=3)] = None


class TokenShown(Shown):
    """A token without its text, which is not stored. `expires_at`: null only for tokens of older versions."""

    id: str
    label: str
    scopes: list[Scope]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None

    @classmethod
    def of(cls, row: Token) -> "TokenShown":
        return cls.from_attributes(row, scopes=row.scopes.split())


class TokenMade(TokenShown):
    """A new token, with its text."""

    token: str
