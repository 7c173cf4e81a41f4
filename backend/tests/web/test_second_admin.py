"""An admin is not a reader: what a link, a service account's token or clearance opens, and who must agree (ADR 37)."""

import pytest
from pydantic import SecretStr

from browsers import PASSWORD, browser, give_password, sign_in, signed_in, who_is
from databases import url
from people_world import add_admin
from sieve.cli.gateway import confirm_account
from sieve.store.models import User
from sieve.store.queries import approvals, factors, people, tokens
from web.approval_calls import NEW_PASSWORD, SECRET, answer, clear, deliver_now, full, reset, waiting
from web.factor_calls import forget_confirmation
from web_world import World


async def test_clearance_counts_from_when_it_was_given(world: World) -> None:
    await add_admin(world, "second")
    earlier = await world.deliver(SECRET)
    changed = await clear(world, "rosa")
    assert changed["cleared"] and changed["cleared_since"]
    later = await deliver_now(world, SECRET)
    async with world.client("rosa") as api:
        assert [await full(api, earlier), await full(api, later)] == [403, 200]
        assert (await api.get(f"/inbox/{earlier}")).json()["withheld"] == "cleared-later"
        assert await waiting(world) == [("clearance", "rosa", "root")]
        assert await answer(world, "root") == 409  # the first admin is not the second
        assert await full(api, earlier) == 403
        assert await answer(world, "second") == 204
        assert [await full(api, earlier), await full(api, later)] == [200, 200]
    assert await waiting(world) == []


async def test_clearance_of_a_person_without_documents_needs_no_second_admin(world: World) -> None:
    assert (await clear(world, "rosa"))["cleared_since"] is None
    assert await waiting(world) == []
    async with world.client("rosa") as api:
        assert await full(api, await deliver_now(world, SECRET)) == 200


async def test_an_admin_who_clears_themselves_needs_another(world: World) -> None:
    await add_admin(world, "second")
    async with world.database.write() as session:
        await people.change(session, world.people["root"].id, is_recipient=True)
    earlier = await world.deliver(SECRET, to=("root",))
    await clear(world, "root")
    async with world.client("root") as api:
        assert await full(api, earlier) == 403
        assert await answer(world, "root") == 403
        # Nor can they agree to what another admin asked for.
        await clear(world, "root", by="second", cleared=False)
        await clear(world, "root", by="second")
        assert await answer(world, "root") == 403
        assert await full(api, earlier) == 403


async def test_an_import_clears_as_a_change_does(world: World) -> None:
    earlier = await world.deliver(SECRET)
    async with world.client("root") as api:
        assert (await api.post("/people/import", content="login,cleared\nrosa,yes\n")).json()["imported"]
    assert await waiting(world) == [("clearance", "rosa", "root")]
    async with world.client("rosa") as api:
        assert await full(api, earlier) == 403


async def test_clearance_that_is_taken_and_given_again_counts_from_then(world: World) -> None:
    earlier = await world.deliver(SECRET)
    await clear(world, "bruno", cleared=False)
    assert await waiting(world) == []
    await clear(world, "bruno")
    async with world.client("bruno") as api:
        assert await full(api, earlier) == 403


async def test_refused_clearance_counts_for_later_documents_only(world: World) -> None:
    await add_admin(world, "second")
    earlier = await world.deliver(SECRET)
    await clear(world, "rosa")
    assert await answer(world, "second", "refuse") == 204
    async with world.client("rosa") as api:
        assert [await full(api, earlier), await full(api, await deliver_now(world, SECRET))] == [403, 200]


async def test_sizes_do_not_order_what_is_withheld(world: World) -> None:
    small = await world.deliver(b"four<$S>" + b"x" * 100 + b"<$E>", name="a.txt")
    large = await world.deliver(b"fifteen bytes..", name="b.txt")
    await clear(world, "rosa")
    async with world.client("rosa") as api:
        items = (await api.get("/inbox", params={"sort": "size", "descending": True})).json()["items"]
    assert [item["transfer_id"] for item in items] == [large, small]


async def test_a_link_locks_what_was_received_and_ends_every_other_way_in(world: World) -> None:
    await add_admin(world, "second")
    earlier = await world.deliver(SECRET)
    async with signed_in(world, "bruno") as old, reset(world, "bruno") as api:
        assert await who_is(old) is None
        async with world.client("bruno") as by_token:
            assert (await by_token.get("/me")).status_code == 401
        assert (await api.get("/me")).json()["locked_before"] is not None
        assert [await full(api, earlier), await full(api, await deliver_now(world, SECRET))] == [403, 200]
        assert (await api.get(f"/inbox/{earlier}")).json()["withheld"] == "reset"
        assert (await api.post(f"/inbox/{earlier}/forward")).status_code == 403
        assert await answer(world, "root") == 409
        assert await answer(world, "second") == 204
        assert await full(api, earlier) == 200
        assert (await api.get("/me")).json()["locked_before"] is None


