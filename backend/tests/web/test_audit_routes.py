"""The audit log: what is in it, that it comes with what it tells of, and its pages."""

from typing import Any

import pytest

from sieve.gateway.audit import Audit
from sieve.store.queries import audit
from web_world import World


async def entries(world: World, query: str = "") -> Any:
    async with world.client("root") as api:
        answer = await api.get(f"/audit{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def told(page: Any) -> list[tuple[str, str]]:
    return [(entry["action"], entry["subject"]) for entry in page["items"]]


async def test_what_is_done_to_people_is_told(world: World) -> None:
    async with world.client("root") as api:
        made = (await api.post("/people", json={"name": "zoe", "display_name": "Zoe", "is_author": True})).json()
        assert (await api.post("/people", json={"name": "zoe", "display_name": "Zoe"})).status_code == 409
        await api.patch(f"/people/{made['id']}", json={"is_admin": True})
        await api.patch(f"/people/{made['id']}", json={})
        token = (await api.post(f"/people/{made['id']}/tokens", json={"label": "laptop"})).json()
        await api.post(f"/people/{made['id']}/link")
        await api.patch(f"/people/{made['id']}", json={"disabled": True})
    page = await entries(world)
    assert told(page) == [
        ("person-changed", "zoe"),
        ("link-given", "zoe"),
        ("token-given", "zoe"),
        ("person-changed", "zoe"),
        ("person-added", "zoe"),
    ]
    details = [entry["details"] for entry in page["items"]]
    assert details[0]["disabled"] and details[3]["admin"] and not details[4]["admin"]
    assert details[2] == {"token": token["id"]}
    assert token["token"] not in str(page)
    assert {(entry["actor"], entry["reason"]) for entry in page["items"]} == {("root", None)}


async def test_what_is_done_to_peers_is_told(world: World) -> None:
    async with world.client("root") as api:
        assert (await api.post("/peers/bravo/confirm", json={"code": "wrong"})).status_code == 409
        assert (await api.post("/peers/bravo/confirm", json={"code": "AAAAA-BBBBB-CCCCC-DDDDD"})).status_code == 200
        assert (await api.delete("/peers/bravo")).status_code == 204
    assert told(await entries(world)) == [("peer-removed", "bravo"), ("peer-confirmed", "bravo")]


async def test_what_cannot_be_witnessed_is_not_done(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*arguments: Any, **more: Any) -> None:
        raise RuntimeError("the disk is gone")

    monkeypatch.setattr(Audit, "note", fails)
    async with world.client("root") as api:
        before = (await api.get("/people")).json()
        asked = {"name": "zoe", "display_name": "Zoe"}
        assert (await api.post("/people", json=asked)).status_code == 500
        assert (await api.get("/people")).json() == before
        assert (await api.delete("/peers/bravo")).status_code == 500
        assert (await api.get("/peers/bravo")).status_code == 200
        rules = [{"kind": "keywords", "keywords": ["a"]}]
        assert (await api.post("/policies", json={"name": "n", "rules": rules})).status_code == 500
        assert (await api.get("/policies")).json() == []


async def test_pages(world: World) -> None:
    async with world.client("root") as api:
        for number in range(5):
            await api.post("/people", json={"name": f"zoe{number}", "display_name": "Zoe"})
    first = await entries(world, "?limit=3")
    second = await entries(world, f"?limit=3&after={first['next']}")
    assert told(first) + told(second) == [("person-added", f"zoe{number}") for number in (4, 3, 2, 1, 0)]
    assert second["next"] is None


async def test_a_reason_that_does_not_open_hides_nothing_else(world: World) -> None:
    async with world.database.write() as session:
        for number in range(2):
            await world.services.audit.note(session, "anna", "labels-lowered", f"d{number}", reason="known")
    async with world.database.write() as session:
        [entry, _] = await audit.page(session, after=None, limit=2)
        entry.reason = bytes(200)
    broken, whole = (await entries(world))["items"]
    assert (broken["subject"], whole["subject"], whole["reason"]) == ("d1", "d0", "known")
    assert "cannot be opened" in broken["reason"]
