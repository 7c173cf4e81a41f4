"""Sending to people at several gateways: one request, all transfers or none."""

from typing import Any

import pytest

from cases import each
from fake_parts import FakeLink
from sieve.gateway.peering.links import RemoteRecipient
from sieve.store.queries import peers
from web_world import World

MARKED = b"plain <$S>secret<$E> plain"
BOTH = [{"peer": "bravo", "recipients": ["Berta", "bob"]}, {"peer": "charlie", "recipients": ["carla"]}]


@pytest.fixture(autouse=True)
async def charlie(world: World) -> FakeLink:
    """A second peer."""
    async with world.database.write() as session:
        added = await peers.add(
            session,
            name="charlie",
            secure_url="https://charlie.example:8443",
            plain_url="http://charlie.example",
            ca_der=world.services.identity.ca_der,
            receipt_key=bytes(32),
            pin="cd" * 32,
            now_ns=1,
        )
        await peers.confirm(session, added.id, 2)
    await world.services.peers.load()
    link = world.links.others["charlie"] = FakeLink([RemoteRecipient("carla", "Carla", True)])
    return link


async def transfers(world: World) -> list[dict[str, Any]]:
    async with world.client("anna") as api:
        return list((await api.get("/transfers")).json()["items"])


async def test_each_document_goes_to_each_gateway(world: World) -> None:
    ids = [await world.upload(MARKED), await world.upload(b"other")]
    async with world.client("anna") as api:
        answer = await api.post("/sends", json={"document_ids": ids, "to": BOTH, "deadline_s": 3600})
    assert answer.status_code == 202, answer.text
    shown = answer.json()["transfers"]
    assert [(each["peer"], each["document_id"], each["recipients"]) for each in shown] == [
        ("bravo", ids[0], ["berta", "bob"]),
        ("bravo", ids[1], ["berta", "bob"]),
        ("charlie", ids[0], ["carla"]),
        ("charlie", ids[1], ["carla"]),
    ]
    assert {(each["state"], each["plan"]["batch"]) for each in shown} == {("queued", 2)}
    assert [each["id"] for each in await transfers(world)] == [each["id"] for each in shown][::-1]
    assert world.worker.woken == 1


@each(
    ("change", "status", "sentence"),
    [
        ({"to": []}, 422, "body.to"),
        ({"document_ids": []}, 422, "body.document_ids"),
        ({"to": [BOTH[0], BOTH[0]]}, 422, "a gateway is named twice"),
        ({"to": [BOTH[0], {"peer": "charlie", "recipients": ["zoe"]}]}, 422, "nobody named zoe can receive at charlie"),
        ({"to": [BOTH[0], {"peer": "delta", "recipients": ["zoe"]}]}, 404, "no peer named delta"),
        ({"mode": "sieve", "plain_channels": 3}, 422, "takes at most 2 plain channels"),
    ],
)
async def test_if_one_gateway_cannot_take_it_nothing_is_queued(
    world: World, change: dict[str, Any], status: int, sentence: str
) -> None:
    asked = {"document_ids": [await world.upload(MARKED)], "to": BOTH, **change}
    async with world.client("anna") as api:
        answer = await api.post("/sends", json=asked)
    assert answer.status_code == status, answer.text
    assert sentence in answer.json()["detail"]
    assert await transfers(world) == []


async def test_one_gateway_that_is_down_does_not_stop_the_other(world: World, charlie: FakeLink) -> None:
    charlie.reachable = False
    async with world.client("anna") as api:
        answer = await api.post("/sends", json={"document_ids": [await world.upload(MARKED)], "to": BOTH})
    assert [each["state"] for each in answer.json()["transfers"]] == ["queued", "queued"]


async def test_the_last_recipients_come_first(world: World) -> None:
    document_id = await world.upload(MARKED)
    async with world.client("anna") as api:
        for to in ([BOTH[1]], BOTH[:1], [{"peer": "bravo", "recipients": ["bob"]}]):
            assert (await api.post("/sends", json={"document_ids": [document_id], "to": to})).status_code == 202
        recent = (await api.get("/recipients/recent")).json()
    assert recent == [
        {"peer": "bravo", "name": "bob"},
        {"peer": "bravo", "name": "berta"},
        {"peer": "charlie", "name": "carla"},
    ]
    async with world.client("adam") as api:
        assert (await api.get("/recipients/recent")).json() == []


async def test_an_author_keeps_groups_of_recipients(world: World) -> None:
    berta, carla = {"peer": "bravo", "name": "berta"}, {"peer": "charlie", "name": "carla"}
    async with world.client("anna") as api:
        made = await api.post("/recipient-groups", json={"name": " Crisis team ", "members": [berta, carla, berta]})
        assert made.status_code == 201, made.text
        group = made.json()
        assert (group["name"], group["members"]) == ("Crisis team", [berta, carla])
        again = await api.post("/recipient-groups", json={"name": "Crisis team", "members": [carla]})
        assert (again.status_code, again.json()["detail"]) == (
            409,
            "you have a group named Crisis team already; choose another name",
        )
        path = f"/recipient-groups/{group['id']}"
        assert (await api.patch(path, json={"name": "Harbour"})).json()["members"] == [berta, carla]
        assert (await api.patch(path, json={"members": [carla]})).json()["name"] == "Harbour"
        assert (await api.patch(path, json={"name": "\u202e"})).status_code == 422
        assert (await api.get("/recipient-groups")).json() == [
            {"id": group["id"], "name": "Harbour", "members": [carla]}
        ]
    async with world.client("adam") as api:
        assert (await api.get("/recipient-groups")).json() == []
        assert (await api.patch(path, json={"name": "Mine"})).status_code == 404
        assert (await api.delete(path)).status_code == 404
    async with world.client("anna") as api:
        assert (await api.delete(path)).status_code == 204
        assert (await api.get("/recipient-groups")).json() == []
