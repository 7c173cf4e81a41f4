"""Several entries at once: changes and downloads, for one's own entries only, in the edition that one may have."""

import io
from typing import Any
from zipfile import ZipFile

import pytest

from sieve.core.document import Document
from sieve.store.errors import BlobDamaged
from sieve.store.models import User
from sieve.store.queries import tags
from sieve.web import archive as zip_archive
from sieve.web import downloads
from sieve.web.inbox import archive, list_routes
from web_world import World

MARKED = b"<$S>Operation Heron<$E> begins at <$S>0415<$E>. Weather: fair."
FULL = b"Operation Heron begins at 0415. Weather: fair."
REDACTED = "█████ begins at █████. Weather: fair.".encode()


async def ids_of(world: World, who: str, **params: bool) -> list[str]:
    async with world.client(who) as api:
        found: list[str] = (await api.get("/inbox/ids", params=params)).json()["ids"]
    return found


async def test_changes_of_several_entries(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_routes, "AT_ONCE", 2)
    for _ in range(3):
        await world.deliver(MARKED)
    ids = await ids_of(world, "bruno")

    async with world.client("bruno") as api:

        async def change(what: str, which: list[str]) -> int:
            answer = await api.post("/inbox/changes", json={"ids": [*which, "0" * 32], "change": what})
            changed = len(answer.json()["ids"])
            return changed

        async def counted(**params: bool) -> tuple[int, int]:
            found = (await api.get("/inbox/counts", params=params)).json()
            return found["entries"], found["unread"]

        assert await counted() == (3, 3)
        assert await change("read", ids[:2]) == 2
        assert (await counted(), await counted(unread=True)) == ((3, 1), (1, 1))
        assert await change("unread", ids) == 2
        assert await change("delete", ids) == 3
        assert (await counted(), await counted(deleted=True)) == ((0, 0), (3, 3))
        assert await change("restore", ids[:1]) == 1
        assert await change("delete forever", ids) == 3
        assert (await counted(), await counted(deleted=True)) == ((0, 0), (0, 0))
        too_many = await api.post("/inbox/changes", json={"ids": ids * 2000, "change": "read"})
        assert too_many.status_code == 422
    assert len(await ids_of(world, "rosa")) == 3
    assert (await counts_of_others(world, ids)) == 0


async def counts_of_others(world: World, ids: list[str]) -> int:
    async with world.client("rosa") as api:
        answer = await api.post("/inbox/changes", json={"ids": ids, "change": "delete"})
    changed = len(answer.json()["ids"])
    return changed


async def test_readers_tag_entries_and_find_them_by_their_tags(world: World) -> None:
    for _ in range(3):
        await world.deliver(MARKED)
    ids = await ids_of(world, "bruno")

    async with world.client("bruno") as api:

        async def change(what: str, which: list[str], **more: str) -> list[str]:
            answer = await api.post("/inbox/changes", json={"ids": which, "change": what, **more})
            found: list[str] = answer.json()["ids"]
            return found

        assert set(await change("tag", ids[:2], tag=" Q4  budget ")) == set(ids[:2])
        assert await change("tag", ids[1:2], tag="Alps") == ids[1:2]
        assert (await api.get("/inbox/tags")).json()["tags"] == [
            *[{"name": "Alps", "items": 1}, {"name": "Q4 budget", "items": 2}],
        ]
        listed = (await api.get("/inbox", params={"tag": "Q4 budget"})).json()["items"]
        assert [(entry["id"], entry["tags"]) for entry in listed] == [
            *[(ids[0], ["Q4 budget"]), (ids[1], ["Alps", "Q4 budget"])],
        ]
        assert (await api.get("/inbox/counts", params={"tag": "Q4 budget"})).json()["entries"] == 2
        assert (await api.get(f"/inbox/{ids[1]}")).json()["tags"] == ["Alps", "Q4 budget"]
        assert await change("untag", ids, tag="Alps") == ids[1:2]
        assert await change("delete", ids[:1]) == ids[:1]
        assert (await api.get("/inbox/tags")).json()["tags"] == [{"name": "Q4 budget", "items": 1}]
        assert await change("restore", ids[:1]) == ids[:1]
        assert await change("delete forever", ids[:1]) == ids[:1]
        refused = await api.post("/inbox/changes", json={"ids": ids, "change": "tag"})
        assert refused.status_code == 422
    async with world.client("rosa") as api:
        theirs = await api.post("/inbox/changes", json={"ids": ids, "change": "tag", "tag": "Mine"})
        assert (theirs.json()["ids"], (await api.get("/inbox/tags")).json()["tags"]) == ([], [])
    async with world.database.browse() as session:
        assert dict(await tags.of(session, ids)) == {ids[1]: ["Q4 budget"]}, "deleted with its entry"