async def test_the_first_link_of_somebody_who_received_something_locks_too(world: World) -> None:
    earlier = await world.deliver(SECRET)
    async with reset(world, "otto"):
        assert await waiting(world) == []  # nothing is addressed to otto
    async with reset(world, "bruno") as api:
        assert await full(api, earlier) == 403


async def test_a_link_locks_what_its_owner_wrote(world: World) -> None:
    await add_admin(world, "second")
    sent = await world.send(SECRET)
    async with world.client("anna") as api:
        draft = (await api.post("/drafts", params={"form": "marked", "name": "plan.txt"}, content=SECRET)).json()["id"]
        document = (await api.get(f"/transfers/{sent}")).json()["document_id"]
    paths = [
        *(f"/drafts/{draft}{path}" for path in ("", "/content", "/versions")),
        *(f"/documents/{document}{path}" for path in ("", "/content", "/classified")),
    ]
    async with reset(world, "anna") as api:
        for path in paths:
            assert (await api.get(path)).status_code == 404, path
        asked = {"document_id": document, "peer": "bravo", "recipients": ["berta"]}
        assert (await api.post("/transfers", json=asked)).status_code == 404
        assert (await api.post(f"/drafts/{draft}/copy", json={"name": "mine.txt"})).status_code == 404
        for path, key in (("/transfers/archive", sent), ("/drafts/archive", draft)):
            assert b"the secret" not in (await api.post(path, json={"ids": [key]})).content
        new = await api.post("/drafts", params={"form": "marked", "name": "new.txt"}, content=SECRET)
        assert (await api.get(f"/drafts/{new.json()['id']}/content")).status_code == 200
        assert await answer(world, "second") == 204
        for path in paths:
            assert (await api.get(path)).status_code == 200, path


async def test_a_refused_reset_leaves_no_way_in_and_stays_locked(world: World) -> None:
    await add_admin(world, "second")
    earlier = await world.deliver(SECRET)
    async with reset(world, "bruno") as api:
        assert await answer(world, "second", "refuse") == 204
        assert await who_is(api) is None
        assert (await sign_in(api, "bruno", NEW_PASSWORD)).status_code == 401
    async with reset(world, "bruno", by="second") as api:
        assert await full(api, earlier) == 403
        assert await answer(world, "root") == 204
        assert await full(api, earlier) == 200


async def test_two_admins_resets_need_both_to_agree(world: World) -> None:
    """Each has given somebody a way in that the other one knows nothing of."""
    await add_admin(world, "second")
    earlier = await world.deliver(SECRET)
    async with reset(world, "bruno"), reset(world, "bruno", by="second") as api:
        assert await waiting(world) == [("reset", "bruno", None)]
        assert await answer(world, "root") == 204
        assert await full(api, earlier) == 403
        assert await answer(world, "second") == 204
        assert await full(api, earlier) == 200


async def test_an_accomplice_does_not_count(world: World) -> None:
    """An admin whom one admin alone appointed neither agrees nor lets the other one agree."""
    await add_admin(world, "second")
    earlier = await world.deliver(SECRET)
    async with world.client("root") as api:
        made = await api.post("/people", json={"name": "shill", "display_name": "Shill", "is_admin": True})
    async with world.database.write() as session:
        shill = await people.by_name(session, "shill")
        assert shill is not None and made.json()["admin_confirmed"] is False
        world.people["shill"], world.tokens["shill"] = shill, "sieve_shill"
        await tokens.add(session, user_id=shill.id, token="sieve_shill", label="test", now_ns=1)
    await clear(world, "rosa")
    assert await answer(world, "shill", kind="clearance") == 403
    assert await answer(world, "shill", "refuse", kind="clearance") == 403
    await clear(world, "rosa", cleared=False)
    await clear(world, "rosa", by="shill")
    async with world.client("rosa") as api:
        assert await answer(world, "root", kind="clearance") == 204
        assert await full(api, earlier) == 403
        assert await answer(world, "root", kind="clearance") == 409
        # Nor do they once the other admins are gone.
        async with world.client("root") as admin:
            await admin.patch(f"/people/{world.people['second'].id}", json={"disabled": True})
        assert await answer(world, "shill", kind="clearance") == 403
        async with world.client("root") as admin:
            await admin.patch(f"/people/{world.people['second'].id}", json={"disabled": False})
        async with world.database.write() as session:
            world.tokens["second"] = "sieve_second_again"
            second = world.people["second"].id
            await tokens.add(session, user_id=second, token="sieve_second_again", label="test", now_ns=1)
        assert await answer(world, "second", kind="admin") == 204
        assert await answer(world, "shill", kind="clearance") == 204
        assert await full(api, earlier) == 200


