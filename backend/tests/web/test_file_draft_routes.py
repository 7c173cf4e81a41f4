"""Files of any format as drafts: uploaded, viewed, marked, previewed, sent and refused."""

import asyncio
import json
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from pypdf import PdfReader

from any_files import GOOD, HOSTILE, SECRET
from databases import by_hand
from sieve.core.document import Document
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.reading import read
from sieve.formats.registry import TABLES
from sieve.gateway.outbound.outgoing_document import OutgoingDocument
from sieve.store.queries import outbox
from sieve.web.file_views.schemas import (
    AllClassifiedShown,
    DraftMarksShown,
    OutlineShown,
    RowsShown,
    UnitsShown,
    WordsShown,
)
from web_world import Ground, World
from world_building import build, close

PARTS = ["memo.docx", "pay.xlsx", "report.pdf", "pay.csv", "pay.tsv", "log.jsonl"]
NOBODYS = "0" * 32


async def bring(world: World, name: str, data: bytes | None = None, **params: str) -> httpx.Response:
    async with world.client("anna") as api:
        return await api.post(
            "/drafts", params={"form": "file", "name": name, **params}, content=GOOD[name][1] if data is None else data
        )


async def brought(world: World, name: str) -> dict[str, Any]:
    answer = await bring(world, name)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


async def put_marks(world: World, draft: dict[str, Any], marks: list[dict[str, Any]], revision: int) -> httpx.Response:
    async with world.client("anna") as api:
        return await api.put(
            f"/drafts/{draft['id']}/marks", json={"marks": marks}, headers={"If-Match": f'"{revision}"'}
        )


async def get(world: World, path: str, who: str = "anna", **params: Any) -> httpx.Response:
    async with world.client(who) as api:
        return await api.get(path, params=params or None)


def secrets_in(name: str) -> list[dict[str, Any]]:
    """Marks on each place of the secret, with a reason on the first."""
    marks: list[dict[str, Any]] = []
    for unit in read(name, GOOD[name][1]).units():
        if SECRET in unit.text:
            start = unit.text.index(SECRET)
            marks.append({"address": unit.address, "start": start, "end": start + len(SECRET)})
    marks[0]["reason"] = f"names {SECRET}"
    return marks


def is_at_rest(world: World, folder: Path, words: bytes) -> bool:
    """Whether these bytes lie in any blob, or in the database or beside it."""
    files = [*world.blob_files(), *(path for path in folder.rglob("*") if path.is_file())]
    return any(words in path.read_bytes() for path in files)


