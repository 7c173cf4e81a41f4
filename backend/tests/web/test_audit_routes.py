"""The audit log: its entries, written with the actions that they record, and its pages."""

import csv
import io
import json
from dataclasses import replace
from typing import Any, cast, get_args
from unittest.mock import AsyncMock

import pytest

from browsers import browser, give_password, sign_in
from sieve.cli.audit import heads_of_export
from sieve.cli.errors import BadInput, Failed
from sieve.gateway.auditing.audit_log import Action, Audit
from sieve.gateway.peering.invitation import comparison_codes
from sieve.store.errors import StorageFull
from sieve.store.models import SignInFailures
from sieve.store.queries import audit
from sieve.web.audit.schemas import ACTIONS
from sieve.web.recent_reads import EVERY_NS, RecentReads
from web.audit_pages import chain, entries
from web_world import World


def told(page: Any) -> list[tuple[str, str]]:
    return [(entry["action"], entry["subject"]) for entry in page["items"]]


async def test_what_is_done_to_people_is_reported(world: World) -> None:
    async with world.client("root") as api:
        service = {"name": "scan", "display_name": "Scanner", "is_author": True, "is_service": True}
        scan = (await api.post("/people", json=service)).json()
        token = (await api.post(f"/people/{scan['id']}/tokens", json={"label": "laptop"})).json()
        await api.delete(f"/people/{scan['id']}/tokens/{token['id']}")
        made = (await api.post("/people", json={"name": "zoe", "display_name": "Zoe", "is_author": True})).json()
        assert (await api.post("/people", json={"name": "zoe", "display_name": "Zoe"})).status_code == 409
        await api.patch(f"/people/{made['id']}", json={"is_admin": True})
        await api.patch(f"/people/{made['id']}", json={})
        await api.post(f"/people/{made['id']}/link")
        await api.patch(f"/people/{made['id']}", json={"disabled": True})
    page = await entries(world)
    assert told(page) == [
        ("person-changed", "zoe"),
        ("link-given", "zoe"),
        ("person-changed", "zoe"),
        ("approval-asked", "zoe"),
        ("person-added", "zoe"),
        ("token-revoked", "scan"),
        ("token-given", "scan"),
        ("person-added", "scan"),
    ]
    details = [entry["details"] for entry in page["items"]]
    assert details[0]["disabled"] and details[2]["admin"] and not details[4]["admin"] and details[7]["service"]
    assert details[6] == {"token": token["id"], "scopes": "send"}
    assert token["token"] not in str(page)
    assert {(entry["actor"], entry["reason"]) for entry in page["items"]} == {("root", None)}


async def test_what_is_done_to_peers_is_reported(world: World) -> None:
    peers = world.services.peers
    bravo = peers.by_name("bravo")
    assert bravo is not None
    theirs = replace(
        peers.ours,
        name="bravo",
        secure_url=bravo.secure_url,
        plain_url=bravo.plain_url,
        pin="ab" * 32,
        receipt_key=bravo.receipt_key,
    )
    code = comparison_codes(peers.ours, theirs).theirs
    async with world.client("root") as api:
        assert (await api.post("/peers/bravo/confirm", json={"code": "wrong"})).status_code == 409
        assert (await api.post("/peers/bravo/confirm", json={"code": code})).status_code == 200
        assert (await api.delete("/peers/bravo")).status_code == 204
    assert told(await entries(world)) == [("peer-removed", "bravo"), ("peer-confirmed", "bravo")]


async def test_what_cannot_be_witnessed_is_not_done(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*arguments: Any, **more: Any) -> None:
        raise RuntimeError("the disk is gone")

    monkeypatch.setattr(Audit, "note", fails)
    monkeypatch.setattr(Audit, "note_all", fails)
    async with world.client("root") as api:
        before = (await api.get("/people")).json()
        asked = {"name": "zoe", "display_name": "Zoe", "is_author": True}
        assert (await api.post("/people", json=asked)).status_code == 500
        assert (await api.get("/people")).json() == before
        assert (await api.delete("/peers/bravo")).status_code == 500
        assert (await api.get("/peers/bravo")).status_code == 200
        rules = [{"kind": "keywords", "keywords": ["a"]}]
        assert (await api.post("/policies", json={"name": "n", "rules": rules})).status_code == 500
        assert (await api.get("/policies")).json() == []


