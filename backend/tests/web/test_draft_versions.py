"""Versions of drafts: listed, looked at, brought back, thinned and deleted."""

from typing import Any

import httpx

from any_files import GOOD
from databases import by_hand
from sieve.gateway.clock import Clock, now_ns
from sieve.gateway.documents.versions import DAY_NS, HOUR_NS, MINUTE_NS, VersionRetention
from web.draft_calls import FIRST, NOBODYS, SECOND, create, save, send
from web_world import World


def age(world: World, draft_id: str, by_ns: int) -> None:
    """Makes a draft and its versions so much older."""
    with by_hand(world.folder / "sieve.db") as database:
        for table, column in (("drafts", "id"), ("documents", "draft_id")):
            database.execute(
                f"UPDATE {table} SET created_at_ns = created_at_ns - ? WHERE {column} = ?",  # noqa: S608 -- no user
                (by_ns, draft_id),
            )


async def versions(world: World, draft_id: str, who: str = "anna") -> dict[str, Any]:
    async with world.client(who) as api:
        answer = await api.get(f"/drafts/{draft_id}/versions")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def kept(world: World, draft_id: str) -> list[int]:
    return [version["revision"] for version in (await versions(world, draft_id))["versions"]]


async def restore(world: World, draft_id: str, revision: int, version: int, who: str = "anna") -> httpx.Response:
    async with world.client(who) as api:
        return await api.post(f"/drafts/{draft_id}/versions/{version}/restore", headers={"If-Match": f'"{revision}"'})


async def content(world: World, document_id: str) -> bytes:
    async with world.client("anna") as api:
        return (await api.get(f"/documents/{document_id}/content", params={"edition": "marked"})).content


async def test_a_save_of_another_minute_stays_and_can_be_read(world: World) -> None:
    made = await create(world)
    age(world, made["id"], 2 * MINUTE_NS)
    await save(world, made["id"], 1, b"Berth <$S>9<$E>")
    await save(world, made["id"], 2, SECOND)
    found = await versions(world, made["id"])
    assert [(each["revision"], each["sent"]) for each in found["versions"]] == [(3, []), (1, [])]
    assert found["revision"] == 3 and found["stored_bytes"] > 0
    first = found["versions"][1]
    assert first["document_id"] == made["document_id"]
    assert (first["document_bytes"], first["classified_bytes"]) == (made["document_bytes"], made["classified_bytes"])
    assert await content(world, first["document_id"]) == FIRST


async def test_a_version_that_was_sent_says_where_and_stays(world: World) -> None:
    made = await create(world)
    transfer = await send(world, made["document_id"])
    await save(world, made["id"], 1, SECOND)
    found = (await versions(world, made["id"]))["versions"]
    assert [each["revision"] for each in found] == [2, 1]
    sent = found[1]["sent"]
    assert [(each["id"], each["peer"], each["state"]) for each in sent] == [(transfer, "bravo", "queued")]


async def test_bringing_one_back_is_a_new_save_and_loses_nothing(world: World) -> None:
    made = await create(world)
    age(world, made["id"], 2 * MINUTE_NS)
    second = (await save(world, made["id"], 1, SECOND, name="other.txt")).json()
    files = len(world.blob_files())
    assert (await restore(world, made["id"], 1, 1)).status_code == 412
    answer = await restore(world, made["id"], 2, 1)
    assert answer.status_code == 200, answer.text
    assert (answer.json()["revision"], answer.json()["name"]) == (3, "other.txt")
    assert len(world.blob_files()) == files
    assert await content(world, answer.json()["document_id"]) == FIRST
    # The next save is in the same minute as the one that was replaced.
    assert (await save(world, made["id"], 3, b"third")).status_code == 200
    assert await kept(world, made["id"]) == [4, 2, 1]
    assert await content(world, second["document_id"]) == SECOND
    assert (await restore(world, made["id"], 4, 2)).status_code == 200
    assert (await restore(world, made["id"], 5, 3)).status_code == 404


async def test_a_version_that_was_not_sent_must_be_brought_back_to_be_sent(world: World) -> None:
    made = await create(world)
    age(world, made["id"], 2 * MINUTE_NS)
    await save(world, made["id"], 1, SECOND)
    asked = {"document_id": made["document_id"], "peer": "bravo", "recipients": ["berta"]}
    async with world.client("anna") as api:
        answer = await api.post("/transfers", json=asked)
    assert answer.status_code == 409 and "saved again" in answer.json()["detail"]


