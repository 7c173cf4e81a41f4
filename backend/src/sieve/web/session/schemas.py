"""Signing in, as the API shows and takes it."""

from typing import Annotated

from pydantic import BaseModel, Field

from sieve.web.person import PersonShown
from sieve.web.schemas import RequestBody
from sieve.web.secret_text import SecretText


class SignIn(RequestBody):
    """`name`: the login, in any case."""

    name: Annotated[str, Field(max_length=200)]
    password: Annotated[SecretText, Field(max_length=1024)]


class SessionShown(BaseModel):
    """The signed-in person, if any. `needs_admin`: whether the gateway has no admin yet."""

    gateway: str
    needs_admin: bool
    person: PersonShown | None
