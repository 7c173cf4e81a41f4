"""Signing in with an OpenID Connect provider: accounts, rights by claims, second factors, confirmations."""

from pathlib import Path

from browsers import OURS, browser, give_password, sign_in, signed_in, who_is
from oidc_server import CLIENT
from people_world import add_admin
from sieve.store.queries import people, tokens
from web.approval_calls import SECRET
from web.factor_calls import add_app, add_passkey, forget_confirmation, forget_last_step, options_for, with_app
from web.sso_calls import HERE, RIGHTS, at_provider, begin, finish, link_for, linked, page, sso_sign_in, with_provider
from web_world import Ground, World
from world_building import build, close


async def rights(world: World, login: str) -> set[str]:
    """What that person may do."""
    async with world.database.read() as session:
        user = await people.by_name(session, login)
    assert user is not None
    return {each for each in ("is_author", "is_recipient", "is_admin", "cleared") if getattr(user, each)}


async def audit(world: World) -> list[tuple[str, str, str, dict[str, object]]]:
    """Actor, action, subject and details of each entry of the audit log, the oldest first."""
    async with world.client("root") as api:
        entries = (await api.get("/audit")).json()["items"]
    return [(each["actor"], each["action"], each["subject"], each["details"]) for each in reversed(entries)]


async def test_a_link_lets_its_owner_sign_in_with_the_provider(tmp_path: Path, ground: Ground) -> None:
    async with with_provider(tmp_path, ground) as (world, provider):
        await give_password(world, "anna")
        provider.person = {"sub": "of-anna", "preferred_username": "somebody else"}
        async with page(world) as api:
            shown = (await api.get("/session")).json()
            assert shown["sso"] == "Office" and shown["person"] is None
            answer = await sso_sign_in(api, link=await link_for(world, "anna"))
            assert answer.status_code == 200, answer.text
            person = answer.json()["session"]["person"]
            assert (person["name"], person["has_sso"], person["has_password"]) == ("anna", True, False)
            assert await who_is(api) == "anna"
        async with page(world) as api:
            assert (await sso_sign_in(api)).status_code == 200
            assert await who_is(api) == "anna"
            assert (await sign_in(api, "anna")).status_code == 401
        entries = await audit(world)
        assert ("anna", "sso-linked", "anna", {"issuer": provider.issuer, "by": "link"}) in entries
        assert entries[-2] == ("anna", "signed-in", "anna", {"source": "127.0.0.1", "with": "sso"})


async def test_the_cookies_are_those_of_a_session(tmp_path: Path, ground: Ground) -> None:
    more = {"trusted_proxy": "127.0.0.1", "web_url": "https://sieve.example.org"}
    async with (
        with_provider(tmp_path, ground, **more) as (world, _),
        browser(world, url="https://sieve.example.org") as api,
    ):
        answer = await api.post("/session/sso/start", json={})
        flow = answer.headers["set-cookie"]
        assert flow.startswith("__Host-sieve-alpha-sso=")
        for attribute in ("HttpOnly", "Secure", "SameSite=strict", "Path=/", "Max-Age=600"):
            assert attribute in flow
        assert "redirect_uri=https%3A%2F%2Fsieve.example.org%2Fsign-in%2Fsso&" in answer.json()["url"]
        async with browser(world, url="https://elsewhere.example") as other:
            assert (await other.post("/session/sso/start", json={})).status_code == 403


async def test_reset_by_link_locks_as_a_password_does(tmp_path: Path, ground: Ground) -> None:
    async with with_provider(tmp_path, ground) as (world, provider):
        await world.deliver(b"a <$S>secret<$E> b", ["bruno"])
        async with signed_in(world, "bruno") as before, page(world) as api:
            assert (await sso_sign_in(api, link=await link_for(world, "bruno"))).status_code == 200
            assert (await api.get("/me")).json()["locked_before"] is not None
            assert await who_is(before) is None
        await add_admin(world, "ada")
        async with world.client("ada") as api:
            [waiting] = (await api.get("/approvals")).json()["waiting"]
            assert (await api.post(f"/approvals/{waiting['id']}/refuse")).status_code == 204
        async with page(world) as api:
            assert (await sso_sign_in(api)).status_code == 403
        provider.person = {"sub": "another"}
        async with page(world) as api:
            code = await link_for(world, "bruno")
            password = {"code": code, "password": "a long enough password"}
            assert (await sso_sign_in(api, link=code)).status_code == 200
            assert (await api.post("/welcome", json=password)).status_code == 404
            assert (await sso_sign_in(api, link=code)).status_code == 403


