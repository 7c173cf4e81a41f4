"""Changing one's password: which sessions end with it, and what it asks for."""

import json

from browsers import PASSWORD, sign_in, signed_in, who_is
from cases import each
from web.factor_calls import add_app, forget_confirmation, forget_last_step
from web_world import World


async def test_a_new_password_ends_the_other_sessions_and_not_this(world: World) -> None:
    async with (
        signed_in(world) as here,
        signed_in(world) as there,
        signed_in(world, "adam") as adam,
        world.client("root") as admin,
    ):
        link = (await admin.post(f"/people/{world.people['anna'].id}/link")).json()["url"].partition("#")[2]
        change = {"current": PASSWORD, "new": "another horse battery"}
        assert (await here.put("/me/password", json=change)).status_code == 204
        assert [await who_is(api) for api in (here, there, adam)] == ["anna", None, "adam"]
        assert (await sign_in(there, "anna")).status_code == 401
        assert (await sign_in(there, "anna", "another horse battery")).status_code == 200
        assert (await there.post("/welcome/look", json={"code": link})).status_code == 404


@each(
    ("current", "new", "status"),
    [
        ("planted", "another horse battery", 403),
        (PASSWORD, "planted", 422),
        (PASSWORD, "planted \ud800 password", 422),
        ("planted \ud800 password", "another horse battery", 422),
        (PASSWORD, "x" * 1025, 422),
        (PASSWORD, "ä" * 513, 422),
        ("x" * 1025, "another horse battery", 422),
    ],
)
async def test_a_password_that_is_not_changed(world: World, current: str, new: str, status: int) -> None:
    async with signed_in(world) as here, signed_in(world) as there:
        body = json.dumps({"current": current, "new": new})
        answer = await here.put("/me/password", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == status
        assert not any(word in answer.text for word in ("planted", PASSWORD, "another", "xxx", "ää"))
        assert await who_is(there) == "anna"
        assert (await sign_in(here, "anna")).status_code == 200


async def test_a_stolen_session_does_not_guess_the_password(world: World) -> None:
    async with signed_in(world) as api:
        statuses = [
            (await api.put("/me/password", json={"current": "wrong", "new": "another horse battery"})).status_code
            for _ in range(8)
        ]
    assert statuses == [403] * 6 + [429] * 2


async def test_no_token_changes_it(world: World) -> None:
    change = {"current": PASSWORD, "new": "another horse battery"}
    async with signed_in(world) as here, world.client("anna") as api:
        refused = await api.put("/me/password", json=change)
        assert (refused.status_code, "API tokens cannot" in refused.json()["detail"]) == (403, True)
        assert await who_is(here) == "anna"


async def test_it_needs_a_recent_confirmation(world: World) -> None:
    change = {"current": PASSWORD, "new": "another horse battery"}
    async with signed_in(world) as api:
        await forget_confirmation(world, api)
        refused = await api.put("/me/password", json=change)
        assert (refused.status_code, refused.json()["kind"]) == (403, "confirmation-needed")
        assert (await api.post("/session/confirmation", json={"password": PASSWORD})).status_code == 204
        assert (await api.put("/me/password", json=change)).status_code == 204


async def test_who_has_a_second_factor_needs_it(world: World) -> None:
    change = {"current": PASSWORD, "new": "another horse battery"}
    async with signed_in(world) as api:
        app, _ = await add_app(api)
        await forget_confirmation(world, api)
        # Neither the password in the request, nor one given to confirm, is enough.
        assert (await api.put("/me/password", json=change)).status_code == 403
        assert (await api.post("/session/confirmation", json={"password": PASSWORD})).status_code == 403
        assert (await api.put("/me/password", json=change)).status_code == 403
        await forget_last_step(world)
        assert (await api.post("/session/confirmation", json={"code": app.now()})).status_code == 204
        assert (await api.put("/me/password", json=change)).status_code == 204
