"""Drafts and their transfers: which save was sent, what a save meanwhile does to it, and when a draft may go."""

from typing import Any

import pytest

from sieve.gateway.outbound.marks_to_send import marks_to_send
from web.draft_calls import FIRST, SECOND, create, rows, save, send
from web_world import World


async def test_a_sent_save_outlives_a_rename_and_a_save(world: World) -> None:
    made = await create(world)
    await send(world, made["document_id"])
    async with world.client("anna") as api:
        path = f"/drafts/{made['id']}"
        await api.patch(path, headers={"If-Match": '"1"'}, json={"name": "other.txt"})
        assert len(world.blob_files()) == 2
        assert (await save(world, made["id"], 2, SECOND)).status_code == 200
        assert len(world.blob_files()) == 4
        sent = (await api.get(f"/documents/{made['document_id']}")).json()
        assert sent["name"] == "memo.txt"
        assert (await api.get(f"/documents/{made['document_id']}/content?edition=marked")).content == FIRST


async def test_the_last_transfer_says_which_save_was_sent(world: World) -> None:
    made = await create(world)
    first = await send(world, made["document_id"])
    saved = (await save(world, made["id"], 1, SECOND)).json()
    assert (saved["last_transfer"]["id"], saved["last_transfer"]["revision"]) == (first, 1)
    second = await send(world, saved["document_id"])
    async with world.client("anna") as api:
        await api.post(f"/transfers/{second}/cancel")
        shown = (await api.get(f"/drafts/{made['id']}")).json()
        listed = (await api.get("/drafts")).json()["items"]
        transfer = (await api.get(f"/transfers/{second}")).json()
    assert listed == [shown]
    assert shown["last_transfer"] == {
        "id": second,
        "peer": "bravo",
        "state": "cancelled",
        "revision": 2,
        "created_at": transfer["created_at"],
        "delivered_at": None,
        "reason": transfer["reason"],
        "said": {"code": "cancelled-by-author", "parameters": {}, "text": transfer["reason"]},
    }


async def test_sending_what_was_saved_again_meanwhile_is_refused_and_leaves_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await create(world)
    looked = world.links.link.recipients

    async def saved_meanwhile(*arguments: Any) -> Any:
        assert (await save(world, made["id"], 1, SECOND)).status_code == 200
        return await looked(*arguments)

    monkeypatch.setattr(world.links.link, "recipients", saved_meanwhile)
    asked = {"document_id": made["document_id"], "peer": "bravo", "recipients": ["berta"]}
    async with world.client("anna") as api:
        answer = await api.post("/transfers", json=asked)
        assert (await api.get("/transfers")).json()["items"] == []
    assert answer.status_code == 409
    assert "saved again in the meantime" in answer.json()["detail"]
    assert len(world.blob_files()) == 2


async def test_a_save_while_its_predecessor_is_made_a_transfer_is_seen_in_the_transaction(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The save comes after the document was read for its manifest, and before the transfer's row."""
    made = await create(world)

    async def then_saved(*asked: Any) -> Any:
        marks = await marks_to_send(*asked)
        assert (await save(world, made["id"], 1, SECOND)).status_code == 200
        return marks

    monkeypatch.setattr("sieve.gateway.outbound.transfer_queue.marks_to_send", then_saved)
    asked = {"document_id": made["document_id"], "peer": "bravo", "recipients": ["berta"]}
    async with world.client("anna") as api:
        assert (await api.post("/transfers", json=asked)).status_code == 409
    assert len(world.blob_files()) == 2


async def test_delete_leaves_nothing_of_what_was_never_sent(world: World) -> None:
    made = await create(world)
    await save(world, made["id"], 1, SECOND)
    async with world.client("anna") as api:
        assert (await api.delete(f"/drafts/{made['id']}", params={"forever": True})).status_code == 204
        for method in ("GET", "DELETE"):
            assert (await api.request(method, f"/drafts/{made['id']}")).status_code == 404
        assert (await save(world, made["id"], 2, SECOND)).status_code == 404
    assert world.blob_files() == []
    assert [rows(world, table) for table in ("drafts", "documents", "blobs")] == [0, 0, 0]


async def test_delete_waits_for_every_transfer_of_any_save(world: World) -> None:
    made = await create(world)
    first = await send(world, made["document_id"])
    await save(world, made["id"], 1, SECOND)
    async with world.client("anna") as api:
        refused = await api.delete(f"/drafts/{made['id']}")
        assert refused.status_code == 409
        assert "cancel" in refused.json()["detail"]
        assert (await api.get(f"/drafts/{made['id']}")).status_code == 200
        await api.post(f"/transfers/{first}/cancel")
        assert (await api.delete(f"/drafts/{made['id']}", params={"forever": True})).status_code == 204
        assert (await api.get(f"/drafts/{made['id']}")).status_code == 404
        assert (await api.get("/drafts")).json()["items"] == []
        assert (await api.get(f"/documents/{made['document_id']}")).status_code == 404
        # It can still be seen what was sent.
        assert (await api.get(f"/transfers/{first}")).json()["name"] == "memo.txt"
    assert world.blob_files() == []
    assert [rows(world, table) for table in ("drafts", "documents")] == [1, 1]


async def test_a_draft_goes_and_what_was_sent_of_it_stays_a_document(world: World) -> None:
    made = await create(world)
    sent = await send(world, made["document_id"])
    saved = (await save(world, made["id"], 1, SECOND)).json()
    async with world.client("adam") as api:
        assert (await api.delete(f"/drafts/{made['id']}", params={"keep_sent": True})).status_code == 404
    async with world.client("anna") as api:
        assert (await api.delete(f"/drafts/{made['id']}", params={"keep_sent": True})).status_code == 204
        assert (await api.get("/drafts")).json()["items"] == []
        assert [one["id"] for one in (await api.get("/documents")).json()["items"]] == [made["document_id"]]
        marked = await api.get(f"/documents/{made['document_id']}/content", params={"edition": "marked"})
        assert marked.content == FIRST
        assert (await api.get(f"/documents/{saved['document_id']}")).status_code == 404
        shown = (await api.get(f"/transfers/{sent}")).json()
        assert (shown["state"], shown["draft_id"], shown["revision"]) == ("queued", None, None)
        await api.post(f"/transfers/{sent}/cancel")
        assert (await api.delete(f"/documents/{made['document_id']}")).status_code == 204
    assert world.blob_files() == []
    assert [rows(world, table) for table in ("drafts", "documents")] == [0, 1]


async def test_a_draft_that_was_sent_more_than_once_stays(world: World) -> None:
    # After a rename two saves have the same bytes, and documents do not share theirs.
    made = await create(world)
    await send(world, made["document_id"])
    async with world.client("anna") as api:
        named = await api.patch(f"/drafts/{made['id']}", headers={"If-Match": '"1"'}, json={"name": "other.txt"})
        await send(world, named.json()["document_id"])
        assert (await api.delete(f"/drafts/{made['id']}", params={"keep_sent": True})).status_code == 409
        assert (await api.get(f"/drafts/{made['id']}")).json()["name"] == "other.txt"
