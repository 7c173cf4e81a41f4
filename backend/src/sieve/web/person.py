"""A person's account as the API shows it, and the form of a login."""

from datetime import datetime
from typing import Annotated

from pydantic import StringConstraints

from sieve.store.models import User
from sieve.web.schemas import Shown
from sieve.web.times import shown_if

Login = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True, to_lower=True, pattern=r"^[A-Za-z0-9](?:[A-Za-z0-9._@-]{0,61}[A-Za-z0-9])?$"
    ),
]
"""1 to 63 of a-z, 0-9 and . _ @ - between them."""


class PersonShown(Shown):
    """`unit`: their department, or null. `cleared`: may read classified content that is addressed to them;
    `cleared_since`: only what was received since then, until a second admin agrees. `locked_before`: somebody may have
    got into the account, so what it holds from before is locked until a second admin agrees. `is_service`: a program's
    account, which has no password. `admin_confirmed`: counts as a second admin. `has_password`, `has_sso`: signs in
    with a password, or with the OpenID Connect provider.
    """

    id: str
    name: str
    display_name: str
    unit: str | None
    is_author: bool
    is_recipient: bool
    is_admin: bool
    cleared: bool
    cleared_since: datetime | None
    locked_before: datetime | None
    is_service: bool
    admin_confirmed: bool
    has_password: bool
    has_sso: bool
    created_at: datetime
    disabled_at: datetime | None

    @classmethod
    def of(cls, row: User) -> "PersonShown":
        return cls.from_attributes(
            row,
            cleared_since=shown_if(row.cleared_since_ns),
            locked_before=shown_if(row.locked_before_ns),
            has_password=row.password_hash is not None,
            has_sso=row.sso_subject is not None,
        )
