"""The leak check of texts that are not saved: the same findings as after saving, and nothing stored."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from databases import by_hand
from sieve.core import markup
from sieve.gateway.screening import leak_scanner
from web.findings_calls import CLEAN, GUARD, LEAKY, check, draft, save, send, unsaved
from web_world import World


@pytest.mark.parametrize("small", [leak_scanner.SMALL, 0])
async def test_an_unsaved_text_has_the_findings_that_it_has_once_it_is_saved(
    guarded: World, monkeypatch: pytest.MonkeyPatch, small: int
) -> None:
    monkeypatch.setattr(leak_scanner, "SMALL", small)
    async with guarded.client("root") as api:
        await api.post("/policies", json=GUARD)
    async with guarded.client("anna") as api:
        made = await draft(api, b"Ida Halvorsen met us.\n", "halvorsen.txt")
        guarded.services.leak_check.rule = "off"
        assert (await send(api, made["document_id"])).status_code == 202
        as_sent = await unsaved(api, made, b"Ida Halvorsen met us.\n")
        before = await unsaved(api, made, LEAKY)
        after = await check(api, await save(api, made, LEAKY))
    assert as_sent["kinds"] == {"policy": 1}
    assert before == {**after, "revision": None}
    assert after["kinds"] == {"name": 1, "phrase": 1, "policy": 1, "sent": 1}


async def test_an_unsaved_text_is_neither_stored_nor_logged(
    guarded: World, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level("DEBUG")
    async with guarded.client("anna") as api:
        made = await draft(api, CLEAN)
        stored = sorted(guarded.blobs_folder.rglob("*"))
        assert (await unsaved(api, made, LEAKY))["kinds"] == {"phrase": 1}
        # Findings are known again only from the text itself.
        assert (await check(api, made))["count"] == 0
        assert (await api.get(f"/drafts/{made['id']}")).json()["revision"] == 1
    assert sorted(guarded.blobs_folder.rglob("*")) == stored
    assert "alvorsen" not in caplog.text.lower()
    await guarded.database.dispose()
    with by_hand(tmp_path / "sieve.db") as database:
        assert "Halvorsen" not in "\n".join(database.iterdump())


async def test_an_unsaved_text_that_cannot_be_checked_is_refused(
    guarded: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sieve.web.findings.router.MAX_UNSAVED_BYTES", len(LEAKY))
    async with guarded.client("anna") as api:
        made = await draft(api, CLEAN)
        at = f"/drafts/{made['id']}/check/unsaved"
        refused = await api.post(at, content=b"<$S>Ida Halvorsen")
        assert refused.status_code == 422
        assert "line 1" in refused.text
        assert "Halvorsen" not in refused.text
        assert (await api.post(at, content=LEAKY + b"x")).status_code == 413
        assert (await api.post("/drafts/unknown/check/unsaved", content=CLEAN)).status_code == 404
    async with guarded.client("adam") as api:
        assert (await api.post(at, content=CLEAN)).status_code == 404


async def test_an_unsaved_text_with_the_plain_stream_that_was_sent_is_compared_with_it(guarded: World) -> None:
    guarded.services.leak_check.rule = "off"
    marked_again = b"Ida Halvorsen met us.\n<$S>Ida Halvorsen<$E>"
    async with guarded.client("anna") as api:
        made = await draft(api, b"Ida Halvorsen met us.\n<$S>She left<$E>")
        assert (await send(api, made["document_id"])).status_code == 202
        before = await unsaved(api, made, marked_again)
        moved = await unsaved(api, made, b"<$S>She left<$E>Ida Halvorsen met us.\n")
        as_sent = await unsaved(api, made, b"Ida Halvorsen met us.\n<$S>She left<$E>")
        after = await check(api, await save(api, made, marked_again))
    assert before == {**after, "revision": None}
    assert after["kinds"]["sent"] == 1
    assert (moved["count"], as_sent["count"]) == (0, 0)


async def test_the_unsaved_text_of_a_file_is_refused(guarded: World) -> None:
    async with guarded.client("anna") as api:
        made = (await api.post("/drafts", params={"form": "file", "name": "a.csv"}, content=b"name\nIda\n")).json()
        refused = await api.post(f"/drafts/{made['id']}/check/unsaved", content=CLEAN)
    assert refused.status_code == 409
    assert "came as a file" in refused.json()["detail"]


async def test_the_unsaved_text_of_anothers_draft_is_not_parsed(guarded: World) -> None:
    async with guarded.client("anna") as api:
        made = await draft(api, CLEAN)
    async with guarded.client("adam") as api:
        at = f"/drafts/{made['id']}/check/unsaved"
        assert (await api.post(at, content=b"<$S>not well-formed")).status_code == 404


async def test_one_author_has_few_unsaved_texts_checked_at_once(
    guarded: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other authors do not wait."""
    entered, go_on = threading.Event(), threading.Event()
    at_once: list[int] = []
    parsing: list[bytes] = []
    parse = markup.parse

    def slow(marked: bytes) -> Any:
        if marked == LEAKY:
            return parse(marked)
        parsing.append(marked)
        at_once.append(len(parsing))
        entered.set()
        go_on.wait()
        parsing.remove(marked)
        return parse(marked)

    monkeypatch.setattr(markup, "parse", slow)
    async with guarded.client("anna") as api, guarded.client("adam") as other:
        made, theirs = await draft(api, CLEAN), await draft(other, CLEAN)
        at = f"/drafts/{made['id']}/check/unsaved"
        asked = [asyncio.create_task(api.post(at, content=CLEAN)) for _ in range(10)]
        try:
            await asyncio.to_thread(entered.wait)
            async with asyncio.timeout(60):
                first = asyncio.as_completed(asked)
                refused = [await next(first) for _ in range(6)]
            assert (await unsaved(other, theirs, LEAKY))["count"] == 1
        finally:
            go_on.set()
        answers = await asyncio.gather(*asked)
    assert {answer.status_code for answer in refused} == {503}
    assert all(answer.headers["Retry-After"] for answer in refused)
    assert sorted(answer.status_code for answer in answers) == [200] * 4 + [503] * 6
    assert at_once == [1, 1, 1, 1]