async def test_an_admin_whose_account_was_reset_does_not_count(world: World) -> None:
    await add_admin(world, "second")
    await add_admin(world, "third")
    earlier = await world.deliver(SECRET)
    await clear(world, "rosa")
    async with reset(world, "second") as intruder:
        [one] = [each for each in (await intruder.get("/approvals")).json()["waiting"] if each["kind"] == "clearance"]
        refused = await intruder.post(f"/approvals/{one['id']}/agree")
        assert refused.status_code == 403 and "your account was reset" in refused.json()["detail"]
        assert await answer(world, "third", kind="reset") == 204
        assert (await intruder.post(f"/approvals/{one['id']}/agree")).status_code == 204
    async with world.client("rosa") as api:
        assert await full(api, earlier) == 200


async def test_agreeing_and_pairing_need_a_recent_confirmation(world: World) -> None:
    """An unlocked browser or a stolen cookie of the second admin is not the second admin."""
    await add_admin(world, "second")
    await give_password(world, "second")
    await world.deliver(SECRET)
    await clear(world, "rosa")
    async with browser(world) as api:
        await sign_in(api, "second")
        [asked] = (await api.get("/approvals")).json()["waiting"]
        await forget_confirmation(world, api)
        code = {"code": "1234 5678 9012"}
        for path, body in (
            (f"/approvals/{asked['id']}/agree", None),
            ("/peers/bravo/confirm", code),
            ("/peers/bravo/renew", {"invitation": "i", **code}),
        ):
            refused = await api.post(path, json=body)
            assert (refused.status_code, refused.json().get("kind")) == (403, "confirmation-needed"), path
        assert (await api.post("/session/confirmation", json={"password": PASSWORD})).status_code == 204
        assert (await api.post(f"/approvals/{asked['id']}/agree")).status_code == 204


@pytest.mark.parametrize("more", [{"is_admin": True}, {"cleared": True}, {"is_author": True}, {"disabled": False}])
async def test_giving_somebody_more_needs_a_recent_confirmation(world: World, more: dict[str, bool]) -> None:
    """With an unlocked browser or a stolen cookie of an admin, nobody raises an account of their own."""
    path = f"/people/{world.people['rosa'].id}"
    await give_password(world, "root")
    async with world.client("root") as api:
        before = (await api.patch(path, json={"disabled": "disabled" in more})).json()
    async with browser(world) as api:
        await sign_in(api, "root")
        await forget_confirmation(world, api)
        refused = await api.patch(path, json=more)
        assert (refused.status_code, refused.json().get("kind")) == (403, "confirmation-needed")
        assert (await api.get(path)).json() == before
        # What takes something away, or gives nothing, must be quick. A form sends all roles.
        same = {"unit": "Harbour", **{right: before[right] for right in ("is_author", "is_admin", "cleared")}}
        assert (await api.patch(path, json=same)).status_code == 200
        assert (await api.patch(path, json={"disabled": True})).status_code == 200
        assert (await api.post("/session/confirmation", json={"password": PASSWORD})).status_code == 204
        assert (await api.patch(path, json=more)).status_code == 200


async def test_a_role_that_is_taken_and_given_again_needs_another_admin(world: World) -> None:
    await add_admin(world, "second")
    path = f"/people/{world.people['second'].id}"
    async with world.client("root") as api:
        await api.patch(path, json={"is_admin": False, "is_author": True})
        assert (await api.patch(path, json={"is_admin": True})).json()["admin_confirmed"] is False
    assert await waiting(world) == [("admin", "second", "root")]


