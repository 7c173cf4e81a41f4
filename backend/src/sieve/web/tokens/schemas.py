"""API tokens as the API shows and takes them. Only a new one is shown."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from sieve.store.models import Token
from sieve.web.times import shown, shown_if

MAX_LIFE_S = 10 * 366 * 24 * 3600


class TokenAsked(BaseModel):
    """`label`: what it is for. `expires_in_s`: never if null."""

    model_config = ConfigDict(extra="forbid")

    label: Annotated[str, Field(min_length=1, max_length=100)]
    expires_in_s: Annotated[int, Field(ge=1, le=MAX_LIFE_S)] | None = None


class TokenShown(BaseModel):
    """A token by its label; the token itself is kept nowhere."""

    id: str
    label: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None

    @classmethod
    def of(cls, row: Token) -> "TokenShown":
        return cls(
            id=row.id,
            label=row.label,
            created_at=shown(row.created_at_ns),
            expires_at=shown_if(row.expires_at_ns),
            last_used_at=shown_if(row.last_used_at_ns),
        )


class TokenMade(TokenShown):
    """With the token, this once."""

    token: str
