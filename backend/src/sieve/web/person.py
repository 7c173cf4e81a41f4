"""A person's account as the API shows it, and the form of a login."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, StringConstraints

from sieve.store.models import User
from sieve.web.times import shown, shown_if

Login = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True, to_lower=True, pattern=r"^[A-Za-z0-9](?:[A-Za-z0-9._@-]{0,61}[A-Za-z0-9])?$"
    ),
]
"""1 to 63 of a-z, 0-9 and . _ @ - between them."""


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
