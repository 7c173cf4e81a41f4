"""Requests to the leak check, and texts with and without findings."""

from typing import Any

import httpx

LEAKY = b"<$S>Ida Halvorsen<$E> met us. IDA HALVORSEN left.\n"
CLEAN = b"<$S>Ida Halvorsen<$E> met us. She left.\n"
GUARD = {"name": "names", "guard": True, "rules": [{"kind": "keywords", "keywords": ["met"], "reason": "A verb"}]}


async def send(api: httpx.AsyncClient, document_id: str, confirm: dict[str, str] | None = None) -> httpx.Response:
    asked: dict[str, Any] = {"document_id": document_id, "peer": "bravo", "recipients": ["berta"]}
    return await api.post("/transfers", json={**asked, "confirm": confirm} if confirm else asked)


async def draft(api: httpx.AsyncClient, marked: bytes, name: str = "memo.txt") -> Any:
    made = await api.post("/drafts", params={"form": "marked", "name": name}, content=marked)
    assert made.status_code == 201, made.text
    return made.json()


async def save(api: httpx.AsyncClient, before: Any, marked: bytes) -> Any:
    headers = {"If-Match": f'"{before["revision"]}"'}
    saved = await api.put(f"/drafts/{before['id']}", params={"form": "marked"}, content=marked, headers=headers)
    assert saved.status_code == 200, saved.text
    return saved.json()


async def check(api: httpx.AsyncClient, made: Any) -> Any:
    answer = await api.post(f"/drafts/{made['id']}/check")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def unsaved(api: httpx.AsyncClient, made: Any, marked: bytes) -> Any:
    answer = await api.post(f"/drafts/{made['id']}/check/unsaved", content=marked)
    assert answer.status_code == 200, answer.text
    return answer.json()
