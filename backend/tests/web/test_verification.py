"""Verifying a delivery again: the checks of the stored bytes, for each reader, and reports of damage."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import select, update

from sieve.gateway.documents import verification as verifying
from sieve.gateway.documents.verification import Verification
from sieve.gateway.peering.identity import Identity
from sieve.store.blobs import BlobStore
from sieve.store.models import Blob, Document, Peer, Received, Transfer
from sieve.web.inbox import router as inbox_router
from sieve.web.transfers import router as transfers_router
from web_world import World

MARKED = b"The meeting is <$S>at noon<$E> in room <$S>7<$E>."
WHOLE = ["signature", "transfer", "manifest_digest", "plain_digest", "classified_digest", "document_digest"]


async def verification(world: World, who: str, path: str) -> dict[str, Any]:
    async with world.client(who) as api:
        answer = await api.get(f"{path}/verification")
    assert answer.status_code == 200, answer.text
    shown = answer.json()
    assert shown["valid"] is all(check["ok"] for check in shown["checks"])
    assert all(check["says"].endswith(".") for check in shown["checks"])
    return dict(shown)


def failed(shown: dict[str, Any]) -> list[str]:
    return [check["name"] for check in shown["checks"] if not check["ok"]]


async def blob_of(world: World, document_id: str, kind: str) -> Path:
    async with world.database.read() as session:
        row = (await session.scalars(select(Document).where(Document.id == document_id))).one()
    blob_id = row.plain_blob_id if kind == "plain" else row.sealed_blob_id
    return world.blobs_folder / blob_id[:2] / blob_id


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[2] ^= 1
    path.write_bytes(data)


async def document_of_entry(world: World, transfer_id: str) -> str:
    async with world.database.read() as session:
        found = await session.scalar(select(Received.document_id).where(Received.transfer_id == transfer_id))
    assert found is not None
    return found


async def sent(world: World) -> tuple[str, str]:
    """A delivered transfer and its document."""
    transfer_id = await world.send(MARKED)
    await world.settle_delivered(transfer_id)
    async with world.client("anna") as api:
        return transfer_id, str((await api.get(f"/transfers/{transfer_id}")).json()["document_id"])


async def test_an_author_and_an_admin_see_that_all_of_it_fits(world: World) -> None:
    transfer_id, _ = await sent(world)
    for who in ("anna", "root"):
        shown = await verification(world, who, f"/transfers/{transfer_id}")
        assert shown["valid"] is True
        assert [check["name"] for check in shown["checks"]] == WHOLE
        assert shown["signer"] == "bravo"
        assert shown["key"] == world.bravo_key.public_key().public_bytes_raw().hex()


async def test_others_transfers_and_ones_without_a_receipt_have_none(world: World) -> None:
    waiting = await world.send(MARKED)
    async with world.client("anna") as anna, world.client("adam") as adam:
        early = await anna.get(f"/transfers/{waiting}/verification")
        assert (await adam.get(f"/transfers/{waiting}/verification")).status_code == 404
    assert early.status_code == 404
    assert "queued" in early.json()["detail"]


async def test_the_cleared_see_all_checks_of_what_they_received(world: World) -> None:
    transfer_id = await world.deliver(MARKED)
    shown = await verification(world, "bruno", f"/inbox/{transfer_id}")
    assert shown["valid"] is True
    assert [check["name"] for check in shown["checks"]] == WHOLE
    assert shown["signer"] == "alpha"
    assert shown["key"] == world.services.identity.receipt_public_key.hex()
    async with world.client("otto") as api:
        assert (await api.get(f"/inbox/{transfer_id}/verification")).status_code == 404


async def test_for_the_uncleared_nothing_of_what_is_classified_is_read(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    transfer_id = await world.deliver(MARKED)

    def refused(*_: object) -> None:
        raise AssertionError("a sealed blob is opened")

    monkeypatch.setattr(BlobStore, "open_sealed", refused)
    (await blob_of(world, await document_of_entry(world, transfer_id), "sealed")).unlink()
    shown = await verification(world, "rosa", f"/inbox/{transfer_id}")
    assert shown["valid"] is True
    assert [check["name"] for check in shown["checks"]] == ["signature", "plain_digest"]


async def test_the_uncleared_see_the_same_whatever_is_classified(world: World) -> None:
    answers = []
    for hidden in (b"x", b"y" * 5000):
        transfer_id = await world.deliver(b"plain <$S>" + hidden + b"<$E> plain")
        answers.append(await verification(world, "rosa", f"/inbox/{transfer_id}"))
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [("plain", ["plain_digest", "document_digest"]), ("sealed", ["classified_digest", "document_digest"])],
)
async def test_bytes_that_changed_on_the_disk_are_found(world: World, kind: str, wrong: list[str]) -> None:
    received = await world.deliver(MARKED)
    transfer_id, document_id = await sent(world)
    for who, path, document in (
        ("anna", f"/transfers/{transfer_id}", document_id),
        ("bruno", f"/inbox/{received}", await document_of_entry(world, received)),
    ):
        flip(await blob_of(world, document, kind))
        assert failed(await verification(world, who, path)) == wrong
    plain_alone = await verification(world, "rosa", f"/inbox/{received}")
    assert failed(plain_alone) == (["plain_digest"] if kind == "plain" else [])


async def test_a_missing_file_is_an_answer_and_no_error(world: World) -> None:
    transfer_id, document_id = await sent(world)
    (await blob_of(world, document_id, "plain")).unlink()
    shown = await verification(world, "anna", f"/transfers/{transfer_id}")
    assert failed(shown) == ["plain_digest", "document_digest"]


async def test_a_damaged_manifest_leaves_the_plain_part_to_be_checked(world: World) -> None:
    transfer_id, _ = await sent(world)
    async with world.database.write() as session:
        transfer = await session.get_one(Transfer, transfer_id)
        manifest = await session.get_one(Blob, transfer.manifest_blob_id)
        assert manifest.content is not None
        manifest.content = bytes(len(manifest.content))
    shown = await verification(world, "anna", f"/transfers/{transfer_id}")
    assert failed(shown) == ["manifest_digest", "classified_digest", "document_digest"]


async def test_of_a_deleted_document_the_receipt_can_still_be_checked(world: World) -> None:
    transfer_id, document_id = await sent(world)
    async with world.client("anna") as api:
        assert (await api.delete(f"/documents/{document_id}")).status_code == 204
    shown = await verification(world, "anna", f"/transfers/{transfer_id}")
    assert shown["valid"] is True
    assert [check["name"] for check in shown["checks"]] == WHOLE[:2]
    assert "deleted" in shown["checks"][-1]["says"]


async def test_a_document_that_is_deleted_while_it_is_read_is_not_damaged(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    transfer_id, document_id = await sent(world)
    received_id = await world.deliver(MARKED, to=["bruno"])
    computed, loop = verifying.of_whole, asyncio.get_running_loop()

    def deleted_first(router: Any, who: str, path: str) -> None:
        async def delete() -> None:
            async with world.client(who) as api:
                assert (await api.delete(path)).status_code == 204

        def then_computed(*arguments: Any) -> Verification:
            if arguments[-1] is not None:
                asyncio.run_coroutine_threadsafe(delete(), loop).result(10)
            return computed(*arguments)

        monkeypatch.setattr(router, "of_whole", then_computed)

    deleted_first(transfers_router, "anna", f"/documents/{document_id}")
    shown = await verification(world, "anna", f"/transfers/{transfer_id}")
    assert (shown["valid"], [check["name"] for check in shown["checks"]]) == (True, WHOLE[:2])
    deleted_first(inbox_router, "bruno", f"/inbox/{received_id}?forever=true")
    async with world.client("bruno") as api:
        assert (await api.get(f"/inbox/{received_id}/verification")).status_code == 404


async def test_a_changed_receipt_is_found(world: World) -> None:
    transfer_id, _ = await sent(world)
    async with world.database.write() as session:
        row = await session.get_one(Transfer, transfer_id)
        receipt = json.loads(row.receipt or "")
        receipt["receipt"]["size"] += 1
        await session.execute(update(Transfer).where(Transfer.id == transfer_id).values(receipt=json.dumps(receipt)))
    assert failed(await verification(world, "anna", f"/transfers/{transfer_id}")) == ["signature"]


async def test_a_receipt_for_another_transfer_is_found(world: World) -> None:
    transfer_id, _ = await sent(world)
    other, _ = await sent(world)
    async with world.database.write() as session:
        row = await session.get_one(Transfer, other)
        await session.execute(update(Transfer).where(Transfer.id == transfer_id).values(receipt=row.receipt))
    shown = await verification(world, "anna", f"/transfers/{transfer_id}")
    assert {"transfer", "manifest_digest", "classified_digest", "document_digest"} <= set(failed(shown))


async def test_an_earlier_key_of_the_peer_is_reported(world: World) -> None:
    transfer_id, _ = await sent(world)
    another = Ed25519PrivateKey.generate().public_key().public_bytes_raw()
    async with world.database.write() as session:
        await session.execute(update(Peer).values(receipt_key=another))
    shown = await verification(world, "anna", f"/transfers/{transfer_id}")
    assert failed(shown) == ["signature"]
    assert shown["key"] == world.bravo_key.public_key().public_bytes_raw().hex()


async def test_a_receipt_of_this_gateway_stays_valid_after_its_key_changed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    transfer_id = await world.deliver(MARKED)
    before = world.services.identity.receipt_public_key
    another = Ed25519PrivateKey.generate().public_key().public_bytes_raw()
    monkeypatch.setattr(Identity, "receipt_public_key", property(lambda _: another))
    assert failed(await verification(world, "bruno", f"/inbox/{transfer_id}")) == ["signature"]
    monkeypatch.setattr(Identity, "earlier_receipt_public_keys", property(lambda _: {before}))
    for who in ("bruno", "rosa"):
        shown = await verification(world, who, f"/inbox/{transfer_id}")
        assert shown["valid"] and "with an earlier key" in shown["checks"][0]["says"]
