"""Pairing through the API: invitation, code, confirmation, renewal, removal; and what people may ask of a peer."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from sqlalchemy import func, select

from cases import each
from pki import invitation_of, new_identity
from sieve.gateway.clock import now_ns
from sieve.gateway.peering import directories
from sieve.gateway.peering.invitation import Invitation, comparison_codes
from sieve.gateway.peering.links import RemoteRecipient
from sieve.store.models import PeerDirectory
from sieve.store.queries import peers
from web_world import World


@pytest.fixture(scope="session")
def charlie(identities: Path) -> Invitation:
    return invitation_of(new_identity(identities, "charlie"), "charlie", 9443)


@pytest.fixture(scope="session")
def renewed(identities: Path) -> Invitation:
    """Charlie's, with another key."""
    return invitation_of(new_identity(identities, "charlie-renewed"), "charlie", 9543)


async def test_two_admins_pair(world: World, ours: Invitation, charlie: Invitation) -> None:
    async with world.client("root") as api:
        assert (await api.get("/peers/invitation")).json() == {"invitation": ours.to_text()}
        added = await api.post("/peers", json={"invitation": charlie.to_text()})
        codes = comparison_codes(ours, charlie)
        assert (added.status_code, added.json()) == (201, {"name": "charlie", "code": codes.ours})
        assert (await api.get("/peers/charlie/code")).json()["code"] == codes.ours
        own = await api.post("/peers/charlie/confirm", json={"code": codes.ours})
        assert own.status_code == 409 and "the code of this gateway" in own.json()["detail"]
        assert (await api.get("/peers/charlie")).json()["state"] == "unconfirmed"
        wrong = await api.post("/peers/charlie/confirm", json={"code": "AAAAA-AAAAA-AAAAA-AAAAA"})
        assert wrong.status_code == 409 and "changed an invitation" in wrong.json()["detail"]
        right = await api.post("/peers/charlie/confirm", json={"code": codes.theirs.lower()})
        assert right.json()["state"] == "active"


async def test_nothing_is_sent_to_an_unconfirmed_peer(world: World, charlie: Invitation) -> None:
    document_id = await world.upload(b"a")
    async with world.client("root") as root, world.client("anna") as anna:
        await root.post("/peers", json={"invitation": charlie.to_text()})
        asked = {"document_id": document_id, "peer": "charlie", "recipients": ["x"]}
        assert (await anna.post("/transfers", json=asked)).status_code == 409
        assert (await anna.get("/peers/charlie/recipients")).status_code == 409


async def test_no_key_joins_that_of_a_peer_whose_code_nobody_compared(
    world: World, ours: Invitation, charlie: Invitation, renewed: Invitation
) -> None:
    given, said = {"invitation": renewed.to_text()}, {"code": comparison_codes(ours, renewed).theirs}
    async with world.client("root") as api:
        # Somebody on the way put an invitation of their own in place of the other admin's.
        await api.post("/peers", json={"invitation": charlie.to_text()})
        differs = await api.post("/peers/charlie/confirm", json=said)
        assert differs.status_code == 409 and "changed an invitation" in differs.json()["detail"]
        refused = [
            await api.post("/peers", json=given),
            await api.post("/peers/charlie/renewal-code", json=given),
            await api.post("/peers/charlie/renew", json=given | said),
        ]
        assert {answer.status_code for answer in refused} == {409}
        assert {answer.json()["detail"] for answer in refused} == {
            "the pairing with charlie is not confirmed; remove the peer, then add the new invitation"
        }
        assert (await api.get("/peers/charlie")).json()["pins"] == [charlie.pin]
        await api.delete("/peers/charlie")
        await api.post("/peers", json=given)
        assert (await api.post("/peers/charlie/confirm", json=said)).json()["pins"] == [renewed.pin]


async def test_confirming_ends_every_key_but_the_one_that_the_code_covers(
    world: World, ours: Invitation, charlie: Invitation, renewed: Invitation
) -> None:
    async with world.client("root") as api:
        await api.post("/peers", json={"invitation": charlie.to_text()})
        peer = world.services.peers.by_name("charlie")
        assert peer is not None
        # As gateways stored it until they refused to.
        async with world.database.write() as session:
            await peers.renew(
                session,
                peer.id,
                secure_url=renewed.secure_url,
                plain_url=renewed.plain_url,
                ca_der=renewed.ca_der,
                receipt_key=renewed.receipt_key,
                pin=renewed.pin,
                now_ns=now_ns(),
            )
        said = {"code": comparison_codes(ours, renewed).theirs}
        assert (await api.post("/peers/charlie/confirm", json=said)).json()["pins"] == [renewed.pin]