async def test_what_was_sent_can_be_sent_again_as_it_was(world: World) -> None:
    made = await create(world)
    await send(world, made["document_id"])
    await save(world, made["id"], 1, SECOND)
    again = await send(world, made["document_id"])
    async with world.client("anna") as api:
        shown = (await api.get(f"/transfers/{again}")).json()
    assert (shown["document_id"], shown["revision"]) == (made["document_id"], 1)


async def test_versions_of_a_file_bring_back_its_marks(world: World) -> None:
    async with world.client("anna") as api:
        made = (
            await api.post("/drafts", params={"form": "file", "name": "pay.csv"}, content=GOOD["pay.csv"][1])
        ).json()
        age(world, made["id"], 2 * MINUTE_NS)
        units = (await api.get(f"/documents/{made['document_id']}/units")).json()["units"]
        marks = [{"address": units[-1]["address"], "label": "", "rule": "", "reason": ""}]
        marked = await api.put(f"/drafts/{made['id']}/marks", json={"marks": marks}, headers={"If-Match": '"1"'})
        assert marked.status_code == 200, marked.text
        second = f"/documents/{marked.json()['document_id']}"
        shown = (await api.get(f"{second}/marks")).json()
        assert [mark["address"] for mark in shown["marks"]] == [units[-1]["address"]]
        assert shown["classified_bytes"] == marked.json()["classified_bytes"] > 0
        rows = (await api.get(f"{second}/rows")).json()["rows"]
        redacted = (await api.get(f"{second}/rows", params={"edition": "redacted"})).json()["rows"]
        assert rows != redacted and len(rows) == len(redacted)
        assert (await restore(world, made["id"], 2, 1)).json()["marks"] == 0
        assert (await api.get(f"/drafts/{made['id']}/marks")).json()["marks"] == []
        assert (await restore(world, made["id"], 3, 2)).json()["marks"] == 1


async def test_a_save_after_the_clock_was_set_back_removes_no_version(world: World) -> None:
    made = await create(world)
    for revision in (1, 2):
        age(world, made["id"], 2 * MINUTE_NS)
        assert (await save(world, made["id"], revision, SECOND)).status_code == 200
    # As if a clock that was a day ahead had been set right.
    age(world, made["id"], -DAY_NS)
    assert (await save(world, made["id"], 3, FIRST)).status_code == 200
    assert await kept(world, made["id"]) == [4, 3, 2, 1]


async def test_retention_thins_and_leaves_what_was_sent_and_the_latest(world: World) -> None:
    made = await create(world)
    transfer = await send(world, made["document_id"])
    for revision, marked in enumerate([FIRST, SECOND, FIRST, SECOND], start=1):
        age(world, made["id"], 2 * MINUTE_NS)
        assert (await save(world, made["id"], revision, marked)).status_code == 200
    assert await kept(world, made["id"]) == [5, 4, 3, 2, 1]
    now = now_ns()

    def at(later_ns: int) -> VersionRetention:
        return VersionRetention(world.database, world.services.blobs, Clock(lambda: now + later_ns, lambda: 0))

    assert await at(0).remove() == 0
    assert await at(2 * HOUR_NS).remove() == 2
    assert await kept(world, made["id"]) == [5, 4, 1]
    assert await at(40 * DAY_NS).remove() == 1
    assert await at(40 * DAY_NS).remove() == 0
    assert await kept(world, made["id"]) == [5, 1]
    assert await content(world, made["document_id"]) == FIRST
    async with world.client("anna") as api:
        await api.post(f"/transfers/{transfer}/cancel")
        assert (await api.delete(f"/drafts/{made['id']}?forever=true")).status_code == 204
        gone = (await api.get(f"/transfers/{transfer}")).json()
    assert gone["document_deleted_at"] is not None and gone["draft_id"] is None
    assert world.blob_files() == []


async def test_earlier_versions_can_be_deleted(world: World) -> None:
    made = await create(world)
    await send(world, made["document_id"])
    for revision in (1, 2):
        age(world, made["id"], 2 * MINUTE_NS)
        await save(world, made["id"], revision, SECOND)
    assert await kept(world, made["id"]) == [3, 2, 1]
    async with world.client("anna") as api:
        assert (await api.delete(f"/drafts/{made['id']}/versions")).status_code == 204
    assert await kept(world, made["id"]) == [3, 1]
    assert len(world.blob_files()) == 4


async def test_versions_are_their_authors_only(world: World) -> None:
    made = await create(world)
    async with world.client("adam") as api:
        for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/1/restore")):
            answer = await api.request(method, f"/drafts/{made['id']}/versions{path}", headers={"If-Match": '"1"'})
            assert answer.status_code == 404
    async with world.client("anna") as api:
        assert (await api.get(f"/drafts/{NOBODYS}/versions")).status_code == 404
