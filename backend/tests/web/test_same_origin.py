"""Requests that another page makes a browser send: none of them changes anything in the name of a cookie."""

from browsers import PASSWORD, give_password, sign_in, signed_in, who_is
from cases import each
from web_world import World

FOREIGN = [
    {},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
    {"Sec-Fetch-Site": ""},
    {"Sec-Fetch-Site": "same-site", "Origin": "http://alpha"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "http://alpha:8090"},
    {"Origin": "http://bravo"},
    {"Origin": "http://alpha.example"},
    {"Origin": "http://alpha@bravo"},
    {"Origin": "http://["},
    {"Origin": "alpha"},
    {"Origin": "http://", "Host": ""},
]
OURS = [
    {"Sec-Fetch-Site": "same-origin"},
    {"Origin": "http://alpha"},
    {"Origin": "http://ALPHA"},
    {"Origin": "https://alpha:8443", "Host": "alpha:8443"},
    {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
]


@each("headers", FOREIGN)
async def test_a_foreign_page_changes_nothing(world: World, headers: dict[str, str]) -> None:
    async with signed_in(world, "root") as api:
        del api.headers["Sec-Fetch-Site"]
        for method, path, body in (
            ("POST", "/tokens", {"label": "stolen"}),
            ("PATCH", f"/people/{world.people['anna'].id}", {"is_admin": True}),
            ("PUT", "/me/password", {"current": PASSWORD, "new": "another horse battery"}),
            ("DELETE", "/session", None),
            ("DELETE", "/sessions", None),
            ("POST", "/session", {"name": "root", "password": PASSWORD}),
            ("POST", "/welcome", {"code": "a", "password": "another horse battery"}),
        ):
            answer = await api.request(method, path, headers=headers, json=body)
            assert answer.status_code == 403, (method, path)
            assert "page of this gateway" in answer.json()["detail"]
            assert "set-cookie" not in answer.headers
        assert (await api.get("/tokens", headers=headers)).json()[0]["label"] == "test"
        assert await who_is(api) == "root"


@each("headers", OURS)
async def test_a_page_of_ours_does(world: World, headers: dict[str, str]) -> None:
    async with signed_in(world) as api:
        del api.headers["Sec-Fetch-Site"]
        cookie = {"Cookie": f"sieve-alpha={api.cookies['sieve-alpha']}"}
        assert (await api.post("/tokens", headers=headers | cookie, json={"label": "mine"})).status_code == 201


async def test_signing_in_wants_a_page_of_ours_before_it_counts_a_guess(world: World) -> None:
    await give_password(world, "anna")
    async with world.client() as api:
        for _ in range(30):
            assert (await sign_in(api, "anna", "wrong")).status_code == 403
        assert (await sign_in(api, "anna", headers={"Origin": "http://alpha"})).status_code == 200


async def test_a_token_needs_no_page_even_beside_a_cookie(world: World) -> None:
    async with signed_in(world, "anna") as api:
        del api.headers["Sec-Fetch-Site"]
        token = {"Authorization": f"Bearer {world.tokens['rosa']}"}
        assert (await api.get("/me", headers=token)).json()["name"] == "rosa"
        notify = {"email": None, "email_notifications": False}
        assert (await api.put("/me/notifications", headers=token, json=notify)).status_code == 200
        assert (await api.get("/me", headers={"Authorization": "Bearer sieve_wrong"})).status_code == 401
        assert (await api.get("/me")).json()["name"] == "anna"


async def test_reading_wants_no_page(world: World) -> None:
    """An EventSource of ours says same-origin; a foreign page may send a GET, and reads nothing of the answer."""
    async with signed_in(world) as api:
        del api.headers["Sec-Fetch-Site"]
        answer = await api.get("/me")
        assert answer.status_code == 200
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert not any(name.startswith("access-control-") for name in answer.headers)
