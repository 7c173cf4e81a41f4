"""What a hostile provider, network or browser tries against single sign-on: each is refused; nobody is signed in."""

import asyncio
import base64
import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from joserfc import jwt
from joserfc.jwk import OctKey
from starlette.responses import JSONResponse, RedirectResponse, Response

from browsers import who_is
from oidc_server import OidcServer, key, oidc_server
from sieve.demo import NO_TLS
from sieve.gateway.clock import NS_PER_S
from sieve.gateway.errors import ProviderUnreachable
from sieve.gateway.sign_on.claims import ClaimRules
from sieve.gateway.sign_on.flows import LIFE_S, Flows
from sieve.gateway.sign_on.provider import FRESH_S, KEYS_FLOOR_S, RETRY_S, Client, Provider, TokenRefused
from sieve.store.master_keys import MasterKeys
from web.sso_calls import at_provider, begin, finish, linked, page, sso_sign_in, with_provider
from web_world import Ground, World

NOW = int(time.time())
Claims = dict[str, Any]


def changed(**values: Any) -> Callable[[OidcServer], None]:
    """The provider changes these claims; None removes one."""

    def change(claims: Claims) -> None:
        claims.update(values)
        for name in [name for name, value in claims.items() if value is None]:
            del claims[name]

    return lambda provider: setattr(provider, "change", change)


def signed(sign: Callable[[OidcServer, Claims], str]) -> Callable[[OidcServer], None]:
    """The provider signs like that."""
    return lambda provider: setattr(provider, "sign", lambda claims: sign(provider, claims))


