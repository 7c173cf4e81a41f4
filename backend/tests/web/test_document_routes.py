"""An author's documents through the API: every edition of an upload comes back, byte for byte."""

import json

import pytest
from blake3 import blake3

from cases import each
from sieve.core.document import Document
from sieve.core.separate import separate
from sieve.store.blobs import BlobRef, BlobStore
from sieve.store.queries import blobs
from web_world import World

MARKED = "Meet at <$S>noon, pier 7<$E>; a literal tag is <$$S>. 漢<$S>😀<$E>\r\n".encode()
CONTENT = "Meet at noon, pier 7; a literal tag is <$S>. 漢😀\r\n".encode()
REDACTED = "Meet at █████; a literal tag is <$S>. 漢█████\r\n".encode()
PLAIN = "Meet at ; a literal tag is <$S>. 漢\r\n".encode()


async def test_a_marked_text_comes_back_in_every_edition(world: World) -> None:
    document_id = await world.upload(MARKED)
    async with world.client("anna") as api:
        shown = (await api.get(f"/documents/{document_id}")).json()
        assert shown["document_bytes"] == len(CONTENT)
        assert shown["plain_bytes"] == len(PLAIN)
        assert shown["classified_bytes"] == len(CONTENT) - len(PLAIN)
        assert shown["plain_digest"] == blake3(PLAIN).hexdigest()
        for edition, expected in (("full", CONTENT), ("marked", MARKED), ("redacted", REDACTED)):
            answer = await api.get(f"/documents/{document_id}/content", params={"edition": edition})
            assert answer.content == expected
        plain = await api.get(f"/documents/{document_id}/plain")
    assert plain.content == PLAIN


async def test_created_answers_with_the_documents_address(world: World) -> None:
    async with world.client("anna") as api:
        made = await api.post("/documents", params={"form": "marked", "name": "memo.txt"}, content=MARKED)
        assert made.status_code == 201
        assert (await api.get(f"http://alpha{made.headers['location']}")).json() == made.json()
        assert (await api.get("/documents")).json() == {"items": [made.json()], "next": None}


async def test_spans_in_a_header(world: World) -> None:
    async with world.client("anna") as api:
        made = await api.post(
            "/documents",
            params={"form": "literal", "name": "scan.bin", "media_type": "application/octet-stream"},
            headers={"Sieve-Spans": "1-3,5-5"},
            content=b"\xff\xfe\xfd\xfc\xfb",
        )
        plain = await api.get(f"/documents/{made.json()['id']}/plain")
    assert plain.content == b"\xff\xfc\xfb"


async def test_spans_in_the_first_line(world: World) -> None:
    document = Document(b"\n0123456789" * 1000, [(i * 10, i * 10 + 3) for i in range(1000)])
    body = json.dumps([list(span) for span in document.spans]).encode() + b"\n" + document.content
    async with world.client("anna") as api:
        made = await api.post("/documents", params={"form": "framed", "name": "a"}, content=body)
        assert made.status_code == 201, made.text
        plain = await api.get(f"/documents/{made.json()['id']}/plain")
        full = await api.get(f"/documents/{made.json()['id']}/content")
    assert plain.content == separate(document).plain
    assert full.content == document.content


async def test_literal_text_keeps_its_tags(world: World) -> None:
    async with world.client("anna") as api:
        made = await api.post("/documents", params={"form": "literal", "name": "a"}, content=b"not a <$S>")
        full = await api.get(f"/documents/{made.json()['id']}/content")
        marked = await api.get(f"/documents/{made.json()['id']}/content", params={"edition": "marked"})
    assert full.content == b"not a <$S>"
    assert marked.content == b"not a <$$S>"


@each(
    ("body", "sentence", "line", "column"),
    [
        (b"one\ntwo <$E>", "closes a span, but none is open", 2, 5),
        (b"<$S>a<$S>", "opens a span inside the one opened", 1, 6),
        (b"a\n<$S>", "never ends", 2, 1),
        (b"ok\xff", "not UTF-8", 1, 3),
    ],
)
async def test_what_is_not_well_formed_is_reported_with_its_place(
    world: World, body: bytes, sentence: str, line: int, column: int
) -> None:
    async with world.client("anna") as api:
        answer = await api.post("/documents", params={"form": "marked", "name": "a"}, content=body)
        listed = await api.get("/documents")
    problem = answer.json()
    assert (answer.status_code, problem["line"], problem["column"]) == (422, line, column)
    assert sentence in problem["detail"]
    assert listed.json()["items"] == []
    assert world.blob_files() == []


