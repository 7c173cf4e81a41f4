"""Sending several documents together: all of them or none, with one confirmation for the findings of all."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cases import each
from sieve.gateway.screening import leak_check
from web_world import Ground, World
from world_building import build, close

MARKED = b"plain <$S>secret<$E> plain"
LEAKY = b"<$S>Ida Halvorsen<$E> met us. IDA HALVORSEN left.\n"


async def uploaded(world: World, *texts: bytes) -> list[str]:
    return [await world.upload(text, name=f"memo-{number}.txt") for number, text in enumerate(texts)]


def asked(document_ids: Sequence[str], **more: Any) -> dict[str, Any]:
    return {"document_ids": list(document_ids), "peer": "bravo", "recipients": ["berta"], **more}


async def test_several_are_queued_in_the_order_in_which_they_were_named(world: World) -> None:
    ids = (await uploaded(world, MARKED, MARKED, b"other"))[::-1]
    async with world.client("anna") as api:
        answer = await api.post("/batches", json=asked(ids, mode="sieve", split="bfs", plain_channels=2))
        assert answer.status_code == 202, answer.text
        shown = answer.json()["transfers"]
        listed = (await api.get("/transfers")).json()["items"]
        assert [each["document_id"] for each in shown] == ids
        assert [each["id"] for each in listed] == [each["id"] for each in shown][::-1]
        assert {(each["state"], each["plan"]["batch"], each["plan"]["split"]) for each in shown} == {
            ("queued", 3, "bfs")
        }
        # Each is a transfer as any other.
        cancelled = await api.post(f"/transfers/{shown[1]['id']}/cancel")
        assert cancelled.json()["state"] == "cancelled"
        states = [(await api.get(f"/transfers/{each['id']}")).json()["state"] for each in shown]
    assert states == ["queued", "cancelled", "queued"]
    assert world.worker.woken == 1


@each(
    ("change", "status", "sentence"),
    [
        ({"document_ids": ["{0}"]}, 422, "body.document_ids"),
        ({"document_ids": []}, 422, "body.document_ids: give at least 2, not 0"),
        ({"document_ids": ["{0}"] * 65}, 422, "body.document_ids: give at most 64, not 65"),
        ({"document_ids": ["{0}", "{1}", "{0}"]}, 422, "a document is named twice"),
        ({"document_ids": ["{0}", "gone", "lost"]}, 404, "no such document: gone, lost"),
        ({"recipients": ["berta", "zoe"]}, 422, "nobody named zoe can receive at bravo"),
        ({"peer": "charlie"}, 404, "no peer named charlie"),
        ({"mode": "sieve", "split": "es"}, 422, "body.split"),
        ({"split": "bes"}, 422, "name the mode for split bes"),
        ({"mode": "secure-only", "split": "bss"}, 422, "which bss cannot split; use bes or range"),
        ({"mode": "sieve", "plain_channels": 3}, 422, "bravo takes at most 2 plain channels"),
    ],
)
async def test_what_cannot_go_keeps_all_here(world: World, change: dict[str, Any], status: int, sentence: str) -> None:
    ids = await uploaded(world, MARKED, MARKED)
    if "document_ids" in change:
        change = {"document_ids": [each.format(*ids) for each in change["document_ids"]]}
    async with world.client("anna") as api:
        answer = await api.post("/batches", json={**asked(ids), **change})
        assert (await api.get("/transfers")).json()["items"] == []
    assert answer.status_code == status, answer.text
    assert sentence in answer.json()["detail"]


async def test_one_confirmation_covers_the_findings_of_all(
    tmp_path: Path, ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = await build(tmp_path, ground, open_findings="confirm")
    try:
        ids = await uploaded(world, LEAKY, MARKED, LEAKY.replace(b"left", b"stayed"))
        async with world.client("anna") as api, world.client("root") as root:
            with monkeypatch.context() as slow:
                slow.setattr(leak_check, "ENOUGH_S", 0.0)
                busy = await api.post("/batches", json=asked(ids))
                assert (busy.status_code, "send fewer documents at once" in busy.json()["detail"]) == (503, True)
            refused = await api.post("/batches", json=asked(ids))
            said = refused.json()
            assert (refused.status_code, said["kind"], said["documents"]) == (409, "open-findings", [ids[0], ids[2]])
            assert "2 of these documents" in said["detail"]
            digests = [(await api.post(f"/documents/{each}/check")).json()["digest"] for each in ids]
            digest = hashlib.sha256("".join(digests).encode()).hexdigest()
            assert said["digest"] == digest
            other = asked(ids, confirm={"findings_digest": digests[0], "reason": "known"})
            assert (await api.post("/batches", json=other)).status_code == 409
            assert (await api.get("/transfers")).json()["items"] == []
            sent = await api.post("/batches", json=asked(ids, confirm={"findings_digest": digest, "reason": "known"}))
            assert sent.status_code == 202, sent.text
            noted = [
                entry["subject"]
                for entry in (await root.get("/audit")).json()["items"]
                if entry["action"] == "findings-confirmed"
            ]
        transfers = sent.json()["transfers"]
        assert sorted(noted) == sorted([transfers[0]["id"], transfers[2]["id"]])
    finally:
        await close(world)
