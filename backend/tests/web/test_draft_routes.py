"""Drafts through the API: what is saved comes back, of two who save at once one wins, and what is over leaves."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from sqlalchemy import event

from sieve.gateway.drafts import Drafts
from sieve.gateway.stored_document import StoredDocument
from sieve.store.blobs import BlobStore
from sieve.store.queries.drafts import WholeDraft
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
    with sqlite3.connect(world.folder / "sieve.db") as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608 -- a test's word


async def test_a_new_draft_comes_back_in_every_edition(world: World) -> None:
    made = await create(world)
    assert (made["revision"], made["name"], made["last_transfer"]) == (1, "memo.txt", None)
    assert made["created_at"] == made["changed_at"]
    assert (made["document_bytes"], made["classified_bytes"], made["plain_bytes"]) == (22, 5, 17)
    editions = {
        "full": "Berth 3 opens. 漢😀",
        "marked": FIRST.decode(),
        "redacted": "Berth █████ opens. 漢█████",
        "gaps": "Berth <$S><$E> opens. 漢<$S><$E>",
    }
    async with world.client("anna") as api:
        assert (await api.get(f"/drafts/{made['id']}")).json() == made
        for edition, expected in editions.items():
            answer = await api.get(f"/drafts/{made['id']}/content", params={"edition": edition})
            assert answer.text == expected
            assert answer.headers["etag"] == '"1"'
            assert ("content-length" in answer.headers) == (edition == "full")
        assert (await api.get(f"/drafts/{made['id']}/plain")).text == "Berth  opens. 漢"


async def test_the_answer_says_where_it_is_and_what_to_save_against(world: World) -> None:
    async with world.client("anna") as api:
        made = await api.post("/drafts", params={"form": "marked", "name": "a"}, content=FIRST)
        assert made.headers["etag"] == '"1"'
        got = await api.get(f"http://alpha{made.headers['location']}")
        assert got.json() == made.json() and got.headers["etag"] == '"1"'


@pytest.mark.parametrize(
    ("form", "headers", "body"),
    [
        ("literal", {"Sieve-Spans": "1-3"}, b"abcd"),
        ("framed", {}, b"[[1,3]]\nabcd"),
        ("marked", {}, b"a<$S>bc<$E>d"),
    ],
)
async def test_every_form_of_body_makes_and_saves(
    world: World, form: str, headers: dict[str, str], body: bytes
) -> None:
    async with world.client("anna") as api:
        made = await api.post("/drafts", params={"form": form, "name": "a"}, headers=headers, content=body)
        path = f"/drafts/{made.json()['id']}"
        again = await api.put(path, params={"form": form}, headers={**headers, "If-Match": '"1"'}, content=body)
        assert (made.status_code, again.status_code) == (201, 200)
        assert (await api.get(f"{path}/plain")).content == b"ad"


async def test_a_save_replaces_what_was_and_keeps_what_is_not_given(world: World) -> None:
    made = await create(world, name="first.txt")
    saved = await save(world, made["id"], 1, SECOND)
    shown = saved.json()
    assert saved.headers["etag"] == '"2"'
    assert (shown["id"], shown["revision"], shown["name"]) == (made["id"], 2, "first.txt")
    assert shown["document_id"] != made["document_id"]
    assert shown["created_at"] == made["created_at"] and shown["changed_at"] > made["changed_at"]
    async with world.client("anna") as api:
        assert (await api.get(f"/drafts/{made['id']}")).json() == shown
        assert (await api.get(f"/drafts/{made['id']}/content?edition=marked")).content == SECOND
        assert (await api.get(f"/documents/{made['document_id']}")).status_code == 404
    assert len(world.blob_files()) == 2
    assert (rows(world, "documents"), rows(world, "blobs")) == (1, 2)
    third = (await save(world, made["id"], 2, b"{}", name="x.json", media_type="application/json")).json()
    assert (third["name"], third["media_type"]) == ("x.json", "application/json")


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
async def test_who_comes_too_late_is_told_where_it_stands(world: World, method: str) -> None:
    made = await create(world)
    assert (await save(world, made["id"], 1, SECOND)).status_code == 200
    async with world.client("anna") as api:
        for stale in ('"1"', '"3"', f'"{2**59}"'):
            answer = await api.request(
                method,
                f"/drafts/{made['id']}",
                params={"form": "marked"},
                headers={"If-Match": stale},
                **({"content": b"late <$S>"} if method == "PUT" else {"json": {"name": "late"}}),
            )
            assert answer.status_code == 412
            assert answer.json()["revision"] == 2
            assert "revision 2" in answer.json()["detail"]
        assert (await api.get(f"/drafts/{made['id']}/content?edition=marked")).content == SECOND
    assert len(world.blob_files()) == 2


async def test_of_saves_at_the_same_time_exactly_one_wins(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them are whole before the first one commits: none is turned away by the look before its body is read."""
    made = await create(world)
    ready, go = asyncio.Semaphore(0), asyncio.Event()
    sync, loop = BlobStore.sync_folder, asyncio.get_running_loop()

    async def meet() -> None:
        ready.release()
        await go.wait()

    def sync_together(blobs: BlobStore) -> None:
        asyncio.run_coroutine_threadsafe(meet(), loop).result(10)
        sync(blobs)

    monkeypatch.setattr(BlobStore, "sync_folder", sync_together)
    texts = [f"save <$S>{number}<$E>".encode() for number in range(4)]
    saving = [asyncio.create_task(save(world, made["id"], 1, text)) for text in texts]
    async with asyncio.timeout(20):
        for _ in texts:
            await ready.acquire()
        go.set()
        answers = await asyncio.gather(*saving)
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [200, 412, 412, 412]
    assert {answer.json()["revision"] for answer in answers} == {2}
    winner = next(text for text, answer in zip(texts, answers, strict=True) if answer.status_code == 200)
    async with world.client("anna") as api:
        assert (await api.get(f"/drafts/{made['id']}/content?edition=marked")).content == winner
    assert len(world.blob_files()) == 2
    assert (rows(world, "documents"), rows(world, "blobs")) == (1, 2)


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (None, 428),
        ('W/"1"', 422),
        ("1", 422),
        ("*", 422),
        ('"1", "2"', 422),
        ('"01"', 422),
        ('"0"', 422),
        ('"-1"', 422),
        ('"one"', 422),
        ('" 1"', 422),
        ('"１"', 422),
        ('""', 422),
        ("", 422),
        (f'"{"1" * 30}"', 422),
    ],
)
async def test_which_revision_must_be_said_and_said_so(world: World, header: str | None, status: int) -> None:
    made = await create(world)
    headers = [] if header is None else [(b"If-Match", header.encode())]
    async with world.client("anna") as api:
        for answer in (
            await api.put(f"/drafts/{made['id']}", params={"form": "marked"}, headers=headers, content=SECOND),
            await api.patch(f"/drafts/{made['id']}", headers=headers, json={"name": "b"}),
        ):
            assert answer.status_code == status, answer.text
            assert '"3"' in answer.json()["detail"]
        twice = await api.put(
            f"/drafts/{made['id']}",
            params={"form": "marked"},
            headers=[("If-Match", '"1"'), ("If-Match", '"1"')],
            content=SECOND,
        )
        assert twice.status_code == 422
        assert (await api.get(f"/drafts/{made['id']}")).json() == made


