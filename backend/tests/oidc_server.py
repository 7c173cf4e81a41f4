"""An OpenID Connect provider on a real socket, which can also be hostile.

The browser stories sign in with a provider that others wrote. This one does what providers do: discovery, keys, codes
that count once, PKCE, client authentication, signed ID tokens.
`person` is whom it signs in. `change` and `sign` let a test forge the ID token; `answers` replaces what a path answers.
"""

import asyncio
import base64
import hashlib
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import parse_qs, unquote_plus, urlencode

from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from sieve.gateway.runtime.listeners import address_of, bind, server

CLIENT = "sieve"
SECRET = "secret: with + and %"


@cache
def key(kid: str) -> RSAKey:
    """A key of the provider; the same in all tests."""
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig"})


@dataclass
class OidcServer:
    """`registered`: where it may lead browsers; None for anywhere. `asked`: the authorization requests; `paths`: of all
    requests.
    """

    issuer: str
    person: dict[str, Any] = field(default_factory=lambda: {"sub": "1234", "preferred_username": "ines"})
    registered: set[str] | None = None
    keys: list[RSAKey] = field(default_factory=lambda: [key("one")])
    change: Callable[[dict[str, Any]], None] = lambda claims: None
    sign: Callable[[dict[str, Any]], str] | None = None
    answers: dict[str, Response] = field(default_factory=dict)
    asked: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    codes: dict[str, tuple[dict[str, str], dict[str, Any]]] = field(default_factory=dict)
    ended: list[dict[str, str]] = field(default_factory=list)

    def discovery(self) -> dict[str, Any]:
        """What the discovery document says."""
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "end_session_endpoint": f"{self.issuer}/end",
            "id_token_signing_alg_values_supported": ["RS256"],
            "authorization_response_iss_parameter_supported": True,
        }

    def signed(self, claims: dict[str, Any], header: dict[str, Any] | None = None) -> str:
        """An ID token as the provider makes it."""
        return jwt.encode(header or {"alg": "RS256", "kid": self.keys[0].kid}, claims, self.keys[0])

    def app(self) -> Starlette:
        """Its routes."""
        paths = {
            "/.well-known/openid-configuration": (self._discover, "GET"),
            "/keys": (self._keys, "GET"),
            "/authorize": (self._authorize, "GET"),
            "/token": (self._token, "POST"),
            "/end": (self._end, "GET"),
        }
        return Starlette(
            routes=[Route(path, self._noted(route), methods=[how]) for path, (route, how) in paths.items()]
        )

    def _noted(self, route: Callable[[Request], Any]) -> Callable[[Request], Any]:
        async def noted(request: Request) -> Response:
            self.paths.append(request.url.path)
            found = self.answers.get(request.url.path)
            answer: Response = await route(request) if found is None else found
            return answer

        return noted

    async def _discover(self, request: Request) -> Response:
        return JSONResponse(self.discovery())

    async def _keys(self, request: Request) -> Response:
        return JSONResponse({"keys": [each.as_dict(private=False) for each in self.keys]})

    async def _authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        assert asked["client_id"] == CLIENT and asked["response_type"] == "code", asked
        assert "openid" in asked["scope"].split() and asked["code_challenge_method"] == "S256"
        if self.registered is not None and asked["redirect_uri"] not in self.registered:
            return Response("this address is not registered", 400)
        self.asked.append(asked)
        code = secrets.token_urlsafe(16)
        self.codes[code] = (asked, self.person)
        returned = urlencode({"code": code, "state": asked["state"], "iss": self.issuer})
        return RedirectResponse(f"{asked['redirect_uri']}?{returned}", 302)

    async def _token(self, request: Request) -> Response:
        given = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
        scheme, _, encoded = request.headers.get("authorization", "").partition(" ")
        user, _, password = base64.b64decode(encoded).decode().partition(":")
        if scheme != "Basic" or (unquote_plus(user), unquote_plus(password)) != (CLIENT, SECRET):
            return JSONResponse({"error": "invalid_client"}, 401)
        asked, person = self.codes.pop(given.get("code", ""), ({}, {}))
        challenge = hashlib.sha256(given.get("code_verifier", "").encode()).digest()
        if (
            given.get("grant_type") != "authorization_code"
            or asked.get("redirect_uri") != given.get("redirect_uri")
            or asked.get("code_challenge") != base64.urlsafe_b64encode(challenge).rstrip(b"=").decode()
        ):
            return JSONResponse({"error": "invalid_grant"}, 400)
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": asked["nonce"], **person}
        if "max_age" in asked:
            claims.setdefault("auth_time", now)
        self.change(claims)
        token = self.signed(claims) if self.sign is None else self.sign(claims)
        return JSONResponse({"access_token": "unused", "token_type": "Bearer", "id_token": token})

    async def _end(self, request: Request) -> Response:
        self.ended.append(dict(request.query_params))
        return RedirectResponse(request.query_params["post_logout_redirect_uri"], 302)


@asynccontextmanager
async def oidc_server() -> AsyncIterator[OidcServer]:
    """A running provider, on a free port of loopback."""
    sock = bind("127.0.0.1:0")
    provider = OidcServer(f"http://{address_of(sock)}")
    http = server(provider.app())
    serving = asyncio.create_task(http.serve(sockets=[sock]))
    try:
        yield provider
    finally:
        http.should_exit = True
        await serving