@pytest.mark.parametrize("name", PARTS)
async def test_nothing_of_a_draft_is_plain_on_the_disk_before_it_is_marked_nor_after(
    world: World, tmp_path: Path, name: str
) -> None:
    data = GOOD[name][1]
    whole = data[len(data) // 2 :][:48]  # of an archive, where no word is to be read
    made = await brought(world, name)
    assert not is_at_rest(world, tmp_path, whole) and not is_at_rest(world, tmp_path, SECRET.encode())
    first = next(unit.address for unit in read(name, data).units() if unit.text)
    assert (await put_marks(world, made, [{"address": first}], 1)).status_code == 200
    assert not is_at_rest(world, tmp_path, whole) and not is_at_rest(world, tmp_path, SECRET.encode())
    assert (await get(world, f"/drafts/{made['id']}/content")).content == data


async def test_nor_does_a_text_that_is_being_written(world: World, tmp_path: Path) -> None:
    async with world.client("anna") as api:
        made = await api.post("/drafts", params={"form": "marked", "name": "a.txt"}, content=SECRET.encode())
    assert made.status_code == 201 and not is_at_rest(world, tmp_path, SECRET.encode())
    assert (await get(world, f"/drafts/{made.json()['id']}/plain")).content == SECRET.encode()


@pytest.mark.parametrize("name", PARTS)
async def test_a_file_is_brought_marked_previewed_and_sent(world: World, name: str) -> None:
    kind, data = GOOD[name]
    made = await brought(world, name)
    assert (made["format"], made["marks"], made["revision"]) == (kind, 0, 1)
    assert (made["document_bytes"], made["classified_bytes"]) == (len(data), 0)
    marks = secrets_in(name)
    saved = await put_marks(world, made, marks, 1)
    assert saved.status_code == 200, saved.text
    assert saved.headers["ETag"] == '"2"'
    draft = saved.json()
    assert (draft["revision"], draft["marks"], draft["name"]) == (2, len(marks), name)
    spans = read(name, data).spans([Mark(mark["address"], mark["start"], mark["end"]) for mark in marks])
    assert draft["classified_bytes"] == spans.classified_size > 0
    kept = await get(world, f"/drafts/{made['id']}/marks")
    shown = DraftMarksShown.model_validate(kept.json())
    assert shown.ranges == [*spans]
    halves = [
        await get(world, f"/{of}/{half}")
        for of in (f"drafts/{made['id']}", f"documents/{draft['document_id']}")
        for half in ("classified", "plain")
    ]
    assert (halves[0].content, halves[1].content) == separate(Document(data, spans))
    assert [half.content for half in halves[:2]] == [half.content for half in halves[2:]]
    assert "classified" in halves[0].headers["Content-Disposition"]
    ranges = json.dumps(shown.ranges).encode()
    async with world.client("anna") as api:
        again = await api.post("/integrate", content=ranges + b"\n" + halves[0].content + halves[1].content)
    assert again.content == data
    assert [(mark.address, mark.start, mark.end) for mark in shown.marks] == [
        (mark["address"], mark["start"], mark["end"]) for mark in marks
    ]
    assert shown.marks[0].reason == f"names {SECRET}"
    assert (shown.revision, shown.classified_bytes, shown.plain_bytes) == (
        2,
        spans.classified_size,
        len(data) - spans.classified_size,
    )
    full = await get(world, f"/drafts/{made['id']}/content")
    assert full.content == data
    for edition in ("gaps",) if made["format"] in TABLES else ("marked", "gaps"):
        refused = await get(world, f"/drafts/{made['id']}/content", edition=edition)
        assert refused.status_code == 409, refused.text
    await _check_redacted(world, made["id"], draft["document_id"], name)
    await _check_sent(world, draft["document_id"], data)


async def _check_redacted(world: World, draft_id: str, document_id: str, name: str) -> None:
    answer = await get(world, f"/drafts/{draft_id}/content", edition="redacted")
    assert answer.status_code == 200, answer.text
    stem, _, ending = name.partition(".")
    assert f'filename="{stem}.redacted.{ending}"' in answer.headers["Content-Disposition"]
    assert answer.headers["Cache-Control"] == "no-store"
    again = read(name, answer.content)
    assert again.name == GOOD[name][0]
    assert not any(SECRET in unit.text for unit in again.units())
    # What is shown of it is what is read in that very file.
    shown = await get(world, f"/drafts/{draft_id}/units", edition="redacted", limit=1000)
    assert [unit["text"] for unit in shown.json()["units"]] == [unit.text for unit in again.units()]
    whole = await get(world, f"/drafts/{draft_id}/units", limit=1000)
    assert SECRET in whole.text
    for path in ("outline", "rows", "pages/1.png", "pages/1/words"):
        part = await get(world, f"/drafts/{draft_id}/{path}", edition="redacted")
        assert part.status_code == (await get(world, f"/drafts/{draft_id}/{path}")).status_code
        assert SECRET not in part.text
    before = world.blob_files()
    same = await get(world, f"/documents/{document_id}/content", edition="redacted")
    assert same.status_code == 200
    assert world.blob_files() == before, "what was made for the answer goes with it"
    assert same.headers["Content-Disposition"] == answer.headers["Content-Disposition"]


async def _check_sent(world: World, document_id: str, data: bytes) -> None:
    asked = {"document_id": document_id, "peer": "bravo", "recipients": ["berta"]}
    async with world.client("anna") as api:
        goes_along = (await api.get(f"/documents/{document_id}/redacted")).json()
        answer = await api.post("/transfers", json=asked)
        preview = await api.get(f"/documents/{document_id}/content", params={"edition": "redacted"})
    assert answer.status_code == 202, answer.text
    async with world.database.read() as session:
        (stored,) = (await outbox.to_send(session, [answer.json()["id"]])).values()
        outgoing = OutgoingDocument.of(world.services.blobs, stored)
    assert b"".join(outgoing.document.full()) == data
    plain = b"".join(outgoing.document.plain_stream())
    assert SECRET.encode() not in plain
    assert outgoing.manifest.size == len(data)
    edition = b"".join(outgoing.document.redacted_edition())
    assert edition == preview.content and SECRET.encode() not in edition
    assert outgoing.manifest.redacted is not None and outgoing.manifest.redacted.size == len(edition)
    assert goes_along == {"redacted_bytes": len(edition), "note": None}
    assert (answer.json()["redacted_bytes"], answer.json()["redacted_note"]) == (len(edition), None)


async def test_nothing_of_marks_is_stored_in_clear(world: World) -> None:
    made = await brought(world, "memo.docx")
    marks = secrets_in("memo.docx")
    await put_marks(world, made, marks, 1)
    with by_hand(world.folder / "sieve.db") as connection:
        dumped = "\n".join(connection.iterdump())
    assert SECRET not in dumped
    assert marks[0]["address"] not in dumped
    for path in world.blob_files():
        assert marks[0]["address"].encode() not in path.read_bytes()


async def test_units_outline_and_rows_have_the_shape_that_is_promised(world: World) -> None:
    for name in (*PARTS, "photo.heic"):
        made = await brought(world, name)
        at = f"/drafts/{made['id']}"
        outline = await get(world, f"{at}/outline")
        assert outline.headers["ETag"] == '"1"'
        assert outline.headers["Cache-Control"] == "no-store"
        assert OutlineShown.model_validate(outline.json()).note == ""
        first = UnitsShown.model_validate((await get(world, f"{at}/units", limit=1)).json())
        assert len(first.units) == 1
        if first.next is not None:
            second = UnitsShown.model_validate((await get(world, f"{at}/units", limit=1, after=first.next)).json())
            assert second.units[0].address != first.units[0].address
        rows = await get(world, f"{at}/rows?from=1&count=2")
        if made["format"] in ("csv", "tsv", "jsonl", "xlsx"):
            shown = RowsShown.model_validate(rows.json())
            assert shown.first == 1
            assert 1 <= len(shown.rows) <= 2
        else:
            assert rows.status_code == 409, rows.text


async def test_the_author_reads_what_is_classified_and_why(world: World) -> None:
    for name, first in (("memo.docx", "why-marked-parts"), ("report.pdf", "why-pdf-rest"), ("pay.csv", "")):
        made = await brought(world, name)
        at = f"/drafts/{made['id']}"
        assert (await get(world, f"{at}/why-classified")).json() == {"classified": []}
        marked = (await put_marks(world, made, secrets_in(name), 1)).json()
        answer = await get(world, f"{at}/why-classified")
        assert (answer.headers["ETag"], answer.headers["Cache-Control"]) == ('"2"', "no-store")
        listed = AllClassifiedShown.model_validate(answer.json()).classified
        assert sum(one.bytes for one in listed) <= marked["classified_bytes"]
        assert first in {one.why.code for one in listed} | {""}
        assert bool(listed) is bool(first)


async def test_a_picture_begins_marked_and_areas_of_it_can_be_marked(world: World) -> None:
    for name, pages in (("scan.png", 1), ("photo.jpeg", 1), ("pages.tiff", 2)):
        made = await brought(world, name)
        at = f"/drafts/{made['id']}"
        assert made["plain_bytes"] == 0
        marks = (await get(world, f"{at}/marks")).json()["marks"]
        assert [mark["address"] for mark in marks] == [f"page/{number}" for number in range(1, pages + 1)]
        outline = (await get(world, f"{at}/outline")).json()
        assert (outline["pages"], outline["page_sizes"]) == (pages, [[160, 96]] * pages)
        assert (await get(world, f"{at}/pages/{pages}.png", width=80)).content.startswith(b"\x89PNG")
        assert (await get(world, f"{at}/pages/1/words")).json() == {"text": "", "words": []}
        assert (await put_marks(world, made, [{"address": "page/1/area/0,0-161,4"}], 1)).status_code == 422
        marked = (await put_marks(world, made, [{"address": "page/1/area/0,0-9,4"}], 1)).json()
        assert marked["plain_bytes"] == 0
        edition = await get(world, f"{at}/content?edition=redacted")
        assert edition.status_code == 200 and SECRET.encode() not in edition.content
        assert (await put_marks(world, made, [], 2)).json()["classified_bytes"] == 0


async def test_a_file_that_is_classified_whole_says_why(world: World) -> None:
    made = await brought(world, "qpdf-encrypted-empty-password.pdf")
    assert "encrypted" in (await get(world, f"/drafts/{made['id']}/outline")).json()["note"]
    marked = (await put_marks(world, made, [{"address": "page/1"}], 1)).json()
    assert marked["plain_bytes"] == 0


async def test_pages_are_pictures_with_words_over_them(world: World) -> None:
    made = await brought(world, "report.pdf")
    at = f"/drafts/{made['id']}/pages"
    picture = await get(world, f"{at}/2.png", width=333)
    assert picture.headers["Content-Type"] == "image/png"
    assert picture.headers["X-Content-Type-Options"] == "nosniff"
    assert int.from_bytes(picture.content[16:20], "big") in (333, 334)
    words = WordsShown.model_validate((await get(world, f"{at}/2/words")).json())
    assert SECRET in words.text
    assert len(PdfReader(BytesIO(GOOD["report.pdf"][1])).pages) == 3
    for path, status in (("4.png", 422), ("4/words", 422), ("0.png", 422), ("x.png", 422)):
        answer = await get(world, f"{at}/{path}")
        assert answer.status_code == status, answer.text
    assert (await get(world, f"{at}/4.png")).json()["detail"].startswith("page/4: ")
    for width in (1, 100_000):
        assert (await get(world, f"{at}/1.png", width=width)).status_code == 422
    other = await brought(world, "pay.csv")
    assert (await get(world, f"/drafts/{other['id']}/pages/1.png")).status_code == 409


@pytest.fixture
async def roomy(tmp_path: Path, ground: Ground) -> AsyncIterator[World]:
    world = await build(tmp_path, ground, max_document_bytes=100_000_000)
    yield world
    await close(world)


@pytest.mark.parametrize("name", HOSTILE)
async def test_what_cannot_be_read_is_refused_and_leaves_nothing(roomy: World, name: str) -> None:
    world = roomy
    before = world.blob_files()
    answer = await bring(world, name, HOSTILE[name]())
    assert world.blob_files() == before
    assert (await get(world, "/drafts")).json()["items"] == []
    assert answer.status_code == 422, answer.text
    assert len(answer.json()["detail"]) > 20
    assert answer.json()["kind"] in ("Damaged", "Protected", "TooLarge", "Unsupported", "NotUtf8")


async def test_a_text_is_brought_in_another_way(world: World) -> None:
    answer = await bring(world, "memo.txt", b"a <$S>b<$E>")
    assert answer.status_code == 422
    assert "form=marked" in answer.json()["detail"]
    assert world.blob_files() == []


async def test_the_name_or_type_that_says_what_it_is_counts(world: World) -> None:
    made = (await bring(world, "pay", GOOD["pay.csv"][1], media_type="text/csv")).json()
    assert (made["format"], made["media_type"]) == ("csv", "text/csv")
    async with world.client("anna") as api:
        await api.patch(f"/drafts/{made['id']}", headers={"If-Match": '"1"'}, json={"name": "pay.tsv"})
    outline = (await get(world, f"/drafts/{made['id']}/outline")).json()
    assert (outline["format"], outline["columns"]) == ("csv", ["name", "pay"])
    assert (await bring(world, "a.bin", b"\xff", media_type="none")).status_code == 422
    # What is read as bytes goes as bytes: as text it would be shown, and redacted, by characters that it has not.
    for kind in ("text/plain", "application/json"):
        assert (await bring(world, "a.bin", b"\xff", media_type=kind)).json()[
            "media_type"
        ] == "application/octet-stream"
    assert (await bring(world, "a.bin", b"\xff", media_type="image/gif")).json()["media_type"] == "image/gif"
    assert (await bring(world, "a.bin", b"\xff")).json()["media_type"] == "application/octet-stream"


async def test_marks_go_with_each_save_and_stay_with_a_new_name(world: World) -> None:
    made = await brought(world, "pay.csv")
    files = len(world.blob_files())
    assert (await put_marks(world, made, [{"address": "column/pay"}], 1)).json()["marks"] == 1
    assert len(world.blob_files()) == files + 1
    async with world.client("anna") as api:
        renamed = await api.patch(f"/drafts/{made['id']}", headers={"If-Match": '"2"'}, json={"name": "other.csv"})
    assert (renamed.json()["marks"], renamed.json()["format"]) == (1, "csv")
    marks = (await get(world, f"/drafts/{made['id']}/marks")).json()
    assert [mark["address"] for mark in marks["marks"]] == ["column/pay"]
    shown = (await get(world, f"/drafts/{made['id']}/content", edition="marked")).text
    assert shown.replace("<$S>", "").replace("<$E>", "") == GOOD["pay.csv"][1].decode() and "<$S>" in shown
    emptied = (await put_marks(world, made, [], 3)).json()
    assert (emptied["marks"], emptied["classified_bytes"], emptied["revision"]) == (0, 0, 4)
    assert (await get(world, f"/drafts/{made['id']}/marks")).json()["marks"] == []
    assert len(world.blob_files()) == files
    await put_marks(world, made, [{"address": "row/1"}], 4)
    async with world.client("anna") as api:
        assert (await api.delete(f"/drafts/{made['id']}?forever=true")).status_code == 204
    assert world.blob_files() == []


async def test_marks_that_do_not_fit_change_nothing(world: World) -> None:
    made = await brought(world, "pay.csv")
    for marks, says in (
        ([{"address": "row/1/pay"}, {"address": "row/99/pay"}], "row/99/pay: "),
        ([{"address": "row/1/pay", "start": 0, "end": 99}], "row/1/pay: "),
        ([{"address": "row/1/pay", "start": 2, "end": 1}], "mark 1 ends before it begins"),
        ([{"address": "row/1/pay", "colour": "red"}], "mark 1 has a field"),
        ([{"start": 0, "end": 1}], "mark 1 has no address"),
    ):
        answer = await put_marks(world, made, marks, 1)
        assert answer.status_code == 422, answer.text
        assert answer.json()["detail"].startswith(says)
    assert (await get(world, f"/drafts/{made['id']}")).json() == made


async def test_half_a_character_in_an_address_is_refused_as_any_other_place(world: World) -> None:
    draft = await brought(world, "pay.csv")
    async with world.client("anna") as api:
        body = b'{"marks": [{"address": "\\ud800"}]}'
        refused = await api.put(f"/drafts/{draft['id']}/marks", content=body, headers={"If-Match": '"1"'})
    assert (refused.status_code, refused.json()["kind"]) == (422, "UnknownPlace")


async def test_of_two_who_mark_one_is_heard(world: World) -> None:
    made = await brought(world, "pay.csv")
    both = await asyncio.gather(*(put_marks(world, made, [{"address": f"row/{row}"}], 1) for row in (1, 2)))
    assert sorted(answer.status_code for answer in both) == [200, 412]
    late = await put_marks(world, made, [], 1)
    assert (late.status_code, late.json()["revision"]) == (412, 2)
    async with world.client("anna") as api:
        without = await api.put(f"/drafts/{made['id']}/marks", json={"marks": []})
    assert without.status_code == 428


async def test_text_keeps_its_own_way(world: World) -> None:
    async with world.client("anna") as api:
        made = (await api.post("/drafts", params={"form": "marked", "name": "a"}, content=b"a<$S>\xc3\xa9b<$E>")).json()
    assert (made["format"], made["marks"]) == ("text", None)
    assert (await put_marks(world, made, [], 1)).status_code == 409
    marks = (await get(world, f"/drafts/{made['id']}/marks")).json()["marks"]
    assert [(mark["address"], mark["start"], mark["end"]) for mark in marks] == [("text", 1, 3)]
    assert (await get(world, f"/drafts/{made['id']}/marks")).json()["ranges"] == [[1, 4]]
    units = (await get(world, f"/drafts/{made['id']}/units")).json()["units"]
    assert [unit["text"] for unit in units] == ["aéb"]


async def test_a_file_draft_is_no_text_draft(world: World) -> None:
    made = await brought(world, "pay.csv")
    async with world.client("anna") as api:
        answer = await api.put(
            f"/drafts/{made['id']}", params={"form": "marked"}, headers={"If-Match": '"1"'}, content=b"a"
        )
    assert answer.status_code == 409
    assert "its marks" in answer.json()["detail"]


async def test_ranges_of_bytes_for_any_other_file(world: World) -> None:
    made = await brought(world, "photo.heic")
    assert made["format"] == "bytes"
    marked = (await put_marks(world, made, [{"address": "bytes/3-10"}, {"address": "bytes/8-20"}], 1)).json()
    assert marked["classified_bytes"] == 17
    refused = await get(world, f"/drafts/{made['id']}/content", edition="redacted")
    assert refused.status_code == 409
    assert "redacted edition" in refused.json()["detail"]
    plain = await get(world, f"/drafts/{made['id']}/plain")
    data = GOOD["photo.heic"][1]
    assert plain.content == data[:3] + data[20:]


async def test_other_peoples_files_are_not_there(world: World) -> None:
    made = await brought(world, "report.pdf")
    views = ("marks", "why-classified", "units", "outline", "rows", "pages/1.png", "pages/1/words")
    for path in (*views, "content?edition=redacted"):
        assert (await get(world, f"/drafts/{made['id']}/{path}", "adam")).status_code == 404
        assert (await get(world, f"/drafts/{NOBODYS}/{path}")).status_code == 404
    async with world.client("adam") as api:
        answer = await api.put(f"/drafts/{made['id']}/marks", json={"marks": []}, headers={"If-Match": '"1"'})
    assert answer.status_code == 404


async def test_text_that_a_redaction_would_still_reveal_is_reported(world: World) -> None:
    made = await brought(world, "report.pdf")
    await put_marks(world, made, [{"address": "info/Title", "start": 6, "end": 6 + len(SECRET)}], 1)
    answer = await get(world, f"/drafts/{made['id']}/content", edition="redacted")
    assert answer.status_code == 409
    assert answer.json()["detail"].startswith("page/2: ")
    assert SECRET not in answer.text
    # It goes all the same; and what is kept of why names no place.
    document_id = (await get(world, f"/drafts/{made['id']}")).json()["document_id"]
    without = (await get(world, f"/documents/{document_id}/redacted")).json()
    assert without == {
        "redacted_bytes": None,
        "note": "it is sent without a redacted edition, because none can be made with these marks; "
        "its preview says why",
    }


@pytest.fixture
async def small(tmp_path: Path, ground: Ground) -> AsyncIterator[World]:
    world = await build(tmp_path, ground, max_reading_bytes=50, max_document_bytes=5_000, quota_bytes_per_peer=5_000)
    yield world
    await close(world)


async def test_a_file_that_is_too_large_to_be_read_is_bytes(small: World) -> None:
    made = (await bring(small, "pay.csv", b"name,pay\n" * 100)).json()
    assert made["format"] == "bytes"
    assert (await put_marks(small, made, [{"address": "bytes/0-900"}], 1)).json()["plain_bytes"] == 0
    assert (await bring(small, "pay.csv", b"name,pay\n" * 1000)).status_code == 413
    async with small.client("anna") as api:
        body = b'{"marks": [' + b" " * (64 << 20) + b"]}"
        answer = await api.put(f"/drafts/{made['id']}/marks", content=body, headers={"If-Match": '"2"'})
    assert answer.status_code == 413


async def test_no_response_and_no_log_contains_the_given_marks(world: World, caplog: pytest.LogCaptureFixture) -> None:
    made = await brought(world, "pay.csv")
    answer = await put_marks(world, made, [{"address": "row/1/pay", SECRET: 1}], 1)
    assert SECRET not in answer.text
    assert SECRET not in caplog.text
    assert json.loads(answer.text)["status"] == 422
