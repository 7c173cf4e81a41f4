"""The inbox: cleared recipients see everything, others nothing about withheld content, non-recipients nothing."""

import json
import re
from collections.abc import Sequence

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.channel.receipt import read
from sieve.core import markup
from sieve.core.document import Document
from sieve.gateway.documents.retention import Retention
from sieve.store.models import InboxEntry
from sieve.store.queries import inbox
from web_world import World

MARKED = b"<$S>Operation Heron<$E> begins at <$S>0415<$E><$S> sharp<$E>. Weather: fair."
DOCUMENT = markup.parse(MARKED)
LONG = b"".join(b"%020d <$S>%07d<$E>\n" % (line, line) for line in range(30_000))
"""More than is read ahead."""
REDACTED = "█████ begins at █████. Weather: fair.".encode()


async def test_the_cleared_have_every_edition(world: World) -> None:
    transfer_id = await world.deliver(MARKED)
    async with world.client("bruno") as api:
        shown = (await api.get(f"/inbox/{transfer_id}")).json()
        assert shown["editions"] == ["full", "redacted", "marked"]
        assert (shown["document_bytes"], shown["classified_bytes"]) == (DOCUMENT.size, DOCUMENT.classified_size)
        for edition, expected in (("full", DOCUMENT.content), ("marked", MARKED), ("redacted", REDACTED)):
            answer = await api.get(f"/inbox/{transfer_id}/content", params={"edition": edition})
            assert answer.content == expected
        receipt = await api.get(f"/inbox/{transfer_id}/receipt")
    assert read(receipt.text)[0].transfer_id == transfer_id


async def test_the_uncleared_have_the_redacted_edition(world: World) -> None:
    transfer_id = await world.deliver(MARKED)
    async with world.client("rosa") as api:
        shown = (await api.get(f"/inbox/{transfer_id}")).json()
        redacted = await api.get(f"/inbox/{transfer_id}/content", params={"edition": "redacted"})
        for edition in ("full", "marked"):
            refused = await api.get(f"/inbox/{transfer_id}/content", params={"edition": edition})
            assert refused.status_code == 403
            assert "edition=redacted" in refused.json()["detail"]
    assert shown["editions"] == ["redacted"]
    assert redacted.content == REDACTED


async def test_nothing_that_the_uncleared_get_depends_on_what_is_hidden(world: World) -> None:
    """Two documents that differ in hidden text, its lengths and how it is parted look the same, ids and times aside."""
    looks = []
    for hidden in (b"<$S>a<$E>", b"<$S>" + b"long " * 50_000 + b"<$E><$S><$E><$S>z<$E>"):
        transfer_id = await world.deliver(b"before " + hidden + b" after")
        look = ""
        async with world.client("rosa") as api:
            for path in (
                "/inbox",
                f"/inbox/{transfer_id}",
                f"/inbox/{transfer_id}/content",
                f"/inbox/{transfer_id}/content?edition=marked",
                f"/inbox/{transfer_id}/content?edition=redacted",
                f"/inbox/{transfer_id}/receipt",
                f"/transfers/{transfer_id}",
                f"/transfers/{transfer_id}/receipt",
            ):
                answer = await api.get(path)
                look += f"{path} {answer.status_code} {sorted(answer.headers.items())} {answer.text}\n"
            await api.delete(f"/inbox/{transfer_id}")
        looks.append(re.sub(r"[0-9a-f]{32}\b", "-", re.sub(r'"read_at":("[^"]*"|null)', "", look)))
    assert looks[0] == looks[1]


async def test_a_redacted_edition_has_no_length_in_its_head(world: World) -> None:
    transfer_id = await world.deliver(MARKED)
    async with world.client("rosa") as api:
        redacted = await api.get(f"/inbox/{transfer_id}/content", params={"edition": "redacted"})
    assert "content-length" not in redacted.headers and "etag" not in redacted.headers