async def test_renewal_lets_two_keys_overlap(
    world: World, ours: Invitation, charlie: Invitation, renewed: Invitation
) -> None:
    async with world.client("root") as api:
        await api.post("/peers", json={"invitation": charlie.to_text()})
        await api.post("/peers/charlie/confirm", json={"code": comparison_codes(ours, charlie).theirs})
        given = {"invitation": renewed.to_text()}
        wrong = await api.post("/peers/charlie/renew", json=given | {"code": "00000-00000-00000-00000"})
        assert wrong.status_code == 409 and "not the code of charlie" in wrong.json()["detail"]
        assert (await api.get("/peers/charlie")).json()["pins"] == [charlie.pin]
        codes = comparison_codes(ours, renewed)
        assert (await api.post("/peers/charlie/renewal-code", json=given)).json()["code"] == codes.ours
        own = await api.post("/peers/charlie/renew", json=given | {"code": codes.ours})
        assert own.status_code == 409 and "the code of this gateway" in own.json()["detail"]
        two = await api.post("/peers/charlie/renew", json=given | {"code": codes.theirs.lower()})
        assert set(two.json()["pins"]) == {charlie.pin, renewed.pin}
        assert two.json()["secure_url"] == renewed.secure_url
        again = await api.post("/peers/charlie/confirm", json={"code": codes.theirs})
        assert set(again.json()["pins"]) == {charlie.pin, renewed.pin}
        one = await api.delete(f"/peers/charlie/pins/{charlie.pin}")
        assert one.json()["pins"] == [renewed.pin]
        last = await api.delete(f"/peers/charlie/pins/{renewed.pin}")
        assert last.status_code == 409 and "only key" in last.json()["detail"]


async def test_a_removed_peer_is_gone(world: World) -> None:
    async with world.client("root") as api:
        assert (await api.delete("/peers/bravo")).status_code == 204
        assert (await api.get("/peers")).json() == []
        assert (await api.delete("/peers/bravo")).status_code == 404


@each("text", ["", "hello", "sieve-invitation-2.", "sieve-invitation-2.e30", "sieve-invitation-9.x"])
async def test_what_is_no_invitation(world: World, text: str) -> None:
    async with world.client("root") as api:
        answer = await api.post("/peers", json={"invitation": text})
    assert answer.status_code == 422
    assert "invitation" in answer.json()["detail"]


async def test_our_own_invitation_is_refused(world: World, ours: Invitation) -> None:
    async with world.client("root") as api:
        answer = await api.post("/peers", json={"invitation": ours.to_text()})
    assert answer.status_code == 409
    assert "own" in answer.json()["detail"]


async def test_a_peers_sign_of_life(world: World) -> None:
    async with world.client("root") as api:
        alive = (await api.post("/peers/bravo/test")).json()
        world.links.link.reachable = False
        dead = await api.post("/peers/bravo/test")
    assert alive["latency_ms"] >= 0
    assert (alive["versions"], alive["max_document_bytes"]) == ([1], 1000)
    assert dead.status_code == 502
    assert dead.json()["detail"] == "bravo cannot be reached: the connection was refused"


async def test_authors_look_up_recipients(world: World) -> None:
    async with world.client("anna") as api:
        found = (await api.get("/peers/bravo/recipients")).json()
        assert (await api.get("/peers/delta/recipients")).status_code == 404
    assert found == {
        "recipients": [
            {"name": "berta", "display_name": "Berta", "unit": "Harbour office", "cleared": True},
            {"name": "bob", "display_name": "Bob", "unit": None, "cleared": False},
        ],
        "takes_notes": False,
        "as_of": None,
    }


async def test_a_peer_that_is_down_has_its_last_known_directory(world: World) -> None:
    async with world.client("anna") as api, world.client("root") as root:
        world.links.link.reachable = False
        never = await api.get("/peers/bravo/recipients")
        unknown = (await api.get("/peers/bravo/recipients/known")).json()
        world.links.link.reachable = True
        before = (await api.get("/peers/bravo/recipients")).json()
        world.links.link.reachable = False
        down = (await api.get("/peers/bravo/recipients")).json()
        known = (await api.get("/peers/bravo/recipients/known")).json()
        plan = (await api.get("/peers/bravo/plan?bytes=100&classified=1")).json()
        await root.delete("/peers/bravo")
        async with world.services.database.read() as session:
            assert await session.scalar(select(func.count()).select_from(PeerDirectory)) == 0
    assert never.status_code == 502
    assert down["recipients"] == before["recipients"]
    assert (unknown, known) == (None, down)
    assert datetime.fromisoformat(down["as_of"]) <= datetime.now(UTC)
    assert (plan["most_secure"], plan["most_plain"]) == (2, 2)


