"""What I change about my account."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from sieve.web.secret_text import SecretText


class PasswordChange(BaseModel):
    """`new`: 12 characters to 1024 bytes, and not the login."""

    model_config = ConfigDict(extra="forbid")

    current: Annotated[SecretText, Field(max_length=1024)]
    new: SecretText