@each(
    ("params", "headers", "status"),
    [
        ({"form": "marked", "name": "a", "media_type": "image/png"}, {}, 422),
        ({"form": "marked", "name": "a", "media_type": "text"}, {}, 422),
        ({"form": "literal", "name": "a", "media_type": "text/plain\r\nX: y"}, {}, 422),
        ({"form": "literal", "name": "a"}, {"Sieve-Spans": "0-9"}, 422),
        ({"form": "literal", "name": "a"}, {"Sieve-Spans": "2-1"}, 422),
        ({"form": "literal", "name": "a"}, {"Sieve-Spans": "zero"}, 422),
        ({"form": "framed", "name": "a"}, {}, 422),
        ({"form": "guess", "name": "a"}, {}, 422),
        ({"form": "marked"}, {}, 422),
    ],
)
async def test_a_request_that_cannot_be_read_leaves_nothing(
    world: World, params: dict[str, str], headers: dict[str, str], status: int
) -> None:
    async with world.client("anna") as api:
        answer = await api.post("/documents", params=params, headers=headers, content=b"abcd")
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert world.blob_files() == []


async def test_too_large_names_the_limit(world: World) -> None:
    async with world.client("anna") as api:
        answer = await api.post("/documents", params={"form": "marked", "name": "a"}, content=b"x" * 1_000_001)
        fits = await api.post("/documents", params={"form": "marked", "name": "a"}, content=b"x" * 1_000_000)
    assert answer.status_code == 413
    assert "1000000 bytes" in answer.json()["detail"]
    assert fits.status_code == 201


async def test_a_name_is_made_bare(world: World) -> None:
    async with world.client("anna") as api:
        made = await api.post("/documents", params={"form": "marked", "name": "../../etc/\u202epasswd"}, content=b"")
        answer = await api.get(f"/documents/{made.json()['id']}/content")
    assert made.json()["name"] == "passwd"
    assert answer.headers["content-disposition"] == "attachment; filename=\"passwd\"; filename*=UTF-8''passwd"


async def test_delete_takes_the_bytes_too(world: World) -> None:
    document_id = await world.upload(MARKED)
    assert len(world.blob_files()) == 2
    async with world.client("anna") as api:
        assert (await api.delete(f"/documents/{document_id}")).status_code == 204
        assert (await api.get(f"/documents/{document_id}")).status_code == 404
        assert (await api.delete(f"/documents/{document_id}")).status_code == 404
    assert world.blob_files() == []


async def test_what_is_deleted_is_so_though_a_file_stays(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(store: BlobStore, ref: BlobRef) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(BlobStore, "delete", fails)
    async with world.client("anna") as api:
        document_id = await world.upload(b"plain <$S>secret<$E>")
        assert (await api.delete(f"/documents/{document_id}")).status_code == 204
        assert (await api.get(f"/documents/{document_id}")).status_code == 404
    async with world.database.read() as session:
        assert await blobs.ids(session) == set()  # so the next start moves both files to quarantine


async def test_a_document_on_its_way_is_not_deleted(world: World) -> None:
    await world.send(MARKED)
    async with world.client("anna") as api:
        document_id = (await api.get("/documents")).json()["items"][0]["id"]
        answer = await api.delete(f"/documents/{document_id}")
    assert answer.status_code == 409
    assert "cancel" in answer.json()["detail"]


@pytest.mark.parametrize("path", ["content", "content?edition=marked", "content?edition=redacted", "plain"])
async def test_what_is_being_read_goes_when_it_has_been(world: World, path: str) -> None:
    long = b"".join(b"%020d <$S>%07d<$E>\n" % (line, line) for line in range(30_000))
    document = f"/documents/{await world.upload(long)}"
    async with world.client("anna") as anna:
        whole = (await anna.get(f"{document}/{path}")).content

        async def delete() -> None:
            assert (await anna.delete(document)).status_code == 204
            assert len(world.blob_files()) == 2

        assert await world.read_while(f"{document}/{path}", "anna", delete) == whole
    assert world.blob_files() == []


async def test_pages_hold_every_document_once_though_more_arrive(world: World) -> None:
    ids = [await world.upload(b"", name=f"{number}.txt") for number in range(5)]
    seen: list[str] = []
    params = {"limit": 2}
    async with world.client("anna") as api:
        while True:
            page = (await api.get("/documents", params=params)).json()
            seen += [item["id"] for item in page["items"]]
            await world.upload(b"")
            if page["next"] is None:
                break
            params = {"limit": 2, "after": page["next"]}
    assert seen == ids[::-1]


async def test_bytes_have_the_full_edition_alone(world: World) -> None:
    params = {"form": "literal", "name": "scan.png", "media_type": "image/png"}
    async with world.client("anna") as api:
        made = await api.post("/documents", params=params, content=b"\x89PNG")
        for edition, status in (("full", 200), ("marked", 409), ("redacted", 409)):
            answer = await api.get(f"/documents/{made.json()['id']}/content", params={"edition": edition})
            assert answer.status_code == status


async def test_a_damaged_document_is_reported_and_not_half_sent(world: World) -> None:
    document_id = await world.upload(MARKED)
    for path in world.blob_files():
        path.write_bytes(b"")
    async with world.client("anna") as api:
        answer = await api.get(f"/documents/{document_id}/content")
    assert answer.status_code == 500
    assert "backup" in answer.json()["detail"]
