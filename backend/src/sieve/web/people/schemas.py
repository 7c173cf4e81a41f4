"""What an admin sends to add or change a person."""

from typing import Annotated

from pydantic import Field, StringConstraints

from sieve.channel.names import MAX_UNIT
from sieve.web.person import Login
from sieve.web.schemas import RequestBody

DisplayName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Unit = Annotated[str, StringConstraints(strip_whitespace=True, max_length=MAX_UNIT)]
"""A department; empty for none."""


class PersonAsked(RequestBody):
    """A new person. `name`: the login, in lower case. `unit`: their department, which peer gateways see, too."""

    name: Login
    display_name: DisplayName
    unit: Unit | None = None
    is_author: bool = False
    is_recipient: bool = False
    is_admin: bool = False
    cleared: bool = False


class PersonChange(RequestBody):
    """The changes; fields that are omitted or null stay unchanged. An empty `unit` removes it."""

    display_name: DisplayName | None = None
    unit: Unit | None = None
    is_author: bool | None = None
    is_recipient: bool | None = None
    is_admin: bool | None = None
    cleared: bool | None = None
    disabled: Annotated[
        bool | None, Field(description="A disabled person cannot sign in, and their tokens are not valid.")
    ] = None
