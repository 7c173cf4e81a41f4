"""Authors who open classified documents of their own are in the audit log, by whatever route they get them."""

from itertools import product
from typing import Any

from any_files import SECRET
from cases import each
from web.test_locked_routes import OF_AUTHORS, ask, holds_secret
from web_world import World

TEXT = f"before <$S>{SECRET}<$E> after".encode()
TABLE = f"name,place\n{SECRET},Quay 3\n".encode()
READS = {
    "document": (
        "/documents/{id}/content",
        "/documents/{id}/content?edition=marked",
        "/documents/{id}/classified",
        "POST /documents/{id}/check",
    ),
    "draft": (
        "/drafts/{id}/content",
        "/drafts/{id}/content?edition=marked",
        "/drafts/{id}/classified",
        "POST /drafts/{id}/check",
    ),
    "file": (
        "/drafts/{id}/content",
        "/drafts/{id}/units",
        "/drafts/{id}/rows",
        "/drafts/{id}/outline",
        "/drafts/{id}/why-classified",
    ),
}
UNCLASSIFIED = [
    (what, f"/{what}s/{{id}}/{rest}")
    for what in ("document", "draft")
    for rest in ("content?edition=redacted", "content?edition=gaps", "plain")
]


async def made(world: World, what: str) -> str:
    """The id of a new document or draft of Anna's."""
    if what == "document":
        return await world.upload(TEXT)
    async with world.client("anna") as api:
        form = {"name": "t.csv", "form": "file"} if what == "file" else {"name": "memo.txt", "form": "marked"}
        answer = await api.post("/drafts", params=form, content=TABLE if what == "file" else TEXT)
        assert answer.status_code == 201, answer.text
        draft = answer.json()
        if what == "file":
            marks = {"marks": [{"address": "column/name"}]}
            saved = await api.put(
                f"/drafts/{draft['id']}/marks", json=marks, headers={"If-Match": answer.headers["ETag"]}
            )
            assert saved.status_code == 200, saved.text
        return str(draft["id"])


async def asked(world: World, route: str, made_id: str, who: str = "anna") -> int:
    method, _, path = route.rpartition(" ")
    async with world.client(who) as api:
        return (await api.request(method or "GET", path.format(id=made_id))).status_code


async def noted(world: World, made_id: str) -> list[tuple[str, Any]]:
    async with world.client("root") as api:
        page = (await api.get(f"/audit?kind=reads&search={made_id}")).json()
    assert SECRET not in str(page) and {one["action"] for one in page["items"]} <= {"own-document-read"}
    return [(one["actor"], one["details"]) for one in page["items"]]


@each(("what", "route"), [(what, route) for what, routes in READS.items() for route in routes])
async def test_an_author_who_opens_a_document_is_recorded_once(world: World, what: str, route: str) -> None:
    made_id = await made(world, what)
    assert await noted(world, made_id) == [], "writing is not reading"
    for _ in range(2):
        assert await asked(world, route, made_id) == 200
    assert await noted(world, made_id) == [("anna", {"draft": what != "document"})]


async def test_no_route_gives_an_author_classified_text_unrecorded(world: World) -> None:
    gave = set()
    async with world.client("root") as api:
        policy = {"name": "delta", "rules": [{"kind": "keywords", "keywords": [SECRET]}]}
        assert (await api.post("/policies", json=policy)).status_code == 201
    async with world.client("anna") as api:
        for what, route in product(("draft", "file"), OF_AUTHORS):
            ids = {"draft_id": await made(world, what), "document_id": await made(world, "document")}
            if holds_secret((await ask(api, route, **ids)).content):
                gave.add(route[1])
                assert [each for some in ids.values() for each in await noted(world, some)], route
    assert {"/drafts/{draft_id}/policies/preview", "/drafts/{draft_id}/policies/{name}/preview"} < gave


@each(("what", "route"), UNCLASSIFIED)
async def test_what_has_nothing_classified_is_not_recorded(world: World, what: str, route: str) -> None:
    made_id = await made(world, what)
    assert await asked(world, route, made_id) == 200
    assert await noted(world, made_id) == []


async def test_archives_are_recorded_for_each_document(world: World) -> None:
    drafts = [await made(world, "draft") for _ in range(2)]
    sent = await world.send(TEXT)
    async with world.client("anna") as api:
        assert (await api.post("/drafts/archive", json={"ids": drafts})).status_code == 200
        assert (await api.post("/transfers/archive", json={"ids": [sent]})).status_code == 200
        document_id = (await api.get(f"/transfers/{sent}")).json()["document_id"]
    for made_id in (*drafts, document_id):
        assert len(await noted(world, made_id)) == 1


async def test_others_documents_leave_no_entry(world: World) -> None:
    made_id = await made(world, "draft")
    assert await asked(world, "/drafts/{id}/content", made_id, "adam") == 404
    assert await noted(world, made_id) == []
