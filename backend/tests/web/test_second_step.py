"""Signing in in two steps, and by a passkey alone."""

import pytest

from browsers import browser, give_password, sign_in, who_is
from sieve.gateway.clock import NS_PER_S
from sieve.store.queries import factors, people
from sieve.web.passkey_challenges import LIFE_S, Challenges
from soft_authenticator import SoftAuthenticator
from web.factor_calls import (
    add_app,
    add_passkey,
    forget_last_step,
    local_browser,
    options_for,
    prolong_waits,
    with_app,
    with_passkey,
)
from web_world import Ground, World
from world_building import build, close

WRONG_CODE = {"code": "not it"}


async def actions(world: World) -> list[tuple[str, str, dict[str, object]]]:
    """Action, subject and details of each entry of the audit log, the oldest first."""
    async with world.client("root") as api:
        entries = (await api.get("/audit")).json()["items"]
    return [(each["action"], each["subject"], each["details"]) for each in reversed(entries)]


async def test_after_the_password_a_code_is_needed(world: World) -> None:
    app, _ = await with_app(world)
    async with browser(world) as api:
        answer = await sign_in(api, "anna")
        assert answer.status_code == 200
        step = answer.json()["next_step"]
        assert answer.json()["person"] is None
        assert step == {
            "name": "anna",
            "needs": "factor",
            "methods": {"password": False, "passkey": False, "app": True, "recovery_code": True, "sso": False},
        }
        half = api.cookies["sieve-alpha"]
        assert (await api.get("/me")).status_code == 401
        assert (await api.get("/factors")).status_code == 401
        assert (await api.post("/factors/app")).status_code == 401
        assert (await api.get("/session")).json()["next_step"] == step

        answer = await api.post("/session/factor", json={"code": f"{app.now()[:3]} {app.now()[3:]}"})
        assert answer.status_code == 200, answer.text
        assert answer.json()["person"]["name"] == "anna" and answer.json()["next_step"] is None
        assert api.cookies["sieve-alpha"] != half
        assert await who_is(api) == "anna"
    assert (await actions(world))[-1] == (
        "signed-in",
        "anna",
        {"source": "127.0.0.1", "with": "password and app"},
    )


async def test_the_half_signed_in_cookie_is_no_session(world: World) -> None:
    app, _ = await with_app(world)
    async with browser(world) as api, browser(world) as other:
        await sign_in(api, "anna")
        other.cookies.set("sieve-alpha", api.cookies["sieve-alpha"])
        assert (await api.post("/session/factor", json={"code": app.now()})).status_code == 200
        await forget_last_step(world)
        assert (await other.post("/session/factor", json={"code": app.now()})).status_code == 401
        assert await who_is(other) is None


async def test_a_code_is_accepted_once(world: World) -> None:
    app, _ = await with_app(world)
    code = app.now()
    async with browser(world) as api:
        await sign_in(api, "anna")
        assert (await api.post("/session/factor", json={"code": code})).status_code == 200
    async with browser(world) as api:
        await sign_in(api, "anna")
        assert (await api.post("/session/factor", json={"code": code})).status_code == 403
        assert await who_is(api) is None


async def test_a_recovery_code_is_accepted_once(world: World) -> None:
    _, codes = await with_app(world)
    assert len(set(codes)) == 10
    given = {"recovery_code": f" {codes[3].upper().replace('-', ' ')} "}
    async with browser(world) as api:
        await sign_in(api, "anna")
        assert (await api.post("/session/factor", json=given)).status_code == 200
        assert (await api.get("/factors")).json()["recovery_codes_left"] == 9
    async with browser(world) as api:
        await sign_in(api, "anna")
        assert (await api.post("/session/factor", json=given)).status_code == 403
    assert ("recovery-code-used", "anna", {"left": 9}) in await actions(world)


