"""Signing in, as the API shows and takes it."""

from datetime import datetime
from typing import Annotated, Self

from pydantic import BaseModel, Field, model_validator

from sieve.store.models.factors import Need
from sieve.web.person import PersonShown
from sieve.web.schemas import RequestBody, Shown
from sieve.web.second_factor.passkeys import UsedPasskey
from sieve.web.second_factor.proof import FactorGiven
from sieve.web.secret_text import SecretText


class SignIn(RequestBody):
    """`name`: the login, in any case."""

    name: Annotated[str, Field(max_length=200)]
    password: Annotated[SecretText, Field(max_length=1024)]


class PasskeySignIn(RequestBody):
    """A passkey's answer to a challenge for `sign-in`."""

    passkey: UsedPasskey


class Confirmation(FactorGiven):
    """One of: `password`, and a factor. People with a second factor give a factor."""

    password: Annotated[SecretText, Field(max_length=1024)] | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(each is not None for each in (self.password, self.code, self.recovery_code, self.passkey)) != 1:
            raise ValueError("give one of password, code, recovery_code and passkey")
        return self


class Methods(BaseModel):
    """By which factors a person can confirm that it is them. `passkey`: at this address. `sso`: by signing in at the
    provider again.
    """

    password: bool
    passkey: bool
    app: bool
    recovery_code: bool
    sso: bool


class ConfirmationShown(BaseModel):
    """`confirmed`: whether the person signed in, or confirmed that it is them, in the last ten minutes."""

    confirmed: bool
    methods: Methods


class NextStep(BaseModel):
    """What a sign-in still needs after the right password: a `factor`, or the `enrolment` of a first one. `name`: the
    login.
    """

    name: str
    needs: Need
    methods: Methods


class OpenSession(Shown):
    """A browser in which I am signed in. `device`: as the browser names itself, such as "Firefox on Linux".
    `source`: the address that it signed in from. `current`: this one.
    """

    id: str
    device: str | None
    source: str | None
    created_at: datetime
    last_used_at: datetime
    current: bool


class SessionShown(BaseModel):
    """The signed-in person, if any. `needs_admin`: whether the gateway has no admin yet. `passkeys`: whether passkeys
    work at this address. `sso`: the name of the OpenID Connect provider with which people can sign in; null if there is
    none. `laboratory`: whether admins can run experiments here. `next_step`: of a sign-in that is not finished.
    """

    gateway: str
    needs_admin: bool
    passkeys: bool
    sso: str | None
    laboratory: bool
    person: PersonShown | None
    next_step: NextStep | None
