"""A world with a provider, and browsers that sign in there."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
from pydantic import SecretStr

from browsers import browser
from oidc_server import CLIENT, SECRET, OidcServer, oidc_server
from sieve.demo import NO_TLS
from web_world import Ground, World
from world_building import build, close

HERE = "http://localhost"
RIGHTS = "authors=author,readers=recipient,secret=recipient+cleared,admins=admin"


@asynccontextmanager
async def with_provider(tmp_path: Path, ground: Ground, **settings: Any) -> AsyncIterator[tuple[World, OidcServer]]:
    """A world whose people can sign in with a running provider."""
    chosen = {"oidc_client_id": CLIENT, "oidc_client_secret": SecretStr(SECRET), "oidc_name": "Office", **settings}
    async with oidc_server() as provider:
        world = await build(tmp_path, ground, oidc_issuer=provider.issuer, **chosen)
        try:
            yield world, provider
        finally:
            await close(world)


def page(world: World, *, source: str = "127.0.0.1") -> httpx.AsyncClient:
    """A browser at the gateway's loopback address."""
    return browser(world, source=source, url=HERE)


async def begin(api: httpx.AsyncClient, **asked: Any) -> str:
    """Begins a flow; where the browser goes."""
    answer = await api.post("/session/sso/start", json=asked)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["url"])


async def at_provider(url: str) -> dict[str, str]:
    """Signs in there; what the provider adds to the address to which it leads the browser."""
    async with httpx.AsyncClient(trust_env=False, verify=NO_TLS) as http:
        answer = await http.get(url)
    assert answer.status_code == 302, answer.text
    back = urlsplit(answer.headers["location"])
    assert f"{back.scheme}://{back.netloc}{back.path}" == f"{HERE}/sign-in/sso"
    return dict(parse_qsl(back.query))


async def finish(api: httpx.AsyncClient, returned: dict[str, str]) -> httpx.Response:
    """What the gateway answers to that."""
    return await api.post("/session/sso", json=returned)


async def sso_sign_in(api: httpx.AsyncClient, **asked: Any) -> httpx.Response:
    """The whole flow."""
    return await finish(api, await at_provider(await begin(api, **asked)))


async def link_for(world: World, login: str, *, by: str = "root") -> str:
    """The code of a new one-time link of that person."""
    async with world.client(by) as api:
        found = {each["name"]: each["id"] for each in (await api.get("/people")).json()}
        answer = await api.post(f"/people/{found[login]}/link")
    assert answer.status_code == 201, answer.text
    return str(answer.json()["url"]).partition("#")[2]


async def linked(world: World, provider: OidcServer, login: str = "anna", subject: str = "of-anna") -> None:
    """Links that account with a subject of the provider."""
    provider.person = {"sub": subject}
    async with page(world) as api:
        answer = await sso_sign_in(api, link=await link_for(world, login))
    assert answer.status_code == 200, answer.text
