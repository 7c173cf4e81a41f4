"""The leak check goes by a document's bytes, not by its media type or name, and checks the name, too."""

from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import httpx
import pytest

from any_files import GOOD, SECRET
from sieve.gateway.reading.errors import ReadingFailed
from sieve.gateway.reading.service import ReadingService
from sieve.gateway.screening import leak_scanner
from web_world import Ground, World
from world_building import build, close


@pytest.fixture
async def guarded(tmp_path: Path, ground: Ground) -> AsyncIterator[World]:
    world = await build(tmp_path, ground, open_findings="confirm")
    yield world
    await close(world)


async def send(api: httpx.AsyncClient, document_id: str) -> httpx.Response:
    return await api.post("/transfers", json={"document_id": document_id, "peer": "bravo", "recipients": ["berta"]})


async def literal(api: httpx.AsyncClient, data: bytes, spans: str, *, media_type: str, name: str = "a.bin") -> Any:
    asked = {"form": "literal", "name": name, "media_type": media_type}
    made = await api.post("/documents", params=asked, headers={"Sieve-Spans": spans}, content=data)
    assert made.status_code == 201, made.text
    return made.json()


@pytest.mark.parametrize("small", [True, False], ids=["in a thread", "in a process"])
@pytest.mark.parametrize(
    ("encoding", "media_type"),
    [
        ("utf-8", "application/octet-stream"),
        ("utf-16", "image/png"),
        ("utf-16-be", "text/csv; charset=latin1"),
        ("cp1252", "image/png"),
    ],
)
async def test_a_text_is_checked_whatever_its_name(
    guarded: World, monkeypatch: pytest.MonkeyPatch, encoding: str, media_type: str, small: bool
) -> None:
    monkeypatch.setattr(leak_scanner, "SMALL", leak_scanner.SMALL if small else 0)
    async with guarded.client("root") as api:
        rules = [{"kind": "keywords", "keywords": ["Jürgen"]}]
        await api.post("/policies", json={"name": "names", "guard": True, "rules": rules})
    first, rest = "Ida Halvorsén", " met us. IDA HALVORSÉN left Jürgen."
    whole = (first + rest).encode(encoding)
    end = len(whole) - len(rest.encode(encoding.replace("utf-16", "utf-16-be")[:9]))
    if encoding == "utf-8":
        whole += b" \xff"
    async with guarded.client("anna") as api:
        made = await literal(api, whole, f"0-{end}", media_type=media_type)
        assert (await send(api, made["id"])).json()["kinds"] == {"phrase": 1, "policy": 1}
        hidden = await literal(api, whole, f"0-{len(whole)}", media_type=media_type)
        assert (await send(api, hidden["id"])).json().get("kinds", {}).keys() <= {"gap"}


@pytest.mark.parametrize("name", ["memo.docx", "pay.xlsx", "report.pdf"])
async def test_a_file_is_checked_whatever_its_name(guarded: World, name: str) -> None:
    rules = [{"kind": "keywords", "keywords": [SECRET]}]
    async with guarded.client("root") as api:
        await api.post("/policies", json={"name": "all", "guard": True, "rules": rules})
    async with guarded.client("anna") as api:
        data = GOOD[name][1]
        made = await literal(api, data, "0-4", media_type="application/octet-stream")
        assert "policy" in (await send(api, made["id"])).json()["kinds"]
        whole = await literal(api, data, f"0-{len(data)}", media_type="image/png")
        assert (await send(api, whole["id"])).status_code == 202
        moved = data.replace(b"word/document.xml", b"word/letters8.xml") if name == "memo.docx" else b"\n" + data
        made = await literal(api, moved, "0-4", media_type="image/png")
        assert (await send(api, made["id"])).json()["kinds"].keys() & {"policy", "limit"}
        # What cannot be read, though it begins so or is called so, is not passed over; nor is it looked for in vain.
        called = await literal(api, b"\xd0\xcf\x11\xe0\0", "0-4", name=name, media_type="image/png")
        assert (await send(api, called["id"])).json()["kinds"] == {"limit": 1}
        called = await literal(api, b"\xd0\xcf\x11\xe0\0", "0-5", name=name, media_type="image/png")
        assert (await send(api, called["id"])).status_code == 202
        cut = await literal(api, b"%PDF-1.7 and no more", "0-4", media_type="image/png")
        assert (await send(api, cut["id"])).json()["kinds"] == {"limit": 1}