async def test_somebody_elses_code_is_wrong(world: World) -> None:
    theirs, codes = await with_app(world, "bruno")
    await with_app(world, "anna")
    async with browser(world) as api:
        await sign_in(api, "anna")
        for given in ({"code": theirs.now()}, {"recovery_code": codes[0]}):
            assert (await api.post("/session/factor", json=given)).status_code == 403


async def test_codes_cannot_be_guessed_and_the_password_gives_no_new_tries(world: World) -> None:
    app, _ = await with_app(world)
    async with browser(world) as api:
        for _ in range(6):
            await sign_in(api, "anna")
            assert (await api.post("/session/factor", json=WRONG_CODE)).status_code == 403
        await prolong_waits(world)
        await sign_in(api, "anna")
        answer = await api.post("/session/factor", json={"code": app.now()})
        assert answer.status_code == 429 and answer.headers["retry-after"]
    failed = [entry for entry in await actions(world) if entry[0] == "second-factor-failed"]
    assert [(subject, details["failures"]) for _, subject, details in failed] == [("anna", 1), ("anna", 2), ("anna", 4)]


async def test_guessed_codes_do_not_keep_out_who_has_a_passkey(world: World) -> None:
    app, _ = await with_app(world)
    async with local_browser(world) as api:
        await sign_in(api, "anna")
        await api.post("/session/factor", json={"code": app.now()})
        authenticator, codes = await add_passkey(api)
        assert codes is None, "she has recovery codes already"
        await sign_in(api, "anna")
        for _ in range(6):
            await api.post("/session/factor", json=WRONG_CODE)
        await prolong_waits(world)
        assert (await api.post("/session/factor", json=WRONG_CODE)).status_code == 429
        answer = authenticator.get(await options_for(api, "factor"))
        assert (await api.post("/session/factor", json={"passkey": answer})).status_code == 200


async def test_a_passkey_after_the_password_need_not_verify_its_user(world: World) -> None:
    authenticator = await with_passkey(world, authenticator=SoftAuthenticator(verifies=False))
    async with local_browser(world) as api:
        assert (await sign_in(api, "anna")).json()["next_step"]["methods"]["passkey"] is True
        options = await options_for(api, "factor")
        assert len(options["allowCredentials"]) == 1 and options["userVerification"] == "preferred"
        answer = await api.post("/session/factor", json={"passkey": authenticator.get(options)})
        assert answer.status_code == 200, answer.text
    async with local_browser(world) as api:
        options = await options_for(api, "sign-in")
        assert options["allowCredentials"] == [] and options["userVerification"] == "required"
        answer = await api.post("/session/passkey", json={"passkey": authenticator.get(options)})
        assert answer.status_code == 401, "alone, it is one factor only"


async def test_a_passkey_that_verified_its_user_signs_in_alone(world: World) -> None:
    authenticator = await with_passkey(world)
    async with local_browser(world) as api:
        answer = authenticator.get(await options_for(api, "sign-in"))
        signed_in = await api.post("/session/passkey", json={"passkey": answer})
        assert signed_in.status_code == 200, signed_in.text
        assert await who_is(api) == "anna"
        again = await api.post("/session/passkey", json={"passkey": answer})
        assert again.status_code == 401, "each answer counts once"
    assert ("signed-in", "anna", {"source": "127.0.0.1", "with": "passkey"}) in await actions(world)


