"""What lists are searched for: a part of a name, as a request gives it."""

from typing import Annotated, TypeAlias

from pydantic import AfterValidator, StringConstraints


def _without_nul(text: str) -> str:
    # PostgreSQL takes no text with one; SQLite's index would read the part up to it.
    if "\0" in text:
        raise ValueError("no name contains the character NUL; remove it")
    return text


Part: TypeAlias = Annotated[str, StringConstraints(max_length=200), AfterValidator(_without_nul)]
