"""One gateway alone: its people send to each other, over real sockets, and always over the secure channel."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from gateway.in_process import InProcess
from gateway.two_gateways import Node, document, identity_of, until
from sieve.addresses import local
from sieve.channel.attempt import Plan
from sieve.channel.receipt import verify
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import PairingError
from sieve.gateway.outbound.planner.choice import Wish
from sieve.store.models import Transfer, User
from sieve.store.queries import peers, people, queue_state, recipient_groups, tokens
from sieve.store.queries.conditional_update import update_where
from sieve.web.app import create_app

PEOPLE: dict[str, dict[str, Any]] = {
    "anna": {"is_author": True, "is_recipient": True},
    "bruno": {"is_recipient": True, "cleared": True},
    "rosa": {"is_recipient": True},
}


@pytest.fixture
async def alpha(tmp_path: Path, template: Path) -> AsyncIterator[Node]:
    node = Node("alpha", tmp_path / "alpha", template, identity_of(template, "alpha"))
    await node.start()
    try:
        yield node
    finally:
        await node.stop()


@pytest.fixture
async def staff(alpha: Node) -> dict[str, User]:
    async with alpha.database.write() as session:
        return {
            name: await people.add(session, name=name, display_name=name.title(), now_ns=now_ns(), **roles)
            for name, roles in PEOPLE.items()
        }


async def test_all_replicas_give_the_invitation_of_the_first(alpha: Node, caplog: pytest.LogCaptureFixture) -> None:
    """A pairing's codes cover it, and each request of an admin may reach another replica."""
    for plain_url, is_warned in (("http://127.0.0.1:9", False), ("http://plain.example.org:9", True)):
        another = replace(alpha.peers, ours=replace(alpha.peers.ours, plain_url=plain_url))
        caplog.clear()
        async with alpha.database.write() as session:
            await another.store_own(session, "https://127.0.0.1:8", is_alone=False)
        assert another.ours == alpha.peers.ours
        assert ("SIEVE_PLAIN_URL has another host" in caplog.text) == is_warned


async def send(alpha: Node, staff: dict[str, User], *to: str) -> str:
    kept = await alpha.keep(document(), staff["anna"])
    [row] = await alpha.transfer_queue.send(staff["anna"], [kept], {"alpha": to}, Plan("sieve"))
    return row.id


