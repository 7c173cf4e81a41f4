"""Second factors and links: no way in that one admin gave, or kept, opens what an account held before (ADR 37, 38)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pyotp
import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from browsers import browser, sign_in, who_is
from people_world import add_admin
from sieve.store.queries import factors, people
from soft_authenticator import SoftAuthenticator
from web.approval_calls import NEW_PASSWORD, SECRET, answer, clear, full, reset, waiting
from web.factor_calls import (
    LOCALHOST,
    add_app,
    add_passkey,
    forget_last_step,
    local_browser,
    options_for,
    with_app,
    with_passkey,
)
from web_world import World


async def with_passkey_alone(api: httpx.AsyncClient, authenticator: SoftAuthenticator) -> int:
    """The status of a sign-in with this passkey alone."""
    given = {"passkey": authenticator.get(await options_for(api, "sign-in"))}
    return (await api.post("/session/passkey", json=given)).status_code


async def with_passkey_and_password(api: httpx.AsyncClient, authenticator: SoftAuthenticator) -> int:
    """The status of the second step with this passkey."""
    given = {"passkey": authenticator.get(await options_for(api, "factor"))}
    return (await api.post("/session/factor", json=given)).status_code


async def take_away(world: World, who: str, by: str = "root") -> None:
    async with world.client(by) as api:
        assert (await api.delete(f"/people/{world.people[who].id}/factors")).status_code == 204


async def test_a_refused_reset_leaves_no_factor_that_was_added_since(world: World) -> None:
    await add_admin(world, "second")
    await world.deliver(SECRET)
    async with reset(world, "bruno", url=LOCALHOST) as intruder:
        passkey, _ = await add_passkey(intruder)
        await add_app(intruder)
        assert await answer(world, "second", "refuse") == 204
        assert await with_passkey_alone(intruder, passkey) == 401
    async with world.database.read() as session:
        bruno = world.people["bruno"].id
        assert not await factors.has_factor(session, bruno)
        assert await factors.recovery_codes_left(session, bruno) == 0
    async with world.client("root") as api:
        said = [(each["actor"], each["action"]) for each in (await api.get("/audit")).json()["items"]]
    assert ("second", "factors-taken-away") in said


async def test_a_refused_reset_leaves_the_owners_older_factor(world: World) -> None:
    await add_admin(world, "second")
    await world.deliver(SECRET)
    passkey = await with_passkey(world, "bruno")
    async with reset(world, "bruno"):
        assert await answer(world, "second", "refuse") == 204
    # It needs a password once, and a refusal leaves none.
    async with local_browser(world) as api:
        assert await with_passkey_alone(api, passkey) == 401
    async with reset(world, "bruno", by="second", url=LOCALHOST) as owner:
        assert await with_passkey_and_password(owner, passkey) == 200
        assert (await owner.get("/factors")).json()["recovery_codes_left"] == 10


async def test_the_next_link_ends_factors_that_were_added_since_an_earlier_one(world: World) -> None:
    await add_admin(world, "second")
    earlier = await world.deliver(SECRET)
    async with reset(world, "bruno", url=LOCALHOST) as intruder:
        passkey, codes = await add_passkey(intruder)
        assert codes is not None
        async with reset(world, "bruno", by="second") as owner:
            # Otherwise the gateway would ask the owner for the intruder's factor.
            assert await who_is(owner) == "bruno"
            assert await with_passkey_alone(intruder, passkey) == 401
            assert await answer(world, "root") == 204
            assert await answer(world, "second") == 204
            assert await full(owner, earlier) == 200


async def test_a_factor_stays_when_a_second_admin_agreed(world: World) -> None:
    await add_admin(world, "second")
    earlier = await world.deliver(SECRET)
    async with reset(world, "bruno", url=LOCALHOST) as owner:
        passkey, _ = await add_passkey(owner)
        assert await answer(world, "second") == 204
        assert await with_passkey_alone(owner, passkey) == 200
        assert await full(owner, earlier) == 200


@pytest.mark.parametrize("method", ["app", "recovery-code", "passkey"])
async def test_password_and_older_factor_unlock_after_a_link(world: World, method: str) -> None:
    earlier = await world.deliver(SECRET)
    app, codes = await with_app(world, "bruno")
    async with local_browser(world) as api:
        await sign_in(api, "bruno")
        await api.post("/session/factor", json={"code": app.now()})
        passkey, _ = await add_passkey(api)
    await forget_last_step(world)
    async with reset(world, "bruno", url=LOCALHOST) as owner:
        assert await who_is(owner) is None
        match method:
            case "app":
                given: dict[str, object] = {"code": app.now()}
            case "recovery-code":
                given = {"recovery_code": codes[0]}
            case _:
                given = {"passkey": passkey.get(await options_for(owner, "factor"))}
        assert (await owner.post("/session/factor", json=given)).status_code == 200
        assert await full(owner, earlier) == 200
    assert await waiting(world) == []
    async with world.client("root") as api:
        items = (await api.get("/audit")).json()["items"]
    [given_by] = [each for each in items if each["action"] == "approval-given"]
    assert (given_by["actor"], given_by["details"]) == ("bruno", {"kind": "reset", "in_effect": True, "with": method})


async def test_a_passkey_alone_neither_signs_in_nor_unlocks_after_a_link(world: World) -> None:
    """Its owner may not know that somebody else set a password, with which they could sign in later."""
    earlier = await world.deliver(SECRET)
    passkey = await with_passkey(world, "bruno")
    async with reset(world, "bruno"), local_browser(world) as owner:
        said = await owner.post("/session/passkey", json={"passkey": passkey.get(await options_for(owner, "sign-in"))})
        assert said.status_code == 401
        assert said.json()["said"]["code"] == "passkey-needs-password"
    assert await waiting(world) == [("reset", "bruno", "root")]
    async with reset(world, "bruno", url=LOCALHOST) as owner:
        assert await with_passkey_and_password(owner, passkey) == 200
        assert await full(owner, earlier) == 200
        assert await with_passkey_alone(owner, passkey) == 200


@pytest.mark.parametrize("arrives", [False, True])
async def test_a_passkey_of_an_account_that_held_nothing_does_not_outlast_the_next_link(
    world: World, *, arrives: bool
) -> None:
    """Nothing is locked there, so a factor that an intruder adds looks like the owner's first one."""
    await add_admin(world, "second")
    async with reset(world, "bruno", url=LOCALHOST) as intruder:
        passkey, _ = await add_passkey(intruder)
        # With the intruder's own password it is nothing new.
        await sign_in(intruder, "bruno", NEW_PASSWORD)
        assert await with_passkey_and_password(intruder, passkey) == 200
        assert await with_passkey_alone(intruder, passkey) == 200
        if arrives:
            await world.deliver(SECRET)
        async with reset(world, "bruno", by="second", url=LOCALHOST) as owner:
            assert await with_passkey_alone(intruder, passkey) == 401
            # The owner is asked for a factor that they never added: an admin takes it away.
            assert await who_is(owner) is None
        await take_away(world, "bruno")
        assert await with_passkey_alone(intruder, passkey) == 401
        async with browser(world) as owner:
            assert (await sign_in(owner, "bruno", NEW_PASSWORD)).json()["person"]["name"] == "bruno"