async def test_clearance_counts_from_the_next_request_on(world: World) -> None:
    transfer_id = await world.deliver(MARKED)
    async with world.client("root") as admin, world.client("bruno") as bruno:
        path = f"/inbox/{transfer_id}/content"
        assert (await bruno.get(path)).status_code == 200
        person = world.people["bruno"].id
        assert (await admin.patch(f"/people/{person}", json={"cleared": False})).status_code == 200
        assert (await bruno.get(path)).status_code == 403
        assert (await bruno.get(f"/inbox/{transfer_id}")).json()["document_bytes"] is None
        await admin.patch(f"/people/{person}", json={"is_recipient": False, "is_author": True})
        assert (await bruno.get("/inbox")).status_code == 403
        await admin.patch(f"/people/{person}", json={"disabled": True})
        assert (await bruno.get("/inbox")).status_code == 401


async def test_an_uncleared_reader_has_an_excerpt_of_the_receipt(world: World) -> None:
    transfer_id = await world.deliver(MARKED)
    async with world.client("rosa") as api:
        excerpt = (await api.get(f"/inbox/{transfer_id}/receipt")).json()
    assert set(excerpt) == {"transfer_id", "plain_digest", "received_at"}


@pytest.mark.parametrize("who", ["otto", "anna", "root"])
async def test_others_see_nothing(world: World, who: str) -> None:
    transfer_id = await world.deliver(MARKED)
    async with world.client(who) as api:
        for method, path in (
            ("GET", f"/inbox/{transfer_id}"),
            ("GET", f"/inbox/{transfer_id}/content"),
            ("GET", f"/inbox/{transfer_id}/receipt"),
            ("DELETE", f"/inbox/{transfer_id}"),
        ):
            answer = await api.request(method, path)
            assert answer.status_code == (404 if who == "otto" else 403)


async def test_a_document_goes_with_the_last_inbox_that_has_it(world: World) -> None:
    transfer_id = await world.deliver(MARKED)
    async with world.client("bruno") as bruno, world.client("rosa") as rosa:
        assert (await bruno.delete(f"/inbox/{transfer_id}?forever=true")).status_code == 204
        assert (await bruno.get(f"/inbox/{transfer_id}")).status_code == 404
        assert (await rosa.get(f"/inbox/{transfer_id}/content?edition=redacted")).content == REDACTED
        assert (await rosa.delete(f"/inbox/{transfer_id}?forever=true")).status_code == 204
    assert len(world.blob_files()) == 0  # the manifest, which the receipt is about, is in a row


@pytest.mark.parametrize(
    ("who", "edition"), [("bruno", "full"), ("bruno", "marked"), ("rosa", "redacted"), ("rosa", "gaps")]
)
async def test_what_is_being_read_goes_when_it_has_been(world: World, who: str, edition: str) -> None:
    path = f"/inbox/{await world.deliver(LONG)}/content?edition={edition}"
    async with world.client(who) as reader:
        whole = (await reader.get(path)).content
    assert len(whole) > len(LONG) // 2

    async def remove() -> None:
        services = world.services
        await Retention(services.database, services.blobs, services.announcements, 1).remove()
        assert len(world.blob_files()) == 2

    assert await world.read_while(path, who, remove) == whole
    assert len(world.blob_files()) == 0