async def test_an_author_does_not_wait_for_a_peer_that_hangs(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def hangs(names: object = None, trace: object = None) -> list[RemoteRecipient]:
        await asyncio.Event().wait()
        raise AssertionError("it never answers")

    document_id = await world.upload(b"a")
    async with world.client("anna") as api:
        before = (await api.get("/peers/bravo/recipients")).json()
        monkeypatch.setattr(directories, "ANSWER_S", 0.01)
        monkeypatch.setattr(world.links.link, "recipients", hangs)
        assert (await api.get("/peers/bravo/recipients")).json()["recipients"] == before["recipients"]
        # The list to choose from meanwhile asks nobody.
        assert (await api.get("/peers/bravo/recipients/known")).json()["recipients"] == before["recipients"]
        asked = {"document_id": document_id, "peer": "bravo", "recipients": ["berta"]}
        assert (await api.post("/transfers", json=asked)).status_code in (200, 201, 202)


async def test_the_gateway_says_who_it_is(world: World, ours: Invitation) -> None:
    async with world.client("nobody") as api:
        told = (await api.get("/gateway")).json()
    assert told["name"] == "alpha"
    assert told["listeners"] == {"web": "127.0.0.1:1", "secure": "127.0.0.1:2", "plain": "127.0.0.1:3"}
    assert (told["pin"], told["receipt_key"]) == (ours.pin, ours.receipt_key.hex())


async def test_a_plan_has_an_estimate_and_its_reason(world: World) -> None:
    async with world.client("anna") as api:
        answer = await api.get("/peers/bravo/plan", params={"bytes": 10_000_000, "classified": 1_000_000})
        found = answer.json()
        wide = (await api.get("/peers/bravo/plan?bytes=100&classified=1&mode=sieve&secure_channels=2")).json()
        secure = (await api.get("/peers/bravo/plan?bytes=10000000&classified=1000000&mode=secure-only")).json()
        too_wide = await api.get("/peers/bravo/plan?bytes=100&classified=1&mode=sieve&secure_channels=3")
        world.links.link.reachable = False
        away = await api.get("/peers/bravo/plan?bytes=10000000&classified=1000000")
        missing = await api.get("/peers/delta/plan?bytes=1&classified=1")
    assert answer.status_code == 200
    estimate = found["estimate"]
    assert (estimate["reason"], estimate["measured"]) == ("faster", False)
    assert (found["mode"], found["secure_channels"], found["plain_channels"], found["split"]) == (
        "sieve",
        1,
        1,
        "range",
    )
    assert 0 < estimate["predicted_ms"] < estimate["other_ms"]
    assert found["setup_ms"] > 0
    assert estimate["break_even"] in ("always", "never") or 0 <= estimate["break_even"] <= 1
    assert (wide["secure_channels"], wide["plain_channels"], wide["estimate"]["reason"]) == (2, 1, "requested")
    assert (secure["mode"], secure["plain_channels"]) == ("secure-only", 0)
    assert (secure["secure_channels"], secure["estimate"]["reason"]) == (1, "requested")
    assert (found["most_secure"], found["most_plain"]) == (2, 2)
    assert (away.json()["estimate"], away.json()["most_secure"]) == (estimate, 1)
    assert missing.status_code == 404
    # As sending it would be.
    assert (too_wide.status_code, too_wide.json()["detail"]) == (
        422,
        "bravo takes at most 2 secure channels for a transfer, not 3",
    )


@each(
    "query",
    [
        "",
        "bytes=1",
        "bytes=1&classified=2",
        "bytes=-1&classified=0",
        "bytes=x&classified=0",
        "bytes=1&classified=1&mode=fast",
    ],
)
async def test_a_plan_of_nonsense_is_refused(world: World, query: str) -> None:
    async with world.client("anna") as api:
        assert (await api.get(f"/peers/bravo/plan?{query}")).status_code == 422


async def test_admins_see_when_a_peer_was_last_in_contact(world: World) -> None:
    bravo = world.services.peers.by_name("bravo")
    assert bravo is not None
    async with world.client("root") as api:

        async def contact() -> dict[str, Any]:
            answer = (await api.get("/peer-contacts")).json()
            expires_at = world.services.identity.expires_at
            assert datetime.fromisoformat(answer["own_certificate_until"]) == expires_at
            [shown] = answer["peers"]
            return cast(dict[str, Any], shown)

        unknown = await contact()
        assert unknown.pop("name") == "bravo" and set(unknown.values()) == {None}
        contacts = world.services.contacts
        contacts.reached(bravo.id)
        contacts.answered(bravo.id, 1_250)
        contacts.speaks(bravo.id, 2)
        shown = await contact()
        assert shown["last_seen_at"] == shown["reached_at"] is not None
        assert (shown["heard_at"], shown["latency_ms"], shown["protocol"]) == (None, 1.25, 2)
