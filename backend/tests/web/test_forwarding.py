"""Forwarding: a cleared author gets a draft with the document and its marks; nobody else does."""

import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from any_files import GOOD, SECRET
from sieve.core.document import Document
from sieve.core.units import Mark
from sieve.formats.marker import MARKER
from sieve.formats.pdf.redrawn_pages import WITHHELD
from sieve.formats.reading import read, redact
from sieve.formats.registry import MEDIA_TYPES
from sieve.gateway.auditing.audit_log import Audit
from sieve.gateway.sent_marks import sent_marks
from sieve.marks_file import print_marks
from sieve.store.errors import DatabaseBusy
from web_world import World


async def make_author(world: World, name: str) -> None:
    async with world.client("root") as api:
        assert (await api.patch(f"/people/{world.people[name].id}", json={"is_author": True})).status_code == 200


@pytest.mark.parametrize("name", ["memo.docx", "pay.xlsx", "report.pdf", "pay.csv", "log.jsonl"])
async def test_a_file_is_forwarded_with_exactly_its_marks(world: World, name: str) -> None:
    await make_author(world, "bruno")
    kind, data = GOOD[name]
    reading = read(name, data)
    marks = [Mark(unit.address, label="SECRET") for unit in reading.units() if SECRET in unit.text]
    transfer_id = await world.deliver(
        Document(data, reading.spans(marks)),
        name=name,
        media_type=MEDIA_TYPES[kind],
        edition=redact(reading, marks),
        marks=sent_marks(print_marks(marks)),
    )
    async with world.client("bruno") as api:
        answer = await api.post(f"/inbox/{transfer_id}/forward")
        draft: dict[str, Any] = answer.json()
        assert answer.status_code == 201, draft
        assert (draft["name"], draft["format"], draft["marks"]) == (name, kind, len(marks))
        assert draft["forwarded_from"] == "Berta at bravo at bravo"
        assert (await api.get(f"/drafts/{draft['id']}/content")).content == data
        found = (await api.get(f"/drafts/{draft['id']}/marks")).json()
        assert [(mark["address"], mark["label"]) for mark in found["marks"]] == [
            (mark.address, "SECRET") for mark in marks
        ]
        assert draft["classified_bytes"] == reading.spans(marks).classified_size


async def test_a_text_and_a_file_of_an_older_gateway_are_forwarded_with_what_came_classified(world: World) -> None:
    await make_author(world, "bruno")
    text = await world.deliver(b"open <$S>secret<$E> open")
    kind, data = GOOD["memo.docx"]
    reading = read("memo.docx", data)
    marks = [Mark(unit.address) for unit in reading.units() if SECRET in unit.text]
    file = await world.deliver(
        Document(data, reading.spans(marks)),
        name="memo.docx",
        media_type=MEDIA_TYPES[kind],
        edition=redact(reading, marks),
    )
    whole = await world.deliver(
        Document(b"\xff\x01\x02", [(0, 2)]), name="a.bin", media_type="application/octet-stream"
    )
    async with world.client("bruno") as api:
        draft = (await api.post(f"/inbox/{text}/forward")).json()
        marked = await api.get(f"/drafts/{draft['id']}/content", params={"edition": "marked"})
        assert (marked.text, draft["name"]) == ("open <$S>secret<$E> open", "report.txt")
        draft = (await api.post(f"/inbox/{file}/forward")).json()
        found = {mark["address"] for mark in (await api.get(f"/drafts/{draft['id']}/marks")).json()["marks"]}
        assert found >= {mark.address for mark in marks}
        draft = (await api.post(f"/inbox/{whole}/forward")).json()
        assert (draft["format"], draft["classified_bytes"], draft["plain_bytes"]) == ("bytes", 2, 1)


@pytest.mark.parametrize("name", ["memo.docx", "pay.csv"])
async def test_a_file_whose_classified_bytes_no_marks_can_cover_is_not_forwarded(world: World, name: str) -> None:
    await make_author(world, "bruno")
    data = GOOD[name][1]
    # As an author's program may choose them: the end of the zip's directory, and a line's end.
    spans = [(0, 2), (len(data) - 2, len(data))]
    transfer_id = await world.deliver(Document(data, spans), name=name, media_type="application/octet-stream")
    async with world.client("bruno") as api:
        answer = await api.post(f"/inbox/{transfer_id}/forward")
        assert (answer.status_code, "not known what is classified" in answer.text) == (409, True)