async def test_one_that_goes_before_it_is_read_is_not_there(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    transfer_id = await world.deliver(MARKED, to=["bruno"])
    find = inbox.find

    async def then_remove(session: AsyncSession, *whose: str) -> Sequence[InboxEntry]:
        monkeypatch.setattr(inbox, "find", find)
        found = await find(session, *whose)
        async with world.client("bruno") as api:
            assert (await api.delete(f"/inbox/{transfer_id}?forever=true")).status_code == 204
        return found

    monkeypatch.setattr(inbox, "find", then_remove)
    async with world.client("bruno") as bruno:
        assert (await bruno.get(f"/inbox/{transfer_id}/content")).status_code == 404


async def test_bytes_have_no_redacted_edition(world: World) -> None:
    transfer_id = await world.deliver(Document(b"\x89PNG secret", [(5, 11)]), media_type="image/png")
    async with world.client("rosa") as api:
        answer = await api.get(f"/inbox/{transfer_id}/content", params={"edition": "redacted"})
        shown = (await api.get(f"/inbox/{transfer_id}")).json()
    assert answer.status_code == 409
    assert answer.json()["detail"] == "this file came without a redacted edition; ask its sender"
    assert shown["editions"] == []


async def test_the_uncleared_have_the_redacted_edition_that_came_with_a_file(world: World) -> None:
    edition = b"PK " + bytes(300_000) + b" a file, redacted"
    media_type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    before = len(world.blob_files())
    transfer_id = await world.deliver(Document(b"PK secret", [(3, 9)]), media_type=media_type, edition=edition)
    async with world.client("rosa") as api:
        shown = (await api.get(f"/inbox/{transfer_id}")).json()
        answer = await api.get(f"/inbox/{transfer_id}/content", params={"edition": "redacted"})
        full = await api.get(f"/inbox/{transfer_id}/content")
        gaps = await api.get(f"/inbox/{transfer_id}/content", params={"edition": "gaps"})
        verification = (await api.get(f"/inbox/{transfer_id}/verification")).json()
    assert shown["editions"] == ["redacted"]
    assert shown["redacted_bytes"] == len(edition)
    assert (shown["document_bytes"], shown["classified_bytes"]) == (None, None)
    assert (answer.content, answer.headers["Content-Type"]) == (edition, media_type)
    assert 'filename="report.redacted.txt"' in answer.headers["Content-Disposition"]
    assert (full.status_code, gaps.status_code) == (403, 409)
    assert verification["valid"] and verification["checks"][-1]["name"] == "redacted_digest"
    for who in ("bruno", "rosa"):
        async with world.client(who) as api:
            await api.delete(f"/inbox/{transfer_id}?forever=true")
    assert len(world.blob_files()) == before, "it goes with the document"


@pytest.mark.parametrize(
    ("media_type", "expected"),
    [
        ("text/html", "text/plain; charset=utf-8"),
        ("image/svg+xml", "text/plain; charset=utf-8"),
        ("application/pdf", "application/pdf"),
        ("application/x-shockwave-flash", "application/octet-stream"),
    ],
)
async def test_a_download_makes_no_browser_do_anything(world: World, media_type: str, expected: str) -> None:
    transfer_id = await world.deliver(Document(b"<script>alert(1)</script>"), media_type=media_type)
    async with world.client("bruno") as api:
        answer = await api.get(f"/inbox/{transfer_id}/content")
    assert answer.headers["content-type"] == expected
    assert answer.headers["content-disposition"].startswith("attachment;")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"].startswith("sandbox;")
    assert answer.headers["cache-control"] == "no-store"


async def test_reading_is_noted_once(world: World) -> None:
    transfer_id = await world.deliver(MARKED)
    async with world.client("bruno") as api:
        assert (await api.get(f"/inbox/{transfer_id}")).json()["read_at"] is None
        await api.get(f"/inbox/{transfer_id}/content")
        first = (await api.get(f"/inbox/{transfer_id}")).json()["read_at"]
        await api.get(f"/inbox/{transfer_id}/content")
        assert (await api.get(f"/inbox/{transfer_id}")).json()["read_at"] == first is not None


async def test_pages_hold_every_entry_once(world: World) -> None:
    ids = {await world.deliver(MARKED) for _ in range(5)}
    async with world.client("rosa") as api:
        one = (await api.get("/inbox", params={"limit": 3})).json()
        two = (await api.get("/inbox", params={"limit": 3, "after": one["next"]})).json()
    assert two["next"] is None
    assert {item["transfer_id"] for item in one["items"] + two["items"]} == ids
    assert json.dumps(one).count("bruno") == 0
