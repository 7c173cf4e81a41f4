"""One-time links: setting a password, and links that are refused."""

import asyncio
from datetime import datetime, timedelta

import httpx
import pytest

import databases
from browsers import PASSWORD, browser, pass_time, sign_in, signed_in, who_is
from sieve.store.queries.tokens import token_hash
from web_world import World

NEW = "a password of my own"


async def _link(world: World, who: str = "anna") -> str:
    """The code of a new link."""
    async with world.client("root") as api:
        answer = await api.post(f"/people/{world.people[who].id}/link")
    assert answer.status_code == 201, answer.text
    path, _, code = answer.json()["url"].partition("#")
    assert path == "/welcome"
    return str(code)


async def _use(api: httpx.AsyncClient, code: str, password: str = NEW) -> httpx.Response:
    return await api.post("/welcome", json={"code": code, "password": password})


async def test_anna_sets_her_password_and_is_signed_in(world: World) -> None:
    code = await _link(world)
    async with browser(world) as api:
        look = await api.post("/welcome/look", json={"code": code})
        assert (look.status_code, look.json()) == (200, {"name": "anna", "display_name": "Anna"})
        used = await _use(api, code)
        assert used.status_code == 200, used.text
        assert used.json()["person"] == (await api.get("/me")).json()
        assert used.json()["person"]["has_password"] is True
        await api.delete("/session")
        assert (await sign_in(api, "anna", NEW)).status_code == 200


async def test_a_link_is_reported_once_and_lives_a_week(world: World) -> None:
    async with world.client("root") as api:
        made = (await api.post(f"/people/{world.people['anna'].id}/link")).json()
        code = made["url"].partition("#")[2]
        left = datetime.fromisoformat(made["expires_at"]) - datetime.now().astimezone()
        assert timedelta(days=6.99) < left < timedelta(days=7.01)
        assert code not in (await api.get("/people")).text
        assert (await api.post("/people/0/link")).status_code == 404
    assert len(code) == 43
    await world.database.dispose()
    stored = databases.stored(world.folder / "sieve.db")
    assert code.encode() not in stored
    assert token_hash(code).encode() in stored


async def test_a_link_that_does_not_count_says_only_that(world: World) -> None:
    used, replaced, old = await _link(world), await _link(world, "adam"), await _link(world, "rosa")
    await _link(world, "adam")
    await pass_time(world, "one_time_links", timedelta(days=7))
    used = await _link(world)
    said = set()
    async with browser(world) as api:
        assert (await _use(api, used)).status_code == 200
        for code in (used, replaced, old, "", "x", "é", "a" * 100):
            for path, body in (("/welcome/look", {}), ("/welcome", {"password": "yet another horse battery"})):
                answer = await api.post(path, json={"code": code, **body})
                said.add((answer.status_code, answer.json()["detail"]))
                assert "set-cookie" not in answer.headers
        assert await who_is(api) == "anna"
    assert said == {(404, "this link was used or replaced, or is too old; ask an admin for a new one")}


async def test_used_twice_at_once_it_is_good_once(world: World) -> None:
    code = await _link(world)
    async with browser(world) as one, browser(world) as other:
        answers = await asyncio.gather(_use(one, code, "the first password"), _use(other, code, "the other password"))
    assert sorted(answer.status_code for answer in answers) == [200, 404]


@pytest.mark.parametrize("password", ["", "too short", "x" * 1025, "ä" * 513])
async def test_a_password_that_is_not_taken_leaves_the_link(world: World, password: str) -> None:
    code = await _link(world)
    async with browser(world) as api:
        answer = await _use(api, code, password)
        assert answer.status_code == 422
        assert answer.json()["detail"].startswith("the password is too ")
        assert (await _use(api, code)).status_code == 200


async def test_the_login_is_no_password(world: World) -> None:
    async with world.client("root") as admin, browser(world) as api:
        asked = {"name": "anna.of.accounts", "display_name": "Anna", "is_author": True}
        person = (await admin.post("/people", json=asked)).json()
        assert person["has_password"] is False
        code = (await admin.post(f"/people/{person['id']}/link")).json()["url"].partition("#")[2]
        assert "your login" in (await _use(api, code, "Anna.of.accounts")).json()["detail"]


async def test_using_one_ends_the_persons_sessions_and_what_was_counted_against_them(world: World) -> None:
    async with signed_in(world) as there, signed_in(world, "adam") as adam, browser(world) as api:
        for _ in range(6):
            await sign_in(api, "anna", "wrong")
        assert (await sign_in(api, "anna")).status_code == 429
        assert (await _use(api, await _link(world))).status_code == 200
        assert [await who_is(one) for one in (api, there, adam)] == ["anna", None, "adam"]
        assert (await sign_in(there, "anna", PASSWORD)).status_code == 401
        assert (await sign_in(there, "anna", NEW)).status_code == 200


async def test_people_who_were_signed_in_there_are_signed_out(world: World) -> None:
    async with signed_in(world, "adam") as api, browser(world) as other:
        other.cookies.set("sieve-alpha", api.cookies["sieve-alpha"])
        assert (await _use(api, await _link(world))).status_code == 200
        assert await who_is(api) == "anna"
        assert await who_is(other) is None
