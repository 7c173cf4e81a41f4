"""Recovery codes: ten at a time, 80 random bits each, shown once and stored as hashes."""

import secrets
from typing import Final

from sieve.store.queries.tokens import token_hash

COUNT: Final = 10
_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's: without letters that look like others."""
_LOOK_ALIKE: Final = str.maketrans({"o": "0", "i": "1", "l": "1", "-": None, " ": None})


def new() -> list[str]:
    """Ten codes such as `4f7k-9q2m-x8rt-w0vz`."""
    return [_new() for _ in range(COUNT)]


def _new() -> str:
    text = "".join(secrets.choice(_ALPHABET) for _ in range(16))
    return "-".join(text[at : at + 4] for at in range(0, 16, 4))


def hash_of(code: str) -> str:
    """The hash to store or to look for; case, spaces and hyphens do not count."""
    return token_hash("".join(code.lower().split()).translate(_LOOK_ALIKE))
