"""Deleted entries and drafts can be restored until retention removes them; deleted forever, they are gone at once."""

from dataclasses import replace

from sieve.gateway.clock import Clock, now_ns
from sieve.gateway.documents.retention import DAY_NS, Retention
from sieve.store.models import Transfer
from sieve.store.queries.conditional_update import update_where
from web.draft_calls import SECOND, create, save, send
from web_world import World

MARKED = b"<$S>Operation Heron<$E> begins at <$S>0415<$E>. Weather: fair."


def in_days(world: World, days: int) -> Retention:
    services = world.services
    later = now_ns() + days * DAY_NS
    return Retention(services.database, services.blobs, services.announcements, None, Clock(lambda: later, lambda: 0))


async def test_a_deleted_entry_is_kept_sealed_and_restored(world: World) -> None:
    transfer_id = await world.deliver(MARKED, to=["bruno"])
    before = {path: path.read_bytes() for path in world.blob_files()}
    async with world.client("bruno") as api:
        entry = (await api.get(f"/inbox/{transfer_id}")).json()
        assert (await api.delete(f"/inbox/{transfer_id}")).status_code == 204
        for method, path in (("GET", ""), ("GET", "/content"), ("GET", "/receipt"), ("DELETE", "")):
            assert (await api.request(method, f"/inbox/{transfer_id}{path}")).status_code == 404
        assert (await api.get("/inbox")).json()["items"] == []
        [deleted] = (await api.get("/inbox", params={"deleted": True})).json()["items"]
        assert (deleted["id"], entry["deleted_at"], entry["kept_until"]) == (entry["id"], None, None)
        assert deleted["deleted_at"] < deleted["kept_until"]
        assert {path: path.read_bytes() for path in world.blob_files()} == before
        assert (await api.post(f"/inbox/{transfer_id}/restore")).json() == entry
        assert (await api.post(f"/inbox/{transfer_id}/restore")).status_code == 404
        assert (await api.get(f"/inbox/{transfer_id}")).json() == entry


async def test_others_neither_see_nor_restore_it(world: World) -> None:
    transfer_id = await world.deliver(MARKED)
    async with world.client("bruno") as bruno, world.client("rosa") as rosa:
        assert (await bruno.delete(f"/inbox/{transfer_id}")).status_code == 204
        assert (await rosa.post(f"/inbox/{transfer_id}/restore")).status_code == 404
        assert (await rosa.get("/inbox?deleted=true")).json()["items"] == []
        assert (await rosa.delete(f"/inbox/{transfer_id}?forever=true")).status_code == 204
        assert len(world.blob_files()) > 0, "bruno can still restore it"
        assert (await bruno.delete(f"/inbox/{transfer_id}?forever=true")).status_code == 204
        assert (await bruno.post(f"/inbox/{transfer_id}/restore")).status_code == 404
    assert len(world.blob_files()) == 0


async def test_the_trash_is_emptied_after_its_days(world: World) -> None:
    kept, deleted = await world.deliver(MARKED), await world.deliver(MARKED)
    draft = await create(world)
    async with world.client("bruno") as api:
        await api.delete(f"/inbox/{deleted}")
    async with world.client("anna") as api:
        await api.delete(f"/drafts/{draft['id']}")
        assert await in_days(world, 29).remove() == 0
        assert await in_days(world, 31).remove() == 2
        assert (await api.post(f"/drafts/{draft['id']}/restore")).status_code == 404
    async with world.client("bruno") as api:
        assert (await api.post(f"/inbox/{deleted}/restore")).status_code == 404
        assert (await api.get(f"/inbox/{kept}")).status_code == 200


async def test_retention_counts_what_is_in_the_trash(world: World) -> None:
    transfer_id = await world.deliver(MARKED, to=["bruno"])
    async with world.client("bruno") as api:
        await api.delete(f"/inbox/{transfer_id}")
        settings = world.services.settings.model_copy(update={"retention_days": 1})
        world.app.state.services = replace(world.services, settings=settings)
        [entry] = (await api.get("/inbox?deleted=true")).json()["items"]
    assert entry["kept_until"] == "2023-11-15T22:13:20Z", "a day after it was received"
    services = world.services
    assert await Retention(services.database, services.blobs, services.announcements, 1).remove() == 1
    assert len(world.blob_files()) == 0


async def test_a_deleted_draft_is_not_there_until_it_is_restored(world: World) -> None:
    made = await create(world)
    path = f"/drafts/{made['id']}"
    async with world.client("anna") as api, world.client("adam") as adam:
        assert (await api.delete(path)).status_code == 204
        assert (await api.get(path)).status_code == (await api.get(f"{path}/content")).status_code == 404
        assert (await save(world, made["id"], 1, SECOND)).status_code == 404
        assert (await api.get("/drafts")).json()["items"] == []
        [deleted] = (await api.get("/drafts?deleted=true")).json()["items"]
        assert deleted["deleted_at"] is not None
        assert (await api.get("/drafts/counts?deleted=true")).json()["drafts"] == 1
        assert (await api.get("/drafts/counts")).json()["drafts"] == 0
        assert (await adam.get("/drafts?deleted=true")).json()["items"] == []
        assert (await adam.post(f"{path}/restore")).status_code == 404
        assert (await api.post(f"{path}/restore")).json() == made
        assert (await save(world, made["id"], 1, SECOND)).status_code == 200
        assert (await api.delete(path)).status_code == (await api.delete(f"{path}?forever=true")).status_code == 204
        assert world.blob_files() == []


async def test_a_draft_that_is_being_sent_stays_where_it_is(world: World) -> None:
    made = await create(world)
    path = f"/drafts/{made['id']}"
    transfer = await send(world, made["document_id"])
    async with world.client("anna") as api:
        assert (await api.delete(path)).status_code == 409
        await api.post(f"/transfers/{transfer}/cancel")
        assert (await api.delete(path)).status_code == 204
        # A failed transfer may be retried from the trash: retention waits for it.
        async with world.database.write() as session:
            await update_where(session, Transfer, Transfer.id == transfer, state="queued")
        assert await in_days(world, 31).remove() == 0
        assert (await api.delete(f"{path}?forever=true")).status_code == 409
        await api.post(f"/transfers/{transfer}/cancel")
        assert await in_days(world, 31).remove() == 1
