"""People and tokens: who may change whom, and that a token is shown once and is valid until it expires."""

import databases
from browsers import signed_in
from cases import each
from sieve.gateway.clock import now_ns
from sieve.store.queries import people, tokens
from sieve.store.queries.tokens import token_hash
from web_world import World


async def test_a_new_person_can_do_what_they_were_made_for(world: World) -> None:
    async with world.client("root") as api:
        made = await api.post(
            "/people", json={"name": "Zoe", "display_name": " Zoe\u202e Z ", "is_author": True, "is_service": True}
        )
        assert made.status_code == 201, made.text
        token = await api.post(f"/people/{made.json()['id']}/tokens", json={"label": "laptop"})
    assert (made.json()["name"], made.json()["display_name"]) == ("zoe", "Zoe Z")
    world.tokens["zoe"] = token.json()["token"]
    async with world.client("zoe") as api:
        assert (await api.get("/me")).json() == made.json()
        assert (await api.get("/documents")).status_code == 200
        assert (await api.get("/inbox")).status_code == 403


@each(
    ("asked", "status"),
    [
        ({"name": "anna", "display_name": "A"}, 409),
        ({"name": "ANNA", "display_name": "A"}, 409),
        ({"name": "", "display_name": "A"}, 422),
        ({"name": "a b", "display_name": "A"}, 422),
        ({"name": "-a", "display_name": "A"}, 422),
        ({"name": "a" * 64, "display_name": "A"}, 422),
        ({"name": "é", "display_name": "A"}, 422),
        ({"name": "zoe\n", "display_name": ""}, 422),
        ({"name": "zoe", "display_name": "\u202e\u202e"}, 422),
        ({"name": "zoe", "display_name": "Z", "is_king": True}, 422),
    ],
)
async def test_who_cannot_be_made(world: World, asked: dict[str, object], status: int) -> None:
    async with world.client("root") as api:
        before = (await api.get("/people")).json()
        assert (await api.post("/people", json=asked)).status_code == status
        assert (await api.get("/people")).json() == before


async def test_admins_set_and_remove_a_unit(world: World) -> None:
    async with world.client("root") as api:
        asked = {"name": "zoe", "display_name": "Zoe", "unit": " Harbour\u202e office ", "is_author": True}
        made = (await api.post("/people", json=asked)).json()
        assert made["unit"] == "Harbour office"
        path = f"/people/{made['id']}"
        assert (await api.patch(path, json={"cleared": True})).json()["unit"] == "Harbour office"
        assert (await api.patch(path, json={"unit": "u" * 101})).status_code == 422
        assert (await api.patch(path, json={"unit": " "})).json()["unit"] is None


async def test_the_only_admin_stays_one(world: World) -> None:
    root = f"/people/{world.people['root'].id}"
    async with world.client("root") as api:
        for change in ({"is_admin": False, "is_author": True}, {"disabled": True}):
            answer = await api.patch(root, json=change)
            assert answer.status_code == 409
            assert "only admin" in answer.json()["detail"]
        await api.patch(f"/people/{world.people['adam'].id}", json={"is_admin": True})
        assert (await api.patch(root, json={"disabled": True})).status_code == 200
        assert (await api.get("/me")).status_code == 401
    async with world.client("adam") as api:
        assert (await api.patch(root, json={"disabled": False})).json()["disabled_at"] is None


async def test_tokens_of_a_disabled_account_stay_invalid_when_it_is_enabled(world: World) -> None:
    rosa = f"/people/{world.people['rosa'].id}"
    async with world.client("root") as admin, world.client("rosa") as reader:
        assert (await reader.get("/me")).status_code == 200
        for disabled in (True, False):
            assert (await admin.patch(rosa, json={"disabled": disabled})).status_code == 200
            assert (await reader.get("/me")).status_code == 401
            assert (await admin.get(f"{rosa}/tokens")).json() == []


async def test_tokens_that_an_earlier_version_left_are_invalid_when_the_account_is_enabled(world: World) -> None:
    async with world.database.write() as session:
        await people.change(session, world.people["rosa"].id, disabled_at_ns=1)
    async with world.client("root") as admin, world.client("rosa") as reader:
        assert (await admin.patch(f"/people/{world.people['rosa'].id}", json={"disabled": False})).status_code == 200
        assert (await reader.get("/me")).status_code == 401


async def test_a_change_keeps_what_it_does_not_name(world: World) -> None:
    path = f"/people/{world.people['bruno'].id}"
    async with world.client("root") as api:
        before = (await api.get(path)).json()
        after = (await api.patch(path, json={"display_name": "Bruno B"})).json()
        assert (await api.patch(path, json={})).json() == after
        assert (await api.patch("/people/0", json={})).status_code == 404
    assert after == before | {"display_name": "Bruno B"}


async def test_a_token_is_reported_once_and_kept_as_a_hash(world: World) -> None:
    async with signed_in(world, "rosa") as api:
        made = (await api.post("/tokens", json={"label": "reader"})).json()
        listed = await api.get("/tokens")
    assert made["token"].startswith("sieve_") and len(made["token"]) == 49
    assert made["token"] not in listed.text
    assert listed.json()[0]["label"] == "reader"
    await world.database.dispose()
    stored = databases.stored(world.folder / "sieve.db")
    assert made["token"].encode() not in stored
    assert token_hash(made["token"]).encode() in stored


async def test_a_revoked_token_is_over(world: World) -> None:
    async with signed_in(world, "rosa") as api:
        made = (await api.post("/tokens", json={"label": "a"})).json()
        world.tokens["again"] = made["token"]
        async with world.client("again") as again:
            assert (await again.get("/me")).status_code == 200
            assert (await api.delete(f"/tokens/{made['id']}")).status_code == 204
            assert (await again.get("/me")).status_code == 401
        assert (await api.delete(f"/tokens/{made['id']}")).status_code == 404


async def test_an_expired_token_is_over(world: World) -> None:
    world.tokens["old"] = "sieve_old"
    async with world.database.write() as session:
        await tokens.add(
            session,
            user_id=world.people["rosa"].id,
            token="sieve_old",
            label="old",
            now_ns=1,
            expires_at_ns=now_ns() - 1,
        )
    async with world.client("old") as api:
        assert (await api.get("/me")).status_code == 401


async def test_nobody_revokes_anothers_token(world: World) -> None:
    async with signed_in(world, "rosa") as rosa, world.client("root") as root:
        made = (await rosa.post("/tokens", json={"label": "a"})).json()
        assert (await root.delete(f"/tokens/{made['id']}")).status_code == 404


async def test_use_of_a_token_is_noted(world: World) -> None:
    async with world.client("rosa") as api:
        await api.get("/me")
        await world.services.last_used.written()
        first = (await api.get("/tokens")).json()[0]["last_used_at"]
        assert first is not None
        assert (await api.get("/tokens")).json()[0]["last_used_at"] == first
