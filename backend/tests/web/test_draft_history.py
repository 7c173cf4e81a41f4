"""Random histories of drafts, compared with a simple model: contents, lists, and files on the disk."""

from dataclasses import dataclass, field
from typing import Any

import httpx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from examples import examples
from sieve.store.models import Blob
from sieve.store.queries import blobs as blob_queries
from web_world import World

texts = st.text("ab<$S>E漢\n", max_size=8).map(lambda text: text.replace("<", "(") + "<$S>hidden<$E>")
"""Some text, and something in it that is classified."""

steps = st.one_of(
    st.tuples(st.just("create"), texts),
    st.tuples(st.sampled_from(["save", "save late", "save malformed"]), texts),
    st.tuples(st.just("rename"), st.sampled_from(["a", "b"])),
    st.tuples(st.sampled_from(["send", "send", "cancel", "delete", "delete"]), st.none()),
)


@dataclass
class Save:
    """`files`: represents the pair of blobs; a rename shares it."""

    document_id: str
    name: str
    text: str
    files: object = field(default_factory=object)
    transfers: list[str] = field(default_factory=list)


@dataclass
class Model:
    """What ought to be. `saves`: of each draft those that are kept, by revision."""

    saves: dict[str, dict[int, Save]] = field(default_factory=dict)
    under_way: dict[str, str] = field(default_factory=dict)
    """The draft of each transfer that is not over."""
    order: list[str] = field(default_factory=list)
    """Drafts, the latest change last."""
    gone: list[str] = field(default_factory=list)

    def put(self, draft_id: str, revision: int, save: Save) -> None:
        kept = self.saves.setdefault(draft_id, {})
        for before, old in list(kept.items()):
            if not old.transfers:
                self.gone.append(kept.pop(before).document_id)
        kept[revision] = save
        self.order = [other for other in self.order if other != draft_id] + [draft_id]

    def latest(self, draft_id: str) -> tuple[int, Save]:
        revision = max(self.saves[draft_id])
        return revision, self.saves[draft_id][revision]

    def forget(self, draft_id: str) -> None:
        self.gone += [save.document_id for save in self.saves.pop(draft_id).values()]
        self.order.remove(draft_id)

    @property
    def files(self) -> int:
        pairs = {id(save.files) for saves in self.saves.values() for save in saves.values()}
        return 2 * len(pairs)


async def take_step(api: httpx.AsyncClient, model: Model, what: str, value: Any, draft_id: str | None) -> None:
    if what == "create":
        made = await api.post("/drafts", params={"form": "marked", "name": "a"}, content=value.encode())
        assert made.status_code == 201
        model.put(made.json()["id"], 1, Save(made.json()["document_id"], "a", value))
        return
    if draft_id is None:
        return
    path, (revision, save) = f"/drafts/{draft_id}", model.latest(draft_id)
    now = {"If-Match": f'"{revision}"'}
    match what:
        case "save":
            saved = await api.put(path, params={"form": "marked"}, headers=now, content=value.encode())
            assert (saved.status_code, saved.json()["revision"]) == (200, revision + 1)
            model.put(draft_id, revision + 1, Save(saved.json()["document_id"], save.name, value))
        case "save late":
            late = {"If-Match": f'"{revision + 1}"'}
            answer = await api.put(path, params={"form": "marked"}, headers=late, content=value.encode())
            assert (answer.status_code, answer.json()["revision"]) == (412, revision)
        case "save malformed":
            bad = f"{value}<$E>".encode()
            assert (await api.put(path, params={"form": "marked"}, headers=now, content=bad)).status_code == 422
        case "rename":
            renamed = await api.patch(path, headers=now, json={"name": value})
            assert (renamed.status_code, renamed.json()["revision"]) == (200, revision + 1)
            again = Save(renamed.json()["document_id"], value, save.text, save.files)
            model.put(draft_id, revision + 1, again)
        case "send":
            asked = {"document_id": save.document_id, "peer": "bravo", "recipients": ["berta"]}
            answer = await api.post("/transfers", json=asked)
            assert answer.status_code == 202
            save.transfers.append(answer.json()["id"])
            model.under_way[answer.json()["id"]] = draft_id
        case "cancel":
            for transfer_id in [transfer for transfer, draft in model.under_way.items() if draft == draft_id]:
                assert (await api.post(f"/transfers/{transfer_id}/cancel")).status_code == 202
                del model.under_way[transfer_id]
        case "delete":
            answer = await api.delete(path, params={"forever": True})
            if draft_id in model.under_way.values():
                assert answer.status_code == 409
            else:
                assert answer.status_code == 204
                model.forget(draft_id)


async def check(world: World, api: httpx.AsyncClient, model: Model) -> None:
    listed = (await api.get("/drafts", params={"limit": 200})).json()["items"]
    assert [item["id"] for item in listed] == model.order[::-1]
    for item in listed:
        saves = model.saves[item["id"]]
        revision, latest = model.latest(item["id"])
        assert (item["revision"], item["name"], item["document_id"]) == (revision, latest.name, latest.document_id)
        sent = [(transfer, number) for number, save in saves.items() for transfer in save.transfers]
        last = item["last_transfer"]
        assert (last is None) == (not sent)
        assert last is None or (last["id"], last["revision"]) in sent
        content = await api.get(f"/drafts/{item['id']}/content", params={"edition": "marked"})
        assert content.text == latest.text
        for save in saves.values():
            kept = await api.get(f"/documents/{save.document_id}/content", params={"edition": "marked"})
            assert kept.text == save.text
    for document_id in model.gone:
        assert (await api.get(f"/documents/{document_id}")).status_code == 404
    async with world.database.read() as session:
        named = await blob_queries.ids(session)
        # Manifests lie in their rows, and stay.
        in_rows = set(await session.scalars(select(Blob.id).where(Blob.content.is_not(None))))
    files = {path.name for path in world.blob_files()}
    assert files == named - in_rows
    assert len(files) == model.files


async def clear(api: httpx.AsyncClient) -> None:
    """Ends and deletes everything."""
    for item in (await api.get("/transfers", params={"state": "queued", "limit": 200})).json()["items"]:
        assert (await api.post(f"/transfers/{item['id']}/cancel")).status_code == 202
    for item in (await api.get("/drafts", params={"limit": 200})).json()["items"]:
        assert (await api.delete(f"/drafts/{item['id']}", params={"forever": True})).status_code == 204


@settings(max_examples=examples(10), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
async def test_any_history(world: World, data: st.DataObject) -> None:
    async with world.client("anna") as api:
        await clear(api)
        model = Model()
        for what, value in data.draw(st.lists(steps, max_size=14)):
            nth = data.draw(st.integers(0, len(model.order) - 1)) if model.order else None
            await take_step(api, model, what, value, None if nth is None else model.order[nth])
        await check(world, api, model)
        await clear(api)
        assert world.blob_files() == []