async def test_a_password_ends_the_link_to_the_provider(tmp_path: Path, ground: Ground) -> None:
    async with with_provider(tmp_path, ground) as (world, provider):
        await linked(world, provider)
        async with page(world) as api:
            password = {"code": await link_for(world, "anna"), "password": "a long enough password"}
            assert (await api.post("/welcome", json=password)).json()["person"]["has_sso"] is False
        async with page(world) as api:
            assert (await sso_sign_in(api)).status_code == 403


async def test_one_subject_has_one_account(tmp_path: Path, ground: Ground) -> None:
    async with with_provider(tmp_path, ground) as (world, provider):
        await linked(world, provider)
        async with page(world) as api:
            answer = await sso_sign_in(api, link=await link_for(world, "bruno"))
            assert answer.status_code == 403 and answer.json()["said"]["code"] == "sso-other-account"
            assert await who_is(api) is None
        assert (await audit(world))[-1][1:3] == ("sign-in-failed", "")


async def test_nobody_gets_an_account_by_login_name_or_address(tmp_path: Path, ground: Ground) -> None:
    claims = {"preferred_username": "anna", "name": "Anna", "email": "anna@example.org", "email_verified": True}
    async with with_provider(tmp_path, ground, oidc_rights=RIGHTS, oidc_new_accounts=True) as (world, provider):
        async with world.database.write() as session:
            await people.change(session, world.people["anna"].id, email="anna@example.org")
        provider.person = {"sub": "stranger", "groups": ["authors"], **claims}
        async with page(world) as api:
            answer = await sso_sign_in(api)
            assert answer.status_code == 403 and answer.json()["said"]["code"] == "sso-no-account"
        provider.person = {"sub": "of-adam", "groups": ["authors"]}
        await linked_with(world, "adam")
        provider.person = {"sub": "of-somebody", "groups": ["authors"], "preferred_username": "adam"}
        async with page(world) as api:
            assert (await sso_sign_in(api)).status_code == 403
            assert await who_is(api) is None


async def test_a_first_sign_in_makes_an_account_if_the_settings_allow_it(tmp_path: Path, ground: Ground) -> None:
    async with with_provider(tmp_path, ground, oidc_rights=RIGHTS, oidc_new_accounts=True) as (world, provider):
        provider.person = {
            "sub": "1",
            "preferred_username": "Ines@Office",
            "name": "Ines\u202e Roy",
            "groups": "secret",
        }
        async with page(world) as api:
            person = (await sso_sign_in(api)).json()["session"]["person"]
        assert (person["name"], person["display_name"]) == ("ines@office", "Ines Roy")
        assert await rights(world, "ines@office") == {"is_recipient", "cleared"}
        provider.person = {"sub": "1", "preferred_username": "other", "groups": ["authors", "unknown", 7]}
        async with page(world) as api:
            assert (await sso_sign_in(api)).json()["session"]["person"]["name"] == "ines@office"
        assert await rights(world, "ines@office") == {"is_author"}
        for sub, login, groups in (("2", "no role", []), ("3", "-", ["authors"]), ("4", None, ["authors"])):
            provider.person = {"sub": sub, "preferred_username": login, "groups": groups}
            async with page(world) as api:
                assert (await sso_sign_in(api)).status_code == 403
    async with with_provider(tmp_path, ground) as (world, provider), page(world) as api:
        assert (await sso_sign_in(api)).json()["said"]["code"] == "sso-no-account"


