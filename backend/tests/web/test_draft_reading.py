"""Drafts read: listed and searched, each by its author alone, and whole while a save comes between."""

from typing import Any

import pytest
from sqlalchemy import Engine, event

from sieve.gateway.documents.drafts import Drafts
from sieve.gateway.stored_document import StoredDocument
from sieve.store.queries.drafts import WholeDraft
from web.draft_calls import NOBODYS, SECOND, create, save, send
from web_world import World


async def test_a_save_is_no_document_of_its_own(world: World) -> None:
    made = await create(world)
    document_id = await world.upload(SECOND)
    async with world.client("anna") as api:
        assert [item["id"] for item in (await api.get("/documents")).json()["items"]] == [document_id]
        assert [item["id"] for item in (await api.get("/drafts")).json()["items"]] == [made["id"]]
        refused = await api.delete(f"/documents/{made['document_id']}")
        assert refused.status_code == 409
        assert "delete the draft" in refused.json()["detail"]
        assert (await api.get(f"/documents/{made['document_id']}")).json()["id"] == made["document_id"]


async def test_the_latest_change_comes_first_and_pages_hold_each_once(world: World) -> None:
    made = [await create(world, name=f"{number}.txt") for number in range(5)]
    assert (await save(world, made[1]["id"], 1, SECOND)).status_code == 200
    order = [made[index]["id"] for index in (1, 4, 3, 2, 0)]
    seen: list[str] = []
    params: dict[str, Any] = {"limit": 2}
    async with world.client("anna") as api:
        while True:
            page = (await api.get("/drafts", params=params)).json()
            seen += [item["id"] for item in page["items"]]
            if page["next"] is None:
                break
            params["after"] = page["next"]
    assert seen == order


async def test_search_takes_a_part_of_the_name_in_any_case(world: World) -> None:
    for name in ("Übersicht 100%.md", "memo.txt", "Memo_2.txt"):
        await create(world, name=name)
    async with world.client("anna") as api:
        for part, found in (
            ("MEMO", {"memo.txt", "Memo_2.txt"}),
            ("übers", {"Übersicht 100%.md"}),
            ("%", {"Übersicht 100%.md"}),
            ("o_2", {"Memo_2.txt"}),
            ("", {"memo.txt", "Memo_2.txt", "Übersicht 100%.md"}),
            ("zebra", set()),
        ):
            items = (await api.get("/drafts", params={"search": part})).json()["items"]
            assert {item["name"] for item in items} == found


async def test_a_page_costs_as_many_queries_for_many_as_for_one(world: World) -> None:
    statements: list[str] = []

    def executed(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("SELECT"):
            statements.append(statement)

    event.listen(Engine, "before_cursor_execute", executed)

    async def counted() -> int:
        statements.clear()
        async with world.client("anna") as api:
            answer = await api.get("/drafts")
        assert all(item["last_transfer"] for item in answer.json()["items"])
        return len(statements)

    await send(world, (await create(world))["document_id"])
    one = await counted()
    for _ in range(4):
        await send(world, (await create(world))["document_id"])
    assert await counted() == one > 0
    event.remove(Engine, "before_cursor_execute", executed)


async def test_another_authors_draft_is_not_there(world: World) -> None:
    made = await create(world)
    async with world.client("adam") as api:
        for method, path in (
            ("GET", ""),
            ("GET", "/content"),
            ("GET", "/plain"),
            ("DELETE", ""),
        ):
            assert (await api.request(method, f"/drafts/{made['id']}{path}")).status_code == 404
        assert (await save(world, made["id"], 1, b"mine", who="adam")).status_code == 404
        renamed = await api.patch(f"/drafts/{made['id']}", headers={"If-Match": '"1"'}, json={"name": "mine"})
        assert renamed.status_code == 404
        assert (await api.get("/drafts")).json()["items"] == []
        assert (await save(world, NOBODYS, 1, b"mine", who="adam")).status_code == 404
    async with world.client("anna") as api:
        assert (await api.get(f"/drafts/{made['id']}")).json() == made


async def test_bytes_have_the_full_edition_alone(world: World) -> None:
    params = {"form": "literal", "name": "scan.png", "media_type": "image/png"}
    async with world.client("anna") as api:
        made = await api.post("/drafts", params=params, content=b"\x89PNG")
        for edition, status in (("full", 200), ("marked", 409), ("redacted", 409), ("gaps", 409)):
            answer = await api.get(f"/drafts/{made.json()['id']}/content", params={"edition": edition})
            assert answer.status_code == status


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("content?edition=full", b"Berth 4 or 5 opens on time.\r\n"),
        ("content?edition=marked", SECOND),
        ("content?edition=redacted", "Berth █████ opens on █████time.\r\n".encode()),
        ("content?edition=gaps", b"Berth <$S><$E> opens on <$S><$E>time.\r\n"),
        ("plain", b"Berth  opens on time.\r\n"),
    ],
)
async def test_a_save_between_the_rows_and_the_files_is_answered_with_itself(
    world: World, monkeypatch: pytest.MonkeyPatch, path: str, expected: bytes
) -> None:
    made = await create(world)
    owned = Drafts.owned

    async def then_save(drafts: Drafts, *whose: str) -> WholeDraft:
        monkeypatch.setattr(Drafts, "owned", owned)
        found = await owned(drafts, *whose)
        assert (await save(world, made["id"], 1, SECOND)).status_code == 200
        return found

    monkeypatch.setattr(Drafts, "owned", then_save)
    async with world.client("anna") as api:
        answer = await api.get(f"/drafts/{made['id']}/{path}")
    assert (answer.status_code, answer.content, answer.headers["etag"]) == (200, expected, '"2"')


async def test_a_save_does_not_cut_who_is_reading_what_it_supersedes(world: World) -> None:
    long = b"".join(b"%07d <$S>%07d<$E>\n" % (line, line) for line in range(25_000))
    made = await create(world, long)
    whole = await world.services.drafts.owned(world.people["anna"].id, made["id"])
    document = StoredDocument.of(world.services.blobs, whole.save)
    reading = document.held(document.marked())
    got = next(reading)
    assert (await save(world, made["id"], 1, SECOND)).status_code == 200
    assert len(world.blob_files()) == 4
    assert got + b"".join(reading) == long
    assert len(world.blob_files()) == 2


async def test_a_damaged_draft_is_reported(world: World) -> None:
    made = await create(world)
    for path in world.blob_files():
        path.unlink()
    async with world.client("anna") as api:
        answer = await api.get(f"/drafts/{made['id']}/content")
    assert answer.status_code == 500
    assert "backup" in answer.json()["detail"]
