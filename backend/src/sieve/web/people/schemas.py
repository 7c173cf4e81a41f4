"""What an admin sends to add or change a person."""

from typing import Annotated

from pydantic import Field, StringConstraints

from sieve.web.person import Login
from sieve.web.schemas import RequestBody

DisplayName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class PersonAsked(RequestBody):
    """A new person. `name`: the login, in lower case."""

    name: Login
    display_name: DisplayName
    is_author: bool = False
    is_recipient: bool = False
    is_admin: bool = False
    cleared: bool = False


class PersonChange(RequestBody):
    """The changes; fields that are omitted or null stay unchanged."""

    display_name: DisplayName | None = None
    is_author: bool | None = None
    is_recipient: bool | None = None
    is_admin: bool | None = None
    cleared: bool | None = None
    disabled: Annotated[
        bool | None, Field(description="A disabled person cannot sign in, and their tokens are not valid.")
    ] = None