async def test_rights_that_the_provider_takes_away_end_at_once(tmp_path: Path, ground: Ground) -> None:
    async with with_provider(tmp_path, ground, oidc_rights=RIGHTS, oidc_rights_claim="access.roles") as (
        world,
        provider,
    ):
        provider.person = {"sub": "b", "access": {"roles": ["authors", "secret"]}}
        await linked_with(world, "adam")
        assert await rights(world, "adam") == {"is_author", "is_recipient", "cleared"}
        async with page(world) as first, page(world) as second, world.client("adam") as program:
            assert (await sso_sign_in(first)).status_code == 200
            assert (await sso_sign_in(second)).status_code == 200
            assert await who_is(first) == "adam"
            world.tokens["adam"] = await own_token(world, "adam")
            program.headers["Authorization"] = f"Bearer {world.tokens['adam']}"
            assert (await program.get("/me")).status_code == 200
            provider.person = {"sub": "b", "access": {"roles": ["authors"]}}
            assert (await sso_sign_in(second)).status_code == 200
            assert await rights(world, "adam") == {"is_author"}
            assert await who_is(first) is None and await who_is(second) == "adam"
            assert (await program.get("/me")).status_code == 401
            provider.person = {"sub": "b"}
            answer = await sso_sign_in(second)
            assert answer.status_code == 403 and answer.json()["said"]["code"] == "sso-no-rights"
            assert await rights(world, "adam") == set() and await who_is(second) is None
        changes = [entry for entry in await audit(world) if entry[1] == "person-changed"]
        assert len(changes) == 3 and all(entry[0] == "adam" and entry[3]["by"] == "sso" for entry in changes)


async def test_clearance_by_claim_counts_for_what_arrives_later(tmp_path: Path, ground: Ground) -> None:
    async with with_provider(tmp_path, ground, oidc_rights=RIGHTS) as (world, provider):
        provider.person = {"sub": "r", "groups": ["readers"]}
        await linked_with(world, "rosa")
        entry = await world.deliver(b"a <$S>secret<$E> b", ["rosa"])
        provider.person = {"sub": "r", "groups": ["secret", "admins"]}
        async with page(world) as api:
            me = (await sso_sign_in(api)).json()["session"]["person"]
            assert me["cleared"] and me["cleared_since"] is not None and me["is_admin"] and not me["admin_confirmed"]
            assert b"secret" not in (await api.get(f"/inbox/{entry}/content", params={"edition": "redacted"})).content
            assert (await api.get(f"/inbox/{entry}/content")).status_code == 403
        await add_admin(world, "ada")
        async with world.client("root") as root, world.client("ada") as ada:
            [clearance] = [
                each for each in (await root.get("/approvals")).json()["waiting"] if each["kind"] == "clearance"
            ]
            assert clearance["asked_by"] is None
            # No admin gave it, so two must agree.
            assert (await root.post(f"/approvals/{clearance['id']}/agree")).status_code == 204
            async with page(world) as api:
                await sso_sign_in(api)
                assert (await api.get(f"/inbox/{entry}/content")).status_code == 403
            assert (await ada.post(f"/approvals/{clearance['id']}/agree")).status_code == 204
        async with page(world) as api:
            await sso_sign_in(api)
            assert (await api.get(f"/inbox/{entry}/content")).content == b"a secret b"


async def test_admins_do_not_change_rights_that_the_provider_gives(tmp_path: Path, ground: Ground) -> None:
    async with with_provider(tmp_path, ground, oidc_rights=RIGHTS) as (world, provider):
        provider.person = {"sub": "r", "groups": ["readers"]}
        await linked_with(world, "rosa")
        async with world.client("root") as api:
            path = f"/people/{world.people['rosa'].id}"
            answer = await api.patch(path, json={"cleared": True})
            assert answer.status_code == 409 and answer.json()["said"]["code"] == "rights-of-provider"
            assert (await api.patch(path, json={"is_recipient": True, "unit": "Harbour"})).status_code == 200
            assert (await api.patch(path, json={"disabled": True})).status_code == 200
        async with page(world) as browser_of_rosa:
            answer = await sso_sign_in(browser_of_rosa)
            assert answer.status_code == 403 and answer.json()["said"]["code"] == "sso-disabled"