async def test_what_cannot_be_saved_changes_nothing(world: World) -> None:
    made = await create(world)
    for body, params, status in (
        (b"ok\n<$E>", {}, 422),
        (b"\xff", {}, 422),
        (b"x" * 1_000_001, {}, 413),
        (b"x", {"media_type": "none"}, 422),
        (b"x", {"form": "guess"}, 422),
    ):
        assert (await save(world, made["id"], 1, body, **params)).status_code == status
    async with world.client("anna") as api:
        assert (await api.get(f"/drafts/{made['id']}")).json() == made
        assert (await api.get(f"/drafts/{made['id']}/content?edition=marked")).content == FIRST
    assert len(world.blob_files()) == 2


async def test_bodies_stream_whatever_their_length(world: World) -> None:
    """Longer than any other request's body may be, and of no length that was told."""
    text = b"x" * 900_000

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(text), 100_000):
            yield text[start : start + 100_000]

    made = await create(world, text)
    async with world.client("anna") as api:
        for revision, body in ((1, text), (2, pieces())):
            saved = await api.put(
                f"/drafts/{made['id']}",
                params={"form": "marked"},
                headers={"If-Match": f'"{revision}"'},
                content=body,
            )
            assert saved.status_code == 200, saved.text
        # Nothing else below the path may be of any length.
        assert (await api.put(f"/drafts/{made['id']}/content", content=text)).status_code == 413


async def test_a_rename_is_a_save_with_the_same_bytes(world: World) -> None:
    made = await create(world)
    async with world.client("anna") as api:
        path = f"/drafts/{made['id']}"
        renamed = await api.patch(path, headers={"If-Match": '"1"'}, json={"name": "../\u202eother.txt"})
        assert renamed.headers["etag"] == '"2"'
        shown = renamed.json()
        assert (shown["revision"], shown["name"]) == (2, "other.txt")
        assert (await api.get(path)).json() == shown
        assert (await api.get(f"{path}/content?edition=marked")).content == FIRST
        assert len(world.blob_files()) == 2
        assert (rows(world, "documents"), rows(world, "blobs")) == (1, 2)
        for wrong in ({}, {"name": 3}, {"name": "a", "text": "b"}, {"name": "x" * 1001}):
            assert (await api.patch(path, headers={"If-Match": '"2"'}, json=wrong)).status_code == 422