async def test_pages(world: World) -> None:
    async with world.client("root") as api:
        for number in range(5):
            await api.post("/people", json={"name": f"zoe{number}", "display_name": "Zoe", "is_author": True})
    first = await entries(world, "?limit=3")
    second = await entries(world, f"?limit=3&after={first['next']}")
    assert told(first) + told(second) == [("person-added", f"zoe{number}") for number in (4, 3, 2, 1, 0)]
    assert second["next"] is None


async def test_a_reason_that_does_not_open_hides_nothing_else(world: World) -> None:
    async with world.database.write() as session:
        for number in range(2):
            await world.services.audit.note(session, "anna", "labels-lowered", f"d{number}", reason="known")
    async with world.database.write() as session:
        [entry, _] = await audit.page(session, after=None, limit=2)
        entry.reason = bytes(200)
    broken, whole = (await entries(world))["items"]
    assert (broken["subject"], whole["subject"], whole["reason"]) == ("d1", "d0", "known")
    assert "cannot be opened" in broken["reason"]


def test_each_action_has_a_kind() -> None:
    assert sorted(action for some in ACTIONS.values() for action in some) == sorted(get_args(Action))


async def test_sign_ins_are_recorded_with_their_source(world: World) -> None:
    await give_password(world, "anna")
    async with browser(world) as api:
        for name in ("anna", "anna", "anna", "nosuch", "hunter2", "hunter3"):
            assert (await sign_in(api, name, "wrong")).status_code == 401
        assert (await sign_in(api, "anna")).status_code == 200
    found = (await entries(world, "?kind=sign-ins"))["items"]
    seen = [(one["action"], one["actor"], one["subject"], one["details"].get("failures")) for one in found]
    assert seen == [
        ("signed-in", "anna", "anna", None),
        ("sign-in-failed", "", "", 2),
        ("sign-in-failed", "", "", 1),
        ("sign-in-failed", "", "anna", 2),
        ("sign-in-failed", "", "anna", 1),
    ]
    assert {one["details"]["source"] for one in found} == {"127.0.0.1"}
    assert "hunter" not in str(found) and "nosuch" not in str(found)


async def test_each_refused_sign_in_writes_so_that_its_time_does_not_say_whether_the_login_exists(world: World) -> None:
    await give_password(world, "anna")
    async with browser(world) as api:
        for name in ("anna", "nosuch") * 3:
            assert (await sign_in(api, name, "wrong")).status_code == 401
    async with world.database.read() as session:
        counted = [await session.get(SignInFailures, key) for key in ("known", "unknown")]
    assert [row and row.failures for row in counted] == [3, 3]


async def test_reads_are_recorded_once_an_hour_for_each_edition(world: World) -> None:
    transfer_id = await world.deliver(b"before <$S>secret<$E> after")
    async with world.client("bruno") as api:
        for edition in ("full", "full", "redacted", "gaps", "full"):
            path = f"/inbox/{transfer_id}/content"
            assert (await api.get(path, params={"edition": edition})).status_code == 200
        [entry] = (await api.get("/inbox")).json()["items"]
        asked = {"ids": [entry["id"]], "edition": "full"}
        assert (await api.post("/inbox/archive", json=asked)).status_code == 200
    async with world.client("rosa") as api:
        assert (await api.get(f"/inbox/{transfer_id}/content", params={"edition": "full"})).status_code == 403
    found = (await entries(world, f"?kind=reads&search={transfer_id}"))["items"]
    assert [(one["actor"], one["subject"], one["details"]["edition"]) for one in found] == [
        ("bruno", transfer_id, "redacted"),
        ("bruno", transfer_id, "full"),
    ]
    assert found[0]["details"] == {"edition": "redacted", "entry": entry["id"]}
    assert "secret" not in str(found)


def test_a_read_is_due_again_after_an_hour_or_a_failure() -> None:
    reads, read = RecentReads(), ("bruno", "entry", "full")
    assert reads.add(read, 0) and not reads.add(read, EVERY_NS - 1) and reads.add(read, EVERY_NS)
    assert reads.add(read, 5), "the clock was set back"
    reads.forget(read)
    assert reads.add(read, 6)