@pytest.mark.parametrize("fault", ["purpose", "origin", "host", "copied", "handle", "key", "challenge"])
async def test_a_passkeys_answer_that_does_not_fit(world: World, fault: str) -> None:
    authenticator = await with_passkey(world)
    async with local_browser(world) as api:
        options = await options_for(api, "sign-in")
        match fault:
            case "purpose":
                await sign_in(api, "anna")
                options = await options_for(api, "factor")
            case "origin":
                authenticator.origin = "http://localhost.evil.example"
            case "host":
                options["rpId"] = "evil.example"
            case "copied":  # an authenticator that was cloned counts behind
                authenticator.count = -1
            case "handle":
                authenticator.user_handle = "AAAA"
            case "key":
                other = SoftAuthenticator(credential_id=authenticator.credential_id)
                other.user_handle, authenticator = authenticator.user_handle, other
            case "challenge":
                options["challenge"] = "A" * 75
        if fault == "copied":
            async with world.database.write() as session:
                row = await factors.passkey(session, authenticator.credential_id)
                assert row is not None
                row.sign_count = 7
            authenticator.count = 5
        answer = await api.post("/session/passkey", json={"passkey": authenticator.get(options)})
        assert answer.status_code == 401, answer.text
        assert await who_is(api) is None


@pytest.mark.parametrize(
    "response",
    [
        {},
        {"clientDataJSON": "!", "authenticatorData": "!", "signature": "!"},
        {"clientDataJSON": "bnVsbA", "authenticatorData": "", "signature": ""},
        {"clientDataJSON": "e30", "authenticatorData": "A", "signature": "A", "userHandle": "A"},
    ],
)
async def test_a_malformed_answer_is_refused(world: World, response: dict[str, str]) -> None:
    authenticator = await with_passkey(world)
    async with local_browser(world) as api:
        answer = authenticator.get(await options_for(api, "sign-in")) | {"response": response}
        assert (await api.post("/session/passkey", json={"passkey": answer})).status_code in (401, 422)


async def test_an_unknown_passkey_and_a_disabled_account_have_the_same_answer(world: World) -> None:
    authenticator = await with_passkey(world)
    async with world.database.write() as session:
        await people.change(session, world.people["anna"].id, disabled_at_ns=1)
    async with local_browser(world) as api:
        disabled, unknown = [
            await api.post("/session/passkey", json={"passkey": one.get(await options_for(api, "sign-in"))})
            for one in (authenticator, SoftAuthenticator())
        ]
    assert disabled.status_code == unknown.status_code == 401
    assert disabled.json() == unknown.json()


async def test_unknown_passkeys_are_throttled_by_source(world: World) -> None:
    async with local_browser(world, "192.0.2.1") as api:
        options = await options_for(api, "sign-in")
        for _ in range(21):
            unknown = {"passkey": SoftAuthenticator().get(options)}
            assert (await api.post("/session/passkey", json=unknown)).status_code == 401
        await prolong_waits(world)
        unknown = {"passkey": SoftAuthenticator().get(options)}
        assert (await api.post("/session/passkey", json=unknown)).status_code == 429


async def test_where_passkeys_work(tmp_path_factory: pytest.TempPathFactory, ground: Ground) -> None:
    world = await build(tmp_path_factory.mktemp("public"), ground, web_url="https://sieve.example.org")
    for url, works in {
        "http://localhost:8080": True,
        "http://127.0.0.1:8080": False,
        "https://sieve.example.org": True,
        "http://sieve.example.org": False,
        "https://other.example.org": False,
    }.items():
        async with browser(world, url=url) as api:
            if works or "sieve" not in url:
                assert (await api.get("/session")).json()["passkeys"] is works, url
    async with browser(world, url="https://sieve.example.org") as api:
        assert (await options_for(api, "sign-in"))["rpId"] == "sieve.example.org"
    async with browser(world) as api:
        assert (await api.get("/session/passkey-options", params={"purpose": "sign-in"})).status_code == 422
    await close(world)


async def test_a_passkey_of_another_address_is_not_asked_for(world: World) -> None:
    await with_passkey(world)
    async with world.database.write() as session:
        for row in await factors.passkeys(session, world.people["anna"].id):
            row.relying_party = "sieve.example.org"
    async with local_browser(world) as api:
        step = (await sign_in(api, "anna")).json()["next_step"]
        assert step["methods"] == {
            "password": False,
            "passkey": False,
            "app": False,
            "recovery_code": True,
            "sso": False,
        }


