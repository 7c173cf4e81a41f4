"""Signing in, being signed in, and signing out: by whom, and for how long."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from browsers import PASSWORD, browser, give_password, pass_time, sign_in, signed_in, who_is
from cases import each
from sieve.gateway.telemetry.progress import Progress
from sieve.store.models import Session
from sieve.store.queries import people, sessions
from web_world import Ground, World
from world_building import build, close

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


async def test_anna_signs_in(world: World) -> None:
    await give_password(world, "anna")
    async with browser(world) as api:
        before = await api.get("/session")
        nobody = {
            "gateway": "alpha",
            "needs_admin": False,
            "passkeys": False,
            "sso": None,
            "laboratory": False,
            "person": None,
            "next_step": None,
        }
        assert before.json() == nobody
        assert (await api.get("/me")).status_code == 401
        answer = await sign_in(api, " Anna ")
        assert answer.status_code == 200, answer.text
        me = (await api.get("/me")).json()
        assert (me["name"], me["has_password"]) == ("anna", True)
        assert answer.json() == before.json() | {"person": me}
        assert (await api.get("/session")).json() == answer.json()
        assert (await api.post("/tokens", json={"label": "laptop"})).status_code == 201
        assert (await api.get("/inbox")).status_code == 403


async def test_a_gateway_without_an_admin_says_so(world: World) -> None:
    async with world.database.write() as session:
        await people.change(session, world.people["root"].id, is_admin=False)
    async with browser(world) as api:
        assert (await api.get("/session")).json()["needs_admin"] is True


async def test_the_person_is_shown_by_token_too(world: World) -> None:
    async with world.client("rosa") as api:
        assert await who_is(api) == "rosa"
    async with world.client(headers={"Authorization": "Bearer sieve_wrong"}) as api:
        assert await who_is(api) is None


async def test_the_cookies_attributes(world: World) -> None:
    await give_password(world, "anna")
    async with browser(world) as api:
        attributes = (await sign_in(api, "anna")).headers["set-cookie"].split("; ")
        assert attributes[0].startswith("sieve-alpha=") and len(attributes[0]) == len("sieve-alpha=") + 43
        assert {one.lower() for one in attributes[1:]} == {"httponly", "path=/", "samesite=strict"}


async def test_over_https_it_belongs_to_this_host_alone(world: World) -> None:
    await give_password(world, "anna")
    async with browser(world, url="https://alpha") as api:
        given = await sign_in(api, "anna")
        name, *attributes = given.headers["set-cookie"].split("; ")
        assert name.startswith("__Host-sieve-alpha=")
        # Without these browsers take no such cookie.
        assert {one.lower() for one in attributes} == {"httponly", "path=/", "samesite=strict", "secure"}
        assert given.headers["strict-transport-security"] == "max-age=31536000"
        assert await who_is(api) == "anna"
        gone = (await api.delete("/session")).headers["set-cookie"].lower()
        assert gone.startswith('__host-sieve-alpha="";') and "max-age=0" in gone and "path=/" in gone


async def test_one_that_a_neighbour_could_set_does_not_count_over_https(world: World) -> None:
    await give_password(world, "anna")
    async with browser(world) as api:
        assert "strict-transport-security" not in (await sign_in(api, "anna")).headers
        value = api.cookies["sieve-alpha"]
    async with browser(world, url="https://alpha") as api:
        api.cookies.set("sieve-alpha", value)
        assert await who_is(api) is None


@each(
    "body",
    [
        {},
        {"name": "anna"},
        {"name": "anna", "password": PASSWORD, "more": 1},
        {"name": "anna", "password": "p" * 1025},
        {"name": "a" * 201, "password": PASSWORD},
        {"name": "anna", "password": "\ud800 planted-secret"},
        {"name": "\ud800", "password": "planted-secret"},
        {"name": ["planted-secret"], "password": ["planted-secret"]},
    ],
)
async def test_a_malformed_one_is_not_repeated(world: World, body: dict[str, Any]) -> None:
    async with browser(world) as api:
        answer = await api.post("/session", content=json.dumps(body), headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert "planted" not in answer.text and PASSWORD not in answer.text


async def test_every_sign_in_has_a_new_cookie_and_ends_the_one_before(world: World) -> None:
    """A cookie that was planted in the browser before signing in is not valid afterwards."""
    async with signed_in(world) as api, browser(world) as attacker:
        first = api.cookies["sieve-alpha"]
        await sign_in(api, "anna")
        assert api.cookies["sieve-alpha"] != first
        attacker.cookies.set("sieve-alpha", first)
        assert await who_is(attacker) is None
    async with browser(world) as api:
        api.cookies.set("sieve-alpha", "planted", domain="alpha.local")
        await sign_in(api, "anna")
        assert api.cookies["sieve-alpha"] != "planted"


async def test_alphas_cookie_does_not_sign_in_at_bravo(world: World, tmp_path: Path, ground: Ground) -> None:
    async with signed_in(world) as api:
        value = api.cookies["sieve-alpha"]
    (tmp_path / "bravo").mkdir()
    app, services = world.app, world.services
    bravo = await build(tmp_path / "bravo", ground, name="bravo")
    try:
        for name in ("sieve-alpha", "sieve-bravo"):
            async with browser(bravo) as there:
                there.cookies.set(name, value)
                assert await who_is(there) is None
                assert (await there.get("/me")).status_code == 401
        async with signed_in(bravo) as there:
            assert list(there.cookies) == ["sieve-bravo"]
    finally:
        app.state.services = services
        await close(bravo)


@pytest.mark.parametrize(
    ("steps", "there"),
    [
        ([11.9], True),
        ([12.1], False),
        ([11.9, 11.9], True),
        ([11.9] * 14, True),
        ([11.9] * 15, False),
    ],
)
async def test_idle_for_12_hours_or_after_7_days(world: World, steps: list[float], there: bool) -> None:
    async with signed_in(world) as api:
        answer = await api.get("/me")
        for hours in steps:
            await pass_time(world, "sessions", hours * HOUR)
            answer = await api.get("/me")
            await world.services.last_used.written()
        assert (answer.status_code == 200) == there
        if not there:
            assert answer.json()["detail"] == "you were no longer signed in; sign in and try again"


@pytest.mark.parametrize(("steps", "there"), [([0.4, 0.4], True), ([0.6], False), ([0.4, 0.4, 0.4], False)], ids=str)
async def test_settings_say_when_a_session_ends(
    ground: Ground, tmp_path: Path, steps: list[float], there: bool
) -> None:
    world = await build(tmp_path, ground, session_idle_s=1800, session_life_s=3600)
    try:
        async with signed_in(world) as api:
            for hours in steps:
                await pass_time(world, "sessions", hours * HOUR)
                answer = await api.get("/me")
                await world.services.last_used.written()
            assert (answer.status_code == 200) == there
    finally:
        await close(world)


async def test_use_is_noted_once_a_minute_at_most(world: World) -> None:
    async def last_used() -> int:
        await world.services.last_used.written()
        async with world.database.read() as session:
            found = await sessions.owner(session, api.cookies["sieve-alpha"], 1, idle_s=1)
        assert found is not None
        return found[0].last_used_at_ns

    async with signed_in(world) as api:
        first = await last_used()
        await api.get("/me")
        assert await last_used() == first
        await pass_time(world, "sessions", 2 * MINUTE)
        await api.get("/me")
        assert await last_used() > first


async def test_disabled_she_is_out_and_stays_out_when_enabled(world: World) -> None:
    path = f"/people/{world.people['anna'].id}"
    async with signed_in(world) as api, world.client("root") as admin:
        link = (await admin.post(f"{path}/link")).json()["url"].partition("#")[2]
        await admin.patch(path, json={"disabled": True})
        assert (await api.get("/me")).status_code == 401
        assert (await sign_in(api, "anna")).status_code == 401
        assert (await admin.post(f"{path}/link")).status_code == 409
        await admin.patch(path, json={"disabled": False})
        assert (await api.get("/me")).status_code == 401
        assert (await api.post("/welcome/look", json={"code": link})).status_code == 404
        assert (await sign_in(api, "anna")).status_code == 200


async def test_a_role_that_is_taken_away_counts_at_once(world: World) -> None:
    async with signed_in(world) as api, world.client("root") as admin:
        assert (await api.get("/documents")).status_code == 200
        await admin.patch(f"/people/{world.people['anna'].id}", json={"is_author": False, "is_recipient": True})
        assert (await api.get("/documents")).status_code == 403


async def test_a_session_that_ends_ends_its_events(world: World) -> None:
    async with signed_in(world) as here, signed_in(world) as there:
        document_id = await world.upload(b"memo", "anna")
        sent = {"document_id": document_id, "peer": "bravo", "recipients": ["berta"]}
        path = f"/transfers/{(await here.post('/transfers', json=sent)).json()['id']}"
        watching = asyncio.create_task(here.get(f"{path}/events"))
        async with asyncio.timeout(10):
            while not world.services.progress.watchers:
                await asyncio.sleep(0)
        await there.delete("/sessions")
        world.services.progress.publish(Progress(path.rpartition("/")[2], "sending"))
        answer = await watching
        assert answer.status_code == 200
        assert "sending" not in answer.text
        assert (await here.get(f"{path}/events")).status_code == 401


@each("cookie", ["", "x", "sieve_anna", "'; --", "é".encode().decode("latin-1"), "a" * 8000])
async def test_what_is_no_cookie(world: World, cookie: str) -> None:
    async with browser(world) as api:
        headers = {"Cookie": f"sieve-alpha={cookie}".encode("latin-1")}
        assert (await api.get("/me", headers=headers)).status_code == 401  # type: ignore[arg-type]


async def test_signing_out_ends_this_session(world: World) -> None:
    async with signed_in(world) as here, signed_in(world) as there:
        value = here.cookies["sieve-alpha"]
        for _ in range(2):
            answer = await here.delete("/session")
            assert (answer.status_code, answer.content) == (204, b"")
            assert not here.cookies
        here.cookies.set("sieve-alpha", value)
        assert await who_is(here) is None
        assert await who_is(there) == "anna"


async def test_signing_out_everywhere(world: World) -> None:
    async with signed_in(world) as here, signed_in(world) as there, signed_in(world, "adam") as adam:
        assert (await here.delete("/sessions")).status_code == 204
        assert (await here.delete("/sessions")).status_code == 401
        assert [await who_is(api) for api in (here, there, adam)] == [None, None, "adam"]
    async with world.client("anna") as api:
        assert (await api.get("/me")).status_code == 401


async def test_what_is_over_is_swept_when_somebody_signs_in(world: World) -> None:
    async with signed_in(world):
        await pass_time(world, "sessions", 13 * HOUR)
    async with signed_in(world, "adam"), world.database.read() as session:
        rows = (await session.scalars(select(Session))).all()
    assert [row.user_id for row in rows] == [world.people["adam"].id]


async def test_each_end_of_a_session_is_in_the_audit_log(world: World) -> None:
    async with signed_in(world, "rosa") as here, signed_in(world, "rosa") as there:
        [other] = [each for each in (await here.get("/sessions")).json() if not each["current"]]
        assert (await here.delete(f"/sessions/{other['id']}")).status_code == 204
        assert (await there.delete("/session")).status_code == 204  # it has ended already
        assert (await here.delete("/session")).status_code == 204
    async with world.client("root") as api:
        items = (await api.get("/audit", params={"actor": "rosa"})).json()["items"]
    said = [(each["action"], each["subject"], each["details"]) for each in items[:2]]
    assert said == [("signed-out", "rosa", {}), ("session-ended", "rosa", {"session": other["id"]})]
