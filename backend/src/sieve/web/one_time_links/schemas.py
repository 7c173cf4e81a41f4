"""One-time links, as the API shows and takes them. Only a new one is shown."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from sieve.web.schemas import RequestBody
from sieve.web.secret_text import SecretText

Code = Annotated[SecretText, Field(max_length=100)]


class LinkMade(BaseModel):
    """`url`: below the gateway's web address. Its code follows `#`, which browsers do not send."""

    url: str
    expires_at: datetime


class LinkLookedAt(RequestBody):
    """The code of a link."""

    code: Code


class LinkOwner(BaseModel):
    """The owner of a link."""

    name: str
    display_name: str


class LinkUsed(RequestBody):
    """The code of a link, and the password to set: 12 characters to 1024 bytes."""

    code: Code
    password: SecretText