async def test_the_first_admin_signs_in_with_the_hosts_link(world: World) -> None:
    """Its token stays valid, and nobody has to agree; a link that another admin makes first is another matter."""
    await add_admin(world, "second")
    async with world.database.write() as session:
        from sieve.web.one_time_links.new_link import new_link  # the gateway's own

        made = await new_link(session, world.people["root"], made_by_id=None)
    async with browser(world) as api:
        code = made.url.partition("#")[2]
        assert (await api.post("/welcome", json={"code": code, "password": NEW_PASSWORD})).status_code == 200
        assert (await api.get("/me")).json()["locked_before"] is None
    async with world.client("root") as api:
        assert (await api.get("/me")).status_code == 200
    async with reset(world, "second") as api:
        assert (await api.get("/me")).json()["locked_before"] is not None


async def test_the_operator_of_the_host_confirms(world: World) -> None:
    earlier = await world.deliver(SECRET)
    async with reset(world, "bruno") as api:
        assert await full(api, earlier) == 403
        async with world.client("root") as admin:
            assert (await admin.get("/approvals")).json()["other_admins"] == 0
        at = SecretStr(url(world.folder / "sieve.db"))
        # `sieve admin confirm` itself begins a loop, and one runs here.
        assert await confirm_account(world.services.settings.model_copy(update={"database_url": at}), "bruno") == [
            "reset"
        ]
        async with world.client("root") as admin:
            last = (await admin.get("/audit")).json()["items"][0]
        assert await full(api, earlier) == 200
    assert (last["actor"], last["action"], last["subject"]) == ("(sieve admin)", "approval-given", "bruno")


async def test_a_factor_confirms_only_if_it_is_older_than_the_earliest_reset(world: World) -> None:
    async def confirms(*, since_reset: bool) -> bool:
        async with world.database.write() as session:
            bruno = await people.by_name(session, "bruno")
            assert bruno is not None
            return await approvals.confirm_reset(session, bruno, 1, factor_since_reset=since_reset)

    async def would_be_newer() -> bool:
        async with world.database.read() as session:
            return await factors.is_since_reset(session, world.people["bruno"].id)

    earlier = await world.deliver(SECRET)
    assert not await confirms(since_reset=False) and not await would_be_newer()
    async with reset(world, "bruno"):
        assert await would_be_newer()
    async with reset(world, "bruno") as api:
        assert not await confirms(since_reset=True)
        assert await full(api, earlier) == 403
        assert await confirms(since_reset=False) and not await would_be_newer()
        assert await full(api, earlier) == 200
    assert await waiting(world) == []


async def test_a_new_token_of_a_service_account_opens_nothing_old(world: World) -> None:
    await add_admin(world, "second")
    asked = {"name": "desk", "display_name": "Desk", "is_recipient": True, "cleared": True, "is_service": True}
    async with world.client("root") as admin:
        made = (await admin.post("/people", json=asked)).json()
        world.people["desk"] = User(id=made["id"])
        path = f"/people/{made['id']}"
        first = (await admin.post(f"{path}/tokens", json={"label": "script"})).json()
        assert (await admin.post(f"{path}/link")).status_code == 409
        earlier = await world.deliver(SECRET, to=("desk",))
        world.tokens["desk"] = first["token"]
        async with world.client("desk") as api:
            assert await full(api, earlier) == 200
            assert (await api.post("/tokens", json={"label": "more"})).status_code == 403
        world.tokens["desk"] = (await admin.post(f"{path}/tokens", json={"label": "curious"})).json()["token"]
        async with world.client("desk") as api:
            assert await full(api, earlier) == 403
            assert await answer(world, "second") == 204
            assert await full(api, earlier) == 200


async def test_admins_make_no_tokens_for_people(world: World) -> None:
    async with world.client("root") as api:
        for who in ("bruno", "root"):
            refused = await api.post(f"/people/{world.people[who].id}/tokens", json={"label": "a"})
            assert refused.status_code == 403 and "makes their own tokens" in refused.json()["detail"]


async def test_who_asked_may_withdraw(world: World) -> None:
    """Also an admin who is not confirmed; nobody else who is not. What was withheld stays withheld."""
    await add_admin(world, "second")
    await add_admin(world, "new", confirmed=False)
    transfer_id = await world.deliver(SECRET)
    await clear(world, "rosa", by="new")
    async with world.client("new") as new, world.client("root") as root:
        [asked] = (await new.get("/approvals")).json()["waiting"]
        assert (asked["may_agree"], asked["may_refuse"], asked["may_withdraw"]) == (False, False, True)
        assert (await root.get("/approvals")).json()["waiting"][0]["may_withdraw"] is False
        assert (await new.post(f"/approvals/{asked['id']}/refuse")).status_code == 204
        assert (await new.post(f"/approvals/{asked['id']}/refuse")).status_code == 404
        assert (await root.get("/audit")).json()["items"][0]["action"] == "approval-withdrawn"
    assert await waiting(world) == []
    async with world.client("rosa") as api:
        assert await full(api, transfer_id) == 403
    async with reset(world, "bruno"):
        assert await answer(world, "root", "refuse") == 204
    async with world.client("bruno") as api:
        assert (await api.get("/me")).status_code == 401


