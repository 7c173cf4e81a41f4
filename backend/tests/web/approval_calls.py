"""Calls of admins who reset accounts, clear people and agree, and what an account then opens."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from browsers import browser
from sieve.gateway.clock import now_ns
from web_world import World

SECRET = b"<$S>the secret<$E> memo"
NEW_PASSWORD = "another horse battery"


async def full(api: httpx.AsyncClient, transfer_id: str) -> int:
    """The status of the whole document; the other ways to it must agree, and give nothing more."""
    answer = await api.get(f"/inbox/{transfer_id}/content")
    opens = answer.status_code == 200
    assert (b"the secret" in answer.content) == opens
    assert ((await api.get(f"/inbox/{transfer_id}/content?edition=marked")).status_code == 200) == opens
    zipped = await api.post("/inbox/archive", json={"ids": [await entry_id(api, transfer_id)], "edition": "full"})
    assert (b"not-included.txt" not in zipped.content) == opens
    entry = (await api.get(f"/inbox/{transfer_id}")).json()
    assert (entry["withheld"] is None) == ("full" in entry["editions"]) == opens
    for field in ("document_bytes", "classified_bytes", "mode"):
        assert (entry[field] is not None) == opens
    receipt = (await api.get(f"/inbox/{transfer_id}/receipt")).json()
    assert ("receipt" in receipt) == opens
    assert (await api.get(f"/inbox/{transfer_id}/full/outline")).status_code != 403 or not opens
    assert (await api.get(f"/inbox/{transfer_id}/content?edition=redacted")).status_code == 200
    return answer.status_code


async def entry_id(api: httpx.AsyncClient, transfer_id: str) -> str:
    return str((await api.get(f"/inbox/{transfer_id}")).json()["id"])


async def waiting(world: World, who: str = "root") -> list[tuple[str, str, str | None]]:
    async with world.client(who) as api:
        found = (await api.get("/approvals")).json()["waiting"]
    return [(each["kind"], each["person"], each["asked_by"]) for each in found]


async def answer(world: World, who: str, what: str = "agree", kind: str | None = None) -> int:
    """The status of that admin's answer to the only request, or the only one of that kind."""
    async with world.client(who) as api:
        asked = (await api.get("/approvals")).json()["waiting"]
        [one] = [each for each in asked if kind in (None, each["kind"])]
        response = await api.post(f"/approvals/{one['id']}/{what}")
    assert (response.status_code == 204) == one[f"may_{what}"], response.text
    return response.status_code


async def link(world: World, who: str, by: str = "root") -> str:
    async with world.client(by) as api:
        made = await api.post(f"/people/{world.people[who].id}/link")
    assert made.status_code == 201, made.text
    return str(made.json()["url"]).partition("#")[2]


@asynccontextmanager
async def reset(
    world: World, who: str, by: str = "root", *, url: str = "http://alpha"
) -> AsyncIterator[httpx.AsyncClient]:
    """A browser that used a link from that admin."""
    async with browser(world, url=url) as api:
        used = await api.post("/welcome", json={"code": await link(world, who, by), "password": NEW_PASSWORD})
        assert used.status_code == 200, used.text
        yield api


async def clear(world: World, who: str, by: str = "root", *, cleared: bool = True) -> Any:
    async with world.client(by) as api:
        changed = await api.patch(f"/people/{world.people[who].id}", json={"cleared": cleared})
    assert changed.status_code == 200, changed.text
    return changed.json()


async def deliver_now(world: World, document: bytes) -> str:
    """Delivers a document at the real time."""
    return await world.deliver(document, at_ns=now_ns())