def shows_markers(data: bytes) -> bool:
    """Whether a marker can be read in it, compressed or not."""
    return any(marker.encode() in text for text in (data, *_inflated(data)) for marker in (MARKER, WITHHELD))


def _inflated(data: bytes) -> Iterator[bytes]:
    for start in range(len(data)):
        for bits in (-zlib.MAX_WBITS, zlib.MAX_WBITS):  # of a package, of a PDF
            with suppress(zlib.error):
                yield zlib.decompressobj(bits).decompress(data[start:], 100_000)


@pytest.mark.parametrize("name", ["memo.docx", "pay.xlsx", "report.pdf", "pay.csv"])
async def test_a_redacted_edition_is_forwarded_with_its_markers_marked(world: World, name: str) -> None:
    """Nothing on the plain channel may show where its sender withheld something."""
    await make_author(world, "rosa")
    kind, data = GOOD[name]
    reading = read(name, data)
    marks = [Mark(unit.address) for unit in reading.units() if SECRET in unit.text]
    edition = redact(reading, marks)
    document = Document(data, reading.spans(marks))
    transfer_id = await world.deliver(document, name=name, media_type=MEDIA_TYPES[kind], edition=edition)
    async with world.client("rosa") as api:
        answer = await api.post(f"/inbox/{transfer_id}/forward", params={"edition": "redacted"})
        draft: dict[str, Any] = answer.json()
        assert answer.status_code == 201, draft
        stem, ending = name.split(".")
        assert (draft["name"], draft["format"]) == (f"{stem}.redacted.{ending}", kind)
        assert (await api.get(f"/drafts/{draft['id']}/content")).content == edition
        found = (await api.get(f"/drafts/{draft['id']}/marks")).json()["marks"]
        assert found and draft["marks"] == len(found)
        plain = (await api.get(f"/drafts/{draft['id']}/content", params={"edition": "plain"})).content
        assert shows_markers(edition)
        assert not shows_markers(plain)


async def test_a_redacted_text_is_forwarded_and_the_audit_log_says_so(world: World) -> None:
    await make_author(world, "rosa")
    text = await world.deliver("Tëa at <$S>six<$E><$S>teen<$E>, <$S>quay<$E>".encode())
    bare = await world.deliver(Document(b"\xff\x01", [(0, 1)]), name="a.bin", media_type="application/octet-stream")
    async with world.client("rosa") as api, world.client("root") as root:
        draft = (await api.post(f"/inbox/{text}/forward", params={"edition": "redacted"})).json()
        marked = await api.get(f"/drafts/{draft['id']}/content", params={"edition": "marked"})
        expected = f"Tëa at <$S>{MARKER}<$E>, <$S>{MARKER}<$E>"
        assert (marked.text, draft["name"]) == (expected, "report.redacted.txt")
        refused = await api.post(f"/inbox/{bare}/forward", params={"edition": "redacted"})
        assert (refused.status_code, "without a redacted edition" in refused.text) == (409, True)
        audit = (await root.get("/audit", params={"kind": "reads"})).json()["items"]
        assert (await api.get(f"/inbox/{text}")).json()["read_at"] is not None
    forwarded = [one["details"]["edition"] for one in audit if one["action"] == "document-forwarded"]
    assert forwarded == ["redacted"]


async def test_no_draft_is_left_of_a_forward_that_cannot_be_recorded(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_author(world, "bruno")
    transfer_id = await world.deliver(b"open <$S>secret<$E>")

    async def note(*_: object, **__: object) -> None:
        raise DatabaseBusy("the database is busy")

    async with world.client("bruno") as api:
        monkeypatch.setattr(Audit, "note", note)
        assert (await api.post(f"/inbox/{transfer_id}/forward")).status_code == 503
        assert (await api.get("/drafts")).json()["items"] == []


async def test_who_may_not_forward_learns_why(world: World) -> None:
    transfer_id = await world.deliver(b"open <$S>secret<$E>")
    whys = {"rosa": "only cleared recipients can forward", "bruno": "only authors can forward"}
    for who, why in whys.items():
        async with world.client(who) as api:
            refused = await api.post(f"/inbox/{transfer_id}/forward")
            assert refused.status_code == 403 and why in refused.json()["detail"]
    async with world.client("anna") as api:
        assert (await api.post(f"/inbox/{transfer_id}/forward")).status_code in (403, 404)
