"""Labels: which there are, the banner that they come to, and that nothing is lowered in silence."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from cases import each
from databases import by_hand
from sieve.store.queries import draft_labels as queries
from web_world import Ground, World
from world_building import build, close

TWO = b"The <$S>fleet<$E> leaves <$S>on Monday<$E>.\n"
LOW, MIDDLE, HIGH, TOP = "NATO RESTRICTED", "NATO CONFIDENTIAL", "NATO SECRET", "COSMIC TOP SECRET"


@pytest.fixture
async def nato(tmp_path: Path, ground: Ground) -> AsyncIterator[World]:
    world = await build(tmp_path, ground, labels="nato")
    yield world
    await close(world)


async def draft(api: httpx.AsyncClient, marked: bytes = TWO) -> Any:
    return (await api.post("/drafts", params={"form": "marked", "name": "a.txt"}, content=marked)).json()


async def save(api: httpx.AsyncClient, made: Any, revision: int, marked: bytes) -> None:
    headers = {"If-Match": f'"{revision}"'}
    answer = await api.put(f"/drafts/{made['id']}", params={"form": "marked"}, content=marked, headers=headers)
    assert answer.status_code == 200


async def put(api: httpx.AsyncClient, made: Any, revision: int = 1, **asked: Any) -> httpx.Response:
    headers = {"If-Match": f'"{revision}"'}
    return await api.put(f"/drafts/{made['id']}/labels", json=asked, headers=headers)


async def get(api: httpx.AsyncClient, made: Any) -> Any:
    answer = await api.get(f"/drafts/{made['id']}/labels")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_gateway_without_a_set_has_no_labels(world: World) -> None:
    async with world.client("anna") as api:
        assert (await api.get("/labels")).json() == {"name": None, "labels": [], "default": None}
        made = await draft(api)
        refused = await put(api, made, labels=[None, None])
        assert (refused.status_code, "SIEVE_LABELS" in refused.json()["detail"]) == (409, True)


async def test_the_set_is_listed_by_rank(nato: World) -> None:
    async with nato.client("rosa") as api:
        shown = (await api.get("/labels")).json()
    assert (shown["name"], shown["default"]) == ("nato", LOW)
    assert [label["name"] for label in shown["labels"]] == [LOW, MIDDLE, HIGH, TOP]
    assert shown["labels"][0] == {"name": LOW, "rank": 1, "banner": LOW, "colour": "#007a33"}


async def test_labels_roll_up_to_a_banner(nato: World) -> None:
    async with nato.client("anna") as api:
        made = await draft(api)
        now = await get(api, made)
        assert (now["labels"], now["floor"], now["banner"]) == ([None, None], LOW, LOW)
        given = await put(api, made, labels=[HIGH, None])
        assert given.status_code == 200, given.text
        assert given.json() == await get(api, made)
        assert given.json() == {
            "revision": 1,
            "labels": [HIGH, None],
            "floor": HIGH,
            "banner": HIGH,
            "banner_text": HIGH,
            "compilation_reason": None,
        }
        plain = await draft(api, b"nothing to hide")
        assert [(await get(api, plain))[field] for field in ("labels", "floor", "banner")] == [[], None, None]
    async with nato.client("adam") as api:
        assert (await api.get(f"/drafts/{made['id']}/labels")).status_code == 404
        assert (await put(api, made, labels=[HIGH, None])).status_code == 404


async def test_a_banner_may_be_raised_for_a_reason_and_never_be_below_its_floor(nato: World) -> None:
    async with nato.client("anna") as api:
        made = await draft(api)
        assert (await put(api, made, labels=[MIDDLE, None], banner=LOW)).status_code == 422
        assert (await put(api, made, labels=[MIDDLE, None], banner=HIGH)).status_code == 422
        assert (await put(api, made, banner="SECRET", compilation_reason="r")).status_code == 422
        raised = await put(api, made, labels=[MIDDLE, None], banner=HIGH, compilation_reason="all of it together")
        assert (raised.json()["floor"], raised.json()["banner"]) == (MIDDLE, HIGH)
        assert (await get(api, made))["compilation_reason"] == "all of it together"


@each(
    "asked",
    [
        {"labels": [HIGH]},
        {"labels": [HIGH, "SECRET"]},
        {"labels": [HIGH, 7]},
        {"labels": "all"},
        {"label": []},
        {"labels": [None, None], "lowering_reason": "x" * 1001},
    ],
)
async def test_labels_that_do_not_fit(nato: World, asked: dict[str, Any]) -> None:
    async with nato.client("anna") as api:
        made = await draft(api)
        assert (await put(api, made, **asked)).status_code == 422
        assert (await put(api, made, 2, labels=[None, None])).status_code == 412
        assert (await api.put(f"/drafts/{made['id']}/labels", json={})).status_code == 428
        assert (await get(api, made))["labels"] == [None, None]


async def test_lowering_wants_a_reason_that_is_audited_and_sealed(nato: World, tmp_path: Path) -> None:
    async with nato.client("anna") as api:
        made = await draft(api)
        await put(api, made, labels=[HIGH, LOW])
        for labels in ([MIDDLE, LOW], [None, HIGH]):
            refused = await put(api, made, labels=labels)
            assert (refused.status_code, refused.json()["kind"]) == (409, "lowering")
        assert (await get(api, made))["labels"] == [HIGH, LOW]
        # One up, one as it was: nothing falls.
        assert (await put(api, made, labels=[TOP, LOW])).status_code == 200
        lower = await put(api, made, labels=[MIDDLE, LOW], lowering_reason="Overtaken by the press")
        assert (lower.status_code, lower.json()["banner"]) == (200, MIDDLE)
    async with nato.client("root") as api:
        [entry] = (await api.get("/audit")).json()["items"]
    assert (entry["action"], entry["actor"], entry["subject"]) == ("labels-lowered", "anna", made["id"])
    assert entry["details"] == {"revision": 1, "spans": 1, "banner": [TOP, MIDDLE]}
    assert entry["reason"] == "Overtaken by the press"
    await nato.database.dispose()
    with by_hand(tmp_path / "sieve.db") as database:
        dump = "\n".join(database.iterdump())
        [(sealed,)] = database.execute("SELECT sealed FROM draft_labels")
    assert "Overtaken" not in dump and MIDDLE.encode() not in sealed
    assert not [label for label in (TOP, HIGH, MIDDLE, LOW) if label in dump]


async def test_two_changes_at_once_lower_nothing_in_silence(nato: World, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = queries.of
    async with nato.client("anna") as api:
        made = await draft(api)

        async def stored_before_another_raises(*asked: Any) -> Any:
            found = await stored(*asked)
            monkeypatch.undo()
            assert (await put(api, made, labels=[HIGH, LOW])).status_code == 200
            return found

        monkeypatch.setattr(queries, "of", stored_before_another_raises)
        assert (await put(api, made, labels=[MIDDLE, LOW])).status_code == 409
        assert (await get(api, made))["labels"] == [HIGH, LOW]


async def test_a_raised_banner_falls_for_a_reason_alone(nato: World) -> None:
    async with nato.client("anna") as api:
        made = await draft(api)
        await put(api, made, labels=[MIDDLE, None], banner=TOP, compilation_reason="together")
        assert (await put(api, made)).status_code == 409
        assert (await put(api, made, banner=TOP, compilation_reason="still")).status_code == 200
        assert (await put(api, made, lowering_reason="apart")).json()["banner"] == MIDDLE


async def test_a_banner_that_was_that_high_before_needs_no_other_reason(nato: World) -> None:
    """It stayed after its span was deleted: nobody raised the banner."""
    async with nato.client("anna") as api:
        made = await draft(api)
        await put(api, made, labels=[TOP, LOW])
        await save(api, made, 1, b"All leave <$S>on Monday<$E>.\n")
        assert (await put(api, made, 2, labels=[LOW], banner=HIGH, lowering_reason="x")).status_code == 422
        kept = await put(api, made, 2, labels=[MIDDLE], banner=TOP)
        assert kept.status_code == 200, kept.text
        assert [kept.json()[one] for one in ("floor", "banner", "compilation_reason")] == [MIDDLE, TOP, None]
        assert (await put(api, made, 2, banner=TOP, compilation_reason="together")).status_code == 200
        assert (await put(api, made, 2, labels=[HIGH], banner=TOP)).json()["compilation_reason"] == "together"


async def test_labels_follow_their_text_from_save_to_save(nato: World) -> None:
    async with nato.client("anna") as api:
        made = await draft(api)
        await put(api, made, labels=[MIDDLE, HIGH])
        await save(api, made, 1, b"It is <$S>on Monday<$E> that the <$S>fleet<$E> leaves.\n")
        assert (await get(api, made))["labels"] == [HIGH, MIDDLE]
        # Edited: the text that is there now counts as the text that was there.
        await save(api, made, 2, b"It is <$S>on Tuesday<$E> that the <$S>fleet<$E> leaves.\n")
        assert (await get(api, made))["labels"] == [HIGH, MIDDLE]
        # Unmarked: its label is gone, and the banner stays until somebody says why it falls.
        await save(api, made, 3, b"It is on Tuesday that the <$S>fleet<$E> leaves.\n")
        now = await get(api, made)
        assert (now["labels"], now["floor"], now["banner"]) == ([MIDDLE], MIDDLE, HIGH)
        assert (await put(api, made, 4, labels=[MIDDLE])).status_code == 409
        assert (await put(api, made, 4, labels=[MIDDLE], lowering_reason="public")).json()["banner"] == MIDDLE


async def test_what_was_cut_and_is_back_has_its_label_also_where_another_was_labelled_meanwhile(nato: World) -> None:
    async with nato.client("anna") as api:
        made = await draft(api)
        await put(api, made, labels=[HIGH, LOW])
        await save(api, made, 1, b"The  leaves <$S>on Monday<$E>.\n")
        assert (await put(api, made, 2, labels=[MIDDLE], banner=HIGH)).status_code == 200
        await save(api, made, 2, TWO)
        assert (await get(api, made))["labels"] == [HIGH, MIDDLE]


async def test_the_marks_of_a_file_have_the_labels(nato: World) -> None:
    async with nato.client("anna") as api:
        made = await api.post("/drafts", params={"form": "file", "name": "a.csv"}, content=b"name\nAnna\nOle\n")
        marks = [{"address": "row/1/name", "start": None, "end": None, "label": HIGH}]
        await api.put(f"/drafts/{made.json()['id']}/marks", headers={"If-Match": '"1"'}, json={"marks": marks})
        now = await get(api, made.json())
        assert (now["labels"], now["floor"], now["banner"], now["revision"]) == (None, HIGH, HIGH, 2)
        assert (await put(api, made.json(), 2, labels=[LOW])).status_code == 422
        raised = await put(api, made.json(), 2, banner=TOP, compilation_reason="together")
        assert raised.json()["banner"] == TOP
        await api.put(f"/drafts/{made.json()['id']}/marks", headers={"If-Match": '"2"'}, json={"marks": []})
        now = await get(api, made.json())
        assert (now["floor"], now["banner"]) == (None, TOP)


async def test_marks_that_say_less_leave_the_banner_of_a_file_where_it_was(nato: World) -> None:
    def marked(*labels: str | None) -> dict[str, Any]:
        return {
            "marks": [{"address": f"row/{row}/name", "label": label} for row, label in enumerate(labels, 1) if label]
        }

    async with nato.client("anna") as api:
        made = (
            await api.post("/drafts", params={"form": "file", "name": "a.csv"}, content=b"name\nAnna\nOle\n")
        ).json()
        path = f"/drafts/{made['id']}/marks"
        # Each save: the labels of the marks, and the floor and the banner that there are then.
        for revision, (labels, floor, banner) in enumerate(
            [
                ((HIGH, LOW), HIGH, HIGH),
                ((LOW, MIDDLE), MIDDLE, HIGH),
                ((TOP,), TOP, TOP),
                ((LOW,), LOW, TOP),
                ((), None, TOP),
            ],
            1,
        ):
            saved = await api.put(path, headers={"If-Match": f'"{revision}"'}, json=marked(*labels))
            assert saved.status_code == 200, saved.text
            now = await get(api, made)
            assert (now["floor"], now["banner"]) == (floor, banner)
        # What lost the race changes nothing.
        assert (await api.put(path, headers={"If-Match": '"2"'}, json=marked(LOW))).status_code == 412
        assert (await put(api, made, 6)).json()["kind"] == "lowering"
        assert (await put(api, made, 6, lowering_reason="public")).json()["banner"] is None
    async with nato.client("root") as api:
        [entry] = (await api.get("/audit")).json()["items"]
    assert (entry["action"], entry["reason"]) == ("labels-lowered", "public")


async def test_a_draft_goes_with_its_labels(nato: World) -> None:
    async with nato.client("anna") as api:
        made = await draft(api)
        await put(api, made, labels=[HIGH, None])
        assert (await api.delete(f"/drafts/{made['id']}")).status_code == 204
        assert (await api.get(f"/drafts/{made['id']}/labels")).status_code == 404
