"""What the settings of single sign-on may say: the issuer, the mapping of claims to rights, the algorithms.

Pure functions of text. Each raises ValueError with a reason that can follow a colon.
"""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from sieve import addresses

RIGHTS: Final = {"author": "is_author", "recipient": "is_recipient", "admin": "is_admin", "cleared": "cleared"}
"""The rights, and the columns of an account that hold them."""
ALGORITHMS: Final = (
    "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 Ed25519".split()  # noqa: SIM905 -- reads better
)
"""Signatures of public keys only. With HMAC, everybody who knows the client secret could sign."""


def address(text: str) -> str:
    """An address of a provider: https, or http on this machine."""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError as error:
        raise ValueError("not an address") from error
    if not text.isascii() or not text.isprintable() or " " in text or len(text) > 2000:
        raise ValueError("not an address of at most 2000 plain characters")
    host = addresses.name_in(parts.netloc)
    if not host or "@" in parts.netloc or parts.fragment:
        raise ValueError("not an address with a host, and without user and fragment")
    if parts.scheme != "https" and not (parts.scheme == "http" and addresses.is_loopback(host)):
        raise ValueError("it must begin with https://; http:// is only for a provider on the gateway's machine")
    return text


def issuer(text: str) -> str:
    """The address of a provider, exactly as it names itself."""
    if urlsplit(address(text)).query:
        raise ValueError("an issuer has no query")
    return text


def rights(text: str) -> Mapping[str, frozenset[str]]:
    """The columns of `RIGHTS` that each value of the claim gives: "staff=author+recipient,secret=cleared"."""
    found: dict[str, frozenset[str]] = {}
    for part in text.split(","):
        value, equals, names = part.rpartition("=")
        value, named = value.strip(), [name.strip().lower() for name in names.split("+")]
        if not equals or not value:
            raise ValueError("an entry is not VALUE=RIGHT; several rights with +, several entries with commas")
        if not set(named) <= set(RIGHTS):
            raise ValueError(f"an entry names something else than {', '.join(RIGHTS)}")
        if value in found:
            raise ValueError("a value is there twice")
        found[value] = frozenset(RIGHTS[name] for name in named)
    return found


def checked_rights(text: str) -> str:
    """The text of a mapping that `rights` can read."""
    rights(text)
    return text


def checked_algorithms(text: str) -> str:
    """Names of `ALGORITHMS`, with commas."""
    names = [name.strip() for name in text.split(",")]
    if not set(names) <= set(ALGORITHMS):
        raise ValueError(f"an entry is not one of {', '.join(ALGORITHMS)}")
    return ",".join(names)
