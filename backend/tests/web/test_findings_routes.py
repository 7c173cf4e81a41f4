"""The server's own look before a document is sent: what is refused, what a confirmation lets go, and what is kept."""

import asyncio
import json
import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from any_files import GOOD, SECRET
from sieve.channel.attempt import Mode, Plan
from sieve.core import markup
from sieve.gateway.outbound.fitted_plan import FittedPlan
from sieve.gateway.screening import leak_scanner
from sieve.gateway.screening.leak_check import LeakCheck
from sieve.store.models import Attempt, Transfer
from web_world import Ground, World, build, close

LEAKY = b"<$S>Ida Halvorsen<$E> met us. IDA HALVORSEN left.\n"
CLEAN = b"<$S>Ida Halvorsen<$E> met us. She left.\n"
GUARD = {"name": "names", "guard": True, "rules": [{"kind": "keywords", "keywords": ["met"], "reason": "A verb"}]}


@pytest.fixture
async def guarded(tmp_path: Path, ground: Ground) -> AsyncIterator[World]:
    world = await build(tmp_path, ground, open_findings="confirm")
    yield world
    await close(world)


async def send(api: httpx.AsyncClient, document_id: str, confirm: dict[str, str] | None = None) -> httpx.Response:
    asked: dict[str, Any] = {"document_id": document_id, "peer": "bravo", "recipients": ["berta"]}
    return await api.post("/transfers", json={**asked, "confirm": confirm} if confirm else asked)


async def draft(api: httpx.AsyncClient, marked: bytes, name: str = "memo.txt") -> Any:
    made = await api.post("/drafts", params={"form": "marked", "name": name}, content=marked)
    assert made.status_code == 201, made.text
    return made.json()


async def save(api: httpx.AsyncClient, before: Any, marked: bytes) -> Any:
    headers = {"If-Match": f'"{before["revision"]}"'}
    saved = await api.put(f"/drafts/{before['id']}", params={"form": "marked"}, content=marked, headers=headers)
    assert saved.status_code == 200, saved.text
    return saved.json()


async def check(api: httpx.AsyncClient, made: Any) -> Any:
    answer = await api.post(f"/drafts/{made['id']}/check")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_draft_is_checked(guarded: World) -> None:
    async with guarded.client("anna") as api:
        made = await draft(api, LEAKY, "halvorsen.txt")
        found = await check(api, made)
        again = await check(api, made)
        assert (await check(api, await draft(api, CLEAN)))["count"] == 0
    assert again == found
    assert (found["revision"], found["count"], found["more"]) == (1, 2, False)
    assert found["kinds"] == {"name": 1, "phrase": 1}
    name, phrase = found["findings"]
    assert (name["kind"], name["address"], name["excerpt"]) == ("name", "name", "halvorsen.txt")
    assert (phrase["address"], phrase["start"], phrase["end"]) == ("text", 22, 35)
    assert phrase["excerpt"] == "Ida Halvorsen met us. IDA HALVORSEN left."
    assert phrase["says"] == "“IDA HALVORSEN” is the marked “Ida Halvorsen”, written in another way"
    assert len({name["id"], phrase["id"], found["digest"]}) == 3


async def unsaved(api: httpx.AsyncClient, made: Any, marked: bytes) -> Any:
    answer = await api.post(f"/drafts/{made['id']}/check/unsaved", content=marked)
    assert answer.status_code == 200, answer.text
    return answer.json()


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
    with sqlite3.connect(tmp_path / "sieve.db") as database:
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
    """And keeps nobody else waiting."""
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
                refused = [await next(first) for _ in range(8)]
            assert (await unsaved(other, theirs, LEAKY))["count"] == 1
        finally:
            go_on.set()
        answers = await asyncio.gather(*asked)
    assert {answer.status_code for answer in refused} == {503}
    assert all(answer.headers["Retry-After"] for answer in refused)
    assert sorted(answer.status_code for answer in answers) == [200] * 2 + [503] * 8
    assert at_once == [1, 1]