async def test_a_sent_save_outlives_a_rename_and_a_save(world: World) -> None:
    made = await create(world)
    await send(world, made["document_id"])
    async with world.client("anna") as api:
        path = f"/drafts/{made['id']}"
        await api.patch(path, headers={"If-Match": '"1"'}, json={"name": "other.txt"})
        assert len(world.blob_files()) == 2 + 1  # the transfer's manifest
        assert (await save(world, made["id"], 2, SECOND)).status_code == 200
        assert len(world.blob_files()) == 4 + 1
        sent = (await api.get(f"/documents/{made['document_id']}")).json()
        assert sent["name"] == "memo.txt"
        assert (await api.get(f"/documents/{made['document_id']}/content?edition=marked")).content == FIRST


async def test_names_are_cut_as_those_of_uploads(world: World) -> None:
    made = await create(world, name="é" * 400)
    assert made["name"] == "é" * 300
    saved = (await save(world, made["id"], 1, FIRST, name="b" * 301)).json()
    assert saved["name"] == "b" * 300
    async with world.client("anna") as api:
        renamed = await api.patch(f"/drafts/{made['id']}", headers={"If-Match": '"2"'}, json={"name": "😀" * 300})
        assert renamed.json()["name"] == "😀" * 300
        too_long = await api.post("/drafts", params={"form": "marked", "name": "x" * 1001}, content=b"")
        assert too_long.status_code == 422
    assert (await save(world, made["id"], 3, FIRST, name="x" * 1001)).status_code == 422
    assert await send(world, renamed.json()["document_id"])


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
    }


async def test_sending_what_was_saved_anew_meanwhile_is_refused_and_leaves_nothing(
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
    assert "saved anew meanwhile" in answer.json()["detail"]
    assert len(world.blob_files()) == 2


async def test_a_save_while_its_predecessor_is_made_a_transfer_is_seen_in_the_transaction(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The save comes after the document was read for its manifest, and before the transfer's row."""
    made = await create(world)
    sync, loop = BlobStore.sync_folder, asyncio.get_running_loop()

    def save_first(blobs: BlobStore) -> None:
        monkeypatch.setattr(BlobStore, "sync_folder", sync)
        saved = asyncio.run_coroutine_threadsafe(save(world, made["id"], 1, SECOND), loop).result(10)
        assert saved.status_code == 200
        sync(blobs)

    monkeypatch.setattr(BlobStore, "sync_folder", save_first)
    asked = {"document_id": made["document_id"], "peer": "bravo", "recipients": ["berta"]}
    async with world.client("anna") as api:
        assert (await api.post("/transfers", json=asked)).status_code == 409
    assert len(world.blob_files()) == 2


async def test_delete_leaves_nothing_of_what_was_never_sent(world: World) -> None:
    made = await create(world)
    await save(world, made["id"], 1, SECOND)
    async with world.client("anna") as api:
        assert (await api.delete(f"/drafts/{made['id']}")).status_code == 204
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
        assert (await api.delete(f"/drafts/{made['id']}")).status_code == 204
        assert (await api.get(f"/drafts/{made['id']}")).status_code == 404
        assert (await api.get("/drafts")).json()["items"] == []
        assert (await api.get(f"/documents/{made['document_id']}")).status_code == 404
        # What was sent can still be told.
        assert (await api.get(f"/transfers/{first}")).json()["name"] == "memo.txt"
    assert len(world.blob_files()) == 1  # the manifest
    assert [rows(world, table) for table in ("drafts", "documents")] == [1, 1]


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
    engine = world.database._readers.sync_engine

    @event.listens_for(engine, "before_cursor_execute")
    def executed(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

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
    assert await counted() == one


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
        renaming = {"headers": {"If-Match": '"1"'}, "json": {"name": "mine"}}
        assert (await api.patch(f"/drafts/{made['id']}", **renaming)).status_code == 404  # type: ignore[arg-type]
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


async def test_a_damaged_draft_is_told(world: World) -> None:
    made = await create(world)
    for path in world.blob_files():
        path.unlink()
    async with world.client("anna") as api:
        answer = await api.get(f"/drafts/{made['id']}/content")
    assert answer.status_code == 500
    assert "backup" in answer.json()["detail"]
