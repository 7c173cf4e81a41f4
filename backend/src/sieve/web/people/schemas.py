"""A person's account as the API shows and takes it."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from sieve.store.models import User
from sieve.web.times import shown, shown_if

Login = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True, to_lower=True, pattern=r"^[A-Za-z0-9](?:[A-Za-z0-9._@-]{0,61}[A-Za-z0-9])?$"
    ),
]
"""1 to 63 of a-z, 0-9 and . _ @ - between them."""
DisplayName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class PersonShown(BaseModel):
    """`cleared`: may read what is classified, where it is addressed to them. `has_password`: can sign in."""

    id: str
    name: str
    display_name: str
    is_author: bool
    is_recipient: bool
    is_admin: bool
    cleared: bool
    has_password: bool
    created_at: datetime
    disabled_at: datetime | None

    @classmethod
    def of(cls, row: User) -> "PersonShown":
        return cls(
            id=row.id,
            name=row.name,
            display_name=row.display_name,
            is_author=row.is_author,
            is_recipient=row.is_recipient,
            is_admin=row.is_admin,
            cleared=row.cleared,
            has_password=row.password_hash is not None,
            created_at=shown(row.created_at_ns),
            disabled_at=shown_if(row.disabled_at_ns),
        )


class PersonAsked(BaseModel):
    """A new person. `name` is the login, in lower case."""

    model_config = ConfigDict(extra="forbid")

    name: Login
    display_name: DisplayName
    is_author: bool = False
    is_recipient: bool = False
    is_admin: bool = False
    cleared: bool = False


class PersonChange(BaseModel):
    """What is to change; what is left out or null stays."""

    model_config = ConfigDict(extra="forbid")

    display_name: DisplayName | None = None
    is_author: bool | None = None
    is_recipient: bool | None = None
    is_admin: bool | None = None
    cleared: bool | None = None
    disabled: Annotated[
        bool | None, Field(description="A disabled person cannot sign in, and their tokens count no more.")
    ] = None
