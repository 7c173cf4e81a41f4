"""Policies over the API: versions, problems, previews, and storage."""

import json
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from cases import each
from databases import by_hand
from sieve.gateway.reading.service import Hits, ReadingService
from sieve.gateway.screening import leak_scanner, policies
from sieve.gateway.screening.policies import Source
from sieve.marking.policy import understand
from sieve.store.models import PolicyVersion
from sieve.web.policies import router as routes
from web_world import World

TOML = """# code names
name = "names"
title = "Code names"
guard = true

[[rules]]
kind = "keywords"
keywords = ["Orion", "Blue Fox"]
label = "SECRET"
reason = "A project"
"""
JSON = {"name": "names", "title": "Names", "rules": [{"kind": "keywords", "keywords": ["Vega"]}]}


async def put(api: httpx.AsyncClient, body: str | dict[str, Any], revision: int | None = None) -> httpx.Response:
    kind = "application/toml" if isinstance(body, str) else "application/json"
    content = body if isinstance(body, str) else json.dumps(body)
    headers = {"Content-Type": kind}
    if revision is None:
        return await api.post("/policies", content=content, headers=headers)
    return await api.put("/policies/names", content=content, headers={**headers, "If-Match": f'"{revision}"'})


async def test_a_policy_is_made_read_changed_and_deleted(world: World) -> None:
    async with world.client("root") as api:
        made = await put(api, TOML)
        assert made.status_code == 201, made.text
        assert made.headers["etag"] == '"1"'
        assert (await put(api, TOML)).status_code == 409
        changed = await put(api, JSON, 1)
        assert changed.status_code == 200, changed.text
        assert (await put(api, JSON, 1)).json()["revision"] == 2
    async with world.client("anna") as api:
        [listed] = (await api.get("/policies")).json()
        assert {key: listed[key] for key in ("name", "version", "title", "rules", "guard", "changed_by")} == {
            "name": "names",
            "version": 2,
            "title": "Names",
            "rules": 1,
            "guard": True,
            "changed_by": "root",
        }
        now, before = [(await api.get(f"/policies/names{query}")).json() for query in ("", "?version=1")]
    assert (now["version"], now["toml"], now["rules"]) == (2, None, JSON["rules"])
    assert (before["version"], before["latest"], before["toml"]) == (1, 2, TOML)
    assert before["rules"][0]["keywords"] == ["Orion", "Blue Fox"]
    async with world.client("root") as api:
        assert (await api.delete("/policies/names", headers={"If-Match": '"1"'})).status_code == 412
        assert (await api.delete("/policies/names")).status_code == 204
        assert (await api.delete("/policies/names")).status_code == 404
        assert (await put(api, JSON, 2)).status_code == 404
        assert (await api.get("/policies")).json() == []
        assert (await api.get("/policies/names")).status_code == 404
        kept = (await api.get("/policies/names?version=2")).json()
        assert (kept["deleted"], kept["rules"]) == (True, JSON["rules"])
        assert (await put(api, TOML)).json()["version"] == 3
        assert (await api.get("/policies/names?version=4")).status_code == 404


async def test_what_witnesses_a_policy(world: World) -> None:
    async with world.client("root") as api:
        await put(api, TOML)
        await put(api, JSON, 1)
        await put(api, JSON, 1)
        await api.delete("/policies/names")
        entries = (await api.get("/audit")).json()["items"]
    assert [(entry["actor"], entry["action"], entry["subject"], entry["details"]) for entry in entries] == [
        ("root", "policy-deleted", "names", {"version": 2}),
        ("root", "policy-changed", "names", {"version": 2, "rules": 1, "guard": True}),
        ("root", "policy-created", "names", {"version": 1, "rules": 1, "guard": True}),
    ]