async def some_entries(world: World) -> None:
    for number, (actor, action) in enumerate(
        [("root", "peer-removed"), ("anna", "labels-lowered"), ("root", "person-added"), ("", "sign-in-failed")]
    ):
        async with world.database.write() as session:
            details = {"peer": f"Charlie{number}"}
            await world.services.audit.note(session, actor, cast(Action, action), f"s{number}", details, reason="why")


@pytest.mark.parametrize(
    ("query", "subjects"),
    [
        ("actor=root", "s2 s0"),
        ("actor=", "s3"),
        ("kind=marking", "s1"),
        ("search=CHARLIE1", "s1"),
        ("search=s2", "s2"),
        ("search=ROOT&kind=peers", "s0"),
        ("until=2000-01-01T00:00:00Z", ""),
        ("since=2000-01-01T00:00:00Z&limit=2", "s3 s2"),
    ],
)
async def test_filters(world: World, query: str, subjects: str) -> None:
    await some_entries(world)
    assert [one["subject"] for one in (await entries(world, f"?{query}"))["items"]] == subjects.split()


async def exported(world: World, query: str) -> bytes:
    async with world.client("root") as api:
        answer = await api.get(f"/audit/export?{query}")
    assert answer.status_code == 200, answer.text
    return answer.content


async def test_an_export_proves_its_entries(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "ENTRIES_AT_ONCE", 3)
    await some_entries(world)
    whole = await exported(world, "format=jsonl")
    assert [json.loads(line)["reason"] for line in whole.splitlines()] == ["why"] * 4
    [head] = heads_of_export(whole)
    assert head.startswith("4:") and not (await chain(world, head))["problems"]
    some = await exported(world, "format=jsonl&actor=root")
    heads = heads_of_export(some)
    assert [head.partition(":")[0] for head in heads] == ["1", "2", "3", "4", "5"]
    assert (await chain(world, *heads))["problems"] == []
    for old, new in (
        (b"Charlie0", b"Charlie9"),
        (b'{"peer": "Charlie0"}', b'{"peer": "x"}'),
        (b'"at": "20', b'"at": "19'),
    ):
        assert old in whole
        with pytest.raises(Failed, match="line 1 of the export was changed"):
            heads_of_export(whole.replace(old, new))
    lines = whole.splitlines(keepends=True)
    with pytest.raises(Failed, match="line 2 of the export is not in order"):
        heads_of_export(lines[2] + lines[1])
    with pytest.raises(BadInput, match="line 1 is not of an export"):
        heads_of_export(b"at,actor\r\n")
    assert heads_of_export(b"") == []


async def test_an_export_is_recorded_after_what_it_holds(world: World) -> None:
    await some_entries(world)
    for form in ("jsonl", "csv"):
        assert (await exported(world, f"format={form}")).count(b"audit-exported") == (form == "csv")
    found = (await entries(world, "?kind=log"))["items"]
    assert [(one["actor"], one["details"]) for one in found] == [
        ("root", {"format": "csv"}),
        ("root", {"format": "jsonl"}),
    ]


async def test_an_export_is_answered_although_the_database_cannot_be_written(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await some_entries(world)
    monkeypatch.setattr(Audit, "note", AsyncMock(side_effect=StorageFull("the disk is full")))
    assert len((await exported(world, "format=jsonl")).splitlines()) == 4
    assert "root exported the audit log, which could not record it: the disk is full" in caplog.text


async def test_an_export_for_spreadsheets(world: World) -> None:
    await some_entries(world)
    async with world.database.write() as session:
        await world.services.audit.note(session, "root", "peer-removed", "=1+1")
    rows = [*csv.DictReader(io.StringIO((await exported(world, "format=csv&kind=peers")).decode()))]
    assert [(row["actor"], row["subject"], row["number"]) for row in rows] == [
        ("root", "s0", "1"),
        ("root", "'=1+1", "5"),
    ]
    assert json.loads(rows[0]["details"]) == {"peer": "Charlie0"}