async def test_what_is_wholly_classified_goes_though_reading_it_fail(
    guarded: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise ReadingFailed("reading the file took more memory than it may")

    monkeypatch.setattr(ReadingService, "findings", fail)
    async with guarded.client("anna") as api:
        data = GOOD["memo.docx"][1]
        part = await literal(api, data, "0-4", media_type="application/octet-stream")
        assert (await send(api, part["id"])).json()["kinds"] == {"limit": 1}
        whole = await literal(api, data, f"0-{len(data)}", media_type="application/octet-stream")
        assert (await send(api, whole["id"])).status_code == 202


async def test_a_text_with_the_name_of_a_table_is_checked_as_text(guarded: World) -> None:
    rules = [{"kind": "columns", "columns": ["pay"]}, {"kind": "keywords", "keywords": ["Ole"]}]
    async with guarded.client("root") as api:
        await api.post("/policies", json={"name": "pay", "guard": True, "rules": rules})
    async with guarded.client("anna") as api:
        made = await literal(
            api, b'name,pay\nHalvorsen,"7171\nOle,8282\nHalvorsen,1\n', "9-18", media_type="text/csv", name="pay.csv"
        )
        found = (await api.post(f"/documents/{made['id']}/check")).json()
    assert sorted(one["kind"] for one in found["findings"]) == ["limit", "phrase", "policy"]
    assert found["findings"][-1]["says"].startswith(
        "Rules for columns or rows could not check it: row 1 of the table: "
    )


@pytest.mark.parametrize(
    ("name", "media_type"), [("pay.csv", "application/octet-stream"), ("pay", "text/csv"), ("pay.csv", "text/plain")]
)
async def test_rules_for_tables_look_at_what_is_called_one(guarded: World, name: str, media_type: str) -> None:
    rules = [{"kind": "columns", "columns": ["pay"]}, {"kind": "rows", "where": 'name = "Ole"'}]
    async with guarded.client("root") as api:
        await api.post("/policies", json={"name": "pay", "guard": True, "rules": rules})
    async with guarded.client("anna") as api:
        made = await literal(api, b"name,pay\nAnn\xc3\xa9,7171\nOle,8282\n", "15-19", name=name, media_type=media_type)
        found = (await api.post(f"/documents/{made['id']}/check")).json()
        assert [(one["group"], one["start"], one["end"]) for one in found["findings"]] == [
            ("pay/1#2", 19, 27),
            ("pay/1#1", 23, 27),
        ]
        # With a title above its header neither rule finds its column: that is said, and not sent in silence.
        titled = b"Pay list\nname,pay\nOle,8282\n"
        made = (await api.post("/drafts", params={"form": "file", "name": "pay.csv"}, content=titled)).json()
        seen = (await api.post(f"/drafts/{made['id']}/policies/pay/preview")).json()
        assert (seen["hits"], len(seen["missing"])) == ([], 2)
        assert (await send(api, made["document_id"])).json()["kinds"] == {"policy": 2, "table": 2}
        broken = await literal(api, b"{]\n", "0-1", name="log.jsonl", media_type=media_type)
        assert (await send(api, broken["id"])).json()["kinds"] == {"limit": 1}


async def test_a_file_that_was_stored_as_bytes_is_checked(guarded: World) -> None:
    async with guarded.client("anna") as api:
        data = "Müller met us. Müller left.".encode("cp1252")
        made = (await api.post("/drafts", params={"form": "file", "name": "a.txt"}, content=data)).json()
        assert made["format"] == "bytes"
        marks = {"marks": [{"address": "bytes/0-6"}]}
        marked = await api.put(f"/drafts/{made['id']}/marks", headers={"If-Match": '"1"'}, json=marks)
        assert (await send(api, marked.json()["document_id"])).json()["kinds"] == {"phrase": 1}


@pytest.mark.parametrize("name", ["memo.txt", "a.bin", "pay.csv"])
async def test_policies_look_at_the_name(guarded: World, name: str) -> None:
    rules = [
        {"kind": "keywords", "keywords": ["Orion", "txt", "csv"]},
        {"kind": "keywords", "keywords": ["Vega"], "granularity": "document"},
    ]
    async with guarded.client("root") as api:
        await api.post("/policies", json={"name": "names", "guard": True, "rules": rules})
    async with guarded.client("anna") as api:
        data = b"\xff\0" if name == "a.bin" else b"name\nNothing.\n"
        asked = {"form": "file" if name != "memo.txt" else "literal", "name": f"orion_vega_{name}"}
        made = (await api.post("/drafts", params=asked, content=data)).json()
        found = (await api.post(f"/drafts/{made['id']}/check")).json()
        places = [(one["kind"], one["address"], one["start"], one["end"]) for one in found["findings"]]
        assert places == [("policy", "name", 0, 5), ("policy", "name", 0, len(asked["name"]))]
        assert "which travels plain, contains “orion”" in found["findings"][0]["says"]
        assert found["findings"][0]["excerpt"] == asked["name"]
        renamed = await api.patch(f"/drafts/{made['id']}", headers={"If-Match": '"1"'}, json={"name": name})
        assert (await api.post(f"/drafts/{renamed.json()['id']}/check")).json()["count"] == 0


async def test_content_that_cannot_be_checked_is_a_finding(guarded: World) -> None:
    async with guarded.client("root") as api:
        await api.post(
            "/policies", json={"name": "all", "guard": True, "rules": [{"kind": "keywords", "keywords": [SECRET]}]}
        )
    old_word = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + SECRET.encode("utf-16-le") + bytes(500)
    whole = BytesIO()
    with ZipFile(whole, "w", ZIP_DEFLATED) as archive:
        archive.writestr("letters.txt", f"The code is {SECRET}.")
        archive.writestr("photo.heic", GOOD["photo.heic"][1])
    async with guarded.client("anna") as api:
        for data, kinds in (
            (GOOD["photo.heic"][1], {"hidden": 1}),
            (old_word, {"hidden": 1}),
            (whole.getvalue(), {"hidden": 1, "policy": 1}),
            (whole.getvalue()[:-9], {"limit": 1}),
        ):
            made = await literal(api, data, "0-4", media_type="application/octet-stream")
            assert (await send(api, made["id"])).json()["kinds"] == kinds
            made = await literal(api, data, f"0-{len(data)}", media_type="application/octet-stream")
            assert (await send(api, made["id"])).status_code == 202
