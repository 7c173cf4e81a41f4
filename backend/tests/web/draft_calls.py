"""Requests for the tests of drafts: create, save and send a draft, and count its rows."""

from typing import Any

import httpx

from databases import by_hand
from web_world import World

FIRST = "Berth <$S>3<$E> opens. 漢<$S>😀<$E>".encode()
SECOND = b"Berth <$S>4<$E><$S> or 5<$E> opens on <$S><$E>time.\r\n"
NOBODYS = "0" * 32


async def create(world: World, marked: bytes = FIRST, name: str = "memo.txt", who: str = "anna") -> dict[str, Any]:
    async with world.client(who) as api:
        answer = await api.post("/drafts", params={"form": "marked", "name": name}, content=marked)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


async def save(
    world: World, draft_id: str, revision: int, marked: bytes, who: str = "anna", **params: str
) -> httpx.Response:
    async with world.client(who) as api:
        return await api.put(
            f"/drafts/{draft_id}",
            params={"form": "marked", **params},
            headers={"If-Match": f'"{revision}"'},
            content=marked,
        )


async def send(world: World, document_id: str) -> str:
    asked = {"document_id": document_id, "peer": "bravo", "recipients": ["berta"]}
    async with world.client("anna") as api:
        answer = await api.post("/transfers", json=asked)
    assert answer.status_code == 202, answer.text
    return str(answer.json()["id"])


def rows(world: World, table: str) -> int:
    with by_hand(world.folder / "sieve.db") as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}")[0][0])  # noqa: S608 -- tests write it, no user