async def test_a_second_admin_does_not_let_a_passkey_sign_in_alone(world: World) -> None:
    """They agree to what the owner of the link may open, and do not know whose passkey it is."""
    await add_admin(world, "second")
    passkey = await with_passkey(world, "bruno")
    await world.deliver(SECRET)
    async with reset(world, "bruno", url=LOCALHOST) as intruder:
        assert await answer(world, "second") == 204
        assert await with_passkey_alone(intruder, passkey) == 401


async def test_a_link_ends_emails_to_an_address_that_somebody_set(world: World) -> None:
    async with world.database.write() as session:
        await people.change(session, world.people["bruno"].id, email="thief@example.org", email_notifications=True)
    async with reset(world, "bruno") as owner:
        assert (await owner.get("/me/notifications")).json()["email_notifications"] is False


async def test_taking_a_factor_away_opens_nothing_old(world: World) -> None:
    """An admin may know the password: from a link that they made, or because the person said it."""
    await add_admin(world, "second")
    earlier = await world.deliver(SECRET)
    app, _ = await with_app(world, "bruno")
    async with reset(world, "bruno") as owner:
        assert (await owner.post("/session/factor", json={"code": app.now()})).status_code == 200
        assert await full(owner, earlier) == 200
    await take_away(world, "bruno")
    async with browser(world) as intruder:
        assert (await sign_in(intruder, "bruno", NEW_PASSWORD)).json()["person"]["name"] == "bruno"
        assert await full(intruder, earlier) == 403
        assert await waiting(world) == [("reset", "bruno", "root")]
        assert await answer(world, "root") == 409
        assert await answer(world, "second") == 204
        assert await full(intruder, earlier) == 200


