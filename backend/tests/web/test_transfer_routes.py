"""Sending and following: an author's actions on a transfer, and its reported progress."""

import asyncio
import io
import json
from zipfile import ZipFile

import pytest
from sqlalchemy import Engine, event

from cases import each
from sieve.channel.attempt import Plan
from sieve.channel.receipt import verify
from sieve.gateway.clock import now_ns
from sieve.gateway.outbound.fitted_plan import FittedPlan
from sieve.gateway.outbound.planner.choice import Estimate
from sieve.gateway.peering.directories import PeerDirectories
from sieve.gateway.telemetry import progress
from sieve.gateway.telemetry.progress import Progress
from sieve.store.models import Attempt
from sieve.store.queries import attempt_outcomes, claiming, outbox
from sieve.store.queries.attempt_outcomes import Ended
from sieve.web import times
from sieve.web.transfers.waiting import turn
from web_world import World

MARKED = b"plain <$S>secret<$E> plain"


async def test_sending_is_accepted_and_queued(world: World) -> None:
    document_id = await world.upload(MARKED)
    asked = {"document_id": document_id, "peer": "bravo", "recipients": ["Berta", "bob"], "mode": "secure-only"}
    async with world.client("anna") as api:
        answer = await api.post("/transfers", json=asked)
        assert answer.status_code == 202, answer.text
        shown = (await api.get(f"http://alpha{answer.headers['location']}")).json()
    assert (shown["state"], shown["mode"], shown["recipients"]) == ("queued", "secure-only", ["berta", "bob"])
    assert (shown["document_bytes"], shown["classified_bytes"], shown["plain_bytes"]) == (18, 6, 12)
    assert (shown["attempts"], shown["timings"], shown["receipt"], shown["identical"]) == ([], None, False, False)
    assert world.worker.woken == 1


async def test_a_transfer_says_how_many_go_first(world: World) -> None:
    """To the same peer, by their turn; not once it was tried, and not of others."""
    sent = [await world.send(MARKED) for _ in range(3)]
    async with world.client("anna") as api:

        async def turn(transfer_id: str) -> tuple[object, object]:
            shown = (await api.get(f"/transfers/{transfer_id}")).json()
            return shown["ahead"], shown["collecting"]

        assert [await turn(each) for each in sent] == [(0, False), (1, False), (2, False)]
        async with world.database.write() as session:
            await claiming.claim(session, sent[:1], now_ns=now_ns(), lease_ns=10**12, token="t")
        assert [await turn(each) for each in sent] == [(None, False), (1, False), (2, False)]
        async with world.database.write() as session:
            await attempt_outcomes.record(session, "t", [Ended.again(sent[0], "no answer", 2**61)], now_ns())
        assert [await turn(each) for each in sent] == [(None, False), (0, False), (1, False)]


async def test_a_transfer_waits_for_others_as_long_as_a_batch_may(world: World) -> None:
    transfer_id = await world.send(MARKED)
    async with world.database.read() as session:
        row = await outbox.by_id(session, transfer_id)
        assert row is not None and row.next_try_at_ns is not None
        for passed_ns, collecting in ((0, True), (9, True), (10, False)):
            now = row.next_try_at_ns + passed_ns
            assert await turn(session, row, batch_wait_ns=10, now_ns=now) == (0, collecting)
        row.split = "by-size"  # not for batches
        assert await turn(session, row, batch_wait_ns=10, now_ns=row.next_try_at_ns) == (0, False)


