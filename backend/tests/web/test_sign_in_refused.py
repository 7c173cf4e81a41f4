"""Refused sign-ins: the cost of guessing, and responses that reveal nothing."""

import asyncio
import logging
from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx
import pytest
from argon2 import PasswordHasher
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from browsers import PASSWORD, browser, give_password, pass_time, sign_in
from cheap_hasher import CHEAP
from sieve.demo import NO_TLS
from sieve.gateway.clock import now_ns
from sieve.gateway.runtime import listeners
from sieve.store.queries import people
from sieve.web.passwords import Compared, Passwords
from sieve.web.session import sign_in as session_sign_in
from sieve.web.session.throttle import source_of
from web_world import World


class _Watched(Passwords):
    """Records the comparisons."""

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
    assert "wrong login or password" in text
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


async def test_brute_force(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    # Time passes only by `pass_time`: on a slow machine 40 sign-ins take longer than the first wait.
    at_ns = now_ns()
    monkeypatch.setattr(session_sign_in, "now_ns", lambda: at_ns)
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


async def test_other_accounts_can_sign_in_and_other_sources_too(world: World) -> None:
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
            await give_password(world, "anna", "another horse battery")
            return compared

    world.app.state.services = replace(world.services, passwords=Slow(CHEAP))
    async with browser(world) as api:
        assert (await sign_in(api, "anna")).status_code == 401
        assert (await sign_in(api, "anna", "another horse battery")).status_code == 401, "a new salt each time"


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
        change = {"current": PASSWORD, "new": "planted new heron words"}
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
        async with httpx.AsyncClient(trust_env=False, verify=NO_TLS) as client:
            said = {"X-Forwarded-For": "6.6.6.6, 203.0.113.7", "X-Forwarded-Proto": "https"}
            answer = await client.get(f"http://{listeners.address_of(sock)}/", headers=said)
    finally:
        server.should_exit = True
        await serving
    assert answer.text == f"{scheme} {source}"
