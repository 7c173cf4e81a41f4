"""What single sign-on needs, together."""

from dataclasses import dataclass

from sieve.gateway.sign_on.claims import ClaimRules
from sieve.gateway.sign_on.flows import Flows
from sieve.gateway.sign_on.provider import Provider


@dataclass(frozen=True, slots=True)
class SingleSignOn:
    """`name`: of the provider, for people. `new_accounts`: whether a first sign-in makes an account."""

    name: str
    provider: Provider
    flows: Flows
    rules: ClaimRules
    new_accounts: bool

    @property
    def issuer(self) -> str:
        """The provider's name for itself."""
        return self.provider.client.issuer