async def test_long_policies_block_nobody(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """2 MiB of TOML take a second to read: every route reads them in a thread."""
    table = Source.table

    def read_in_a_thread(source: Source) -> Any:
        assert threading.current_thread() is not threading.main_thread()
        return table(source)

    monkeypatch.setattr(Source, "table", read_in_a_thread)
    async with world.client("root") as api:
        assert (await put(api, TOML)).status_code == 201
        assert (await put(api, JSON, 1)).status_code == 200
        assert (await api.get("/policies/names?version=1")).status_code == 200
        assert (await api.post("/policies/names/preview", content=b"Orion")).status_code == 200


async def test_a_program_that_knows_of_no_guard_turns_none_off(world: World) -> None:
    async with world.client("root") as api:
        await put(api, TOML)
        assert (await put(api, JSON, 1)).json()["guard"] is True
        assert (await put(api, JSON | {"guard": False}, 2)).json()["guard"] is False
        assert (await put(api, JSON, 3)).json()["guard"] is False
        assert (await put(api, TOML.replace("guard = true", ""), 4)).json()["guard"] is False


async def test_all_faults_are_listed_with_their_rules_and_nothing_is_stored(world: World) -> None:
    bad = {
        "name": "names",
        "rules": [
            {"kind": "keywords", "keywords": ["Orion"], "colour": "red"},
            {"kind": "regex", "pattern": "(Orion"},
            {"kind": "keywords", "keywords": ["Vega"]},
            {"kind": "keywords", "keywords_file": "/etc/passwd"},
        ],
    }
    async with world.client("root") as api:
        checked = (await api.post("/policies/check", json=bad)).json()
        assert (await api.post("/policies/check", json=JSON)).json() == {"ok": True, "problems": []}
        [wrong] = (await api.post("/policies/check", json=[])).json()["problems"]
        assert wrong["where"] == ""
    assert not checked["ok"]
    assert [problem["where"] for problem in checked["problems"]] == ["rule 1", "rule 2", "rule 4"]
    assert "command line" in checked["problems"][2]["says"]
    assert "Orion" not in json.dumps(checked)
    async with world.client("root") as api:
        refused = await put(api, bad)
        assert (refused.status_code, refused.json()["problems"]) == (422, checked["problems"])
        assert "2 more" in refused.json()["detail"]
        assert (await put(api, "name = ")).status_code == 422
        assert (await api.get("/policies")).json() == []
        assert (await api.get("/audit")).json()["items"] == []


@each(
    ("content", "kind", "status"),
    [
        (b'{"name": "\\ud800", "rules": []}', "application/json", 422),
        (b"{" * 100_000, "application/json", 422),
        (b"\xff", "application/toml", 422),
        (b"name = 'n'", "text/plain", 422),
        (b"#" * (2 * 1024 * 1024 + 1), "application/toml", 413),
    ],
)
async def test_what_is_no_policy(world: World, content: bytes, kind: str, status: int) -> None:
    async with world.client("root") as api:
        answer = await api.post("/policies", content=content, headers={"Content-Type": kind})
    assert answer.status_code == status, answer.text


async def test_a_change_names_the_version_and_the_policy(world: World) -> None:
    async with world.client("root") as api:
        await put(api, TOML)
        assert (await api.put("/policies/names", json=JSON)).status_code == 428
        assert (await put(api, JSON | {"name": "other"}, 1)).status_code == 422
        assert (await put(api, JSON, 2)).json()["revision"] == 1


async def test_the_text_of_a_policy_is_sealed_at_rest(world: World, tmp_path: Path) -> None:
    async with world.client("root") as api:
        await put(api, TOML)
    await world.database.dispose()
    with by_hand(tmp_path / "sieve.db") as database:
        dump = "\n".join(database.iterdump()).encode()
        [(source,)] = database.execute("SELECT source FROM policy_versions")
    assert b"Orion" not in dump + source and b"Code names" in dump


async def test_a_version_from_before_whole_words_keeps_its_meaning(world: World) -> None:
    rules = [{"kind": "regex", "pattern": "Orion"}, {"kind": "regex", "pattern": "Vega", "whole_word": True}]
    async with world.client("root") as api:
        await put(api, {"name": "names", "rules": rules})
        async with world.database.write() as session:
            await session.execute(update(PolicyVersion).values(whole_words=None))
        shown = (await api.get("/policies/names")).json()
        assert [rule["whole_word"] for rule in shown["rules"]] == [False, True]
        hits = (await api.post("/policies/names/preview", content=b"Orionids, Vegan")).json()["hits"]
        assert [(hit["start"], hit["end"]) for hit in hits] == [(0, 5)]
        # What is changed is a new version.
        await put(api, {"name": "names", "rules": rules}, 1)
        assert not (await api.post("/policies/names/preview", content=b"Orionids, Vegan")).json()["hits"]


async def test_a_preview_counts_in_code_points_and_keeps_nothing(world: World) -> None:
    async with world.client("root") as api:
        await put(api, TOML)
    text = "\N{GRINNING FACE} Orion, blue\r\nfox."
    async with world.client("anna") as api:
        answer = await api.post(
            "/policies/names/preview", content=text.encode(), headers={"Content-Type": "text/plain"}
        )
        shown = answer.json()
        assert (await api.get("/documents")).json()["items"] == []
        assert (await api.post("/policies/none/preview", content=b"a")).status_code == 404
        assert (await api.post("/policies/names/preview", content=b"\xff")).status_code == 422
    assert (shown["policy"], shown["version"], shown["more"]) == ("names", 1, False)
    assert [text[hit["start"] : hit["end"]] for hit in shown["hits"]] == ["Orion", "blue\r\nfox"]
    assert shown["hits"][0]["rule"] == "names/1#1"
    assert (shown["hits"][0]["granularity"], shown["hits"][0]["label"]) == ("match", "SECRET")


async def test_a_policy_is_tried_before_it_is_saved(world: World) -> None:
    """By an author on a draft or a text, without anything being stored; faults are said as in a saved one."""
    text = "\N{GRINNING FACE} At the pier Orion waits for Vega."
    async with world.client("anna") as api:
        made = await api.post("/drafts", params={"form": "marked", "name": "a.txt"}, content=text.encode())
        path = f"/drafts/{made.json()['id']}/policies/preview"
        found = await api.post(path, json=JSON)
        assert found.headers["etag"] == made.headers["etag"]
        [hit] = found.json()["hits"]
        assert (hit["before"], hit["text"], hit["after"], hit["rule"]) == (
            "\N{GRINNING FACE} At the pier Orion waits for ",
            "Vega",
            ".",
            "names/1#1",
        )
        tried = await api.post("/policies/preview", json={"language": "toml", "policy": TOML, "text": text})
        assert [text[hit["start"] : hit["end"]] for hit in tried.json()["hits"]] == ["Orion"]
        bad = {"name": "names", "rules": [{"kind": "keywords", "keywords": []}]}
        faults = [
            await api.post(path, json=bad),
            await api.post("/policies/preview", json={"language": "json", "policy": json.dumps(bad), "text": text}),
            await api.post(
                "/policies/preview",
                content=b'{"language": "toml", "policy": "", "text": "\\ud800"}',
                headers={"Content-Type": "application/json"},
            ),
        ]
        assert [fault.status_code for fault in faults] == [422] * 3
        assert "rule 1" in faults[0].json()["detail"] and "rule 1" in faults[1].json()["detail"]
        assert (await api.get("/policies")).json() == []
    async with world.client("root") as api:
        assert (await api.post(path, json=JSON)).status_code in (403, 404)


async def test_a_preview_is_bounded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """More hits than a document may have are merely more."""
    async with world.client("root") as api:
        await put(api, TOML)
        text = b"Orion " * 1_000_100
        shown = (await api.post("/policies/names/preview", content=text)).json()
        assert (len(shown["hits"]), shown["more"]) == (10_000, True)
        assert len((await api.post("/policies/names/preview?limit=3", content=b"Orion " * 4)).json()["hits"]) == 3
        monkeypatch.setattr(routes, "MAX_TEXT_BYTES", 10)
        assert (await api.post("/policies/names/preview", content=text)).status_code == 413


async def test_a_rule_may_take_along_all_of_a_text(world: World) -> None:
    rule = {"kind": "keywords", "keywords": ["Vega"], "granularity": "document"}
    async with world.client("root") as api:
        await put(api, {"name": "names", "rules": [rule]})
        shown = (await api.post("/policies/names/preview", content=b"a Vega b")).json()
    assert [(hit["start"], hit["end"]) for hit in shown["hits"]] == [(0, 8)]


async def test_a_preview_of_a_draft_of_any_format(world: World) -> None:
    async with world.client("root") as api:
        await put(api, TOML)
    async with world.client("anna") as api:
        table = b"name,project\nIda,Orion\nOle,none\n"
        made = await api.post("/drafts", params={"form": "file", "name": "a.csv"}, content=table)
        assert made.status_code == 201, made.text
        answer = await api.post(f"/drafts/{made.json()['id']}/policies/names/preview")
        shown = answer.json()
        assert answer.headers["ETag"] == '"1"'
        assert (shown["version"], shown["more"]) == (1, False)
        [hit] = shown["hits"]
        assert (hit["address"], hit["start"], hit["end"], hit["text"]) == ("row/1/project", 0, 5, "Orion")
        assert (hit["rule"], hit["label"], hit["reason"]) == ("names/1#1", "SECRET", "A project")
        text = await api.post("/drafts", params={"form": "marked", "name": "a"}, content=b"<$S>Orion<$E>, Orion")
        path = f"/drafts/{text.json()['id']}/policies/names/preview"
        assert [hit["start"] for hit in (await api.post(path)).json()["hits"]] == [0, 7]
        assert (await api.post(path, params={"limit": 1})).json()["more"]
        assert (await api.post(f"/drafts/{text.json()['id']}/policies/none/preview")).status_code == 404
    async with world.client("adam") as api:
        assert (await api.post(path)).status_code == 404


async def test_a_large_text_is_searched_as_a_small_one_is(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async with world.client("root") as api:
        await put(api, TOML)
        text = "é Orion, blue fox. \N{GRINNING FACE}\n".encode() * 50
        small = (await api.post("/policies/names/preview", content=text)).json()
        monkeypatch.setattr(leak_scanner, "SMALL", 0)
        assert (await api.post("/policies/names/preview", content=text)).json() == small
        first = (await api.post("/policies/names/preview?limit=7", content=text)).json()
    assert (len(small["hits"]), small["more"]) == (100, False)
    assert (first["hits"], first["more"]) == (small["hits"][:7], True)


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(a|aa)+c", "(.*)*=", "([a-z]+)*1"])
async def test_no_pattern_holds_a_gateway_up(world: World, pattern: str) -> None:
    """Each of these takes for ever with an engine that backtracks."""
    policy = {"name": "names", "guard": True, "rules": [{"kind": "regex", "pattern": pattern}]}
    async with world.client("root") as api:
        assert (await api.post("/policies", json=policy)).status_code == 201
        for text in (b"a" * 30_000 + b"!", b"a" * 200_000 + b"!"):
            shown = await api.post("/policies/names/preview", content=text)
            assert (shown.status_code, len(shown.json()["hits"])) == (200, 0), shown.text


async def test_policies_that_guard_are_built_once_however_many_there_are(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []

    def counting(table: Any, *arguments: Any, **more: Any) -> Any:
        built.append(table["name"])
        return understand(table, *arguments, **more)

    async with world.client("root") as api:
        for number in range(policies.READY + 3):
            await put(api, {**JSON, "name": f"names{number}", "guard": True})
        monkeypatch.setattr("sieve.gateway.screening.policies.understand", counting)
        guards = await world.services.policies.guards()
        assert len(guards) == len(built) == policies.READY + 3
        await put(api, {**JSON, "name": "other"})
        built.clear()
        assert (await api.post("/policies/other/preview", content=b"Vega")).json()["hits"]
        assert await world.services.policies.guards() == guards
        assert built == ["other"]
        await api.delete("/policies/names0")
        assert await world.services.policies.guards() == guards[1:]


async def test_slow_rules_run_under_limits_in_small_texts_too(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    async def hits(service: ReadingService, owner: str, text: bytes, *rest: Any, **more: Any) -> Hits:
        asked.append(len(text))
        return Hits([], False, [])

    monkeypatch.setattr(ReadingService, "hits_in_text", hits)
    many = [{"kind": "keywords", "keywords": ["a"]}] * (leak_scanner.QUICK_RULES + 1)
    for name, rules in (
        ("quick", many[:3]),
        ("many", many),
        ("pattern", [{"kind": "regex", "pattern": "a{900}"}]),
        ("detector", [*many[:3], {"kind": "detector", "detector": "phone"}]),
    ):
        async with world.client("root") as api:
            await put(api, {"name": name, "rules": rules})
            assert (await api.post(f"/policies/{name}/preview", content=b"a")).status_code == 200
    assert asked == [1, 1, 1]