async def test_each_act_is_in_the_audit_log(world: World) -> None:
    await add_admin(world, "second")
    await world.deliver(SECRET)
    await clear(world, "rosa")
    assert await answer(world, "second") == 204
    async with reset(world, "bruno"):
        assert await answer(world, "second", "refuse") == 204
    async with world.client("root") as api:
        items = (await api.get("/audit")).json()["items"]
    said = [(each["actor"], each["action"], each["subject"], each["details"].get("kind")) for each in items]
    assert said == [
        ("second", "approval-refused", "bruno", "reset"),
        ("bruno", "signed-in", "bruno", None),
        ("bruno", "password-set", "bruno", None),
        ("root", "approval-asked", "bruno", "reset"),
        ("root", "link-given", "bruno", None),
        ("second", "approval-given", "rosa", "clearance"),
        ("root", "person-changed", "rosa", None),
        ("root", "approval-asked", "rosa", "clearance"),
    ]


@pytest.mark.parametrize("way", ["password", "everywhere"])
async def test_tokens_end_with_a_password_change_and_everywhere(world: World, way: str) -> None:
    async with signed_in(world, "rosa") as api:
        if way == "password":
            asked = {"current": PASSWORD, "new": NEW_PASSWORD}
            assert (await api.put("/me/password", json=asked)).status_code == 204
        else:
            assert (await api.delete("/sessions")).status_code == 204
    async with world.client("rosa") as api:
        assert (await api.get("/me")).status_code == 401


async def test_a_token_has_an_end_and_scopes(world: World) -> None:
    async with signed_in(world, "bruno") as api:
        made = (await api.post("/tokens", json={"label": "a"})).json()
        assert made["scopes"] == ["read"]
        assert made["created_at"][:10] < made["expires_at"][:10]
        for asked in ({"expires_in_days": 8}, {"expires_in_days": None}, {"scopes": ["king"]}):
            assert (await api.post("/tokens", json={"label": "a", **asked})).status_code == 422
        assert (await api.post("/tokens", json={"label": "a", "scopes": ["admin"]})).status_code == 409


async def test_a_token_makes_no_token(world: World) -> None:
    async with world.database.write() as session:
        await people.change(session, world.people["anna"].id, is_admin=True, is_recipient=True)
        await tokens.add(session, user_id=world.people["anna"].id, token="narrow", label="", now_ns=1, scopes="read")
    async with world.client(headers={"Authorization": "Bearer narrow"}) as api:
        me = (await api.get("/me")).json()
        assert (me["is_author"], me["is_recipient"], me["is_admin"]) == (False, True, False)
        assert (await api.post("/tokens", json={"label": "a"})).status_code == 403


async def test_admins_see_and_revoke_tokens(world: World) -> None:
    path = f"/people/{world.people['bruno'].id}/tokens"
    async with world.client("root") as admin, world.client("bruno") as api:
        [listed] = (await admin.get(path)).json()
        assert listed["label"] == "test" and "token" not in listed
        assert (await admin.delete(f"{path}/{listed['id']}")).status_code == 204
        assert (await admin.delete(f"{path}/{listed['id']}")).status_code == 404
        assert (await api.get("/me")).status_code == 401


async def test_sessions_are_seen_and_ended_one_by_one(world: World) -> None:
    firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0"
    async with signed_in(world, "rosa") as here, browser(world, source="192.0.2.7") as there:
        there.headers["User-Agent"] = firefox
        await sign_in(there, "rosa")
        listed = (await here.get("/sessions")).json()
        other, mine = sorted(listed, key=lambda each: each["current"])
        assert (other["device"], other["source"], mine["current"]) == ("Firefox on Linux", "192.0.2.7", True)
        async with signed_in(world, "anna") as anna:
            assert (await anna.delete(f"/sessions/{other['id']}")).status_code == 404
        assert (await here.delete(f"/sessions/{other['id']}")).status_code == 204
        assert (await here.delete(f"/sessions/{other['id']}")).status_code == 404
        assert [await who_is(api) for api in (here, there)] == ["rosa", None]
