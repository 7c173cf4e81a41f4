"""Calls of browsers that add and give second factors."""

from typing import Any

import httpx
import pyotp
from sqlalchemy import text

from browsers import browser, give_password, sign_in
from sieve.store.models import AuthenticatorApp
from sieve.store.queries import sessions
from sieve.store.queries.conditional_update import update_where
from soft_authenticator import SoftAuthenticator
from web_world import World

LOCALHOST = "http://localhost"


def local_browser(world: World, source: str = "127.0.0.1") -> httpx.AsyncClient:
    """A browser at an address where passkeys work."""
    return browser(world, url=LOCALHOST, source=source)


async def add_app(api: httpx.AsyncClient) -> tuple[pyotp.TOTP, list[str] | None]:
    """Sets up an authenticator app; returns it with the recovery codes."""
    made = (await api.post("/factors/app")).json()
    app = pyotp.TOTP(made["secret"])
    answer = await api.post("/factors/app/confirmation", json={"code": app.now()})
    assert answer.status_code == 200, answer.text
    return app, answer.json()["recovery_codes"]


async def add_passkey(
    api: httpx.AsyncClient, authenticator: SoftAuthenticator | None = None, name: str = "laptop"
) -> tuple[SoftAuthenticator, list[str] | None]:
    """Adds a passkey; returns its authenticator with the recovery codes."""
    authenticator = authenticator or SoftAuthenticator()
    options = (await api.get("/factors/passkey-options")).json()
    answer = await api.post("/factors/passkeys", json={"name": name, "passkey": authenticator.create(options)})
    assert answer.status_code == 201, answer.text
    return authenticator, answer.json()["recovery_codes"]


async def with_app(world: World, who: str = "anna") -> tuple[pyotp.TOTP, list[str]]:
    """Gives that person a password and an authenticator app; returns it with the recovery codes."""
    await give_password(world, who)
    async with local_browser(world) as api:
        assert (await sign_in(api, who)).status_code == 200
        app, codes = await add_app(api)
    assert codes is not None
    await forget_last_step(world)
    return app, codes


async def with_passkey(
    world: World, who: str = "anna", authenticator: SoftAuthenticator | None = None
) -> SoftAuthenticator:
    """Gives that person a password and a passkey."""
    await give_password(world, who)
    async with local_browser(world) as api:
        assert (await sign_in(api, who)).status_code == 200
        return (await add_passkey(api, authenticator))[0]


async def forget_last_step(world: World) -> None:
    """Does as if the latest codes of all apps were used long ago."""
    async with world.database.write() as session:
        await update_where(session, AuthenticatorApp, last_step=None)


async def forget_confirmation(world: World, api: httpx.AsyncClient) -> None:
    """Does as if this browser's person had signed in long ago."""
    async with world.database.write() as session:
        found = await sessions.owner(session, api.cookies["sieve-alpha"], 0, 1e9)
        assert found is not None
        await sessions.confirm(session, found[0].id, 1)


async def prolong_waits(world: World) -> None:
    """Makes every wait after failures an hour longer, so that a slow test still meets it."""
    longer = "UPDATE sign_in_failures SET blocked_until_ns = blocked_until_ns + 3600000000000"
    async with world.database.write() as session:
        await session.execute(text(f"{longer} WHERE blocked_until_ns > last_at_ns"))


async def options_for(api: httpx.AsyncClient, purpose: str) -> Any:
    """The options of `navigator.credentials.get()`."""
    answer = await api.get("/session/passkey-options", params={"purpose": purpose})
    assert answer.status_code == 200, answer.text
    return answer.json()
