"""What the claims of an ID token mean for an account, by the settings. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sieve import single_sign_on


@dataclass(frozen=True, slots=True)
class ClaimRules:
    """`rights`: the columns of an account that each value of the claim gives; None if admins decide on rights.
    `second_factors`: the values of acr or amr that count as one.
    """

    login_claim: str
    name_claim: str
    rights_claim: str
    rights: Mapping[str, frozenset[str]] | None
    second_factors: frozenset[str]

    def rights_of(self, claims: Mapping[str, Any]) -> Mapping[str, bool] | None:
        """Each column of rights; None if admins decide on them."""
        if self.rights is None:
            return None
        given: set[str] = set()
        for value in _texts(_claim(claims, self.rights_claim)):
            given |= self.rights.get(value, frozenset())
        return {column: column in given for column in single_sign_on.RIGHTS.values()}

    def login_of(self, claims: Mapping[str, Any]) -> str | None:
        """The login of a new account; None if there is no such text."""
        return _text(_claim(claims, self.login_claim))

    def name_of(self, claims: Mapping[str, Any]) -> str | None:
        """The name of a new account's person; None if there is no such text."""
        return _text(_claim(claims, self.name_claim))

    def has_second_factor(self, claims: Mapping[str, Any]) -> bool:
        """Whether the provider says that the person gave a second factor."""
        said = {*_texts(claims.get("acr")), *_texts(claims.get("amr"))}
        return bool(said & self.second_factors)


def _claim(claims: Mapping[str, Any], name: str) -> object:
    """A claim by its name; if there is none, by its path: `realm_access.roles`."""
    if name in claims:
        return claims[name]
    found: object = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def _texts(value: object) -> Sequence[str]:
    listed = value if isinstance(value, list) else [value]
    return [each for each in listed if isinstance(each, str)]


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
