"""Adding and removing second factors, and confirming that it is still the same person."""

import asyncio
from datetime import timedelta

import httpx
import pyotp
import pytest

from browsers import OURS, PASSWORD, pass_time, sign_in, signed_in, who_is
from cases import each
from command_world import Served
from databases import as_sqlite, url
from sieve.cli import main
from sieve.demo import NO_TLS
from sieve.gateway.clock import now_ns
from sieve.store.models import AuthenticatorApp, RecoveryCode
from sieve.store.queries import people, sessions
from sieve.web.second_factor import authenticator_app, recovery_codes
from soft_authenticator import SoftAuthenticator
from web.factor_calls import (
    add_app,
    add_passkey,
    forget_confirmation,
    forget_last_step,
    local_browser,
    options_for,
    with_app,
    with_passkey,
)
from web_world import World

CHANGES = [
    ("POST", "/factors/app", None),
    ("POST", "/factors/app/confirmation", {"code": "123456"}),
    ("DELETE", "/factors/app", None),
    ("DELETE", "/factors/passkeys/1", None),
    ("POST", "/factors/recovery-codes", None),
]


async def test_passkeys_are_listed_and_removed(world: World) -> None:
    async with signed_in(world, "anna") as plain:
        cookie = plain.cookies["sieve-alpha"]
    async with local_browser(world) as api:
        api.cookies.set("sieve-alpha", cookie)
        _, codes = await add_passkey(api, name=" Laptop ")
        assert codes is not None
        assert (await add_passkey(api, name="Security key"))[1] is None
        shown = (await api.get("/factors")).json()
        assert [(row["name"], row["relying_party"]) for row in shown["passkeys"]] == [
            ("Laptop", "localhost"),
            ("Security key", "localhost"),
        ]
        assert (shown["recovery_codes_left"], shown["required"], shown["passkeys_here"]) == (10, False, True)
        for row in shown["passkeys"]:
            assert (await api.delete(f"/factors/passkeys/{row['id']}")).status_code == 204
        # The recovery codes go with the last factor.
        assert (await api.get("/factors")).json()["recovery_codes_left"] == 0
        assert (await sign_in(api, "anna")).json()["person"]["name"] == "anna"


async def test_an_authenticator_has_one_passkey_and_an_answer_counts_once(world: World) -> None:
    authenticator = await with_passkey(world)
    async with local_browser(world) as api:
        answer = authenticator.get(await options_for(api, "sign-in"))
        await api.post("/session/passkey", json={"passkey": answer})
        options = (await api.get("/factors/passkey-options")).json()
        assert len(options["excludeCredentials"]) == 1
        body = {"name": "again", "passkey": authenticator.create(options)}
        assert (await api.post("/factors/passkeys", json=body)).status_code == 409
        body = {"name": "new", "passkey": SoftAuthenticator().create(options)}
        assert (await api.post("/factors/passkeys", json=body)).status_code == 201
        body = {"name": "new", "passkey": SoftAuthenticator().create(options)}
        assert (await api.post("/factors/passkeys", json=body)).status_code == 422, "the challenge was used"
        foreign = SoftAuthenticator(origin="http://evil.example")
        options = (await api.get("/factors/passkey-options")).json()
        body = {"name": "foreign", "passkey": foreign.create(options)}
        assert (await api.post("/factors/passkeys", json=body)).status_code == 422


async def test_an_app_counts_once_a_code_was_right(world: World) -> None:
    async with signed_in(world) as api:
        made = (await api.post("/factors/app")).json()
        assert made["secret"] in made["address"] and made["address"].startswith("otpauth://totp/")
        assert len(made["qr"]) == len(made["qr"][0]) and set("".join(made["qr"])) == {"0", "1"}
        assert (await api.post("/factors/app/confirmation", json={"code": "x"})).status_code == 422
        assert (await api.get("/factors")).json()["app"] is None
        assert (await sign_in(api, "anna")).json()["person"]["name"] == "anna"
        await add_app(api)
        assert (await api.post("/factors/app")).status_code == 409
        assert (await api.get("/factors")).json()["app"] is not None
        assert (await api.delete("/factors/app")).status_code == 204
        assert (await api.delete("/factors/app")).status_code == 404


async def test_nothing_in_the_database_gives_a_code(world: World) -> None:
    app, codes = await with_app(world)
    stored = (world.folder / "sieve.db").read_bytes() + b"".join(
        path.read_bytes() for path in world.folder.glob("sieve.db-*")
    )
    assert app.secret.encode() not in stored
    assert not any(code.encode() in stored or code.replace("-", "").encode() in stored for code in codes)
    async with world.database.read() as session:
        row = await session.get(AuthenticatorApp, world.people["anna"].id)
        assert row is not None
        assert authenticator_app.unseal(world.services.blobs.keys, row.secret, row.user_id) == app.secret
        assert await session.get(RecoveryCode, recovery_codes.hash_of(codes[0])) is not None


