"""No digest of a draft's plain stream lies in clear: it would confirm a guess of a passage that is marked later."""

import asyncio
from typing import Any

import pytest
from blake3 import blake3

from any_files import GOOD, SECRET
from databases import by_hand, stored
from sieve.formats.reading import read
from sieve.gateway.documents.versions import MINUTE_NS
from sieve.gateway.outbound.outgoing_document import OutgoingDocument
from sieve.gateway.stored_document import StoredDocument
from sieve.store.models import Document
from sieve.store.queries import blobs, outbox
from sieve.store.queries import documents as document_queries
from web.draft_calls import create, save, send
from web.findings_calls import check, unsaved
from web.test_draft_versions import age
from web_world import World

BEFORE, AFTER = b"The gate code is 4711.", b"The gate code is <$S>4711<$E>."


async def streams(world: World) -> list[bytes]:
    """Both streams of each document."""
    with by_hand(world.folder / "sieve.db") as database:
        ids = [id_ for (id_,) in database.execute("SELECT id FROM documents")]
    found = []
    for id_ in ids:
        async with world.database.read() as session:
            row = await document_queries.by_id(session, id_)
        document = StoredDocument.of(world.services.blobs, row)
        found += [b"".join(document.plain_stream()), b"".join(document.classified_stream())]
    return found


async def assert_no_digest_in_clear(world: World) -> None:
    contents = await streams(world)
    await world.database.dispose()
    at_rest = stored(world.folder / "sieve.db") + b"".join(path.read_bytes() for path in world.blob_files())
    for content in contents:
        digest = blake3(content).digest()
        assert digest not in at_rest
        assert digest.hex().encode() not in at_rest.lower()


async def test_nothing_at_rest_confirms_a_guess_of_a_draft(world: World) -> None:
    made = await create(world, BEFORE)
    path = f"/drafts/{made['id']}"
    for revision, marked in enumerate([AFTER, BEFORE, AFTER], 1):
        age(world, made["id"], 2 * MINUTE_NS)
        assert (await save(world, made["id"], revision, marked)).status_code == 200
    async with world.client("anna") as api:
        renamed = await api.patch(path, headers={"If-Match": '"4"'}, json={"name": "other.txt"})
        restored = await api.post(f"{path}/versions/1/restore", headers={"If-Match": '"5"'})
        copied = await api.post(f"{path}/copy", json={"name": "copy.txt"})
        assert [each.status_code for each in (renamed, restored, copied)] == [200, 200, 201]
        assert (await api.delete(path)).status_code == 204
    assert {b"The gate code is 4711.", b"The gate code is ."} <= set(await streams(world))
    await assert_no_digest_in_clear(world)


@pytest.mark.parametrize("name", ["pay.csv", "memo.docx"])
async def test_nothing_at_rest_confirms_a_guess_of_a_file(world: World, name: str) -> None:
    data = GOOD[name][1]
    unit = next(unit for unit in read(name, data).units() if SECRET in unit.text)
    start = unit.text.index(SECRET)
    async with world.client("anna") as api:
        made = (await api.post("/drafts", params={"form": "file", "name": name}, content=data)).json()
        age(world, made["id"], 2 * MINUTE_NS)
        marks = [{"address": unit.address, "start": start, "end": start + len(SECRET)}]
        marked = await api.put(f"/drafts/{made['id']}/marks", headers={"If-Match": '"1"'}, json={"marks": marks})
    assert marked.status_code == 200, marked.text
    await assert_no_digest_in_clear(world)


async def test_a_sent_draft_that_is_closed_has_none_either(world: World) -> None:
    made = await create(world, AFTER)
    transfer = await send(world, made["document_id"])
    async with world.client("anna") as api:
        await api.post(f"/transfers/{transfer}/cancel")
        assert (await api.delete(f"/drafts/{made['id']}", params={"keep_sent": True})).status_code == 204
        (shown,) = (await api.get("/documents")).json()["items"]
    assert shown["plain_digest"] is None
    await assert_no_digest_in_clear(world)


async def as_before(world: World, document_id: str, plain: bytes) -> None:
    """Makes a save what it is after an upgrade from a version that wrote no digest behind the plain stream."""
    writer = world.services.blobs.new_sealed(owner=document_id, purpose="document")
    writer.write(plain)
    ref = await asyncio.to_thread(writer.finish)
    async with world.database.write() as session:
        await blobs.add(session, [ref], 1)
        (await session.get_one(Document, document_id)).plain_blob_id = ref.id


async def sent_manifest_digest(world: World, document_id: str) -> bytes:
    """The digest of the plain stream in the manifest by which the document is sent."""
    transfer = await send(world, document_id)
    async with world.database.read() as session:
        (stored_,) = (await outbox.to_send(session, [transfer])).values()
    outgoing = OutgoingDocument.of(world.services.blobs, stored_)
    outgoing.check_plain()
    return outgoing.manifest.plain_digest


@pytest.mark.parametrize("size", [0, 1, 70_000, 300_000, 256 * 1024])
@pytest.mark.parametrize("from_before", [False, True])
async def test_a_draft_is_sent_with_its_digest(world: World, size: int, *, from_before: bool) -> None:
    plain = b"x" * size
    made = await create(world, plain + b"<$S>4711<$E>")
    if from_before:
        await as_before(world, made["document_id"], plain)
    assert await sent_manifest_digest(world, made["document_id"]) == blake3(plain).digest()


async def test_saves_from_before_are_compared_as_others_are(guarded: World) -> None:
    """Also an unsaved text that is the same as a save, and one that differs in its plain stream alone."""
    guarded.services.leak_check.rule = "off"
    async with guarded.client("anna") as api:
        made = (await api.post("/drafts", params={"form": "marked", "name": "a.txt"}, content=BEFORE)).json()
        await as_before(guarded, made["document_id"], BEFORE)
        await send(guarded, made["document_id"])
        assert (await unsaved(api, made, BEFORE))["count"] == 0
        assert (await unsaved(api, made, AFTER))["kinds"] == {"sent": 1}
        assert (await unsaved(api, made, BEFORE.replace(b"gate", b"door")))["count"] == 0
        saved: dict[str, Any] = (await save(guarded, made["id"], 1, AFTER)).json()
        assert (await check(api, saved))["kinds"] == {"sent": 1}


async def test_many_sent_saves_with_one_plain_stream_are_compared_once(
    guarded: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of an earlier page of rows, too."""
    monkeypatch.setattr("sieve.gateway.screening.leak_check.MAX_EARLIER", 1)
    monkeypatch.setattr("sieve.gateway.screening.leak_scanner.MAX_EARLIER", 1)
    guarded.services.leak_check.rule = "off"
    made = await create(guarded, b"Berth <$S>0<$E>, code 4711")
    for revision in range(1, 8):
        await send(guarded, made["document_id"])
        marked = f"Berth <$S>{revision}<$E>, code 4711".encode()
        made = (await save(guarded, made["id"], revision, marked)).json()
    made = (await save(guarded, made["id"], 8, b"Berth 0, code <$S>4711<$E>")).json()
    async with guarded.client("anna") as api:
        assert (await check(api, made))["kinds"] == {"sent": 1}