async def test_an_admin_whose_factor_was_taken_away_does_not_count(world: World) -> None:
    await add_admin(world, "second")
    await with_app(world, "second")
    await take_away(world, "second")
    await world.deliver(SECRET)
    await clear(world, "rosa")
    assert await answer(world, "second", kind="clearance") == 403


async def test_taking_no_factor_away_locks_nothing(world: World) -> None:
    await world.deliver(SECRET)
    await take_away(world, "bruno")
    assert await waiting(world) == []


async def test_who_clears_themselves_needs_two_others(world: World) -> None:
    """The person concerned is neither of the two admins, as when another one asks."""
    for name in ("second", "third"):
        await add_admin(world, name)
    async with world.database.write() as session:
        await people.change(session, world.people["root"].id, is_recipient=True)
    earlier = await world.deliver(SECRET, to=("root",))
    await clear(world, "root")
    async with world.client("root") as api:
        assert await answer(world, "second") == 204
        assert await full(api, earlier) == 403
        assert await answer(world, "third") == 204
        assert await full(api, earlier) == 200


async def test_a_service_account_never_counts_as_a_second_admin(world: World) -> None:
    """Any admin makes tokens for it, and could so agree to what they asked for."""
    await add_admin(world, "second")
    await world.deliver(SECRET)
    asked = {"name": "robot", "display_name": "Robot", "is_admin": True, "is_service": True}
    async with world.client("root") as root:
        robot = (await root.post("/people", json=asked)).json()["id"]
        assert await waiting(world) == []
        # Also not if a second admin agreed to its role in an earlier version.
        async with world.database.write() as session:
            await people.change(session, robot, admin_confirmed=True)
        world.tokens["robot"] = (await root.post(f"/people/{robot}/tokens", json={"label": "a"})).json()["token"]
    await clear(world, "rosa")
    assert await answer(world, "robot") == 403
    await clear(world, "rosa", cleared=False)
    await clear(world, "rosa", by="robot")
    assert await answer(world, "root") == 204
    assert await waiting(world) == [("clearance", "rosa", "root")]


@pytest.mark.parametrize("factor", ["passkey", "app"])
async def test_no_factor_is_added_after_every_way_in_ended(
    world: World, factor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request that was let in before, and waits for its turn to write."""
    await add_admin(world, "second")
    await world.deliver(SECRET)
    async with reset(world, "bruno", url=LOCALHOST) as intruder:
        options = (await intruder.get("/factors/passkey-options")).json()
        app = pyotp.TOTP((await intruder.post("/factors/app")).json()["secret"])
        write = world.database.write

        @asynccontextmanager
        async def write_after_refusal() -> AsyncIterator[AsyncSession]:
            monkeypatch.setattr(world.database, "write", write)
            assert await answer(world, "second", "refuse") == 204
            async with write() as session:
                yield session

        body: dict[str, object] = {"name": "a", "passkey": SoftAuthenticator().create(options)}
        path = "/factors/passkeys"
        if factor == "app":
            body, path = {"code": app.now()}, "/factors/app/confirmation"
        monkeypatch.setattr(world.database, "write", write_after_refusal)
        assert (await intruder.post(path, json=body)).status_code == 401
    assert await waiting(world) == []
    async with world.database.read() as session:
        assert not await factors.has_factor(session, world.people["bruno"].id)


@pytest.mark.parametrize("given", ["code", "recovery_code"])
async def test_of_two_requests_with_one_code_one_is_accepted(world: World, given: str) -> None:
    app, codes = await with_app(world)
    body = {given: app.now() if given == "code" else codes[0]}
    async with browser(world) as one, browser(world) as other:
        for api in (one, other):
            await sign_in(api, "anna")
        answers = await asyncio.gather(*(api.post("/session/factor", json=body) for api in (one, other)))
    assert sorted(each.status_code for each in answers) == [200, 403]
