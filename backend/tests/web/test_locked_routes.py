"""Every route that serves classified content refuses what is locked, or was received before clearance (ADR 37).

The routes come from the rules of `test_authorization`, where a new route must be entered.
"""

import io
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest

from any_files import GOOD, SECRET
from fake_parts import take_covers
from sieve.core.document import Document
from sieve.core.units import Mark
from sieve.formats.reading import read, redact
from sieve.store.queries import approvals, people
from web.test_authorization import BODIES, RULES
from web_world import Ground, World
from world_building import build, close

SERVES_ALL = "/inbox/{transfer_id}/full/"
MARKED = f"<$S>{SECRET}<$E> memo".encode()
OF_AUTHORS = [route for route in RULES if "{document_id}" in route[1] or "{draft_id}" in route[1]]
OF_RECIPIENTS = [route for route in RULES if "/inbox/{transfer_id}" in route[1]]
LOCKS = ("reset", "cleared-later", "not-cleared")


POLICY = {"name": "names", "rules": [{"kind": "keywords", "keywords": [SECRET]}]}


async def lock(world: World, who: str, why: str) -> None:
    async with world.database.write() as session:
        person = await people.by_id(session, world.people[who].id)
        assert person is not None
        match why:
            case "reset":
                await approvals.lock(session, person, None, 1)
            case "cleared-later":
                await approvals.count_clearance(session, person, since_ns=1)
            case _:
                person.cleared = False


async def ask(api: httpx.AsyncClient, route: tuple[str, str], **ids: Any) -> httpx.Response:
    preview = route == ("POST", "/drafts/{draft_id}/policies/preview")
    body: dict[str, Any] = {"json": POLICY} if preview else dict(BODIES.get(route, {}))
    headers = {**api.headers, **body.pop("headers", {})}
    path = route[1].format(**{"number": 1, "revision": 1, "name": "delta", **ids})
    return await api.request(route[0], path, headers=headers, **body)


def holds_secret(content: bytes) -> bool:
    """Whether the secret is in it, or in a member of it, if it is a zip."""
    if not content.startswith(b"PK"):
        return SECRET.encode() in content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return any(SECRET.encode() in archive.read(name) for name in archive.namelist())


async def received_table(world: World) -> str:
    data = GOOD["pay.csv"][1]
    reading = read("pay.csv", data)
    marks = [Mark(unit.address) for unit in reading.units() if SECRET in unit.text]
    document = Document(data, reading.spans(marks))
    return await world.deliver(document, media_type="text/csv", edition=redact(reading, marks))


@pytest.mark.parametrize("why", LOCKS)
async def test_no_route_serves_a_recipient_what_is_withheld(world: World, why: str) -> None:
    async with world.database.write() as session:
        await people.change(session, world.people["bruno"].id, is_author=True)
    table, text = await received_table(world), await world.deliver(MARKED)
    async with world.client("bruno") as api:
        entries = [(await api.get(f"/inbox/{each}")).json()["id"] for each in (table, text)]
        assert holds_secret((await api.get(f"/inbox/{table}/full/rows")).content)
        archive = {"ids": entries, "edition": "full"}
        assert holds_secret((await api.post("/inbox/archive", json=archive)).content)
        await lock(world, "bruno", why)
        for transfer_id in (table, text):
            for route in OF_RECIPIENTS:
                if route[0] == "DELETE":  # the next routes need it; see test_locked_changes
                    continue
                got = await ask(api, route, transfer_id=transfer_id)
                assert not holds_secret(got.content), route
                if route[1].startswith(SERVES_ALL) or route[1].endswith(("/content", "/forward")):
                    assert got.status_code == 403, (route, got.text)
            for edition in ("full", "marked", "highlighted", "redacted", "gaps"):
                got = await api.get(f"/inbox/{transfer_id}/content", params={"edition": edition})
                assert not holds_secret(got.content), edition
                assert edition in ("redacted", "gaps") or got.status_code == 403
            forwarded = await api.post(f"/inbox/{transfer_id}/forward", params={"edition": "redacted"})
            kept = await api.get(f"/drafts/{forwarded.json()['id']}/content")
            assert kept.status_code == 200 and not holds_secret(kept.content)
        assert not holds_secret((await api.post("/inbox/archive", json=archive)).content)
        listed = await api.get("/inbox")
        assert [each["withheld"] for each in listed.json()["items"]] == [why, why]
        for each in listed.json()["items"]:
            assert (each["mode"], each["document_bytes"], each["classified_bytes"]) == (None, None, None)


async def test_no_route_serves_an_author_what_is_locked(
    tmp_path: Path, ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_covers(monkeypatch)
    world = await build(tmp_path, ground, labels="nato")
    sent = await world.send(MARKED, note=f"About {SECRET}")
    async with world.client("anna") as api:
        assert holds_secret((await api.get(f"/transfers/{sent}")).content)
        draft = (await api.post("/drafts", params={"form": "marked", "name": "a.txt"}, content=MARKED)).json()["id"]
        document = (await api.get(f"/transfers/{sent}")).json()["document_id"]
        ids = {"draft_id": draft, "document_id": document}
        assert holds_secret((await api.get(f"/documents/{document}/content")).content)
        await lock(world, "anna", "reset")
        for route in OF_AUTHORS:
            got = await ask(api, route, **ids)
            assert got.status_code == 404, (route, got.text)
        where = {"peer": "bravo", "recipients": ["berta"]}
        for path, body in (
            ("/transfers", {"document_id": document, **where}),
            ("/batches", {"document_ids": [document, draft], **where}),
            ("/sends", {"document_ids": [document], "to": [where]}),
        ):
            assert (await api.post(path, json=body)).status_code == 404, path
        for path, key in (("/transfers/archive", sent), ("/drafts/archive", draft)):
            assert not holds_secret((await api.post(path, json={"ids": [key]})).content), path
        for path in ("/drafts", "/documents", "/transfers", f"/transfers/{sent}"):
            assert not holds_secret((await api.get(path)).content), path
    await close(world)
