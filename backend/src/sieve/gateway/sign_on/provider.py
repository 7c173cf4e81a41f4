"""The OpenID Connect provider: its addresses, its keys, and who its ID tokens say that somebody is.

Authorization code flow with PKCE (OpenID Connect Core 1.0, RFC 7636, RFC 9207). An ID token counts only with a good
signature by a key of the provider, and for this gateway, this sign-in and this moment. joserfc checks signatures.

The provider's addresses and keys are fetched once an hour, and keys once more when a token names an unknown one. A
provider that does not answer is not asked again at once.
"""

import asyncio
import hashlib
import json
import logging
import re
import ssl
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote_plus, urlencode

import httpx

from sieve import single_sign_on
from sieve.core.sentence import Sentence
from sieve.gateway.errors import NotAllowed, ProviderUnreachable

# joserfc is imported where it is used: most gateways have no provider, and it has 52 modules.
if TYPE_CHECKING:
    from joserfc.jwk import Key, KeySet

log = logging.getLogger(__name__)

FRESH_S: Final = 3600.0
"""For how long the provider's addresses and keys are used."""
KEYS_FLOOR_S: Final = 60.0
"""Unknown keys cause at most one request in this time."""
RETRY_S: Final = 10.0
"""For how long a provider that did not answer is not asked again."""
PATIENCE_S: Final = 10.0
MAX_ANSWER: Final = 512 * 1024
MIN_RSA_BITS: Final = 2048

_WORD: Final = re.compile(r"[a-z_]{1,40}")


class TokenRefused(NotAllowed):
    """The provider's answer does not prove who somebody is."""


class _BadClaim(ValueError):
    """An ID token's claim is wrong; its text names the claim only."""


@dataclass(frozen=True, slots=True)
class Client:
    """This gateway at the provider. `skew_s`: by how much the clocks may differ."""

    issuer: str
    client_id: str
    secret: str | None = field(repr=False)
    scopes: str
    algorithms: Sequence[str]
    skew_s: int


@dataclass(frozen=True, slots=True)
class Metadata:
    """What the provider's discovery document says. `names_itself`: answers to browsers name the issuer."""

    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    end_session_endpoint: str | None
    secret_in_body: bool
    names_itself: bool