async def test_new_recovery_codes_replace_the_earlier_ones(world: World) -> None:
    app, codes = await with_app(world)
    async with local_browser(world) as api:
        await sign_in(api, "anna")
        await api.post("/session/factor", json={"code": app.now()})
        fresh = (await api.post("/factors/recovery-codes")).json()["recovery_codes"]
        assert not set(fresh) & set(codes)
        await sign_in(api, "anna")
        assert (await api.post("/session/factor", json={"recovery_code": codes[0]})).status_code == 403
        assert (await api.post("/session/factor", json={"recovery_code": fresh[0]})).status_code == 200


async def test_recovery_codes_need_a_factor(world: World) -> None:
    async with signed_in(world) as api:
        assert (await api.post("/factors/recovery-codes")).status_code == 409


@pytest.mark.parametrize(("method", "path", "body"), CHANGES)
async def test_changes_need_a_recent_confirmation(world: World, method: str, path: str, body: object) -> None:
    async with signed_in(world) as api:
        await forget_confirmation(world, api)
        refused = await api.request(method, path, json=body)
        assert (refused.status_code, refused.json()["kind"]) == (403, "confirmation-needed")
        assert (await api.post("/session/confirmation", json={"password": PASSWORD})).status_code == 204
        assert (await api.request(method, path, json=body)).status_code != 403


@each(("method", "path", "body"), [("GET", "/factors", None), *CHANGES])
async def test_tokens_and_strangers_change_nothing(world: World, method: str, path: str, body: object) -> None:
    async with world.client("anna") as api:
        assert (await api.request(method, path, json=body)).status_code == 403
    async with world.client() as api:
        assert (await api.request(method, path, json=body)).status_code in (401, 403)


@pytest.mark.parametrize(("method", "path"), [("POST", "/factors/app"), ("POST", "/session/factor")])
async def test_only_our_own_pages_change_factors(world: World, method: str, path: str) -> None:
    async with signed_in(world) as api:
        answer = await api.request(method, path, headers={"Sec-Fetch-Site": "same-site"}, json={"code": "1"})
        assert answer.status_code == 403


async def test_who_has_a_factor_confirms_with_it(world: World) -> None:
    app, codes = await with_app(world)
    async with local_browser(world) as api:
        await sign_in(api, "anna")
        await api.post("/session/factor", json={"code": app.now()})
        await forget_confirmation(world, api)
        methods = {"password": False, "passkey": False, "app": True, "recovery_code": True, "sso": False}
        assert (await api.get("/session/confirmation")).json() == {"confirmed": False, "methods": methods}
        assert (await api.post("/session/confirmation", json={"password": PASSWORD})).status_code == 403
        assert (await api.post("/session/confirmation", json={"code": "000"})).status_code == 403
        assert (await api.post("/factors/recovery-codes")).status_code == 403
        await forget_last_step(world)
        assert (await api.post("/session/confirmation", json={"code": app.now()})).status_code == 204
        assert (await api.get("/session/confirmation")).json()["confirmed"] is True
        await add_passkey(api)
        await forget_confirmation(world, api)
        assert (await api.post("/session/confirmation", json={"recovery_code": codes[0]})).status_code == 204
        assert (await api.post("/factors/recovery-codes")).status_code == 200


async def test_a_passkey_confirms(world: World) -> None:
    authenticator = await with_passkey(world)
    async with local_browser(world) as api:
        await api.post("/session/passkey", json={"passkey": authenticator.get(await options_for(api, "sign-in"))})
        await forget_confirmation(world, api)
        answer = authenticator.get(await options_for(api, "confirmation"))
        assert (await api.post("/session/confirmation", json={"passkey": answer})).status_code == 204
        assert (await api.delete("/factors/passkeys/1")).status_code == 404


@pytest.mark.parametrize("body", [{}, {"password": PASSWORD, "code": "1"}, {"passkey": "x"}])
async def test_a_confirmation_is_one_thing(world: World, body: dict[str, str]) -> None:
    async with signed_in(world) as api:
        answer = await api.post("/session/confirmation", json=body)
    assert answer.status_code == 422 and PASSWORD not in answer.text


async def test_an_admin_takes_a_lost_factor_away(world: World) -> None:
    app, _ = await with_app(world)
    async with local_browser(world) as anna, world.client("root") as root:
        await sign_in(anna, "anna")
        await anna.post("/session/factor", json={"code": app.now()})
        anna_id, root_id = world.people["anna"].id, world.people["root"].id
        assert (await root.get("/people/factors")).json() == [{"person_id": anna_id}]
        assert (await root.delete(f"/people/{anna_id}/factors")).status_code == 204
        assert (await root.get("/people/factors")).json() == []
        assert await who_is(anna) is None
        assert (await sign_in(anna, "anna")).json()["person"]["name"] == "anna"
        assert (await anna.get("/factors")).json()["recovery_codes_left"] == 0
        assert (await root.delete(f"/people/{root_id}/factors")).status_code == 403
        assert (await root.delete(f"/people/{'0' * 32}/factors")).status_code == 404
        assert (await root.get("/audit")).json()["items"][1]["action"] == "factors-taken-away"


