"""The leak check before a document is sent: what is refused, what a confirmation allows, and what is recorded."""

import json
from pathlib import Path
from typing import Any

import pytest

import pdf_files
from any_files import GOOD, SECRET
from databases import by_hand
from sieve.gateway.screening import leak_scanner
from sieve.gateway.screening.leak_check import LeakCheck
from web.findings_calls import CLEAN, GUARD, LEAKY, check, draft, save, send
from web_world import Ground, World
from world_building import build, close


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
    assert name["travels_plain"] and phrase["travels_plain"]


async def test_suggestions_are_shown_and_need_no_confirmation(guarded: World) -> None:
    async with guarded.client("anna") as api:
        made = await draft(api, b"<$S>The ship Aurora<$E> came at noon, and nobody saw when the ship left.\n")
        found = await check(api, made)
        sent = await send(api, made["document_id"])
    assert (found["count"], found["findings"]) == (0, [])
    assert [one["says"] for one in found["suggestions"]] == ["“the ship” may refer to the marked “The ship Aurora”"]
    assert sent.status_code == 202, sent.text


async def test_a_finding_says_whether_it_travels_plain(guarded: World) -> None:
    pages = ["Ida Halvorsen met us.", "Ida Halvorsen left.", "Halvorsen came back."]
    async with guarded.client("anna") as api:
        asked = {"form": "file", "name": "a.pdf"}
        made = (await api.post("/drafts", params=asked, content=pdf_files.by_reportlab(pages))).json()
        marks = {"marks": [{"address": "page/1", "start": 0, "end": 13}]}
        marked = await api.put(f"/drafts/{made['id']}/marks", headers={"If-Match": '"1"'}, json=marks)
        found = await check(api, marked.json())
    # A page that shows the marked text is withheld from the plain stream; one that shows a part of it is not.
    assert [(one["address"], one["travels_plain"]) for one in found["findings"]] == [
        ("page/2", False),
        ("page/3", True),
    ]


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
    with by_hand(tmp_path / "sieve.db") as database:
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
        # The findings are looked for again, because there is another policy now.
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


@pytest.mark.parametrize("name", ["memo.docx", "pay.xlsx", "report.pdf", "pay.csv", "pay.tsv", "log.jsonl"])
async def test_files_of_every_format_are_checked(guarded: World, name: str) -> None:
    """With a policy that marks all of it: the text is a finding until it is marked, and so are hidden marks."""
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