async def test_the_directory_of_a_peer_is_not_read_for_names_that_a_transfer_has(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id = await world.upload(MARKED)
    async with world.client("anna") as api:
        asked = {"document_id": document_id, "peer": "bravo", "recipients": ["berta"]}
        sent = (await api.post("/transfers", json=asked)).json()

        async def read(*_: object) -> object:
            raise AssertionError("it takes 10 ms for 10,000 people")

        monkeypatch.setattr(PeerDirectories, "names", read)
        shown = (await api.get(f"/transfers/{sent['id']}")).json()
        [listed] = (await api.get("/transfers")).json()["items"]
    assert sent["recipient_names"] == shown["recipient_names"] == listed["recipient_names"] != []


@each(
    ("change", "status", "sentence"),
    [
        ({"recipients": ["berta", "zoe"]}, 422, "nobody named zoe can receive at bravo"),
        ({"recipients": []}, 422, "body.recipients"),
        ({"peer": "charlie"}, 404, "no peer named charlie"),
        ({"document_id": "0" * 32}, 404, "no such document"),
        ({"mode": "fast"}, 422, "body.mode"),
        ({"split": "es"}, 422, "body: the planner splits by range; name the mode for split es"),
        ({"mode": "sieve", "secure_channels": True}, 422, "body.secure_channels"),
        ({"mode": "sieve", "secure_channels": "2"}, 422, "body.secure_channels"),
        ({"mode": "sieve", "plain_channels": 2.0}, 422, "body.plain_channels"),
        ({"mode": "secure-only", "split": "ss"}, 422, "which ss cannot split; use es or range"),
        ({"mode": "sieve", "split": "even"}, 422, "body.split"),
        ({"mode": "sieve", "secure_channels": 0}, 422, "body.secure_channels: it must be 1 at least"),
        ({"mode": "sieve", "plain_channels": 0}, 422, "body.plain_channels: it must be 1 at least"),
        ({"mode": "sieve", "plain_channels": 65}, 422, "body.plain_channels: it must be 64 at most"),
        ({"mode": "sieve", "secure_channels": 3}, 422, "bravo takes at most 2 secure channels for a transfer, not 3"),
        ({"mode": "sieve", "plain_channels": 3}, 422, "bravo takes at most 2 plain channels for a transfer, not 3"),
        ({"deadline_s": -1}, 422, "body.deadline_s"),
        ({"deadline_s": 1e300}, 422, "body.deadline_s"),
        ({"wish": "<$S>secret<$E>"}, 422, "body"),
    ],
)
async def test_what_cannot_be_sent_is_refused_before_anything_is(
    world: World, change: dict[str, object], status: int, sentence: str
) -> None:
    document_id = await world.upload(MARKED)
    asked = {"document_id": document_id, "peer": "bravo", "recipients": ["berta"], **change}
    async with world.client("anna") as api:
        answer = await api.post("/transfers", json=asked)
        listed = (await api.get("/transfers")).json()
    assert answer.status_code == status
    assert sentence in answer.json()["detail"]
    assert listed["items"] == []
    assert "secret" not in answer.text


async def test_a_transfer_names_the_draft_whose_save_was_sent_while_it_is_there(world: World) -> None:
    async with world.client("anna") as api:
        draft = (await api.post("/drafts", params={"form": "marked", "name": "memo.txt"}, content=MARKED)).json()
        asked = {"document_id": draft["document_id"], "peer": "bravo", "recipients": ["berta"]}
        sent = (await api.post("/transfers", json=asked)).json()
        assert (sent["draft_id"], sent["revision"]) == (draft["id"], 1)
        await api.post(f"/transfers/{sent['id']}/cancel")
        assert (await api.delete(f"/drafts/{draft['id']}", params={"forever": True})).status_code == 204
        (listed,) = (await api.get("/transfers")).json()["items"]
    assert (listed["draft_id"], listed["revision"]) == (None, None)


async def test_an_unreachable_peer_keeps_nobody_from_sending(world: World) -> None:
    world.links.link.reachable = False
    async with world.client("anna") as api:
        sent = [await world.send(MARKED, to=["zoe"]) for _ in range(2)]
        first, second = [(await api.get(f"/transfers/{each}")).json() for each in sent]
    # It says so at once, without an attempt, and of both that the peer is away since the first.
    assert (first["attempt"], first["unreachable_since"]) == (0, first["created_at"])
    assert second["unreachable_since"] == first["created_at"] < second["created_at"]


async def test_a_reachable_peer_is_not_waited_for(world: World) -> None:
    transfer_id = await world.send(MARKED)
    async with world.client("anna") as api:
        assert (await api.get(f"/transfers/{transfer_id}")).json()["unreachable_since"] is None


async def test_another_authors_document_is_not_there_to_send(world: World) -> None:
    document_id = await world.upload(MARKED, "adam")
    async with world.client("anna") as api:
        answer = await api.post(
            "/transfers", json={"document_id": document_id, "peer": "bravo", "recipients": ["berta"]}
        )
    assert answer.status_code == 404


async def test_a_delivered_transfer_has_its_receipt_and_timings(world: World) -> None:
    transfer_id = await world.send(MARKED)
    async with world.client("anna") as api:
        early = await api.get(f"/transfers/{transfer_id}/receipt")
        receipt = await world.settle_delivered(transfer_id)
        late = await api.get(f"/transfers/{transfer_id}/receipt")
        shown = (await api.get(f"/transfers/{transfer_id}")).json()
        key = (await api.get("/peers/bravo/receipt-key")).json()["receipt_key"]
    assert early.status_code == 404 and "queued" in early.json()["detail"]
    assert late.text == receipt
    assert verify(late.text, bytes.fromhex(key)).transfer_id == transfer_id
    assert (shown["state"], shown["receipt"], shown["identical"]) == ("delivered", True, True)
    assert shown["attempts"][0]["outcome"] == "delivered"
    assert set(shown["timings"]) >= {"sieve", "establishment", "data_transfer", "response", "total", "stored"}


async def test_an_attempt_shows_its_plan_with_the_planner_s_estimate(world: World) -> None:
    transfer_id = await world.send(MARKED)
    estimate = Estimate("faster", 12.5, 20.0, 0.5, measured=True)
    plan = FittedPlan(Plan("sieve"), estimate=estimate).to_json()
    async with world.database.write() as session:
        session.add(Attempt(transfer_id=transfer_id, number=1, plan=json.dumps(plan), started_at_ns=1))
    async with world.client("anna") as api:
        answer = await api.get(f"/transfers/{transfer_id}")
    assert answer.status_code == 200
    assert answer.json()["attempts"][0]["plan"] == plan


async def test_cancel_and_requeue(world: World) -> None:
    transfer_id = await world.send(MARKED)
    async with world.client("anna") as api:
        assert (await api.post(f"/transfers/{transfer_id}/requeue")).json()["state"] == "queued"
        assert (await api.post(f"/transfers/{transfer_id}/cancel")).json()["state"] == "cancelled"
        again = await api.post(f"/transfers/{transfer_id}/cancel")
        requeued = await api.post(f"/transfers/{transfer_id}/requeue")
    assert (again.status_code, requeued.status_code) == (409, 409)
    assert "cancelled" in again.json()["detail"]


async def test_lists_are_filtered_and_paged(world: World) -> None:
    mine = [await world.send(MARKED) for _ in range(3)]
    his = await world.send(MARKED, "adam")
    async with world.client("anna") as anna, world.client("root") as root:
        await anna.post(f"/transfers/{mine[0]}/cancel")
        listed = (await anna.get("/transfers")).json()["items"]
        assert [item["id"] for item in listed] == mine[::-1]
        queued = (await anna.get("/transfers", params={"state": "queued"})).json()["items"]
        assert [item["id"] for item in queued] == [mine[2], mine[1]]
        assert (await anna.get("/transfers", params={"peer": "charlie"})).json()["items"] == []
        assert (await anna.get("/transfers", params={"state": "lost"})).status_code == 422
        assert (await anna.get("/transfers", params={"after": "x"})).status_code == 422
        first = (await root.get("/transfers", params={"limit": 3, "peer": "bravo"})).json()
        rest = (await root.get("/transfers", params={"limit": 3, "peer": "bravo", "after": first["next"]})).json()
    assert [item["id"] for item in first["items"] + rest["items"]] == [his, *mine[::-1]]


async def test_what_failed_is_not_tried_again_without_its_document(world: World) -> None:
    transfer_id = await world.send(MARKED)
    async with world.database.write() as session:
        peer = world.services.peers.by_name("bravo")
        assert peer is not None
        await outbox.fail_queued_to(session, peer.id, "for the test")
    async with world.client("anna") as api:
        document_id = (await api.get(f"/transfers/{transfer_id}")).json()["document_id"]
        assert (await api.delete(f"/documents/{document_id}")).status_code == 204
        answer = await api.post(f"/transfers/{transfer_id}/requeue")
        assert (answer.status_code, (await api.get(f"/transfers/{transfer_id}")).json()["state"]) == (409, "failed")
    assert "deleted" in answer.json()["detail"]


async def test_lists_are_searched_by_author_name_and_time(world: World) -> None:
    mine = await world.send(MARKED, name="Übergabe 100%.txt")
    his = await world.send(MARKED, "adam", name="memo.txt")

    async def found(**params: str) -> list[str]:
        answer = await root.get("/transfers", params=params)
        assert answer.status_code == 200, answer.text
        return [item["id"] for item in answer.json()["items"]]

    async with world.client("root") as root, world.client("adam") as adam:
        assert await found(author="Anna") == [mine]
        assert await found(author="nobody") == []
        assert await found(search="ÜBER") == await found(search="0%") == [mine]
        assert await found(search="m_mo") == []
        assert await found(search=".txt", author="adam") == [his]
        accepted = (await root.get(f"/transfers/{his}")).json()["created_at"]
        assert await found(since=accepted) == [his]
        assert await found(since=accepted.replace("Z", "+02:00")) == [his, mine]
        assert await found(since="2999-01-01T00:00:00") == []
        assert (await root.get("/transfers", params={"since": "yesterday"})).status_code == 422
        # Nobody's filter shows more than their own.
        assert (await adam.get("/transfers", params={"author": "anna"})).json()["items"] == []


async def test_the_list_has_timings_in_two_queries_however_long_it_is(world: World) -> None:
    waiting = await world.send(MARKED)
    asked: list[str] = []

    def note(conn: object, cursor: object, statement: str, *rest: object) -> None:
        asked.append(statement)

    counts = []
    async with world.client("anna") as api:
        await api.post(f"/transfers/{waiting}/cancel")
        event.listen(Engine, "before_cursor_execute", note)
        try:
            for _ in range(3):
                delivered = await world.send(MARKED)
                await world.settle_delivered(delivered)
                asked.clear()
                items = (await api.get("/transfers")).json()["items"]
                counts.append(len(asked))
        finally:
            event.remove(Engine, "before_cursor_execute", note)
        one = (await api.get(f"/transfers/{delivered}")).json()
    assert [item["timings"] is None for item in items] == [False, False, False, True]
    assert items[0]["timings"] == one["timings"]
    assert len(set(counts)) == 1


async def test_an_admin_sees_transfers_and_changes_none(world: World) -> None:
    transfer_id = await world.send(MARKED)
    async with world.client("root") as api:
        assert (await api.get(f"/transfers/{transfer_id}")).json()["author"] == "anna"
        assert (await api.post(f"/transfers/{transfer_id}/cancel")).status_code == 403


@pytest.mark.parametrize("path", ["", "/events", "/receipt"])
async def test_another_authors_transfer_is_not_there(world: World, path: str) -> None:
    transfer_id = await world.send(MARKED)
    async with world.client("adam") as api:
        answer = await api.get(f"/transfers/{transfer_id}{path}")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


# --- events ----------------------------------------------------------------------------------------------------------


async def _events(world: World, transfer_id: str, who: str = "anna") -> list[dict[str, object]]:
    async with asyncio.timeout(10), world.client(who) as api:
        answer = await api.get(f"/transfers/{transfer_id}/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    return [json.loads(line.removeprefix("data:")) for line in answer.text.splitlines() if line.startswith("data:")]


async def _watched(world: World) -> None:
    """Returns once there is a watcher."""
    async with asyncio.timeout(10):
        while not world.services.progress.watchers:
            await asyncio.sleep(0)


async def test_events_have_both_channels_and_end_with_the_transfer(world: World) -> None:
    transfer_id = await world.send(MARKED)
    watching = asyncio.create_task(_events(world, transfer_id))
    await _watched(world)
    world.services.progress.publish(
        Progress(transfer_id, "sending", secure_sent=3, secure_total=6, plain_sent=12, plain_total=12)
    )
    await world.settle_delivered(transfer_id)
    events = await watching
    assert events[0]["state"] == "queued"
    assert events[-1] == {
        "transfer_id": transfer_id,
        "state": "delivered",
        "secure_sent": 0,
        "secure_total": 0,
        "plain_sent": 0,
        "plain_total": 0,
        "verified": True,
        "reason": None,
        "said": None,
        "next_try_at": None,
        "channels": [],
    }


async def test_events_of_a_transfer_that_is_over_are_one(world: World) -> None:
    transfer_id = await world.send(MARKED)
    await world.settle_delivered(transfer_id)
    assert [event["state"] for event in await _events(world, transfer_id)] == ["delivered"]


async def test_events_after_a_restart_begin_with_the_row(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "KEPT", 0)  # as little as after a restart
    transfer_id = await world.send(MARKED)
    async with world.database.write() as session:
        assert await outbox.cancel(session, transfer_id, 2**61)
    events = await _events(world, transfer_id, "root")
    assert [(event["state"], event["reason"]) for event in events] == [("cancelled", "cancelled by its author")]


async def test_a_revoked_token_ends_the_events(world: World) -> None:
    transfer_id = await world.send(MARKED)
    watching = asyncio.create_task(_events(world, transfer_id))
    await _watched(world)
    async with world.client("root") as api:
        await api.patch(f"/people/{world.people['anna'].id}", json={"disabled": True})
    world.services.progress.publish(Progress(transfer_id, "sending", secure_total=6))
    assert all(event["secure_total"] == 0 for event in await watching)


async def test_the_mode_is_the_planner_s_choice_unless_one_is_named(world: World) -> None:
    document_id = await world.upload(MARKED)
    asked = {"document_id": document_id, "peer": "bravo", "recipients": ["berta"]}
    async with world.client("anna") as api:
        left = (await api.post("/transfers", json=asked)).json()
        named = (await api.post("/transfers", json={**asked, "mode": "sieve", "secure_channels": 2})).json()
        half = (await api.post("/transfers", json={**asked, "mode": "auto", "plain_channels": 2})).json()
    assert (left["mode"], left["plan"]["mode"], left["plan"]["estimate"]["reason"]) == ("auto", "secure-only", "faster")
    assert left["plan"]["estimate"]["expected_ms"] is None, "nothing was measured"
    assert (named["mode"], named["plan"]["secure_channels"], named["plan"]["plain_channels"]) == ("sieve", 2, 1)
    async with world.database.read() as session:
        rows = {each["id"]: await outbox.by_id(session, each["id"]) for each in (left, named, half)}
    channels = [(row.secure_channels, row.plain_channels) for row in rows.values() if row is not None]
    assert channels == [(0, 0), (2, 1), (0, 2)]


async def test_behind_an_open_breaker_each_transfer_says_what_it_waits_for(world: World) -> None:
    """Also one that no attempt has looked at."""
    first, second = await world.send(b"plain"), await world.send(b"plain")
    now = now_ns()
    async with world.database.write() as session:
        (row,), _ = await claiming.claim(session, [first], now_ns=now, lease_ns=10**9, token="t")
        await attempt_outcomes.record(session, "t", [Ended.again(first, "bravo does not answer", now + 1)], now)
        for _ in range(5):
            await attempt_outcomes.breaker_failed(session, row.peer_id, now_ns=now, after=5, open_ns=30 * 10**9)
    async with world.client("anna") as api:
        listed = {each["id"]: each for each in (await api.get("/transfers")).json()["items"]}
        one = (await api.get(f"/transfers/{second}")).json()
    assert listed[first]["reason"] == "bravo does not answer"
    assert listed[second]["reason"] == one["reason"] == "bravo could not be reached 5 times in a row"
    until = times.shown(now + 30 * 10**9).isoformat().replace("+00:00", "Z")
    assert listed[first]["next_try_at"] == listed[second]["next_try_at"] == one["next_try_at"] == until


async def test_a_zip_has_each_sent_document_once_as_it_was_sent(world: World) -> None:
    async with world.client("anna") as api:
        document_id = await world.upload(MARKED)
        asked = {"document_id": document_id, "peer": "bravo", "recipients": ["berta"]}
        ids = [(await api.post("/transfers", json=asked)).json()["id"] for _ in range(2)]
        answer = await api.post("/transfers/archive", json={"ids": [*ids, "0" * 32]})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    with ZipFile(io.BytesIO(answer.content)) as found:
        first, missing = found.namelist()
        assert (found.read(first), found.read(missing)) == (MARKED, b"A document that was deleted.\n")
    async with world.client("adam") as api:
        theirs = await api.post("/transfers/archive", json={"ids": ids})
    with ZipFile(io.BytesIO(theirs.content)) as found:
        assert found.namelist() == ["not-included.txt"]


async def test_several_transfers_are_cancelled_and_retried(world: World) -> None:
    ids = []
    async with world.client("anna") as api:
        for _ in range(2):
            document_id = await world.upload(MARKED)
            asked = {"document_id": document_id, "peer": "bravo", "recipients": ["berta"]}
            ids.append((await api.post("/transfers", json=asked)).json()["id"])

        async def change(what: str) -> list[str]:
            answer = await api.post("/transfers/changes", json={"ids": [*ids, "0" * 32], "change": what})
            assert answer.status_code == 202, answer.text
            return list(answer.json()["ids"])

        assert (await api.get("/transfers/ids")).json()["ids"] == ids[::-1]
        assert await change("retry") == ids, "they wait"
        assert await change("cancel") == ids
        assert await change("cancel") == await change("retry") == []
        assert (await api.get("/transfers/counts", params={"state": "cancelled"})).json()["transfers"] == 2