@dataclass(slots=True)
class Provider:
    """`monotonic` gives seconds. `problem`: why the provider cannot be used now, in one line; None if it can."""

    client: Client
    monotonic: Callable[[], float] = time.monotonic
    problem: str | None = None
    _metadata: Metadata | None = None
    _keys: "KeySet | None" = None
    _fetched_at: float = 0.0
    _keys_at: float = 0.0
    _failed_at: float | None = None
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run(self) -> None:
        """Fetches the provider's addresses and keys at the start and once an hour, so that the log and `/readyz` say
        what is wrong before somebody signs in.
        """
        while True:
            said = self.problem
            try:
                await self.metadata()
            except ProviderUnreachable:
                if self.problem != said:
                    log.warning("single sign-on: %s", self.problem)
            await asyncio.sleep(FRESH_S if self.problem is None else KEYS_FLOOR_S)

    @property
    def end_session_endpoint(self) -> str | None:
        """Where people sign out of the provider; None if that is not known."""
        return None if self._metadata is None else self._metadata.end_session_endpoint

    async def metadata(self) -> Metadata:
        """The provider's addresses.

        Raises:
            ProviderUnreachable: they cannot be had.
        """
        return (await self._current())[0]

    async def authorization_url(
        self, *, redirect_uri: str, state: str, nonce: str, verifier: str, sign_in_again: bool
    ) -> str:
        """Where a browser goes to sign in. `sign_in_again`: also if the person is signed in at the provider.

        Raises:
            ProviderUnreachable: the address cannot be had.
        """
        challenge = hashlib.sha256(verifier.encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": self.client.client_id,
            "redirect_uri": redirect_uri,
            "scope": self.client.scopes,
            "state": state,
            "nonce": nonce,
            "code_challenge": urlsafe_b64encode(challenge).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        if sign_in_again:
            asked |= {"prompt": "login", "max_age": "0"}
        endpoint = (await self.metadata()).authorization_endpoint
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(asked)}"

    async def claims(
        self, *, code: str, verifier: str, redirect_uri: str, nonce: str, signed_in_since: int | None, now: int
    ) -> Mapping[str, Any]:
        """The claims of the ID token that the provider gives for `code`, all checked. `signed_in_since`: the person
        must have signed in at the provider since then. Times: seconds since the epoch.

        Raises:
            ProviderUnreachable: the provider does not answer.
            TokenRefused: it does not accept the code, or its ID token does not count.
        """
        from joserfc.errors import JoseError

        token = await self._redeem(code, verifier, redirect_uri)
        try:
            return await self._checked(token, nonce, signed_in_since, now)
        except (JoseError, ValueError, TypeError, KeyError) as error:
            # Without the error's text, which may quote the token.
            log.warning("single sign-on: the ID token was refused: %s", _reason(error))
            raise TokenRefused(
                Sentence(
                    "sso-token-refused",
                    "the sign-in provider’s answer could not be verified; try again, or ask an admin",
                )
            ) from None

    async def _redeem(self, code: str, verifier: str, redirect_uri: str) -> str:
        metadata = (await self._current())[0]
        body = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": verifier,
        }
        secret, auth = self.client.secret, None
        if secret is None:
            body["client_id"] = self.client.client_id
        elif metadata.secret_in_body:
            body |= {"client_id": self.client.client_id, "client_secret": secret}
        else:
            # RFC 6749, section 2.3.1: both are form-encoded first.
            auth = httpx.BasicAuth(quote_plus(self.client.client_id), quote_plus(secret))
        status, answer = await self._ask("POST", metadata.token_endpoint, data=body, auth=auth)
        token = answer.get("id_token")
        if status == 200 and isinstance(token, str):
            return token
        error = str(answer.get("error", ""))
        log.warning(
            "single sign-on: the provider refused a code: status %d %s", status, error if _WORD.fullmatch(error) else ""
        )
        if error in ("invalid_client", "unauthorized_client"):
            raise ProviderUnreachable(
                Sentence("sso-client-refused", "the sign-in provider does not accept this gateway; ask an admin")
            )
        raise TokenRefused(
            Sentence("sso-code-refused", "the sign-in provider did not confirm this sign-in; start again")
        )

    async def _checked(self, token: str, nonce: str, signed_in_since: int | None, now: int) -> Mapping[str, Any]:
        from joserfc import jwt
        from joserfc.errors import InvalidKeyIdError

        client = self.client
        _, keys = await self._current()
        try:
            claims = jwt.decode(token, keys, algorithms=client.algorithms).claims
        except InvalidKeyIdError:
            claims = jwt.decode(token, await self._new_keys(keys), algorithms=client.algorithms).claims
        registry = jwt.JWTClaimsRegistry(
            now=now,
            leeway=client.skew_s,
            iss={"essential": True, "value": client.issuer},
            aud={"essential": True, "value": client.client_id},
            sub={"essential": True},
            exp={"essential": True},
            iat={"essential": True},
            nonce={"essential": True, "value": nonce},
        )
        registry.validate(claims)
        audience, party = claims["aud"], claims.get("azp")
        if not isinstance(claims["nonce"], str) or not 0 < len(claims["sub"]) <= 255:
            raise _BadClaim("nonce or sub")
        if party != client.client_id and (party is not None or audience not in (client.client_id, [client.client_id])):
            raise _BadClaim("azp")
        if signed_in_since is not None:
            at = claims.get("auth_time")
            if isinstance(at, bool) or not isinstance(at, int | float):
                raise _BadClaim("auth_time is missing")
            if not signed_in_since - client.skew_s <= at <= now + client.skew_s:
                raise _BadClaim("auth_time is too old")
        return claims

    async def _current(self) -> "tuple[Metadata, KeySet]":
        async with self._turn:
            now = self.monotonic()
            if self._metadata is not None and self._keys is not None and now - self._fetched_at < FRESH_S:
                return self._metadata, self._keys
            if self._failed_at is not None and now - self._failed_at < RETRY_S:
                raise _unreachable()
            try:
                metadata = await self._discover()
                self._keys = await self._fetch_keys(metadata)
            except ProviderUnreachable as error:
                self.problem, self._failed_at = str(error), self.monotonic()
                raise _unreachable() from error
            self._metadata, self.problem, self._failed_at = metadata, None, None
            self._fetched_at = self._keys_at = self.monotonic()
            return self._metadata, self._keys

    async def _new_keys(self, known: "KeySet") -> "KeySet":
        async with self._turn:
            if self._metadata is None or self._keys is None:
                return known
            if self._keys is known and self.monotonic() - self._keys_at >= KEYS_FLOOR_S:
                self._keys_at = self.monotonic()
                self._keys = await self._fetch_keys(self._metadata)
            return self._keys

    async def _discover(self) -> Metadata:
        issuer = self.client.issuer
        status, said = await self._ask("GET", f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        if status != 200:
            raise ProviderUnreachable(f"{issuer} has no discovery document: status {status}; check SIEVE_OIDC_ISSUER")
        if said.get("issuer") != issuer:
            raise ProviderUnreachable(
                "the discovery document names another issuer; write SIEVE_OIDC_ISSUER exactly as the provider does"
            )
        try:
            found = {
                name: single_sign_on.address(said[name])
                for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")
            }
            end = said.get("end_session_endpoint")
            end = None if end is None else single_sign_on.address(end)
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise ProviderUnreachable(f"the discovery document of {issuer} has no usable addresses") from error
        algorithms = said.get("id_token_signing_alg_values_supported")
        if isinstance(algorithms, list) and not set(map(str, algorithms)) & set(self.client.algorithms):
            raise ProviderUnreachable(
                "the provider signs with no algorithm of SIEVE_OIDC_ALGORITHMS; add one that it supports"
            )
        methods = said.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        return Metadata(
            **found,
            end_session_endpoint=end,
            secret_in_body="client_secret_basic" not in methods,
            names_itself=said.get("authorization_response_iss_parameter_supported") is True,
        )

    async def _fetch_keys(self, metadata: Metadata) -> "KeySet":
        from joserfc.jwk import KeySet

        status, said = await self._ask("GET", metadata.jwks_uri)
        listed = said.get("keys")
        if status != 200 or not isinstance(listed, list):
            raise ProviderUnreachable("the provider’s keys cannot be read")
        keys = [key for key in map(_key, listed) if key is not None]
        if not keys:
            raise ProviderUnreachable("the provider has no key that this gateway can use")
        return KeySet(keys)

    async def _ask(
        self, method: str, url: str, *, data: Mapping[str, str] | None = None, auth: httpx.Auth | None = None
    ) -> tuple[int, Mapping[str, Any]]:
        """The status and the JSON object that the provider answers with."""
        try:
            # No proxies of the environment, and no redirects: codes and secrets go to the address of the settings.
            async with (
                asyncio.timeout(PATIENCE_S),
                httpx.AsyncClient(
                    verify=_tls(),
                    timeout=PATIENCE_S,
                    trust_env=False,
                    follow_redirects=False,
                    headers={"accept": "application/json", "user-agent": "security-sieve"},
                ) as http,
                http.stream(method, url, data=data, auth=auth) as answer,
            ):
                body = bytearray()
                async for piece in answer.aiter_bytes():
                    body += piece
                    if len(body) > MAX_ANSWER:
                        raise ProviderUnreachable("the provider’s answer is too long")
        except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError) as error:
            log.info("single sign-on: the provider does not answer: %s", type(error).__name__)
            raise _unreachable() from error
        try:
            said = json.loads(body)
        except (ValueError, RecursionError) as error:
            if answer.status_code == 200:
                raise ProviderUnreachable("the provider’s answer is not JSON") from error
            said = {}
        if answer.status_code >= 500:
            raise _unreachable()
        return answer.status_code, said if isinstance(said, dict) else {}


def _key(listed: object) -> "Key | None":
    """A public key for signatures; None if it is something else. Shared secrets verify nothing here."""
    from joserfc.errors import JoseError
    from joserfc.jwk import JWKRegistry, OctKey, RSAKey

    if not isinstance(listed, dict) or listed.get("use", "sig") != "sig" or listed.get("kty") == "oct":
        return None
    try:
        key = JWKRegistry.import_key(listed)
        if isinstance(key, OctKey) or (isinstance(key, RSAKey) and key.raw_value.key_size < MIN_RSA_BITS):
            return None
        return key
    except (JoseError, ValueError, TypeError, KeyError):
        return None


def _unreachable() -> ProviderUnreachable:
    return ProviderUnreachable(
        Sentence("sso-unreachable", "the sign-in provider does not answer; try again later, or ask an admin")
    )


def _reason(error: Exception) -> str:
    """The kind of an error, and the claim that it is about."""
    claim = str(error) if isinstance(error, _BadClaim) else getattr(error, "claim", "")
    return f"{type(error).__name__} {claim}".strip()


@cache
def _tls() -> ssl.SSLContext:
    """Of the machine's certificate authorities; loaded once, because that takes long."""
    return ssl.create_default_context()
