"""Signing in, being signed in, and signing out: by whom, for how long, and what nobody learns by trying."""

import asyncio
import json
import logging
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from argon2 import PasswordHasher
from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from browsers import PASSWORD, browser, give_password, pass_time, sign_in, signed_in, who_is
from sieve.gateway import listeners
from sieve.gateway.progress import Progress
from sieve.store.models import Session
from sieve.store.queries import people, sessions
from sieve.web.passwords import Compared, Passwords
from sieve.web.session.throttle import source_of
from web_world import CHEAP, Ground, World, build, close

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


# --- signing in ----------------------------------------------------------------------------------------------------


async def test_anna_signs_in(world: World) -> None:
    await give_password(world, "anna")
    async with browser(world) as api:
        before = await api.get("/session")
        assert before.json() == {"gateway": "alpha", "needs_admin": False, "person": None}
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


async def test_who_is_signed_in_is_told_by_token_too(world: World) -> None:
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
    async with browser(world, url="https://alpha") as api:
        assert "secure" in (await sign_in(api, "anna")).headers["set-cookie"].lower()
        gone = (await api.delete("/session")).headers["set-cookie"].lower()
        assert gone.startswith('sieve-alpha="";') and "max-age=0" in gone and "path=/" in gone


@pytest.mark.parametrize(
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
    ids=repr,
)
async def test_a_malformed_one_is_not_repeated(world: World, body: dict[str, Any]) -> None:
    async with browser(world) as api:
        answer = await api.post("/session", content=json.dumps(body), headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert "planted" not in answer.text and PASSWORD not in answer.text


async def test_every_sign_in_has_a_new_cookie_and_ends_the_one_before(world: World) -> None:
    """A cookie that somebody put into the browser beforehand is worth nothing afterwards."""
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


# --- not signing in ------------------------------------------------------------------------------------------------


class _Watched(Passwords):
    """Notes what is compared with what."""

    def __init__(self) -> None:
        super().__init__(CHEAP)
        self.compared: list[str | None] = []

    async def compare(self, kept: str | None, password: str) -> Compared:
        self.compared.append(kept)
        return await super().compare(kept, password)


def _watched(world: World) -> _Watched:
    passwords = _Watched()
    world.services = world.app.state.services = replace(world.services, passwords=passwords)
    return passwords


async def test_nobody_learns_which_accounts_there_are(world: World) -> None:
    await give_password(world, "anna")
    await give_password(world, "adam")
    async with world.database.write() as session:
        await people.change(session, world.people["adam"].id, disabled_at_ns=1)
    passwords = _watched(world)
    answers = set()
    tries = (("anna", "wrong"), ("adam", PASSWORD), ("rosa", ""), ("nosuch", PASSWORD), ("", ""), ("ö", "x"))
    async with browser(world) as api:
        for name, password in tries:
            answer = await sign_in(api, name, password)
            answers.add((answer.status_code, answer.text, answer.headers.get("set-cookie")))
    [(status, text, cookie)] = answers
    assert (status, cookie) == (401, None)
    assert "login and password do not fit" in text
    assert len(passwords.compared) == len(tries), "each costs one comparison"


async def test_unknown_accounts_are_slowed_down_like_known_ones(world: World) -> None:
    await give_password(world, "anna")
    told = []
    for number, name in enumerate(("anna", "nosuch")):
        async with browser(world, source=f"10.0.0.{number}") as api:
            answers = [await sign_in(api, name, "wrong") for _ in range(8)]
        told.append([(answer.status_code, answer.json()["detail"]) for answer in answers])
    assert told[0] == told[1]
    assert [status for status, _ in told[0]] == [401] * 6 + [429] * 2


async def test_brute_force(world: World) -> None:
    await give_password(world, "anna")
    passwords = _watched(world)
    async with browser(world) as api:
        answers = await asyncio.gather(*(sign_in(api, "anna", f"guess {number}") for number in range(40)))
        assert sorted(answer.status_code for answer in answers) == [401] * 6 + [429] * 34
        assert len(passwords.compared) == 6, "one that is turned away costs no hashing"
        refused = await sign_in(api, "anna")
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
        assert refused.json()["detail"] == "too many sign-ins failed; try again in 1 s"
        assert len(passwords.compared) == 6, "even the right one is not looked at"
        for wait in ("2", "4", "8"):
            await pass_time(world, "sign_in_failures", timedelta(seconds=int(wait) / 2))
            assert (await sign_in(api, "anna", "wrong")).status_code == 401
            assert (await sign_in(api, "anna", "wrong")).headers["retry-after"] == wait
        await pass_time(world, "sign_in_failures", timedelta(seconds=8))
        assert (await sign_in(api, "anna")).status_code == 200
        assert [(await sign_in(api, "anna", "wrong")).status_code for _ in range(6)] == [401] * 6


async def test_other_accounts_go_on_and_other_sources_too(world: World) -> None:
    await give_password(world, "anna")
    await give_password(world, "adam")
    async with browser(world, source="10.0.0.1") as bad, browser(world, source="10.0.0.2") as good:
        for _ in range(6):
            await sign_in(bad, "anna", "wrong")
        assert (await sign_in(bad, "adam")).status_code == 200
        for number in range(30):
            await sign_in(bad, f"nosuch{number}", "wrong")
        assert (await sign_in(bad, "adam")).status_code == 429
        assert (await sign_in(good, "adam")).status_code == 200


async def test_after_a_day_of_peace_all_is_forgotten(world: World) -> None:
    await give_password(world, "anna")
    async with browser(world) as api:
        for _ in range(6):
            await sign_in(api, "anna", "wrong")
        await pass_time(world, "sign_in_failures", timedelta(days=1))
        assert [(await sign_in(api, "anna", "wrong")).status_code for _ in range(6)] == [401] * 6


async def test_a_password_that_is_changed_while_it_is_compared_lets_nobody_in(world: World) -> None:
    await give_password(world, "anna")

    class Slow(Passwords):
        async def compare(self, kept: str | None, password: str) -> Compared:
            compared = await super().compare(kept, password)
            await give_password(world, "anna", "another password")
            return compared

    world.app.state.services = replace(world.services, passwords=Slow(CHEAP))
    async with browser(world) as api:
        assert (await sign_in(api, "anna")).status_code == 401
        assert (await sign_in(api, "anna", "another password")).status_code == 401, "a new salt each time"


async def test_a_hash_of_another_cost_is_brought_up_to_date(world: World) -> None:
    await give_password(world, "anna")
    dearer = PasswordHasher(time_cost=2, memory_cost=8, parallelism=1)
    world.app.state.services = replace(world.services, passwords=Passwords(dearer))
    async with browser(world) as api:
        for _ in range(2):
            assert (await sign_in(api, "anna")).status_code == 200
            async with world.database.read() as session:
                user = await people.by_name(session, "anna")
            assert user is not None and user.password_hash is not None and "t=2" in user.password_hash


async def test_nothing_secret_is_logged(world: World, caplog: pytest.LogCaptureFixture) -> None:
    await give_password(world, "anna")
    caplog.set_level(logging.DEBUG)
    async with world.client("root") as admin, browser(world) as api:
        await sign_in(api, "anna", "planted wrong password")
        await sign_in(api, "planted-login", "planted wrong password")
        assert (await sign_in(api, "anna")).status_code == 200
        link = (await admin.post(f"/people/{world.people['anna'].id}/link")).json()["url"].partition("#")[2]
        change = {"current": PASSWORD, "new": "planted new password"}
        assert (await api.put("/me/password", json=change)).status_code == 204
        first = api.cookies["sieve-alpha"]
        link = (await admin.post(f"/people/{world.people['anna'].id}/link")).json()["url"].partition("#")[2]
        await api.post("/welcome/look", json={"code": link})
        answer = await api.post("/welcome", json={"code": link, "password": "planted third password"})
        assert answer.status_code == 200
        second = api.cookies["sieve-alpha"]
    assert "wrong login or password from 127.0.0.1, 2 in a row" in caplog.messages
    said = caplog.text + repr([vars(record) for record in caplog.records])
    for secret in ("planted", PASSWORD, first, second, link):
        assert secret not in said


# --- being signed in -----------------------------------------------------------------------------------------------


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
        assert (answer.status_code == 200) == there
        if not there:
            assert answer.json()["detail"] == "you are not signed in any more; sign in again"


async def test_use_is_noted_once_a_minute_at_most(world: World) -> None:
    async def last_used() -> int:
        async with world.database.read() as session:
            found = await sessions.owner(session, api.cookies["sieve-alpha"], 1)
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
        await admin.patch(f"/people/{world.people['anna'].id}", json={"is_author": False})
        assert (await api.get("/documents")).status_code == 403


async def test_a_session_that_ends_ends_its_events(world: World) -> None:
    async with signed_in(world) as here, signed_in(world) as there:
        document_id = await world.upload(b"memo", "anna")
        sent = {"document_id": document_id, "peer": "bravo", "recipients": ["berta"]}
        path = f"/transfers/{(await here.post('/transfers', json=sent)).json()['id']}"
        watching = asyncio.create_task(here.get(f"{path}/events"))
        async with asyncio.timeout(10):
            while not world.services.progress._watchers:
                await asyncio.sleep(0)
        await there.delete("/sessions")
        world.services.progress.publish(Progress(path.rpartition("/")[2], "sending"))
        answer = await watching
        assert answer.status_code == 200
        assert "sending" not in answer.text
        assert (await here.get(f"{path}/events")).status_code == 401


@pytest.mark.parametrize("cookie", ["", "x", "sieve_anna", "'; --", "é".encode().decode("latin-1"), "a" * 8000])
async def test_what_is_no_cookie(world: World, cookie: str) -> None:
    async with browser(world) as api:
        headers = {"Cookie": f"sieve-alpha={cookie}".encode("latin-1")}
        assert (await api.get("/me", headers=headers)).status_code == 401  # type: ignore[arg-type]


# --- signing out ---------------------------------------------------------------------------------------------------


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
        assert (await api.get("/me")).status_code == 200


async def test_what_is_over_is_swept_when_somebody_signs_in(world: World) -> None:
    async with signed_in(world):
        await pass_time(world, "sessions", 13 * HOUR)
    async with signed_in(world, "adam"), world.database.read() as session:
        rows = (await session.scalars(select(Session))).all()
    assert [row.user_id for row in rows] == [world.people["adam"].id]


# --- changing the password -----------------------------------------------------------------------------------------


async def test_a_new_password_ends_the_other_sessions_and_not_this(world: World) -> None:
    async with (
        signed_in(world) as here,
        signed_in(world) as there,
        signed_in(world, "adam") as adam,
        world.client("root") as admin,
    ):
        link = (await admin.post(f"/people/{world.people['anna'].id}/link")).json()["url"].partition("#")[2]
        change = {"current": PASSWORD, "new": "another password"}
        assert (await here.put("/me/password", json=change)).status_code == 204
        assert [await who_is(api) for api in (here, there, adam)] == ["anna", None, "adam"]
        assert (await sign_in(there, "anna")).status_code == 401
        assert (await sign_in(there, "anna", "another password")).status_code == 200
        assert (await there.post("/welcome/look", json={"code": link})).status_code == 404


@pytest.mark.parametrize(
    ("current", "new", "status"),
    [
        ("planted", "another password", 403),
        (PASSWORD, "planted", 422),
        (PASSWORD, "planted \ud800 password", 422),
        ("planted \ud800 password", "another password", 422),
        (PASSWORD, "x" * 1025, 422),
        (PASSWORD, "ä" * 513, 422),
        ("x" * 1025, "another password", 422),
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
            (await api.put("/me/password", json={"current": "wrong", "new": "another password"})).status_code
            for _ in range(8)
        ]
    assert statuses == [403] * 6 + [429] * 2


async def test_with_a_token_all_sessions_end(world: World) -> None:
    async with signed_in(world) as here, world.client("anna") as api:
        change = {"current": PASSWORD, "new": "another password"}
        assert (await api.put("/me/password", json=change)).status_code == 204
        assert await who_is(here) is None
    async with world.client("rosa") as api:
        assert (await api.put("/me/password", json=change)).status_code == 403, "she has none"


# --- behind a proxy ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trusted", "scheme", "source"),
    [("127.0.0.1", "https", "203.0.113.7"), ("10.0.0.0/8", "http", "127.0.0.1"), (None, "http", "127.0.0.1")],
)
async def test_only_the_trusted_proxy_says_where_a_request_comes_from(
    trusted: str | None, scheme: str, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        request = Request(scope)
        await PlainTextResponse(f"{request.url.scheme} {source_of(request)}")(scope, receive, send)

    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    sock = listeners.bind("127.0.0.1:0")
    server = listeners.server(app, trusted_proxy=trusted)
    serving = asyncio.create_task(server.serve(sockets=[sock]))
    try:
        async with httpx.AsyncClient(trust_env=False) as client:
            said = {"X-Forwarded-For": "6.6.6.6, 203.0.113.7", "X-Forwarded-Proto": "https"}
            answer = await client.get(f"http://{listeners.address_of(sock)}/", headers=said)
    finally:
        server.should_exit = True
        await serving
    assert answer.text == f"{scheme} {source}"