def _b64(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def unsigned(provider: OidcServer, claims: Claims) -> str:
    header = json.dumps({"alg": "none", "kid": "one"}).encode()
    return f"{_b64(header)}.{_b64(json.dumps(claims).encode())}."


def by_public_key(provider: OidcServer, claims: Claims) -> str:
    # The classic: the public key, which everybody knows, as the secret of HMAC.
    secret = OctKey.import_key(base64.b64encode(provider.keys[0].as_pem(private=False)))
    return jwt.encode({"alg": "HS256", "kid": "one"}, claims, secret)


def by_client_secret(provider: OidcServer, claims: Claims) -> str:
    return jwt.encode({"alg": "HS256", "kid": "one"}, claims, OctKey.import_key("secret: with + and %, and longer"))


def by_other_key(provider: OidcServer, claims: Claims) -> str:
    return jwt.encode({"alg": "RS256", "kid": "one"}, claims, key("two"))


def by_own_key(provider: OidcServer, claims: Claims) -> str:
    header = {"alg": "RS256", "kid": "two", "jwk": key("two").as_dict(private=False)}
    return jwt.encode(header, claims, key("two"))


def by_other_algorithm(provider: OidcServer, claims: Claims) -> str:
    return jwt.encode({"alg": "PS256", "kid": "one"}, claims, provider.keys[0], algorithms=["PS256"])


def tampered(provider: OidcServer, claims: Claims) -> str:
    head, _, signature = provider.signed(claims).split(".")
    return f"{head}.{_b64(json.dumps(claims | {'sub': 'of-anna'}).encode())}.{signature[:-4]}AAAA"


def stripped(provider: OidcServer, claims: Claims) -> str:
    return provider.signed(claims).rpartition(".")[0] + "."


HOSTILE: dict[str, Callable[[OidcServer], None]] = {
    "wrong nonce": changed(nonce="another"),
    "no nonce": changed(nonce=None),
    "list of nonces": lambda provider: setattr(
        provider, "change", lambda claims: claims.update(nonce=[claims["nonce"]])
    ),
    "wrong issuer": changed(iss="http://127.0.0.1:1"),
    "no issuer": changed(iss=None),
    "wrong audience": changed(aud="another"),
    "no audience": changed(aud=None),
    "other audiences without azp": changed(aud=["sieve", "another"]),
    "azp of another": changed(aud=["sieve", "another"], azp="another"),
    "azp of another, one audience": changed(azp="another"),
    "expired": changed(exp=NOW - 3600),
    "never expires": changed(exp=None),
    "expiry is a text": changed(exp="9999999999"),
    "future iat": changed(iat=NOW + 3600),
    "no iat": changed(iat=None),
    "not yet valid": changed(nbf=NOW + 3600),
    "no subject": changed(sub=None),
    "empty subject": changed(sub=""),
    "subject is a number": changed(sub=7),
    "long subject": changed(sub="a" * 256),
    "alg none": signed(unsigned),
    "HS256 with the public key": signed(by_public_key),
    "HS256 with the client secret": signed(by_client_secret),
    "another key with that kid": signed(by_other_key),
    "a key of its own in the header": signed(by_own_key),
    "an algorithm that is not allowed": signed(by_other_algorithm),
    "tampered": signed(tampered),
    "no signature": signed(stripped),
    "no token": signed(lambda provider, claims: ""),
    "not a token": signed(lambda provider, claims: "a.b.c"),
    "claims are a list": signed(lambda provider, claims: "eyJhbGciOiJSUzI1NiJ9.W10.AAAA"),
}


async def test_forged_id_tokens_are_refused(tmp_path: Path, ground: Ground) -> None:
    async with with_provider(tmp_path, ground) as (world, provider):
        await linked(world, provider)
        genuine, sources = (provider.change, provider.sign), iter(range(1, 255))
        for what, how in HOSTILE.items():
            how(provider)
            # Each from a source of its own: what is refused is not to depend on the limit of tries.
            async with page(world, source=f"192.0.2.{next(sources)}") as api:
                answer = await sso_sign_in(api)
                assert answer.status_code == 403, (what, answer.text)
                assert answer.json()["said"]["code"] in ("sso-token-refused", "sso-code-refused"), what
                assert await who_is(api) is None, what
            provider.change, provider.sign = genuine

        def almost_late(claims: Claims) -> None:
            claims.update(exp=int(time.time()) - 20, iat=int(time.time()) + 20)

        late = lambda provider: setattr(provider, "change", almost_late)  # noqa: E731
        for fine in (changed(aud=["sieve"]), changed(aud=["sieve", "b"], azp="sieve"), late):
            fine(provider)
            async with page(world) as api:
                assert (await sso_sign_in(api)).status_code == 200


async def test_a_flow_counts_once_and_in_its_browser(tmp_path: Path, ground: Ground) -> None:
    async with with_provider(tmp_path, ground) as (world, provider):
        await linked(world, provider)
        async with page(world) as mine, page(world) as theirs:
            returned = await at_provider(await begin(mine))
            # Login CSRF: the victim's browser gets the attacker's answer, without a flow and with one of its own.
            assert (await finish(theirs, returned)).json()["said"]["code"] == "sso-start-again"
            await begin(theirs)
            assert (await finish(theirs, returned)).status_code == 403
            assert await who_is(theirs) is None

            for tampered in ({"state": returned["state"][:-1] + "é"}, {"state": ""}):
                assert (await finish(mine, returned | tampered)).status_code == 403
            for gone in ({"iss": "https://other.example"}, {"iss": None}):
                again = await at_provider(await begin(mine))
                answer = await finish(mine, {name: value for name, value in (again | gone).items() if value})
                assert answer.status_code == 403
                assert "/token" not in provider.paths[-2:]
            returned = await at_provider(await begin(mine))
            cookie = mine.cookies["sieve-alpha-sso"]
            assert (await finish(mine, returned)).status_code == 200
            assert "sieve-alpha-sso" not in mine.cookies
            mine.cookies.set("sieve-alpha-sso", cookie)
            assert (await finish(mine, returned)).json()["said"]["code"] == "sso-start-again"
            assert (await finish(mine, {"state": returned["state"], "error": "access_denied"})).status_code == 403


async def test_a_code_of_another_flow_is_worth_nothing(tmp_path: Path, ground: Ground) -> None:
    async with with_provider(tmp_path, ground) as (world, provider), page(world) as victim, page(world) as thief:
        await linked(world, provider)
        stolen = await at_provider(await begin(victim))
        own = await at_provider(await begin(thief))
        # The thief has the victim's code, but not the verifier.
        answer = await finish(thief, own | {"code": stolen["code"]})
        assert answer.json()["said"]["code"] == "sso-code-refused" and await who_is(thief) is None
        used = await at_provider(await begin(victim))
        assert (await finish(victim, used)).status_code == 200
        again = await at_provider(await begin(victim))
        assert (await finish(victim, again | {"code": used["code"]})).status_code == 403


async def test_where_the_browser_returns_to_is_not_the_requests_choice(tmp_path: Path, ground: Ground) -> None:
    async with with_provider(tmp_path, ground) as (world, provider), page(world) as api:
        for more in ({"redirect_uri": "https://evil.example"}, {"to": "//evil.example"}):
            assert (await api.post("/session/sso/start", json=more)).status_code == 422
        provider.registered = {"http://localhost/sign-in/sso"}
        url = await begin(api)
        async with httpx.AsyncClient(trust_env=False, verify=NO_TLS) as http:
            tampered = url.replace("%2Fsign-in%2Fsso", "%2Fevil")
            assert tampered != url and (await http.get(tampered)).status_code == 400
        for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example"):
            answer = await api.post(f"http://{host}/api/v1/session/sso/start", json={})
            assert answer.status_code in (400, 403, 421), host


async def test_another_subject_is_another_person(tmp_path: Path, ground: Ground) -> None:
    async with with_provider(tmp_path, ground) as (world, provider):
        await linked(world, provider, "anna", "of-anna")
        for subject in ("of-Anna", "of-anna ", "of-ann", "OF-ANNA"):
            provider.person = {"sub": subject, "email": "anna@example.org", "preferred_username": "anna"}
            async with page(world) as api:
                assert (await sso_sign_in(api)).json()["said"]["code"] == "sso-no-account"
        # The same subject of another issuer.
        async with oidc_server() as other:
            sso = world.services.sso
            assert sso is not None
            client = Client(other.issuer, "sieve", "secret: with + and %", "openid", ["RS256"], 60)
            # As after a start with the other issuer.
            restarted = replace(sso, provider=Provider(client))
            world.app.state.services = replace(world.services, sso=restarted)
            other.person = {"sub": "of-anna"}
            async with page(world) as api:
                assert (await sso_sign_in(api)).json()["said"]["code"] == "sso-no-account"


async def test_tries_are_limited_by_source(tmp_path: Path, ground: Ground) -> None:
    async with with_provider(tmp_path, ground) as (world, _), page(world) as api:
        answers = [(await finish(api, {"state": str(number), "code": "x"})).status_code for number in range(30)]
        assert answers[:20] == [403] * 20 and 429 in answers
        assert (await finish(api, {"state": "x", "code": "x"})).status_code == 429


class Ticks:
    """A clock that a test moves."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def provider_of(there: OidcServer, ticks: Ticks) -> Provider:
    client = Client(there.issuer, "sieve", "secret: with + and %", "openid", ["RS256"], 60)
    return Provider(client, ticks)


async def claims_of(provider: Provider, there: OidcServer) -> Any:
    """What a sign-in there gives."""
    asked = {"redirect_uri": "http://localhost/sign-in/sso", "nonce": "n", "verifier": "v" * 43}
    url = await provider.authorization_url(state="s", sign_in_again=False, **asked)
    code = (await at_provider(url))["code"]
    return await provider.claims(code=code, signed_in_since=None, now=int(time.time()), **asked)


async def test_an_unknown_key_is_fetched_but_not_often() -> None:
    ticks = Ticks()
    async with oidc_server() as there:
        provider = provider_of(there, ticks)
        assert (await claims_of(provider, there))["sub"] == "1234"
        there.keys = [key("two")]
        with pytest.raises(TokenRefused):
            await claims_of(provider, there)
        assert there.paths.count("/keys") == 1
        ticks.now += KEYS_FLOOR_S
        assert (await claims_of(provider, there))["sub"] == "1234"
        assert there.paths.count("/keys") == 2 and there.paths.count("/.well-known/openid-configuration") == 1
        there.sign = lambda claims: jwt.encode({"alg": "RS256", "kid": "three"}, claims, key("one"))
        for _ in range(3):
            with pytest.raises(TokenRefused):
                await claims_of(provider, there)
        assert there.paths.count("/keys") == 2
        # A key that the provider withdrew does not count for longer than an hour.
        there.sign, there.keys = None, [key("one")]
        ticks.now += FRESH_S
        await claims_of(provider, there)
        assert there.paths.count("/.well-known/openid-configuration") == 2


def discovery(**values: Any) -> Callable[[OidcServer], Response]:
    return lambda there: JSONResponse(there.discovery() | values)


BAD_PROVIDERS: dict[str, tuple[str, Callable[[OidcServer], Response]]] = {
    "names another issuer": ("/.well-known/openid-configuration", discovery(issuer="http://127.0.0.1:1")),
    "plain http elsewhere": ("/.well-known/openid-configuration", discovery(token_endpoint="http://evil.example/t")),
    "no keys' address": ("/.well-known/openid-configuration", discovery(jwks_uri=None)),
    "other algorithms": (
        "/.well-known/openid-configuration",
        discovery(id_token_signing_alg_values_supported=["HS256"]),
    ),
    "leads elsewhere": ("/.well-known/openid-configuration", lambda there: RedirectResponse(f"{there.issuer}/keys")),
    "not JSON": ("/.well-known/openid-configuration", lambda there: Response("<html>")),
    "a list": ("/.well-known/openid-configuration", lambda there: JSONResponse([])),
    "too long": ("/keys", lambda there: Response(b" " * 600_000)),
    "no keys": ("/keys", lambda there: JSONResponse({"keys": []})),
    "only shared secrets": ("/keys", lambda there: JSONResponse({"keys": [{"kty": "oct", "k": "c2VjcmV0"}]})),
    "only keys for encryption": (
        "/keys",
        lambda there: JSONResponse({"keys": [key("one").as_dict(private=False) | {"use": "enc"}]}),
    ),
    "broken keys": ("/keys", lambda there: JSONResponse({"keys": [{"kty": "RSA"}, 7, {"kty": "EC", "x": 1}]})),
    "down": ("/keys", lambda there: Response(status_code=503)),
}


async def test_a_provider_that_cannot_be_used_is_asked_again_later() -> None:
    async with oidc_server() as there:
        for what, (path, answer) in BAD_PROVIDERS.items():
            ticks = Ticks()
            provider = provider_of(there, ticks)
            there.answers = {path: answer(there)}
            with pytest.raises(ProviderUnreachable):
                await provider.metadata()
            problem = provider.problem
            assert problem and "\n" not in problem and len(problem) < 200, what
            there.answers, asked = {}, len(there.paths)
            with pytest.raises(ProviderUnreachable):
                await provider.metadata()
            assert len(there.paths) == asked, what
            ticks.now += RETRY_S
            await asyncio.gather(*(provider.metadata() for _ in range(5)))
            assert provider.problem is None and len(there.paths) == asked + 2, what


async def test_a_provider_that_does_not_know_this_gateway_says_so_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async with oidc_server() as there:
        provider = Provider(Client(there.issuer, "sieve", "wrong secret", "openid", ["RS256"], 60))
        with pytest.raises(ProviderUnreachable, match="does not accept this gateway"):
            await claims_of(provider, there)
    assert (
        "invalid_client" in caplog.text and "wrong secret" not in caplog.text and "wrong secret" not in repr(provider)
    )


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), st.text(max_size=50))
async def test_no_cookie_but_its_own_opens_a_flow(world: World, noise: bytes, state: str) -> None:
    flows = Flows(MasterKeys([bytes(range(32))]), lambda: 0)
    async with world.database.write() as session:
        assert await flows.use(session, base64.urlsafe_b64encode(noise).decode(), state) is None
        assert await flows.use(session, noise.decode("latin-1"), state) is None
        flow, cookie = flows.begin("sign-in", "http://localhost/sign-in/sso", 0)
        assert await flows.use(session, cookie, state) is None
        assert await Flows(MasterKeys([bytes(32)])).use(session, cookie, flow.state) is None
        assert await flows.use(session, cookie, flow.state) == flow
        assert await flows.use(session, cookie, flow.state) is None


async def test_a_flow_lasts_ten_minutes(world: World) -> None:
    flows = Flows(MasterKeys([bytes(range(32))]), lambda: LIFE_S * NS_PER_S)
    last, young = flows.begin("sign-in", "http://localhost/sign-in/sso", 1)
    flow, old = flows.begin("sign-in", "http://localhost/sign-in/sso", 0)
    async with world.database.write() as session:
        assert await flows.use(session, old, flow.state) is None
        assert await flows.use(session, young, last.state) == last


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["staff", "groups", "a"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["groups", "a", "b"]), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(
    st.dictionaries(st.sampled_from(["groups", "a", "acr", "amr"]), JSON, max_size=4),
    st.sampled_from(["groups", "a.b"]),
)
def test_only_a_mapped_value_gives_a_right(claims: Claims, name: str) -> None:
    rules = ClaimRules("l", "n", name, {"staff": frozenset({"is_author"})}, frozenset({"staff"}))
    found = rules.rights_of(claims)
    assert found is not None and set(found) == {"is_author", "is_recipient", "is_admin", "cleared"}
    assert not any(found[column] for column in ("is_recipient", "is_admin", "cleared"))
    text = json.dumps(claims)
    assert not found["is_author"] or '"staff"' in text
    assert not rules.has_second_factor(claims) or '"staff"' in text