async def test_a_local_second_factor_is_asked_for_unless_the_provider_checked_one(
    tmp_path: Path, ground: Ground
) -> None:
    more = {"second_factor": "all", "oidc_second_factor": "mfa, gold"}
    async with with_provider(tmp_path, ground, **more) as (world, provider):
        provider.person = {"sub": "a"}
        async with page(world) as api:
            step = (await sso_sign_in(api, link=await link_for(world, "anna"))).json()["session"]["next_step"]
            assert step["needs"] == "enrolment" and await who_is(api) is None
            app, _ = await add_app(api)
            assert await who_is(api) == "anna"
        await forget_last_step(world)
        for claims in ({"amr": ["pwd"]}, {"acr": "silver", "amr": "mfa-not"}, {"amr": {"mfa": True}}):
            provider.person = {"sub": "a", **claims}
            async with page(world) as api:
                assert (await sso_sign_in(api)).json()["session"]["next_step"]["needs"] == "factor"
        async with page(world) as api:
            await sso_sign_in(api)
            assert (await api.post("/session/factor", json={"code": app.now()})).status_code == 200
        assert (await audit(world))[-1][3]["with"] == "sso and app"
        for claims in ({"amr": ["pwd", "mfa"]}, {"acr": "gold"}):
            provider.person = {"sub": "a", **claims}
            async with page(world) as api:
                await sso_sign_in(api)
                assert await who_is(api) == "anna"
        assert (await audit(world))[-1][3]["with"] == "sso and its factor"


async def test_the_factor_of_somebody_at_the_provider_who_used_a_link_is_not_the_owners(
    tmp_path: Path, ground: Ground
) -> None:
    async with with_provider(tmp_path, ground, oidc_second_factor="mfa") as (world, provider):
        await add_admin(world, "second")
        await world.deliver(SECRET)
        app, _ = await with_app(world, "bruno")
        provider.person = {"sub": "somebody", "amr": ["pwd", "mfa"]}
        for asked in ({"link": await link_for(world, "bruno")}, {}):
            async with page(world) as api:
                step = (await sso_sign_in(api, **asked)).json()["session"]["next_step"]
                assert step["needs"] == "factor" and await who_is(api) is None
        # The owner's factor says that it was the owner, and so does a second admin.
        async with page(world) as api:
            await sso_sign_in(api)
            assert (await api.post("/session/factor", json={"code": app.now()})).status_code == 200
        async with page(world) as api:
            await sso_sign_in(api)
            assert await who_is(api) == "bruno"


async def test_the_provider_confirms_that_it_is_still_the_same_person(tmp_path: Path, ground: Ground) -> None:
    async with with_provider(tmp_path, ground) as (world, provider), page(world) as api:
        await linked(world, provider)
        await sso_sign_in(api)
        await forget_confirmation(world, api)
        shown = (await api.get("/session/confirmation")).json()
        assert not shown["confirmed"] and shown["methods"]["sso"] and not shown["methods"]["password"]
        assert (await api.post("/factors/app")).json()["kind"] == "confirmation-needed"
        stolen = api.cookies["sieve-alpha"]

        url = await begin(api, purpose="confirmation")
        assert "prompt=login" in url and "max_age=0" in url
        answer = await finish(api, await at_provider(url))
        assert answer.status_code == 200 and answer.json()["purpose"] == "confirmation"
        assert api.cookies["sieve-alpha"] == stolen
        assert (await api.get("/session/confirmation")).json()["confirmed"]
        assert (await api.post("/factors/app")).status_code == 200


