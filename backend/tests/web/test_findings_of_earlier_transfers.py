"""The leak check compares a draft with the plain text of its earlier transfers."""

import json
from typing import cast

import pytest

from sieve.channel.attempt import Mode, Plan
from sieve.gateway.outbound.fitted_plan import FittedPlan
from sieve.gateway.screening import leak_scanner
from sieve.store.models import Attempt, Transfer
from web.findings_calls import CLEAN, check, draft, save, send
from web_world import World


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