def test_the_only_admins_lost_factor_is_removed_in_the_data_folder(
    served: Served, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIEVE_DATA_DIR", str(served.world.folder))
    monkeypatch.setenv("SIEVE_DATABASE_URL", url(served.world.folder / "sieve.db"))
    assert main(["admin", "remove-factors", "root"]) != 0
    assert capsys.readouterr().err == "sieve: root has no second factor\n"
    served.run(with_app(served.world, "root"))
    assert main(["admin", "remove-factors", "Root"]) == 0
    with httpx.Client(base_url=f"{served.url}/api/v1", headers=OURS, verify=NO_TLS) as browser:
        signed_in = browser.post("/session", json={"name": "root", "password": PASSWORD})
        assert signed_in.json()["person"]["name"] == "root"


async def test_taking_a_factor_away_ends_half_a_sign_in(world: World) -> None:
    await with_app(world)
    async with local_browser(world) as anna, world.client("root") as root:
        await sign_in(anna, "anna")
        await root.delete(f"/people/{world.people['anna'].id}/factors")
        assert (await anna.get("/session")).json()["next_step"] is None


async def test_an_unfinished_sign_in_ends(world: World) -> None:
    app, _ = await with_app(world)
    async with local_browser(world) as api:
        await sign_in(api, "anna")
        assert (await api.delete("/session")).status_code == 204
        assert (await api.post("/session/factor", json={"code": app.now()})).status_code == 401
        await sign_in(api, "anna")
        await pass_time(world, "unfinished_sign_ins", timedelta(minutes=16))
        assert (await api.post("/session/factor", json={"code": app.now()})).status_code == 401
        assert (await api.get("/session")).json()["next_step"] is None


@pytest.mark.parametrize("drift", [-2, -1, 0, 1, 2])
def test_the_apps_clock_may_differ_by_one_step(drift: int) -> None:
    secret, now = authenticator_app.new_secret(), now_ns()
    code = pyotp.TOTP(secret).at(now // 10**9, counter_offset=drift)
    step = authenticator_app.step_of(secret, code, now, None)
    assert (step is not None) is (abs(drift) <= 1)


def test_a_code_counts_once_also_after_the_clock_was_ahead() -> None:
    secret, now = authenticator_app.new_secret(), now_ns()
    code, current = pyotp.TOTP(secret).at(now // 10**9), now // 10**9 // 30
    assert authenticator_app.step_of(secret, code, now, current - 1) == current
    assert authenticator_app.step_of(secret, code, now, current) is None
    assert authenticator_app.step_of(secret, code, now, current + 1) is None
    assert authenticator_app.step_of(secret, code, now, current + 100_000) == current


WAYS_IN = [
    ("POST", "/people/{anna}/link", None),
    ("POST", "/people/{robot}/tokens", {"label": "a"}),
    ("DELETE", "/people/{anna}/factors", None),
    ("POST", "/people/import", None),
]


@pytest.mark.parametrize(("method", "path", "body"), WAYS_IN)
async def test_an_unlocked_browser_of_an_admin_gives_no_way_in(
    world: World, method: str, path: str, body: dict[str, str] | None
) -> None:
    async with world.database.write() as session:
        robot = await people.add(session, name="robot", display_name="R", now_ns=1, is_recipient=True, is_service=True)
    path = path.format(anna=world.people["anna"].id, robot=robot.id)
    content = {"content": b"login,roles\neve,admin\n"} if path.endswith("import") else {"json": body}
    async with signed_in(world, "root") as api:
        await forget_confirmation(world, api)
        refused = await api.request(method, path, **content)
        assert (refused.status_code, refused.json()["kind"]) == (403, "confirmation-needed")
        if path.endswith("import"):
            assert (await api.post(path, params={"preview": True}, **content)).status_code == 200
        assert (await api.post("/session/confirmation", json={"password": PASSWORD})).status_code == 204
        assert (await api.request(method, path, **content)).status_code in (200, 201, 204)


async def test_a_token_needs_the_factor_of_who_has_one(world: World) -> None:
    app, codes = await with_app(world)
    async with local_browser(world) as api:
        assert (await sign_in(api, "anna")).json()["next_step"]["needs"] == "factor"
        assert (await api.post("/tokens", json={"label": "a"})).status_code == 401
        assert (await api.post("/session/factor", json={"code": app.now()})).status_code == 200
        await forget_confirmation(world, api)
        assert (await api.post("/tokens", json={"label": "a"})).json()["kind"] == "confirmation-needed"
        assert (await api.post("/session/confirmation", json={"password": PASSWORD})).status_code == 403
        assert (await api.post("/tokens", json={"label": "a"})).status_code == 403
        assert (await api.post("/session/confirmation", json={"recovery_code": codes[0]})).status_code == 204
        assert (await api.post("/tokens", json={"label": "a"})).status_code == 201


async def test_a_session_that_ends_meanwhile_makes_no_token(world: World) -> None:
    """Its request had passed every check, and waited for its turn to write."""
    async with signed_in(world) as api:
        async with world.database.write() as session:
            making = asyncio.create_task(api.post("/tokens", json={"label": "late"}))
            while not as_sqlite(world.database).writer.waiting:
                await asyncio.sleep(0)
            await sessions.end_all(session, world.people["anna"].id)
        assert (await making).status_code == 401