async def test_a_draft_that_is_saved_while_it_is_checked_is_checked_again(
    guarded: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = leak_scanner.LeakScanner.scan
    async with guarded.client("anna") as api:
        made = await draft(api, LEAKY)

        async def saved_meanwhile(self: leak_scanner.LeakScanner, *asked: Any) -> Any:
            monkeypatch.setattr(leak_scanner.LeakScanner, "scan", real)
            await save(api, made, CLEAN)
            return await real(self, *asked)

        monkeypatch.setattr(leak_scanner.LeakScanner, "scan", saved_meanwhile)
        found = await check(api, made)
    assert (found["revision"], found["count"]) == (2, 0)


async def test_nobody_checks_the_document_of_another(guarded: World) -> None:
    document_id = await guarded.upload(LEAKY)
    async with guarded.client("anna") as api:
        made = await draft(api, LEAKY)
        assert (await api.post(f"/documents/{document_id}/check")).json()["count"] == 1
        assert (await api.post(f"/documents/{made['document_id']}/check")).json()["revision"] is None
    async with guarded.client("adam") as api:
        assert (await api.post(f"/documents/{document_id}/check")).status_code == 404
        assert (await api.post(f"/drafts/{made['id']}/check")).status_code == 404
        assert (await send(api, document_id)).status_code == 404


async def test_open_findings_want_a_confirmation_that_is_audited(guarded: World, tmp_path: Path) -> None:
    document_id = await guarded.upload(LEAKY)
    async with guarded.client("anna") as api:
        refused = await send(api, document_id)
        said = refused.json()
        assert (refused.status_code, said["kind"], said["findings"], said["may_confirm"]) == (
            409,
            "open-findings",
            1,
            True,
        )
        assert "Halvorsen" not in refused.text
        assert said["kinds"] == {"phrase": 1}
        wrong = await send(api, document_id, {"findings_digest": "0" * 32, "reason": "it is well known"})
        assert (wrong.status_code, wrong.json()["digest"]) == (409, said["digest"])
        for reason in ("", "  ", "x" * 1001):
            assert (
                await send(api, document_id, {"findings_digest": said["digest"], "reason": reason})
            ).status_code == 422
        assert (await api.get("/transfers")).json()["items"] == []
        sent = await send(api, document_id, {"findings_digest": said["digest"], "reason": "Halvorsen is known there"})
        assert sent.status_code == 202, sent.text
    async with guarded.client("root") as api:
        [entry] = (await api.get("/audit")).json()["items"]
    assert (entry["actor"], entry["action"], entry["subject"]) == ("anna", "findings-confirmed", sent.json()["id"])
    assert entry["reason"] == "Halvorsen is known there"
    assert entry["details"] == {
        "document": document_id,
        "peer": "bravo",
        "findings": 1,
        "kinds": {"phrase": 1},
        "rules": {},
        "policies": [],
    }
    await guarded.database.dispose()
    with sqlite3.connect(tmp_path / "sieve.db") as database:
        assert "Halvorsen" not in "\n".join(database.iterdump())


async def test_what_has_no_findings_goes_without_a_word(guarded: World) -> None:
    async with guarded.client("anna") as api:
        assert (await send(api, await guarded.upload(CLEAN))).status_code == 202
        assert (
            await send(api, await guarded.upload(CLEAN), {"findings_digest": "0", "reason": "r"})
        ).status_code == 202
        binary = await api.post(
            "/documents",
            params={"form": "literal", "name": "a.png", "media_type": "image/png"},
            headers={"Sieve-Spans": "0-9"},
            content=b"\xff" * 9,
        )
        assert (await send(api, binary.json()["id"])).status_code == 202
    async with guarded.client("root") as api:
        assert (await api.get("/audit")).json()["items"] == []


async def test_a_refused_sending_leaves_no_entry(guarded: World) -> None:
    """The entry is a part of the transaction that queues the transfer."""
    document_id = await guarded.upload(LEAKY)
    async with guarded.client("anna") as api:
        confirm = {"findings_digest": (await send(api, document_id)).json()["digest"], "reason": "known"}
        asked = {"document_id": document_id, "peer": "bravo", "recipients": ["nobody"], "confirm": confirm}
        assert (await api.post("/transfers", json=asked)).status_code == 422
    async with guarded.client("root") as api:
        assert (await api.get("/audit")).json()["items"] == []


async def test_a_gateway_may_forbid_or_not_look(tmp_path: Path, ground: Ground) -> None:
    for number, (rule, status) in enumerate([("forbid", 409), ("off", 202)]):
        folder = tmp_path / str(number)
        folder.mkdir()
        world = await build(folder, ground, open_findings=rule)
        document_id = await world.upload(LEAKY)
        async with world.client("anna") as api:
            answer = await send(api, document_id)
            assert answer.status_code == status
            if rule == "forbid":
                said = answer.json()
                assert not said["may_confirm"]
                confirm = {"findings_digest": said["digest"], "reason": "known"}
                assert (await send(api, document_id, confirm)).status_code == 409
            assert (await api.post(f"/documents/{document_id}/check")).json()["count"] == 1
        await close(world)


async def test_policies_that_guard_are_used(guarded: World) -> None:
    document_id = await guarded.upload(CLEAN)
    async with guarded.client("root") as api:
        made = await api.post("/policies", json={**GUARD, "guard": False})
        async with guarded.client("anna") as author:
            assert (await send(author, document_id)).status_code == 202
        await api.put("/policies/names", json=GUARD, headers={"If-Match": made.headers["etag"]})
    async with guarded.client("anna") as api:
        # What was found before is found anew, now that there is another policy.
        refused = (await send(api, document_id)).json()
        assert refused["kinds"] == {"policy": 1}
        confirm = {"findings_digest": refused["digest"], "reason": "it is a verb"}
        assert (await send(api, document_id, confirm)).status_code == 202
        assert (await send(api, await guarded.upload(b"we <$S>met<$E> Ida\n"))).status_code == 202
    async with guarded.client("root") as api:
        entry = (await api.get("/audit")).json()["items"][0]
    assert (entry["details"]["rules"], entry["details"]["policies"]) == ({"names/2#1": 1}, ["names/2"])


async def test_a_policy_that_hits_too_often_is_a_finding(guarded: World) -> None:
    document_id = await guarded.upload(b"<$S>Ida<$E> " + b"a " * 400_000)
    rules = [{"kind": "keywords", "keywords": ["a"], "reason": str(number)} for number in range(3)]
    async with guarded.client("root") as api:
        await api.post("/policies", json={"name": "names", "guard": True, "rules": rules})
    async with guarded.client("anna") as api:
        found = (await api.post(f"/documents/{document_id}/check")).json()
    assert found["kinds"] == {"limit": 1}
    assert found["findings"][0]["says"].startswith(
        "there are more than 1,000,000 hits, the last of them from rule names/1#3"
    )


async def test_what_an_earlier_transfer_of_the_draft_carried_plain(guarded: World) -> None:
    async with guarded.client("anna") as api:
        made = await draft(api, b"Ida Halvorsen met us.\n")
        assert (await send(api, made["document_id"])).status_code == 202
        saved = await save(api, made, CLEAN)
        found = await check(api, saved)
        assert found["kinds"] == {"sent": 1}
        assert (await send(api, saved["document_id"])).json()["kinds"] == {"sent": 1}
        # A save that nobody sent is nothing that anybody saw.
        other = await draft(api, b"Ida Halvorsen met us.\n")
        assert (await check(api, await save(api, other, CLEAN)))["count"] == 0


async def test_what_went_over_the_secure_channel_alone_was_not_seen(guarded: World) -> None:
    async with guarded.client("anna") as api:
        made = await draft(api, b"Ida Halvorsen met us.\n")
        asked = {"document_id": made["document_id"], "peer": "bravo", "recipients": ["berta"], "mode": "secure-only"}
        assert (await api.post("/transfers", json=asked)).status_code == 202
        assert (await check(api, await save(api, made, CLEAN)))["count"] == 0


async def test_a_draft_that_is_saved_before_its_check_is_checked_as_it_is_then(
    guarded: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_saved = LeakCheck.check
    async with guarded.client("anna") as api:
        made = await draft(api, LEAKY)

        async def check_after_a_save(*asked: Any) -> Any:
            monkeypatch.undo()
            await save(api, made, CLEAN)
            return await check_saved(*asked)

        monkeypatch.setattr(LeakCheck, "check", check_after_a_save)
        found = await check(api, made)
    assert (found["revision"], found["count"]) == (2, 0)


@pytest.mark.parametrize(
    ("modes", "count"),
    [(["secure-only"], 0), (["secure-only", "secure-only"], 0), (["sieve", "secure-only"], 1), ([None], 1)],
)
async def test_what_the_planner_sent_over_the_secure_channel_alone_was_not_seen(
    guarded: World, modes: list[str | None], count: int
) -> None:
    async with guarded.client("anna") as api:
        made = await draft(api, b"Ida Halvorsen met us.\n")
        transfer = (await send(api, made["document_id"])).json()["id"]
        async with guarded.database.write() as session:
            row = await session.get_one(Transfer, transfer)
            row.state, row.attempt = "failed", len(modes)
            for number, mode in enumerate(modes, 1):
                plan = None if mode is None else json.dumps(FittedPlan(Plan(cast(Mode, mode))).to_json())
                session.add(Attempt(transfer_id=transfer, number=number, plan=plan, started_at_ns=1))
        assert (await check(api, await save(api, made, CLEAN)))["count"] == count


async def test_what_was_cancelled_before_its_first_attempt_was_not_seen(guarded: World) -> None:
    async with guarded.client("anna") as api:
        made = await draft(api, b"Ida Halvorsen met us.\n")
        transfer = (await send(api, made["document_id"])).json()["id"]
        assert (await api.post(f"/transfers/{transfer}/cancel")).status_code == 202
        assert (await check(api, await save(api, made, CLEAN)))["count"] == 0


async def test_findings_are_logged_nowhere(guarded: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    async with guarded.client("anna") as api:
        found = await check(api, await draft(api, LEAKY))
    logged = caplog.text
    assert "Halvorsen" in json.dumps(found)
    assert "alvorsen" not in logged.lower()
    assert found["digest"] not in logged


async def test_a_large_text_is_checked_like_a_small_one(guarded: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async with guarded.client("root") as api:
        await api.post("/policies", json=GUARD)
    async with guarded.client("anna") as api:
        made = await draft(api, b"Ida Halvorsen met us.\n", "halvorsen.txt")
        assert (await send(api, made["document_id"])).status_code == 409
        guarded.services.leak_check.rule = "off"
        await send(api, made["document_id"])
        saved = await save(api, made, LEAKY)
        small = await check(api, saved)
        monkeypatch.setattr(leak_scanner, "SMALL", 0)
        assert await check(api, saved) == small
    assert small["kinds"] == {"name": 1, "phrase": 1, "policy": 1, "sent": 1}


async def test_a_file_is_checked_with_its_marks(guarded: World) -> None:
    table = b"name,note\nAnna Berg,ask anna berg\nOle Moe,-\n"
    async with guarded.client("anna") as api:
        made = (await api.post("/drafts", params={"form": "file", "name": "a.csv"}, content=table)).json()
        assert (await check(api, made))["count"] == 0
        marked = await api.put(
            f"/drafts/{made['id']}/marks",
            headers={"If-Match": '"1"'},
            json={"marks": [{"address": "row/1/name", "start": None, "end": None}]},
        )
        assert marked.status_code == 200, marked.text
        [finding] = (await check(api, made))["findings"]
        assert (finding["kind"], finding["address"], finding["start"]) == ("phrase", "row/1/note", 4)
        refused = await send(api, marked.json()["document_id"])
        assert (refused.status_code, refused.json()["kinds"]) == (409, {"phrase": 1})


async def test_a_document_too_large_to_check_says_so(guarded: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leak_scanner, "SMALL", 0)
    monkeypatch.setattr(guarded.services.reading, "max_bytes", 10)
    async with guarded.client("anna") as api:
        found = await check(api, await draft(api, CLEAN))
    assert found["kinds"] == {"limit": 1}
    assert "more than 10 bytes" in found["findings"][0]["says"]


async def test_a_document_deleted_meanwhile_is_not_damaged(guarded: World, monkeypatch: pytest.MonkeyPatch) -> None:
    scan = guarded.services.scanner.scan

    async def late(*arguments: Any) -> Any:
        async with guarded.client("anna") as api:
            await api.delete(f"/documents/{document_id}")
        return await scan(*arguments)

    document_id = await guarded.upload(LEAKY)
    monkeypatch.setattr(type(guarded.services.scanner), "scan", staticmethod(late))
    async with guarded.client("anna") as api:
        assert (await send(api, document_id)).status_code == 409


@pytest.mark.parametrize("bound", ["number", "bytes"])
async def test_more_earlier_transfers_than_the_limit_are_a_finding(
    guarded: World, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    guarded.services.leak_check.rule = "off"
    async with guarded.client("anna") as api:
        made = await draft(api, b"Ida Halvorsen met us.\n")
        await send(api, made["document_id"])
        for number in range(3):
            made = await save(api, made, f"Somebody met us, {number}.\n".encode())
            await send(api, made["document_id"])
        made = await save(api, made, CLEAN)
        assert (await check(api, made))["kinds"] == {"sent": 1}
        if bound == "number":
            monkeypatch.setattr(leak_scanner, "MAX_EARLIER", 3)
        else:
            monkeypatch.setattr(guarded.services.reading, "max_bytes", 70)
        found = await check(api, made)
    assert found["kinds"] == {"limit": 1}
    assert "only the latest" in found["findings"][0]["says"]


@pytest.mark.parametrize("name", ["memo.docx", "pay.xlsx", "report.pdf", "pay.csv", "pay.tsv", "log.jsonl"])
async def test_files_of_every_format_are_checked(guarded: World, name: str) -> None:
    """By a policy that marks all of it: that is found until it is marked, and so is what is marked and hidden."""
    rules = [{"kind": "keywords", "keywords": [SECRET], "granularity": "document"}]
    async with guarded.client("root") as api:
        await api.post("/policies", json={"name": "all", "guard": True, "rules": rules})
    async with guarded.client("anna") as api:
        made = (
            await api.post("/drafts", params={"form": "file", "name": f"1.{GOOD[name][0]}"}, content=GOOD[name][1])
        ).json()
        assert "policy" in (await check(api, made))["kinds"]
        assert (await send(api, made["document_id"])).status_code == 409
        hits = (await api.post(f"/drafts/{made['id']}/policies/all/preview")).json()["hits"]
        marks = [{field: hit[field] for field in ("address", "start", "end", "rule")} for hit in hits]
        path = f"/drafts/{made['id']}/marks"
        marked = await api.put(path, headers={"If-Match": '"1"'}, json={"marks": marks})
        assert marked.status_code == 200, marked.text
        assert (await check(api, marked.json()))["findings"] == []
        assert (await send(api, marked.json()["document_id"])).status_code == 202
