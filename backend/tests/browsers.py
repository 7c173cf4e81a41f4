"""Browsers at a world's gateway, people with passwords, and the passing of time."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import httpx
from sqlalchemy import text

from cheap_hasher import CHEAP
from sieve.store.queries import people
from web_world import World

PASSWORD = "correct horse battery"
OURS = {"Sec-Fetch-Site": "same-origin"}

_TIMES = {
    "sessions": ("created_at_ns", "last_used_at_ns", "expires_at_ns"),
    "one_time_links": ("created_at_ns", "expires_at_ns"),
    "sign_in_failures": ("last_at_ns", "blocked_until_ns"),
    "unfinished_sign_ins": ("expires_at_ns",),
}


def browser(world: World, *, source: str = "127.0.0.1", url: str = "http://alpha") -> httpx.AsyncClient:
    """A browser with a page of the gateway open: it keeps cookies and says where its requests come from."""
    transport = httpx.ASGITransport(world.app, client=(source, 50000))
    return httpx.AsyncClient(transport=transport, base_url=f"{url}/api/v1", headers=OURS)


async def give_password(world: World, who: str, password: str = PASSWORD) -> None:
    """Lets that person sign in."""
    async with world.database.write() as session:
        await people.change(session, world.people[who].id, password_hash=CHEAP.hash(password))


async def sign_in(api: httpx.AsyncClient, who: str, password: str = PASSWORD, **more: Any) -> httpx.Response:
    """What the gateway answers to that."""
    return await api.post("/session", json={"name": who, "password": password}, **more)


@asynccontextmanager
async def signed_in(world: World, who: str = "anna") -> AsyncIterator[httpx.AsyncClient]:
    """A browser in which that person is signed in."""
    await give_password(world, who)
    async with browser(world) as api:
        answer = await sign_in(api, who)
        assert answer.status_code == 200, answer.text
        yield api


async def who_is(api: httpx.AsyncClient) -> str | None:
    """The login of who is signed in there."""
    person = (await api.get("/session")).json()["person"]
    return None if person is None else str(person["name"])


async def pass_time(world: World, table: str, by: timedelta, *, but: str | None = None) -> None:
    """Does to the rows of `table` as if so much time had passed; `but`: not to that column."""
    ns = int(by.total_seconds() * 1_000_000_000)
    columns = ", ".join(f"{column} = {column} - {ns}" for column in _TIMES[table] if column != but)
    async with world.database.write() as session:
        await session.execute(text(f"UPDATE {table} SET {columns}"))  # noqa: S608 -- our own names