async def test_changes_are_announced(world: World) -> None:
    await world.deliver(MARKED, to=["bruno"])
    ids = await ids_of(world, "bruno")
    with world.services.announcements.watching(world.people["bruno"].id) as watcher:
        watcher.take()
        async with world.client("bruno") as api:
            await api.post("/inbox/changes", json={"ids": ids, "change": "read"})
        change = watcher.take()
    assert change is not None and change.kind == "inbox"


async def zip_of(world: World, who: str, ids: list[str], edition: str) -> dict[str, bytes]:
    async with world.client(who) as api:
        answer = await api.post("/inbox/archive", json={"ids": ids, "edition": edition})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    assert 'filename="inbox.zip"' in answer.headers["content-disposition"]
    with ZipFile(io.BytesIO(answer.content)) as found:
        assert found.testzip() is None
        return {name: found.read(name) for name in found.namelist()}


async def test_a_zip_has_each_document_under_a_name_of_its_own(world: World) -> None:
    large = Document(bytes(range(256)) * 4096, [(5, 11)])
    for document in (MARKED, MARKED, large):
        await world.deliver(document, to=["bruno"])
    ids = await ids_of(world, "bruno", descending=False)
    found = await zip_of(world, "bruno", [*ids, "0" * 32], "full")
    assert set(found) == {"report.txt", "report (2).txt", "report (3).txt", "not-included.txt"}
    assert sorted(found.values(), key=len)[1:] == [FULL, FULL, large.content]
    assert found["not-included.txt"] == b"A document that is no longer in your inbox.\n"
    async with world.client("bruno") as api:
        assert (await api.get("/inbox/counts")).json() == {"entries": 3, "unread": 0, "more": False}


async def test_a_zip_has_the_edition_that_its_reader_may_have(world: World) -> None:
    await world.deliver(MARKED)
    await world.deliver(Document(b"\x89PNG secret", [(5, 11)]), media_type="image/png")
    ids = await ids_of(world, "rosa", descending=False)
    async with world.client("rosa") as api:
        refused = await api.post("/inbox/archive", json={"ids": ids, "edition": "full"})
    assert refused.status_code == 403 and "edition=redacted" in refused.json()["detail"]
    found = await zip_of(world, "rosa", ids, "redacted")
    assert found.pop("report.redacted.txt") == REDACTED
    assert found == {"not-included.txt": b"report.txt: this file came without a redacted edition; ask its sender.\n"}
    assert (await zip_of(world, "otto", ids, "full")).keys() == {"not-included.txt"}, "they are not addressed to otto"


async def test_a_zip_ends_with_the_clearance_of_its_reader(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        await world.deliver(MARKED, to=["bruno"])
    ids = await ids_of(world, "bruno")
    pieces = downloads.edition_pieces

    def then_uncleared(*of: Any) -> object:
        # From the second document on, the reader is looked up as somebody who is not cleared.
        # No request can come between two documents of an archive at a known moment.
        monkeypatch.setattr(archive, "may_read_classified", lambda reader, entry: False)
        return pieces(*of)

    monkeypatch.setattr(zip_archive, "edition_pieces", then_uncleared)
    found = await zip_of(world, "bruno", ids, "full")
    assert found == {"report.txt": FULL, "not-included.txt": b"report.txt: you may no longer read it.\n"}


async def test_a_damaged_document_is_named_and_the_others_are_there(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        await world.deliver(MARKED, to=["bruno"])
    ids = await ids_of(world, "bruno")
    pieces, broken = downloads.edition_pieces, iter([True, False])

    def damaged(*of: Any) -> object:
        if next(broken):
            raise BlobDamaged("it is gone")
        return pieces(*of)

    monkeypatch.setattr(zip_archive, "edition_pieces", damaged)
    found = await zip_of(world, "bruno", ids, "full")
    assert found["report.txt"] == FULL
    assert found["not-included.txt"] == b"report.txt: it was deleted meanwhile, or is damaged.\n"


async def test_a_download_that_is_given_up_ends_without_an_error(world: World) -> None:
    await world.deliver(Document(bytes(range(256)) * 4096, [(5, 11)]), to=["bruno"])
    ids = await ids_of(world, "bruno")

    async def bruno() -> User:
        return world.people["bruno"]

    pieces = archive.Archive(world.services, world.people["bruno"].id, "full", bruno).pieces(ids)
    await anext(pieces)
    assert await anext(pieces), "it is in the middle of a document"
    await pieces.aclose()
    async with world.client("bruno") as api:
        assert (await api.get("/inbox/counts")).json() == {"entries": 1, "unread": 1, "more": False}
