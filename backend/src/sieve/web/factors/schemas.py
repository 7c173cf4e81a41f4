"""Second factors, as the API shows and takes them."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from sieve.channel.safe_names import clean_line
from sieve.web.schemas import RequestBody, Shown
from sieve.web.second_factor.passkeys import NewPasskey
from sieve.web.secret_text import SecretText


def _visible(text: str) -> str:
    cleaned = clean_line(text)
    if not cleaned:
        raise ValueError("it has no visible characters")
    return cleaned


PasskeyName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100), AfterValidator(_visible)
]


class PasskeyShown(Shown):
    """`relying_party`: the host name at which it works."""

    id: str
    name: str
    relying_party: str
    created_at: datetime
    last_used_at: datetime | None


class AppShown(BaseModel):
    """The authenticator app."""

    added_at: datetime
    last_used_at: datetime | None


class FactorsShown(BaseModel):
    """My second factors. `required`: the last one cannot be removed, because the gateway requires one of me.
    `passkeys_here`: whether passkeys work at this address.
    """

    passkeys: list[PasskeyShown]
    app: AppShown | None
    recovery_codes_left: int
    required: bool
    passkeys_here: bool


class PasskeyAdded(RequestBody):
    """`name`: for the person, such as the name of the device."""

    name: PasskeyName
    passkey: NewPasskey


class AppSetUp(BaseModel):
    """For an authenticator app; shown once. `qr`: the rows of the QR code, without margin; 1 is dark. `address`: its
    content. `secret`: to be typed instead.
    """

    secret: str
    address: str
    qr: list[str]


class AppCode(RequestBody):
    """A code of the app that is being set up."""

    code: Annotated[SecretText, Field(max_length=20)]


class FactorAdded(BaseModel):
    """`recovery_codes`: new ones with the first factor, else null. They are shown only once."""

    recovery_codes: list[str] | None


class RecoveryCodes(BaseModel):
    """They are shown only once. Earlier ones are no longer valid."""

    recovery_codes: list[str]


class PersonsFactors(BaseModel):
    """A person who has a second factor."""

    person_id: str
