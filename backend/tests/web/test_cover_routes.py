"""Notes, replies and read receipts, as people see them.

`gateway/inbound/test_covers_and_read_receipts.py` has two gateways."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from command_world import Served, Sieve
from fake_parts import take_covers
from sieve.channel.cover import Cover, OtherRecipient
from sieve.gateway.peering.links import RemoteRecipient
from sieve.store.models import ReadReceipt
from sieve.store.queries import people
from web_world import World

MARKED = b"Quay <$S>seven<$E>."
COVER = Cover("berta", "Call me.\n\u202eTwice.", read_receipts=True, others=(OtherRecipient("Ida", "charlie"),))


@pytest.fixture
def modern(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    take_covers(monkeypatch)
    return world


async def _receipts(world: World) -> int:
    async with world.database.read() as session:
        return len((await session.scalars(select(ReadReceipt))).all())


async def test_everyone_addressed_reads_the_note_and_sees_the_others(world: World) -> None:
    transfer_id = await world.deliver(MARKED, cover=COVER)
    for who, other in (("bruno", "rosa"), ("rosa", "bruno")):
        async with world.client(who) as api:
            entry = (await api.get(f"/inbox/{transfer_id}")).json()
        assert entry["note"] == "Call me.\nTwice."
        others = [{"name": world.people[other].display_name, "gateway": None}, {"name": "Ida", "gateway": "charlie"}]
        assert entry["other_recipients"] == others
        assert (entry["read_receipts"], entry["opened_at"], entry["in_reply_to"]) == (True, None, None)


async def test_opening_is_reported_once_and_marking_as_read_is_not_opening(world: World) -> None:
    transfer_id = await world.deliver(MARKED, to=["bruno"], cover=COVER)
    unasked = await world.deliver(MARKED, to=["bruno"], cover=replace(COVER, read_receipts=False))
    zipped = await world.deliver(MARKED, to=["bruno"], cover=COVER)
    async with world.client("bruno") as api:
        ids = [(await api.get(f"/inbox/{one}")).json()["id"] for one in (transfer_id, unasked, zipped)]
        await api.post("/inbox/changes", json={"ids": ids, "change": "read"})
        assert await _receipts(world) == 0
        for _ in range(2):
            assert (await api.get(f"/inbox/{transfer_id}/content")).status_code == 200
            assert await _receipts(world) == 1
        assert (await api.get(f"/inbox/{transfer_id}")).json()["opened_at"] is not None
        await api.get(f"/inbox/{unasked}/content")
        assert await _receipts(world) == 1
        await api.post("/inbox/archive", json={"ids": ids, "edition": "full"})
    assert await _receipts(world) == 2


async def test_only_its_author_sees_the_note_of_a_transfer(modern: World) -> None:
    asked = {"document_id": await modern.upload(MARKED), "peer": "bravo", "recipients": ["berta"]}
    async with modern.client("anna") as anna, modern.client("root") as root:
        more = {"note": "Call me.", "read_receipts": True}
        sent = (await anna.post("/transfers", json=asked | more)).json()["id"]
        mine, listed = (await anna.get(f"/transfers/{sent}")).json(), (await anna.get("/transfers")).text
        theirs = await root.get(f"/transfers/{sent}")
        audit = await root.get("/audit")
    assert (mine["note"], mine["opened"]) == ("Call me.", [{"name": "Berta", "at": None}])
    assert theirs.json()["note"] is None
    assert all("Call me." not in text for text in (listed, theirs.text, audit.text))


async def test_an_older_peer_is_refused_what_it_would_lose(world: World) -> None:
    asked = {"document_id": await world.upload(MARKED), "peer": "bravo", "recipients": ["berta"]}
    async with world.client("anna") as api:
        for more in ({"note": "Call me."}, {"read_receipts": True}):
            answer = await api.post("/transfers", json=asked | more)
            assert (answer.status_code, "bravo runs an older version" in answer.text) == (409, True)
        assert (await api.post("/transfers", json=asked | {"note": " \n"})).status_code == 202
        assert (await api.post("/transfers", json=asked | {"note": "x" * 2001})).status_code == 422


async def test_a_reply_is_a_draft_for_the_sender(modern: World) -> None:
    async with modern.database.write() as session:
        await people.change(session, modern.people["bruno"].id, is_author=True)
    transfer_id = await modern.deliver(MARKED, cover=COVER)
    unknown = await modern.deliver(MARKED, cover=replace(COVER, sender="zora"))
    async with modern.client("bruno") as api:
        to = (await api.get(f"/inbox/{transfer_id}/reply")).json()
        assert (to["peer"], to["recipient"], to["recipient_name"]) == ("bravo", "berta", "Berta")
        query = {"form": "literal", "name": "Re: minutes.txt", "in_reply_to": to["entry_id"]}
        draft = (await api.post("/drafts", params=query, content=b"Yes.")).json()
        assert draft["reply_to"] == to
        asked = {"document_id": draft["document_id"], "peer": "bravo", "recipients": ["berta"]}
        sent = (await api.post("/transfers", json={**asked, "in_reply_to": to["entry_id"]})).json()["id"]
        shown = (await api.get(f"/transfers/{sent}")).json()
        assert shown["in_reply_to"] == {"name": "report.txt", "id": to["entry_id"]}
        refused = await api.get(f"/inbox/{unknown}/reply")
        assert (refused.status_code, "cannot reply to Berta" in refused.text) == (409, True)
        assert (await api.post("/transfers", json={**asked, "in_reply_to": "ab" * 16})).status_code == 404
    async with modern.database.write() as session:
        await people.change(session, modern.people["bruno"].id, is_recipient=False)
    async with modern.client("bruno") as api:
        answer = {**asked, "in_reply_to": to["entry_id"]}
        refusals = [
            await api.post("/drafts", params=query, content=b"Yes."),
            await api.post("/transfers", json=answer),
        ]
        assert all((each.status_code, "only recipients can reply" in each.text) == (403, True) for each in refusals)


async def test_a_reply_to_one_of_two_namesakes_asks_which_one(world: World) -> None:
    """Their gateway is older and sends no cover, so that only the name is known."""
    async with world.database.write() as session:
        await people.change(session, world.people["bruno"].id, is_author=True)
    berta = RemoteRecipient("berta", "Berta at bravo", cleared=True)
    world.links.link.known = [berta, replace(berta, name="berta2", unit="Harbour")]
    transfer_id = await world.deliver(MARKED)
    async with world.client("bruno") as api:
        refused = await api.get(f"/inbox/{transfer_id}/reply")
        assert (refused.status_code, refused.json()["kind"]) == (409, "several-senders")
        candidates = [{"login": "berta", "unit": None}, {"login": "berta2", "unit": "Harbour"}]
        assert refused.json()["candidates"] == candidates
        to = (await api.get(f"/inbox/{transfer_id}/reply", params={"login": "berta2"})).json()
        assert (to["recipient"], (await api.get(f"/inbox/{transfer_id}/reply?login=x")).status_code) == ("berta2", 409)
        query = {"form": "literal", "name": "Re", "in_reply_to": to["entry_id"], "reply_to_login": "berta2"}
        draft = (await api.post("/drafts", params=query, content=b"Yes.")).json()
        assert draft["reply_to"] == to


async def test_a_transfer_lists_the_replies_to_it_for_its_author(modern: World) -> None:
    async with modern.database.write() as session:
        await people.change(session, modern.people["anna"].id, is_recipient=True, cleared=True)
    asked = {"document_id": await modern.upload(MARKED), "peer": "bravo", "recipients": ["berta"]}
    async with modern.client("anna") as anna, modern.client("root") as root:
        sent = (await anna.post("/transfers", json=asked)).json()["id"]
        assert (await anna.get(f"/transfers/{sent}")).json()["replies"] == []
        answer = replace(COVER, in_reply_to=sent)
        await modern.deliver(MARKED, to=["anna"], cover=answer, name="Re: memo.txt")
        await modern.deliver(MARKED, to=["bruno"], cover=answer)  # not to the author
        [reply] = (await anna.get(f"/transfers/{sent}")).json()["replies"]
        assert (reply["name"], reply["sender"]) == ("Re: memo.txt", "Berta at bravo")
        assert (await anna.get(f"/inbox/{reply['id']}")).json()["in_reply_to"]["id"] == sent
        assert (await root.get(f"/transfers/{sent}")).json()["replies"] == []


def test_the_command_line_sends_covers_and_prints_notes(
    served: Served, sieve: Sieve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, document = served.world, tmp_path / "answer.md"
    document.write_bytes(MARKED)

    async def make_author() -> None:
        async with world.database.write() as session:
            await people.change(session, world.people["bruno"].id, is_author=True)

    def shown(transfer_id: str, who: str) -> dict[str, Any]:
        status, out, error = sieve("status", transfer_id, "--json", who=who)
        assert (status, error) == (0, "")
        found: dict[str, Any] = json.loads(out)
        return found

    take_covers(monkeypatch)
    served.run(make_author())
    received = served.run(world.deliver(MARKED, cover=COVER))
    status, out, error = sieve("get", received, "--out", "-", who="bruno")
    assert (status, out, error) == (0, "Quay seven.", "Note from Berta at bravo: Call me.\n  Twice.\n")

    served.deliver_what_is_queued()
    status, out, error = sieve("reply", received, str(document), "--note", "Yes.", "--json", who="bruno")
    assert (status, error) == (0, "")
    replied = shown(json.loads(out)["transfer_id"], "bruno")
    assert (replied["recipients"], replied["note"], replied["opened"]) == (["berta"], "Yes.", None)
    assert replied["in_reply_to"]["name"] == "report.txt"

    more = ("--reply-to", received, "--read-receipts", "--no-wait", "--json")
    status, out, error = sieve("send", str(document), *more, "--peer", "bravo", "--to", "bob", who="bruno")
    assert (status, error) == (0, "")
    sent = shown(json.loads(out)["transfer_id"], "bruno")
    assert (sorted(sent["recipients"]), sent["note"]) == (["berta", "bob"], None)
    assert [each["at"] for each in sent["opened"]] == [None, None]


def test_the_command_line_forwards_with_marks_and_leaves_no_draft(served: Served, sieve: Sieve) -> None:
    world = served.world

    async def make_author() -> None:
        async with world.database.write() as session:
            for who in ("bruno", "rosa"):
                await people.change(session, world.people[who].id, is_author=True)

    served.run(make_author())
    received = served.run(world.deliver(MARKED))
    served.deliver_what_is_queued()
    to = ("--to", "bravo/berta")
    status, out, error = sieve("forward", received, *to, "--json", who="bruno")
    assert (status, error) == (0, "")
    sent = json.loads(out)
    assert (sent["name"], sent["classified_bytes"]) == ("report.txt", 5)
    status, out, error = sieve("forward", received, *to, who="rosa")
    assert (status, "forward its redacted edition instead" in error) == (1, True)
    status, out, error = sieve("forward", received, *to, "--redacted", "--no-wait", "--json", who="rosa")
    assert (status, error) == (0, "")
    assert json.loads(out)["name"] == "report.redacted.txt"
    assert sieve("forward", received, who="rosa")[0] == 2

    async def drafts(who: str) -> Any:
        async with world.client(who) as api:
            return (await api.get("/drafts")).json()["items"]

    assert [served.run(drafts(who)) for who in ("bruno", "rosa")] == [[], []]
