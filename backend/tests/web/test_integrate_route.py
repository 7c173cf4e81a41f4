"""Integrating two streams through the API: the document, and refused requests."""

import pytest

from cases import each
from sieve.web.documents import integrate
from web_world import World


@each(
    ("body", "whole"),
    [
        (b"[[0,2],[3,3],[4,6]]\nabefc d", b"abc ef"[:3] + b" efd"),
        (b"[]\nall plain", b"all plain"),
        (b"[[0,3]]\n<$S>"[:-1], b"<$S"),
        (b"[]\n", b""),
    ],
)
async def test_the_halves_are_put_together(world: World, body: bytes, whole: bytes) -> None:
    async with world.client("anna") as api:
        answer = await api.post("/integrate", content=body)
    assert (answer.status_code, answer.content) == (200, whole)
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert world.blob_files() == []


@each(
    ("body", "status", "sentence"),
    [
        (b"[[0,9]]\nshort", 422, "shorter than the classified ranges"),
        (b"[[6,9]]\nshort", 422, "document"),
        (b"[[3,1]]\nshort", 422, "span 1 ends before it begins"),
        (b"no spans\nshort", 422, "JSON array of spans"),
        (b"no line", 422, "one line"),
        (b"[]\nmore than sixteen bytes", 413, "larger than 16 bytes"),
    ],
)
async def test_what_does_not_fit_is_refused(
    world: World, monkeypatch: pytest.MonkeyPatch, body: bytes, status: int, sentence: str
) -> None:
    monkeypatch.setattr(integrate, "MAX_BYTES", 16)
    async with world.client("anna") as api:
        answer = await api.post("/integrate", content=body)
    assert (answer.status_code, sentence in answer.json()["detail"]) == (status, True), answer.text
