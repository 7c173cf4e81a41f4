"""Nobody who acts as the owner of an account deletes or changes what a reset locked in it (ADR 37)."""

from dataclasses import replace
from typing import Any

import httpx
import pytest

from sieve.gateway.clock import Clock, now_ns
from sieve.gateway.documents.retention import DAY_NS, Retention
from sieve.store.queries import approvals, people
from web.approval_calls import SECRET, full
from web.draft_calls import create
from web_world import World

CHANGES: list[dict[str, Any]] = [
    {"change": "tag", "tag": "other"},
    {"change": "untag", "tag": "mine"},
    {"change": "template"},
    {"change": "delete"},
    {"change": "restore"},
    {"change": "delete forever"},
]


async def lock(world: World, who: str) -> None:
    async with world.database.write() as session:
        await approvals.lock(session, await person(world, who, session), None, 1)


async def unlock(world: World, who: str) -> None:
    async with world.database.write() as session:
        await approvals.confirm_all(session, await person(world, who, session), now_ns())


async def person(world: World, who: str, session: Any) -> Any:
    return await people.by_id(session, world.people[who].id)


def retention(world: World) -> Retention:
    """As it removes things a year from now; received documents stay for as long as their readers want."""
    services, clock = world.services, Clock(lambda: now_ns() + 365 * DAY_NS, lambda: 0)
    return Retention(services.database, services.blobs, services.announcements, None, clock)


async def listed(api: httpx.AsyncClient) -> dict[str, Any]:
    """What lists of drafts and documents say."""
    paths = ("/drafts", "/drafts?deleted=true", "/drafts/counts", "/drafts/ids", "/drafts/tags", "/documents")
    return {path: (await api.get(path)).json() for path in paths}


async def test_locked_drafts_stay_as_they_are(world: World) -> None:
    kept, trashed = [(await create(world, name=name))["id"] for name in ("kept.txt", "trashed.txt")]
    await world.upload(b"a")
    async with world.client("anna") as api:
        await api.post("/drafts/changes", json={"ids": [kept], "change": "tag", "tag": "mine"})
        await api.post("/drafts/changes", json={"ids": [trashed], "change": "delete"})
        before = await listed(api)
        await lock(world, "anna")
        for asked in CHANGES:
            answer = await api.post("/drafts/changes", json={"ids": [kept, trashed], **asked})
            assert (answer.status_code, answer.json()["ids"]) == (200, []), asked
        empty = await listed(api)
        assert await retention(world).remove() == 0
        await unlock(world, "anna")
        after = await listed(api)
    assert not any("txt" in str(empty[path]) for path in empty)
    assert empty["/drafts/counts"]["drafts"] == len(empty["/drafts/ids"]["ids"]) == 0
    assert empty["/drafts/tags"] == {"tags": []} and empty["/documents"]["items"] == []
    [deleted] = after["/drafts?deleted=true"]["items"]
    assert deleted["id"] == trashed
    del before["/drafts?deleted=true"], after["/drafts?deleted=true"]
    assert after == before


async def test_locked_documents_that_were_sent_are_in_no_list_of_their_author(world: World) -> None:
    transfer_id = await world.send(b"a", name="berths.txt")
    paths = ("/transfers", "/transfers?search=berths", "/transfers/ids", "/transfers/ids?search=berths")
    counts = ("/transfers/counts", "/transfers/counts?search=berths")
    async with world.client("anna") as api:
        before = [(await api.get(path)).json() for path in (*paths, *counts)]
        await lock(world, "anna")
        for path in paths:
            found = (await api.get(path)).json()
            assert found.get("items", found.get("ids")) == [], path
        for path in counts:
            assert (await api.get(path)).json()["transfers"] == 0
        one = f"/transfers/{transfer_id}"
        for path in (one, f"{one}/events", f"{one}/receipt", f"{one}/verification"):
            assert (await api.get(path)).status_code == 404, path
        for path in (f"{one}/cancel", f"{one}/requeue"):
            assert (await api.post(path)).status_code == 404, path
        changed = await api.post("/transfers/changes", json={"ids": [transfer_id], "change": "cancel"})
        assert changed.json()["ids"] == []
        later = await world.send(b"b", name="later.txt")
        assert (await api.get("/transfers/ids")).json()["ids"] == [later]
        async with world.client("root") as admin:
            assert [each["name"] for each in (await admin.get("/transfers")).json()["items"]] == [
                "later.txt",
                "berths.txt",
            ]
        await unlock(world, "anna")
        assert (await api.get(one)).status_code == 200
        assert transfer_id in (await api.get("/transfers/ids")).json()["ids"]
    assert before[0]["items"][0]["name"] == "berths.txt"


async def test_recent_recipients_do_not_come_from_locked_documents(world: World) -> None:
    await world.send(b"a")
    async with world.client("anna") as api:
        before = (await api.get("/recipients/recent")).json()
        await lock(world, "anna")
        assert (await api.get("/recipients/recent")).json() == []
        await unlock(world, "anna")
        assert (await api.get("/recipients/recent")).json() == before != []


async def test_locked_entries_of_the_inbox_are_not_deleted_for_good(world: World) -> None:
    transfer_id = await world.deliver(SECRET, to=("bruno",))
    await lock(world, "bruno")
    async with world.client("bruno") as api:
        entry = (await api.get(f"/inbox/{transfer_id}")).json()["id"]
        forever = {"ids": [entry], "change": "delete forever"}
        for _ in range(2):
            refused = await api.delete(f"/inbox/{transfer_id}", params={"forever": True})
            assert (refused.status_code, refused.json()["said"]["code"]) == (403, "locked-forever")
            assert (await api.post("/inbox/changes", json=forever)).json() == {"ids": [], "locked": 1}
            await api.delete(f"/inbox/{transfer_id}")  # the second time in the trash
        assert await retention(world).remove() == 0
        await unlock(world, "bruno")
        assert (await api.post(f"/inbox/{transfer_id}/restore")).status_code == 200
        assert await full(api, transfer_id) == 200
        assert (await api.post("/inbox/changes", json=forever)).json() == {"ids": [entry], "locked": 0}


@pytest.mark.parametrize("what", ["entry", "draft"])
async def test_the_days_in_the_trash_begin_when_it_is_unlocked(world: World, what: str) -> None:
    async with world.client("bruno" if what == "entry" else "anna") as api:
        if what == "entry":
            path = f"/inbox/{await world.deliver(SECRET, to=('bruno',))}"
        else:
            path = f"/drafts/{(await create(world))['id']}"
        assert (await api.delete(path)).status_code == 204
        await lock(world, "bruno" if what == "entry" else "anna")
        async with world.database.write() as session:
            owner = await person(world, "bruno" if what == "entry" else "anna", session)
            await approvals.confirm_all(session, owner, now_ns() + 40 * DAY_NS)
        later = Clock(lambda: now_ns() + 45 * DAY_NS, lambda: 0)
        assert await replace(retention(world), clock=later).remove() == 0
        assert (await api.post(f"{path}/restore")).status_code == 200
