"""Drafts through the API: saves come back, and of two simultaneous saves one wins."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from cases import each
from sieve.store.blobs import BlobStore
from web.draft_calls import FIRST, SECOND, create, rows, save, send
from web_world import World


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
async def test_a_late_change_gets_the_current_version(world: World, method: str) -> None:
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
    sync, loop = BlobStore.sync_names, asyncio.get_running_loop()

    async def meet() -> None:
        ready.release()
        await go.wait()

    def sync_together(blobs: BlobStore) -> None:
        asyncio.run_coroutine_threadsafe(meet(), loop).result(10)
        sync(blobs)

    monkeypatch.setattr(BlobStore, "sync_names", sync_together)
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


@each(
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
    """Longer than the limit of other bodies, and without Content-Length."""
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
