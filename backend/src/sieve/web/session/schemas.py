"""Signing in, as the API shows and takes it."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from sieve.web.person import PersonShown
from sieve.web.secret_text import SecretText


class SignIn(BaseModel):
    """`name`: the login, in any case."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(max_length=200)]
    password: Annotated[SecretText, Field(max_length=1024)]


class SessionShown(BaseModel):
    """Who is signed in, if somebody is. `needs_admin`: there is no admin yet who could let people in."""

    gateway: str
    needs_admin: bool
    person: PersonShown | None
