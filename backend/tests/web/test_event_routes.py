"""Everything that changes for me, over a real connection: mine alone, at once, and no longer than I am signed in."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from browsers import signed_in
from sieve.gateway.telemetry.progress import Progress
from web.served import Served, served
from web_world import World

MARKED = b"plain <$S>secret<$E> plain"
OFTEN_S = 0.02


@pytest.fixture
async def there(world: World) -> AsyncIterator[Served]:
    async with served(world) as there:
        yield there


async def change(world: World, who: str, **values: object) -> None:
    async with world.client("root") as api:
        answer = await api.patch(f"/people/{world.people[who].id}", json=values)
    assert answer.status_code == 200, answer.text


async def test_hello_comes_first_and_pings_continue(world: World) -> None:
    async with served(world, ping_s=OFTEN_S) as there:
        for who in ("anna", "rosa", "root", "nobody"):
            async with there.listening(who) as listener:
                assert await listener.next() == ("hello", {})
                assert await listener.next() == ("ping", {})
                assert await listener.next() == ("ping", {})


async def test_nobody_listens_unseen(there: Served) -> None:
    async with there.world.client() as api:
        assert (await api.get("/events")).status_code == 401


async def test_my_transfers_from_the_first_moment_to_the_last(there: Served) -> None:
    world = there.world
    async with there.listening("anna") as listener:
        await listener.until("hello")
        transfer_id = await world.send(MARKED)
        told = await listener.until("transfer")
        assert (told["transfer_id"], told["state"], told["secure_total"]) == (transfer_id, "queued", 0)
        under_way = Progress(transfer_id, "sending", secure_sent=3, secure_total=6, plain_sent=12, plain_total=12)
        world.services.progress.publish(under_way, world.people["anna"].id)
        told = await listener.until("transfer")
        assert (told["state"], told["secure_sent"], told["plain_total"]) == ("sending", 3, 12)
        await world.settle_delivered(transfer_id)
        told = await listener.until("transfer")
        assert (told["state"], told["verified"]) == ("delivered", True)
        async with world.client("anna") as api:
            watched = await api.get(f"/transfers/{transfer_id}/events")
        assert told == json.loads(watched.text.split("data: ")[1])


async def test_a_cancelled_and_a_requeued_one_and_one_whose_peer_went(there: Served) -> None:
    world = there.world
    transfer_id, other = await world.send(MARKED), await world.send(MARKED)
    world.services.peers.on_failed.append(
        lambda failed: world.services.progress.publish(Progress(failed.id, "failed"), failed.author_id)
    )
    async with there.listening("anna") as listener, world.client("anna") as api, world.client("root") as root:
        await listener.until("hello")
        await api.post(f"/transfers/{transfer_id}/requeue")
        assert (await listener.until("transfer"))["state"] == "queued"
        await api.post(f"/transfers/{transfer_id}/cancel")
        assert (await listener.until("transfer"))["state"] == "cancelled"
        await root.delete("/peers/bravo")
        told = await listener.until("transfer")
        assert (told["transfer_id"], told["state"]) == (other, "failed")
        assert "pairing" in told["reason"]


async def test_nobody_elses(there: Served) -> None:
    """Not another author's, nor an admin's stream, who may see them all when they ask."""
    world = there.world
    async with AsyncExitStack() as stack:
        listeners = [await stack.enter_async_context(there.listening(who)) for who in ("adam", "root", "bruno")]
        for listener in listeners:
            await listener.until("hello")
        await world.send(MARKED)
        async with world.client("anna") as api:
            made = await api.post("/drafts", params={"form": "marked", "name": "a"}, content=MARKED)
            await api.delete(f"/drafts/{made.json()['id']}")
        await there.settle()
        for listener in listeners:
            assert await listener.to_the_end() == [("hello", {})]


async def test_drafts_in_every_tab_with_the_revision_that_is_there(there: Served) -> None:
    world = there.world
    async with there.listening("anna") as one, there.listening("anna") as two, world.client("anna") as api:
        await one.until("hello"), await two.until("hello")
        made = await api.post("/drafts", params={"form": "marked", "name": "a"}, content=MARKED)
        draft_id = made.json()["id"]
        path, form = f"/drafts/{draft_id}", {"form": "marked"}
        for tab in (one, two):
            assert await tab.until("draft") == {"id": draft_id, "revision": 1}
        await api.put(path, params=form, headers={"If-Match": '"1"'}, content=MARKED)
        assert await one.until("draft") == {"id": draft_id, "revision": 2}
        assert (await api.put(path, params=form, headers={"If-Match": '"1"'}, content=MARKED)).status_code == 412
        await api.patch(path, headers={"If-Match": '"2"'}, json={"name": "b"})
        assert await one.until("draft") == {"id": draft_id, "revision": 3}
        await api.delete(path)
        assert await one.until("draft") == {"id": draft_id, "revision": None}
        await there.settle()
        told = [data["revision"] for kind, data in await two.to_the_end() if kind == "draft"]
        # A tab that reads slowly may skip what was not true any more, and never the last.
        assert told[0] == 1 and told[-1] is None


async def test_my_inbox_when_it_is_read_or_cleared_in_another_tab(there: Served) -> None:
    world = there.world
    transfer_id = await world.deliver(MARKED)
    async with there.listening("rosa") as rosa, there.listening("bruno") as bruno, world.client("rosa") as api:
        await rosa.until("hello"), await bruno.until("hello")
        await api.get(f"/inbox/{transfer_id}/content?edition=gaps")
        assert await rosa.until("inbox") == {}
        await api.delete(f"/inbox/{transfer_id}")
        assert await rosa.until("inbox") == {}
        await there.settle()
        assert await bruno.to_the_end() == [("hello", {})]


async def test_nothing_that_a_recipient_hears_depends_on_what_is_hidden(there: Served) -> None:
    world = there.world
    heard = []
    for hidden in (b"<$S>a<$E>", b"<$S>" + b"long " * 50_000 + b"<$E><$S><$E>"):
        async with there.listening("rosa") as rosa, world.client("rosa") as api:
            await rosa.until("hello")
            transfer_id = await world.deliver(b"before " + hidden + b" after")
            world.services.announcements.inbox_changed([world.people["rosa"].id])
            await rosa.until("inbox")
            await api.get(f"/inbox/{transfer_id}/content?edition=redacted")
            await rosa.until("inbox")
            await api.delete(f"/inbox/{transfer_id}")
            await rosa.until("inbox")
            await there.settle()
            await rosa.to_the_end()
            heard.append(rosa.raw)
    assert heard[0] == heard[1] == ["hello data: {}", *["inbox data: {}"] * 3]


async def test_a_role_that_is_taken_away_takes_its_events(there: Served) -> None:
    world = there.world
    transfer_id = await world.send(MARKED)
    anna_id, rosa_id = world.people["anna"].id, world.people["rosa"].id
    async with there.listening("anna") as anna, there.listening("rosa") as rosa:
        await anna.until("hello"), await rosa.until("hello")
        await change(world, "anna", is_author=False, is_recipient=True)
        await change(world, "rosa", is_recipient=False, is_author=True)
        # Everything known may be out of date now.
        await anna.until("hello"), await rosa.until("hello")
        for person_id in (anna_id, rosa_id):
            world.services.progress.publish(Progress(transfer_id, "sending", plain_sent=1), person_id)
            world.services.announcements.draft_changed(person_id, "0" * 32)
        world.services.announcements.inbox_changed([rosa_id])
        await there.settle()
        assert await anna.to_the_end() == [("hello", {})] * 2
        # An author by now, rosa hears of a draft that is gone; but of no transfer that another sent.
        assert await rosa.to_the_end() == [("hello", {})] * 2 + [("draft", {"id": "0" * 32, "revision": None})]


async def test_a_role_counts_from_the_next_event_on(there: Served) -> None:
    world = there.world
    transfer_id = await world.send(MARKED)
    await change(world, "anna", is_author=False, is_recipient=True)
    async with there.listening("anna") as listener:
        await listener.until("hello")
        await change(world, "anna", is_author=True)
        await listener.until("hello")
        world.services.progress.publish(Progress(transfer_id, "sending", plain_sent=2), world.people["anna"].id)
        assert (await listener.until("transfer"))["plain_sent"] == 2


async def test_an_account_that_is_disabled_gets_nothing_more(there: Served) -> None:
    async with there.listening("anna") as listener:
        await listener.until("hello")
        await change(there.world, "anna", disabled=True)
        assert await listener.to_the_end() == [("hello", {})]


async def test_a_token_that_is_revoked_ends_the_stream_at_the_next_ping(world: World) -> None:
    async with served(world, ping_s=OFTEN_S) as there, there.listening("anna") as listener, world.client("anna") as api:
        await listener.until("hello")
        for token in (await api.get("/tokens")).json():
            await api.delete(f"/tokens/{token['id']}")
        assert await listener.to_the_end() == [("hello", {})]


@pytest.mark.parametrize("path", ["/session", "/sessions"])
async def test_signing_out_ends_the_stream_at_once(there: Served, path: str) -> None:
    async with signed_in(there.world) as browser:
        cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        async with there.listening(None, headers={"Cookie": cookie}) as listener:
            await listener.until("hello")
            assert (await browser.delete(path)).status_code == 204
            assert await listener.to_the_end() == [("hello", {})]


async def test_who_goes_away_leaves_nothing_behind(there: Served) -> None:
    async with there.listening("anna") as listener:
        await listener.until("hello")
        assert there.world.services.announcements.watchers
    async with asyncio.timeout(10):
        while there.world.services.announcements.watchers:
            await asyncio.sleep(0.01)


async def test_open_streams_do_not_hold_up_the_stop(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """Left alone, the server would wait for them for three seconds, and cut them then."""
    transfer_id = await world.send(MARKED)
    async with served(world) as there, AsyncExitStack() as stack:
        listeners = [
            await stack.enter_async_context(there.listening("anna", path))
            for path in ["/events"] * 3 + [f"/transfers/{transfer_id}/events"] * 2
        ]
        for listener in listeners:
            await listener.next()
        stopping = asyncio.create_task(there.stop())
        for listener in listeners:
            await listener.to_the_end()  # whole: a connection that was cut would raise
        await stopping
        assert not there.http.server_state.tasks
    assert "graceful shutdown exceeded" not in caplog.text
