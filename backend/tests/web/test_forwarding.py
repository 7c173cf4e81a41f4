"""Forwarding: a cleared author gets a draft with the document and its marks; nobody else does."""

from typing import Any

import pytest

from any_files import GOOD, SECRET
from sieve.core.document import Document
from sieve.core.units import Mark
from sieve.formats.registry import MEDIA_TYPES, read, redact
from sieve.gateway.sent_marks import sent_marks
from sieve.marks_file import print_marks
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


async def test_who_may_not_forward_learns_why(world: World) -> None:
    transfer_id = await world.deliver(b"open <$S>secret<$E>")
    whys = {"rosa": "only cleared recipients can forward", "bruno": "only authors can forward"}
    for who, why in whys.items():
        async with world.client(who) as api:
            refused = await api.post(f"/inbox/{transfer_id}/forward")
            assert refused.status_code == 403 and why in refused.json()["detail"]
    async with world.client("anna") as api:
        assert (await api.post(f"/inbox/{transfer_id}/forward")).status_code in (403, 404)