async def test_colleagues_and_the_author_get_it_over_the_secure_channel_alone(
    alpha: Node, staff: dict[str, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(InProcess, "open", lambda self, handle, *rest: opened.append(handle))
    made = [document(), document(9000)]
    kept = [await alpha.keep(each, staff["anna"]) for each in made]
    to = {"alpha": ["anna", "bruno"]}
    # The author asked for both channels, then left the choice to the planner.
    first = await alpha.transfer_queue.send(staff["anna"], kept, to, Plan("sieve", 2, 2))
    then = await alpha.transfer_queue.send(staff["anna"], kept[:1], to, Plan("sieve"), wish=Wish())
    for row, content in zip([*first, *then], [*made, made[0]], strict=True):
        ended = await alpha.ended(row.id)
        assert ended.state == "delivered", ended
        for name in ("anna", "bruno"):
            assert (await alpha.entries(staff[name])).count(row.id) == 1
            assert await alpha.content(staff[name], row.id) == content.content
        sent = await alpha.row(row.id)
        assert sent.mode == "secure-only"
        assert verify(sent.receipt or "", alpha.identity.receipt_public_key).receiver == "alpha"
        records = await alpha.timing_records(row.id)
        assert sorted((each.direction, each.mode, each.peer_id) for each in records) == [
            ("received", "secure-only", peers.OWN_ID),
            ("sent", "secure-only", peers.OWN_ID),
        ]
    assert isinstance(alpha.plain, InProcess)
    assert opened == [] and not alpha.plain.http.server_state.total_requests


async def test_a_restart_in_between_delivers_once_at_the_new_address(alpha: Node, staff: dict[str, User]) -> None:
    transfer_id = await send(alpha, staff, "bruno")
    await alpha.becomes(transfer_id, lambda progress: progress.state != "queued")
    await alpha.stop()
    alpha.addresses = {}
    await alpha.start()
    assert (await alpha.ended(transfer_id)).state == "delivered"
    receipt = (await alpha.row(transfer_id)).receipt
    # As after a crash between the receiver's commit and the sender's.
    async with alpha.database.write() as session:
        lost = {"state": "queued", "next_try_at_ns": 1, "receipt": None, "delivered_at_ns": None}
        await update_where(session, Transfer, Transfer.id == transfer_id, **lost)
    alpha.worker.wake()
    assert (await alpha.ended(transfer_id)).state == "delivered"
    await until(lambda: has_receipt(alpha, transfer_id, receipt))
    assert (await alpha.entries(staff["bruno"])).count(transfer_id) == 1


async def has_receipt(alpha: Node, transfer_id: str, receipt: str | None) -> bool:
    return (await alpha.row(transfer_id)).receipt == receipt


async def test_a_renamed_gateway_keeps_its_transfers_and_groups(alpha: Node, staff: dict[str, User]) -> None:
    alpha.working = False
    await alpha.stop()
    await alpha.start()
    transfer_id = await send(alpha, staff, "bruno")
    async with alpha.database.write() as session:
        members = '[["alpha", "bruno"], ["bravo", "zoe"]]'
        await recipient_groups.add(session, owner_id=staff["anna"].id, name="us", members=members, now_ns=1)
    await alpha.stop()
    alpha.name, alpha.working = "harbour", True
    await alpha.start()
    assert (await alpha.ended(transfer_id)).state == "delivered"
    assert (await alpha.row(transfer_id)).peer.name == "harbour"
    async with alpha.database.read() as session:
        [group] = await recipient_groups.of_owner(session, staff["anna"].id)
    assert group.members == '[["harbour", "bruno"], ["bravo", "zoe"]]'


async def test_it_is_no_pairing(alpha: Node, caplog: pytest.LogCaptureFixture) -> None:
    async with alpha.database.read() as session:
        assert await queue_state.peers(session) == []
    own = alpha.peers.own
    assert own is not None and own.is_own and own == alpha.peers.by_name("alpha")
    assert alpha.peers.all() == [] and alpha.peers.paired("alpha") is None
    with pytest.raises(PairingError, match="no peer named alpha"):
        await alpha.peers.remove("alpha", by="root")
    # Unlike a peer, this gateway can be renamed to the name of another one.
    async with alpha.database.write() as session:
        await peers.add(
            session,
            name="bravo",
            secure_url="https://bravo.example",
            plain_url="http://bravo.example",
            ca_der=alpha.identity.ca_der,
            receipt_key=bytes(32),
            pin="ab" * 32,
            now_ns=1,
        )
    await alpha.stop()
    alpha.name = "bravo"
    await alpha.start()
    assert alpha.peers.own is not None and alpha.peers.own.name == "alpha"
    assert "a peer has this gateway's name" in caplog.text


async def test_over_the_api_an_uncleared_colleague_gets_the_redacted_edition(
    alpha: Node, staff: dict[str, User]
) -> None:
    app = create_app(alpha.gateway.services)

    async def client(name: str) -> httpx.AsyncClient:
        async with alpha.database.write() as session:
            await tokens.add(session, user_id=staff[name].id, token=f"token-{name}", label="", now_ns=now_ns())
        headers = {"Authorization": f"Bearer token-{name}"}
        return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://alpha/api/v1", headers=headers)

    async with await client("anna") as anna:
        assert (await anna.get("/peers")).json() == []
        assert (await anna.get("/recipients/gateways")).json() == [{"name": "alpha", "is_own": True}]
        listed = (await anna.get("/peers/alpha/recipients")).json()["recipients"]
        assert [(each["name"], each["cleared"]) for each in listed] == [
            ("anna", False),
            ("bruno", True),
            ("rosa", False),
        ]
        plan = (await anna.get("/peers/alpha/plan?mode=sieve&bytes=10&classified=5")).json()
        assert (plan["mode"], plan["plain_channels"]) == ("secure-only", 0)
        made = await anna.post(
            "/documents", params={"form": "marked", "name": "a.txt"}, content=b"to <$S>all<$E> of us"
        )
        to = [{"peer": "alpha", "recipients": ["bruno", "rosa"]}]
        sent = await anna.post("/sends", json={"document_ids": [made.json()["id"]], "to": to, "mode": "sieve"})
        assert sent.status_code == 202, sent.text
        [transfer] = sent.json()["transfers"]
        await alpha.ended(transfer["id"])
        assert (await anna.get(f"/transfers/{transfer['id']}/verification")).json()["valid"] is True
        assert (await anna.get("/recipients/recent")).json()[0] == {"peer": "alpha", "name": "bruno"}
        assert (await anna.delete("/peers/alpha")).status_code == 403
    for name, editions, content in (
        ("bruno", "full", b"to all of us"),
        ("rosa", "redacted", "to █████ of us".encode()),
    ):
        async with await client(name) as reader:
            entry = (await reader.get(f"/inbox/{transfer['id']}")).json()
            assert editions in entry["editions"] and (entry["peer"], entry["sender"]) == ("alpha", "Anna")
            found = await reader.get(f"/inbox/{transfer['id']}/content", params={"edition": editions})
            assert found.content == content
            if name == "rosa":
                assert (await reader.get(f"/inbox/{transfer['id']}/content?edition=full")).status_code == 403


@pytest.mark.parametrize(
    ("bound", "reached"),
    [
        ("0.0.0.0:8443", "127.0.0.1:8443"),
        ("[::]:8443", "[::1]:8443"),
        ("10.1.2.3:8443", "10.1.2.3:8443"),
        ("[fd00::1]:8443", "[fd00::1]:8443"),
    ],
)
def test_where_a_machine_reaches_its_own_listener(bound: str, reached: str) -> None:
    assert local(bound) == reached
