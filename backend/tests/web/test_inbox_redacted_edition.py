"""Views of the redacted edition that came with a file: only for recipients, and read like a stranger's file."""

from typing import Any

import httpx
import pytest

from any_files import GOOD, HOSTILE, SECRET
from sieve.core.document import Document
from sieve.core.units import Mark
from sieve.formats.reading import read, redact
from sieve.formats.registry import MEDIA_TYPES
from sieve.web.file_views.schemas import OutlineShown, RowsShown, UnitsShown, WordsShown
from web_world import World


async def arrived(world: World, name: str, edition: bytes | None = None) -> str:
    """A file with its redacted edition, in which the secret is withheld; or with that one."""
    kind, data = GOOD[name]
    reading = read(name, data)
    marks = [Mark(unit.address) for unit in reading.units() if SECRET in unit.text]
    document = Document(data, reading.spans(marks))
    made = redact(reading, marks) if edition is None else edition
    return await world.deliver(document, media_type=MEDIA_TYPES[kind], edition=made)


async def get(world: World, transfer_id: str, path: str, who: str = "rosa", **asked: Any) -> httpx.Response:
    async with world.client(who) as api:
        return await api.get(f"/inbox/{transfer_id}/redacted/{path}", params=asked)


@pytest.mark.parametrize("name", ["memo.docx", "pay.xlsx", "report.pdf", "pay.csv", "page.html", "code.eml"])
async def test_the_uncleared_look_at_what_came_for_them(world: World, name: str) -> None:
    transfer_id = await arrived(world, name)
    outline = OutlineShown.model_validate_json((await get(world, transfer_id, "outline")).text)
    assert outline.format == GOOD[name][0]
    said = await get(world, transfer_id, "units", limit=1000)
    units = UnitsShown.model_validate_json(said.text)
    assert units.units and units.next is None
    told = [said.text]
    if name == "pay.xlsx":
        assert outline.sheets
        rows = await get(world, transfer_id, "rows", sheet=outline.sheets[0].name)
        assert RowsShown.model_validate_json(rows.text).rows
        told.append(rows.text)
    if name == "report.pdf":
        pages = [await get(world, transfer_id, f"pages/{page}/words") for page in (1, 2)]
        assert WordsShown.model_validate_json(pages[0].text).words
        told += [page.text for page in pages]
        drawn = await get(world, transfer_id, "pages/2.png", width=200)
        assert drawn.headers["Content-Type"] == "image/png" and drawn.content.startswith(b"\x89PNG")
    assert not any(word in text for word in SECRET.split() for text in told)
    async with world.client("rosa") as api:
        assert (await api.get(f"/inbox/{transfer_id}")).json()["read_at"], "who looks at it has opened it"


async def test_the_cleared_look_at_the_edition_too_and_nobody_else_at_anything(world: World) -> None:
    transfer_id = await arrived(world, "pay.csv")
    shown = await get(world, transfer_id, "units", "bruno")
    assert shown.status_code == 200 and SECRET not in shown.text
    assert (await get(world, transfer_id, "outline", "otto")).status_code == 404


async def test_a_missing_edition_and_an_unreadable_one_are_reported(world: World) -> None:
    text = await world.deliver(b"open <$S>secret<$E>")
    answer = await get(world, text, "outline")
    assert (answer.status_code, answer.json()["detail"]) == (
        409,
        "this came without a redacted edition; only files have one",
    )
    harm = await arrived(world, "memo.docx", HOSTILE["laughing.docx"]())
    assert (await get(world, harm, "units")).status_code == 422
    async with world.client("rosa") as api:
        assert (await api.get(f"/inbox/{harm}")).json()["read_at"] is None
        assert (await api.delete(f"/inbox/{harm}")).status_code == 204
    assert (await get(world, harm, "outline")).status_code == 404
