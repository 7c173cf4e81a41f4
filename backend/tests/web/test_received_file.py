"""Views of a received file: all of it for cleared recipients, and no byte of it for anybody else."""

from typing import Any

import httpx
import pytest

from any_files import GOOD, SECRET
from sieve.core.document import Document
from sieve.core.units import Mark
from sieve.formats.reading import read, redact
from sieve.formats.registry import MEDIA_TYPES
from sieve.web.file_views.schemas import OutlineShown, RowsShown, UnitsShown, WordsShown
from sieve.web.inbox.schemas import ReceivedMarks
from web_world import World


async def arrived(world: World, name: str) -> str:
    """A file in which the secret is marked, with its redacted edition."""
    kind, data = GOOD[name]
    reading = read(name, data)
    marks = [Mark(unit.address) for unit in reading.units() if SECRET in unit.text]
    document = Document(data, reading.spans(marks))
    return await world.deliver(document, media_type=MEDIA_TYPES[kind], edition=redact(reading, marks))


async def get(world: World, transfer_id: str, path: str, who: str = "bruno", **asked: Any) -> httpx.Response:
    async with world.client(who) as api:
        return await api.get(f"/inbox/{transfer_id}/full/{path}", params=asked)


@pytest.mark.parametrize("name", ["memo.docx", "pay.xlsx", "report.pdf", "pay.csv"])
async def test_the_cleared_see_all_of_it_and_what_is_classified(world: World, name: str) -> None:
    transfer_id = await arrived(world, name)
    outline = OutlineShown.model_validate_json((await get(world, transfer_id, "outline")).text)
    assert outline.format == GOOD[name][0]
    units = UnitsShown.model_validate_json((await get(world, transfer_id, "units", limit=1000)).text)
    assert any(SECRET in unit.text for unit in units.units)
    marks = ReceivedMarks.model_validate_json((await get(world, transfer_id, "marks")).text)
    assert marks.marks and marks.basis == ("spans" if name == "pay.csv" else "edition")
    if name == "pay.csv":
        rows = RowsShown.model_validate_json((await get(world, transfer_id, "rows")).text)
        assert rows.rows == [["Berta", "1,200"], [SECRET, "7"]]
        assert [mark.address for mark in marks.marks] == ["row/2/name"]
    if name == "report.pdf":
        words = WordsShown.model_validate_json((await get(world, transfer_id, "pages/2/words")).text)
        assert SECRET in words.text
        assert (await get(world, transfer_id, "pages/2.png", width=200)).headers["Content-Type"] == "image/png"
    async with world.client("bruno") as api:
        assert (await api.get(f"/inbox/{transfer_id}")).json()["read_at"]


async def test_nobody_else_gets_a_byte(world: World) -> None:
    transfer_id = await arrived(world, "pay.csv")
    for path in ("outline", "units", "rows", "marks", "pages/1.png", "pages/1/words"):
        refused = await get(world, transfer_id, path, "rosa")
        assert refused.status_code == 403, path
        assert refused.json()["detail"] == "the whole document is for cleared recipients; ask for edition=redacted"
        assert (await get(world, transfer_id, path, "otto")).status_code == 404
    async with world.client("rosa") as api:
        assert (await api.get(f"/inbox/{transfer_id}")).json()["read_at"] is None


async def test_the_answers_to_the_uncleared_are_the_same_whatever_was_withheld(world: World) -> None:
    """Sizes and shapes of tables: the redacted edition and its views do not depend on the length of the secret."""
    shown = []
    for secret in ("x", "a much longer name"):
        data = f"name,pay\nBerta,1\n{secret},7\n".encode()
        reading = read("pay.csv", data)
        marks = [Mark("row/2/name")]
        document = Document(data, reading.spans(marks))
        transfer_id = await world.deliver(document, media_type="text/csv", edition=redact(reading, marks))
        async with world.client("rosa") as api:
            views = [
                (await api.get(f"/inbox/{transfer_id}/redacted/{view}")).text for view in ("outline", "rows", "units")
            ]
            entry = (await api.get(f"/inbox/{transfer_id}")).json()
        shown.append(
            (views, {key: entry[key] for key in ("plain_bytes", "redacted_bytes", "document_bytes", "editions")})
        )
    assert shown[0] == shown[1]


async def test_only_the_cleared_get_it_highlighted(world: World) -> None:
    transfer_id = await arrived(world, "memo.docx")
    async with world.client("bruno") as api:
        assert (await api.get(f"/inbox/{transfer_id}")).json()["editions"] == ["full", "redacted", "highlighted"]
        made = await api.get(f"/inbox/{transfer_id}/content", params={"edition": "highlighted"})
        assert "report.highlighted.txt" in made.headers["Content-Disposition"]
        units = [unit.text for unit in read("memo.docx", GOOD["memo.docx"][1]).units()]
        assert [unit.text for unit in read("memo.docx", made.content).units()] == units
        for name in ("memo.odt", "pay.ods", "page.html", "letter.rtf", "code.eml"):
            other = await arrived(world, name)
            assert "highlighted" in (await api.get(f"/inbox/{other}")).json()["editions"], name
            shown = await api.get(f"/inbox/{other}/content", params={"edition": "highlighted"})
            assert shown.status_code == 200 and shown.content != GOOD[name][1], name
        table = await arrived(world, "pay.csv")
        assert "highlighted" not in (await api.get(f"/inbox/{table}")).json()["editions"]
        assert (await api.get(f"/inbox/{table}/content", params={"edition": "highlighted"})).status_code == 409
    async with world.client("rosa") as api:
        refused = await api.get(f"/inbox/{transfer_id}/content", params={"edition": "highlighted"})
        assert (
            refused.status_code == 403
            and "highlighted" not in (await api.get(f"/inbox/{transfer_id}")).json()["editions"]
        )