async def test_an_old_sign_in_or_another_person_confirms_nothing(tmp_path: Path, ground: Ground) -> None:
    async with with_provider(tmp_path, ground) as (world, provider), page(world) as api, page(world) as other:
        await linked(world, provider)
        await sso_sign_in(api)
        await sso_sign_in(other)
        await forget_confirmation(world, api)
        for claims in (
            {"sub": "of-anna", "auth_time": 1},
            {"sub": "of-anna", "auth_time": None},
            {"sub": "of-anna", "auth_time": True},
            {"sub": "of-anna", "auth_time": 10**12},
            {"sub": "somebody"},
        ):
            provider.person = claims
            answer = await finish(api, await at_provider(await begin(api, purpose="confirmation")))
            assert answer.status_code == 403, claims
        provider.person = {"sub": "of-anna"}
        # A flow of another session, whose cookie somebody put into this browser.
        returned = await at_provider(await begin(other, purpose="confirmation"))
        api.cookies.set("sieve-alpha-sso", other.cookies["sieve-alpha-sso"])
        assert (await finish(api, returned)).status_code == 403
        assert not (await api.get("/session/confirmation")).json()["confirmed"]
        async with page(world) as nobody, signed_in(world, "adam") as local:
            assert (await nobody.post("/session/sso/start", json={"purpose": "confirmation"})).status_code == 401
            local.base_url = f"{HERE}/api/v1"
            answer = await local.post("/session/sso/start", json={"purpose": "confirmation"})
            assert answer.status_code in (401, 403)


async def test_a_passkey_alone_does_not_pass_by_the_provider(tmp_path: Path, ground: Ground) -> None:
    async with with_provider(tmp_path, ground) as (world, provider):
        await linked(world, provider)
        async with page(world) as api:
            await sso_sign_in(api)
            passkey, _ = await add_passkey(api)
        async with page(world) as api:
            answer = await api.post(
                "/session/passkey", json={"passkey": passkey.get(await options_for(api, "sign-in"))}
            )
            assert answer.status_code == 401
            assert (await sso_sign_in(api)).json()["session"]["next_step"]["methods"]["passkey"]


async def test_a_provider_that_is_down_stops_only_single_sign_on(tmp_path: Path, ground: Ground) -> None:
    world = await build(tmp_path, ground, oidc_issuer="http://127.0.0.1:9", oidc_client_id=CLIENT)
    try:
        async with page(world) as api:
            answer = await api.post("/session/sso/start", json={})
            assert answer.status_code == 502 and answer.json()["said"]["code"] == "sso-unreachable"
            await give_password(world, "anna")
            assert (await sign_in(api, "anna")).status_code == 200
            ready = await api.get(f"{HERE}/readyz")
            assert ready.status_code == 200 and "does not answer" in ready.json()["single_sign_on"]
    finally:
        await close(world)


async def test_the_provider_can_be_left_too(tmp_path: Path, ground: Ground) -> None:
    async with with_provider(tmp_path, ground) as (world, provider), page(world) as api:
        await linked(world, provider)
        await sso_sign_in(api)
        shown = (await api.get("/session/sso")).json()
        assert shown["name"] == "Office"
        back = "post_logout_redirect_uri=http%3A%2F%2Flocalhost%2Fsign-in"
        assert shown["sign_out_url"] == f"{provider.issuer}/end?client_id={CLIENT}&{back}"


async def test_without_a_provider_there_is_no_single_sign_on(world: World) -> None:
    async with page(world) as api:
        assert (await api.get("/session")).json()["sso"] is None
        assert (await api.post("/session/sso/start", json={})).status_code == 404
        assert (await finish(api, {"state": "x", "code": "y"})).status_code == 404
    async with world.client("anna") as api:
        assert (await api.get("/session/sso")).status_code == 404
        answer = await api.post("/session/sso/start", json={}, headers={**OURS, "Sec-Fetch-Site": "cross-site"})
        assert answer.status_code == 403


async def linked_with(world: World, login: str) -> None:
    """Links that account with whom the provider signs in now."""
    async with page(world) as api:
        answer = await sso_sign_in(api, link=await link_for(world, login))
    assert answer.status_code == 200, answer.text


async def own_token(world: World, login: str) -> str:
    """A token of that person."""
    async with world.database.write() as session:
        value = f"sieve_new_{login}"
        await tokens.add(session, user_id=world.people[login].id, token=value, label="t", now_ns=1)
    return value