async def test_a_link_does_not_replace_the_second_factor(world: World) -> None:
    app, _ = await with_app(world, "bruno")
    async with world.client("root") as api:
        link = (await api.post(f"/people/{world.people['bruno'].id}/link")).json()["url"]
    async with browser(world) as api:
        body = {"code": link.split("#")[1], "password": "another long password"}
        answer = await api.post("/welcome", json=body)
        assert answer.json()["person"] is None and answer.json()["next_step"]["needs"] == "factor"
        assert await who_is(api) is None
        assert (await api.post("/session/factor", json={"code": app.now()})).status_code == 200


async def test_tokens_need_no_second_factor(world: World) -> None:
    await with_app(world)
    async with world.client("anna") as api:
        assert (await api.get("/me")).status_code == 200


@pytest.mark.parametrize(
    ("setting", "asked"),
    [
        ("optional", set()),
        ("admins", {"root"}),
        ("admins-and-cleared", {"root", "bruno"}),
        ("all", {"root", "bruno", "anna"}),
    ],
)
async def test_who_must_add_a_factor(
    tmp_path_factory: pytest.TempPathFactory, ground: Ground, setting: str, asked: set[str]
) -> None:
    world = await build(tmp_path_factory.mktemp(setting), ground, second_factor=setting)
    for who in ("root", "bruno", "anna"):
        await give_password(world, who)
        async with browser(world) as api:
            answer = (await sign_in(api, who)).json()
            assert (answer["person"] is None) is (who in asked), who
            assert (answer["next_step"] or {}).get("needs") == ("enrolment" if who in asked else None)
    await close(world)


async def test_the_first_factor_finishes_the_sign_in(tmp_path_factory: pytest.TempPathFactory, ground: Ground) -> None:
    world = await build(tmp_path_factory.mktemp("all"), ground, second_factor="all")
    await give_password(world, "anna")
    async with browser(world) as api, browser(world) as other:
        for each in (api, other):
            await sign_in(each, "anna")
            assert (await each.get("/me")).status_code == 401
        assert (await other.post("/session/factor", json=WRONG_CODE)).status_code == 401
        made = (await api.get("/factors")).json()
        assert made["required"] is True and made["passkeys"] == [] and made["app"] is None
        _, codes = await add_app(api)
        assert codes is not None and len(codes) == 10
        assert await who_is(api) == "anna"
        # She has one now: who knows only the password cannot add another.
        assert (await other.post("/factors/app")).status_code == 401
        assert (await api.delete("/factors/app")).status_code == 409, "the last one is required"
        assert (await api.get("/factors")).json()["app"] is not None
    await close(world)


async def test_a_challenge_is_for_one_purpose_and_person_once_and_not_for_long(world: World) -> None:
    now = [0]
    keys = b"a key of 32 bytes, for this test.", b"an earlier key"
    challenges = Challenges(keys, lambda: now[0])
    challenge = challenges.new("factor", "anna")
    assert challenges.is_valid(challenge, "factor", "anna")
    assert not challenges.is_valid(challenge, "factor", "bruno")
    assert not challenges.is_valid(challenge, "sign-in", "anna")
    assert not challenges.is_valid(challenge[:-1], "factor", "anna") and not challenges.is_valid(b"", "factor", "anna")
    assert not Challenges([b"another key"], lambda: now[0]).is_valid(challenge, "factor", "anna")
    # A replica may have the same keys in another order.
    assert Challenges(keys[::-1], lambda: now[0]).is_valid(challenge, "factor", "anna")
    assert challenges.is_valid(Challenges(keys[::-1], lambda: now[0]).new("sign-in"), "sign-in")
    for is_first in (True, False):  # at whichever replica: the rows know
        async with world.database.write() as session:
            assert await challenges.use(session, challenge) is is_first
    late = challenges.new("sign-in")
    now[0] = (LIFE_S + 1) * NS_PER_S
    assert not challenges.is_valid(late, "sign-in")
