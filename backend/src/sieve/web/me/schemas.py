"""What I change about my account."""

from typing import Annotated

from pydantic import Field

from sieve.web.schemas import RequestBody
from sieve.web.secret_text import SecretText


class PasswordChange(RequestBody):
    """`new`: 12 characters to 1024 bytes, and not the login."""

    current: Annotated[SecretText, Field(max_length=1024)]
    new: SecretText
