"""The list of drafts: totals, ids, changes of several, tags, templates, copies and the zip."""

import io
from typing import Any
from zipfile import ZipFile

from web.draft_calls import FIRST, NOBODYS, create, save, send
from web_world import World

FULL = "Berth 3 opens. 漢😀".encode()


async def test_several_drafts_are_tagged_deleted_and_restored(world: World) -> None:
    first, second, being_sent = [(await create(world, name=f"{name}.txt"))["id"] for name in "abc"]
    [document_id] = [draft["document_id"] for draft in await listed(world) if draft["id"] == being_sent]
    await send(world, document_id)
    everything = [first, second, being_sent, NOBODYS]

    async with world.client("anna") as api:

        async def change(what: str, ids: list[str] = everything, **more: str) -> tuple[set[str], int]:
            answer = await api.post("/drafts/changes", json={"ids": ids, "change": what, **more})
            assert answer.status_code == 200, answer.text
            return set(answer.json()["ids"]), answer.json()["under_way"]

        assert await change("tag", [first, second], tag="  Q4\u202e  budget ") == ({first, second}, 0)
        assert (await api.get("/drafts/tags")).json() == {"tags": [{"name": "Q4 budget", "items": 2}]}
        assert await change("untag", [second], tag="Q4 budget") == ({second}, 0)
        assert [draft["name"] for draft in await listed(world, tag="Q4 budget")] == ["a.txt"]
        assert await change("template", [second]) == ({second}, 0)
        assert [draft["id"] for draft in await listed(world, templates=True)] == [second]
        assert await change("delete") == ({first, second}, 1)
        counted = (await api.get("/drafts/counts")).json()
        assert counted == {"drafts": 1, "bytes": len(FULL)}
        assert await change("restore") == ({first, second}, 0)
        assert set((await api.get("/drafts/ids")).json()["ids"]) == {first, second, being_sent}
        assert await change("delete forever") == ({first, second}, 1)
        assert (await api.get("/drafts/counts", params={"deleted": True})).json()["drafts"] == 0
        for wrong in ({"change": "tag"}, {"change": "delete", "tag": "a"}, {"change": "tag", "tag": " "}):
            refused = await api.post("/drafts/changes", json={"ids": [], **wrong})
            assert refused.status_code == 422, wrong


async def test_a_copy_has_the_marks_and_is_a_draft_of_its_own(world: World) -> None:
    draft = await create(world)
    async with world.client("otto") as otto, world.client("anna") as api:
        assert (await otto.post(f"/drafts/{draft['id']}/copy", json={"name": "a"})).status_code in (403, 404)
        answer = await api.post(f"/drafts/{draft['id']}/copy", json={"name": "copy.txt"})
        assert answer.status_code == 201
        copy = answer.json()
        assert (copy["name"], copy["revision"], copy["classified_bytes"]) == ("copy.txt", 1, draft["classified_bytes"])
        assert (await api.get(f"/drafts/{copy['id']}/content", params={"edition": "marked"})).content == FIRST
        assert (await api.delete(f"/drafts/{draft['id']}", params={"forever": True})).status_code == 204
        assert (await api.get(f"/drafts/{copy['id']}/content", params={"edition": "marked"})).content == FIRST


async def test_a_copy_of_a_file_has_its_marks(world: World) -> None:
    table = b"name,berth\nHeron,3\nTern,4\n"
    async with world.client("anna") as api:
        made = await api.post("/drafts", params={"form": "file", "name": "ships.csv"}, content=table)
        draft = made.json()
        [first, *_] = (await api.get(f"/drafts/{draft['id']}/units")).json()["units"]
        marks = {"marks": [{"address": first["address"]}]}
        marked = await api.put(f"/drafts/{draft['id']}/marks", json=marks, headers={"If-Match": '"1"'})
        assert marked.status_code == 200, marked.text
        copy = (await api.post(f"/drafts/{draft['id']}/copy", json={"name": "more.csv"})).json()
        assert (copy["format"], copy["marks"]) == (draft["format"], 1)
        ours, theirs = [(await api.get(f"/drafts/{each['id']}/marks")).json() for each in (draft, copy)]
        assert ours["marks"] == theirs["marks"]


async def test_a_zip_has_each_draft_as_its_author_downloads_it(world: World) -> None:
    drafts = [await create(world) for _ in range(2)]
    assert (await save(world, drafts[0]["id"], 1, b"<$S>now<$E>", name="MEMO.txt")).status_code == 200
    async with world.client("anna") as api:
        ids = [draft["id"] for draft in drafts]
        answer = await api.post("/drafts/archive", json={"ids": [*ids, NOBODYS]})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    with ZipFile(io.BytesIO(answer.content)) as found:
        assert {name: found.read(name) for name in found.namelist()} == {
            "MEMO.marked.txt": b"<$S>now<$E>",
            "memo.marked (2).txt": FIRST,
            "not-included.txt": b"A document that was deleted.\n",
        }


async def test_a_list_by_name_continues_after_any_name(world: World) -> None:
    names = ["Ärger – 1.txt", "zoë-~=.txt", "日本.txt", "ﬁle.txt"]
    async with world.client("anna") as api:
        for name in names:
            made = await api.post("/drafts", params={"form": "literal", "name": name}, content=b"x")
            assert made.status_code == 201, made.text
        found: list[str] = []
        after: dict[str, str] = {}
        for _ in names:
            page = (await api.get("/drafts", params={"sort": "name", "limit": 1, **after})).json()
            found.append(page["items"][0]["name"])
            after = {"after": page["next"]}
        assert sorted(found) == sorted(made_name for made_name in names)
        for text in ("~-" + "0" * 31, "~/w==-" + "0" * 32, "~_w==-" + "0" * 32, "9" * 19 + "-" + "0" * 32):
            assert (await api.get("/drafts", params={"after": text})).status_code == 422, text


async def listed(world: World, **params: Any) -> list[dict[str, Any]]:
    async with world.client("anna") as api:
        answer = await api.get("/drafts", params=params)
    assert answer.status_code == 200, answer.text
    return list(answer.json()["items"])
