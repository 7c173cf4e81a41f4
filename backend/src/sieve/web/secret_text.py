"""A secret word in a request: shown by no `repr` and no refusal."""

from typing import Annotated, TypeAlias

from pydantic import AfterValidator, SecretStr
from pydantic_core import PydanticCustomError


def _whole(secret: SecretStr) -> SecretStr:
    # JSON can write half a character, and pydantic does not look for that in secrets.
    try:
        secret.get_secret_value().encode()
    except UnicodeEncodeError:
        raise PydanticCustomError("string_unicode", "the text contains half a character") from None
    return secret


SecretText: TypeAlias = Annotated[SecretStr, AfterValidator(_whole)]
"""Text; `get_secret_value` returns it."""
