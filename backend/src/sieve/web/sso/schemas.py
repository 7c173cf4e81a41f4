"""Single sign-on, as the API takes and shows it."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from sieve.web.schemas import RequestBody
from sieve.web.secret_text import SecretText
from sieve.web.session.schemas import SessionShown


class Begun(RequestBody):
    """`purpose`: to sign in, or to confirm that it is still the signed-in person. `link`: the code of a one-time link,
    whose owner will then sign in with the provider instead of a password.
    """

    purpose: Literal["sign-in", "confirmation"] = "sign-in"
    link: Annotated[SecretText, Field(max_length=100)] | None = None


class Started(BaseModel):
    """`url`: where the browser goes, at the provider."""

    url: str


class Returned(RequestBody):
    """What the provider added to the address to which it led the browser: `code` or `error`, `state`, perhaps `iss`."""

    state: Annotated[str, Field(max_length=200)]
    code: Annotated[SecretText, Field(max_length=4000)] | None = None
    error: Annotated[str, Field(max_length=200)] | None = None
    iss: Annotated[str, Field(max_length=2000)] | None = None


class Finished(BaseModel):
    """`purpose`: of the flow. `session`: as `GET /session` shows it now."""

    purpose: Literal["sign-in", "confirmation"]
    session: SessionShown


class ProviderShown(BaseModel):
    """`sign_out_url`: where I sign out of the provider, too; null if it has no such page."""

    name: str
    sign_out_url: str | None
