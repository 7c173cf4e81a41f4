"""No clock decides what an account opens: what came first is known from what was stored when (ADR 37)."""

import time
from dataclasses import dataclass

import pytest

from browsers import sign_in
from people_world import add_admin
from web.approval_calls import NEW_PASSWORD, SECRET, answer, clear, deliver_now, full, reset, waiting
from web.factor_calls import LOCALHOST, add_app, add_passkey, forget_last_step, local_browser, options_for, with_app
from web_world import World

AHEAD_NS = 3 * 24 * 3600 * 10**9
"""Less than a session's life."""


@dataclass
class Wall:
    """This machine's clock, and how far it is ahead."""

    ahead_ns: int = 0


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Wall:
    wall, real = Wall(), time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + wall.ahead_ns)
    return wall


@pytest.mark.parametrize("ahead_ns", [-AHEAD_NS, AHEAD_NS], ids=["slow", "fast"])
async def test_clearance_by_a_wrong_clock_opens_what_comes_later_and_nothing_else(
    world: World, wall: Wall, ahead_ns: int
) -> None:
    earlier = await deliver_now(world, SECRET)
    wall.ahead_ns = ahead_ns
    await clear(world, "rosa")
    wall.ahead_ns = 0
    later = await deliver_now(world, SECRET)
    async with world.client("rosa") as api:
        assert [await full(api, earlier), await full(api, later)] == [403, 200]


@pytest.mark.parametrize("ahead_ns", [-AHEAD_NS, AHEAD_NS], ids=["slow", "fast"])
async def test_a_reset_by_a_wrong_clock_locks_what_was_there_and_nothing_else(
    world: World, wall: Wall, ahead_ns: int
) -> None:
    async def write(name: str) -> str:
        made = await api.post("/drafts", params={"form": "marked", "name": name}, content=SECRET)
        return str(made.json()["id"])

    async with world.client("anna") as api:
        draft = await write("plan.txt")
    document = await world.upload(SECRET)
    received = await deliver_now(world, SECRET)
    wall.ahead_ns = ahead_ns
    async with reset(world, "anna") as api, reset(world, "bruno") as reader:
        assert (await api.get(f"/drafts/{draft}/content")).status_code == 404
        assert (await api.get(f"/documents/{document}/content")).status_code == 404
        assert await full(reader, received) == 403
        wall.ahead_ns = 0
        for who, browser in (("anna", api), ("bruno", reader)):
            assert (await sign_in(browser, who, NEW_PASSWORD)).status_code == 200
        later = await write("new.txt")
        assert (await api.get(f"/drafts/{later}/content")).status_code == 200
        assert [await full(reader, received), await full(reader, await deliver_now(world, SECRET))] == [403, 200]


@pytest.mark.parametrize("method", ["app", "recovery-code", "passkey"])
async def test_a_factor_added_after_a_reset_by_a_fast_clock_does_not_confirm_it(
    world: World, wall: Wall, method: str
) -> None:
    await add_admin(world, "second")
    earlier = await deliver_now(world, SECRET)
    wall.ahead_ns = AHEAD_NS
    async with reset(world, "bruno", url=LOCALHOST) as intruder:
        wall.ahead_ns = 0
        assert (await sign_in(intruder, "bruno", NEW_PASSWORD)).status_code == 200
        app, codes = await add_app(intruder)
        passkey, _ = await add_passkey(intruder)
    await forget_last_step(world)
    assert codes is not None
    async with local_browser(world) as intruder:
        assert (await sign_in(intruder, "bruno", NEW_PASSWORD)).status_code == 200
        match method:
            case "app":
                given: dict[str, object] = {"code": app.now()}
            case "recovery-code":
                given = {"recovery_code": codes[0]}
            case _:
                given = {"passkey": passkey.get(await options_for(intruder, "factor"))}
        assert (await intruder.post("/session/factor", json=given)).status_code == 200
        assert await full(intruder, earlier) == 403
        # A second admin refuses: what was added since goes.
        assert await answer(world, "second", "refuse") == 204
        again = {"passkey": passkey.get(await options_for(intruder, "sign-in"))}
        assert (await intruder.post("/session/passkey", json=again)).status_code == 401


async def test_a_factor_from_before_a_reset_by_a_slow_clock_confirms_it(world: World, wall: Wall) -> None:
    earlier = await deliver_now(world, SECRET)
    _, codes = await with_app(world, "bruno")
    wall.ahead_ns = -AHEAD_NS
    async with reset(world, "bruno") as owner:
        wall.ahead_ns = 0
        assert (await sign_in(owner, "bruno", NEW_PASSWORD)).status_code == 200
        assert (await owner.post("/session/factor", json={"recovery_code": codes[0]})).status_code == 200
        assert await full(owner, earlier) == 200
    assert await waiting(world) == []


async def test_an_app_that_was_begun_before_a_reset_and_confirmed_after_it_is_newer(world: World) -> None:
    await add_admin(world, "second")
    earlier = await deliver_now(world, SECRET)
    async with reset(world, "bruno", url=LOCALHOST) as owner:
        assert await answer(world, "second") == 204
        begun = (await owner.post("/factors/app")).json()
        async with reset(world, "bruno", url=LOCALHOST) as intruder:
            assert (await intruder.post("/factors/app/confirmation", json={"code": "123456"})).status_code == 409
            app, _ = await add_app(intruder)
            assert begun["secret"] != app.secret
        await forget_last_step(world)
        async with local_browser(world) as intruder:
            await sign_in(intruder, "bruno", NEW_PASSWORD)
            assert (await intruder.post("/session/factor", json={"code": app.now()})).status_code == 200
            assert await full(intruder, earlier) == 403


async def test_what_was_agreed_to_is_forgotten(world: World, wall: Wall) -> None:
    """The next reset and the next clearance begin without marks of the earlier ones."""
    await add_admin(world, "second")
    earlier = await deliver_now(world, SECRET)
    async with reset(world, "bruno", url=LOCALHOST) as owner:
        _, codes = await add_app(owner)
        assert codes is not None and await answer(world, "second") == 204
        async with reset(world, "bruno", url=LOCALHOST) as again:
            assert (await again.post("/session/factor", json={"recovery_code": codes[0]})).status_code == 200
            assert await full(again, earlier) == 200
    await clear(world, "rosa")
    await clear(world, "rosa", cleared=False)
    await clear(world, "rosa")
    assert await answer(world, "second") == 204
    async with world.client("rosa") as api:
        assert await full(api, earlier) == 200
